"""The engine: starts calls where there is room, takes what comes back, and starts again what was lost.

It does not know who works. A `Place` starts a call and says what became of it: this process (`Here`), processes of our
own, an executor, a Dask cluster. A call that died with its worker is placed again, until it has cost TRIES workers. Who
works on what, and when, never shows in a result: calls draw from seeds of their own, and results go by a call's number.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from stripeless.errors import WorkerLost

TRIES = 3
Call: TypeAlias = Callable[..., Any]
Run: TypeAlias = Callable[[Call, Sequence[tuple[Any, ...]]], Iterable[Any]]  # like starmap, in order
TimedProgress: TypeAlias = Callable[[int, int, float], None]  # calls done, calls in all, seconds since the start


@dataclass(frozen=True)
class Finished:
    """What became of a call: its value, the error it raised, or how many workers it cost (`lost`) without an answer."""

    number: int
    value: Any = None
    error: Exception | None = None
    lost: int = 0


class Place(Protocol):
    """Where calls are worked on; at most `depth` are under way at once, so memory stays bounded."""

    @property
    def depth(self) -> int: ...

    def start(self, number: int, function: Call, args: tuple[Any, ...]) -> None:
        """Begin `function(*args)`."""

    def wait(self) -> list[Finished]:
        """What came to an end meanwhile. Waits a while for the first, and may come back with none."""

    def cancel(self) -> None:
        """Forget what is under way."""


class Store(Protocol):
    """Keeps values between runs, by the item they were made of."""

    def read(self, item: Any) -> Any:
        """The kept value, or None."""

    def keep(self, item: Any, value: Any) -> None:
        """Keep it, whole or not at all."""


class Here:
    """This process, which works on a call while it is waited for."""

    depth = 1

    def start(self, number: int, function: Call, args: tuple[Any, ...]) -> None:
        self._call = number, function, args

    def wait(self) -> list[Finished]:
        return [attempt(*self._call)]

    def cancel(self) -> None: ...


def attempt(number: int, function: Call, args: Iterable[Any]) -> Finished:
    """Work on a call."""
    try:
        return Finished(number, function(*args))
    except Exception as error:
        return Finished(number, error=error)


def one_by_one(function: Call, calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Run the calls here, one after the other."""
    for call in calls:
        yield function(*call)


@dataclass(frozen=True)
class Workers:
    """Those who work at one place."""

    place: Place

    def run(self, function: Call, calls: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """The results of many calls, in their order."""
        early: dict[int, Any] = {}
        following = 0
        for done in self.finished(function, calls, name=lambda args: _call_name(function, args)):
            early[done.number] = done.value
            while following in early:
                yield early.pop(following)
                following += 1

    def finished(
        self,
        function: Call,
        items: Sequence[Any],
        *,
        name: Callable[[Any], str],
        arguments: Callable[[Any], tuple[Any, ...]] = tuple,
        errors: tuple[type[Exception], ...] = (),
        store: Store | None = None,
        progress: TimedProgress | None = None,
    ) -> Iterator[Finished]:
        """What became of `function(*arguments(item))` for every item, as it comes; `name(item)` is for people.

        Errors of the types `errors` are handed out like values. Any other ends the run: of several, the one of the
        earliest item is raised, so that what a user reads does not depend on who was faster.
        """
        started, count = time.monotonic(), 0
        calls = _Calls(items, name, errors)
        try:
            for done in self._settled(calls, function, arguments, store):
                yield done
                count += 1
                if progress is not None:
                    progress(count, len(items), time.monotonic() - started)
        finally:
            self.place.cancel()
        if calls.failed is not None and calls.failed.error is not None:
            raise calls.failed.error

    def _settled(
        self, calls: _Calls, function: Call, arguments: Callable[[Any], tuple[Any, ...]], store: Store | None
    ) -> Iterator[Finished]:
        """Keep the place full; hand out what was kept by an earlier run, and what is finished now."""
        while True:
            while len(calls.under_way) < self.place.depth and (number := calls.next()) is not None:
                item = calls.items[number]
                if store is not None and (kept := store.read(item)) is not None:
                    yield Finished(number, kept)
                    continue
                calls.under_way.add(number)
                self.place.start(number, function, arguments(item))
            if not calls.awaited():
                return
            for done in self.place.wait():
                settled = calls.settle(done)
                if settled is not None:
                    if store is not None and settled.error is None:
                        store.keep(calls.items[settled.number], settled.value)
                    yield settled


class _Calls:
    """The book of one run: what is to be started, what is under way, what was lost how often, what failed."""

    def __init__(self, items: Sequence[Any], name: Callable[[Any], str], errors: tuple[type[Exception], ...]) -> None:
        self.items, self.name, self.errors = items, name, errors
        self.under_way: set[int] = set()
        self.failed: Finished | None = None
        self._fresh, self._again = iter(range(len(items))), deque[int]()
        self._lost: Counter[int] = Counter()

    def next(self) -> int | None:
        """The number of the call to start now; what was lost goes first, and after a failure nothing new."""
        if self._again:
            return self._again.popleft()
        return next(self._fresh, None) if self.failed is None else None

    def awaited(self) -> bool:
        """Is anything under way that still matters: after a failure, only what stands before it."""
        return any(self._matters(number) for number in self.under_way)

    def _matters(self, number: int) -> bool:
        return self.failed is None or number < self.failed.number

    def settle(self, done: Finished) -> Finished | None:
        """What is to be handed out: nothing of a call that is placed again or ends the run."""
        self.under_way.remove(done.number)
        if done.lost:
            self._lost[done.number] += done.lost
            if self._lost[done.number] < TRIES:
                if self._matters(done.number):
                    self._again.append(done.number)
                return None
            done = Finished(done.number, error=self._given_up(done.number))
        if done.error is None or isinstance(done.error, self.errors):
            return done
        if self._matters(done.number):
            self.failed = done
        return None

    def _given_up(self, number: int) -> WorkerLost:
        return WorkerLost(
            f"{self.name(self.items[number])} ({number + 1} of {len(self.items)}): given up, because the workers that took it "
            "died, one after the other (killed, out of memory, or crashed); leave it out, or use fewer workers"
        )


def _call_name(function: Call, args: Sequence[Any]) -> str:
    """`count_file of a.csv`."""
    name = getattr(function, "__name__", type(function).__name__).strip("_")
    return f"{name} of {args[0]}" if args and isinstance(args[0], str) else name
