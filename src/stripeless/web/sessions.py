"""Who visits, what they uploaded, what is being computed for them. Nobody sees anybody else's."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stripeless._files import clear_leftovers, marked_folder
from stripeless.errors import InputError
from stripeless.plots.series import tidy
from stripeless.web.settings import Settings


@dataclass(eq=False)
class Item:
    """An uploaded file under a random name of ours; `name` is only ever shown."""

    id: str
    name: str
    kind: str
    path: Path
    size: int
    side: str = ""  # of a recording: before or after anonymization, where it is known


@dataclass(eq=False)
class WebJob:
    """Work for a visitor. Its result lies on disk as JSON, so that memory does not grow with the number of results."""

    id: str
    title: str
    task: dict[str, Any]
    folder: Path
    state: str = "queued"
    progress: float = 0.0
    stage: str = "waiting"
    error: str = ""
    hidden: bool = False
    cancel: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)

    @property
    def result(self) -> Path:
        return self.folder / f"{self.id}.json"

    @property
    def report(self) -> Path:
        return self.folder / f"{self.id}.html"

    @property
    def over(self) -> bool:
        return self.finished.is_set()


@dataclass(eq=False)
class Session:
    """One visitor: a secret name in a cookie, a token that every form must carry, and a folder of their own."""

    id: str
    csrf: str
    folder: Path
    seen: float
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))  # uploads read at a time
    items: dict[str, Item] = field(default_factory=dict)
    jobs: dict[str, WebJob] = field(default_factory=dict)
    bytes: int = 0
    gone: bool = False

    def new_path(self, suffix: str) -> tuple[str, Path]:
        """A random name for a file that comes in; nothing of the visitor's name is in it."""
        name = secrets.token_hex(12)
        return name, self.folder / f"{name}{suffix}"

    def add_item(self, identity: str, path: Path, name: str, kind: str) -> Item:
        item = Item(identity, tidy(name, 80) or "unnamed", kind, path, path.stat().st_size)
        self.items[identity] = item
        self.bytes += item.size
        return item

    def new_job(self, title: str, task: dict[str, Any], *, hidden: bool = False) -> WebJob:
        job = WebJob(secrets.token_hex(12), tidy(title, 100), task, self.folder, hidden=hidden)
        self.jobs[job.id] = job
        return job

    def drop(self, identity: str) -> None:
        """Forget a job or an upload and what it left on disk."""
        job = self.jobs.pop(identity, None)
        report = self.jobs.pop(f"{identity}-report", None)
        if report is not None:
            report.cancel.set()
        if job is not None:
            job.cancel.set()
            for path in (job.result, job.report):
                path.unlink(missing_ok=True)
        item = self.items.pop(identity, None)
        if item is not None:
            self.bytes -= item.size
            item.path.unlink(missing_ok=True)


class Store:
    """All sessions of this server, in a folder that goes away with it; what dead servers left behind goes first."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        clear_leftovers(Path(tempfile.gettempdir()), at_once=True)
        self.folder = marked_folder()
        self.broom = ThreadPoolExecutor(1)  # one of its own: forgetting waits for nobody who uploads or draws
        self.sessions: dict[str, Session] = {}
        self.lock = threading.Lock()

    def get(self, identity: str | None) -> Session | None:
        """The session of this cookie, if it is one of ours and not too old."""
        with self.lock:
            session = self.sessions.get(identity or "")
            if session is not None:
                session.seen = time.monotonic()
            return session

    def create(self) -> Session:
        """A new visitor; the one who has been away longest makes room, unless everybody is here right now."""
        with self.lock:
            self._forget_idle()
            if len(self.sessions) >= self.settings.sessions:
                oldest = min(self.sessions.values(), key=lambda s: s.seen)
                if oldest.items or oldest.jobs:
                    empty = [s for s in self.sessions.values() if not s.items and not s.jobs]
                    if not empty:
                        raise InputError("Too many visitors at once; try again later.")
                    oldest = min(empty, key=lambda s: s.seen)
                self._leave(oldest)
            identity = secrets.token_urlsafe(32)
            folder = Path(tempfile.mkdtemp(dir=self.folder))
            gate = asyncio.Semaphore(self.settings.uploads_by_visitor)
            session = Session(identity, secrets.token_urlsafe(32), folder, time.monotonic(), gate)
            self.sessions[identity] = session
            return session

    def check_room(self, session: Session, incoming: int) -> None:
        """Refuse what would overfill a session or the disk."""
        limits = self.settings
        if len(session.items) >= limits.session_items:
            raise InputError(f"A session holds {limits.session_items} files at most; remove some first.")
        if session.bytes + incoming > limits.session_bytes:
            raise InputError(
                f"A session holds {limits.session_bytes // 1_000_000} MB at most; remove some files first."
            )
        if sum(s.bytes for s in list(self.sessions.values())) + incoming > limits.all_bytes:
            raise InputError("The page holds as much as it may; try again later.")

    def forget(self, session: Session) -> Future[None]:
        """From now on nobody has this session; when the result is there, its files are gone."""
        with self.lock:
            return self._leave(session)

    def _leave(self, session: Session) -> Future[None]:
        session.gone = True
        for job in list(session.jobs.values()):
            job.cancel.set()
        self.sessions.pop(session.id, None)
        return self.broom.submit(sweep, session.folder)

    def _forget_idle(self) -> None:
        now = time.monotonic()
        for session in [s for s in self.sessions.values() if now - s.seen > self.settings.idle_seconds]:
            self._leave(session)

    def close(self) -> None:
        with self.lock:
            for session in list(self.sessions.values()):
                session.gone = True
                for job in list(session.jobs.values()):
                    job.cancel.set()
            self.sessions.clear()
        self.broom.shutdown(cancel_futures=True)
        sweep(self.folder)


def sweep(folder: Path) -> None:
    """Remove a folder, also where a worker that is being stopped, or an upload that was under way, still writes a last file."""
    end = time.monotonic() + 10
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists() or time.monotonic() > end:
            return
        time.sleep(0.1)
