"""Some of the trials: those of one value of a label, or any by their place in each class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from stripeless.errors import InputError, OneClassOnly
from stripeless.scores.check import IntArray
from stripeless.scores.trials import Codes, Factor, TrialScores


def select(scores: TrialScores, target: IntArray, nontarget: IntArray) -> TrialScores:
    """These trials only, by their place in each class."""
    if not target.size or not nontarget.size:
        raise OneClassOnly("the selected trials hold one class only; choose a group with both")

    def pick(factor: Factor | None) -> Factor | None:
        return None if factor is None else Factor(factor.names, factor.target[target], factor.nontarget[nontarget])

    columns = {name: Factor(f.names, f.target[target], f.nontarget[nontarget]) for name, f in scores.columns.items()}
    return replace(
        scores,
        target=scores.target[target],
        nontarget=scores.nontarget[nontarget],
        enrollment_speakers=pick(scores.enrollment_speakers),
        trial_speakers=pick(scores.trial_speakers),
        columns=columns,
        trial_digest="",
    )


def group_columns(scores: TrialScores) -> list[str]:
    """What results can be split by."""
    speakers = scores.enrollment_speakers is not None or scores.trial_speakers is not None
    return (["speaker"] if speakers else []) + list(scores.columns)


def column_groups(scores: TrialScores, by: str) -> Iterator[tuple[str, IntArray, IntArray]]:
    """Each value of a column that occurs, with the places of its trials in each class."""
    if by not in scores.columns:
        known = ", ".join(group_columns(scores)) or "nothing"
        raise InputError(f"cannot group by {by!r}: these trials are labeled by {known}")
    factor = scores.columns[by]
    target, nontarget = places_of(factor.target, len(factor.names)), places_of(factor.nontarget, len(factor.names))
    for code in np.argsort(factor.names):
        if target[code].size or nontarget[code].size:
            yield factor.names[code], target[code], nontarget[code]


def places_of(codes: Codes, names: int) -> list[IntArray]:
    """For each code, where it occurs; one sort for all of them."""
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(names + 1))
    return [order[bounds[k] : bounds[k + 1]] for k in range(names)]
