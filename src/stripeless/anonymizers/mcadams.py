"""B2, the McAdams anonymizer: move the resonances of the vocal tract, keep everything else.

Linear prediction splits each 20 ms frame into a source and resonances (the poles of the filter). The angle of a pole
is the frequency of a resonance; raising it to the power alpha moves all formants, low ones up and high ones down for
alpha below 1. Pitch, rhythm and words stay. Patino et al. (2021); second baseline of the VoicePrivacy 2020 challenge.

It hides a voice from someone who does not expect it, not from an attacker who anonymizes their own data the same way.
All frames go through each step together, which is what makes it fast.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.anonymizers.anonymizer import Per, SourceVoice, Voices, check_per, check_range, keyed_generator
from stripeless.audio.frames import Framing, check_samples, root_hann
from stripeless.audio.lpc import BLOCK, Columns, burg, refiltered
from stripeless.audio.polynomial_roots import polynomial_roots, product
from stripeless.audio.recordings import Samples
from stripeless.errors import InputError

ORDER = 20
EPSILON = float(np.finfo(np.float32).eps)  # added to signal and frames, as published: digital silence has no poles


def mcadams(
    samples: ArrayLike, rate: int, alpha: float = 0.8, *, whole: bool = False, normalize: bool = True
) -> NDArray[np.float64]:
    """The voice with every formant at angle**alpha.

    The published program leaves out the first frame and the last incomplete one, so up to 10 ms at either end come out
    silent.

    Parameters:
        samples: one channel of sound, 1-D, in -1 to 1.
        rate: samples per second, in Hz.
        alpha: exponent of the angle, in radians: 1 changes nothing, 0.5 to 0.9 is what the challenges used.
        whole: keep the first and the last frame instead.
        normalize: scale the output to a peak of 1.
    Returns:
        Samples, as many as came in.

    >>> time = np.arange(8000) / 16000
    >>> voice = np.sign(np.sin(2 * np.pi * 120 * time)) * 0.1
    >>> mcadams(voice, 16000, 0.8).shape
    (8000,)
    """
    check_alpha(alpha)

    def move(modulus: Columns, angle: Columns) -> tuple[Columns, Columns]:
        return modulus, np.clip(angle**alpha, 0.0, np.pi)

    return move_poles(samples, rate, move, whole=whole, normalize=normalize)


@dataclass(frozen=True)
class McAdams:
    """B2 for a corpus: one alpha for everybody (2020), or one drawn from `alphas` per speaker (2022) or utterance (2024)."""

    alpha: float | None = 0.8
    alphas: tuple[float, float] = (0.5, 0.9)
    per: Per = "speaker"
    whole: bool = False
    seed: int = 0
    name = "mcadams"
    listens = False

    def __post_init__(self) -> None:
        check_per(self.per)
        check_range("alphas", self.alphas, 0.05, 2.0)
        if not isinstance(self.whole, bool):
            raise InputError(f"whole: expected true or false, got {self.whole!r}")
        if self.alpha is not None:
            check_alpha(self.alpha)

    def settings(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}

    def fitted(self, voices: Voices, sexes: Mapping[str, str]) -> McAdams:
        return self

    def alpha_of(self, source: SourceVoice) -> float:
        """The coefficient of this voice."""
        if self.alpha is not None:
            return self.alpha
        return float(keyed_generator(self.name, self.seed, source, self.per).uniform(*self.alphas))

    def apply(self, samples: Samples, rate: int, source: SourceVoice) -> Samples:
        return mcadams(samples, rate, self.alpha_of(source), whole=self.whole)


def check_alpha(alpha: float) -> None:
    """Refuse what is no McAdams coefficient."""
    if not isinstance(alpha, int | float) or not 0.0 < alpha <= 2.0:
        raise InputError(f"alpha: expected a number above 0 and at most 2 (0.8 is the usual one), got {alpha}")


def move_poles(
    samples: ArrayLike,
    rate: int,
    move: Callable[[Columns, Columns], tuple[Columns, Columns]],
    *,
    whole: bool = False,
    normalize: bool = True,
) -> NDArray[np.float64]:
    """The voice after `move` has changed modulus and angle of every complex pole; real poles stay."""
    framing = root_hann(rate)
    signal = check_samples(samples, rate, shortest=2 * framing.length)
    length = len(signal)
    if np.abs(signal).max() <= EPSILON:
        return np.zeros(length)  # else what keeps silence from breaking the algebra would be brought to full scale
    signal = signal + EPSILON
    before = framing.shift if whole else 0
    if whole:
        signal = np.pad(signal, (before, framing.length))
    count = 1 + (len(signal) - framing.length) // framing.shift
    output = np.zeros(len(signal))
    for first in range(0 if whole else 1, count, BLOCK):
        last = min(first + BLOCK, count)
        framing.overlap_add(moved_frames(framing, signal, first, last, move), output, first)
    output = output[before : before + length]
    peak = np.abs(output).max()
    return output / peak if normalize and peak > 0 else output


def moved_frames(
    framing: Framing,
    signal: NDArray[np.float64],
    first: int,
    last: int,
    move: Callable[[Columns, Columns], tuple[Columns, Columns]],
) -> Columns:
    """Source of each frame through the filter with moved poles."""
    frames = framing.frames(signal, first, last)
    filters = burg(frames + EPSILON, ORDER)
    roots = polynomial_roots(filters)
    paired = roots.imag > 0
    modulus, angle = move(np.abs(roots), np.where(paired, np.angle(roots), 0.0))
    linear = np.where(roots.imag == 0, -roots.real, 0.0)
    moved = product(np.where(paired, -2 * modulus * np.cos(angle), linear), np.where(paired, modulus**2, 0.0))
    return refiltered(frames, filters, moved)
