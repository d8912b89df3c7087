"""Bad input: one sentence with the file, the line, and the way out."""

from __future__ import annotations

import gzip
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from score_files import KALDI_SCORES, KALDI_TRIALS, write

from stripeless.errors import FileError, InputError, NotANumber, OneClassOnly, TrialMismatch
from stripeless.scores.files import read_scores

GOOD = "a a-1 1.5 target\na b-1 -1.5 nontarget\nb b-1 2 target\n"

LAST = "z z-9 0 nontarget\n"  # the last line of a file is cut by itself; what stands before it is cut together

ALONE = {
    "wrong column count": (GOOD + "a c-1 0.5\n", FileError, r"s, line 4: expected 4 columns .* got 3; correct"),
    "one short, one long": (
        GOOD + "a c-1 0.5\na c-2 0.5 target x\n" + LAST,
        FileError,
        r"line 4: expected 4 columns .* got 3",
    ),
    "one long, one short": (
        GOOD + "a c-2 0.5 target x\na c-1 0.5\n" + LAST,
        FileError,
        r"line 4: expected 4 columns .* got 5",
    ),
    "blanks long, short": (
        GOOD + "a  c 1 target x\na  c 0.5\n" + LAST,
        FileError,
        r"line 4: expected 4 columns .* got 5",
    ),
    "blanks short, long": (
        GOOD + "a  c 0.5\na  c 1 target x\n" + LAST,
        FileError,
        r"line 4: expected 4 columns .* got 3",
    ),
    "two blanks for a field": (GOOD + "a  0.5 target\n", FileError, r"line 4: expected 4 columns .* got 3"),
    "a line in two": (GOOD + "a c-1\n0.5 target\n" + LAST, FileError, r"line 4: expected 4 columns .* got 2"),
    "a table line in two": (
        "score,label\n1,target\n2\ntarget\n3,target\n",
        FileError,
        r"line 3: expected 2 columns .* got 1",
    ),
    "blank line inside": (GOOD + "\n" + "a c-1 0.5 target\n", FileError, r"s, line 4: a blank line .* delete it"),
    "blank line first": ("\n" + GOOD, FileError, r"s, line 1: .* delete"),
    "blank line before a header": ("\nscore,label\n1,1\n2,0\n", FileError, r"s, line 1: blank before the first row"),
    "text for a number": (GOOD + "a c-1 high target\n", NotANumber, r"s, line 4: expected a score, got 'high'; write"),
    "control signs": (GOOD + "a\x01b c-1 0.5 target\n", FileError, r"s, line 4: expected 4 columns .* got 5"),
    "underscores": (GOOD + "a c-1 1_0 target\n", NotANumber, r"s, line 4: expected a score, got '1_0'"),
    "two points": (GOOD + "a c-1 1.2.3 target\n", NotANumber, r"line 4: expected a score, got '1.2.3'"),
    "a lone sign": (GOOD + "a c-1 - target\n", NotANumber, r"line 4: expected a score, got '-'"),
    "nan": (GOOD + "a c-1 NaN target\n", NotANumber, r"s, line 4: the score is NaN; find out why"),
    "one class": ("1 target\n2 target\n", OneClassOnly, r"s: all 2 trials are target, none is nontarget; check"),
    "other class": ("1 0\n2 0\n", OneClassOnly, r"s: all 2 trials are nontarget, none is target; check"),
    "unknown label": (GOOD + "a c-1 1 maybe\n", FileError, r"s, line 4: unknown label 'maybe'; write target or non"),
    "duplicate": (GOOD + GOOD[:17], FileError, r"s, line 4: a second score for a a-1; keep one"),
    "duplicates": (GOOD + GOOD, FileError, r"s, line 4: a second score for a a-1 \(the first of 3 such scores\); keep"),
    "empty": ("", FileError, r"s: the file is empty; write"),
    "blank": ("\n \n", FileError, r"s: the file is empty; write"),
    "contradiction": (
        GOOD + "a a-1 1 nontarget\n",
        FileError,
        r"s, line 4: a second score for a a-1, and that pair is target in",
    ),
    "no label column": (
        "enroll,utt,similarity,is_same\na,b,1.0,True\na,c,2.0,False\n",
        FileError,
        r"s: scores without labels \(its columns: enroll, utt, similarity, is_same\); give the trial list as `trials`",
    ),
    "no labels": (KALDI_SCORES, FileError, r"s: scores without labels; give the trial list as `trials`"),
    "no scores": (
        KALDI_TRIALS,
        FileError,
        r"s: a trial list without scores; give the scores, and this list as `trials`",
    ),
    "one column": ("0.5\n0.7\n", FileError, r"s, line 1: 1 column and no header .* add a header line"),
    "five columns": ("a b c d e\n", FileError, r"s, line 1: 5 columns and no header .* add a header line"),
    "0 and 1 twice": ("0 1\n1 0\n", FileError, r"s: scores and labels both hold only 0 and 1.* add a header"),
    "not UTF-8": (GOOD.encode() + b"a \xff-1 0.5 target\n", FileError, r"s: the id b'\\xff-1' is not UTF-8 .* iconv"),
    "binary": (os.urandom(64) + b"\0" * 9, FileError, r"s: (binary data|a \w+)"),
    "late binary": (GOOD.encode() * 40000 + b"\0\0", FileError, r"s: binary data, or UTF-16, .* give UTF-8"),
    "pickle": (pickle.dumps([1.0, 2.0]), FileError, r"s: a pickle is never loaded, since it can run code; save"),
    "utf-16": (GOOD.encode("utf-16"), FileError, r"s: binary data, or UTF-16"),
    "broken gzip": (gzip.compress(GOOD.encode() * 99)[:60], FileError, r"s: the gzip data are broken .* copy the file"),
    "not gzip": (b"\x1f\x8bnonsense", FileError, r"s: the gzip data are broken"),
    "csv header only": ("score,label\n", FileError, r"s: a header line and nothing below it; write"),
}


def raises(kind: type[Exception], pattern: str, folder: Path, **options: object) -> str:
    with pytest.raises(kind) as caught:
        read_scores(folder / "s", **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert re.search(pattern, message.replace(str(folder) + os.sep, "")), message
    assert "\n" not in message
    assert str(folder) in message
    return message


@pytest.mark.parametrize("case", ALONE)
def test_one_file(tmp_path: Path, case: str) -> None:
    text, kind, pattern = ALONE[case]
    write(tmp_path, "s", text)
    raises(kind, pattern, tmp_path)


def test_line_numbers_hold_in_later_blocks_and_in_gzip(tmp_path: Path) -> None:
    many = "".join(f"a u-{i} 0.5 {'target' if i % 2 else 'nontarget'}\n" for i in range(100_000))
    write(tmp_path, "s", gzip.compress((many + "a x oops target\n").encode(), 1))
    raises(NotANumber, r"s, line 100001: expected a score, got 'oops'", tmp_path)
    write(tmp_path, "s", many + "a x\n")
    raises(FileError, r"s, line 100001: expected 4 columns", tmp_path)
    write(tmp_path, "s", many + "a u-99999 0.5 target\n")
    raises(FileError, r"s, line 100001: a second score for a u-99999", tmp_path)


def test_table_lines_count_the_header(tmp_path: Path) -> None:
    write(tmp_path, "s", "score,label\n1.5,target\nx,target\n")
    raises(NotANumber, r"s, line 3: expected a score, got 'x'", tmp_path)
    write(tmp_path, "s", "score,label\n1.5,target\n,target\n")
    raises(NotANumber, r"s, line 3: expected a score, got ''", tmp_path)


def test_table_without_a_score_column_lists_what_it_has(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "foo,Bar baz\n1,2\n")
    with pytest.raises(FileError, match=r"no column is named score .* the columns are 'foo', 'Bar baz': rename"):
        read_scores(path)
    path = write(tmp_path, "b.csv", "result,label\n0.5,1\n0.1,0\n")
    with pytest.raises(FileError, match=r"the columns are 'result', 'label': rename"):
        read_scores(path)


def test_missing_file_and_directory(tmp_path: Path) -> None:
    raises(FileError, r"s: there is no such file; check the path", tmp_path)
    (tmp_path / "s").mkdir()
    raises(FileError, r"s: this is a directory; name the file in it", tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    write(tmp_path, "s", GOOD).chmod(0)
    raises(FileError, r"s: permission denied; ask", tmp_path)


def test_no_permission_as_the_system_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    write(tmp_path, "s", GOOD)
    monkeypatch.setattr("stripeless.scores.files.source._opened", refuse)
    raises(FileError, r"s: permission denied; ask", tmp_path)


def test_missing_and_left_over(tmp_path: Path) -> None:
    write(tmp_path, "s", "a a-1 1\na x-1 1\na y-1 1\na z-1 1\na w-1 1\n")
    trials = write(tmp_path, "t", "a a-1 target\nb b-1 nontarget\n")
    message = raises(
        TrialMismatch, r"1 of 2 trials in t have no score in s \(b b-1 in line 2\)", tmp_path, trials=trials
    )
    assert "(a x-1 in line 2, a y-1 in line 3, a z-1 in line 4, ...)" in message
    assert "4 of 5 scores in" in message
    assert message.endswith("--allow-missing (allow_missing=True)")


def test_nothing_in_common_even_on_request(tmp_path: Path) -> None:
    write(tmp_path, "s", "q q-1 1\n")
    trials = write(tmp_path, "t", "a a-1 target\nb b-1 nontarget\n")
    raises(FileError, r"s: not one score belongs to a trial in t", tmp_path, trials=trials, allow_missing=True)


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_trial_or_a_score_given_twice(tmp_path: Path, shuffled: bool) -> None:
    scores, listed = KALDI_SCORES.splitlines(keepends=True), KALDI_TRIALS.splitlines(keepends=True)
    if shuffled:
        scores.reverse()
    write(tmp_path, "s", "".join([*scores, scores[0]]))
    trials = write(tmp_path, "t", "".join(listed))
    raises(FileError, r"s, line 6: a second score for", tmp_path, trials=trials)
    trials = write(tmp_path, "t", "".join([*listed, listed[0]]))
    raises(FileError, r"t, line 6: a second trial for anna anna-1; keep", tmp_path, trials=trials)


def test_same_file_twice_and_files_swapped(tmp_path: Path) -> None:
    scores, trials = write(tmp_path, "s", KALDI_SCORES), write(tmp_path, "t", KALDI_TRIALS)
    raises(FileError, r"s: given both as scores and as trials; name the trial list", tmp_path, trials=scores)
    link = tmp_path / "link"
    link.symlink_to(scores)
    raises(FileError, r"s: given both as scores and as trials", tmp_path, trials=link)
    with pytest.raises(FileError, match="were scores and trials swapped"):
        read_scores(trials, scores)
    write(tmp_path, "s", GOOD)
    raises(FileError, r"s: it has labels of its own; leave `trials` out", tmp_path, trials=trials)
    write(tmp_path, "s", "score,other\n0.5,1\n")
    raises(FileError, r"s: no enrollment and trial ids .* add both columns", tmp_path, trials=trials)
    write(tmp_path, "s", KALDI_SCORES)
    raises(FileError, r"t2: no labels in it", tmp_path, trials=write(tmp_path, "t2", KALDI_SCORES))


def test_numpy_files_that_hold_objects(tmp_path: Path) -> None:
    objects = np.array([{"a": 1}, None], dtype=object)
    np.savez(tmp_path / "a.npz", scores=objects, labels=np.array([1, 0]))
    with pytest.raises(FileError, match=r"a\.npz: it holds Python objects, a pickle, which is never loaded; save"):
        read_scores(tmp_path / "a.npz")
    np.save(tmp_path / "a.npy", objects)
    with pytest.raises(FileError, match=r"a\.npy: a \.npy file holds one array; save both with np\.savez"):
        read_scores(tmp_path / "a.npy")


def test_numpy_files_that_are_wrong(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, scores=np.array([1.0, np.nan]), labels=np.array([1, 0]))
    with pytest.raises(NotANumber, match=r"a\.npz, row 2: the score in 'scores' is NaN .* leave the trial out"):
        read_scores(path)
    np.savez(path, scores=np.zeros(3), labels=np.array([1, 0]))
    with pytest.raises(FileError, match=r"expected flat arrays of one length, got scores \(3,\), labels \(2,\)"):
        read_scores(path)
    np.savez(path, x=np.zeros(3))
    with pytest.raises(FileError, match=r"the columns are 'x': rename"):
        read_scores(path)
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(FileError, match=r"a\.npz: .* save it"):
        read_scores(path)


def test_utt2spk_that_contradicts_itself(tmp_path: Path) -> None:
    write(tmp_path, "s", GOOD)
    lists = write(tmp_path, "u", "a-1 a\na-1 b\n")
    raises(FileError, r"u, line 2: 'a-1' has two values, 'a' before and 'b'; keep one", tmp_path, utt2spk=lists)
    lists = write(tmp_path, "u", "a-1 a\nb-1\n")
    raises(FileError, r"u, line 2: expected a name and a value, got 'b-1' alone; write", tmp_path, utt2spk=lists)
    lists = write(tmp_path, "u", "a-1 a\nb-1 b nontarget\n")
    raises(FileError, r"u, line 2: expected 2 columns, got a third, 'nontarget'; write", tmp_path, utt2spk=lists)


def test_every_error_is_an_input_error() -> None:
    assert all(issubclass(kind, InputError) for _, kind, _ in ALONE.values())
