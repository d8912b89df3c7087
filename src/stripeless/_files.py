"""Files that appear whole or not at all, what a killed run left of them, and folders for this user alone."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from stripeless.errors import FileError, InputError

LOG = logging.getLogger(__name__)


# how long ago a leftover must have been written to: by this machine, and by another, of whose programs nothing is known
_OLD, _OLD_ELSEWHERE = 60.0, 7 * 24 * 3600.0
_OURS = re.compile(r"\.stripeless-([0-9a-f]{8})-([0-9]{1,10})-[a-z0-9_]{8}")
_cleared: set[str] = set()  # folders that this process, or the one that it was copied from, has looked through


def write_whole(path: str | os.PathLike[str], content: str | bytes, *, private: bool = False) -> None:
    """Write a file so that it appears whole or not at all; a `private` one is for this user alone."""
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    clear_leftovers(path.parent)
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_prefix())
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            if not private:
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


@contextlib.contextmanager
def working_folder(place: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """A folder that is gone afterwards, in `place` or where the system keeps such things.

    What a killed program leaves of it is cleared by the next.
    """
    place = Path(tempfile.gettempdir() if place is None else place)
    clear_leftovers(place)
    with tempfile.TemporaryDirectory(dir=place, prefix=_prefix()) as folder:
        yield Path(folder)


@contextlib.contextmanager
def folder_for(out: str | os.PathLike[str] | None) -> Iterator[Path]:
    """The folder asked for, or one that is gone afterwards."""
    if out is not None:
        yield Path(out)
        return
    with working_folder() as folder:
        yield folder


def marked_folder(place: str | os.PathLike[str] | None = None) -> Path:
    """A new folder for this user alone, named so that what a killed program leaves of it is known as such."""
    return Path(tempfile.mkdtemp(dir=place, prefix=_prefix()))


def clear_leftovers(folder: Path, *, at_once: bool = False) -> None:
    """Remove what dead programs of ours were writing in this folder when they ended; looked for once by each process.

    Only what has our pattern of a name, belongs to this user, names a process of this machine that has ended, and has not
    changed for a minute; `at_once` does not wait for that minute, and looks again. What another machine wrote, or another
    container, goes after a week.
    """
    key = os.path.abspath(folder)
    if key in _cleared and not at_once:
        return
    _cleared.add(key)
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if (found := _OURS.fullmatch(entry.name)) and _is_left(
                entry, found[1], int(found[2]), 0.0 if at_once else _OLD
            ):
                _remove(entry)


def _is_left(entry: os.DirEntry[str], machine: str, process: int, old: float) -> bool:
    about = entry.stat(follow_symlinks=False)
    if hasattr(os, "getuid") and about.st_uid != os.getuid():
        return False
    here = machine == _machine() and hasattr(os, "getpgid")  # elsewhere a process cannot be asked for without harm
    return time.time() - about.st_mtime > (old if here else _OLD_ELSEWHERE) and not (here and is_running(process))


def _remove(entry: os.DirEntry[str]) -> None:
    LOG.info("removing %s, which a program that was ended left behind", entry.path)
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.unlink(entry.path)


def is_running(process: int) -> bool:
    """Is there a process of this number, whoever's it is?"""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # somebody else's
    return True


def _prefix() -> str:
    """How names of what is being written begin: who writes, so that others can tell whether it was left behind."""
    return f".stripeless-{_machine()}-{os.getpid()}-"


@cache
def _machine() -> str:
    """Eight digits that stand for this machine, and for the container on it: numbers of processes mean something there alone."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]


def state_folder() -> Path:
    """Where programs keep what they need to go on: XDG_STATE_HOME, LOCALAPPDATA or the Library, whichever there is."""
    if place := os.environ.get("XDG_STATE_HOME"):
        return Path(place) / "stripeless"
    if place := os.environ.get("LOCALAPPDATA"):
        return Path(place) / "stripeless" / "state"
    try:
        home = Path.home()
    except RuntimeError as error:
        raise InputError(f"state: this user has no home folder ({error}); say where with --state DIR") from error
    library = home / "Library" / "Application Support"
    return library / "stripeless" if library.is_dir() else home / ".local" / "state" / "stripeless"


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
        os.rmdir(tempfile.mkdtemp(dir=place, prefix=_prefix()))
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"cannot be written ({reason}); choose a folder that exists and is yours") from error
