"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import tempfile
from pathlib import Path

from stripeless.errors import FileError

LOG = logging.getLogger(__name__)


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file so that it appears whole or not at all."""
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent or Path("."), prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"cannot be written ({reason}); choose a folder that exists and is yours") from error
    LOG.debug("wrote %s: %d bytes", path, len(data))


def refuse_stream(path: str | os.PathLike[str]) -> None:
    """Refuse a pipe, a socket or a device, before it is opened: reading one can wait for ever, or never come to an end."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return  # whoever opens it says what is wrong
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FileError(path, "a pipe or device can be read only once; save it to a file first")


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file; pipes and devices are refused."""
    refuse_stream(path)
    return Path(path).read_bytes()


def private_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder, and those above it that are not there, for this user alone; one that is there is closed to others.

    For what is remembered of people's recordings. Who shares a cache with a group gives the folder to the group first.
    """
    path = Path(path)
    if not path.parent.exists():
        private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & stat.S_IRWXO:
        with contextlib.suppress(OSError):  # somebody else's folder
            path.chmod(mode & ~stat.S_IRWXO)


def check_writable(path: str | os.PathLike[str], *, folder: bool = False) -> None:
    """Refuse a destination that cannot be written, and leave nothing behind. A folder need not exist yet, a file's must.

    Trying is the only test that counts: permission bits say nothing about read-only disks or the system's own folders.
    """
    path = Path(path)
    place = path if folder else path.parent
    if not folder and path.is_dir():
        raise FileError(path, "cannot be written (it is a folder); choose another name")
    while folder and not place.exists() and place != place.parent:
        place = place.parent
    try:
        os.rmdir(tempfile.mkdtemp(dir=place, prefix=".stripeless-"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"cannot be written ({reason}); choose a folder that exists and is yours") from error
