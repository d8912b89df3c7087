"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from stripeless.errors import FileError


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
