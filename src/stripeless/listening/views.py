"""The four ways of looking at a listening test (the sub-figures of Fig. 24 and 25 of the VoicePrivacy 2020 supplement).

Naturalness and intelligibility pool the anonymized speech of target and nontarget speakers; similarity keeps them
apart, because only anonymized targets say whether the speaker is hidden. Original targets and original nontargets are
groups of their own everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stripeless.listening.ratings import Flags, Ratings
from stripeless.measures.roc import roc, thin
from stripeless.scores.check import FloatArray, IntArray

TARGET, NONTARGET = "original target", "original nontarget"


@dataclass(frozen=True)
class RatingView:
    """A question about one kind of trial. `label` says it to people; `good` which end an anonymizer wants."""

    name: str
    question: str
    label: str
    good: str


VIEWS: dict[str, RatingView] = {
    view.name: view
    for view in (
        RatingView("naturalness", "naturalness", "Naturalness", "high"),
        RatingView("intelligibility", "intelligibility", "Intelligibility", "high"),
        RatingView("similarity_target", "similarity", "Similarity of anonymized targets to their speaker", "low"),
        RatingView("similarity_nontarget", "similarity", "Similarity of anonymized nontargets to the speaker", "low"),
    )
}


def groups_of(ratings: Ratings, view: RatingView, answered: Flags) -> dict[str, IntArray]:
    """Row numbers of each group that has any: original targets, original nontargets, then each system."""
    kinds: Mapping[str, Flags] = {
        "naturalness": np.ones_like(ratings.target),
        "intelligibility": np.ones_like(ratings.target),
        "similarity_target": ratings.target,
        "similarity_nontarget": ~ratings.target,
    }
    masks = {
        TARGET: ~ratings.anonymized & ratings.target,
        NONTARGET: ~ratings.anonymized & ~ratings.target,
        **{name: ratings.anonymized & (ratings.system == name) & kinds[view.name] for name in ratings.systems},
    }
    rows = {name: np.flatnonzero(mask & answered) for name, mask in masks.items()}
    return {name: found for name, found in rows.items() if found.size}


def det_curves(
    ranks: FloatArray, groups: Mapping[str, IntArray], view: RatingView, points: int = 200
) -> dict[str, dict[str, tuple[float, ...]]]:
    """DET curves of one view, as error rates; empty where an anchor is missing.

    Naturalness and intelligibility: original targets against each other group, so a system as good as original speech
    lies on the diagonal. Similarity: each group against original nontargets, so hidden speakers lie on the diagonal.
    """
    pairs: dict[str, tuple[IntArray | None, IntArray | None]]
    if view.question == "similarity":
        pairs = {name: (rows, groups.get(NONTARGET)) for name, rows in groups.items() if name != NONTARGET}
    else:
        pairs = {name: (groups.get(TARGET), rows) for name, rows in groups.items() if name != TARGET}
    curves = {}
    for name, (positive, negative) in pairs.items():
        if positive is None or negative is None:
            continue
        curve = thin(roc(ranks[positive], ranks[negative]), points)
        curves[name] = {
            "false_alarm": tuple(round(float(v), 6) for v in curve.false_alarm),
            "miss": tuple(round(float(v), 6) for v in curve.miss),
        }
    return curves
