"""How fast the McAdams anonymizer is: times real time per core, beside a frame-by-frame program of the same recipe.

The frame-by-frame program does what published ones do: for each frame Burg's method, `numpy.roots`, `numpy.poly` and
two calls of `scipy.signal.lfilter`. CPU seconds are compared, so that a busy machine does not distort the ratio.

    OMP_NUM_THREADS=1 python benchmarks/bench_mcadams.py [FILE...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from stripeless.anonymizers.mcadams import EPSILON, ORDER, mcadams

Samples = NDArray[np.float64]


def burg_one(frame: Samples, order: int) -> Samples:
    """Burg's method on one frame, as textbooks and common audio libraries write it."""
    filter_ = np.zeros(order + 1)
    filter_[0] = 1.0
    previous = filter_.copy()
    forward, backward = frame[1:], frame[:-1]
    energy = np.dot(forward, forward) + np.dot(backward, backward)
    for step in range(order):
        reflection = -2.0 * np.dot(backward, forward) / (energy + np.finfo(np.float64).tiny)
        previous, filter_ = filter_, previous
        for k in range(1, step + 2):
            filter_[k] = previous[k] + reflection * previous[step - k + 1]
        forward, backward = forward + reflection * backward, backward + reflection * forward
        energy = (1.0 - reflection**2) * energy - backward[-1] ** 2 - forward[0] ** 2
        forward, backward = forward[1:], backward[:-1]
    return filter_


def frame_by_frame(samples: Samples, rate: int, alpha: float) -> Samples:
    """The recipe one frame at a time."""
    signal = samples + EPSILON
    length, shift = rate // 50, rate // 100
    hann = np.hanning(length)
    window = np.sqrt(hann / (hann.sum() / shift))
    output = np.zeros(len(signal))
    for start in range(shift, len(signal) - length + 1, shift):
        frame = signal[start : start + length] * window
        filter_ = burg_one(frame + EPSILON, ORDER)
        poles = np.roots(filter_)
        complex_ = poles.imag != 0
        angle = np.clip(np.abs(np.angle(poles[complex_])) ** alpha, 0, np.pi)
        poles[complex_] = np.abs(poles[complex_]) * np.exp(1j * angle * np.sign(poles[complex_].imag))
        source = lfilter(filter_, [1.0], frame)
        output[start : start + length] += lfilter([1.0], np.real(np.poly(poles)), source) * window
    return np.asarray(output / np.abs(output).max())


def cpu_seconds(function: Callable[[], object], repeats: int = 5) -> float:
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return float(best)


def main() -> None:
    if len(sys.argv) > 1:
        import soundfile

        signals = [soundfile.read(path)[0] for path in sys.argv[1:]]
    else:
        rng = np.random.default_rng(0)
        signals = [lfilter([1.0], [1.0, -1.6, 0.9], rng.standard_normal(80000)) * 0.01]
    seconds = sum(map(len, signals)) / 16000
    ours = sum(cpu_seconds(lambda s=signal: mcadams(s, 16000)) for signal in signals)
    plain = sum(cpu_seconds(lambda s=signal: frame_by_frame(s, 16000, 0.8), 2) for signal in signals)
    worst = max(np.abs(mcadams(s, 16000) - frame_by_frame(s, 16000, 0.8)).max() for s in signals)
    print(f"{seconds:.1f} s of sound; largest difference between the two outputs: {worst:.1e} of full scale")
    print(f"frame by frame: {seconds / plain:6.0f} times real time per core")
    print(f"stripeless:     {seconds / ours:6.0f} times real time per core, {plain / ours:.1f} times as fast")


if __name__ == "__main__":
    main()
