"""A SpeechBrain speaker encoder (ECAPA-TDNN, x-vector) from a folder on this machine; nothing is fetched from a hub."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless._weights import WeightsFile, only_weights, sha256_of_weights
from stripeless.audio.frames import check_samples
from stripeless.audio.recordings import RATE, Samples
from stripeless.embeddings.encoders.encoder import Vector
from stripeless.embeddings.encoders.hyperparams import check_hyperparams
from stripeless.errors import FileError, shown

PROGRAMS = (".py", ".pyc", ".so", ".pyd", ".pth")


class SpeechbrainEncoder:
    """`folder` holds hyperparams.yaml and the checkpoints, as downloaded from the model's page.

    SpeechBrain runs what hyperparams.yaml names, so that is looked over before. Checkpoints are loaded as tensors alone.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.name = self.folder.name
        check_hyperparams(self.folder / "hyperparams.yaml")
        program = next((path for path in sorted(self.folder.rglob("*")) if path.suffix in PROGRAMS), None)
        if program is not None:
            raise FileError(program, "is a program beside a model, which SpeechBrain would load; take it away")

    @cached_property
    def files(self) -> tuple[WeightsFile, ...]:
        """What the model is made of."""
        found = sorted(path for path in self.folder.iterdir() if path.suffix in (".ckpt", ".yaml"))
        return tuple(WeightsFile(path, sha256_of_weights(path)) for path in found)

    @property
    def identity(self) -> str:
        return "speechbrain-1-" + "-".join(file.sha256[:8] for file in self.files)

    @cached_property
    def classifier(self) -> Any:
        check_hyperparams(self.folder / "hyperparams.yaml")  # it may have been written anew since
        inference: Any = need("speechbrain.inference.speaker", "speechbrain", "Running a SpeechBrain encoder")
        try:
            with only_weights():
                return inference.EncoderClassifier.from_hparams(source=str(self.folder), savedir=str(self.folder))
        except Exception as error:  # hyperparams.yaml may name anything, so anything may go wrong
            first = shown((str(error).splitlines() or [type(error).__name__])[0])
            raise FileError(self.folder, f"cannot be loaded as a SpeechBrain speaker encoder ({first})") from error

    def embed(self, samples: Samples) -> Vector:
        import torch

        heard = check_samples(samples, RATE).astype(np.float32)
        with torch.inference_mode():
            vector = self.classifier.encode_batch(torch.from_numpy(heard)[None])
        return np.asarray(vector.reshape(-1).numpy(), dtype=np.float32)
