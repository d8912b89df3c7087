"""What can go wrong, as a tree.

    StripelessError
    |- InputError (ValueError)      the data are at fault; the command line exits with 1
    |  |- FileError                 a file, and where possible the line in it
    |  |- NotANumber                NaN, or text where a number should be
    |  |- OneClassOnly              targets without nontargets, or the other way round
    |  |- TooFewTrials              the number exists only with more trials than there are
    |  |- TrialMismatch             trials and scores, or two systems, do not belong together
    |- MissingExtra (ImportError)   an optional package is not installed; the message is the pip line
    |- WorkerLost (RuntimeError)    the processes or machines that did the work are gone, again and again

Each message is one sentence or two: what was given, what was expected, what to do.
"""

from __future__ import annotations

from os import PathLike
from typing import Any


class StripelessError(Exception):
    """Base of every error that stripeless raises on purpose."""


class InputError(StripelessError, ValueError):
    """The data are at fault, not the program."""


class FileError(InputError):
    """A file cannot be used; `path` and, where known, `line` say where."""

    def __init__(self, path: str | PathLike[str], message: str, line: int | None = None) -> None:
        self.path = str(path)
        self.line = line
        self._message = message
        where = self.path if line is None else f"{self.path}, line {line}"
        super().__init__(f"{where}: {message}")

    def __reduce__(self) -> tuple[Any, ...]:
        """How it travels between processes: by what it was made of."""
        return type(self), (self.path, self._message, self.line), self.__dict__


class NotANumber(InputError):
    """A value is NaN or no number at all."""


class OneClassOnly(InputError):
    """Only targets or only nontargets are there, so nothing can be told apart."""


class TooFewTrials(InputError):
    """The number asked for exists only with more trials."""


class TrialMismatch(InputError):
    """Two things that must list the same trials do not."""


class MissingExtra(StripelessError, ImportError):
    """An optional package is missing; the message holds the pip line that brings it."""


class WorkerLost(StripelessError, RuntimeError):
    """Work was given up because those who did it died, each time it was placed again."""
