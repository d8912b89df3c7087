"""A voice taken apart into what is said, its melody and who speaks, and put together again with any of them exchanged.

Two stages as in the paper: the acoustic model makes the spectrum, the waveform model the sound. Each is given a voice, and
they need not be the same (M1c3 and M1c4).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d, median_filter

from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import RATE, Samples, resample
from stripeless.errors import InputError, check_choice
from stripeless.synthesis.acoustic import AcousticModel
from stripeless.synthesis.content import BOTTLENECKS, KINDS, ContentModel, training_of
from stripeless.synthesis.grid import Frames, at_level, frame_count, level_of, log_mel
from stripeless.synthesis.shipped import shipped
from stripeless.synthesis.waveform import WaveformModel

Voice = NDArray[np.floating[Any]]
HIGHEST = 500.0  # Hz; the networks have heard no higher voice
FRAMES_PER_SECOND = 100
STRETCH = (0.75, 1.35)  # beyond which a changed tempo sounds wrong


@dataclass(frozen=True, eq=False)
class Parts:
    """A recording taken apart: content features of one kind, F0 (0 where unvoiced), how long and how loud it is."""

    content: Frames
    kind: str
    f0: NDArray[np.float64]
    samples: int
    level: float

    def at_pitch(self, median: float, spread: float | None = None, limits: tuple[float, float] = (0.5, 2.0)) -> Parts:
        """The same melody around another median (Hz), and with another deviation of log F0 where one is given."""
        voiced = self.f0 > 0
        if not voiced.any():
            return self
        log = np.log(self.f0[voiced])
        middle, own = float(np.median(log)), float(log.std())
        factor = 1.0 if spread is None or own < 0.005 else float(np.clip(spread / own, *limits))
        moved = self.f0.copy()
        moved[voiced] = np.clip(np.exp((log - middle) * factor + np.log(median)), 55.0, HIGHEST)
        return replace(self, f0=moved)

    def smoothed(self, seconds: float = 0.2) -> Parts:
        """The melody of phrases without that of syllables: log F0 blurred by a Gaussian of this deviation."""
        voiced = self.f0 > 0
        if not voiced.any():
            return self
        at = np.arange(len(self.f0))
        log = np.interp(at, at[voiced], np.log(self.f0[voiced]))  # bridged where there is no voice
        blurred = gaussian_filter1d(log, seconds * FRAMES_PER_SECOND, mode="nearest")
        return replace(self, f0=np.where(voiced, np.exp(blurred), 0.0))

    @property
    def tempo(self) -> float:
        """Phones per second of speech, pauses left out; 0 where nothing is said."""
        if self.kind in BOTTLENECKS:
            raise InputError(f"tempo: is counted in phones; content is {self.kind!r}, set content=frames")
        phones = median_filter(self.content.argmax(axis=1), 5, mode="nearest")
        spoken = phones > 0  # number 0 is silence
        begun = spoken & (phones != np.concatenate([[0], phones[:-1]]))
        return float(begun.sum() / spoken.sum() * FRAMES_PER_SECOND) if spoken.any() else 0.0

    def at_tempo(self, phones_per_second: float) -> Parts:
        """The same, spoken faster or slower (by at most a third): frames are moved closer together or farther apart."""
        own = self.tempo
        if own == 0.0:
            return self
        stretch = float(np.clip(own / phones_per_second, *STRETCH))
        samples = max(1, round(self.samples * stretch))
        old = np.arange(len(self.f0))
        at = np.minimum(np.arange(frame_count(samples)) / stretch, old[-1])
        left = np.minimum(at.astype(int), len(old) - 1)
        right, part = np.minimum(left + 1, len(old) - 1), (at - left)[:, None]
        content = self.content[left] * (1 - part) + self.content[right] * part
        voiced = self.f0 > 0
        log = np.interp(at, old[voiced], np.log(self.f0[voiced])) if voiced.any() else at
        f0 = np.where(voiced[np.round(at).astype(int)], np.exp(log), 0.0)
        return replace(self, content=content.astype(np.float32), f0=f0, samples=samples)


class VoiceSynthesis:
    """The shipped networks, each loaded when it is first needed."""

    @cached_property
    def contents(self) -> dict[str, ContentModel]:
        tensors = shipped("content")
        names = sorted({name.partition("/")[0] for name in tensors})
        return {
            name: ContentModel({k.partition("/")[2]: v for k, v in tensors.items() if k.startswith(f"{name}/")})
            for name in names
        }

    @cached_property
    def acoustic(self) -> AcousticModel:
        return AcousticModel(shipped("acoustic"))

    @cached_property
    def waveform(self) -> WaveformModel:
        return WaveformModel(shipped("waveform"))

    def take_apart(self, samples: Samples, rate: int, kind: str = "frames") -> Parts:
        """What is said and its melody; the voice stays behind."""
        check_choice("content", kind, KINDS)
        at_rate = resample(samples, rate, RATE)
        leveled, _ = at_level(at_rate)
        f0 = np.nan_to_num(pitch_track(leveled, RATE, high=HIGHEST))
        model = self.contents[training_of(kind)]
        return Parts(model.features(log_mel(leveled), kind), kind, f0, len(leveled), level_of(at_rate))

    def put_together(
        self, parts: Parts, voice: Voice, *, waveform_voice: Voice | None = None, rate: int = RATE, seed: int = 0
    ) -> Samples:
        """Sound as long and as loud as what was taken apart, in another voice."""
        mel = self.acoustic.apply(parts.content, parts.f0, voice, parts.kind)
        last = voice if waveform_voice is None else waveform_voice
        sound = self.waveform.apply(mel, parts.f0, last, parts.samples, seed)
        level = level_of(sound)
        sound = sound * (parts.level / level if level > 0 else 0.0)
        peak = float(np.abs(sound).max(initial=0.0))
        return resample(sound / peak if peak > 1.0 else sound, RATE, rate)


synthesis = VoiceSynthesis()  # one per process; nothing is loaded before it is used
