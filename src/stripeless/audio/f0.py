"""How F0 is distributed over a recording, the published feature: YIN (de Cheveigne & Kawahara 2002) frame by frame.

The distribution of F0 over a recording is a fingerprint of sorts: about one bit per half minute of speech
(Baeckstroem et al., Table II). The bins are theirs: whole lags at 8 kHz between 65 and 450 Hz, 107 of them. YIN is kept for
this feature alone, so that its figures stay comparable; whoever needs the melody of a voice takes `audio.pitch`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.errors import InputError, NotANumber

LOW, HIGH = 65.0, 450.0  # Hz, as in the paper
LAG_RATE = 8000  # lags of the histogram are counted at this rate
FIRST_LAG, LAST_LAG = 17, 123  # 8000 / 450 and 8000 / 65
_FRAMES = 2048  # frames computed at a time


def yin(
    samples: ArrayLike,
    rate: int,
    *,
    low: float = LOW,
    high: float = HIGH,
    step: float = 0.010,
    threshold: float = 0.15,
) -> NDArray[np.float64]:
    """F0 in Hz of each frame, one every `step` seconds; NaN where nothing is periodic.

    The lag is the first dip of the normalized difference function below `threshold`, refined by a parabola. (With the
    original 0.1 some real recordings of three seconds have no voiced frame at all.)

    Parameters:
        samples: one channel of sound, 1-D, in -1 to 1.
        rate: samples per second, in Hz.
        low, high: the range in which to look for F0, in Hz.
        step: seconds from one frame to the next.
        threshold: how periodic a frame must be: 0 perfectly, 1 not at all.
    Returns:
        One F0 in Hz per frame, NaN where nothing is periodic; empty for sound shorter than one frame.

    >>> time = np.arange(16000) / 16000
    >>> voice = sum(np.sin(2 * np.pi * 120 * k * time) / k for k in range(1, 10))
    >>> bool(np.all(np.abs(yin(voice, 16000) - 120) < 0.5))
    True
    """
    signal = _check_sound(samples, rate)
    if not 0 < low < high < rate / 2:
        raise InputError(f"low, high: expected 0 < low < high < {rate / 2:g} Hz, got {low:g} and {high:g}")
    longest, shortest = int(np.ceil(rate / low)), max(2, int(rate / high))
    hop, length = max(1, round(step * rate)), 2 * longest + 2
    if signal.size < length:
        return np.zeros(0)
    frames = np.lib.stride_tricks.sliding_window_view(signal, length)[::hop]
    pieces = [_periods(frames[i : i + _FRAMES], longest, shortest, threshold) for i in range(0, len(frames), _FRAMES)]
    return rate / np.concatenate(pieces)


def _check_sound(samples: ArrayLike, rate: int) -> NDArray[np.float64]:
    signal = np.asarray(samples)
    if signal.ndim != 1 or signal.dtype.kind not in "fiu":
        raise InputError(f"samples: expected one channel of numbers, got {signal.dtype} of shape {signal.shape}")
    if rate <= 0:
        raise InputError(f"rate: expected samples per second, got {rate}")
    signal = signal.astype(np.float64)
    if not np.isfinite(signal).all():
        raise NotANumber("samples: NaN or infinity; write the recording again or leave it out")
    return signal


def _periods(frames: NDArray[np.float64], longest: int, shortest: int, threshold: float) -> NDArray[np.float64]:
    """The period of each frame in samples, NaN where there is none."""
    normalized = _normalized_difference(frames, longest + 1)
    inside = normalized[:, : longest + 1]
    dips = inside < threshold
    dips[:, :shortest] = False
    first = np.argmax(dips, axis=1)
    voiced = dips.any(axis=1)
    # from the first value below the threshold on, go down to the bottom of the dip
    rising = normalized[:, 1:] >= normalized[:, :-1]
    rising &= np.arange(rising.shape[1]) >= first[:, None]
    rising[:, -1] = True
    bottom = np.argmax(rising, axis=1)
    period = bottom + _parabola(normalized, bottom)
    return np.where(voiced & (bottom >= shortest) & (bottom <= longest), period, np.nan)


def _normalized_difference(frames: NDArray[np.float64], lags: int) -> NDArray[np.float64]:
    """Eq. 8 of YIN for lags 0 .. lags: squared differences over their running mean; 1 where the frame is silent."""
    window = frames.shape[1] - lags
    size = 1 << int(np.ceil(np.log2(frames.shape[1] + window)))
    spectrum = np.fft.rfft(frames, size)
    product = np.fft.irfft(spectrum * np.conj(np.fft.rfft(frames[:, :window], size)), size)[:, : lags + 1]
    energy = np.concatenate([np.zeros((len(frames), 1)), np.cumsum(frames**2, axis=1)], axis=1)
    power = energy[:, window : window + lags + 1] - energy[:, : lags + 1]
    difference = np.maximum(power[:, :1] + power - 2 * product, 0.0)
    difference[:, 0] = 0.0
    # what is left by rounding where two stretches are equal must not look like a dip of silence
    floor = 1e-12 * np.maximum(power[:, :1], 1e-20)
    running = np.cumsum(difference, axis=1)
    normalized = difference * np.arange(lags + 1) / np.maximum(running, floor)
    normalized[:, 0] = 1.0
    silent = running[:, -1] <= floor[:, 0] * lags
    normalized[silent] = 1.0
    return np.asarray(normalized)


def _parabola(values: NDArray[np.float64], at: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far the bottom of the parabola through three neighbors lies from the middle one."""
    row = np.arange(len(values))
    middle = np.clip(at, 1, values.shape[1] - 2)
    left, center, right = values[row, middle - 1], values[row, middle], values[row, middle + 1]
    bend = left - 2 * center + right
    shift = np.where(bend > 0, (left - right) / (2 * np.where(bend > 0, bend, 1.0)), 0.0)
    return np.where(middle == at, np.clip(shift, -0.5, 0.5), 0.0)


def f0_histogram(f0: ArrayLike) -> NDArray[np.float64]:
    """How many voiced frames fall on each of 107 whole lags at 8 kHz, from 450 Hz down to 65 Hz.

    Parameters:
        f0: F0 in Hz, one number per frame, as `yin` gives it; NaN and 0 mean no voice and do not count.
    Returns:
        107 counts, one for each lag from 17 to 123 samples; 100 Hz, a lag of 80, is at position 63.

    >>> int(f0_histogram([100.0, np.nan, 100.2])[8000 // 100 - FIRST_LAG])
    2
    """
    values = np.asarray(f0, dtype=np.float64)
    voiced = values[np.isfinite(values) & (values > 0)]
    lag = np.clip(np.round(LAG_RATE / voiced).astype(np.int64), FIRST_LAG, LAST_LAG)
    return np.bincount(lag - FIRST_LAG, minlength=LAST_LAG - FIRST_LAG + 1).astype(np.float64)
