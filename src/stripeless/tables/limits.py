"""How much a file may unpack to. A small file that would fill the memory ends in one sentence instead."""

from __future__ import annotations

import os

from stripeless.errors import FileError, InputError, shown

SETTING = "STRIPELESS_UNPACK_MB"
FREE = 1 << 30  # bytes that any file may unpack to
TIMES = 100  # a larger one may unpack to this many times its size


def most_unpacked(size: int, *, free: int = FREE, times: int = TIMES) -> int:
    """Bytes that a file of this size may unpack to; the user's word where STRIPELESS_UNPACK_MB says one.

    >>> most_unpacked(2_000), most_unpacked(2_000_000_000)
    (1073741824, 200000000000)
    """
    setting = os.environ.get(SETTING)
    if not setting:
        return max(free, times * size)
    if not setting.isascii() or not setting.isdigit():
        raise InputError(f"{SETTING}: expected a whole number of megabytes, got {shown(setting)!r}")
    return int(setting[:12]) * 1_000_000


def check_unpacked(path: str, unpacked: int, size: int) -> None:
    """Refuse a file that unpacks to more than it may."""
    if unpacked > most_unpacked(size):
        raise FileError(path, beyond(unpacked))


def beyond(unpacked: int) -> str:
    """The sentence about a file that unpacks to so many bytes, or claims to."""
    return (
        f"it unpacks to {unpacked / 1e6:.0f} MB or more, far more than it is; write it again, or set {SETTING} to a higher "
        "number of megabytes if it is sound"
    )
