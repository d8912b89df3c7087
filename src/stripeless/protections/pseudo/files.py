"""Saving what a system learned. The seed is not part of it: a file may be published, the seed stays secret.

Systems that average or choose people of the pool carry the pool's vectors in their file; O1, apart and the auto-encoders
carry a distribution or networks only. All carry the names of the pool's speakers, so as not to protect one of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.plda import Plda
from stripeless.errors import FileError, InputError
from stripeless.protections.pseudo.apart import Apart
from stripeless.protections.pseudo.autoencoder import (
    Autoencoded,
    AutoencodedTuned,
    FarthestAutoencoded,
    FarthestAutoencodedTuned,
    Layer,
    Squeeze,
)
from stripeless.protections.pseudo.farthest import FarthestMean
from stripeless.protections.pseudo.indistinguishable import Indistinguishable
from stripeless.protections.pseudo.mixture import Mixture
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.regression import Ensemble, Regression, Trees
from stripeless.protections.pseudo.sampled import Sampled, SampledUnlike
from stripeless.protections.pseudo.singular import Corner, Scale, SingularValues
from stripeless.protections.pseudo.system import PseudoSpeakers
from stripeless.protections.tensors import read_tensors, write_tensors

KIND, VERSION = "pseudo-speakers", 1
SYSTEMS: tuple[type[PseudoSpeakers], ...] = (FarthestMean, Regression, SingularValues, Indistinguishable, Sampled, SampledUnlike,
           Autoencoded, AutoencodedTuned, FarthestAutoencoded, FarthestAutoencodedTuned, Apart)  # fmt: skip
PARTS: dict[str, Any] = {
    part.__name__: part
    for part in (*SYSTEMS, Pool, Embeddings, Plda, Mixture, Scale, Corner, Ensemble, Trees, Squeeze, Layer)
}


def save_pseudo_speakers(path: str | os.PathLike[str], system: PseudoSpeakers) -> None:
    """A safetensors file, whole or not at all, without the seed."""
    tensors: dict[str, NDArray[Any]] = {}
    packed = _packed(system, "system", tensors)
    write_tensors(path, tensors, {"kind": KIND, "version": VERSION, "system": packed})


def load_pseudo_speakers(path: str | os.PathLike[str], *, seed: int = 0) -> PseudoSpeakers:
    """What was saved, with a seed of its own. Nothing in such a file can run code."""
    tensors, about = read_tensors(path)
    if about.get("kind") != KIND or about.get("version") != VERSION:
        raise FileError(path, "holds no pseudo-speakers that this program can read")
    try:
        system = _unpacked(about["system"], tensors, {"seed": seed})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileError(path, f"cannot be restored ({error}); it was cut short or written by something else") from error
    if not isinstance(system, PseudoSpeakers):
        raise FileError(path, "holds no system of pseudo-speakers")
    return system


def _packed(value: Any, place: str, tensors: dict[str, NDArray[Any]]) -> Any:
    """Plain JSON values; arrays move to `tensors` and leave their name."""
    if isinstance(value, np.ndarray):
        whole = value.dtype.kind == "i"  # safetensors here hold floating-point numbers only
        tensors[place] = value.astype(np.float64) if whole else value
        return {"tensor": place, "whole": whole}
    if is_dataclass(value) or isinstance(value, Layer):
        names = (
            value._fields
            if isinstance(value, Layer)
            else [f.name for f in fields(value) if f.init and f.name != "seed"]
        )
        return {
            "part": type(value).__name__,
            "fields": {name: _packed(getattr(value, name), f"{place}.{name}", tensors) for name in names},
        }
    if isinstance(value, Mapping):
        return {"map": {key: _packed(one, f"{place}.{key}", tensors) for key, one in value.items()}}
    if isinstance(value, tuple | list):
        return [_packed(one, f"{place}.{number}", tensors) for number, one in enumerate(value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InputError(f"{place}: a {type(value).__name__} cannot be saved")


def _unpacked(value: Any, tensors: dict[str, NDArray[Any]], secret: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return tuple(_unpacked(one, tensors, secret) for one in value)
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return tensors[value["tensor"]].astype(np.int64) if value["whole"] else tensors[value["tensor"]]
    if "map" in value:
        return {key: _unpacked(one, tensors, secret) for key, one in value["map"].items()}
    kind = PARTS[value["part"]]
    given = {name: _unpacked(one, tensors, secret) for name, one in value["fields"].items()}
    return kind(**given, **(secret if issubclass(kind, PseudoSpeakers) else {}))
