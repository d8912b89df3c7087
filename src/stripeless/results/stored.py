"""Results from files: JSON that a command wrote, checked before anybody relies on it; old versions stay readable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stripeless.errors import FileError, InputError
from stripeless.results.shape import check_shape
from stripeless.results.versions import SCHEMA

SCORES = ("assessment", "evaluation", "comparison")  # these hold measures of scores and can stand side by side
KINDS = (
    *SCORES, "systems", "listening", "attack", "similarity", "rank", "attribute", "reproduction", "summary",
)  # fmt: skip
MOST_BYTES = 200_000_000  # of one result; larger files are no results of ours


def read_result(path: str | Path) -> dict[str, Any] | None:
    """A result that was written as JSON, or None where the file is something else (scores, say)."""
    path = Path(path)
    try:
        with open(path, "rb") as file:
            start = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
            if not start.startswith(b"{"):
                return None
            if path.stat().st_size > MOST_BYTES:
                raise FileError(path, f"is larger than {MOST_BYTES // 1_000_000} MB; a result never is")
            text = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"cannot be read ({error.strerror}); check the path") from error
    return parse_result(text, str(path))


def parse_result(text: bytes, name: str) -> dict[str, Any]:
    """The result in this JSON; `name` stands for the file in messages."""
    try:
        result = json.loads(text.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(name, f"is not valid JSON ({error}); write it again with --json") from error
    check_result(name, result)
    return dict(result)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def check_result(path: str, result: Any) -> None:
    """Refuse JSON that no command of ours wrote."""
    if not isinstance(result, dict) or result.get("kind") not in KINDS:
        raise FileError(path, "is JSON, but not a result of a command of ours; write one with --json")
    if not isinstance(result.get("schema"), int) or result["schema"] > SCHEMA:
        raise FileError(path, f"was written by a newer version (schema {result.get('schema')}); update stripeless")
    try:
        if result["kind"] == "systems":
            _ = [(c["system"], c["measure"], c["value"] + 0.0) for c in result["cells"]], result["rankings"]
        elif result["kind"] == "listening":
            _ = [view["groups"] for view in result["views"].values()], result["verification"], result["counts"]
        else:
            check_shape(result)
    except InputError as error:
        raise FileError(path, f"is damaged: {error}; write it again with --json") from error
    except RecursionError as error:
        raise FileError(path, "holds results inside results without end; write it again with --json") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise FileError(path, f"the result lacks {error}; write it again with --json") from error


def find_results(folder: str | Path) -> tuple[list[tuple[str, dict[str, Any]]], list[str]]:
    """Every result in a folder and below it, by what the files hold; and the JSON files that hold something else."""
    folder = Path(folder)
    found, others = [], []
    for path in sorted(folder.rglob("*.json")):
        try:
            result = read_result(path)
        except FileError:
            result = None
        if result is None:
            others.append(str(path.relative_to(folder)))
        else:
            found.append((str(path), result))
    if not found:
        raise FileError(folder, "holds no results; write them with assess ... --json > FILE.json")
    return found, others
