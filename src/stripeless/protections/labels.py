"""The attribute to hide: one label per vector, checked at the door, and a continuous attribute cut into classes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.embeddings.embeddings import Vectors, check_vectors
from stripeless.errors import InputError, NotANumber, OneClassOnly

ENOUGH_SPEAKERS = 20  # per class; below it the class means are the means of persons, not of the class
MOST_CLASSES = 20


class ProtectionWarning(UserWarning):
    """The result stands, but something about the data makes it weaker than it looks. `code` names it for programs."""

    def __init__(self, message: str, code: str = "doubtful_data") -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, eq=False)
class LabeledVectors:
    """Checked vectors; `codes[i]` is the place in `classes` of the label of row i, `speakers[i]` who it is.

    `doubts`: what about these data makes any result weaker than it looks; each was warned of.
    """

    vectors: Vectors
    classes: tuple[str, ...]
    codes: NDArray[np.int64]
    speakers: NDArray[np.int64]
    doubts: tuple[ProtectionWarning, ...] = ()

    @property
    def speaker_classes(self) -> NDArray[np.int64]:
        """The class of each speaker."""
        classes = np.zeros(int(self.speakers.max()) + 1, dtype=np.int64)
        classes[self.speakers] = self.codes
        return classes


def check_labeled(vectors: ArrayLike, labels: Sequence[object], speakers: Sequence[object] | None) -> LabeledVectors:
    """Vectors, labels and speakers that fit together, or a sentence that says why not.

    Without `speakers` every row counts as a speaker of its own. Warns where a class has fewer than 20 speakers, and
    where dimensions are constant.
    """
    rows = check_vectors(vectors)
    names = label_names(labels, len(rows), "labels")
    found, codes = np.unique(names, return_inverse=True)
    classes = tuple(str(name) for name in found)
    if len(classes) < 2:
        raise OneClassOnly(
            f"labels: all {len(rows)} rows are {classes[0]!r}; to hide an attribute, show two of its classes"
        )
    if len(classes) > MOST_CLASSES:
        raise InputError(
            f"labels: {len(classes)} different values, at most {MOST_CLASSES} classes are possible; "
            "cut a continuous attribute into classes with bin_attribute first"
        )
    ids = np.arange(len(rows)) if speakers is None else _speaker_ids(speakers, codes)
    doubts = _doubts_of_few(classes, codes, ids, "speakers" if speakers is not None else "rows")
    constant = int((np.ptp(rows, axis=0) == 0).sum())
    if constant == rows.shape[1]:
        raise InputError("vectors: all rows are the same; there is nothing to learn from")
    if constant:
        text = f"{constant} of {rows.shape[1]} dimensions are constant; they hide nothing and pass unchanged"
        doubts += (ProtectionWarning(text, "constant_dimensions"),)
    for doubt in doubts:
        warn(doubt)
    return LabeledVectors(rows, classes, codes.astype(np.int64), ids.astype(np.int64), doubts)


def label_names(labels: Sequence[object], rows: int, name: str) -> NDArray[np.str_]:
    """One text per row; missing labels are refused."""
    array = np.asarray(labels)
    if array.ndim != 1 or len(array) != rows:
        raise InputError(f"{name}: expected one per row ({rows}), got an array of shape {array.shape}")
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise NotANumber(f"{name}: {int(np.isnan(array).sum())} are NaN; leave those rows out")
        if (array == np.round(array)).all():
            array = array.astype(np.int64)
    if array.dtype.kind == "O":  # as tables with gaps are read: None, or a NaN among the texts
        missing = np.array([each is None or each != each for each in array])
        if missing.any():
            raise InputError(f"{name}: row {int(np.argmax(missing))} has no label; leave it out or name it")
    texts = array.astype(str)
    if (texts == "").any():
        raise InputError(f"{name}: row {int(np.argmax(texts == ''))} has an empty label; leave it out or name it")
    return np.asarray(texts, dtype=np.str_)


def bin_attribute(values: ArrayLike, bins: int = 3, *, like: ArrayLike | None = None) -> NDArray[np.str_]:
    """A continuous attribute, such as age, cut into classes of about equal size, named by their range.

    Parameters:
        values: one number per row.
        bins: how many classes, 2 or more; equal values can leave fewer.
        like: cut where these other values would be cut, so that two sets of people get the same classes; what lies
            beyond belongs to the outermost. None cuts by `values`.
    Returns:
        The name of each row's class, such as "21 to 41"; names sort like the numbers.

    >>> bin_attribute([21, 25, 38, 44, 61, 70], bins=2).tolist()
    ['21 to 41', '21 to 41', '21 to 41', '41 to 70', '41 to 70', '41 to 70']
    """
    numbers = _numbers(values)
    if bins < 2:
        raise InputError(f"bins: expected 2 or more, got {bins}")
    edges = np.unique(np.quantile(numbers if like is None else _numbers(like), np.linspace(0.0, 1.0, bins + 1)))
    if len(edges) < 3:
        raise OneClassOnly(f"values: {bins} bins of equal size fall together into one; most values are {edges[0]:g}")
    place = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
    width = max(len(f"{int(edge)}") for edge in np.abs(edges))  # padded, so that classes sort like numbers
    names = np.array([f"{low:>{width}.4g} to {high:.4g}" for low, high in pairwise(edges)])
    return np.asarray(names[place], dtype=np.str_)


def _numbers(values: ArrayLike) -> NDArray[np.float64]:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise NotANumber("values: expected numbers such as ages, got text; give classes as labels instead") from error
    if numbers.ndim != 1 or not numbers.size or not np.isfinite(numbers).all():
        raise NotANumber(f"values: expected a flat list of finite numbers, got shape {numbers.shape}, or NaN in it")
    return numbers


def warn(doubt: ProtectionWarning) -> None:
    """A warning that points at the caller of the fitting function."""
    warnings.warn(doubt, stacklevel=4)


def _speaker_ids(speakers: Sequence[object], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    names = label_names(speakers, len(codes), "speakers")
    people, ids = np.unique(names, return_inverse=True)
    low, high = np.full(len(people), len(codes)), np.full(len(people), -1)
    np.minimum.at(low, ids, codes)
    np.maximum.at(high, ids, codes)
    if (low != high).any():
        raise InputError(
            f"labels: speaker '{people[np.argmax(low != high)]}' carries more than one label; mend the list"
        )
    return np.asarray(ids, dtype=np.int64)


def _doubts_of_few(
    classes: tuple[str, ...], codes: NDArray[np.int64], ids: NDArray[np.int64], what: str
) -> tuple[ProtectionWarning, ...]:
    counts = [len(np.unique(ids[codes == k])) for k in range(len(classes))]
    if min(counts) < 2:
        raise InputError(
            f"labels: class {classes[int(np.argmin(counts))]!r} has one of the {what} only; two are needed"
        )
    few = [f"{name!r} has {count}" for name, count in zip(classes, counts, strict=True) if count < ENOUGH_SPEAKERS]
    if not few:
        return ()
    text = (
        f"{' and '.join(few)} {what}, fewer than {ENOUGH_SPEAKERS}: what is learned of the attribute is mixed with "
        "who these persons are, and others' attribute will show more than theirs"
    )
    return (ProtectionWarning(text, "few_speakers"),)
