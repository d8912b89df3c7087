"""The figures of docs/explanation/row-order.md: line 20 of Table 2 with rows in file order, shuffled, and without pairs.

python benchmarks/row_order_experiment.py DATA        DATA is the folder librispeech-b1; some minutes of one core
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.attackers.inversion.procrustes import fit_procrustes, nearest_rotation, random_rotation
from stripeless.attackers.inversion.protocol import evaluate_inversion, fit_front_end
from stripeless.attackers.inversion.refinement import refine
from stripeless.attackers.inversion.transport import sinkhorn
from stripeless.attackers.inversion.wasserstein import fit_wasserstein_procrustes
from stripeless.attackers.inversion.wasserstein_published import (
    fit_wasserstein_procrustes_published,
    published_rotation,
    row_order_matches,
)
from stripeless.measures.eer import eer
from stripeless.papers.invertibility.table import BY_LINE, WORDS, InvertibilityData


class Case:
    """One sex of one line of the table."""

    def __init__(self, corpus: InvertibilityData, sex: str, line: int) -> None:
        anonymized, original = corpus.training(BY_LINE[line], sex)
        self.front = fit_front_end(anonymized, original, 70)
        self.sets = corpus.sets(BY_LINE[line].extractor, sex)
        self.a = self.front.anonymized.apply(anonymized.vectors)
        self.o = self.front.original.apply(original.vectors)
        self.speakers = np.array(original.speakers)

    def reached(self, matrix: Any) -> tuple[float, float, float]:
        """EER, Top-1 original to inverted, Top-1 inverted to original, in percent."""
        found = evaluate_inversion(self.front, LinearMap(matrix), self.sets)
        values = (eer(found.scores.target, found.scores.nontarget), *found.top_k[1])
        return tuple(round(100 * v, 1) for v in values)  # type: ignore[return-value]


def published(case: Case) -> None:
    for seed in (1111, 1, 2):
        order = np.random.default_rng(seed).permutation(len(case.o))
        as_is = case.reached(fit_wasserstein_procrustes_published(case.a, case.o, seed=seed).matrix)
        shuffled = case.reached(fit_wasserstein_procrustes_published(case.a, case.o[order], seed=seed).matrix)
        rotation = published_rotation(case.a, case.o, np.random.RandomState(seed))
        matches = row_order_matches(case.o @ rotation, case.a)
        own = (matches == np.arange(len(matches))).mean()
        same = (case.speakers[matches] == case.speakers).mean()
        print(
            f"  published, seed {seed}: file order {as_is}, shuffled {shuffled}; own number {own:.0%}, speaker {same:.0%}"
        )


def honest(case: Case, shuffles: int) -> None:
    runs = []
    for seed in range(shuffles):
        order = np.random.default_rng(seed).permutation(len(case.o))
        runs.append(case.reached(fit_wasserstein_procrustes(case.a, case.o[order], seed=seed).matrix))
    rng = np.random.default_rng(99)
    chance = np.array([case.reached(random_rotation(70, rng)) for _ in range(100)])
    table = np.array(runs)
    print(
        f"  without pairs, {shuffles} shuffles: mean {table.mean(0).round(1)}, EER {table[:, 0].min()}-{table[:, 0].max()}"
    )
    print(
        f"  random rotations: {chance.mean(0).round(1)} +- {chance.std(0, ddof=1).round(1)}, least EER {chance[:, 0].min()}"
    )


def cost(case: Case) -> None:
    """Mean cosine of rotated and assigned rows: at the truth, and where annealing from random matches ends."""
    truth = refine(case.a, case.o, fit_procrustes(case.a, case.o).matrix)
    best = np.inf
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rotation = random_rotation(70, rng)
        for regularization in (0.1, 0.05, 0.025):
            for _ in range(6):
                match, _ = sinkhorn(-case.a @ rotation @ case.o.T, regularization, most_steps=200)
                rotation = nearest_rotation(case.a.T @ match @ case.o)
        best = min(best, refine(case.a, case.o, rotation).cost)
    print(
        f"  mean cosine: {1 - truth.cost / 2:.3f} at the truth, {1 - best / 2:.3f} at the best of 5 annealed random starts"
    )


def main() -> None:
    corpus = InvertibilityData(Path(sys.argv[1]))
    for sex in ("f", "m"):
        print(WORDS[sex])
        case = Case(corpus, sex, 20)
        cost(case)
        published(case)
        honest(case, 20)
        print("  original extractor (line 16)")
        honest(Case(corpus, sex, 16), 20)
        print("  sets that share no utterance (line 26)")
        honest(Case(corpus, sex, 26), 4)


if __name__ == "__main__":
    main()
