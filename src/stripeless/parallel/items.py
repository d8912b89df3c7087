"""The same work on many utterances: in parallel, with progress, and with a name for whatever goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from stripeless.errors import InputError, WorkerLost
from stripeless.parallel.executors import Who, checked_workers, open_workers

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
    workers: Who = 1,
    on_error: OnError = "stop",
    progress: Progress = nothing,
    finish: Callable[[Outcome[Item, Result]], None] | None = None,
) -> list[Outcome[Item, Result]]:
    """`function` of every item, in the order of the items. Errors of the data stop the run or, with `skip`, are noted.

    `workers` is a number of processes (see `worker_count`), an executor or a Dask cluster (see `open_workers`);
    `function` and items travel there, and the results do not depend on it. `finish` is called here, in this process,
    with each outcome as it comes, in whatever order.
    """
    workers = checked_workers(workers)
    if isinstance(workers, int):
        workers = min(workers, max(1, len(items)))
    outcomes: dict[int, Outcome[Item, Result]] = {}
    with open_workers(workers, processes=True) as team:
        for done in team.finished(
            function,
            items,
            name=_name_of,
            arguments=lambda item: (item,),
            errors=(InputError, WorkerLost) if on_error == "skip" else (),
            progress=lambda done, total, _: progress(done, total),
        ):
            outcome = Outcome(items[done.number], done.value, "" if done.error is None else str(done.error))
            outcomes[done.number] = outcome
            if finish is not None:
                finish(outcome)
    return [outcomes[number] for number in range(len(items))]


def _name_of(item: Any) -> str:
    return str(getattr(item, "name", item))
