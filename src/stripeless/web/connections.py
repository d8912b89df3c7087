"""Connections that send no request: nobody holds one open by headers that never end, by silence, or by an answer left unread.

The server under the page (uvicorn) limits none of these. What it is made of is taken as it is, and a clock is put beside it.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn import Config, Server
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from stripeless.web.app import create_app
from stripeless.web.relied import check_uvicorn
from stripeless.web.settings import Settings


def make_server(settings: Settings, **more: Any) -> Server:
    """The page and the server under it, with every limit of `settings`; `more` goes to `uvicorn.Config`."""
    check_uvicorn()
    _allow_files(settings.connections + settings.uploads_at_once * settings.request_files + 200)
    how: dict[str, Any] = {
        "log_level": "warning", "access_log": False, "server_header": False, "backlog": 1024, "timeout_keep_alive": 30,
        "timeout_graceful_shutdown": 3, "http": limited_protocol(settings),
    }  # fmt: skip
    return Server(Config(create_app(settings), **(how | more)))


def _allow_files(many: int) -> None:
    """As many open files as the limits add up to, where the system has a lower limit that may be raised."""
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and soft < many:
            allowed = many if hard == resource.RLIM_INFINITY else min(many, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
    except (ImportError, ValueError, OSError):
        pass  # not every system has such a limit, or lets it be raised


class Lines:
    """All open connections. Where there are too many, the one that has waited longest for its request makes room."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.open: dict[Any, str] = {}

    def enter(self, line: Any, address: str) -> None:
        """A new connection; it is turned away itself where all the others are at work."""
        self.open[line] = address
        of_address = [one for one, whose in self.open.items() if whose == address]
        if len(of_address) > self.settings.connections_by_address:
            self._make_room(of_address, line)
        elif len(self.open) > self.settings.connections:
            self._make_room(list(self.open), line)

    def leave(self, line: Any) -> None:
        """A connection that is closed."""
        self.open.pop(line, None)

    def _make_room(self, lines: list[Any], last: Any) -> None:
        waiting = [one for one in lines if one is not last and one.waits]
        (min(waiting, key=lambda one: one.since) if waiting else last).end()


def limited_protocol(settings: Settings) -> type[asyncio.Protocol]:
    """The class of connections for one server, with its limits."""
    lines = Lines(settings)

    class Limited(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """One connection. It waits for a request until the headers are whole, and again after the answer."""

        since = 0.0
        head = 0
        clock: asyncio.TimerHandle | None = None
        unread: asyncio.TimerHandle | None = None

        @property
        def waits(self) -> bool:
            """Is no request being answered?"""
            return self.cycle is None or bool(self.cycle.response_complete)

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._start_clock()
            lines.enter(self, self.client[0] if self.client else "")

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if not self.waits:
                self._stop_clock()
                return
            self.head += len(data)
            if self.clock is None:
                self._start_clock()
            if self.head > settings.header_bytes:
                self.end()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_clock()
            self.resume_writing()
            lines.leave(self)
            super().connection_lost(exc)

        def pause_writing(self) -> None:
            super().pause_writing()
            self._watch_reader(self.transport.get_write_buffer_size())

        def resume_writing(self) -> None:
            super().resume_writing()
            if self.unread is not None:
                self.unread.cancel()
                self.unread = None

        def end(self) -> None:
            """Close, with a word for whoever has begun to speak."""
            lines.leave(self)
            if self.head and not self.transport.is_closing():
                text = b"This took too long or is too much; try again.\n"
                head = f"HTTP/1.1 408 Request Timeout\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
                self.transport.write(head.encode() + text)
            self.transport.close()

        def _watch_reader(self, left: int) -> None:
            self.unread = self.loop.call_later(settings.silence_seconds, self._look_at_reader, left)

        def _look_at_reader(self, left: int) -> None:
            """Who has taken nothing of the answer since the last look is cut off."""
            now = self.transport.get_write_buffer_size()
            if now < left:
                self._watch_reader(now)
            else:
                self.transport.abort()

        def _start_clock(self) -> None:
            self.since = time.monotonic()
            self.clock = self.loop.call_later(settings.header_seconds, self._out_of_time)

        def _stop_clock(self) -> None:
            self.head = 0
            if self.clock is not None:
                self.clock.cancel()
                self.clock = None

        def _out_of_time(self) -> None:
            self.clock = None
            if self.waits:
                self.end()

    return Limited
