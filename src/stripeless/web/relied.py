"""What the page takes for granted of starlette, looked at before anybody is let in.

Two of these are no part of its public interface: without them a large upload would stay in memory, and no error would say so.
"""

from __future__ import annotations

import inspect

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
    gone = [name for name, there in pieces.items() if not there]
    if gone:
        from importlib.metadata import version

        raise MissingExtra(
            f"The local page relies on {gone[0]}, which starlette {version('starlette')} does not have; "
            "pip install --upgrade 'stripeless[web]', or an earlier starlette"
        )
