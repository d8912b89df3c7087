"""Labels of people that contradict each other, and tables that would say nothing, are refused with their place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stripeless.errors import FileError, InputError
from stripeless.scores.files import read_scores, write_scores
from stripeless.scores.pairs import read_trials

HEAD = "enrollment,trial,score,label,enrollment_speaker,trial_speaker,sex"
ROWS = (
    "ea,a1,2.0,target,anna,anna,f",
    "eb,b1,1.5,target,boris,boris,m",
    "ea,b1,0.1,nontarget,anna,boris,mixed",
    "eb,a1,0.2,nontarget,boris,anna,mixed",
    "ec,a1,0.3,nontarget,cleo,anna,f",
)


def written(path: Path, *changes: tuple[str, str]) -> Path:
    text = "\n".join((HEAD, *ROWS)) + "\n"
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text)
    return path


def without(path: Path, *columns: str) -> Path:
    """The same without these columns, as CSV."""
    names = HEAD.split(",")
    keep = [at for at, name in enumerate(names) if name not in columns]
    path.write_text("".join(",".join(line.split(",")[at] for at in keep) + "\n" for line in (HEAD, *ROWS)))
    return path


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_what_agrees_is_read(tmp_path: Path, ending: str) -> None:
    scores = read_scores(written(tmp_path / "s.csv"))
    assert scores.target.size == 2
    if ending != "csv":
        pytest.importorskip({"npz": "numpy", "parquet": "duckdb"}[ending])
        write_scores(tmp_path / f"s.{ending}", scores)
        assert read_scores(tmp_path / f"s.{ending}").target.size == 2


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        ("ec,a1,0.3,nontarget,cleo,anna", "ec,a1,0.3,nontarget,cleo,boris", "utterance 'a1' has two speakers", 2),
        ("eb,a1,0.2,nontarget,boris", "eb,a1,0.2,nontarget,cleo", "enrollment 'eb' has two speakers", 3),
        ("2.0,target,anna,anna", "2.0,nontarget,anna,anna", "nontarget, but of one speaker", 2),
        ("0.3,nontarget", "0.3,target", "target, but of two speakers", 6),
    ],
)
def test_two_labels_for_one_person_are_refused(tmp_path: Path, old: str, new: str, said: str, line: int) -> None:
    with pytest.raises(FileError, match=said) as caught:
        read_scores(written(tmp_path / "s.csv", (old, new)))
    assert caught.value.line == line


def test_one_person_of_two_sexes_is_refused_in_target_trials_only(tmp_path: Path) -> None:
    rows = ["ea,a2,1.9,target,anna,anna,m", "ea,b2,0.0,nontarget,anna,boris,f"]
    text = "\n".join((HEAD, *ROWS, rows[1])) + "\n"
    (tmp_path / "s.csv").write_text(text)
    read_scores(tmp_path / "s.csv")  # of whom a nontarget trial names the sex, nobody can tell
    (tmp_path / "s.csv").write_text(f"{text}{rows[0]}\n")
    with pytest.raises(FileError, match="'anna' has two sexes in target trials") as caught:
        read_scores(tmp_path / "s.csv")
    assert caught.value.line in (2, 8)


def test_a_cell_that_is_empty_contradicts_nothing(tmp_path: Path) -> None:
    scores = read_scores(
        written(tmp_path / "s.csv", ("boris,anna,mixed", "boris,,mixed"), ("2.0,target,anna", "2.0,target,"))
    )
    assert (scores.target.size, scores.nontarget.size) == (2, 3)


def test_the_list_of_speakers_is_held_against_the_labels(tmp_path: Path) -> None:
    path = without(tmp_path / "s.csv", "enrollment_speaker", "trial_speaker", "sex")
    good = "a1 anna\nb1 boris\nea anna\neb boris\nec cleo\n"
    (tmp_path / "utt2spk").write_text(good)
    assert read_scores(path, utt2spk=tmp_path / "utt2spk").trial_speakers.names == ("anna", "boris", "cleo")  # type: ignore[union-attr]
    (tmp_path / "utt2spk").write_text(good.replace("b1 boris", "b1 anna"))
    with pytest.raises(FileError, match=r"target, but of two speakers \(the first of 2 such trials\)") as caught:
        read_scores(path, utt2spk=tmp_path / "utt2spk")
    assert caught.value.line == 3
    (tmp_path / "utt2spk").write_text("a1 s1\nb1 s2\n")  # models with names of their own may be anybody
    read_scores(path, utt2spk=tmp_path / "utt2spk")


def test_tables_that_would_say_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "utt2spk").write_text("a1 anna\nb1 boris\n")
    (tmp_path / "spk2gender").write_text("anna f\nboris m\n")
    (tmp_path / "others").write_text("dora f\n")
    whole, plain = written(tmp_path / "s.csv"), tmp_path / "plain.txt"
    plain.write_text("1.0 target\n0.5 target\n0.0 nontarget\n")
    with pytest.raises(InputError, match="names the speakers of every trial itself; leave it out"):
        read_scores(whole, utt2spk=tmp_path / "utt2spk")
    with pytest.raises(InputError, match="names no utterances"):
        read_scores(plain, utt2spk=tmp_path / "utt2spk")
    with pytest.raises(InputError, match="names nobody whose sex"):
        read_scores(plain, spk2gender=tmp_path / "spk2gender")
    with pytest.raises(InputError, match=r"names none of the 3 speakers of these trials \(the first: anna\)"):
        read_scores(whole, spk2gender=tmp_path / "others")
    assert "sex" in read_scores(whole, spk2gender=tmp_path / "spk2gender").columns


def test_a_list_of_trials_for_vectors_counts_the_last_line_too(tmp_path: Path) -> None:
    path = tmp_path / "trials"
    path.write_text("a a1 target\na b1 nontarget\nb b1 nontarget\nb b1 target\na b1 nontarget\n")
    trials = read_trials(path)
    said = [(trials.models[m], trials.utterances[u], bool(t)) for m, u, t in
            zip(trials.enrollment, trials.trial, trials.target, strict=True)]  # fmt: skip
    assert sorted(said) == [("a", "a1", True), ("a", "b1", False), ("b", "b1", True)]
    assert "1 pairs are listed as target and as nontarget" in trials.notes[0]
    path.write_text("a a1 target\na b1 nontarget\na b1 nontarget\n")
    with pytest.raises(FileError, match="a second trial for a b1"):
        read_trials(path)
    assert np.asarray(trials.target).dtype == bool
