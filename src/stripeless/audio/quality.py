"""DNSMOS P.835: how a network trained on listeners would rate the sound, 1 (bad) to 5 (excellent).

Reddy et al. (2022). The network comes inside the package speechmos and runs in onnxruntime; the package's own code is not
used. Signal, background and overall are averaged over windows of 9.01 s, one a second; shorter recordings are repeated.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless._weights import WeightsFile, known_weights
from stripeless.audio.corpus import Utterance
from stripeless.audio.recordings import RATE, Samples

WINDOW = int(9.01 * RATE)
INSTALL = "pip install 'stripeless[onnx]' && pip install --no-deps speechmos==0.0.1.1"
# from the network's raw outputs to the listeners' scale, highest power first, as published with it
SIGNAL = (-0.08397278, 1.22083953, 0.0052439)
BACKGROUND = (-0.13166888, 1.60915514, -0.39604546)
OVERALL = (-0.06766283, 1.11546468, 0.04602535)


@dataclass(frozen=True)
class Dnsmos:
    """Ratings from 1 to 5."""

    signal: float
    background: float
    overall: float


def quality_weights() -> WeightsFile:
    """Where the network lies: missing with the line that brings it, refused where it is another one than the one on record."""
    return known_weights("dnsmos", INSTALL, "DNSMOS")


@cache
def session(path: Path) -> Any:
    """The network, loaded once per process."""
    runtime: Any = need("onnxruntime", "onnx", "DNSMOS")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def dnsmos(samples: Samples, path: Path | None = None) -> Dnsmos:
    """Ratings of one recording at 16 kHz, by the network on record or by one that was found to be it."""
    network = session(path or quality_weights().path)
    if len(samples) < WINDOW:
        samples = np.tile(samples, -(-WINDOW // len(samples)))[:WINDOW]
    starts = range(0, len(samples) - WINDOW + 1, RATE)
    windows = [samples[start : start + WINDOW].astype(np.float32)[None] for start in starts]
    raw = np.array([network.run(None, {"input_1": window})[0][0] for window in windows])
    signal, background, overall = (
        float(np.polyval(curve, raw[:, k]).mean()) for k, curve in enumerate((SIGNAL, BACKGROUND, OVERALL))
    )
    return Dnsmos(signal, background, overall)


@dataclass(frozen=True)
class Quality:
    """Ratings of one utterance by name, for work over many, by weights that were looked at before the work began."""

    weights: WeightsFile

    @property
    def identity(self) -> str:
        """Changes whenever the ratings would: it names the folder of the cache."""
        return "dnsmos-1" if self.weights.on_record else f"dnsmos-1-{self.weights.sha256[:16]}"

    def __call__(self, utterance: Utterance) -> dict[str, float]:
        return asdict(dnsmos(utterance.read(RATE).samples, self.weights.path))
