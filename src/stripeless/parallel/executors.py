"""Who does the work: this process, threads, processes, anything with `.submit`, or a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, Protocol, SupportsIndex, TypeAlias

from stripeless.errors import InputError, WorkerLost
from stripeless.parallel.blas import call_on_one_blas_thread, one_blas_thread
from stripeless.parallel.engine import Call, Finished, Here, Place, Workers
from stripeless.parallel.processes import Processes
from stripeless.parallel.workers import worker_count


class Executor(Protocol):
    """Anything that takes work and gives a future with `.result()`: thread pools, process pools, Dask clients."""

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Any:
        """Start `function(*args)` somewhere; the future's `.result()` waits for what it gives, or raises its error."""


Who: TypeAlias = Executor | SupportsIndex | str | None


def checked_workers(who: Who) -> Executor | int | str:
    """Workers as they are meant: a number (see `worker_count`), an executor, an address. Anything else is refused."""
    if who is None or isinstance(who, SupportsIndex):
        return worker_count(who)
    if isinstance(who, str) or hasattr(who, "submit"):
        return who
    raise InputError(
        "workers: expected a whole number (0: one per core), the address of a Dask scheduler, or an object with .submit, "
        f"got {type(who).__name__}"
    )


@contextmanager
def open_workers(who: Who = None, *, processes: bool = False) -> Iterator[Workers]:
    """None: this process. A number (see `worker_count`): as many threads, or `processes`. Text: the address of a Dask
    scheduler. Else: what has `.submit`.

    Threads share the arrays and suit work that NumPy does, which lets go of the interpreter meanwhile (tiles, sorting).
    Processes suit work that is mostly Python (recordings). All work on one BLAS thread each, so all give the same bytes.
    """
    who = 1 if who is None else checked_workers(who)
    with one_blas_thread(), _open_place(who, processes) as place:
        yield Workers(place)


@contextmanager
def _open_place(who: Executor | int | str, processes: bool) -> Iterator[Place]:
    if who == 1:
        yield Here()
    elif isinstance(who, int) and processes:
        pool = Processes(who)
        try:
            yield pool
        finally:
            pool.close()
    elif isinstance(who, int):
        with ThreadPoolExecutor(who) as threads:
            yield Submitted(threads, who + 1)
    elif isinstance(who, str) or (hasattr(who, "scatter") and hasattr(who, "nthreads")):
        from stripeless.parallel.cluster import open_cluster

        with open_cluster(who) as cluster:
            yield cluster
    else:
        yield Submitted(who, 2 * int(getattr(who, "_max_workers", 4)))


class Submitted:
    """An executor, of whose futures only `.result()` is asked; with `add_done_callback` the fastest comes first."""

    def __init__(self, executor: Any, depth: int) -> None:
        self.executor, self.depth = executor, depth
        self.forget()

    def forget(self) -> None:
        """Start with an empty book; what is told late of forgotten futures goes to the old one."""
        self.futures: dict[int, Any] = {}
        self.ready: SimpleQueue[int] = SimpleQueue()

    def cancel(self) -> None:
        for future in self.futures.values():
            if hasattr(future, "cancel"):
                future.cancel()
        self.forget()

    def start(self, number: int, function: Call, args: tuple[Any, ...]) -> None:
        future, ready = self.submit(function, args), self.ready
        self.futures[number] = future
        if hasattr(future, "add_done_callback"):
            future.add_done_callback(lambda _: ready.put(number))
        else:
            ready.put(number)  # so these are waited for in their order

    def submit(self, function: Call, args: tuple[Any, ...]) -> Any:
        try:
            return self.executor.submit(call_on_one_blas_thread, os.getpid(), function, *args)
        except BrokenExecutor as error:
            raise WorkerLost(f"executor: it takes no more work ({error}); open one with fewer workers") from error

    def wait(self) -> list[Finished]:
        number = self.next_ready()
        if number is None:
            return []
        try:
            return [Finished(number, self.result(self.futures.pop(number)))]
        except Exception as error:
            lost = self.lost(error)
            return [Finished(number, lost=lost) if lost else Finished(number, error=error)]

    def next_ready(self) -> int | None:
        """The number of a call that is finished, or the next to wait for; None where nothing is known yet."""
        return self.ready.get()

    def result(self, future: Any) -> Any:
        """What the future holds; raises what the call raised."""
        return future.result()

    def lost(self, error: Exception) -> int:
        """How many workers it cost, where this is no error of the call's own."""
        return int(isinstance(error, (BrokenExecutor, CancelledError)))
