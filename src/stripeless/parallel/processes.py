"""Processes of our own, each with one call at a time: where one dies, it is known which call it took along.

Processes and not threads where the work is mostly Python (recordings): only one thread of a process runs Python at a
time. They are started when first needed and ended when the run ends, however it ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from multiprocessing import connection, get_context
from multiprocessing.reduction import ForkingPickler
from types import FrameType
from typing import Any

from threadpoolctl import threadpool_limits

from stripeless.parallel.blas import load_blas
from stripeless.parallel.engine import Call, Finished, attempt

_PATIENCE = 3.0  # seconds for processes to clean up after themselves


class Processes:
    """A place of `depth` processes."""

    def __init__(self, depth: int) -> None:
        load_blas()  # once here, not in every copy of this process
        self.depth = depth
        self._workers: list[_Worker] = []

    def start(self, number: int, function: Call, args: tuple[Any, ...]) -> None:
        idle = [worker for worker in self._workers if worker.number is None]
        able = [worker for worker in idle if worker.function is function]
        if not able and len(self._workers) == self.depth:
            self._dismiss(idle[:1])
        if not able:
            able = [_Worker(function)]
            self._workers += able
        able[0].give(number, args)

    def wait(self) -> list[Finished]:
        busy = [worker for worker in self._workers if worker.number is not None]
        connection.wait([end for worker in busy for end in (worker.pipe, worker.process.sentinel)], timeout=1.0)
        found = [done for worker in busy if (done := worker.answer()) is not None]
        self._dismiss([worker for worker in busy if worker.dead])
        return found

    def cancel(self) -> None:
        self._dismiss([worker for worker in self._workers if worker.number is not None])

    def close(self) -> None:
        """End every process."""
        self._dismiss(self._workers)

    def _dismiss(self, workers: list[_Worker]) -> None:
        self._workers = [worker for worker in self._workers if worker not in workers]
        for worker in workers:
            worker.process.terminate()
        patience = time.monotonic() + _PATIENCE
        for worker in workers:
            worker.end(patience)


class _Worker:
    """A process, the function it was made for, and the call that it works on."""

    def __init__(self, function: Call) -> None:
        # a process that has run torch must not be forked: its threads would be missing in the copy
        context = get_context("spawn" if "torch" in sys.modules else None)
        self.function = function
        self.number: int | None = None
        self.dead = False
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, function))
        self.process.start()
        theirs.close()

    def give(self, number: int, args: tuple[Any, ...]) -> None:
        self.number = number
        try:
            self.pipe.send((number, args))
        except ConnectionError:
            self.dead = True  # while it had nothing to do

    def answer(self) -> Finished | None:
        """What came back, if anything; a process that died has answered, too."""
        number = self.number
        assert number is not None
        try:
            if not self.dead and self.pipe.poll():
                self.number = None
                done: Finished = self.pipe.recv()
                return done
        except (EOFError, OSError):
            self.dead = True
        self.dead = self.dead or not self.process.is_alive()
        return Finished(number, lost=1) if self.dead else None

    def end(self, patience: float) -> None:
        while self.process.is_alive() and time.monotonic() < patience:
            self.process.terminate()  # more than once: a signal caught by an idle thread does not wake the busy one
            self.process.join(0.1)
        self.process.kill()
        self.process.join()
        self.pipe.close()


def serve(pipe: Any, function: Call) -> None:
    """What a process does: one call after the other, on one thread, until it is told to end or its parent is gone."""
    signal.signal(signal.SIGINT, nothing_more)  # Ctrl-C reaches all; the parent decides what ends
    signal.signal(signal.SIGTERM, leave)
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # for what is loaded later
    load_blas()
    threadpool_limits(1)  # the processes are the threads
    while True:
        number, args = pipe.recv()
        pipe.send_bytes(packed(attempt(number, function, args)))


def packed(done: Finished) -> Any:
    """As bytes, with what cannot travel put into words."""
    if done.error is not None:
        done.error.add_note("".join(traceback.format_exception(done.error)))
    try:
        content = ForkingPickler.dumps(done)
        if done.error is not None:
            ForkingPickler.loads(content)
    except Exception as error:
        told = RuntimeError(f"{type(done.error or error).__name__}: {done.error or error}")
        return ForkingPickler.dumps(Finished(done.number, error=told))
    return content


def end_with(parent: int) -> None:
    """End this process soon after its parent has."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def leave(number: int, frame: FrameType | None) -> None:
    """End at once, but put away half-written files first, undisturbed."""
    signal.signal(signal.SIGTERM, nothing_more)
    sys.exit(1)


def nothing_more(number: int, frame: FrameType | None) -> None:
    """Unlike an ignored signal, one with a handler is as usual for programs that this process starts."""
