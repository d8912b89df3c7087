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
pytest.importorskip("uvicorn", reason="the page needs pip install 'stripeless[web]'")

from web_server import WAV, score_text  # noqa: E402

from stripeless._files import clear_leftovers, marked_folder  # noqa: E402
from stripeless.errors import InputError  # noqa: E402
from stripeless.web.connections import make_server  # noqa: E402
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
    listener.listen(100)  # who comes before the server does waits
    settings = replace(Settings(), workers=1, **limits)
    server = make_server(settings, log_level="error", timeout_graceful_shutdown=1)
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


# --- answers that arrive, and lines that end --------------------------------------------------------------------------


def raw(stack: ExitStack, address: str, *, seconds: float = 60.0) -> socket.socket:
    where = httpx.URL(address)
    return stack.enter_context(socket.create_connection((where.host, where.port), timeout=seconds))


def until_closed(line: socket.socket) -> bytes:
    """All that comes until the other side says that this is all; a reset is an error."""
    return b"".join(iter(lambda: line.recv(65536), b""))


@pytest.mark.parametrize(
    ("head", "status"),
    [("POST /forget HTTP/1.1\r\nHost: 127.0.0.1", b"413"),
     ("POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example", b"403"),
     ("POST /upload HTTP/1.1\r\nHost: 127.0.0.1", b"403"),
     ("POST /upload HTTP/1.1\r\nHost: evil.example", b"400"),
     ("POST /nothing HTTP/1.1\r\nHost: 127.0.0.1", b"413"),
     ("PUT / HTTP/1.1\r\nHost: 127.0.0.1", b"413"),
     ("GET /health HTTP/1.1\r\nHost: 127.0.0.1", b"413")],
    ids=["large", "other page", "no session", "other host", "unknown", "method", "safe"],
)  # fmt: skip
def test_an_answer_arrives_although_the_body_is_still_on_its_way(head: str, status: bytes) -> None:
    """Closed at once, the line was reset by what came later, and the browser showed that in place of the sentence."""
    with ExitStack() as stack:
        address = stack.enter_context(page(form_bytes=5000))
        line = raw(stack, address)
        line.sendall(f"{head}\r\nContent-Length: 2000000\r\n\r\n".encode())
        answer = line.recv(65536)  # comes before the body does
        assert answer.startswith(b"HTTP/1.1 " + status)
        for _ in range(20):
            line.sendall(b"x" * 100_000)
            time.sleep(0.005)
        until_closed(line)


def test_a_refused_body_is_not_read_for_ever() -> None:
    with ExitStack() as stack:
        address = stack.enter_context(page(form_bytes=5000, discard_seconds=0.3, discard_bytes=200_000))
        for piece in (b"x", b"x" * 100_000):  # too slow, and too much
            line = raw(stack, address)
            line.sendall(b"POST /forget HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900000000\r\n\r\n")
            assert sent_before_the_end(line, piece) < 3000


def sent_before_the_end(line: socket.socket, piece: bytes, most: int = 3000) -> int:
    """How many of these are taken until the other side has closed."""
    for count in range(most):
        try:
            line.sendall(piece)
        except OSError:
            return count
        time.sleep(0.01)
    return most


def test_a_line_on_which_nothing_comes_is_closed() -> None:
    with ExitStack() as stack:
        assert until_closed(raw(stack, stack.enter_context(page(header_seconds=0.2)))) == b""


@pytest.mark.parametrize("sent", [b"GET /a", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
@pytest.mark.parametrize("used", [False, True], ids=["new", "used before"])
def test_a_line_that_never_says_what_it_wants_is_closed(sent: bytes, used: bool) -> None:
    with ExitStack() as stack:
        address = stack.enter_context(page(header_seconds=0.4))
        line, whole = raw(stack, address), b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        if used:
            line.sendall(whole)
            answered = b""
            while not answered.endswith(b"ok\n"):
                answered += line.recv(65536)
        line.sendall(sent)
        answer = _drip(line)
        assert answer is None or answer.startswith(b"HTTP/1.1 408")


def _drip(line: socket.socket) -> bytes | None:
    """What is answered to a byte every tenth of a second; None where the last of them reset the line."""
    line.settimeout(0.1)
    for _ in range(300):
        try:
            return line.recv(65536)
        except TimeoutError:
            pass
        except OSError:
            return None
        try:
            line.sendall(b"x")
        except OSError:
            return None
    raise AssertionError("the line was never closed")


def test_headers_have_an_end() -> None:
    with ExitStack() as stack:
        line = raw(stack, stack.enter_context(page(header_bytes=3000)))
        line.sendall(b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 500)
        assert line.recv(500).startswith(b"HTTP/1.1 408")


def test_whoever_waits_longest_makes_room_for_a_new_line() -> None:
    with ExitStack() as stack:
        address = stack.enter_context(page(connections_by_address=4, silence_seconds=600.0))
        first = raw(stack, address)
        for _ in range(6):
            raw(stack, address).sendall(b"GET /a")
        mine, csrf = visit(stack, address)
        assert take(mine, csrf).status_code == 303
        assert until_closed(first) == b""


def test_where_all_lines_are_at_work_a_new_one_is_turned_away() -> None:
    with ExitStack() as stack:
        address = stack.enter_context(page(connections=4, silence_seconds=600.0))
        slow, _ = visit(stack, address)
        for _ in range(4):
            send_slowly(stack, address, slow)
        time.sleep(0.3)
        assert until_closed(raw(stack, address)) == b""


def test_one_visitor_has_so_many_requests_at_a_time() -> None:
    with ExitStack() as stack:
        address = stack.enter_context(page(requests_by_visitor=3, silence_seconds=600.0))
        greedy, _ = visit(stack, address)
        lines = [send_slowly(stack, address, greedy) for _ in range(3)]
        time.sleep(0.3)
        assert greedy.get("/work").status_code == 429
        other, csrf = visit(stack, address)
        assert take(other, csrf).status_code == 303
        lines[0].close()
        end = time.monotonic() + 20
        while greedy.get("/work").status_code == 429 and time.monotonic() < end:
            time.sleep(0.05)
        assert greedy.get("/work").status_code == 200


def test_an_answer_that_nobody_reads_is_cut_off() -> None:
    with ExitStack() as stack:
        address = stack.enter_context(page(silence_seconds=0.4))
        mine, csrf = visit(stack, address)
        sound = WAV + bytes(30_000_000)
        assert mine.post("/upload", files=[("files", ("a.wav", sound))], data={"csrf": csrf}).status_code == 303
        found = re.search(r"/audio/([0-9a-f]+)", mine.get("/work").text)
        assert found is not None
        line = raw(stack, address)
        cookie = "; ".join(f"{name}={value}" for name, value in mine.cookies.items())
        line.sendall(f"GET /audio/{found[1]} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
        time.sleep(1.5)
        assert len(until_closed(line)) < len(sound)


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
    number = getattr(signal, stop)
    before = signal.signal(number, signal.SIG_DFL)  # tests may run under nohup, where a page rightly goes on
    try:
        assert uploaded(tmp_path, number, monkeypatch) == []
    finally:
        signal.signal(number, before)


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
