"""D1, the pole-radius anonymizer: McAdams, and the resonances are damped as well.

As B2, but the radius of each complex pole, which is how sharp a resonance rings, is multiplied by kappa before the
filter is put back. Gupta et al. (2020), system D1 of the VoicePrivacy 2020 challenge. kappa = 0.975 is recalled from
the literature; alpha, framing and the cap on the radius are our choice, so this is D1's idea, not its program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stripeless.anonymizers.anonymizer import SourceVoice, Voices
from stripeless.anonymizers.mcadams import check_alpha, move_poles
from stripeless.audio.lpc import Columns
from stripeless.audio.recordings import Samples
from stripeless.errors import InputError

LARGEST_RADIUS = 0.998  # a kappa above 1 must not make a filter that rings for ever


def pole_radius(samples: ArrayLike, rate: int, alpha: float = 0.8, kappa: float = 0.975) -> Samples:
    """The voice with poles kappa * r * exp(+-j * angle**alpha).

    Parameters:
        samples: one channel of sound, 1-D, in -1 to 1.
        rate: samples per second, in Hz.
        alpha: exponent of the angle, in radians; 1 leaves the formants where they are.
        kappa: factor on the radius of each pole, 0.5 to 1.1; below 1 formants become broader.
    Returns:
        Samples, as many as came in, with a peak of 1.

    >>> time = np.arange(8000) / 16000
    >>> pole_radius(np.sign(np.sin(2 * np.pi * 120 * time)) * 0.1, 16000).shape
    (8000,)
    """
    check_alpha(alpha)
    if not 0.5 <= kappa <= 1.1:
        raise InputError(f"kappa: expected a factor from 0.5 to 1.1 (0.975 is the usual one), got {kappa}")

    def move(modulus: Columns, angle: Columns) -> tuple[Columns, Columns]:
        return np.minimum(kappa * modulus, LARGEST_RADIUS), np.clip(angle**alpha, 0.0, np.pi)

    return move_poles(samples, rate, move)


@dataclass(frozen=True)
class PoleRadius:
    """D1 for a corpus: the same alpha and kappa for everybody."""

    alpha: float = 0.8
    kappa: float = 0.975
    seed: int = 0
    name = "pole-radius"
    listens = False

    def settings(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}

    def fitted(self, voices: Voices, sexes: Mapping[str, str]) -> PoleRadius:
        return self

    def apply(self, samples: Samples, rate: int, source: SourceVoice) -> Samples:
        return pole_radius(samples, rate, self.alpha, self.kappa)
