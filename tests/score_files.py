"""Five trials in every spelling that the readers know, and how what was read is compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stripeless.scores.trials import Factor, TrialScores

TRIALS = [
    ("anna", "anna-1", 2.5, True),
    ("anna", "bert-1", -1.25, False),
    ("bert", "anna-1", float("-inf"), False),
    ("bert", "bert-1", 1e5, True),
    ("bert", "bert-2", float("inf"), True),
]
WORDS = {True: "target", False: "nontarget"}


def lines(*columns: list[object]) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


E_, U_, S_, L_ = (list(column) for column in zip(*TRIALS, strict=True))
LABELS = [WORDS[label] for label in L_]
KALDI_SCORES, KALDI_TRIALS = lines(E_, U_, S_), lines(E_, U_, LABELS)


def spelled(factor: Factor | None) -> tuple[list[str], list[str]] | None:
    if factor is None:
        return None
    names = (*factor.names, "?")
    return [names[i] for i in factor.target], [names[i] for i in factor.nontarget]


def assert_same(a: TrialScores, b: TrialScores) -> None:
    """All but the inputs."""
    np.testing.assert_array_equal(a.target, b.target)
    np.testing.assert_array_equal(a.nontarget, b.nontarget)
    assert spelled(a.enrollment_speakers) == spelled(b.enrollment_speakers)
    assert spelled(a.trial_speakers) == spelled(b.trial_speakers)
    assert a.columns.keys() == b.columns.keys()
    assert all(spelled(a.columns[name]) == spelled(b.columns[name]) for name in a.columns)
    assert (a.trial_digest, a.missing, a.notes) == (b.trial_digest, b.missing, b.notes)


def check_scores_only(scores: TrialScores) -> None:
    assert scores.target.tolist() == [2.5, 1e5, np.inf]
    assert scores.nontarget.tolist() == [-1.25, -np.inf]


def check(scores: TrialScores) -> None:
    check_scores_only(scores)
    assert spelled(scores.enrollment_speakers) == (["anna", "bert", "bert"], ["anna", "bert"])
    assert spelled(scores.trial_speakers) == (["anna", "bert", "bert"], ["bert", "anna"])


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
