"""What stands beside the attacks: identification by the strongest of them, random rotations, accuracy against pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stripeless.attackers.inversion.attacks import Attack, Learned
from stripeless.attackers.inversion.crossed import evaluate_parts
from stripeless.attackers.inversion.procrustes import fit_procrustes
from stripeless.attackers.inversion.protocol import Inversion, random_attacks
from stripeless.embeddings.embeddings import Embeddings
from stripeless.measures.eer import eer
from stripeless.measures.singling_out import sweep_groups
from stripeless.results.attack import Identification, Spread

PAIRS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
CHANCE_ROTATIONS = 10
DRAWS = 3  # random choices of pairs behind each point of the curve


def identification_by(learned: Sequence[Learned], attacks: Sequence[Attack], best: str, seed: int) -> Identification:
    """Singling out and 1:N linkability with the strongest attack, among the people of each group."""
    attack = next(one for one in attacks if one.name == best)
    people = []
    for one, inversion in zip(learned, attack.maps, strict=True):
        enrolled, trials = one.part.sets.enrollment, one.part.sets.anonymized_trials
        inverted = inversion.apply(one.front.anonymized.apply(trials.vectors))
        known = one.front.original.apply(enrolled.vectors)
        people.append(
            (
                Embeddings(known, enrolled.utterances, enrolled.speakers, enrolled.sex),
                Embeddings(inverted, trials.utterances, trials.speakers, trials.sex),
            )
        )
    return Identification(best, tuple(sweep_groups(people, seed=seed)), len(attacks))


def _figures(found: Inversion) -> tuple[float, float, float]:
    """EER and both top-1 shares."""
    return (eer(found.scores.target, found.scores.nontarget), *found.top_k[1])


def chance_of(learned: Sequence[Learned], seed: int) -> dict[str, Spread]:
    """Random rotations: the spread of each figure that a blind attacker reaches."""
    sizes = [one.front.original.apply(one.part.sets.original_trials.vectors[:1]).shape[1] for one in learned]
    turns = [random_attacks(size, CHANCE_ROTATIONS, seed + k) for k, size in enumerate(sizes)]
    found = [_figures(evaluate_parts(learned, [one[k] for one in turns])) for k in range(CHANCE_ROTATIONS)]
    names = ("eer", "top1_original_to_inverted", "top1_inverted_to_original")
    return {
        name: Spread(float(np.mean(values)), float(np.std(values, ddof=1)))
        for name, values in zip(names, zip(*found, strict=True), strict=True)
    }


def curve_of(learned: Sequence[Learned], seed: int) -> list[dict[str, float]]:
    """What Procrustes reaches against the number of pairs it is given."""
    pairs = [
        (
            one.front.anonymized.apply(one.part.training[0].vectors),
            one.front.original.apply(one.part.training[1].vectors),
        )
        for one in learned
    ]
    rng = np.random.default_rng([seed, 7])
    most = min(len(a) for a, _ in pairs)
    points = []
    for count in [*(n for n in PAIRS if n < most), most]:
        runs = []
        for _ in range(1 if count == most else DRAWS):
            some = [rng.permutation(len(a))[: len(a) if count == most else count] for a, _ in pairs]
            maps = [fit_procrustes(a[rows], o[rows]) for (a, o), rows in zip(pairs, some, strict=True)]
            runs.append(_figures(evaluate_parts(learned, maps)))
        mean = np.mean(runs, axis=0)
        points.append(
            {
                "pairs": float(count),
                "eer": float(mean[0]),
                "top1_original_to_inverted": float(mean[1]),
                "top1_inverted_to_original": float(mean[2]),
            }
        )
    return points
