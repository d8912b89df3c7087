"""A Dask cluster: large arrays are sent once and stay there; what died with a worker is sent again.

The scheduler itself starts a call again whose worker died, but nobody can compute an array again that was sent: it
cancels every call that needs one. Such a call is placed again here, with its arrays.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from queue import Empty
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from stripeless._extras import need
from stripeless.errors import InputError, WorkerLost
from stripeless.parallel.blas import call_on_one_blas_thread
from stripeless.parallel.engine import TRIES, Call
from stripeless.parallel.executors import Submitted

PATIENCE = 60.0  # seconds without any worker, or for one result to travel
_LARGE = 1 << 16  # bytes of an array that is sent to a cluster once and kept there


@contextmanager
def open_cluster(who: Any) -> Iterator[Cluster]:
    """The cluster of a client, or of the scheduler at an address."""
    if not isinstance(who, str):
        yield Cluster(who)
        return
    distributed = need("distributed", "dask", "a Dask cluster")
    try:
        client = distributed.Client(who, timeout="10s")
    except (OSError, ValueError) as error:
        raise InputError(f"executor: no Dask scheduler answers at {who!r}; start one there") from error
    with client:
        yield Cluster(client)


class Cluster(Submitted):
    """A place of two calls for each thread of the cluster, so that none waits for the next; `executor` is the client."""

    def __init__(self, client: Any) -> None:
        super().__init__(client, 1)
        self._address = client.scheduler.address
        self._sent: dict[tuple[Any, ...], tuple[Any, Any]] = {}  # the value beside its future: its address names it
        self._used: dict[str, set[str]] = {}  # keys of what each call was given
        self._meet_workers()

    def submit(self, function: Call, args: tuple[Any, ...]) -> Any:
        try:
            given = [self._place(value) for value in (function, *args)]
            future = self.executor.submit(call_on_one_blas_thread, os.getpid(), *given, pure=False)
        except OSError:  # nobody was there to take it
            nowhere: Future[Any] = Future()
            nowhere.cancel()
            return nowhere
        self._used[future.key] = {value.key for value in given if isinstance(value, type(future))}
        return future

    def _place(self, value: Any) -> Any:
        """Large arrays, and functions with what they carry, stay on the workers; the scheduler sees their names."""
        if isinstance(value, np.ndarray) and value.nbytes >= _LARGE:
            key: tuple[Any, ...] = (value.__array_interface__["data"][0], value.shape, value.strides, value.dtype.str)
        elif callable(value) and not isinstance(value, (FunctionType, BuiltinFunctionType, type)):
            key = (id(value),)
        else:
            return value
        sent = self._sent.pop(key, None) or (self.executor.scatter(value, hash=False), value)
        while len(self._sent) >= 2 * self.depth + 64:  # forget the oldest, so that the cluster does not fill up
            self._sent.pop(next(iter(self._sent)))
        self._sent[key] = sent
        return sent[0]

    def cancel(self) -> None:
        if self.executor.status == "running":
            self.executor.cancel(list(self.futures.values()))
        self.forget()

    def next_ready(self) -> int | None:
        try:
            return self.ready.get(timeout=1.0)
        except Empty:
            self._meet_workers()
            return None

    def result(self, future: Any) -> Any:
        used = self._used.pop(getattr(future, "key", ""), set())
        try:
            return future.result(timeout=PATIENCE)
        except CancelledError:
            self._sent = {key: sent for key, sent in self._sent.items() if sent[0].key not in used}
            raise
        except TimeoutError as error:
            if future.status == "error":
                raise  # of the work itself
            raise CancelledError from error

    def lost(self, error: Exception) -> int:
        """The scheduler itself gives up a call that several workers died of."""
        lost = TRIES if type(error).__name__ == "KilledWorker" else super().lost(error)
        if lost:
            self._meet_workers()
        return lost

    def _meet_workers(self) -> None:
        """See how many there are; wait for the first for a while."""
        patience = time.monotonic() + PATIENCE
        while not (threads := self._threads()):
            if time.monotonic() > patience:
                raise WorkerLost(
                    f"executor: the Dask cluster at {self._address} had no worker for {PATIENCE:.0f} s; start some and run again"
                )
            time.sleep(0.2)
        self.depth = 2 * threads

    def _threads(self) -> int:
        if self.executor.status != "running":
            return 0
        try:
            return sum(self.executor.nthreads().values())
        except OSError:
            return 0
