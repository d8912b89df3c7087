"""What the library says of its arguments, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Collection

_BOTH = re.compile(r"(?P<option>--(?P<name>[a-z][a-z-]*)) \((?P<argument>[a-z_]+)=(?:\([^()]*\)|[^()]*)\)")
_NAMED = re.compile(r"`([a-z][a-z_0-9]*)`")
_FIRST = re.compile(r"([a-z][a-z_0-9]*): ")


def in_options(message: str, arguments: Collection[str], *, begins_with_path: bool = False) -> str:
    """A message with options in place of Python arguments, for a command that has options of these names.

    >>> in_options("leave them out with --allow-missing (allow_missing=True)", ())
    'leave them out with --allow-missing'
    >>> in_options("fit_on: give the list as `fit_labels`", ("fit_on", "fit_labels"))
    '--fit-on: give the list as --fit-labels'
    """
    message = _BOTH.sub(_alone, message)
    message = _NAMED.sub(lambda found: _option(found[1]) if found[1] in arguments else found[0], message)
    first = None if begins_with_path else _FIRST.match(message)
    return f"{_option(first[1])}{message[first.end() - 2 :]}" if first and first[1] in arguments else message


def _alone(found: re.Match[str]) -> str:
    return found["option"] if found["name"].replace("-", "_") == found["argument"] else found[0]


def _option(argument: str) -> str:
    return f"--{argument.replace('_', '-')}"
