"""Writing scores: what is written reads back equal, and a file is whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from score_files import E_, L_, LABELS, S_, U_, assert_same, check, check_scores_only, spelled

from stripeless.errors import FileError, InputError, NotANumber
from stripeless.scores.files import read_scores, write_scores

NAMES = ["s.csv", "s.tsv", "s.csv.gz", "s.parquet", "s.npz", "s.h5", "s.hdf5", "s.txt", "s.txt.gz", "scores"]


@pytest.mark.parametrize("name", NAMES)
def test_one_file_round_trips(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_scores(path, S_, L_, enrollment=E_, trial=U_)
    check(read_scores(path))
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("pair", [("s", "t"), ("s.gz", "t.gz"), ("s.h5", "t.h5"), ("s.h5", "t")])
def test_scores_and_trials_round_trip(tmp_path: Path, pair: tuple[str, str]) -> None:
    scores, trials = (tmp_path / name for name in pair)
    write_scores(scores, S_, L_, enrollment=E_, trial=U_, trials=trials)
    check(read_scores(scores, trials))
    with pytest.raises(FileError, match="labels"):
        read_scores(scores)


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.parquet", "s.npz", "s.txt"])
def test_scores_alone_round_trip(tmp_path: Path, name: str) -> None:
    write_scores(tmp_path / name, S_, L_)
    scores = read_scores(tmp_path / name)
    check_scores_only(scores)
    assert scores.enrollment_speakers is None


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.parquet", "s.npz"])
def test_trial_scores_round_trip_with_speakers_and_columns(tmp_path: Path, name: str) -> None:
    odd = ["a,b", 'say "x"', "", "ü", "a b"]
    write_scores(tmp_path / "a.csv", S_, L_, enrollment=E_, trial=U_, columns={'odd "; name': odd})
    first = read_scores(tmp_path / "a.csv")
    assert spelled(first.columns['odd "; name']) == (["a,b", "ü", "a b"], ['say "x"', "?"])
    write_scores(tmp_path / name, first)
    second = read_scores(tmp_path / name)
    write_scores(tmp_path / f"again-{name}", second)
    third = read_scores(tmp_path / f"again-{name}")
    np.testing.assert_array_equal(first.target, second.target)
    assert spelled(first.trial_speakers) == spelled(second.trial_speakers)
    assert spelled(first.columns['odd "; name']) == spelled(second.columns['odd "; name'])
    assert_same(second, third)


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.csv.gz", "s.parquet", "s.npz"])
def test_names_that_a_spreadsheet_would_run_read_back_as_they_were(tmp_path: Path, name: str) -> None:
    names = ["=1+1", "+a", "-b", "@c", "'=1+1", "''@x", "\t=t", "'tis", "-3.5", "plain"]
    labels = [1, 0] * 5
    odd = {"=head": [*names[1:], "=1+1"]}
    write_scores(
        tmp_path / name, np.arange(10.0), labels, enrollment=names, trial=[f"={n}" for n in names], columns=odd
    )
    scores = read_scores(tmp_path / name)
    assert spelled(scores.columns["=head"]) == (names[1::2], [*names[2::2], "=1+1"])
    assert scores.enrollment_speakers is not None
    assert set(scores.enrollment_speakers.names) >= set(names)


def test_no_cell_of_csv_is_a_formula(tmp_path: Path) -> None:
    names = ["=1+1", "+a", "-b", "@c", "'=1+1", "-3.5"]
    write_scores(tmp_path / "s.csv", [-1.5, 2.0] * 3, [1, 0] * 3, columns={"=head": names})
    cells = [line.split(",") for line in (tmp_path / "s.csv").read_text().splitlines()]
    assert [row[2] for row in cells] == ["'=head", "'=1+1", "'+a", "'-b", "'@c", "''=1+1", "-3.5"]
    assert [row[0] for row in cells] == ["score", "-1.5", "2.0"] + ["-1.5", "2.0"] * 2


def test_csv_in_which_two_names_mean_the_same(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("enrollment,trial,score,label\n=a,u,1,1\n'=a,v,2,0\n")
    with pytest.raises(FileError, match="both \"'=a\" and '=a', which mean the same in CSV; rename one"):
        read_scores(tmp_path / "s.csv")


def test_text_is_what_people_expect(tmp_path: Path) -> None:
    write_scores(
        tmp_path / "s", [0.1, -2.0], [1, 0], enrollment=["a", "a"], trial=["a-1", "b-1"], trials=tmp_path / "t"
    )
    assert (tmp_path / "s").read_text() == "a a-1 0.1\na b-1 -2.0\n"
    assert (tmp_path / "t").read_text() == "a a-1 target\na b-1 nontarget\n"


def test_a_failed_write_leaves_the_old_files_and_nothing_else(tmp_path: Path) -> None:
    scores, trials = tmp_path / "s", tmp_path / "t"
    scores.write_text("old scores")
    trials.write_text("old trials")
    with pytest.raises(InputError, match="hold blanks; write CSV"):
        write_scores(scores, [1.0, 2.0], [1, 0], enrollment=["a", "a b"], trial=["x", "y"], trials=trials)
    assert scores.read_text() == "old scores"
    assert trials.read_text() == "old trials"
    assert sorted(os.listdir(tmp_path)) == ["s", "t"]


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.h5"
    with pytest.raises(InputError, match="give `enrollment` and `trial` ids"):
        write_scores(path, [1.0], [True])
    with pytest.raises(NotANumber):
        write_scores(path, [np.nan], [True])
    with pytest.raises(InputError, match="labels: 2 entries for 1 scores"):
        write_scores(path, [1.0], [True, False])
    with pytest.raises(InputError, match="labels: missing"):
        write_scores(path, [1.0])
    with pytest.raises(InputError, match="only one was given"):
        write_scores(path, [1.0], [True], trial=["a"])
    with pytest.raises(InputError, match=r"leave \.gz out"):
        write_scores(tmp_path / "s.npz.gz", [1.0], [True])
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("name", ["*.parquet", "[a].parquet", "it's ?.parquet", '"q" x.parquet'])
def test_parquet_names_are_just_names(tmp_path: Path, name: str) -> None:
    write_scores(tmp_path / "a.parquet", [9.0, 8.0], [1, 0])
    write_scores(tmp_path / name, S_, L_, enrollment=E_, trial=U_)
    check(read_scores(tmp_path / name))


@pytest.mark.parametrize(
    "names", [("ID/row_ids", "ID/column_ids"), ("modelset", "segset"), ("model_names", "test_names")]
)
@pytest.mark.parametrize("masks", [("tar", "non"), ("tar_mask", "non_mask"), ("trial_mask", "")])
def test_hdf5_layouts(tmp_path: Path, names: tuple[str, str], masks: tuple[str, str]) -> None:
    h5py = pytest.importorskip("h5py")
    models, segments = [b"anna", b"bert"], [b"anna-1", b"bert-1", b"bert-2"]
    matrix = np.array([[2.5, -1.25, np.nan], [-np.inf, 1e5, np.inf]])
    target = np.array([[1, 0, 0], [0, 1, 1]], dtype=np.int8)
    nontarget = np.array([[0, 1, 0], [1, 0, 0]], dtype=np.int8)
    with h5py.File(tmp_path / "s.h5", "w") as file:
        file[names[0]], file[names[1]] = models, segments
        file["score_mat" if names[0] == "model_names" else "scores"] = matrix
        file["score_mask"] = target + nontarget
    with h5py.File(tmp_path / "k.h5", "w") as file:
        file[names[0]], file[names[1]] = models, segments
        if masks[1]:
            file[masks[0]], file[masks[1]] = target, nontarget
        else:
            file[masks[0]] = target - nontarget
    check(read_scores(tmp_path / "s.h5", tmp_path / "k.h5"))
    (tmp_path / "t").write_text("".join(f"{e} {u} {w}\n" for e, u, w in zip(E_, U_, LABELS, strict=True)))
    check(read_scores(tmp_path / "s.h5", tmp_path / "t"))


def test_hdf5_cells_with_a_score_that_are_no_trial_are_left_out(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "s.h5", "w") as file:
        file["modelset"], file["segset"], file["scores"] = [b"a"], [b"u", b"v", b"w"], [[1.0, 2.0, 3.0]]
        file["score_mask"] = np.ones((1, 3), dtype=np.int8)
        file["trial_mask"] = np.array([[1, -1, 0]], dtype=np.int8)
    scores = read_scores(tmp_path / "s.h5")
    assert (scores.target.tolist(), scores.nontarget.tolist()) == ([1.0], [2.0])


def test_hdf5_that_is_wrong(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "s.h5"
    with h5py.File(path, "w") as file:
        file["x"] = [1]
    with pytest.raises(FileError, match=r"s\.h5: no BOSARIS layout; the contents are x: expected"):
        read_scores(path)
    with h5py.File(path, "w") as file:
        file["modelset"], file["segset"], file["scores"] = [b"a"], [b"u", b"v"], np.zeros((2, 2))
    with pytest.raises(FileError, match=r"scores has the shape \(2, 2\), but the ids call for \(1, 2\)"):
        read_scores(path)
    with h5py.File(path, "w") as file:
        file["modelset"], file["segset"], file["scores"] = [b"a"], [b"u", b"v"], [[1.0, np.nan]]
        file["trial_mask"] = np.array([[1, -1]], dtype=np.int8)
    with pytest.raises(NotANumber, match=r"s\.h5: the score of a v is NaN; find out why"):
        read_scores(path)
    with h5py.File(path, "w") as file:
        file["modelset"], file["segset"], file["scores"] = [b"a", b"a"], [b"u"], [[1.0], [2.0]]
    with pytest.raises(FileError, match=r"the id a stands for two rows"):
        read_scores(path)
    path.write_bytes(path.read_bytes()[:600])
    with pytest.raises(FileError, match=r"s\.h5: a broken HDF5 file"):
        read_scores(path)


def test_parquet_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    write_scores(path, [1.0, 2.0], [1, 0])
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(FileError, match=r"s\.parquet: a parquet file that cannot be read .* write it again"):
        read_scores(path)
    import duckdb

    with duckdb.connect() as db:
        db.sql("SELECT 1.5 AS foo, 'a' AS bar").write_parquet(str(path))
        with pytest.raises(FileError, match=r"the columns are 'foo', 'bar': rename"):
            read_scores(path)
        db.sql("SELECT unnest([1.5, NULL, 2]) AS score, unnest([true, false, true]) AS label").write_parquet(str(path))
        with pytest.raises(NotANumber, match=r"s\.parquet, row 2: the score in 'score' is NaN or missing"):
            read_scores(path)
        db.sql("SELECT unnest(['x', 'y']) AS score, unnest([1, 0]) AS label").write_parquet(str(path))
        with pytest.raises(FileError, match=r"the score column 'score' holds VARCHAR, not numbers"):
            read_scores(path)


def test_npz_of_two_classes(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "s.npz",
        target=np.array([2.5, 1e5, np.inf], dtype=np.float32),
        nontarget=np.array([-1.25, -np.inf]),
        target_speaker=np.array(["a", "b", "b"]),
        nontarget_speaker=np.array(["b", "a"]),
    )
    scores = read_scores(tmp_path / "s.npz")
    check_scores_only(scores)
    assert spelled(scores.trial_speakers) == (["a", "b", "b"], ["b", "a"])


def test_without_h5py_the_message_is_the_pip_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stripeless.errors import MissingExtra

    path = tmp_path / "s.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + b"\0" * 100)
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(MissingExtra, match=r"pip install 'stripeless\[hdf5\]'"):
        read_scores(path)
