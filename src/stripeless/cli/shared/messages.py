"""What a command says beside its result: one place for messages, warnings and progress, on standard error and in a log.

Everything goes through module `logging` under the name "stripeless". Commands log as "stripeless.cli", the library under the
names of its modules; standard error shows the first always and the second with --verbose, a log file shows both.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from stripeless._log import LIBRARY
from stripeless.errors import FileError, escaped

DOOR = logging.getLogger("stripeless.cli")
TO_FILE = "stripeless.cli.file"  # for what standard error shows in another form
WIDTH = 30  # of a bar


def put(text: str, *, err: bool = False) -> None:
    """Print, with every sign escaped that a terminal would obey: names come from files that others made."""
    click.echo(escaped(text, keep="\n\t"), err=err)


def say(message: str) -> None:
    """A message: standard error, so that standard output holds the result alone."""
    DOOR.info(message)


def warn(message: str) -> None:
    """A message that asks for attention."""
    DOOR.warning("Warning: %s", message)


def note_error(message: str) -> None:
    """An error into the log file; standard error is told by whoever ends the program."""
    logging.getLogger(TO_FILE).error("Error: %s", message)


def note_crash() -> None:
    """An error of the program into the log file, with where it happened."""
    logging.getLogger(TO_FILE).exception("The program failed:")


class StandardError(logging.Handler):
    """Messages as they are, without date or name."""

    def __init__(self, *, verbose: bool, quiet: bool) -> None:
        super().__init__(logging.ERROR if quiet else logging.INFO)
        self.verbose, self.quiet = verbose, quiet

    def filter(self, record: logging.LogRecord) -> bool:
        """What the command says; what the library does only with --verbose."""
        own = record.name == DOOR.name
        return record.name != TO_FILE and (own or self.verbose or record.levelno >= logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        """One line."""
        put(record.getMessage(), err=True)


_showing: list[StandardError] = []  # the one in use; calls of commands do not overlap


@contextmanager
def speaking(*, verbose: bool = False, quiet: bool = False, log: str | None = None) -> Iterator[None]:
    """Messages go to standard error, and with `log` to that file with the time of each, until the block ends."""
    screen = StandardError(verbose=verbose, quiet=quiet)
    handlers: list[logging.Handler] = [screen, *([] if log is None else [open_log(log)])]
    before = LIBRARY.level
    LIBRARY.setLevel(logging.DEBUG if log else logging.INFO)
    for handler in handlers:
        LIBRARY.addHandler(handler)
    _showing.append(screen)
    try:
        yield
    finally:
        _showing.remove(screen)
        LIBRARY.setLevel(before)
        for handler in handlers:
            LIBRARY.removeHandler(handler)
            handler.close()


class _Printable(logging.Formatter):
    """A log is looked at on a terminal too."""

    def format(self, record: logging.LogRecord) -> str:
        return escaped(super().format(record), keep="\n\t")


def open_log(path: str) -> logging.Handler:
    """The file, opened now, so that one that cannot be written is found before work starts; it grows with each run."""
    if Path(path).is_dir():
        raise FileError(path, "cannot be written (it is a folder); choose another name")
    try:
        _refuse_waiting(path)
        handler = logging.FileHandler(path, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"cannot be written ({reason}); choose a folder that exists and is yours") from error
    handler.setFormatter(_Printable("%(asctime)s %(levelname)-7s %(message)s"))
    return handler


def _refuse_waiting(path: str) -> None:
    """A pipe that nobody reads lets whoever opens it wait for ever; asked without waiting, the system says so."""
    if Path(path).is_fifo() and hasattr(os, "O_NONBLOCK"):
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            raise FileError(path, "is a pipe that nobody reads; name a file") from error


def bars_shown() -> bool:
    """A bar is for a person who watches; none with --quiet, and none in a file."""
    quiet = bool(_showing) and _showing[-1].quiet
    return sys.stderr.isatty() and not quiet


def progress_line(done: int, total: int) -> None:
    """How far work on so many items is: a bar on standard error, every tenth of it in the log."""
    if done * 10 // max(total, 1) != (done - 1) * 10 // max(total, 1):
        logging.getLogger(TO_FILE).debug("%d of %d", done, total)
    if bars_shown():
        filled = WIDTH * done // total
        end = "\n" if done == total else ""
        click.echo(f"\r[{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{total}{end}", nl=False, err=True)


class ProgressLine:
    """A bar that says how far work is and how long it will still take; only on a terminal, only after a second."""

    def __init__(self) -> None:
        self.shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def update(self, done: int, total: int, seconds: float) -> None:
        """So many of all are done, after so many seconds."""
        if seconds < 1 or total < 2 or not bars_shown():
            return
        left = in_time(seconds / done * (total - done))
        bar = "#" * (WIDTH * done // total)
        click.echo(f"\r[{bar:<{WIDTH}}] {done / total:4.0%}  {left} left   ", err=True, nl=False)
        self.shown = True

    def __exit__(self, *error: object) -> None:
        if self.shown:
            click.echo("", err=True)


def in_time(seconds: float) -> str:
    """Seconds as people say them.

    >>> in_time(4.2), in_time(200), in_time(9000)
    ('4 s', '3 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
