"""DNSMOS P.835: how a network trained on listeners would rate the sound, 1 (bad) to 5 (excellent).

Reddy et al. (2022). The network comes inside the package speechmos and runs in onnxruntime; the package's own code is not
used. Signal, background and overall are averaged over windows of 9.01 s, one a second; shorter recordings are repeated.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless.audio.corpus import Utterance
from stripeless.audio.recordings import RATE, Samples
from stripeless.errors import MissingExtra

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


@cache
def session() -> Any:
    """The network, loaded once per process."""
    spec = find_spec("speechmos")
    folders = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    paths = [folder / "dnsmos_models" / "sig_bak_ovr.onnx" for folder in folders]
    if not paths or not paths[0].is_file():
        raise MissingExtra(f"DNSMOS needs the network that comes with speechmos: {INSTALL}")
    runtime: Any = need("onnxruntime", "onnx", "DNSMOS")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(str(paths[0]), options, providers=["CPUExecutionProvider"])


def dnsmos(samples: Samples) -> Dnsmos:
    """Ratings of one recording at 16 kHz."""
    if len(samples) < WINDOW:
        samples = np.tile(samples, -(-WINDOW // len(samples)))[:WINDOW]
    starts = range(0, len(samples) - WINDOW + 1, RATE)
    windows = [samples[start : start + WINDOW].astype(np.float32)[None] for start in starts]
    raw = np.array([session().run(None, {"input_1": window})[0][0] for window in windows])
    signal, background, overall = (
        float(np.polyval(curve, raw[:, k]).mean()) for k, curve in enumerate((SIGNAL, BACKGROUND, OVERALL))
    )
    return Dnsmos(signal, background, overall)


def quality_of(utterance: Utterance) -> dict[str, float]:
    """Ratings of one utterance by name, for work over many."""
    return asdict(dnsmos(utterance.read(RATE).samples))
