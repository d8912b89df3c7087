"""TD-PSOLA: another pitch, another duration and other formants, by cutting a voice at its pitch marks and pasting anew.

Moulines and Charpentier (1990). Grains two periods long, centered at the marks, are laid out at new distances (pitch)
and repeated or left out (duration). Formants move by playing the recording faster or slower first and then undoing what
that does to pitch and duration.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import Samples

STEP = 0.005  # seconds between pitch estimates
UNVOICED_PERIOD = 0.008  # seconds between marks where there is no pitch


def pitch_marks(samples: Samples, rate: int, f0: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each period begins (at a peak of the waveform), and whether it is voiced; `f0` as of `pitch_track(step=STEP)`."""
    step = STEP * rate
    marks: list[int] = []
    voiced: list[bool] = []
    position = 0.0
    while position < len(samples):
        pitch = f0[min(round(position / step), len(f0) - 1)]
        place = int(position)
        if pitch > 0:
            period = rate / pitch
            reach = max(1, int(0.2 * period))
            start = max(place - reach, marks[-1] + 1 if marks else 0)
            piece = samples[start : place + reach + 1]
            place = start + int(np.argmax(piece)) if piece.size else place
            position = place + period
        else:
            position = place + UNVOICED_PERIOD * rate
        marks.append(place)
        voiced.append(bool(pitch > 0))
    return np.array(marks, dtype=np.intp), np.array(voiced)


def psola(
    samples: Samples,
    rate: int,
    *,
    pitch: float = 1.0,
    duration: float = 1.0,
    formants: float = 1.0,
    f0: NDArray[np.float64] | None = None,
) -> Samples:
    """The voice with pitch, duration and formant frequencies multiplied by these factors.

    >>> tone = np.sin(2 * np.pi * 125 * np.arange(16000) / 16000)
    >>> longer = psola(tone, 16000, pitch=1.2, duration=1.5)
    >>> len(longer), float(np.round(np.median(pitch_track(longer, 16000)) / 5) * 5)
    (24000, 150.0)
    """
    f0 = pitch_track(samples, rate, step=STEP) if f0 is None else f0
    marks, voiced = pitch_marks(samples, rate, f0)
    total = round(len(samples) * duration)
    if formants != 1.0:
        ratio = Fraction(formants).limit_denominator(200)
        samples = played_faster(samples, ratio)
        marks = np.minimum(np.round(marks / float(ratio)).astype(np.intp), len(samples) - 1)
        pitch, duration = pitch / float(ratio), duration * float(ratio)
    return paste(samples, marks, voiced, pitch, duration, total)


def played_faster(samples: Samples, ratio: Fraction) -> Samples:
    """The recording as if played `ratio` times as fast."""
    from scipy.signal import resample_poly

    return np.asarray(resample_poly(samples, ratio.denominator, ratio.numerator))


def paste(
    samples: Samples, marks: NDArray[np.intp], voiced: NDArray[np.bool_], pitch: float, duration: float, total: int
) -> Samples:
    """Grains around `marks` at new distances, `duration` times as long, divided by how much the windows overlap."""
    periods = np.maximum(np.diff(marks, append=marks[-1] + (marks[-1] - marks[-2] if len(marks) > 1 else 80)), 2)
    margin = int(periods.max()) + 1
    padded = np.pad(samples, margin)
    output, weight = np.zeros((2, total + 2 * margin))
    windows: dict[int, Samples] = {}
    place, mark = 0.0, 0
    while place < total:
        source = place / duration
        while mark + 1 < len(marks) and marks[mark + 1] + marks[mark] < 2 * source:
            mark += 1
        period = int(periods[mark])
        window = windows.get(period)
        if window is None:
            window = windows[period] = np.hanning(2 * period + 1)
        start, center = int(place) + margin - period, marks[mark] + margin
        output[start : start + 2 * period + 1] += window * padded[center - period : center + period + 1]
        weight[start : start + 2 * period + 1] += window
        place += max(2.0, period / pitch if voiced[mark] else period)
    return (output / np.maximum(weight, 0.5))[margin : margin + total]
