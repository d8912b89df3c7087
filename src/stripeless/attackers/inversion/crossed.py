"""Attacks on several groups of people, each by a map of its own, put together again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from stripeless.attackers.inversion.attacks import Learned
from stripeless.attackers.inversion.people import Part
from stripeless.attackers.inversion.protocol import Inversion, evaluate_inversion
from stripeless.embeddings.embeddings import EmbeddingMap
from stripeless.embeddings.vectors import FloatArray, length_normalized, need_speakers, speaker_codes
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.ranked import ranks_within


def evaluate_parts(
    learned: Sequence[Learned], maps: Sequence[EmbeddingMap], *, top: tuple[int, ...] = (1,)
) -> Inversion:
    """Apply the map of each part to its trials, and pool what is found."""
    found = [
        evaluate_inversion(one.front, attack, one.part.sets, top=top) for one, attack in zip(learned, maps, strict=True)
    ]
    if len(found) == 1:
        return found[0]
    weights = [len(one.part.sets.original_trials) for one in learned]
    both = {k: tuple(_mean([one.top_k[k][way] for one in found], weights) for way in (0, 1)) for k in top}
    chance = {k: _mean([one.chance_top_k[k] for one in found], weights) for k in top}
    scores = pooled_scores([one.scores for one in found], groups_of([one.part for one in learned]))
    return Inversion(scores, {k: (there, back) for k, (there, back) in both.items()}, chance)


def across(learned: Sequence[Learned], maps: Sequence[EmbeddingMap], groups: Mapping[str, str]) -> TrialScores:
    """Every inverted utterance against every original utterance of the judged: does a vector come back near its person's?"""
    scores = []
    for one, inversion in zip(learned, maps, strict=True):
        sets = one.part.sets
        hidden = length_normalized(inversion.apply(one.front.anonymized.apply(sets.anonymized_trials.vectors)))
        known = length_normalized(one.front.original.apply(sets.original_trials.vectors))
        names, codes = speaker_codes(need_speakers(sets.original_trials, "original trials"))
        same = codes[:, None] == codes[None, :]
        values = known @ hidden.T
        rows, columns = (
            np.broadcast_to(side, same.shape).astype(np.int32) for side in (codes[:, None], codes[None, :])
        )
        enrolled, spoken = (Factor(names, side[same], side[~same]) for side in (rows, columns))
        scores.append(TrialScores(values[same], values[~same], enrolled, spoken))
    return grouped(pooled_scores(scores, groups), groups)


def _mean(values: Sequence[float], weights: Sequence[int]) -> float:
    return float(np.average(values, weights=weights))


def groups_of(parts: Sequence[Part]) -> dict[str, str]:
    """For each person the part and the sex: only people of one such group are compared."""
    found: dict[str, str] = {}
    for number, part in enumerate(parts, start=1):
        for side in (part.sets.enrollment, part.sets.original_trials):
            sexes = side.sex or ("",) * len(side)
            for name, sex in zip(need_speakers(side, "original"), sexes, strict=True):
                found.setdefault(name, f"{sex} {number}".strip() if len(parts) > 1 else sex)
    return found


def pooled_scores(scores: Sequence[TrialScores], groups: Mapping[str, str]) -> TrialScores:
    """The scores of all parts together, as normal scores of their ranks within each group.

    Every part has a map, and a scale, of its own; ranks keep one scale from passing for information.
    """
    from scipy.special import ndtri

    if len(scores) == 1:
        return scores[0]
    names = tuple(dict.fromkeys(name for one in scores for name in _enrolled(one).names))
    number = {name: k for k, name in enumerate(names)}

    def joined(side: str, what: str) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        factors = [getattr(one, side) for one in scores]
        return np.concatenate(
            [np.array([number[n] for n in f.names], dtype=np.int32)[getattr(f, what)] for f in factors]
        )

    enrolled, spoken = (
        Factor(names, joined(side, "target"), joined(side, "nontarget"))
        for side in ("enrollment_speakers", "trial_speakers")
    )
    target, nontarget = (np.concatenate([getattr(one, what) for one in scores]) for what in ("target", "nontarget"))
    group = speaker_codes([groups[name] for name in names])[1]
    ranks = ranks_within(np.concatenate([target, nontarget]), group[np.concatenate([spoken.target, spoken.nontarget])])
    values: FloatArray = ndtri(ranks)
    return TrialScores(
        values[: target.size],
        values[target.size :],
        enrolled,
        spoken,
        notes=tuple(dict.fromkeys(note for one in scores for note in one.notes)),
        trial_digest="-".join(one.trial_digest for one in scores),
    )


def _enrolled(scores: TrialScores) -> Factor:
    assert scores.enrollment_speakers is not None
    return scores.enrollment_speakers


def grouped(scores: TrialScores, groups: Mapping[str, str]) -> TrialScores:
    """The scores with the group of each trial, so that a test exchanges people within it.

    The column is called sex, because groups by sex count however small they are.
    """
    spoken = scores.trial_speakers
    assert spoken is not None
    labels, codes = speaker_codes([groups[name] for name in spoken.names])
    if labels == ("",):
        return scores
    of_name = codes.astype(np.int32)
    return replace(scores, columns={"sex": Factor(labels, of_name[spoken.target], of_name[spoken.nontarget])})
