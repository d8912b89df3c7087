"""The same ranks and the same numbers on a Dask cluster of this machine."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.errors import InputError
from stripeless.ranks import run as rank_run
from stripeless.ranks.counts import true_ranks

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, host="127.0.0.1", protocol="tcp"
    ) as cluster:
        yield cluster


def test_ranks_on_a_cluster_by_client_and_by_address(cluster, monkeypatch):
    monkeypatch.setattr(rank_run, "PROBE_TILE", 100)
    monkeypatch.setattr(rank_run, "TEMPLATE_TILE", 130)
    rng = np.random.default_rng(0)
    templates = rng.standard_normal((400, 24)).astype(np.float32)
    probes = templates + rng.standard_normal((400, 24)).astype(np.float32)
    alone = true_ranks(probes, templates)
    with distributed.Client(cluster) as client:
        np.testing.assert_array_equal(true_ranks(probes, templates, executor=client), alone)
    np.testing.assert_array_equal(true_ranks(probes, templates, executor=cluster.scheduler_address), alone)


def test_no_scheduler_is_said_in_one_sentence(monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError("Timed out")

    monkeypatch.setattr(distributed, "Client", refuse)
    with pytest.raises(InputError, match="no Dask scheduler answers at"):
        true_ranks([[1.0]], [[1.0]], executor="tcp://127.0.0.1:1")


def test_scores_beyond_memory_give_the_same_bits_on_a_cluster(cluster, tmp_path, monkeypatch):
    from stripeless.assessment.assess import assess
    from stripeless.assessment.files import assess_files
    from stripeless.scores import external

    monkeypatch.setattr(external, "PART", 500)
    random = np.random.default_rng(0)
    labels = random.random(3000) < 0.3
    scores = random.standard_normal(3000) + labels
    for i, rows in enumerate(np.array_split(np.arange(3000), 4)):
        lines = [
            f"{scores[r]!r} {'target' if labels[r] else 'nontarget'}".replace("np.float64(", "").replace(")", "")
            for r in rows
        ]
        (tmp_path / f"{i}.txt").write_text("\n".join(lines) + "\n")
    alone = assess_files(tmp_path)
    with distributed.Client(cluster) as client:
        on_cluster = assess_files(tmp_path, executor=client, folder=tmp_path / "work")
    assert on_cluster.to_dict() == alone.to_dict()
    assert on_cluster["cllr"] == assess(scores[labels], scores[~labels])["cllr"]
