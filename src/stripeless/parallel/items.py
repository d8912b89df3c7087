"""The same work on many utterances: in parallel, with progress, and with a name for whatever goes wrong."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Generic, Literal, TypeVar

from stripeless.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]
OnError = Literal["stop", "skip"]


@dataclass(frozen=True)
class Outcome(Generic[Item, Result]):
    """What became of one item: a result, or the sentence that says why not."""

    item: Item
    result: Result | None
    error: str = ""


def nothing(done: int, total: int) -> None:
    """Progress that nobody watches."""


def each(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    workers: int = 1,
    on_error: OnError = "stop",
    progress: Progress = nothing,
    finish: Callable[[Outcome[Item, Result]], None] | None = None,
) -> list[Outcome[Item, Result]]:
    """`function` of every item, in the order of the items. Errors of the data stop the run or, with `skip`, are noted.

    `function` and items travel to other processes when `workers` is above 1; the results do not depend on it. `finish`
    is called here, in this process, with each outcome as it comes, in whatever order.
    """
    outcomes: dict[int, Outcome[Item, Result]] = {}
    for number, outcome in finished(function, items, min(workers, len(items))):
        if outcome.error and on_error == "stop":
            raise InputError(outcome.error)
        outcomes[number] = outcome
        if finish is not None:
            finish(outcome)
        progress(len(outcomes), len(items))
    return [outcomes[number] for number in range(len(items))]


def one_blas_thread() -> AbstractContextManager[Any]:
    """Matrix products by one thread: several add up in another order, and the last bits must not depend on how many.

    Without threadpoolctl BLAS keeps its own mind.
    """
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limits


_work: list[Callable[[Any], Any]] = []  # of this process; sent once, not with every item


def take_work(function: Callable[[Any], Any]) -> None:
    """What a new process is to do; where the process that wanted it is gone, it ends as well."""
    _work[:] = [function]
    one_blas_thread()  # for as long as the process lives
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()


def end_with(parent: int) -> None:
    """End this process soon after its parent has."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def do_work(item: Any) -> Outcome[Any, Any]:
    """Do it to one item."""
    return attempt(_work[0], item)


def attempt(function: Callable[[Item], Result], item: Item) -> Outcome[Item, Result]:
    """Errors of the data become a sentence; errors of the program stay what they are."""
    try:
        return Outcome(item, function(item))
    except InputError as error:
        return Outcome(item, None, str(error))


def finished(
    function: Callable[[Item], Result], items: Sequence[Item], workers: int
) -> Iterator[tuple[int, Outcome[Item, Result]]]:
    """(number, outcome) as they come."""
    if workers <= 1:
        with one_blas_thread():
            for number, item in enumerate(items):
                yield number, attempt(function, item)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the processes are the threads
    # a process that has run torch must not be forked: its threads would be missing in the copy
    context = get_context("spawn" if "torch" in sys.modules else None)
    with ProcessPoolExecutor(workers, context, take_work, (function,)) as pool:
        waiting: dict[Future[Outcome[Item, Result]], int] = {}
        queue = iter(enumerate(items))
        try:
            while True:
                for number, item in queue:
                    waiting[pool.submit(do_work, item)] = number
                    if len(waiting) >= 4 * workers:
                        break
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        finally:
            for future in waiting:
                future.cancel()
