"""What `serve` decides by itself: who must give a token, and which address a browser takes."""

from __future__ import annotations

from typing import Any

import pytest
from command_calls import run

pytestmark = pytest.mark.filterwarnings("ignore:Please use `import python_multipart`:PendingDeprecationWarning")


@pytest.mark.parametrize(
    ("host", "token"),
    [("127.0.0.1", False), ("localhost", False), ("::1", False), ("0.0.0.0", True), ("192.168.1.5", True)],
)
def test_who_serves_to_others_gives_a_token(monkeypatch: pytest.MonkeyPatch, host: str, token: bool) -> None:
    pytest.importorskip("fastapi")
    from stripeless.cli import serve

    served: list[Any] = []
    monkeypatch.setattr(serve, "_run", lambda settings, *more: served.append((settings, more)))
    done = run("serve", "--host", host, "--port", 0, "--max-mb", 3, "--workers", 2, "--allow-host", "box")
    ((settings, more),) = served
    assert bool(settings.token) == token == ("Others can reach this page" in done.stderr)
    assert (settings.file_bytes, settings.request_bytes, settings.workers) == (3_000_000, 400_000_000, 2)
    assert {host, "box"} <= settings.hosts
    assert more == (host, 0, False)


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "http://127.0.0.1:"), ("::1", "http://[::1]:")])
def test_the_address_is_one_that_a_browser_takes(monkeypatch: pytest.MonkeyPatch, host: str, shown: str) -> None:
    uvicorn = pytest.importorskip("uvicorn")
    import socket

    if host == "::1":
        try:
            socket.create_server((host, 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("no IPv6 here")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets=None: [one.close() for one in sockets or ()])
    done = run("serve", "--host", host, "--port", 0, "--open")
    assert f"The page: {shown}" in done.stderr
    assert opened[0].startswith(shown)
    assert "token" not in opened[0]
