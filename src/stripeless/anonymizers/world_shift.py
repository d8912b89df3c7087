"""WORLD shift: another pitch and another vocal tract, resynthesized by the WORLD vocoder.

WORLD (Morise et al. 2016) takes a voice apart into pitch, spectral envelope and breathiness. Pitch is moved by
semitones, the envelope is stretched along the frequency axis as a longer or shorter vocal tract would, and the voice is
put together again. The two shifts are drawn per speaker (or utterance), never smaller than `least`, up or down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stripeless._extras import need
from stripeless.anonymizers.anonymizer import Per, SourceVoice, Voices, check_per, check_range, keyed_generator
from stripeless.audio.frames import check_samples
from stripeless.audio.recordings import Samples
from stripeless.errors import InputError


def world_shift(samples: ArrayLike, rate: int, semitones: float = 4.0, stretch: float = 1.15) -> Samples:
    """The voice `semitones` higher, with every formant at `stretch` times its frequency; peak at most 1."""
    if not -24 <= semitones <= 24:
        raise InputError(f"semitones: expected -24 to 24, got {semitones}")
    if not 0.5 <= stretch <= 2:
        raise InputError(f"stretch: expected a factor from 0.5 to 2, got {stretch}")
    pyworld: Any = need("pyworld", "world", "The WORLD shift")
    signal = np.ascontiguousarray(check_samples(samples, rate, shortest=rate // 20))
    rough, times = pyworld.dio(signal, rate)  # with StoneMask several times as fast as Harvest
    pitch = pyworld.stonemask(signal, rough, times, rate)
    envelope = pyworld.cheaptrick(signal, pitch, times, rate)
    breathiness = pyworld.d4c(signal, pitch, times, rate)
    bins = envelope.shape[1]
    lower = np.minimum(np.arange(bins) / stretch, bins - 1)  # the bin that each new bin takes its level from
    left = np.minimum(lower.astype(int), bins - 2)
    part = lower - left
    log = np.log(envelope)
    moved = np.ascontiguousarray(np.exp(log[:, left] * (1 - part) + log[:, left + 1] * part))
    output = pyworld.synthesize(pitch * 2 ** (semitones / 12), moved, breathiness, rate)
    output = np.pad(output, (0, max(0, len(signal) - len(output))))[: len(signal)]
    return np.asarray(output / max(1.0, float(np.abs(output).max())))


@dataclass(frozen=True)
class WorldShift:
    """WORLD shift for a corpus. `semitones` and `percent` are the least and the largest shift, either way."""

    semitones: tuple[float, float] = (2.0, 5.0)
    percent: tuple[float, float] = (8.0, 20.0)
    per: Per = "speaker"
    seed: int = 0
    name = "world"
    listens = False

    def __post_init__(self) -> None:
        check_per(self.per)
        check_range("semitones", self.semitones, 0, 12)
        check_range("percent", self.percent, 0, 40)

    def settings(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}

    def fitted(self, voices: Voices, sexes: Mapping[str, str]) -> WorldShift:
        return self

    def shift_of(self, source: SourceVoice) -> tuple[float, float]:
        """(semitones, stretch) of this voice; pitch and formants move the same way, as in a taller or smaller person."""
        generator = keyed_generator(self.name, self.seed, source, self.per)
        way = 1.0 if generator.uniform() < 0.5 else -1.0
        semitones, percent = generator.uniform(*self.semitones), generator.uniform(*self.percent)
        return way * float(semitones), float((1 + percent / 100) ** way)

    def apply(self, samples: Samples, rate: int, source: SourceVoice) -> Samples:
        return world_shift(samples, rate, *self.shift_of(source))
