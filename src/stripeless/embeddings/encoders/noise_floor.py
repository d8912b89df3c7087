"""`noise-floor`: an attacker who hears only the quietest frames, hence the room and the microphone, not the voice.

Where this one recognizes people, the corpus was recorded so that each speaker has a room of their own, and part of what any other
attacker finds is the room. The report warns when that goes well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stripeless.audio.recordings import Samples
from stripeless.embeddings.encoders.encoder import Vector
from stripeless.embeddings.encoders.spectra import at_common_level, cepstra, kaldi_filterbank, loudness

SHARE = 0.1  # of the frames, the quietest
SILENCE = -100.0  # dB; digital silence has no room in it


@dataclass(frozen=True)
class NoiseFloorEncoder:
    """Mean log mel spectrum of the quietest tenth of the frames, its level taken out, as 20 cepstra."""

    name: str = "noise-floor"
    identity: str = "noise-floor-2"

    def embed(self, samples: Samples) -> Vector:
        samples = at_common_level(samples)
        level = loudness(samples)
        heard = np.flatnonzero(level > SILENCE)
        heard = heard if heard.size else np.arange(len(level))
        count = max(3, int(SHARE * heard.size))
        quiet = heard[np.argsort(level[heard], kind="stable")[:count]]
        spectrum = kaldi_filterbank(samples, 40)[quiet].mean(axis=0, keepdims=True)
        return cepstra(spectrum, 21)[0, 1:].astype(np.float32)
