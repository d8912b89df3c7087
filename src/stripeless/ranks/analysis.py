"""Everything that a set of true ranks says, as one result: statistics, models, speakers, curves, warnings.

`to_dict()` is what the command line prints and the report draws; Tables II and III and Figures 5 to 7 of Baeckstroem et
al. come from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stripeless.measures.eer import eer
from stripeless.ranks.beta_binomial import LOSSES, BetaBinomial, GoodnessOfFit, fit_beta_binomial, goodness_of_fit
from stripeless.ranks.counts import RankCounts
from stripeless.ranks.disclosure import RankDisclosure, cumulative_match, k_anonymity, rank_disclosure
from stripeless.ranks.run import RankJob
from stripeless.ranks.speakers import SpeakerDisclosure, speaker_disclosure
from stripeless.scores.check import FloatArray
from stripeless.verdicts.finding import Finding

MOST_SPEAKER_CELLS = 400_000_000  # speakers x ranks beyond which models per speaker would take minutes
MOST_SCORES = 4_000_000  # similarities from which the EER is taken


@dataclass(frozen=True, eq=False)
class RankAnalysis:
    """One feature (voice embedding, F0, style ..) and what ranking by it discloses.

    Attributes:
        name: what the feature is called in reports.
        disclosure: statistics of the pooled ranks, with intervals where they were asked for.
        models: beta-binomial models of the pooled ranks, by the loss that the fit made small.
        fits: how well each model fits, by the same names.
        speakers: a model for each speaker; None where there are too few probes of each.
        example: ranks and models of the speaker whose mean disclosure is the median; None without `speakers`.
        eer: equal error rate of the same feature as a share; None where it is not known.
        metric: how rows were compared; empty where nobody said.
        warnings: what to know before believing the numbers.
    """

    name: str
    disclosure: RankDisclosure
    models: Mapping[str, BetaBinomial]
    fits: Mapping[str, GoodnessOfFit]
    speakers: SpeakerDisclosure | None = None
    example: Mapping[str, Any] | None = None
    eer: float | None = None
    metric: str = ""
    warnings: tuple[Finding, ...] = ()

    @property
    def model(self) -> BetaBinomial:
        """The model of the pooled histogram that the paper settles on: by constrained log-likelihood."""
        return self.models["cll"]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, with the curves that figures are drawn from."""
        crowd = k_anonymity(self.disclosure.histogram)
        return {
            "name": self.name,
            "metric": self.metric,
            **self.disclosure.to_dict(),
            "model": {"loss": "cll", **_parameters(self.model), **self.model.statistics},
            "fits": {
                loss: {
                    **_parameters(model),
                    "kl_divergence": self.fits[loss].kl_divergence,
                    "rank_1_match": _finite(self.fits[loss].rank_1_match),
                }
                for loss, model in self.models.items()
            },
            "anonymity": {
                "worst": crowd.worst,
                "typical": crowd.typical,
                "within": {f"{q:g}": k for q, k in crowd.within.items()},
            },
            "eer": self.eer,
            "per_speaker": None if self.speakers is None else self.speakers.to_dict(),
            "curves": self._curves(),
            "warnings": [finding.to_dict() for finding in self.warnings],
        }

    def _curves(self) -> dict[str, Any]:
        edges = rank_bins(self.disclosure.n)
        rank = (edges[:-1] + 1 + edges[1:]) / 2  # middle of ranks edges[i]+1 .. edges[i+1]
        curves: dict[str, Any] = {
            "rank": [round(float(r), 1) for r in rank],
            "probability": _plain(binned_mean(self.disclosure.probability, edges)),
            "models": {loss: _plain(binned_mean(m.probability, edges)) for loss, m in self.models.items()},
            "cmc": _plain(cumulative_match(self.disclosure.histogram)[edges[1:] - 1]),
            "cmc_rank": [int(k) for k in edges[1:]],
        }
        if self.speakers is not None:
            counts, bounds = np.histogram(
                self.speakers.mean_disclosure, bins=40, range=(0.0, np.log2(self.disclosure.n))
            )
            curves["speaker_bits"] = {"edges": _plain(bounds), "share": _plain(counts / counts.sum())}
        if self.example is not None:
            curves["example"] = dict(self.example)
        return curves


def _parameters(model: BetaBinomial) -> dict[str, Any]:
    return {"alpha": model.alpha, "beta": model.beta, "at_bound": model.at_bound}


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _plain(values: FloatArray) -> list[float]:
    return [float(f"{v:.6g}") for v in values]


def rank_bins(n: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Bins of ranks for a logarithmic axis: one by one at first, then ever wider; about 30 per decade."""
    steps = np.unique(np.round(10 ** np.arange(0, np.log10(max(n, 2)) + 1, 1 / 30)).astype(np.int64))
    return np.concatenate([[0], steps[steps < n], [n]])


def binned_mean(probability: FloatArray, edges: np.ndarray[Any, np.dtype[np.int64]]) -> FloatArray:
    """Mean probability per rank within each bin."""
    mean: FloatArray = np.add.reduceat(probability, edges[:-1]) / np.diff(edges)
    return mean


def analyze_ranks(
    counts: RankCounts,
    *,
    name: str = "",
    speakers: Sequence[Any] | None = None,
    resamples: int = 200,
    seed: int = 0,
    eer: float | None = None,
    metric: str = "",
    losses: Sequence[str] = LOSSES,
) -> RankAnalysis:
    """Statistics with intervals, models by each loss with their fit, and models per speaker where there are several probes.

    Parameters:
        counts: ranks of all probes, from `count_ranks`.
        name: what the feature is called in reports, such as "embedding" or "F0".
        speakers: who speaks in each probe; None takes every probe as a person of its own.
        resamples: how often people are drawn for 95 % intervals; 0 for no intervals.
        seed: start of the random draws; the same seed gives the same result.
        eer: equal error rate of the same feature as a share, shown beside the ranks where known.
        metric: how rows were compared, for the report.
        losses: by which losses to fit models; "cll" is always among them.
    Returns:
        A `RankAnalysis`: `disclosure`, `models` and `fits` by loss, and `speakers` where there are several probes of
        each.

    >>> from stripeless.ranks.counts import count_ranks
    >>> voices = np.random.default_rng(0).normal(size=(50, 8))
    >>> result = analyze_ranks(count_ranks(voices + 0.1, voices), name="embedding", resamples=0)
    >>> result.disclosure.id_rate
    1.0
    """
    disclosure = rank_disclosure(counts, speakers=speakers, resamples=resamples, seed=seed)
    wanted = dict.fromkeys([*losses, "cll"])
    models = {loss: fit_beta_binomial(disclosure.histogram, loss) for loss in wanted} if counts.n > 1 else {}
    fits = {loss: goodness_of_fit(disclosure.histogram, model) for loss, model in models.items()}
    people, example = None, None
    several = speakers is not None and disclosure.probes >= 2 * disclosure.speakers and counts.n > 1
    if speakers is not None and several and disclosure.speakers * counts.n <= MOST_SPEAKER_CELLS:
        people = speaker_disclosure(counts, speakers=speakers)
        example = example_speaker(counts, people, speakers)
    findings = _findings(disclosure, counts)
    return RankAnalysis(name, disclosure, models, fits, people, example, eer, metric, findings)


def example_speaker(counts: RankCounts, people: SpeakerDisclosure, speakers: Sequence[Any]) -> dict[str, Any]:
    """Figure 7 for the speaker whose mean disclosure is the median: ranks, and the two models' cumulative probability."""
    middle = int(np.argsort(people.mean_disclosure, kind="stable")[people.mean_disclosure.size // 2])
    who = people.speakers[middle]
    mine = np.asarray(speakers).astype(str) == who
    own = RankCounts(counts.above[mine], counts.tied[mine], counts.n)
    histogram = rank_disclosure(own).histogram
    edges = rank_bins(counts.n)[1:]
    cumulative = {loss: np.cumsum(fit_beta_binomial(histogram, loss).probability)[edges - 1] for loss in ("ll", "cll")}
    return {
        "speaker": who,
        "ranks": sorted(own.ranks.tolist()),
        "rank": edges.tolist(),
        "cumulative": {loss: _plain(values) for loss, values in cumulative.items()},
    }


def _findings(disclosure: RankDisclosure, counts: RankCounts) -> tuple[Finding, ...]:
    """What to know before believing the numbers."""
    found = []
    if disclosure.sparse:
        found.append(
            Finding(
                "sparse_ranks",
                "caution",
                f"{disclosure.probes:,} probes over {disclosure.n:,} ranks are too few for the histogram: "
                f"{disclosure.chance_mean_disclosure:.2f} bit of MeanD would appear by chance alone. "
                "Read the beta-binomial model instead.",
            )
        )
    share = float((counts.tied > 0).mean())
    if share > 0.01:
        found.append(
            Finding(
                "ties",
                "caution" if share < 0.5 else "serious",
                f"{100 * share:.0f} % of the probes find other templates exactly as similar as their own: identical vectors, or "
                "values rounded too far. Each tie is spread evenly over its ranks.",
            )
        )
    late = disclosure.probability[disclosure.n // 2 :].sum()
    if disclosure.n > 1 and late > 0.5 + 2.0 / np.sqrt(disclosure.probes):
        found.append(
            Finding(
                "reversed",
                "serious",
                f"{100 * late:.0f} % of the probes rank their own template in the less similar half: a distance taken for a "
                "similarity would do that, and turning the order round would then identify people.",
            )
        )
    return tuple(found)


def sampled_eer(job: RankJob, seed: int = 0) -> float:
    """EER of the same similarities (the baseline of Table II): all of them, or a random four million."""
    rows, columns = len(job.probes), len(job.templates)
    random = np.random.default_rng(seed)
    pick = np.arange(columns)
    if rows * columns > MOST_SCORES:
        pick = np.sort(random.choice(columns, min(columns, 2000), replace=False))
    some = np.arange(rows)
    if rows * pick.size > MOST_SCORES:
        some = np.sort(random.choice(rows, max(1, MOST_SCORES // pick.size), replace=False))
    templates = job.space.rows(job.templates[pick])
    nontarget = []
    for start in range(0, some.size, 512):
        part = some[start : start + 512]
        matrix = job.space.matrix(job.space.rows(job.probes[part]), templates).T
        nontarget.append(matrix[pick[None, :] != job.own[part][:, None]])
    return eer(job.similarity[some], np.concatenate(nontarget))
