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

import re
from collections.abc import Iterable
from os import PathLike
from typing import Any

MOST = 600  # characters of a message
_LONGEST_FIELD = 60  # characters of what a file holds that a message may show
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")

_QUOTED = re.compile(rf"""(?<!\w)(b?)(['"])((?:\\.|(?!\2)[^\\]){{{_LONGEST_FIELD + 1},}})(?:\2(?!\w)|$)""")


def escaped(text: str, keep: str = "") -> str:
    """A text without signs that a terminal obeys instead of showing, save those in `keep`; the rest as JSON writes them.

    >>> print(escaped("red: \\x1b[31m"))
    red: \\u001b[31m
    """
    return _UNSEEN.sub(lambda sign: sign[0] if sign[0] in keep else f"\\u{ord(sign[0]):04x}", text)


def shown(value: object) -> str:
    """What a file holds, for a message: its beginning, on one line, and printable.

    >>> shown("a" * 100)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'
    """
    text = escaped(str(value)[: _LONGEST_FIELD + 1])
    return text if len(text) <= _LONGEST_FIELD else f"{text[: _LONGEST_FIELD - 3]}..."


def listed(names: Iterable[object], most: int = 8) -> str:
    """Names out of a file, for a message: the first few, each at most one short field.

    >>> listed("abc", most=2)
    'a, b, ...'
    """
    few = [*names]
    return ", ".join([shown(name) for name in few[:most]] + ["..."] * (len(few) > most)) or "nothing"


def one_line(message: str) -> str:
    """A message as it is raised: printable, on one line, no longer than can be read, and what it quotes is short.

    >>> one_line("expected a score, got '" + "7" * 1000 + "'")
    "expected a score, got '777777777777777777777777777777777777777777777777777777777...'"
    """
    message = _QUOTED.sub(_short_quote, escaped(_middle_out(message, 100 * MOST)))
    return _middle_out(message, MOST)


def _short_quote(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{found[3][: _LONGEST_FIELD - 3]}...{found[2]}"


def _middle_out(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2 - 5]} ... {text[-most // 2 :]}"


class StripelessError(Exception):
    """Base of every error that stripeless raises on purpose; its message is printable and at most 600 characters."""

    def __init__(self, message: object = "") -> None:
        super().__init__(one_line(str(message)))


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


def check_choice(name: str, value: object, known: Iterable[object]) -> None:
    """Refuse a value that is none of those known; `name` is what the message calls it.

    >>> check_choice("affinity", "cosine", ("plda", "cosine"))
    """
    few = [*known]
    if value not in few:
        raise InputError(f"{name}: expected one of {', '.join(map(str, few))}, got {value!r}")


def check_one_each(
    name: str, labels: int, rows: int, of: str = "rows", each: str = "row", kind: type[InputError] = InputError
) -> None:
    """Refuse more or fewer labels than there are rows.

    >>> check_one_each("speakers", 3, 3)
    """
    if labels != rows:
        raise kind(f"{name}: {labels} labels for {rows} {of}; there must be one per {each}")
