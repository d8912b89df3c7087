"""Trials for tests of what a verdict rests on: from a table of who met whom with which scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.cells import Cells

Trial = tuple[str, str, float]  # who is enrolled, who speaks, the score


def trial_scores(trials: Sequence[Trial], columns: Mapping[str, Sequence[str]] | None = None) -> TrialScores:
    """The scores of these trials in this order; columns hold a label for each, "" where it is not known."""
    names = tuple(dict.fromkeys(name for trial in trials for name in trial[:2]))
    same = np.array([enrolled == judged for enrolled, judged, _ in trials])

    def factor(labels: Sequence[str], of: tuple[str, ...]) -> Factor:
        codes = np.array([of.index(label) if label else -1 for label in labels], dtype=np.int32)
        return Factor(of, codes[same], codes[~same])

    values = np.array([score for _, _, score in trials])
    return TrialScores(
        values[same],
        values[~same],
        factor([trial[0] for trial in trials], names),
        factor([trial[1] for trial in trials], names),
        {label: factor(of, tuple(dict.fromkeys(one for one in of if one))) for label, of in (columns or {}).items()},
    )


def square_trials(table: np.ndarray, recordings: int = 1) -> list[Trial]:
    """Everybody against everybody: the score in row i and column j is that of i enrolled and j speaking."""
    people = range(len(table))
    return [
        (f"p{i:02d}", f"p{j:02d}", float(np.ravel(table[i, j])[k % np.size(table[i, j])]))
        for i in people
        for j in people
        for k in range(recordings)
    ]


def cells_from(square: np.ndarray, groups: Sequence[int] | None = None) -> Cells:
    """Cells with these mean ranks, one trial each; pairs that are NaN did not meet. No hits, no spread."""
    people = len(square)
    group = np.zeros(people, dtype=np.int64) if groups is None else np.array(groups, dtype=np.int64)
    met = ~np.isnan(square) & (group[:, None] == group[None, :])
    rows, columns = np.nonzero(met)
    nothing = np.zeros(rows.size)
    return Cells(
        tuple(f"p{k:02d}" for k in range(people)),
        group,
        tuple(f"group {k}" for k in range(int(group.max()) + 1)),
        rows,
        columns,
        np.full(rows.size, 2),
        square[met],
        nothing,
        nothing,
    )
