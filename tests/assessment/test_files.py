"""Scores beyond memory: the same measures as `assess`, to the last bit, however the work is cut up."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stripeless.assessment.assess import assess
from stripeless.assessment.files import assess_files
from stripeless.errors import FileError, InputError, OneClassOnly
from stripeless.results.judged import verdict
from stripeless.scores import external
from stripeless.scores.external import keys_of
from stripeless.scores.files import chunks


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(external, "PART", 500)
    monkeypatch.setattr(chunks, "ROWS", 300)


def write_csv(path: Path, scores, labels):
    lines = [
        "score,label",
        *(f"{s!r},{'target' if t else 'nontarget'}" for s, t in zip(scores.tolist(), labels, strict=True)),
    ]
    path.write_text("\n".join(lines) + "\n")


def write_parquet(path: Path, scores, labels):
    with duckdb.connect() as db:
        db.execute("CREATE TABLE t (llr DOUBLE, label VARCHAR)")
        rows = [(s, "target" if t else "nontarget") for s, t in zip(scores.tolist(), labels.tolist(), strict=True)]
        db.executemany("INSERT INTO t VALUES (?, ?)", rows)
        db.execute(f"COPY t TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")


def scores_of(kind, seed=0, size=4000):
    random = np.random.default_rng(seed)
    labels = random.random(size) < 0.2
    scores = random.standard_normal(size) + 1.5 * labels
    if kind == "ties":
        scores = np.round(scores * 2) / 2
    elif kind == "offset":  # all in one narrow range: the first level of ranges cannot tell them apart
        scores = 1e6 + scores * 1e-3
    elif kind == "constant":
        scores = np.full(size, -2.5)
    elif kind == "infinite":
        scores[:50], scores[50:90] = np.inf, -np.inf
    elif kind == "chance":
        scores = random.standard_normal(size)
    elif kind == "reversed":
        scores = -scores
    return scores, labels


def same(on_disk, in_memory):
    assert {k: m.to_dict() for k, m in on_disk.measures.items()} == {
        k: m.to_dict() for k, m in in_memory.measures.items()
    }
    assert on_disk.eer_by_tool == in_memory.eer_by_tool
    assert on_disk.category_counts == in_memory.category_counts
    assert (on_disk.n_target, on_disk.n_nontarget) == (in_memory.n_target, in_memory.n_nontarget)
    assert [w.code for w in on_disk.warnings] == [w.code for w in in_memory.warnings]


@pytest.mark.parametrize("kind", ["plain", "ties", "offset", "constant", "infinite", "chance", "reversed"])
def test_equals_assess_to_the_last_bit(kind, tmp_path, small_parts):
    scores, labels = scores_of(kind)
    for i, rows in enumerate(np.array_split(np.arange(scores.size), 3)):
        write_csv(tmp_path / f"part{i}.csv", scores[rows], labels[rows])
    same(assess_files(tmp_path), assess(scores[labels], scores[~labels]))


def test_parquet_text_and_npz_together(tmp_path, small_parts):
    scores, labels = scores_of("plain")
    write_parquet(tmp_path / "a.parquet", scores[:2000], labels[:2000])
    write_csv(tmp_path / "b.csv", scores[2000:3000], labels[2000:3000])
    rest, of_rest = scores[3000:], labels[3000:]
    np.savez(tmp_path / "c.npz", target=rest[of_rest], nontarget=rest[~of_rest])
    result = assess_files(sorted(tmp_path.iterdir()))
    same(result, assess(scores[labels], scores[~labels]))
    assert [Path(file.path).name for file in result.inputs] == ["a.parquet", "b.csv", "c.npz"]
    assert all(len(file.sha256) == 64 for file in result.inputs)
    json.dumps(result.to_dict(), allow_nan=False)


@example(60, 60, "offset")  # a run of one class cut by a border between parts moves one tool's EER
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([60, 333, 5000]), st.sampled_from(["plain", "ties", "offset"]))
def test_any_part_size_gives_the_same(tmp_path_factory, seed, part, kind):
    folder = tmp_path_factory.mktemp("scores")
    scores, labels = scores_of(kind, seed, 1500)
    write_csv(folder / "all.csv", scores, labels)
    original = external.PART
    external.PART = part
    try:
        same(assess_files(folder / "all.csv"), assess(scores[labels], scores[~labels]))
    finally:
        external.PART = original


def test_threads_give_the_same_bytes(tmp_path, small_parts):
    scores, labels = scores_of("ties")
    for i, rows in enumerate(np.array_split(np.arange(scores.size), 5)):
        write_csv(tmp_path / f"part{i}.csv", scores[rows], labels[rows])
    alone, threaded = assess_files(tmp_path), assess_files(tmp_path, executor=3)
    assert alone.to_dict() == threaded.to_dict()


def test_the_order_of_files_and_rows_does_not_show(tmp_path, small_parts):
    scores, labels = scores_of("plain")
    order = np.random.default_rng(1).permutation(scores.size)
    write_csv(tmp_path / "a.csv", scores, labels)
    write_csv(tmp_path / "b.csv", scores[order], labels[order])
    first, second = (assess_files(tmp_path / name, digests=False).to_dict() for name in ("a.csv", "b.csv"))
    assert first == second


def test_sorted_scores_stay_in_a_folder_of_ones_own(tmp_path, small_parts):
    scores, labels = scores_of("plain")
    write_csv(tmp_path / "a.csv", scores, labels)
    assess_files(tmp_path / "a.csv", folder=tmp_path / "work")
    kept = np.fromfile(tmp_path / "work" / "target.f64")
    np.testing.assert_array_equal(kept, np.sort(scores[labels]))


def test_keys_order_as_scores_do():
    scores = np.array([-np.inf, -1e300, -1.5, -1e-310, -0.0, 0.0, 5e-324, 1.0, np.nextafter(1.0, 2), np.inf])
    keys = keys_of(scores)
    assert keys[4] == keys[5]
    assert (np.diff(keys)[[0, 1, 2, 3, 5, 6, 7, 8]] > 0).all()


def test_a_file_that_grows_meanwhile_is_noticed(tmp_path, small_parts, monkeypatch):
    scores, labels = scores_of("plain")
    write_csv(tmp_path / "a.csv", scores, labels)
    real = external.count_file

    def count_and_change(path, *rest):
        counted = real(path, *rest)
        write_csv(tmp_path / "a.csv", scores[:-100], labels[:-100])
        return counted

    monkeypatch.setattr(external, "count_file", count_and_change)
    with pytest.raises(FileError, match="changed while it was read"):
        assess_files(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("score,label\n1.0,target\n2.0,target\n", OneClassOnly, "no nontarget trial"),
        ("score,label\n1.0,target\n2.0,maybe\n", FileError, "line 3: unknown label 'maybe'"),
        ("score,label\n1.0,target\nnan,nontarget\n", InputError, "NaN"),
        ("a b 1.5\nc d 2.5\n", FileError, "no labels in it"),
    ],
)
def test_bad_files(tmp_path, content, error, message):
    path = tmp_path / "scores.csv"
    path.write_text(content)
    with pytest.raises(error, match=message):
        assess_files(path if "," in content else path.rename(tmp_path / "scores.txt"))


def test_an_empty_directory(tmp_path):
    with pytest.raises(FileError, match="no score file in this directory"):
        assess_files(tmp_path)


def test_the_command_sorts_on_disk(tmp_path):
    from click.testing import CliRunner

    from stripeless.cli.assess import command

    scores, labels = scores_of("plain")
    (tmp_path / "parts").mkdir()
    write_csv(tmp_path / "parts" / "a.csv", scores[:1000], labels[:1000])
    write_csv(tmp_path / "parts" / "b.csv", scores[1000:], labels[1000:])
    arguments = [str(tmp_path / "parts"), "--on-disk", str(tmp_path / "sorted"), "--json"]
    done = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["measures"]["eer"]["value"] == assess(scores[labels], scores[~labels])["eer"]
    assert CliRunner().invoke(command, [*arguments, "--by", "sex"]).exit_code == 2


def test_joined_parts_are_the_staircase_of_the_whole():
    """A run of one class that a border cuts in two is one step again."""
    from stripeless.scores.staircase import join, merge_sorted

    random = np.random.default_rng(0)
    target, nontarget = np.sort(random.integers(0, 60, 80) + 0.0), np.sort(random.integers(20, 90, 120) + 0.0)
    whole = merge_sorted(target, nontarget)
    for borders in ([10.5], [5.5, 15.5, 33.5], [k + 0.5 for k in range(90)]):
        edges = [-np.inf, *borders, np.inf]
        cut = [[c[(c > low) & (c < high)] for c in (target, nontarget)] for low, high in itertools.pairwise(edges)]
        joined = join([merge_sorted(*part) for part in cut if part[0].size + part[1].size])
        np.testing.assert_array_equal(joined.target, whole.target)
        np.testing.assert_array_equal(joined.nontarget, whole.nontarget)


def test_without_speakers_there_is_no_verdict_and_it_says_why(tmp_path):
    """A leak that everybody sees stays "Cannot tell": sorting on disk leaves people behind, and a test counts people."""
    scores, labels = scores_of("normal")
    write_csv(tmp_path / "scores.csv", scores + 10 * labels, labels)
    result = assess_files(tmp_path / "scores.csv")
    assert result["eer"] == 0.0
    said = verdict(result)
    assert said.label == "Cannot tell"
    assert said.headline == (
        "There was no test for a leak: scores sorted on disk come without their speakers, and without people there is no test."
    )
    assert verdict(result.to_dict()) == said
