"""The one door through which scores enter: shape, numbers, both classes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.errors import InputError, NotANumber, OneClassOnly

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]


def check_class(values: ArrayLike, name: str) -> FloatArray:
    """One class of scores as a 1-D float64 array, or a sentence that says why not."""
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        raise InputError(f"{name}: some scores are masked; leave those trials out (compressed()) before measuring")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name}: expected a flat list of numbers, got rows of unequal length") from error
    if array.ndim != 1:
        raise InputError(
            f"{name}: expected a flat list of scores, got an array of shape {array.shape}; "
            "flatten it, or pick one column"
        )
    if array.dtype.kind not in "fiub":
        raise NotANumber(f"{name}: expected numbers, got values of type {array.dtype}")
    array = array.astype(np.float64, copy=False)
    bad = np.isnan(array)
    if bad.any():
        first = int(np.argmax(bad))
        raise NotANumber(
            f"{name}: {int(bad.sum())} of {array.size} scores are NaN (the first at index {first}); "
            "find out why the comparison failed, or leave those trials out of both classes"
        )
    return array


def check_scores(target: ArrayLike, nontarget: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Both classes as float64 arrays. Infinite scores are legal; NaN and an empty class are not."""
    target = check_class(target, "target")
    nontarget = check_class(nontarget, "nontarget")
    if not target.size and not nontarget.size:
        raise OneClassOnly("target and nontarget: both are empty; there is nothing to measure")
    for scores, name, other in ((target, "target", "nontarget"), (nontarget, "nontarget", "target")):
        if not scores.size:
            raise OneClassOnly(
                f"{name}: empty, while {other} has scores; a measure needs both classes, so check the labels"
            )
    return target, nontarget
