"""The paper's features from recordings and transcripts: F0, phone-like units and style, as observations to rank by.

Each function gives speakers x K x numbers: K observations of every speaker, in the order of the recordings, ready for
`study_features`. How each is compared is in `FEATURE_METRICS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.f0 import f0_histogram, yin
from stripeless.audio.units import cepstra, fit_units
from stripeless.embeddings.style import style_vector
from stripeless.embeddings.vectors import standardized
from stripeless.errors import InputError
from stripeless.parallel.engine import Run, one_by_one

Sound: TypeAlias = tuple[NDArray[Any], int]  # samples of one channel, and their rate

# F0 bins have an order, so how far mass must move counts; units have none.
FEATURE_METRICS = {"f0": "wasserstein", "units": "hellinger", "style": "cosine", "embedding": "cosine"}


def check_same_count(observations: Sequence[Sequence[Any]], what: str) -> tuple[int, int]:
    """Speakers and observations of each; all must have the same number."""
    counts = {len(own) for own in observations}
    if len(counts) != 1 or 0 in counts:
        raise InputError(
            f"{what}: expected the same number for every speaker, got {sorted(counts)}; leave the rest out"
        )
    return len(observations), counts.pop()


def f0_observations(sounds: Sequence[Sequence[Sound]], run: Run = one_by_one) -> NDArray[np.float64]:
    """F0 histograms (107 bins, 65 to 450 Hz) of each recording of each speaker.

    >>> tone = np.sin(2 * np.pi * 150 * np.arange(8000) / 16000)
    >>> f0_observations([[(tone, 16000), (tone, 16000)]]).shape
    (1, 2, 107)
    """
    people, count = check_same_count(sounds, "recordings")
    histograms = np.array(list(run(_f0_of, [sound for own in sounds for sound in own])))
    empty = np.flatnonzero(histograms.sum(axis=1) == 0)
    if empty.size:
        speaker, recording = divmod(int(empty[0]), count)
        raise InputError(
            f"recordings: nothing voiced in recording {recording} of speaker {speaker} ({empty.size} such recordings); "
            "join short recordings, or leave those speakers out"
        )
    return histograms.reshape(people, count, -1)


def _f0_of(samples: NDArray[Any], rate: int) -> NDArray[np.float64]:
    """Where hardly anything is voiced (noise, a creaky voice), less periodic frames are let in."""
    histogram = np.zeros(0)
    for threshold in (0.15, 0.25, 0.4):
        histogram = f0_histogram(yin(samples, rate, threshold=threshold))
        if histogram.sum() >= 20:
            break
    return histogram


def unit_observations(
    sounds: Sequence[Sequence[Sound]],
    *,
    training: Sequence[Sound] = (),
    count: int = 256,
    seed: int = 0,
    run: Run = one_by_one,
) -> NDArray[np.float64]:
    """Histograms of phone-like units of each recording; the units are learned from `training`.

    Without it they are learned from the recordings themselves, as in the paper: an attacker who has the corpus.
    Half a count is added to every unit, so that a sound that was not heard is rare, not impossible.
    """
    people, each = check_same_count(sounds, "recordings")
    frames = list(run(cepstra, [sound for own in sounds for sound in own]))
    units = fit_units(list(run(cepstra, list(training))) if training else frames, count, seed=seed)
    histograms = np.array([units.histogram(own) if len(own) else np.zeros(len(units.centers)) for own in frames])
    return (histograms + 0.5).reshape(people, each, -1)


def style_observations(texts: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Style vectors of each transcript of each speaker, every feature standardized over the corpus.

    >>> style_observations([["I know it well", "I know you"], ["they were there", "he was not"]]).shape[:2]
    (2, 2)
    """
    people, count = check_same_count(texts, "transcripts")
    vectors = np.array([style_vector(text) for own in texts for text in own])
    return standardized(vectors).reshape(people, count, -1)
