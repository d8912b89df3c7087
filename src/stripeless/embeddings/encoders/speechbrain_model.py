"""A SpeechBrain speaker encoder (ECAPA-TDNN, x-vector) from a folder on this machine; nothing is fetched from a hub."""

from __future__ import annotations

import re
from functools import cached_property
from importlib import import_module
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
        return tuple(WeightsFile(path, sha256_of_weights(path)) for path in self._parts())

    def _parts(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.suffix in (".ckpt", ".yaml"))

    @property
    def identity(self) -> str:
        return "speechbrain-1-" + "-".join(file.sha256[:8] for file in self.files)

    @cached_property
    def classifier(self) -> Any:
        check_hyperparams(self.folder / "hyperparams.yaml")  # it may have been written anew since
        inference: Any = need("speechbrain.inference.speaker", "speechbrain", "Running a SpeechBrain encoder")
        before = [file.path for file in self.files]
        try:
            with only_weights():
                made = inference.EncoderClassifier.from_hparams(
                    source=str(self.folder), savedir=str(self.folder), **self._at_home()
                )
        except Exception as error:  # hyperparams.yaml may name anything, so anything may go wrong
            first = shown((str(error).splitlines() or [type(error).__name__])[0])
            raise FileError(self.folder, f"cannot be loaded as a SpeechBrain speaker encoder ({first})") from error
        new = next((path for path in self._parts() if path not in before), None)
        if new is not None:  # its digest was not taken
            raise FileError(
                new, "was brought from elsewhere while the model was loaded; put it into the folder yourself"
            )
        return made

    def _at_home(self) -> dict[str, Any]:
        """What keeps SpeechBrain from looking for the checkpoints on a hub, as descriptions of published models tell it to."""
        said = (self.folder / "hyperparams.yaml").read_text(encoding="utf-8")
        here = {"pretrained_path": str(self.folder)} if re.search(r"^pretrained_path:", said, re.MULTILINE) else {}
        given: dict[str, Any] = {"overrides": here} if here else {}
        try:
            config = import_module("speechbrain.utils.fetching").FetchConfig
        except (ImportError, AttributeError):
            return given  # a release before there was one
        return {**given, "fetch_config": config(allow_network=False, allow_updates=False)}

    def embed(self, samples: Samples) -> Vector:
        import torch

        heard = check_samples(samples, RATE).astype(np.float32)
        with torch.inference_mode():
            vector = self.classifier.encode_batch(torch.from_numpy(heard)[None])
        return np.asarray(vector.reshape(-1).numpy(), dtype=np.float32)
