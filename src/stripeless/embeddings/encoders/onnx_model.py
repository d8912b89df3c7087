"""Any speaker encoder in an ONNX file: one input (samples, or 80 log mel energies per frame), the first output is the vector."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless._files import refuse_stream
from stripeless._weights import WeightsFile, sha256_of_list, sha256_of_weights
from stripeless.audio.frames import check_samples
from stripeless.audio.recordings import RATE, Samples
from stripeless.embeddings.encoders.encoder import Vector
from stripeless.embeddings.encoders.onnx_parts import model_files
from stripeless.embeddings.encoders.spectra import kaldi_filterbank
from stripeless.errors import FileError


class OnnxEncoder:
    """Input of shape (batch, samples): the waveform; (batch, frames, bins) or (batch, bins, frames): mean-free filterbanks."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise FileError(self.path, "does not exist; give the path of an ONNX speaker encoder")
        self.name = self.path.stem
        refuse_stream(self.path)
        self.files = tuple(WeightsFile(file, sha256_of_weights(file)) for file in model_files(self.path))

    @property
    def identity(self) -> str:
        """Changes whenever the vectors would: with the model, and with every file that it keeps numbers in."""
        if len(self.files) == 1:
            return f"onnx-1-{self.files[0].sha256[:16]}"
        return f"onnx-1-{sha256_of_list((file.path.name, file.sha256) for file in self.files)[:16]}"

    @cached_property
    def session(self) -> Any:
        runtime: Any = need("onnxruntime", "onnx", "Running an ONNX encoder")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        try:
            return runtime.InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has no common base class of its errors
            first = str(error).splitlines()[0]
            raise FileError(self.path, f"cannot be loaded as an ONNX model ({first})") from error

    def prepared(self, samples: Samples) -> Vector:
        """What the model's input shape asks for."""
        inputs = self.session.get_inputs()
        if len(inputs) != 1 or inputs[0].type != "tensor(float)":
            wanted = ", ".join(f"{one.name} {one.type}" for one in inputs)
            raise FileError(
                self.path, f"takes {wanted}; a speaker encoder takes one tensor(float): samples or filterbanks"
            )
        shape = inputs[0].shape
        if len(shape) == 2:
            return check_samples(samples, RATE).astype(np.float32)[None]
        if len(shape) != 3:
            raise FileError(
                self.path, f"takes an input of shape {shape}; expected (batch, samples) or (batch, frames, bins)"
            )
        bins_last = isinstance(shape[2], int)
        bins = shape[2] if bins_last else shape[1] if isinstance(shape[1], int) else 80
        features = kaldi_filterbank(samples, int(bins))
        features = (features - features.mean(axis=0)).astype(np.float32)
        return np.asarray(features[None] if bins_last or not isinstance(shape[1], int) else features.T[None])

    def embed(self, samples: Samples) -> Vector:
        given = self.prepared(samples)
        try:
            first = self.session.run(None, {self.session.get_inputs()[0].name: given})[0]
        except Exception as error:  # onnxruntime has no common base class of its errors
            why = str(error).splitlines()[0]
            raise FileError(self.path, f"cannot take an input of shape {given.shape} ({why})") from error
        vector = np.asarray(first, dtype=np.float32).ravel()
        if vector.size > 8192:
            raise FileError(
                self.path, f"gives {vector.size} numbers per utterance; a speaker encoder gives one short vector"
            )
        return vector
