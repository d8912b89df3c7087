"""Who does the work: this thread, several, anything with `.submit`, or a Dask cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from stripeless._extras import need
from stripeless.errors import InputError
from stripeless.parallel.items import one_blas_thread

_LARGE = 1 << 16  # bytes of an array that is sent to a cluster once and kept there


class Executor(Protocol):
    """Anything that takes work and gives a future with `.result()`: thread pools, process pools, Dask clients."""

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Any: ...


class Now:
    """A future of work that is done already."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def result(self) -> Any:
        return self._value


@dataclass(frozen=True)
class Workers:
    """`submit` starts a call and gives its future; `depth` calls may be under way at once."""

    submit: Callable[..., Any]
    depth: int

    def run(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """The results of many calls, in their order; only `depth` are under way, so memory stays bounded."""
        waiting: deque[Any] = deque()
        for call in calls:
            waiting.append(self.submit(function, *call))
            if len(waiting) >= self.depth:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


@contextmanager
def open_workers(executor: Executor | int | str | None) -> Iterator[Workers]:
    """None: this thread. A number: as many threads. Text: the address of a Dask scheduler. Else: what has `.submit`."""
    if executor is None:
        yield Workers(lambda function, *args: Now(function(*args)), 1)
    elif isinstance(executor, int):
        if executor < 1:
            raise InputError(f"executor: expected at least 1 thread, got {executor}")
        with ThreadPoolExecutor(executor) as threads, one_blas_thread():
            yield Workers(threads.submit, executor + 1)
    elif isinstance(executor, str):
        with _dask_client(executor) as client:
            yield _dask_workers(client)
    elif hasattr(executor, "scatter") and hasattr(executor, "nthreads"):
        yield _dask_workers(executor)
    elif hasattr(executor, "submit"):
        yield Workers(executor.submit, 2 * int(getattr(executor, "_max_workers", 4)))
    else:
        raise InputError(
            "executor: expected None, a number of threads, the address of a Dask scheduler or an object with .submit, "
            f"got {type(executor).__name__}"
        )


def _dask_client(address: str) -> Any:
    distributed = need("distributed", "dask", "a Dask cluster")
    try:
        return distributed.Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise InputError(f"executor: no Dask scheduler answers at {address!r}; start one there") from error


def _dask_workers(client: Any) -> Workers:
    """Large arrays are sent once and stay on the workers; nothing large passes through the scheduler."""
    threads = max(1, sum(client.nthreads().values()))
    sent: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def place(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.nbytes < _LARGE:
            return value
        key = (value.__array_interface__["data"][0], value.shape, value.strides, value.dtype.str)
        if key not in sent:
            while len(sent) >= 4 * threads + 64:  # forget the oldest, so that the cluster does not fill up
                sent.pop(next(iter(sent)))
            # the array is kept beside its future: its address names it only as long as it lives
            sent[key] = (client.scatter(value, hash=False), value)
        return sent[key][0]

    def submit(function: Callable[..., Any], *args: Any) -> Any:
        return client.submit(function, *(place(value) for value in args), pure=False)

    return Workers(submit, 2 * threads)
