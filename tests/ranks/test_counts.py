"""Ranks: equal to the sort-based definition, however they are computed."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from stripeless.embeddings.embeddings import Embeddings
from stripeless.errors import FileError, InputError, TrialMismatch
from stripeless.ranks import run as rank_run
from stripeless.ranks.counts import count_ranks, count_score_ranks, estimate_seconds, ranking_job, true_ranks
from stripeless.ranks.space import METRICS


def similarities(probes, templates, metric):
    """The slow, sorted definition in extended precision, rounded so that equal numbers are equal."""
    p, t = np.asarray(probes, dtype=np.longdouble), np.asarray(templates, dtype=np.longdouble)
    if metric == "cosine":
        p, t = p / np.sqrt((p**2).sum(1, keepdims=True)), t / np.sqrt((t**2).sum(1, keepdims=True))
        s = np.array([[(a * b).sum() for b in t] for a in p])
    elif metric == "euclidean":
        s = -np.array([[((a - b) ** 2).sum() for b in t] for a in p])
    else:
        p, t = p / p.sum(1, keepdims=True), t / t.sum(1, keepdims=True)
        if metric == "hellinger":
            s = np.array([[np.sqrt(a * b).sum() for b in t] for a in p])
        elif metric == "cityblock":
            s = -np.array([[np.abs(a - b).sum() for b in t] for a in p])
        elif metric == "wasserstein":
            s = -np.array([[np.abs(np.cumsum(a - b)).sum() for b in t] for a in p])
        else:
            s = -(cdist(p.astype(float), t.astype(float), "jensenshannon") ** 2)
            return np.round(s, 12)
    return np.round(s.astype(np.float64), 14)


def brute_force(probes, templates, metric, own=None):
    s = similarities(probes, templates, metric)
    own = np.arange(len(s)) if own is None else own
    return np.array([rankdata(-row)[k] for row, k in zip(s, own, strict=True)])


def voices(n, d, noise, seed, dtype=np.float32):
    rng = np.random.default_rng(seed)
    templates = rng.standard_normal((n, d))
    return (templates + noise * rng.standard_normal((n, d))).astype(dtype), templates.astype(dtype)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["small integers", "gaussian"])
def test_equals_the_sorted_definition_with_ties(metric, kind):
    rng = np.random.default_rng(7)
    if kind == "gaussian":
        probes, templates = np.abs(rng.standard_normal((60, 9))), np.abs(rng.standard_normal((60, 9)))
    else:  # few distinct values: many exact ties between different vectors
        probes, templates = rng.integers(0, 3, (150, 4)) + 0.0, rng.integers(0, 3, (150, 4)) + 0.0
        probes[:, 0] += 1
        templates[:, 0] += 1
    expected = brute_force(probes, templates, metric)
    ranks = true_ranks(probes, templates, metric=metric)
    np.testing.assert_array_equal(ranks, expected)
    if kind == "small integers":
        assert (ranks != np.round(ranks)).any()  # the ties were there


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_differences_below_float32_are_still_ranked(metric):
    """Templates that float32 cannot tell apart: only float64 gets their order right."""
    rng = np.random.default_rng(3)
    probe = rng.standard_normal(16)
    templates = rng.standard_normal(16) + 1e-8 * rng.standard_normal((300, 16))
    probes = np.tile(probe, (300, 1))
    expected = brute_force(probes, templates, metric)
    np.testing.assert_array_equal(true_ranks(probes, templates, metric=metric), expected)
    assert len(np.unique(expected)) > 250


def test_blocks_and_tiles_of_every_size(monkeypatch):
    probes, templates = voices(700, 12, 1.5, 1)
    expected = brute_force(probes, templates, "cosine")
    from stripeless.ranks import tile as rank_tile

    for probe_block, template_block, probe_tile, template_tile in [
        (7, 13, 100, 90),
        (512, 2048, 700, 1),
        (64, 300, 1, 700),
    ]:
        monkeypatch.setattr(rank_tile, "PROBE_BLOCK", probe_block)
        monkeypatch.setattr(rank_tile, "TEMPLATE_BLOCK", template_block)
        monkeypatch.setattr(rank_run, "PROBE_TILE", probe_tile)
        monkeypatch.setattr(rank_run, "TEMPLATE_TILE", template_tile)
        np.testing.assert_array_equal(true_ranks(probes, templates), expected)


def test_all_templates_alike_tie_in_the_middle():
    counts = count_ranks(np.ones((50, 8)), np.ones((50, 8)) * 3.7)
    assert (counts.above == 0).all()
    assert (counts.tied == 49).all()
    assert (counts.ranks == 25.5).all()


def test_sparse_ties_are_settled_pair_by_pair():
    probes, templates = voices(3000, 16, 1.0, 5)
    templates[1500:] = templates[:1500] * 2  # each template once more, twice as long: the same direction
    counts = count_ranks(probes, templates)
    assert (counts.tied == 1).all()
    assert (count_ranks(probes, templates, metric="euclidean").tied == 0).all()


@given(st.integers(0, 10_000), st.sampled_from(["cosine", "euclidean", "hellinger"]))
def test_permuting_speakers_changes_nothing(seed, metric):
    rng = np.random.default_rng(seed)
    probes, templates = rng.integers(0, 4, (30, 3)) + 1.0, rng.integers(0, 4, (30, 3)) + 1.0
    names = [f"s{i}" for i in range(30)]
    a, b = rng.permutation(30), rng.permutation(30)
    ranks = true_ranks(probes, templates, metric=metric)
    shuffled = true_ranks(
        probes[a],
        templates[b],
        metric=metric,
        probe_speakers=[names[i] for i in a],
        template_speakers=[names[i] for i in b],
    )
    np.testing.assert_array_equal(shuffled, ranks[a])
    assert ((ranks >= 1) & (ranks <= 30)).all()


def test_scale_and_rotation_leave_cosine_ranks_alone():
    probes, templates = voices(200, 10, 1.0, 2, np.float64)
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((10, 10)))[0]
    lengths = np.exp(np.random.default_rng(1).uniform(-30, 30, (200, 1)))
    np.testing.assert_array_equal(
        true_ranks(probes @ rotation * lengths, templates @ rotation / lengths), true_ranks(probes, templates)
    )


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_euclidean_far_from_the_origin_and_in_any_unit(scale):
    probes, templates = voices(80, 6, 1.0, 4, np.float64)
    expected = brute_force(probes, templates, "euclidean")
    moved = true_ranks((probes + 8.0) * scale, (templates + 8.0) * scale, metric="euclidean")
    np.testing.assert_array_equal(moved, expected)


def test_a_probe_far_outside_the_templates():
    probes, templates = voices(40, 6, 1.0, 4, np.float64)
    probes[3] *= 1e25
    expected = brute_force(probes, templates, "euclidean")
    ranks = true_ranks(probes, templates, metric="euclidean")
    np.testing.assert_array_equal(np.delete(ranks, 3), np.delete(expected, 3))


def test_any_function_and_any_matrix():
    probes, templates = voices(90, 5, 1.0, 8, np.float64)

    def minus_city_block(a, b):
        return -cdist(a, b, "cityblock")

    by_function = true_ranks(probes, templates, metric=minus_city_block)
    np.testing.assert_array_equal(by_function, count_score_ranks(minus_city_block(probes, templates)).ranks)


def test_embeddings_bring_their_speakers():
    probes, templates = voices(20, 5, 0.3, 9)
    order = np.random.default_rng(0).permutation(20)
    p = Embeddings(probes, tuple(f"p{i}" for i in range(20)), speakers=tuple(f"s{i}" for i in range(20)))
    t = Embeddings(templates[order], tuple(f"t{i}" for i in range(20)), speakers=tuple(f"s{i}" for i in order))
    np.testing.assert_array_equal(true_ranks(p, t), true_ranks(probes, templates))


@pytest.fixture
def small_tiles(monkeypatch):
    monkeypatch.setattr(rank_run, "PROBE_TILE", 100)
    monkeypatch.setattr(rank_run, "TEMPLATE_TILE", 150)


def test_threads_and_executors_give_the_same(small_tiles):
    probes, templates = voices(400, 16, 2.0, 6)
    alone = true_ranks(probes, templates)
    np.testing.assert_array_equal(true_ranks(probes, templates, executor=3), alone)
    with ThreadPoolExecutor(2) as pool:
        np.testing.assert_array_equal(true_ranks(probes, templates, executor=pool), alone)


def test_processes_give_the_same(small_tiles):
    import multiprocessing

    probes, templates = voices(200, 16, 2.0, 6)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        np.testing.assert_array_equal(
            true_ranks(probes, templates, executor=pool, metric="euclidean"),
            true_ranks(probes, templates, metric="euclidean"),
        )


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "hellinger"])
def test_torch_gives_the_same(metric, small_tiles):
    pytest.importorskip("torch")
    probes, templates = voices(500, 16, 2.0, 6)
    probes, templates = np.abs(probes), np.abs(templates)
    templates[300:400] = templates[:100]  # ties
    probes[400:] = np.round(probes[400:]) + 1
    counts = count_ranks(probes, templates, metric=metric)
    on_device = count_ranks(probes, templates, metric=metric, device="cpu")
    np.testing.assert_array_equal(on_device.above, counts.above)
    np.testing.assert_array_equal(on_device.tied, counts.tied)
    alike = count_ranks(probes * 0 + 1, templates * 0 + 1, metric=metric, device="cpu")
    assert (alike.tied == 499).all()


def test_progress_counts_tiles(small_tiles):
    probes, templates = voices(250, 4, 1.0, 6)
    seen = []
    true_ranks(probes, templates, progress=lambda done, total, seconds: seen.append((done, total, seconds >= 0)))
    assert seen == [(i, 6, True) for i in range(1, 7)]


def test_estimate_is_positive_and_grows_with_the_job():
    small, large = ranking_job(*voices(50, 8, 1, 0)), ranking_job(*voices(20_000, 8, 1, 0))
    assert 0 < estimate_seconds(small) < estimate_seconds(large)


KILLED = """
    import os, sys
    import numpy as np
    from stripeless.ranks import run as rank_run
    from stripeless.ranks.counts import true_ranks
    rank_run.PROBE_TILE, rank_run.TEMPLATE_TILE = 100, 100
    data = np.load(sys.argv[1])
    def progress(done, total, seconds):
        if done == 5:
            os.kill(os.getpid(), 9)
    true_ranks(data["probes"], data["templates"], resume=sys.argv[2], progress=progress)
"""


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch):
    probes, templates = voices(400, 6, 1.0, 6)
    np.savez(tmp_path / "data.npz", probes=probes, templates=templates)
    folder = tmp_path / "tiles"
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path / "data.npz"), str(folder)]
    assert subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False).returncode == -9
    kept = sorted(folder.glob("tile-*.npy"))
    assert 4 <= len(kept) <= 5
    kept[0].write_bytes(b"damaged")
    monkeypatch.setattr(rank_run, "PROBE_TILE", 100)
    monkeypatch.setattr(rank_run, "TEMPLATE_TILE", 100)
    computed = []
    real = rank_run.count_tile
    monkeypatch.setattr(rank_run, "count_tile", lambda *args: computed.append(1) or real(*args))
    ranks = true_ranks(probes, templates, resume=folder)
    assert len(computed) == 16 - len(kept) + 1
    np.testing.assert_array_equal(ranks, brute_force(probes, templates, "cosine"))
    with pytest.raises(FileError, match="other data"):
        true_ranks(probes + 1, templates, resume=folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"probes": [[1.0, 0.0]], "templates": [[1.0, 0.0], [0.0, 1.0]]}, "row i of both"),
        ({"probes": [[1.0, 0.0], [0.0, 0.0]], "templates": [[1.0, 0.0], [0.0, 1.0]]}, "probes: row 1 is all zeros"),
        ({"probes": [[1.0], [2.0]], "templates": [[1.0, 0.0], [0.0, 1.0]]}, "cannot be compared"),
        ({"probes": [[1.0, -1.0]], "templates": [[1.0, 0.0]], "metric": "hellinger"}, "negative count"),
        ({"probes": [[1.0]], "templates": [[1.0]], "metric": "manhattan"}, "metric: expected one of"),
        ({"probes": [[1.0]], "templates": [[1.0]], "executor": -1}, "workers: expected a whole number from 1"),
        ({"probes": [[1.0]], "templates": [[1.0]], "executor": 1.5}, "object with .submit"),
        ({"probes": [[1.0]], "templates": [[1.0]], "device": "cpu", "executor": 1}, "give one of them"),
        ({"probes": [[1.0]], "templates": [[1.0]], "device": "cpu", "metric": "cityblock"}, "no product form"),
        ({"probes": [[1.0]], "templates": [[1.0]], "device": "moon"}, "cannot be used here"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(arguments, message):
    if "device" in arguments:
        pytest.importorskip("torch")
    with pytest.raises(InputError, match=message):
        true_ranks(**arguments)


@pytest.mark.parametrize(
    ("probe_speakers", "template_speakers", "message"),
    [
        (["a", "c"], ["a", "b"], "'c' has no template"),
        (["a", "b"], ["a", "a"], "'a' has more than one template"),
        (["a"], ["a", "b"], "1 labels for 2 rows"),
        (None, ["a", "b"], "probe_speakers: missing"),
    ],
)
def test_speakers_that_do_not_fit(probe_speakers, template_speakers, message):
    with pytest.raises(TrialMismatch, match=message):
        true_ranks(np.eye(2), np.eye(2), probe_speakers=probe_speakers, template_speakers=template_speakers)


def test_score_matrix_refusals():
    with pytest.raises(TrialMismatch, match="which belongs to which"):
        count_score_ranks(np.zeros((2, 3)))
    with pytest.raises(InputError, match="column numbers must lie"):
        count_score_ranks(np.zeros((2, 3)), own=[0, 3])
    with pytest.raises(InputError, match="NaN"):
        count_score_ranks([[np.nan, 1.0], [0.0, 1.0]])
