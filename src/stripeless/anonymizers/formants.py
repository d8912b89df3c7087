"""I1: another vocal tract, another pitch, another pace, with each formant band moved on its own.

Each speaker is measured (`voice_profile`) and given a target profile, drawn once from a key so that the same speaker
always gets the same pseudo-voice. PSOLA moves pitch, pace and formants as a whole; then the spectrum is rebuilt band by
band, each from a copy whose formant lies where the target's does, bands 4 and 5 change places, and noise with the
band's loudness replaces what lies above. Dubagunta et al. (2020), system I1 of the VoicePrivacy 2020 challenge, after the
description of PseudonymizeSpeech. I1's own targets were never published: ours are drawn around the means of women and men.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from stripeless.anonymizers.anonymizer import Part, SourceVoice, Voices, keyed_generator
from stripeless.anonymizers.psola import STEP, psola
from stripeless.anonymizers.voice_profile import VoiceProfile, voice_profile
from stripeless.audio.frames import check_samples
from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import Recording, Samples

VERSION = 2  # raised when the same settings give other samples
LARGEST_CHANGE = 1.5  # of pitch and of pace
TARGETS = {"f": (570.0, 205.0, 3.8), "m": (500.0, 120.0, 3.8), "": (535.0, 160.0, 3.8)}  # phi Hz, pitch Hz, syllables/s
SPREADS = (25.0, 0.12, 0.12)  # Hz; share of pitch; share of pace
BAND_LEVELS = (64.0, 67.0, 58.0, 50.0, 47.0, 45.0)  # dB of bands 0..5 where the whole has 70
BAND_LEVEL_RANGES = (4.5, 2.5, 4.5, 8.0, 10.0, 9.0)
WHOLE_LEVEL = 70.0


@dataclass(frozen=True)
class Target:
    """The pseudo-voice: a profile, and the level in dB of bands 0 to 5."""

    profile: VoiceProfile
    levels: tuple[float, ...]


def draw_target(generator: np.random.Generator, sex: str) -> Target:
    """A pseudo-voice of this sex."""
    phi, pitch, pace = TARGETS.get(sex, TARGETS[""])
    phi += generator.uniform(-SPREADS[0], SPREADS[0])
    pitch *= 1 + generator.uniform(-SPREADS[1], SPREADS[1])
    pace *= 1 + generator.uniform(-SPREADS[2], SPREADS[2])
    bands = tuple(phi + generator.uniform(-1, 1) * (40.0 if band == 0 else 75.0) for band in range(5))
    levels = tuple(
        mean + generator.uniform(-1, 1) * reach for mean, reach in zip(BAND_LEVELS, BAND_LEVEL_RANGES, strict=True)
    )
    return Target(VoiceProfile(phi, pitch, pace, bands), levels)


def limited(ratio: float) -> float:
    """A change of at most a factor of 1.5 either way."""
    return float(np.clip(ratio, 1 / LARGEST_CHANGE, LARGEST_CHANGE))


def formant_shift(
    samples: Samples, rate: int, profile: VoiceProfile, target: Target, generator: np.random.Generator
) -> Samples:
    """The voice of `profile` made into that of `target`; length changes with the pace, peak at most 1."""
    samples = check_samples(samples, rate, shortest=rate // 10)
    f0 = pitch_track(samples, rate, step=STEP)
    pitch = limited(target.profile.pitch / profile.pitch)
    duration = limited(profile.syllable_rate / target.profile.syllable_rate)
    copies: dict[float, Samples] = {}

    def voice(ratio: float) -> Samples:
        ratio = round(float(np.clip(ratio, 0.6, 1.7)), 3)
        if ratio not in copies:
            copies[ratio] = psola(samples, rate, pitch=pitch, duration=duration, formants=ratio, f0=f0)
        return copies[ratio]

    phi = target.profile.phi
    ratios = [phi / profile.phi, *(t / s for t, s in zip(target.profile.bands, profile.bands, strict=True))]
    exchange = (2 * 5 - 1) / (2 * 4 - 1)  # center of band 5 over center of band 4
    ratios[4], ratios[5] = ratios[5] / exchange, ratios[4] * exchange
    output = np.zeros(len(voice(ratios[0])))
    for band in range(6):
        low, high = band_edges(band, phi)
        if low < rate / 2:
            part = cut_band(voice(ratios[band]), rate, low, min(high, rate / 2))
            output += at_level(part, target.levels[band])
    output += high_noise(voice(ratios[0]), rate, phi, generator)
    loudness = np.sqrt(np.mean(samples**2) / max(float(np.mean(output**2)), 1e-20))
    output *= loudness
    return np.asarray(output / max(1.0, float(np.abs(output).max())))


def band_edges(band: int, phi: float) -> tuple[float, float]:
    """Band 0 lies below the first formant, band i around the i-th."""
    if band == 0:
        return 0.0, phi / 2
    return (phi / 2 if band == 1 else 2 * (band - 1) * phi), 2 * band * phi


def cut_band(samples: Samples, rate: int, low: float, high: float) -> Samples:
    """The part of the sound between two frequencies; edges are Hann-shaped, a tenth of the lower frequency wide."""
    frequency = np.fft.rfftfreq(len(samples), 1 / rate)
    edge = max((low or high) / 10, 1.0)
    rise = np.ones_like(frequency) if low == 0 else np.clip((frequency - low + edge / 2) / edge, 0, 1)
    fall = np.clip((high + edge / 2 - frequency) / edge, 0, 1)
    gain = (0.5 - 0.5 * np.cos(np.pi * rise)) * (0.5 - 0.5 * np.cos(np.pi * fall))
    return np.fft.irfft(np.fft.rfft(samples) * gain, len(samples))


def at_level(part: Samples, level: float) -> Samples:
    """The part scaled to `level` dB, where 70 dB is a mean square of 1."""
    power = float(np.mean(part**2))
    return part * float(np.sqrt(10 ** ((level - WHOLE_LEVEL) / 10) / power)) if power > 1e-20 else part


def high_noise(voice: Samples, rate: int, phi: float, generator: np.random.Generator) -> Samples:
    """Pink noise in place of bands 6 to 9, as loud at each moment as what it replaces; level relative to `voice`."""
    low, high = 10 * phi, min(18 * phi, rate / 2)
    if low >= rate / 2:
        return np.zeros(len(voice))
    spectrum = np.fft.rfft(generator.standard_normal(len(voice)))
    frequency = np.fft.rfftfreq(len(voice), 1 / rate)
    pink = np.fft.irfft(spectrum / np.sqrt(np.maximum(frequency, 100.0)), len(voice))
    smooth = np.hanning(rate // 50)
    smooth /= smooth.sum()
    original, noise = cut_band(voice, rate, low, high), cut_band(pink, rate, low, high)
    envelope = np.sqrt(np.convolve(original**2, smooth, mode="same"))
    own = np.sqrt(np.convolve(noise**2, smooth, mode="same")) + 1e-12
    return np.asarray(noise / own * envelope / np.sqrt(max(float(np.mean(voice**2)), 1e-20)))


@dataclass(frozen=True, eq=False)
class Formants:
    """I1 for a corpus: listens to every speaker first, then gives each a pseudo-voice of the same sex, fixed by the seed.

    `phi`, `pitch` and `syllable_rate` set the target by hand instead of drawing it.
    """

    seed: int = 0
    phi: float | None = None
    pitch: float | None = None
    syllable_rate: float | None = None
    profiles: Mapping[Part, VoiceProfile] = field(default_factory=dict)
    name = "formants"
    listens = True

    def settings(self) -> dict[str, Any]:
        measured = {"/".join(part): asdict(profile) for part, profile in sorted(self.profiles.items())}
        fixed = {"phi": self.phi, "pitch": self.pitch, "syllable_rate": self.syllable_rate}
        return {"method": self.name, "version": VERSION, "seed": self.seed, **fixed, "profiles": measured}

    def fitted(self, voices: Voices, sexes: Mapping[str, str]) -> Formants:
        return replace(self, profiles={part: voice_profile(heard) for part, heard in voices.items()})

    def target_of(self, source: SourceVoice) -> Target:
        """The pseudo-voice of this speaker."""
        target = draw_target(keyed_generator(self.name, self.seed, source, "speaker"), source.sex)
        drawn = target.profile
        shift = (self.phi - drawn.phi) if self.phi is not None else 0.0
        profile = VoiceProfile(
            drawn.phi + shift,
            self.pitch or drawn.pitch,
            self.syllable_rate or drawn.syllable_rate,
            tuple(band + shift for band in drawn.bands),
        )
        return Target(profile, target.levels)

    def apply(self, samples: Samples, rate: int, source: SourceVoice) -> Samples:
        profile = self.profiles.get((source.speaker, source.role)) or voice_profile([Recording(samples, rate)])
        noise = keyed_generator(f"{self.name} noise", self.seed, source, "utterance")
        return formant_shift(samples, rate, profile, self.target_of(source), noise)
