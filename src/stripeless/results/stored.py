"""Results in files: JSON that is checked before anybody relies on it; results of 0.1 stay readable."""

from __future__ import annotations

import json
import math
import re
from os import PathLike
from pathlib import Path
from typing import Any

from stripeless._files import refuse_stream, write_whole
from stripeless.errors import FileError, InputError, shown
from stripeless.results.codec import Result
from stripeless.results.kinds import TYPES, result_from_dict
from stripeless.results.versions import SCHEMA
from stripeless.tables.limits import SETTING, most_unpacked

MOST_BYTES = (
    50_000_000  # of one result: in memory JSON takes ten times its size, and a result with many recordings 5 MB
)
TOO_LARGE = f"is larger than {MOST_BYTES // 1_000_000} MB; a result never is (or set {SETTING})"
AGAIN = "write it again with --json"

HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def read_result(path: str | PathLike[str]) -> Result:
    """The result that a command or `write_result` stored; FileError where the file holds none or is damaged.

    Parameters:
        path: a JSON file.

    Returns:
        An object of the type that was stored: `Assessment`, `Evaluation`, `RankReport` and so on.
    """
    result = result_or_none(path)
    if result is None:
        raise FileError(path, "is not a result; write one with --json, such as: stripeless assess SCORES --json")
    return result


def write_result(path: str | PathLike[str], result: Result) -> None:
    """Store a result as JSON; the file appears whole or not at all.

    Parameters:
        path: where to write.
        result: what a study handed back.
    """
    if not isinstance(result, Result):
        raise InputError(f"result: expected a result, such as assess() returns, got {type(result).__name__}")
    try:
        text = result_text(result.to_dict()).encode()
    except UnicodeEncodeError as error:
        raise FileError(path, f"cannot be written: a name in the result is no text ({error.reason})") from error
    write_whole(path, text)


def result_text(plain: dict[str, Any]) -> str:
    """The text of a stored result: the same as a command prints with --json."""
    return json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def result_or_none(path: str | PathLike[str]) -> Result | None:
    """A result that was written as JSON, or None where the file is something else (scores, say)."""
    path = Path(path)
    refuse_stream(path)
    try:
        with open(path, "rb") as file:
            start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
            if not start.startswith(b"{"):
                return None
            if path.stat().st_size > most_unpacked(0, free=MOST_BYTES):
                raise FileError(path, TOO_LARGE)
            text = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"cannot be read ({error.strerror}); check the path") from error
    return parse_result(text, str(path))


def parse_result(text: bytes, name: str) -> Result:
    """The result in this JSON; `name` stands for the file in messages."""
    if len(text) > most_unpacked(0, free=MOST_BYTES):
        raise FileError(name, TOO_LARGE)
    try:
        data = json.loads(text.decode("utf-8-sig"), parse_constant=_refuse, parse_float=_finite)
        _check_whole_signs(text, data)
    except (ValueError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(name, f"is not valid JSON ({error}); {AGAIN}") from error
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str) or data["kind"] not in TYPES:
        raise FileError(name, "is JSON, but not a result of a command of ours; write one with --json")
    if type(data.get("schema")) is not int or not 1 <= data["schema"] <= SCHEMA:
        raise FileError(name, f"was written by a newer version (schema {data.get('schema')}); update stripeless")
    try:
        return result_from_dict(data)
    except InputError as error:
        raise FileError(name, f"is damaged: {error}; {AGAIN}") from error
    except RecursionError as error:
        raise FileError(name, f"holds results inside results without end; {AGAIN}") from error


def _check_whole_signs(text: bytes, data: object) -> None:
    """JSON can spell out half a sign (`\\ud800` alone), which no file can be written with."""
    if HALF.search(text) is not None:
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"half a sign, {shown(error.object[error.start])}, stands alone") from None


def _finite(text: str) -> float:
    """A number; one that is too large would be infinity, which JSON does not have."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{shown(text)} is no number that a computer can hold")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def find_results(folder: str | PathLike[str]) -> tuple[list[tuple[str, Result]], list[str]]:
    """Every result in a folder and below it, by what the files hold; and the JSON files that hold something else."""
    folder = Path(folder)
    found: list[tuple[str, Result]] = []
    others = []
    for path in sorted(folder.rglob("*.json")):
        try:
            result = result_or_none(path)
        except FileError:
            result = None
        if result is None:
            others.append(str(path.relative_to(folder)))
        else:
            found.append((str(path), result))
    if not found:
        raise FileError(folder, "holds no results; write them with assess ... --json > FILE.json")
    return found, others
