"""The promises of the engine, wherever the work is done: order, one sentence for a failure, nothing done twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from stripeless.errors import FileError, WorkerLost
from stripeless.parallel.engine import TRIES, Finished, Workers, attempt
from stripeless.parallel.executors import Who, open_workers
from stripeless.parallel.items import each
from stripeless.parallel.kept import claim


class Later:
    """An executor whose futures know nothing but `.result()`."""

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Any:
        class Answer:
            def result(self) -> Any:
                return function(*args)

        return Answer()


@contextmanager
def own(number: int, processes: bool) -> Iterator[tuple[Who, bool]]:
    yield number, processes


PLACES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "here": lambda: own(1, False),
    "threads": lambda: own(3, False),
    "processes": lambda: own(3, True),
    "thread pool": lambda: ThreadPoolExecutor(2),
    "process pool": lambda: ProcessPoolExecutor(2, get_context("spawn")),
    "plain futures": lambda: own(Later(), False),  # type: ignore[arg-type]
}


@contextmanager
def workers_of(name: str) -> Iterator[Workers]:
    with PLACES[name]() as place:
        who, processes = place if isinstance(place, tuple) else (place, False)
        with open_workers(who, processes=processes) as workers:
            yield workers


@pytest.fixture(params=PLACES)
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    with workers_of(request.param) as workers:
        yield workers


def slow_first(number: int, pause: float) -> int:
    time.sleep(pause if number == 0 else 0)
    return number * number


def refuse(number: int, wrong: tuple[int, ...]) -> int:
    time.sleep(0.05 if number == min(wrong) else 0)
    if number in wrong:
        raise FileError(f"{number}.wav", "is no sound", line=number)
    return number


def test_results_come_in_the_order_of_the_calls(workers: Workers) -> None:
    assert list(workers.run(slow_first, [(n, 0.1) for n in range(20)])) == [n * n for n in range(20)]
    assert list(workers.run(slow_first, [])) == []


def test_the_earliest_failure_is_told_whoever_was_faster(workers: Workers) -> None:
    """The later one is found first; the files of the error survive the way between processes."""
    with pytest.raises(FileError, match=r"^2.wav, line 2: is no sound") as caught:
        list(workers.run(refuse, [(n, (2, 3)) for n in range(12)]))
    assert (caught.value.path, caught.value.line) == ("2.wav", 2)
    assert list(workers.run(slow_first, [(3, 0.0)])) == [9]  # and the workers go on


def test_errors_of_the_program_come_back_as_they_are(workers: Workers) -> None:
    with pytest.raises(ZeroDivisionError):
        list(workers.run(divmod, [(1, 1), (1, 0)]))


def test_skipped_items_are_named_in_their_place() -> None:
    for who in (1, 3, ThreadPoolExecutor(2)):
        outcomes = each(refuse_two, range(5), workers=who, on_error="skip")
        assert [outcome.result for outcome in outcomes] == [0, 1, None, 3, 4]
        assert outcomes[2].error == "2.wav, line 2: is no sound"


def refuse_two(number: int) -> int:
    return refuse(number, (2,))


class Forgetful:
    """A place that loses each call as often as `losses` says, and works on the latest first."""

    depth = 3

    def __init__(self, losses: dict[int, int]) -> None:
        self.losses, self.calls, self.most = dict(losses), [], 0
        self.begun: list[int] = []

    def start(self, number: int, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.begun.append(number)
        self.calls.append((number, function, args))
        self.most = max(self.most, len(self.calls))

    def wait(self) -> list[Finished]:
        number, function, args = self.calls.pop()
        if self.losses.get(number, 0):
            self.losses[number] -= 1
            return [Finished(number, lost=1)]
        return [attempt(number, function, args)]

    def cancel(self) -> None:
        self.calls.clear()


def test_what_is_lost_is_placed_again_and_only_that() -> None:
    place = Forgetful({4: TRIES - 1, 7: 1})
    assert list(Workers(place).run(slow_first, [(n, 0.0) for n in range(9)])) == [n * n for n in range(9)]
    assert sorted(place.begun) == sorted([*range(9), 4, 4, 7])
    assert place.most == place.depth


def test_what_is_lost_again_and_again_ends_the_run_by_its_name() -> None:
    place = Forgetful({4: TRIES})
    with pytest.raises(
        WorkerLost, match=r"^slow_first \(5 of 9\): given up, because the workers that took it died"
    ) as caught:
        list(Workers(place).run(slow_first, [(n, 0.0) for n in range(9)]))
    assert place.begun.count(4) == TRIES
    assert place.calls == []
    assert "\n" not in str(caught.value)


def test_after_a_failure_nothing_new_is_begun() -> None:
    """0, 1 and 2 are under way, and 2 fails at once: what stands before it is brought to an end."""
    place = Forgetful({})
    with pytest.raises(FileError, match=r"^2.wav"):
        list(Workers(place).run(refuse, [(n, (2,)) for n in range(9)]))
    assert place.begun == [0, 1, 2]
    assert place.calls == []


class Memory:
    """A store that knows some squares already."""

    def __init__(self) -> None:
        self.values = {2: 4, 3: 9}

    def read(self, item: int) -> int | None:
        return self.values.get(item)

    def keep(self, item: int, value: int) -> None:
        self.values[item] = value


@pytest.mark.parametrize("number", [1, 2])
def test_kept_values_are_taken_and_new_ones_kept(number: int) -> None:
    worked_on: list[int] = []
    seen: list[tuple[int, int]] = []

    def square(n: int) -> int:
        worked_on.append(n)
        return n * n

    store = Memory()
    with open_workers(number) as workers:
        found = workers.finished(
            square,
            range(5),
            name=str,
            arguments=lambda n: (n,),
            store=store,
            progress=lambda done, total, seconds: seen.append((done, total)) if seconds >= 0 else None,
        )
        assert sorted((done.number, done.value) for done in found) == [(n, n * n) for n in range(5)]
    assert sorted(worked_on) == [0, 1, 4]
    assert store.values == {n: n * n for n in range(5)}
    assert seen == [(n, 5) for n in range(1, 6)]


def test_a_folder_of_other_work_is_refused(tmp_path: Any) -> None:
    note = tmp_path / "new" / "note.json"
    claim(note, "a", "is of other work")
    claim(note, "a", "is of other work")
    with pytest.raises(FileError, match=r"note.json: is of other work; choose another folder"):
        claim(note, "b", "is of other work")
    assert note.read_text() == "a"
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot keep finished work"):
        claim(tmp_path / "file" / "note.json", "a", "")


def blas_threads(number: int) -> list[int]:
    """Also of a BLAS that the work itself loads."""
    import scipy.linalg

    scipy.linalg.inv(np.eye(3))
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.parametrize("place", PLACES)
def test_all_work_on_one_blas_thread_and_give_it_back(place: str) -> None:
    with threadpool_limits(2, user_api="blas"):
        with workers_of(place) as workers:
            for threads in workers.run(blas_threads, [(n,) for n in range(6)]):
                assert set(threads) == {1}
        assert set(blas_threads(0)) == {2}


def test_processes_that_are_not_copies_have_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they are where torch was used."""
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    for outcome in each(blas_threads, range(2), workers=2):
        assert outcome.result is not None
        assert set(outcome.result) == {1}


LATE = """
import sys
from stripeless.parallel.items import each

def threads_of_blas(number):
    import scipy.linalg
    from threadpoolctl import threadpool_info
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

assert "scipy.linalg" not in sys.modules
print(each(threads_of_blas, [0])[0].result)
"""


def test_a_blas_that_the_work_loads_has_one_thread_too() -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", LATE], env=environment, capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) == {1}
