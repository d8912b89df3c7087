"""HDF5 files, through h5py, an extra: what lies in the file itself, and nothing else.

HDF5 can name other files in three ways: a dataset whose numbers lie elsewhere (external storage), one that is put together from
other datasets (virtual), and a link into another file. Each would let a file that somebody sends show what lies on the disk of
whoever opens it, so each is refused before a value is read. Soft links stay within the file and are followed. Sizes that
a header claims are held against the size of the file, as for NumPy archives.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless._extras import need
from stripeless._files import refuse_stream
from stripeless.errors import FileError, InputError, shown
from stripeless.tables.hdf5_texts import check_before_opening, claimed_texts
from stripeless.tables.limits import beyond, most_unpacked
from stripeless.tables.text import guarded

MOST_SOFT_LINKS = 16  # on the way to one dataset; two that name each other would never end
_BROKEN = (OSError, RuntimeError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError,
           zlib.error)  # fmt: skip


@dataclass
class Hdf5File:
    """An open file. Groups and datasets go by their path; `room` is how many bytes may still be unpacked."""

    path: str
    root: Any
    h5py: Any
    room: int
    _seen: set[Any] = field(default_factory=set)

    @property
    def names(self) -> tuple[str, ...]:
        """What lies at the top."""
        return tuple(_names(self.root))

    def __contains__(self, place: str) -> bool:
        return self._found(place) is not None

    def __getitem__(self, place: str) -> NDArray[Any]:
        found = self._found(place)
        if found is None:
            raise FileError(self.path, f"has nothing called {shown(place)!r}; write it again")
        return self.values(found, place)

    def values(self, dataset: Any, place: str) -> NDArray[Any]:
        """The numbers or texts of a dataset that holds them itself."""
        if not isinstance(dataset, self.h5py.Dataset):
            raise FileError(self.path, f"{shown(place)!r} is no dataset; write it again")
        plist = dataset.id.get_create_plist()
        if plist.get_layout() == self.h5py.h5d.VIRTUAL or plist.get_external_count():
            self._refuse(place)
        self._take(place, dataset.size, dataset.dtype.itemsize)
        self._take(place, claimed_texts(self.h5py, self.path, dataset), 1)
        return np.asarray(dataset[()])

    def datasets(self) -> Iterator[tuple[str, Any]]:
        """All datasets in the file's own order, with their path; what is linked twice is listed where it stands first."""
        waiting = [("", self.root)]
        while waiting:
            place, item = waiting.pop()
            if item is None or self._again(item):
                continue
            if isinstance(item, self.h5py.Dataset):
                yield place, item
            elif isinstance(item, self.h5py.Group):
                inner = [f"{place}/{name}" if place else name for name in _names(item)]
                waiting += [(below, self._found(below)) for below in reversed(inner)]

    def label(self, dataset: Any, name: str) -> str | None:
        """A text that describes a dataset; None where there is none."""
        if name not in dataset.attrs:
            return None
        kept = dataset.attrs.get_id(name)
        if kept.shape not in ((), (1,)):
            raise FileError(self.path, f"{name} of a dataset has the shape {kept.shape}; expected one text")
        self._take(name, 1, kept.dtype.itemsize)
        value = np.asarray(dataset.attrs[name]).reshape(-1)[0]
        return value.decode() if isinstance(value, bytes) else str(value)

    def _found(self, place: str) -> Any | None:
        """The group or dataset at a path, step by step, so that no link out of the file is ever followed."""
        here, steps, left = self.root, place.split("/"), MOST_SOFT_LINKS
        while steps:
            step = steps.pop(0).encode()
            if step in (b"", b"."):
                continue
            if not isinstance(here, self.h5py.Group) or not here.id.links.exists(step):
                return None
            kind = here.id.links.get_info(step).type
            if kind == self.h5py.h5l.TYPE_HARD:
                here = here[step]
            elif kind == self.h5py.h5l.TYPE_SOFT:
                if not left:
                    raise FileError(self.path, f"{shown(place)!r} is a circle of links; write it again")
                target = here.id.links.get_val(step).decode()
                here, left = self.root if target.startswith("/") else here, left - 1
                steps = target.split("/") + steps
            else:
                self._refuse(place)
        return here

    def _refuse(self, place: str) -> None:
        raise FileError(
            self.path, f"{shown(place)!r} lies in another file, which is never opened; copy the values into it"
        )

    def _again(self, item: Any) -> bool:
        address = self.h5py.h5o.get_info(item.id).addr
        again = address in self._seen
        self._seen.add(address)
        return again

    def _take(self, place: str, entries: int | None, width: int) -> None:
        self.room -= (entries or 0) * max(width, 1)
        if self.room < 0:
            raise FileError(self.path, f"{shown(place)!r}: {beyond(-self.room)}")


@contextmanager
def open_hdf5(path: str | PathLike[str]) -> Iterator[Hdf5File]:
    """Open a file for reading; what h5py says of one that it cannot read becomes one sentence."""
    name = os.fspath(path)
    h5py = need("h5py", "hdf5", f"reading {name}")
    refuse_stream(name)
    guarded(name, lambda: check_before_opening(name))
    try:
        with h5py.File(name, "r") as file:
            yield Hdf5File(name, file, h5py, most_unpacked(os.path.getsize(name)))
    except InputError:
        raise
    except _BROKEN as error:  # h5py raises what it likes
        raise FileError(name, f"a broken HDF5 file ({shown(error)}); write it again") from None


def _names(group: Any) -> list[str]:
    """In the order of writing where the file keeps it, which older releases of h5py would not ask for."""
    names: list[bytes] = []

    def note(name: bytes, *about: Any) -> None:
        names.append(name)

    try:
        h5py = need("h5py", "hdf5", "reading HDF5")
        held = group[group.name]  # of a file its first group
        held.id.links.iterate(note, idx_type=h5py.h5.INDEX_CRT_ORDER)
    except (RuntimeError, ValueError):  # no such order is kept
        names = [*group.id]
    return [raw.decode() for raw in names]
