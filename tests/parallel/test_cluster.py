"""A Dask cluster whose workers are killed: what they held is sent again, and the counts are the same to the last bit."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from stripeless.errors import WorkerLost
from stripeless.parallel import cluster as cluster_room
from stripeless.parallel.items import each
from stripeless.ranks import run as rank_run
from stripeless.ranks.counts import count_ranks

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two processes, restarted when they die."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> tuple[np.ndarray, np.ndarray]:
    """Tiles of 512 KB, so that arrays are sent to the cluster and kept there."""
    monkeypatch.setattr(rank_run, "PROBE_TILE", 2000)
    monkeypatch.setattr(rank_run, "TEMPLATE_TILE", 2000)
    rng = np.random.default_rng(0)
    templates = rng.standard_normal((6000, 64)).astype(np.float32)
    templates[4000:4500] = templates[:500]  # ties
    return templates + rng.standard_normal((6000, 64)).astype(np.float32), templates


def kill_all(client: Any) -> None:
    for process in client.run(os.getpid).values():
        os.kill(process, signal.SIGKILL)


def test_workers_killed_during_a_ranking_change_no_count(client: Any, vectors: Any, monkeypatch: Any) -> None:
    alone = count_ranks(*vectors)
    sent: list[int] = []
    scatter = client.scatter
    monkeypatch.setattr(client, "scatter", lambda value, **more: sent.append(id(value)) or scatter(value, **more))
    before: list[int] = []

    def kill_once(done: int, total: int, seconds: float) -> None:
        if done == 2:
            before.append(len(sent))
            kill_all(client)

    counts = count_ranks(*vectors, executor=client, progress=kill_once)
    np.testing.assert_array_equal(counts.above, alone.above)
    np.testing.assert_array_equal(counts.tied, alone.tied)
    assert before
    assert len(sent) > max(6, before[0])  # three blocks of each side, and what was lost once more


def test_items_on_a_cluster(client: Any) -> None:
    outcomes = each(divmod_by_three, range(7), workers=client, on_error="skip")
    assert [outcome.result for outcome in outcomes] == [divmod(n, 3) for n in range(7)]


def divmod_by_three(number: int) -> tuple[int, int]:
    return divmod(number, 3)


def die(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_what_always_kills_a_worker_of_the_cluster_is_named() -> None:
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(WorkerLost, match=r"^1 \(1 of 1\): given up, because the workers that took it died"),
    ):
        each(die, [1], workers=client)


def test_a_cluster_without_workers_is_said_in_one_sentence(client: Any, vectors: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(cluster_room, "PATIENCE", 1.0)

    def dismiss(done: int, total: int, seconds: float) -> None:
        if done == 1:
            client.cluster.scale(0)

    with pytest.raises(WorkerLost, match=r"^executor: the Dask cluster at tcp://127.0.0.1:\d+ had no worker for 1 s"):
        count_ranks(*vectors, executor=client, progress=dismiss)
    with pytest.raises(WorkerLost, match="had no worker"):
        each(divmod_by_three, range(7), workers=client, on_error="skip")  # no item's fault, so none is skipped
