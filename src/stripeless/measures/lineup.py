"""Recordings dealt for singling out and linking: averaged utterances, a test and calibration for each person, who fires."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import FloatArray, length_normalized, need_speakers, speaker_codes
from stripeless.errors import InputError, TooFewTrials

CALIBRATION_RECORDINGS = 9


def averaged(trials: Embeddings, utterances: int, rng: np.random.Generator) -> tuple[FloatArray, list[str]]:
    """Disjoint groups of this many utterances of one speaker, averaged; what is left over is not used."""
    vectors = length_normalized(trials.vectors, "trials")
    if utterances == 1:
        return vectors, list(need_speakers(trials, "trials"))
    rows, owners = [], []
    for name, places in by_speaker(trials, utterances):
        dealt = rng.permutation(places)
        for start in range(0, len(dealt) - utterances + 1, utterances):
            rows.append(vectors[dealt[start : start + utterances]].mean(axis=0))
            owners.append(name)
    return length_normalized(np.array(rows), "trials"), owners


def by_speaker(trials: Embeddings, least: int) -> list[tuple[str, NDArray[np.int64]]]:
    if least < 1:
        raise InputError("utterances: expected at least 1 per recording")
    names, codes = speaker_codes(need_speakers(trials, "trials"))
    people = [(name, np.flatnonzero(codes == code)) for code, name in enumerate(names)]
    kept = [(name, places) for name, places in people if len(places) >= least]
    if not kept:
        raise TooFewTrials(f"no trial speaker has {least} utterances; average fewer of them")
    return kept


def deal(
    people: Sequence[NDArray[np.int64]], vectors: FloatArray, utterances: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """One test recording per speaker, and calibration recordings from the speaker's other utterances."""
    rows = np.empty((len(people), 1 + CALIBRATION_RECORDINGS, utterances), dtype=np.int64)
    for k, places in enumerate(people):
        dealt = rng.permutation(places)
        rest = dealt[utterances:]
        rows[k, 0] = dealt[:utterances]
        keys = rng.random((CALIBRATION_RECORDINGS, len(rest)))
        rows[k, 1:] = rest[np.argsort(keys, axis=1)[:, :utterances]]
    recordings = vectors[rows].mean(axis=2)
    recordings = length_normalized(recordings.reshape(-1, vectors.shape[1])).reshape(recordings.shape)
    return recordings[:, 0], recordings[:, 1:]


class Lineup:
    """Scores of one deal; who fires among the first `size` people of `order`, and after swapping one of them."""

    def __init__(self, tests: FloatArray, calibration: FloatArray, order: NDArray[np.int64], size: int) -> None:
        self.tests, self.calibration, self.order, self.size = tests, calibration, order, size
        self.chosen = order[:size]
        self.inside = np.zeros(len(order), dtype=bool)
        self.inside[self.chosen] = True
        scores = calibration[:, self.chosen].reshape(len(tests), -1)
        most = min(2 * CALIBRATION_RECORDINGS + 1, scores.shape[1])  # enough if those of one person go
        best = np.argsort(-scores, axis=1, kind="stable")[:, :most]
        self.best = np.take_along_axis(scores, best, axis=1)
        self.speaker = self.chosen[best // CALIBRATION_RECORDINGS]

    def base(self) -> FloatArray:
        """1 for each model that fires on exactly one of the chosen."""
        last, first = self.best[:, CALIBRATION_RECORDINGS - 1], self.best[:, CALIBRATION_RECORDINGS]
        fired = self.tests[:, self.chosen] > ((last + first) / 2)[:, None]
        return np.asarray(fired.sum(axis=1) == 1, dtype=np.float64)

    def both(self, own: NDArray[np.int64], whose: NDArray[np.int64], base: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each of these models and people: success with the person among the candidates, and without."""
        size, order, inside = self.size, self.order, self.inside[whose]
        spare = order[size] if size < len(order) else -1
        goes = np.where(inside, whose, order[size - 1])
        comes = np.where(inside, spare, whose)
        changed = np.array([self._swapped(model, goes, comes) for model in own.tolist()]).reshape(len(own), len(whose))
        kept = base[own][:, None]
        return np.where(inside, kept, changed), np.where(inside, changed, kept)

    def _swapped(self, model: int, goes: NDArray[np.int64], comes: NDArray[np.int64]) -> FloatArray:
        """Success of this model after one person goes and another comes (-1: nobody), for each such pair."""
        stays = np.where(self.speaker[model] == goes[:, None], -np.inf, self.best[model])
        new = np.where(comes[:, None] < 0, -np.inf, self.calibration[model, comes])
        known = -np.sort(-np.concatenate([stays, new], axis=1), axis=1)
        threshold = (known[:, CALIBRATION_RECORDINGS - 1] + known[:, CALIBRATION_RECORDINGS]) / 2
        tests = self.tests[model]
        fired = (tests[self.chosen] > threshold[:, None]).sum(axis=1) - (tests[goes] > threshold)
        fired = fired + ((comes >= 0) & (tests[comes] > threshold))
        return np.asarray(fired == 1, dtype=np.float64)
