"""What the strongest of several classifiers seems to know when there is nothing to know.

D_ECE rests on the best recalibration of the scores at hand, so it is above 0 even for scores that say nothing, the more
so the fewer the speakers. Exchanging the labels among the speakers, all utterances of a person together, shows by how
much.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stripeless.attributes.classifiers import class_llr
from stripeless.attributes.mutual_information import mutual_information
from stripeless.measures.zebra import zebra
from stripeless.protections.labels import LabeledVectors
from stripeless.results.attribute import Chance
from stripeless.scores.check import FloatArray

SHUFFLES = 200
INFORMATION_SHUFFLES = 5  # each a mean over all dimensions, so that few are enough


def chance_of(data: LabeledVectors, tested: Sequence[FloatArray], seed: int, shuffles: int = SHUFFLES) -> Chance:
    """Exchange labels among speakers so many times; each time the strongest classifier, and class, counts."""
    return chance_of_ratios(ratios_about(tested, data), data, seed, shuffles)


def chance_of_ratios(
    ratios: Sequence[tuple[int, FloatArray]], data: LabeledVectors, seed: int, shuffles: int = SHUFFLES
) -> Chance:
    """The same for LLRs about classes, by their code."""
    rng = np.random.default_rng(seed)
    classes = data.speaker_classes
    real = _strongest(ratios, data.codes)
    values = np.array([_strongest(ratios, rng.permutation(classes)[data.speakers]) for _ in range(shuffles)])
    at_least = int((values >= real).sum())
    return Chance(float(values.mean()), float(np.quantile(values, 0.95)), (at_least + 1) / (shuffles + 1), shuffles)


def information_by_chance(data: LabeledVectors, seed: int) -> float:
    """Mean bits per dimension that the estimate finds with labels exchanged among speakers: it is never below 0, so
    that few vectors seem to tell something, and a speaker's utterances resemble each other.
    """
    rng = np.random.default_rng(seed)
    classes = data.speaker_classes
    exchanged = [rng.permutation(classes)[data.speakers] for _ in range(INFORMATION_SHUFFLES)]
    return float(np.mean([mutual_information(data.vectors, codes.tolist()).mean() for codes in exchanged]))


def strongest_d_ece(tested: Sequence[FloatArray], data: LabeledVectors) -> float:
    """D_ECE of the classifier, and class, that shows most."""
    return _strongest(ratios_about(tested, data), data.codes)


def ratios_about(tested: Sequence[FloatArray], data: LabeledVectors) -> list[tuple[int, FloatArray]]:
    """LLRs of every classifier about every class asked for: with two classes one of them says it all."""
    asked = range(1 if len(data.classes) == 2 else len(data.classes))
    return [(code, class_llr(scores, code)) for scores in tested for code in asked]


def _strongest(ratios: Sequence[tuple[int, FloatArray]], codes: NDArray[np.int64]) -> float:
    return max(d_ece_of_ratio(code, llr, codes) for code, llr in ratios)


def d_ece_of_ratio(code: int, llr: FloatArray, codes: NDArray[np.int64]) -> float:
    """D_ECE of these LLRs about one class."""
    return zebra(llr[codes == code], llr[codes != code]).d_ece
