"""What the page takes for granted of starlette and uvicorn, looked at before anybody is let in.

Most of it is no part of a public interface: without it a large upload would stay in memory, or a connection open for ever,
and no error would say so.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartParser
from starlette.requests import Request

from stripeless.errors import MissingExtra


def check_starlette() -> None:
    """Refuse a release of starlette in which something that the page relies on is gone."""
    given = inspect.signature(Request.form).parameters
    pieces = {
        "MultiPartParser.spool_max_size": isinstance(getattr(MultiPartParser, "spool_max_size", None), int),
        "Request.form(max_files=, max_fields=)": {"max_files", "max_fields"} <= set(given),
        "UploadFile.read": hasattr(UploadFile, "read"),
    }
    _refuse("starlette", pieces)


def check_uvicorn() -> None:
    """Refuse a release of uvicorn whose connections are made otherwise than `connections.py` takes them to be."""
    from uvicorn.protocols.http import auto

    line = auto.AutoHTTPProtocol
    cycle = getattr(sys.modules[line.__module__], "RequestResponseCycle", None)
    methods = ("connection_made", "data_received", "connection_lost", "pause_writing", "resume_writing")
    pieces = {f"{line.__name__}.{name}": name in vars(line) for name in methods}
    pieces |= {f"{line.__name__}.{name}": name in _sets(line) for name in ("cycle", "transport", "client", "loop")}
    pieces["RequestResponseCycle.response_complete"] = cycle is not None and "response_complete" in _sets(cycle)
    _refuse("uvicorn", pieces)


def _sets(kind: Any) -> tuple[str, ...]:
    """The names that objects of this class get when they are made."""
    return tuple(kind.__init__.__code__.co_names)


def _refuse(package: str, pieces: dict[str, bool]) -> None:
    gone = [name for name, there in pieces.items() if not there]
    if gone:
        from importlib.metadata import version

        raise MissingExtra(
            f"The local page relies on {gone[0]}, which {package} {version(package)} does not have; "
            f"pip install --upgrade 'stripeless[web]', or an earlier {package}"
        )
