"""A server of the page in a process of its own, for tests."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


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


WAV = (
    b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16)
    + b"data" + struct.pack("<I", 0)
)  # fmt: skip


def score_text(shift: float = 2.0, size: int = 300, seed: int = 0) -> str:
    rng = np.random.default_rng(seed)
    rows = [f"{s:.6f} target" for s in rng.normal(shift, 1, size)] + [
        f"{s:.6f} nontarget" for s in rng.normal(0, 1, size)
    ]
    return "\n".join(rows) + "\n"
