"""What stands before every request: the right host, a body that is not too large, and headers that keep the page to itself."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request

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
COOKIE = "stripeless_session"
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


def same_site(headers: Mapping[str, str], host: str) -> bool:
    """Whether a request that changes something comes from our own page, as far as the browser says."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    return origin != "null" and urlsplit(origin).netloc.lower() == host.lower()


class Guard:
    """ASGI middleware. A wrong Host (DNS rebinding), a foreign Origin or too large a body never reaches the application.

    What is refused before all of it was read is answered at once; then the rest is read and thrown away, within bounds, because
    a line that is closed while the other side still sends is reset, and the answer is lost with it.
    """

    def __init__(self, app: Any, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self.discards = 0
        self.busy: Counter[str] = Counter()  # requests of each visitor, by the cookie

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        most = self.settings.request_bytes if scope["path"] == UPLOAD else self.settings.form_bytes
        body = Body(receive, most, self.settings, expected=has_body(headers))
        answer = self._answering(body, send)
        visitor = Request(scope).cookies.get(COOKIE, "")
        refused = self._refusal(scope, headers, most, visitor)
        if refused is not None:
            await _answer(answer, *refused)
            return
        self.busy[visitor] += 1
        try:
            await self.app(scope, body.receive, answer)
        finally:
            self.busy[visitor] -= 1
            if not self.busy[visitor]:
                del self.busy[visitor]

    def _refusal(self, scope: Any, headers: dict[str, str], most: int, visitor: str) -> tuple[int, str] | None:
        """The status and the sentence for a request that the application does not get to see."""
        host = headers.get("host", "")
        if host_of(host) not in self.settings.hosts:
            return 400, "This page answers only to its own address."
        if scope["method"] not in SAFE and not same_site(headers, host):
            return 403, "This request came from another page."
        if _too_long(headers.get("content-length", "0"), most):
            return 413, f"At most {most // 1_000_000} MB at a time."
        if visitor and self.busy[visitor] >= self.settings.requests_by_visitor:
            return 429, f"{self.busy[visitor]} requests of yours are being answered; wait for one of them."
        return None

    def _answering(self, body: Body, send: Any) -> Any:
        """`send`, with our headers, and with the rest of the body thrown away before the last word."""

        async def framed(message: Any) -> None:
            if message["type"] == "http.response.start":
                await send({**message, "headers": _with_ours(message["headers"], last=body.pending)})
            elif not body.pending or message.get("more_body", False):
                await send(message)
            else:
                await send({**message, "more_body": True})
                await self._discard(body)
                await send({"type": "http.response.body", "body": b""})

        return framed

    async def _discard(self, body: Body) -> None:
        if self.discards >= self.settings.discards_at_once:
            return
        self.discards += 1
        try:
            await body.discard()
        finally:
            self.discards -= 1


class Body:
    """What comes in, as long as it is not too large and not too slow; then the application hears that the sender hung up.

    Time counts from the first byte that the application asks for: who waits in line is not slow.
    """

    def __init__(self, receive: Any, most: int, settings: Settings, *, expected: bool = True) -> None:
        self.source, self.most, self.settings = receive, most, settings
        self.seen, self.whole, self.expected = 0, False, expected
        self.began: float | None = None

    @property
    def pending(self) -> bool:
        """Whether something is still on its way."""
        return self.expected and not self.whole

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

    async def discard(self) -> None:
        """Read what is left and throw it away, until it ends, falls silent, or is more than the settings allow."""
        limits = self.settings
        end, most = time.monotonic() + limits.discard_seconds, self.seen + limits.discard_bytes
        while not self.whole and self.seen < most and (left := end - time.monotonic()) > 0:
            try:
                message = await asyncio.wait_for(self.source(), min(left, limits.silence_seconds))
            except TimeoutError:
                return
            self.seen += len(message.get("body", b""))
            self.whole = message["type"] != "http.request" or not message.get("more_body", False)

    def is_slow(self) -> bool:
        """Is this sender, on average, slower than anybody has to be?"""
        assert self.began is not None
        passed = time.monotonic() - self.began
        return passed > self.settings.silence_seconds and self.seen < passed * self.settings.slowest


def _too_long(length: str, most: int) -> bool:
    return not length.isdigit() or int(length) > most


def has_body(headers: Mapping[str, str]) -> bool:
    """Whether something follows the headers of a request.

    >>> has_body({"content-length": "0"}), has_body({}), has_body({"transfer-encoding": "chunked"})
    (False, False, True)
    """
    return "transfer-encoding" in headers or headers.get("content-length", "0").strip("0") != ""


def _with_ours(headers: Any, *, last: bool) -> list[tuple[bytes, bytes]]:
    """The headers of an answer and ours. What is answered before all of it was read ends the connection."""
    ours = {**HEADERS, "Cache-Control": "no-store", **({"Connection": "close"} if last else {})}
    present = {key.lower() for key, _ in headers}
    return [*headers, *((k.lower().encode(), v.encode()) for k, v in ours.items() if k.lower().encode() not in present)]


async def _answer(send: Any, status: int, text: str) -> None:
    body = text.encode() + b"\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode()),
               (b"connection", b"close")]  # fmt: skip
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
