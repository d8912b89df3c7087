"""Saving what a system learned. The seed is not part of it: a file may be published, the seed stays secret.

Systems that average or choose people of the pool carry the pool's vectors in their file; O1, apart and the auto-encoders
carry a distribution or networks only. Nobody of the pool is named: a loaded system therefore cannot refuse to protect
somebody who is in its pool, as a fitted one does. Nobody who is hidden is named either: whoever loads says again who will come
(`knowing`). Files of 0.1, which do name people, are read as they are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.plda import Plda
from stripeless.errors import FileError, InputError, shown
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
from stripeless.protections.pseudo.system import Person, PseudoSpeakers, check_whole
from stripeless.protections.tensors import BROKEN, MOST_NUMBERS, read_tensors, write_tensors

KIND, VERSION = "pseudo-speakers", 1
UNSAVED = (
    "seed",
    "roster",
)  # the secret of the draws, and the names of the people who are hidden: who loads says both again
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
        if isinstance(system, PseudoSpeakers):
            _try_once(system)
    except BROKEN as error:
        reason = f"cannot be restored ({shown(error)}); it was cut short or written by something else"
        raise FileError(path, reason) from error
    if not isinstance(system, PseudoSpeakers):
        raise FileError(path, "holds no system of pseudo-speakers")
    return system


def _try_once(system: PseudoSpeakers) -> None:
    """Parts that do not fit together are found here and not in the middle of somebody's work."""
    check_whole("dimension", system.dimension, 1, MOST_NUMBERS)
    check_whole("seed", system.seed, 0)
    for sex in ("f", "m"):
        told = system.knowing({"x": sex})
        try:
            with np.errstate(all="ignore"):
                made = told.make(np.ones(system.dimension), Person("x", sex))
        except InputError:
            continue  # a system that knows whom it serves, or a pool of one sex
        if np.shape(made) != (system.dimension,) or made.dtype.kind != "f":
            raise ValueError("it makes vectors of another length")


def _packed(value: Any, place: str, tensors: dict[str, NDArray[Any]]) -> Any:
    """Plain JSON values; arrays move to `tensors` and leave their name."""
    if isinstance(value, Pool):
        value = nameless(value)
    if isinstance(value, Plda):
        value = replace(value, speakers=_numbers(len(value.speakers)))
    if isinstance(value, np.ndarray):
        whole = value.dtype.kind == "i"  # safetensors here hold floating-point numbers only
        tensors[place] = value.astype(np.float64) if whole else value
        return {"tensor": place, "whole": whole}
    if is_dataclass(value) or isinstance(value, Layer):
        names = (
            value._fields
            if isinstance(value, Layer)
            else [f.name for f in fields(value) if f.init and f.name not in UNSAVED]
        )
        return {
            "part": type(value).__name__,
            "fields": {
                name: _packed(getattr(value, name), f"{place}.{name}", tensors) for name in names if name != "members"
            },
        }
    if isinstance(value, Mapping):
        return {"map": {key: _packed(one, f"{place}.{key}", tensors) for key, one in value.items()}}
    if isinstance(value, tuple | list):
        return [_packed(one, f"{place}.{number}", tensors) for number, one in enumerate(value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InputError(f"{place}: a {type(value).__name__} cannot be saved")


def nameless(pool: Pool) -> Pool:
    """The same people in the same order under numbers, their recordings too."""
    number = dict(zip(pool.speakers, _numbers(len(pool)), strict=True))
    said = pool.utterances
    if said is not None:
        speakers = tuple(number[name] for name in said.speakers or ())
        said = replace(said, utterances=tuple(str(row) for row in range(len(said))), speakers=speakers)
    return Pool(pool.vectors, tuple(number.values()), pool.sex, said)


def _numbers(count: int) -> tuple[str, ...]:
    """Names that say nothing, in alphabetical order."""
    return tuple(f"{row:0{len(str(count))}}" for row in range(count))


def _unpacked(value: Any, tensors: dict[str, NDArray[Any]], secret: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return tuple(_unpacked(one, tensors, secret) for one in value)
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return _array(tensors[value["tensor"]], value["whole"])
    if "map" in value:
        return {key: _unpacked(one, tensors, secret) for key, one in value["map"].items()}
    kind = PARTS[value["part"]]
    given = {name: _unpacked(one, tensors, secret) for name, one in value["fields"].items()}
    if kind is Plda and (given["between"] < 0).any():
        raise ValueError("a variance below 0")
    if kind is Ensemble:
        _check_trees(given["trees"], given["inputs"].shape[1])
    if not issubclass(kind, PseudoSpeakers):
        return kind(**given)
    return kind(**{"members": (), **given}, **secret)


def _array(tensor: NDArray[Any], whole: bool) -> NDArray[Any]:
    if not np.isfinite(tensor).all():
        raise ValueError("NaN or infinity among its numbers")
    if whole and ((tensor != np.floor(tensor)) | (np.abs(tensor) > MOST_NUMBERS)).any():
        raise ValueError("an index that is no whole number")
    return tensor.astype(np.int64) if whole else tensor


def _check_trees(trees: Trees, inputs: int) -> None:
    """Which branch is taken depends on the vector, so that no trial shows an index that leads nowhere."""
    shape, nodes = trees.feature.shape, trees.feature.shape[-1]
    if any(part.shape != shape for part in (trees.threshold, trees.left, trees.right, trees.value)):
        raise ValueError("trees of different sizes")
    for part, most in ((trees.feature, inputs), (trees.left, nodes), (trees.right, nodes)):
        if part.min() < 0 or part.max() >= most:
            raise ValueError("a tree with a branch that leads nowhere")
