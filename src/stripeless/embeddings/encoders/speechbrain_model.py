"""A SpeechBrain speaker encoder (ECAPA-TDNN, x-vector) from a folder on this machine; nothing is fetched from a hub."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless.audio.frames import check_samples
from stripeless.audio.recordings import RATE, Samples
from stripeless.embeddings.encoders.encoder import Vector, file_digest
from stripeless.errors import FileError


class SpeechbrainEncoder:
    """`folder` holds hyperparams.yaml and the checkpoints, as downloaded from the model's page.

    SpeechBrain runs what hyperparams.yaml names: only give it folders you trust.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.name = self.folder.name

    @cached_property
    def identity(self) -> str:
        files = sorted(path for path in self.folder.iterdir() if path.suffix in (".ckpt", ".yaml"))
        return "speechbrain-1-" + "-".join(file_digest(path)[:8] for path in files)

    @cached_property
    def classifier(self) -> Any:
        inference: Any = need("speechbrain.inference.speaker", "speechbrain", "Running a SpeechBrain encoder")
        try:
            return inference.EncoderClassifier.from_hparams(source=str(self.folder), savedir=str(self.folder))
        except Exception as error:  # hyperparams.yaml may name anything, so anything may go wrong
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise FileError(self.folder, f"cannot be loaded as a SpeechBrain speaker encoder ({first})") from error

    def embed(self, samples: Samples) -> Vector:
        import torch

        heard = check_samples(samples, RATE).astype(np.float32)
        with torch.inference_mode():
            vector = self.classifier.encode_batch(torch.from_numpy(heard)[None])
        return np.asarray(vector.reshape(-1).numpy(), dtype=np.float32)
