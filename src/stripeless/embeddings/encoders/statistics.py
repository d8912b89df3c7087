"""`statistics`: an encoder from signal processing alone, for machines without torch and for attackers in a hurry.

Means and deviations over time of mel cepstra and of their slopes, in frames that are loud enough to be speech, with the
median and spread of pitch. Weaker than a trained network, but fast, and enough to show a voice that is not hidden.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import RATE, Samples
from stripeless.embeddings.encoders.encoder import Vector
from stripeless.embeddings.encoders.spectra import at_common_level, cepstra, kaldi_filterbank, loudness

SPEECH = 30.0  # dB below the loudest frame that still count as speech


@dataclass(frozen=True)
class StatisticsEncoder:
    """92 numbers: mean and deviation of 23 cepstra and deviation of their slopes over two spans, and pitch."""

    name: str = "statistics"
    identity: str = "statistics-3"

    def embed(self, samples: Samples) -> Vector:
        samples = at_common_level(samples)
        level = loudness(samples)
        values = cepstra(kaldi_filterbank(samples, 40))[:, 1:]
        speech = values[level > level.max() - SPEECH]
        slopes = [np.diff(speech[::step], axis=0) if len(speech) > 2 * step else 0 * speech for step in (1, 3)]
        f0 = pitch_track(samples, RATE)
        voiced = np.log2(f0[f0 > 0] / 100) if (f0 > 0).any() else np.zeros(1)
        low, middle, high = np.quantile(voiced, [0.1, 0.5, 0.9])
        parts = [
            speech.mean(axis=0),
            speech.std(axis=0),
            *(slope.std(axis=0) for slope in slopes),
            6 * np.array([middle]),  # an octave of pitch weighs about as much as the largest cepstral difference
            2 * np.array([high - low]),
        ]
        return np.concatenate(parts).astype(np.float32)
