"""`ge2e`: the LSTM speaker encoder of Wan et al. (2018), with the weights that come inside the package resemblyzer.

Only the weight file is used (Apache-2.0); network and features are written here, so that none of the package's own
dependencies is needed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless._weights import known_weights
from stripeless.audio.recordings import RATE, Samples
from stripeless.embeddings.encoders.encoder import Vector, load_weights
from stripeless.embeddings.encoders.spectra import mel_power

INSTALL = "pip install 'stripeless[torch]' && pip install --no-deps resemblyzer==0.1.4"
WINDOW, STEP = 160, 77  # frames per partial utterance, and between them (1.3 partials a second)
LEAST_COVERAGE = 0.75
LEVEL = 10 ** (-30 / 20)  # -30 dBFS; quieter recordings are raised to it


class Ge2eEncoder:
    """256 numbers: the mean over 1.6 s windows of the LSTM's last state, projected, rectified, length 1."""

    name = "ge2e"

    def __init__(self) -> None:
        self.file = known_weights("ge2e", INSTALL, "The GE2E encoder")
        self.path = self.file.path

    @cached_property
    def identity(self) -> str:
        return f"ge2e-1-{self.file.sha256[:16]}"

    @cached_property
    def network(self) -> tuple[Any, Any]:
        torch: Any = need("torch", "torch", "The GE2E encoder")
        state = load_weights(self.path)["model_state"]
        lstm = torch.nn.LSTM(40, 256, 3, batch_first=True)
        linear = torch.nn.Linear(256, 256)
        for module, prefix in ((lstm, "lstm."), (linear, "linear.")):
            module.load_state_dict({k[len(prefix) :]: v for k, v in state.items() if k.startswith(prefix)})
            module.eval()
        return lstm, linear

    def embed(self, samples: Samples) -> Vector:
        torch: Any = need("torch", "torch", "The GE2E encoder")
        level = float(np.sqrt(np.mean(samples**2)))
        if 0 < level < LEVEL:
            samples = samples * (LEVEL / level)
        mel = windows(samples)
        lstm, linear = self.network
        with torch.inference_mode():
            _, (hidden, _) = lstm(torch.from_numpy(mel))
            raw = torch.relu(linear(hidden[-1])).numpy()
        partial = raw / np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-9)
        mean = partial.mean(axis=0)
        return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), dtype=np.float32)


def windows(samples: Samples) -> Vector:
    """Overlapping windows of 160 frames; the last one counts if three quarters of it are sound."""
    hop = RATE // 100
    frames = -(-(len(samples) + 1) // hop)
    starts = list(range(0, max(1, frames - WINDOW + STEP + 1), STEP))
    coverage = (len(samples) - starts[-1] * hop) / (WINDOW * hop)
    if coverage < LEAST_COVERAGE and len(starts) > 1:
        starts.pop()
    padded = np.pad(samples, (0, max(0, (starts[-1] + WINDOW) * hop - len(samples))))
    mel = mel_power(padded).astype(np.float32)
    return np.stack([mel[start : start + WINDOW] for start in starts])
