"""What stands before every request: the right host, a body that is not too large, and headers that keep the page to itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import urlsplit

from stripeless.web.settings import Settings

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer a plain form would send Origin: null
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SAFE = ("GET", "HEAD")
UPLOAD = "/upload"
GONE = {"type": "http.disconnect"}


def host_of(value: str) -> str:
    """The host without its port; empty where the header is no host.

    >>> host_of("127.0.0.1:8000"), host_of("[::1]:8000"), host_of("evil.example@127.0.0.1")
    ('127.0.0.1', '[::1]', '')
    """
    if "@" in value or "/" in value or "\\" in value:
        return ""
    if value.startswith("["):
        return value.partition("]")[0] + "]"
    return value.partition(":")[0].lower()


def same_site(headers: MutableMapping[str, str], host: str) -> bool:
    """Whether a request that changes something comes from our own page, as far as the browser says."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    return origin != "null" and urlsplit(origin).netloc.lower() == host.lower()


class Guard:
    """ASGI middleware. A wrong Host (DNS rebinding), a foreign Origin or too large a body never reaches the application."""

    def __init__(self, app: Any, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        host = headers.get("host", "")
        if host_of(host) not in self.settings.hosts:
            await _answer(send, 400, "This page answers only to its own address.")
        elif scope["method"] not in SAFE and not same_site(headers, host):
            await _answer(send, 403, "This request came from another page.")
        elif _too_long(headers.get("content-length", "0"), most := self._most(scope["path"])):
            await _answer(send, 413, f"At most {most // 1_000_000} MB at a time.")
        else:
            await self._pass(scope, receive, send, most)

    def _most(self, path: str) -> int:
        """How large a body may be: only uploads are large."""
        return self.settings.request_bytes if path == UPLOAD else self.settings.form_bytes

    async def _pass(self, scope: Any, receive: Any, send: Any, most: int) -> None:
        body = Body(receive, most, self.settings)

        async def framed(message: Any) -> None:
            if message["type"] == "http.response.start":
                present = {key.lower() for key, _ in message["headers"]}
                extra = [
                    (k.lower().encode(), v.encode()) for k, v in HEADERS.items() if k.lower().encode() not in present
                ]
                if b"cache-control" not in present:
                    extra.append((b"cache-control", b"no-store"))
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        await self.app(scope, body.receive, framed)


class Body:
    """What comes in, as long as it is not too large and not too slow; then the application hears that the sender hung up.

    Time counts from the first byte that the application asks for: who waits in line is not slow.
    """

    def __init__(self, receive: Any, most: int, settings: Settings) -> None:
        self.source, self.most, self.settings = receive, most, settings
        self.seen, self.whole = 0, False
        self.began: float | None = None

    async def receive(self) -> Any:
        """The next message."""
        if self.whole:
            return await self.source()  # whether the sender is still there, which takes as long as it takes
        self.began = time.monotonic() if self.began is None else self.began
        try:
            message = await asyncio.wait_for(self.source(), self.settings.silence_seconds)
        except TimeoutError:
            return GONE
        self.seen += len(message.get("body", b""))
        self.whole = message["type"] != "http.request" or not message.get("more_body", False)
        return GONE if self.seen > self.most or (not self.whole and self.is_slow()) else message

    def is_slow(self) -> bool:
        """Is this sender, on average, slower than anybody has to be?"""
        assert self.began is not None
        passed = time.monotonic() - self.began
        return passed > self.settings.silence_seconds and self.seen < passed * self.settings.slowest


def _too_long(length: str, most: int) -> bool:
    return not length.isdigit() or int(length) > most


async def _answer(send: Any, status: int, text: str) -> None:
    headers = [(key.lower().encode(), value.encode()) for key, value in HEADERS.items()]
    headers += [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode() + b"\n"})
