"""What can be checked of paper 4 without its corpora: identities within Table II, and how the losses rank in Table III.

Fisher and VoxCeleb cannot be had here. Table II must nevertheless agree with itself (MaxD = log2(N IdR) wherever rank 1 is
the most telling, which decides the sign of Eq. 5), and the losses must rank as in Table III on data of the paper's
size drawn from a beta-binomial distribution with an excess at rank 1, as its Figure 5 shows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from stripeless.ranks.beta_binomial import LOSSES, BetaBinomial, fit_beta_binomial, goodness_of_fit
from stripeless.ranks.disclosure import rank_disclosure

FISHER, VOXCELEB = 11_696, 1_251
# feature, N, (IdR in percent, MaxD, MeanD, StDD) of the histogram, the same of the CLL model
_TABLE_II = (
    ("F0", FISHER, (0.38, 5.48, 0.99, 1.57), (0.38, 5.47, 0.59, 1.31)),
    ("Phone", FISHER, (10.77, 10.30, 2.45, 3.87), (10.67, 10.29, 2.27, 3.79)),
    ("Identity", VOXCELEB, (96.74, 10.24, 9.97, 1.57), (96.75, 10.24, 9.89, 1.99)),
    ("Linguistic", FISHER, (0.58, 6.10, 0.66, 1.44), (0.57, 6.07, 0.41, 1.29)),
)
# feature, N, probes, alpha, beta, excess at rank 1 for the simulation
_SIMULATED = (
    ("F0", FISHER, FISHER * 20, 0.60, 1.6, 0.002),
    ("Phone", FISHER, FISHER * 20, 0.22, 1.9, 0.01),
    ("Identity", VOXCELEB, VOXCELEB * 45, 0.009, 2.0, 0.002),
    ("Linguistic", FISHER, FISHER * 5, 0.68, 1.6, 0.003),
)


def lines(data: Path | None = None) -> list[dict[str, Any]]:
    """Identities of Table II, the corrected sign of Eq. 5, and the order of the losses of Table III on simulated ranks."""
    return [*_identities(), *_signs(), *_losses()]


def _identities() -> list[dict[str, Any]]:
    found = []
    for feature, n, histogram, model in _TABLE_II:
        for kind, (percent, printed, _, _) in (("histogram", histogram), ("CLL model", model)):
            ours = float(np.log2(n * percent / 100))
            low, high = (float(np.log2(n * (percent + d) / 100)) for d in (-0.005, 0.005))
            found.append(
                {
                    "line": f"II-{feature}-{kind}",
                    "what": f"Table II, {feature}, {kind}: MaxD [bit] from N and IdR",
                    "published": printed,
                    "ours": ours,
                    "difference": ours - printed,
                    "agrees": low - 0.005 <= printed <= high + 0.005,  # both were printed with two decimals
                }
            )
    return found


def _signs() -> list[dict[str, Any]]:
    """MaxD by `rank_disclosure` on ranks with the published IdR, and by Eq. 5 as printed."""
    feature, n, (percent, printed, _, _), _ = _TABLE_II[2]
    ranks = np.concatenate([np.ones(round(percent * 100), int), np.arange(2, 2 + 10_000 - round(percent * 100))])
    ours = rank_disclosure(ranks, n).max_disclosure
    as_printed = float(np.log2(n) - np.log2(percent / 100))
    return [
        {
            "line": "eq5",
            "what": f"Eq. 5 with the sign set right, {feature}: MaxD [bit]",
            "published": printed,
            "ours": ours,
            "difference": ours - printed,
            "agrees": round(ours, 2) == printed,
        },
        {
            "line": "eq5-as-printed",
            "what": f"Eq. 5 as printed, {feature}: MaxD [bit] (must not agree)",
            "published": printed,
            "ours": as_printed,
            "difference": as_printed - printed,
            "agrees": round(as_printed, 2) != printed,
        },
    ]


def simulated_histogram(
    n: int, probes: int, alpha: float, beta: float, excess: float, seed: int
) -> np.ndarray[Any, Any]:
    """Ranks drawn from a beta-binomial distribution of which a small share is put on rank 1."""
    random = np.random.default_rng(seed)
    p = (1 - excess) * BetaBinomial(alpha, beta, n).probability
    p[0] += excess
    return random.multinomial(probes, p / p.sum()).astype(np.float64)


def _losses() -> list[dict[str, Any]]:
    """Per feature: LL has the least KL divergence, CLL the best or nearly the best match at rank 1 and beats LL there."""
    found = []
    for feature, n, probes, alpha, beta, excess in _SIMULATED:
        histogram = simulated_histogram(n, probes, alpha, beta, excess, seed=0)
        fits = {loss: goodness_of_fit(histogram, fit_beta_binomial(histogram, loss)) for loss in LOSSES}
        least = min(fit.kl_divergence for fit in fits.values())
        best = next(loss for loss in LOSSES if fits[loss].kl_divergence <= least * (1 + 1e-6))
        found.append(_order(feature, n, probes, "loss with the least KL divergence", "ll", best, best == "ll"))
        closer = fits["cll"].rank_1_match < fits["ll"].rank_1_match
        better = "cll" if closer else "ll"
        found.append(_order(feature, n, probes, "closer at rank 1, of LL and CLL", "cll", better, closer))
    return found


def _order(feature: str, n: int, probes: int, what: str, published: str, ours: str, agrees: bool) -> dict[str, Any]:
    return {
        "line": f"III-{feature}-{published}",
        "what": f"Table III on simulated ranks ({feature}, N = {n}, {probes} probes): {what}",
        "published": published,
        "ours": ours,
        "difference": None,
        "agrees": agrees,
    }
