"""What the I1 anonymizer needs to know of a speaker: vocal-tract parameter, median pitch, speaking rate, five formants.

Formants come from linear prediction (Burg, order 10) of the signal resampled to 11 kHz; the vocal-tract parameter phi is
the frequency that a uniform tube of the same length would give its first formant, a weighted mean of F1..F4; syllables
are peaks of loudness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.lpc import burg
from stripeless.audio.pitch import pitch_track
from stripeless.audio.polynomial_roots import polynomial_roots
from stripeless.audio.recordings import Recording, Samples, resample
from stripeless.errors import InputError

FORMANT_RATE = 11000
FORMANTS = 5
PITCH_STEP = 0.005
SPEED_OF_SOUND = 35295.0  # cm/s


@dataclass(frozen=True)
class VoiceProfile:
    """phi and `bands` (median F_i / (2i - 1), i = 1..5) in Hz, median pitch in Hz, syllables per second of speech."""

    phi: float
    pitch: float
    syllable_rate: float
    bands: tuple[float, ...]

    @property
    def vocal_tract_cm(self) -> float:
        """Length of the vocal tract, about 14 cm for women and 17 cm for men."""
        return SPEED_OF_SOUND / (4 * self.phi)


def voice_profile(recordings: Sequence[Recording]) -> VoiceProfile:
    """The profile of one speaker, from as much speech as there is."""
    pitches, formants, syllables, seconds = [], [], 0, 0.0
    for recording in recordings:
        f0 = pitch_track(recording.samples, recording.rate, low=75, step=PITCH_STEP)
        pitches.append(f0[f0 > 0])
        formants.append(formant_frames(recording, f0))
        count, spoken = syllable_nuclei(recording.samples, recording.rate)
        syllables, seconds = syllables + count, seconds + spoken
    voiced = np.concatenate(pitches) if pitches else np.zeros(0)
    frames = np.concatenate(formants) if formants else np.zeros((0, FORMANTS))
    if len(voiced) < 20 or len(frames) < 10:
        raise InputError(
            f"{len(recordings)} recordings hold too little voiced speech for a profile of the speaker "
            f"({len(frames)} usable frames of 10 needed); give longer recordings"
        )
    phi, chosen = vocal_tract(frames)
    bands = tuple(float(np.median(chosen[:, i])) / (2 * i + 1) for i in range(FORMANTS))
    return VoiceProfile(phi, float(np.median(voiced)), max(1.0, syllables / max(seconds, 0.1)), bands)


def formant_frames(recording: Recording, f0: NDArray[np.float64]) -> NDArray[np.float64]:
    """F1..F5 of each voiced frame (25 ms, every 10 ms) in which five resonances below 5.5 kHz are found."""
    samples = resample(recording.samples, recording.rate, FORMANT_RATE)
    samples = np.append(samples[:1], samples[1:] - np.exp(-2 * np.pi * 50 / FORMANT_RATE) * samples[:-1])
    length, step = int(0.025 * FORMANT_RATE), int(0.010 * FORMANT_RATE)
    if len(samples) < length:
        return np.zeros((0, FORMANTS))
    windows = np.lib.stride_tricks.sliding_window_view(samples, length)[::step]
    middles = np.round((np.arange(len(windows)) * 0.010 + 0.0125) / PITCH_STEP).astype(int)
    windows = windows[f0[np.minimum(middles, len(f0) - 1)] > 0]
    if not len(windows):
        return np.zeros((0, FORMANTS))
    frames = np.multiply(windows.T, np.hamming(length)[:, None], order="C") + 1e-9
    roots = polynomial_roots(burg(frames, 2 * FORMANTS))
    frequency = np.where(roots.imag > 0, np.angle(roots), 0.0) * FORMANT_RATE / (2 * np.pi)
    frequency[(frequency < 90) | (frequency > 5450)] = np.inf
    ordered = np.sort(frequency, axis=0)[:FORMANTS].T
    return np.asarray(ordered[np.isfinite(ordered).all(axis=1)])


def phi_of(formants: NDArray[np.float64]) -> NDArray[np.float64]:
    """The vocal-tract parameter of each frame, Hz."""
    weights = np.array([0.030, 0.082 / 3, 0.124 / 5, 0.354 / 7, 0.0])
    return np.asarray(229.0 + formants @ weights)


def vocal_tract(frames: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """phi, and the frames it comes from: six times those nearest to the neutral vowel (phi, 3 phi) are chosen anew."""
    phi, chosen = float(np.median(phi_of(frames))), frames
    for _ in range(6):
        distance = np.hypot(np.log(frames[:, 0] / phi), np.log(frames[:, 1] / (3 * phi)))
        nearest = np.argsort(distance, kind="stable")[: max(10, len(frames) // 3)]
        chosen = frames[nearest]
        phi = float(np.mean(phi_of(chosen)))
    return phi, chosen


def syllable_nuclei(samples: Samples, rate: int) -> tuple[int, float]:
    """(syllables, seconds of speech): peaks of loudness within 25 dB of the loudest, with a dip of 4 dB between them."""
    from scipy.signal import find_peaks

    step = rate // 100
    smooth = np.hanning(6 * step)
    energy = np.convolve(samples**2, smooth / smooth.sum(), mode="same")[::step]
    level = 10 * np.log10(energy + 1e-12)
    loud = level > level.max() - 25
    peaks, _ = find_peaks(level, height=level.max() - 25, prominence=4)
    pauses = pause_frames(loud)
    return max(1, len(peaks)), (len(level) - pauses) * step / rate


def pause_frames(loud: NDArray[np.bool_]) -> int:
    """Frames (10 ms) that belong to silences of 0.3 s and more."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], loud, [True]]).astype(int)))
    lengths = edges[1::2] - edges[::2]
    return int(lengths[lengths >= 30].sum())
