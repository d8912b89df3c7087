"""Nobody who sends slowly, or much, keeps others from the page; and no upload survives the server, however it ends."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the page needs pip install 'stripeless[web]'")
httpx = pytest.importorskip("httpx", reason="tests of the page need httpx")
uvicorn = pytest.importorskip("uvicorn", reason="the page needs pip install 'stripeless[web]'")

from web_server import score_text  # noqa: E402

from stripeless._files import clear_leftovers, marked_folder  # noqa: E402
from stripeless.errors import InputError  # noqa: E402
from stripeless.web.app import create_app  # noqa: E402
from stripeless.web.pool import WorkerPool  # noqa: E402
from stripeless.web.security import GONE, Body  # noqa: E402
from stripeless.web.sessions import Store, WebJob  # noqa: E402
from stripeless.web.settings import Settings  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore:Please use `import python_multipart`:PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # files of uploads that were cut off
]


@contextmanager
def page(**limits: Any) -> Iterator[str]:
    """A page with limits of its own, in this process."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        create_app(replace(Settings(), workers=1, **limits)), log_level="error", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


def visit(stack: ExitStack, address: str) -> tuple[Any, str]:
    client = stack.enter_context(httpx.Client(base_url=address, timeout=60))
    return client, re.search(r'name="csrf" value="([^"]+)"', client.get("/").text)[1]  # type: ignore[index]


def send_slowly(stack: ExitStack, address: str, client: Any, path: str = "/upload") -> socket.socket:
    """A request whose body is announced, begun, and never finished."""
    where = httpx.URL(address)
    line = stack.enter_context(socket.create_connection((where.host, where.port), timeout=60))
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    head = f"POST {path} HTTP/1.1\r\nHost: {where.host}\r\nCookie: {cookie}\r\nContent-Length: 100000\r\n"
    line.sendall(f"{head}Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n".encode())
    return line


def take(client: Any, csrf: str) -> Any:
    return client.post("/upload", files=[("files", ("a.txt", score_text()))], data={"csrf": csrf, "resamples": "0"})


def test_slow_bodies_of_one_visitor_hold_up_nobody_else() -> None:
    """Eight of them used to fill every place for ten minutes."""
    with ExitStack() as stack:
        address = stack.enter_context(page(silence_seconds=600.0))
        slow, _ = visit(stack, address)
        for _ in range(12):
            send_slowly(stack, address, slow)
        time.sleep(0.3)
        other, csrf = visit(stack, address)
        assert take(other, csrf).status_code == 303


def test_cancelling_and_forgetting_wait_for_no_upload() -> None:
    with ExitStack() as stack:
        address = stack.enter_context(page(silence_seconds=600.0, uploads_at_once=2))
        mine, csrf = visit(stack, address)
        assert take(mine, csrf).status_code == 303
        job = re.search(r"/job/([0-9a-f]+)/", mine.get("/work").text)
        for _ in range(4):  # every place is taken, also by this visitor
            someone, _ = visit(stack, address)
            send_slowly(stack, address, someone)
            send_slowly(stack, address, mine)
        time.sleep(0.3)
        assert job is not None
        assert mine.post(f"/job/{job[1]}/cancel", data={"csrf": csrf}).status_code in (200, 303)
        assert mine.post(f"/job/{job[1]}/remove", data={"csrf": csrf}).status_code in (200, 303)
        assert mine.post("/forget", data={"csrf": csrf}).status_code == 303
        assert mine.get("/work").status_code == 403


def test_a_body_that_falls_silent_is_cut_off_and_makes_room() -> None:
    with ExitStack() as stack:
        address = stack.enter_context(page(silence_seconds=0.2, uploads_at_once=1))
        slow, _ = visit(stack, address)
        line = send_slowly(stack, address, slow)
        other, csrf = visit(stack, address)
        assert take(other, csrf).status_code == 303  # in time, after the first was cut off
        assert b"408" in line.recv(500)


def test_only_uploads_may_be_large_or_hold_files() -> None:
    with ExitStack() as stack:
        address = stack.enter_context(page(form_bytes=5000))
        mine, csrf = visit(stack, address)
        assert mine.post("/forget", data={"csrf": csrf, "more": "x" * 6000}).status_code == 413
        assert mine.post("/compare", data={"csrf": csrf}, files={"files": ("a", b"a")}).status_code == 400
        assert take(mine, csrf).status_code == 303
        assert mine.get("/work").status_code == 200


def messages(parts: list[tuple[float, bytes, bool]]) -> Callable[[], Any]:
    """What a sender sends: after so many seconds these bytes, and whether more comes."""
    waiting = iter(parts)

    async def receive() -> Any:
        seconds, body, more = next(waiting)
        await asyncio.sleep(seconds)
        return {"type": "http.request", "body": body, "more_body": more}

    return receive


@pytest.mark.parametrize(
    ("parts", "cut"),
    [
        ([(0.0, b"x" * 10, True), (0.0, b"x" * 10, False)], False),
        ([(0.0, b"x" * 10, True), (5.0, b"x", False)], True),  # silent
        ([(0.06, b"x", True)] * 5, True),  # a byte now and then
        ([(0.06, b"x" * 1000, True)] * 5, False),
        ([(0.0, b"x" * 60_000, True), (0.0, b"x" * 60_000, False)], True),  # more than may be
    ],
)
def test_a_body_is_cut_off_that_is_silent_slow_or_large(parts: list[tuple[float, bytes, bool]], cut: bool) -> None:
    async def read() -> bool:
        body = Body(messages(parts), 100_000, replace(Settings(), silence_seconds=0.2, slowest=1000))
        return any([await body.receive() is GONE for _ in parts])

    assert asyncio.run(read()) is cut


def test_after_a_whole_body_there_is_no_hurry() -> None:
    """The application then listens whether the sender is still there, for as long as the answer takes."""

    async def read() -> Any:
        body = Body(messages([(0.0, b"", False), (0.3, b"", False)]), 10, replace(Settings(), silence_seconds=0.05))
        await body.receive()
        return await body.receive()

    assert asyncio.run(read()) is not GONE


# --- turns ------------------------------------------------------------------------------------------------------------


def test_visitors_take_turns(tmp_path: Path) -> None:
    pool = WorkerPool(replace(Settings(), workers=0, session_jobs=4, queued_jobs=50))
    jobs = [WebJob(f"{who}{k}", "", {}, tmp_path / who) for who in "ab" for k in range(3)]
    for job in jobs:
        pool.submit(job)
    order = [pool.line.get()[3].id for _ in jobs]
    assert order == ["a0", "b0", "a1", "b1", "a2", "b2"]
    pool.submit(WebJob("a3", "", {}, tmp_path / "a"))
    with pytest.raises(InputError, match="4 things of yours are waiting"):
        pool.submit(WebJob("a4", "", {}, tmp_path / "a"))
    pool.submit(WebJob("b3", "", {}, tmp_path / "b"))


# --- what is left behind ----------------------------------------------------------------------------------------------


def test_a_session_that_is_forgotten_leaves_nothing_even_while_something_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file that a worker writes while its folder is being removed keeps the folder alive: it is swept again."""
    store, remove, late = Store(Settings()), shutil.rmtree, iter(range(2))
    try:
        session = store.create()

        def remove_while_written(folder: Path, **options: Any) -> None:
            remove(folder, **options)
            if folder == session.folder and next(late, None) is not None:
                folder.mkdir()
                (folder / "late.json").write_text("x")

        monkeypatch.setattr(shutil, "rmtree", remove_while_written)
        store.forget(session).result(30)
        assert not session.folder.exists()
        assert store.get(session.id) is None
        assert session.gone
    finally:
        store.close()
    assert not store.folder.exists()


def uploaded(tmp_path: Path, stop: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Folders of a server that was ended by this signal with an upload in it, before and after."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = [sys.executable, "-m", "stripeless.cli", "serve", "--port", "0", "--workers", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        address = next(match[1] for line in process.stderr if (match := re.search(r"(http://\S+)", line)))
        with ExitStack() as stack:
            assert take(*visit(stack, address)).status_code == 303
            assert list(tmp_path.rglob("*.txt"))
            process.send_signal(stop)
            process.wait(30)
    finally:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()
    return [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("stop", ["SIGHUP", "SIGTERM", "SIGINT"])
def test_a_closed_terminal_deletes_what_was_uploaded(
    stop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not hasattr(signal, stop):
        pytest.skip("this system knows no such signal")
    assert uploaded(tmp_path, getattr(signal, stop), monkeypatch) == []


def test_what_a_killed_server_left_is_deleted_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = uploaded(tmp_path, signal.SIGKILL, monkeypatch)
    assert left
    assert all(path.parents[-len(tmp_path.parts) - 1].stat().st_mode & 0o077 == 0 for path in left)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = Store(Settings())
    try:
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
        assert store.folder.parent == tmp_path
    finally:
        store.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_running_server_holds_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = marked_folder()
    (tmp_path / "somebody's").mkdir()
    clear_leftovers(tmp_path, at_once=True)
    assert mine.is_dir()
    assert (tmp_path / "somebody's").is_dir()
