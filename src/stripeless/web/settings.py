"""What the page allows. Every limit is here, so that one place says how much memory, disk and time a visitor can take."""

from __future__ import annotations

import os
from dataclasses import dataclass

MB = 1_000_000


@dataclass(frozen=True)
class Settings:
    """Limits of the local page. Sizes are bytes; `token` is asked for where others than this machine can reach the page."""

    hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})
    token: str = ""
    file_bytes: int = 200 * MB
    request_bytes: int = 400 * MB
    request_files: int = 100
    session_bytes: int = 1000 * MB
    session_items: int = 500
    sessions: int = 1000
    form_bytes: int = 1 * MB  # of any other form than an upload
    form_seconds: float = 30.0
    uploads_at_once: int = 8  # the others wait before a byte of theirs is read
    uploads_by_visitor: int = 2
    upload_seconds: float = 600.0
    silence_seconds: float = 15.0  # without a byte, while a body or the reading of an answer is awaited
    slowest: int = 20_000  # bytes a second, on average, once the silence that is allowed is over
    discard_seconds: float = 20.0  # that the rest of a refused body is read and thrown away, so that the answer arrives
    discard_bytes: int = 1000 * MB
    discards_at_once: int = 64
    header_seconds: float = 20.0  # from a connection, or the first byte on one in use, to the end of the headers
    header_bytes: int = 64_000
    connections: int = 500
    connections_by_address: int = 400  # behind a server in between everybody has one address
    requests_by_visitor: int = 32  # at the same time; a browser makes about six
    session_jobs: int = 500  # waiting or running
    all_bytes: int = 8000 * MB
    idle_seconds: float = 12 * 3600.0
    queued_jobs: int = 1000
    job_seconds: float = 1800.0
    worker_memory: int = 8000 * MB
    workers: int = max(1, min(4, (os.cpu_count() or 2) - 1))
