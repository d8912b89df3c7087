"""Workers: processes of their own, so that long work can be stopped at once and cannot take the page's memory or time."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from stripeless.errors import InputError
from stripeless.web.sessions import WebJob
from stripeless.web.settings import Settings

_STOP = object()


class WorkerPool:
    """A few worker processes and a bounded line of jobs before them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.line: queue.PriorityQueue[tuple[int, int, int, Any]] = queue.PriorityQueue(settings.queued_jobs)
        self.count = 0
        self.waiting: Counter[Path] = Counter()  # jobs of each visitor, by the folder
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(settings.workers)]
        for thread in self.threads:
            thread.start()

    def submit(self, job: WebJob, *, soon: bool = False) -> None:
        """Queue a job; `soon` puts what somebody is waiting for before the rest. Visitors take turns: the first job of each
        comes before anybody's second.
        """
        with self.lock:
            mine = self.waiting[job.folder]
            if mine >= self.settings.session_jobs:
                raise InputError(
                    f"{mine} things of yours are waiting to be computed; cancel some, or try again in a while."
                )
            self.count += 1
            place = (0 if soon else 1, mine, self.count, job)
            try:
                self.line.put_nowait(place)
            except queue.Full as error:
                raise InputError("Too much is waiting to be computed; try again in a while.") from error
            self.waiting[job.folder] += 1

    def _done(self, job: WebJob) -> None:
        """This visitor has one job less."""
        with self.lock:
            self.waiting[job.folder] -= 1
            if not self.waiting[job.folder]:
                del self.waiting[job.folder]

    def close(self) -> None:
        for _ in self.threads:
            self.line.put((-1, 0, 0, _STOP))
        for thread in self.threads:
            thread.join(timeout=5)

    def _serve(self) -> None:
        worker: subprocess.Popen[str] | None = None
        while True:
            job = self.line.get()[3]
            if job is _STOP:
                break
            try:
                if job.cancel.is_set():
                    _finish(job, "cancelled")
                    continue
                if worker is None or worker.poll() is not None:
                    worker = start_worker(self.settings)
                if not self._run(worker, job):
                    _end(worker)
                    worker = None
            finally:
                self._done(job)
        if worker is not None:
            _end(worker)

    def _run(self, worker: subprocess.Popen[str], job: WebJob) -> bool:
        """One job on one worker; False where the worker had to be stopped."""
        job.state, job.stage = "running", "starting"
        watch = threading.Thread(target=self._watch, args=(worker, job), daemon=True)
        watch.start()
        try:
            assert worker.stdin is not None
            assert worker.stdout is not None
            worker.stdin.write(json.dumps(job.task) + "\n")
            worker.stdin.flush()
            for line in worker.stdout:
                message = json.loads(line)
                if "progress" in message:
                    job.progress, job.stage = float(message["progress"]), str(message["stage"])
                    continue
                if message.get("error"):
                    job.error = str(message["error"])
                    _finish(job, "failed")
                else:
                    job.progress = 1.0
                    _finish(job, "done")
                return True
        except (OSError, ValueError):
            pass
        if not job.over:
            cancelled = job.cancel.is_set()
            job.error = job.error or ("" if cancelled else "The work was too large for this page and was stopped.")
            _finish(job, "cancelled" if cancelled else "failed")
        return False

    def _watch(self, worker: subprocess.Popen[str], job: WebJob) -> None:
        """Stop the worker when the visitor cancels or the time is over."""
        end = time.monotonic() + self.settings.job_seconds
        while not job.finished.wait(0.05):
            if job.cancel.is_set() or time.monotonic() > end:
                if not job.cancel.is_set():
                    job.error = f"Stopped after {self.settings.job_seconds / 60:.0f} minutes."
                worker.kill()
                return


def _finish(job: WebJob, state: str) -> None:
    job.state, job.stage = state, ""
    if state != "done":
        job.result.unlink(missing_ok=True)
    job.finished.set()


def start_worker(settings: Settings) -> subprocess.Popen[str]:
    """A fresh worker with bounded memory, speaking JSON lines."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.Popen(
        [sys.executable, "-m", "stripeless.web.work", str(settings.worker_memory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, **threads, "MPLBACKEND": "agg"},
    )


def _end(worker: subprocess.Popen[str]) -> None:
    worker.kill()
    worker.wait()
    for pipe in (worker.stdin, worker.stdout):
        if pipe is not None:
            pipe.close()
