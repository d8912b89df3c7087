"""A server of the page in a process of its own, for tests."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """The address of a running page; the server ends with the block."""
    command = [sys.executable, "-m", "stripeless.cli", "serve", "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if match := re.search(r"(http://\S+)", line):
                yield match[1]
                return
        raise AssertionError("the page did not start")
    finally:
        process.terminate()
        process.wait(20)
        if process.stderr is not None:
            process.stderr.close()
