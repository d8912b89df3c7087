"""Reading scores: every format gives the same trials, and what they are is said of each."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from score_files import (
    E_,
    KALDI_SCORES,
    KALDI_TRIALS,
    L_,
    S_,
    TRIALS,
    U_,
    assert_same,
    check,
    check_scores_only,
    lines,
    spelled,
    write,
)

from stripeless.scores.files import read_scores
from stripeless.scores.trials import MissingTrials


def test_kaldi_pair(tmp_path: Path) -> None:
    check(read_scores(write(tmp_path, "scores", KALDI_SCORES), write(tmp_path, "trials", KALDI_TRIALS)))


def test_kaldi_pair_with_the_score_and_the_label_first(tmp_path: Path) -> None:
    scores, trials = write(tmp_path, "s", lines(S_, E_, U_)), write(tmp_path, "t", lines([int(x) for x in L_], E_, U_))
    check(read_scores(scores, trials))


def test_numeric_speakers_do_not_make_the_first_column_a_score(tmp_path: Path) -> None:
    scores = write(tmp_path, "s", "121 121-1 0.5\n121 99-1 -0.5\n")
    trials = write(tmp_path, "t", "121 121-1 target\n121 99-1 nontarget\n")
    assert read_scores(scores, trials).target.tolist() == [0.5]


def test_scores_that_are_all_0_or_1_beside_a_trial_list(tmp_path: Path) -> None:
    scores, trials = write(tmp_path, "s", "a a-1 1\na b-1 0\n"), write(tmp_path, "t", "a a-1 target\na b-1 nontarget\n")
    assert read_scores(scores, trials).target.tolist() == [1.0]


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("1", "0"),
        ("target", "nontarget"),
        ("tgt", "imp"),
        ("True", "False"),
        ("genuine", "impostor"),
        ("mated", "nonmated"),
    ],
)
@pytest.mark.parametrize("label_first", [False, True])
@pytest.mark.parametrize("ids", [False, True])
def test_score_and_label_in_one_file(tmp_path: Path, yes: str, no: str, label_first: bool, ids: bool) -> None:
    labels: list[object] = [yes if label else no for label in L_]
    columns = [labels, S_] if label_first else [S_, labels]
    scores = read_scores(write(tmp_path, "s.txt", lines(*([E_, U_] if ids else []), *columns)))
    check(scores) if ids else check_scores_only(scores)


CSV = "Enroll;Utt;LLR;Key;sex\n".replace(";", ",") + "".join(
    f"{e},{u},{s},{int(label)},{'f' if u.startswith('anna') else ''}\n" for e, u, s, label in TRIALS
)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.txt"])
def test_table_with_a_header(tmp_path: Path, delimiter: str, name: str) -> None:
    if name == "s.tsv" and delimiter != "\t":
        pytest.skip("the extension says tabs")
    scores = read_scores(write(tmp_path, name, CSV.replace(",", delimiter)))
    check(scores)
    assert spelled(scores.columns["sex"]) == (["f", "?", "?"], ["?", "f"])
    assert scores.columns["sex"].names == ("f",)


def test_table_with_speakers_and_no_ids(tmp_path: Path) -> None:
    text = "score,target,enrollment_speaker,trial_speaker\n" + "".join(
        f"{s},{label},{e},{u[:4]}\n" for e, u, s, label in TRIALS
    )
    check(read_scores(write(tmp_path, "s.csv", text)))


def test_table_of_scores_with_a_trial_list(tmp_path: Path) -> None:
    table = "score,model,segment,dataset\n" + "".join(f"{s},{e},{u},d{e}\n" for e, u, s, _ in reversed(TRIALS))
    scores = read_scores(write(tmp_path, "s.csv", table), write(tmp_path, "t", KALDI_TRIALS))
    check(scores)
    assert spelled(scores.columns["dataset"]) == (["danna", "dbert", "dbert"], ["danna", "dbert"])


def test_quoted_cells_hold_commas_and_quotes(tmp_path: Path) -> None:
    text = 'score,label,"said, by"\n1.5,1,"Anna ""A"", x"\n"0.5",0,plain\n'
    scores = read_scores(write(tmp_path, "s.csv", text))
    assert spelled(scores.columns["said, by"]) == (['Anna "A", x'], ["plain"])
    assert scores.nontarget.tolist() == [0.5]


@pytest.mark.parametrize("ending", ["\r\n", "\n\n\n", "\r\n\r\n", " \n", "\t\n  \n"])
def test_line_endings_and_blank_ends(tmp_path: Path, ending: str) -> None:
    first = KALDI_SCORES.replace("\n", "\r\n") if "\r" in ending else KALDI_SCORES
    check(
        read_scores(write(tmp_path, "s", first.rstrip() + ending), write(tmp_path, "t", KALDI_TRIALS.rstrip() + ending))
    )
    check(read_scores(write(tmp_path, "s.csv", CSV.replace("\n", "\r\n"))))


def test_byte_order_mark_is_no_part_of_the_first_id(tmp_path: Path) -> None:
    bom = b"\xef\xbb\xbf"
    check(read_scores(write(tmp_path, "s", bom + KALDI_SCORES.encode()), write(tmp_path, "t", KALDI_TRIALS)))
    check(read_scores(write(tmp_path, "s.csv", bom + CSV.encode())))


def test_gzip(tmp_path: Path) -> None:
    scores = write(tmp_path, "scores.gz", gzip.compress(KALDI_SCORES.encode()))
    check(read_scores(scores, write(tmp_path, "trials.gz", gzip.compress(KALDI_TRIALS.encode()))))
    check(read_scores(write(tmp_path, "a.csv.gz", gzip.compress(CSV.encode()))))
    check(read_scores(write(tmp_path, "no_extension", gzip.compress(CSV.encode()))))


@pytest.mark.parametrize("order", [[4, 3, 2, 1, 0], [1, 0, 2, 3, 4], [2, 4, 0, 3, 1]])
def test_shuffled_scores_give_what_scores_in_order_give(tmp_path: Path, order: list[int]) -> None:
    trials = write(tmp_path, "t", KALDI_TRIALS)
    shuffled = "".join(KALDI_SCORES.splitlines(keepends=True)[i] for i in order)
    assert_same(
        read_scores(write(tmp_path, "s", KALDI_SCORES), trials), read_scores(write(tmp_path, "r", shuffled), trials)
    )


def test_many_ids_and_few_pairs_are_joined_by_sorting(tmp_path: Path) -> None:
    count = 3000  # 9 million possible pairs: too many for a table of cells
    rng = np.random.default_rng(1)
    rows = [
        (f"m{i}", f"m{i if i % 3 else (i + 1) % count}-u", repr(x))
        for i, x in enumerate(rng.normal(size=count).tolist())
    ]
    labels = ["target" if i % 3 else "nontarget" for i in range(count)]
    trials = write(tmp_path, "t", "".join(f"{e} {u} {w}\n" for (e, u, _), w in zip(rows, labels, strict=True)))
    straight = write(tmp_path, "s", "".join(" ".join(row) + "\n" for row in rows))
    mixed = write(tmp_path, "r", "".join(" ".join(rows[i]) + "\n" for i in rng.permutation(count)))
    a, b = read_scores(straight, trials), read_scores(mixed, trials)
    assert_same(a, b)
    assert a.target[0] == float(rows[1][2])
    fewer = write(
        tmp_path, "f", "".join(" ".join(rows[i]) + "\n" for i in rng.permutation(count) if i != 1) + "x y 1\n"
    )
    c = read_scores(fewer, trials, allow_missing=True)
    assert c.missing == MissingTrials(targets=1, nontargets=0, scores=1)
    assert c.target.tolist() == a.target[1:].tolist()


def test_digest_follows_trials_and_labels_not_scores_or_format(tmp_path: Path) -> None:
    trials = write(tmp_path, "t", KALDI_TRIALS)
    base = read_scores(write(tmp_path, "s", KALDI_SCORES), trials).trial_digest
    assert read_scores(write(tmp_path, "s2", KALDI_SCORES.replace("2.5", "3.5")), trials).trial_digest == base
    assert read_scores(write(tmp_path, "s.csv", CSV)).trial_digest == base
    other = KALDI_TRIALS.replace("bert bert-2 target", "bert bert-2 nontarget")
    assert read_scores(tmp_path / "s", write(tmp_path, "t2", other)).trial_digest != base
    turned = "".join(reversed(KALDI_TRIALS.splitlines(keepends=True)))
    assert read_scores(tmp_path / "s", write(tmp_path, "t3", turned)).trial_digest != base


def test_inputs_are_named_with_their_sha256(tmp_path: Path) -> None:
    paths = [write(tmp_path, "s", KALDI_SCORES), write(tmp_path, "t", KALDI_TRIALS)]
    inputs = read_scores(*paths).inputs
    assert [(f.path, f.sha256) for f in inputs] == [(str(p), hashlib.sha256(p.read_bytes()).hexdigest()) for p in paths]


def test_allow_missing_leaves_out_counts_and_says_so(tmp_path: Path) -> None:
    scores = write(tmp_path, "s", "".join(KALDI_SCORES.splitlines(keepends=True)[:4]) + "zoe zoe-1 0.5\n")
    more = KALDI_TRIALS + "anna carl-1 nontarget\nanna carl-2 nontarget\n"
    found = read_scores(scores, write(tmp_path, "t", more), allow_missing=True)
    assert found.missing == MissingTrials(targets=1, nontargets=2, scores=1)
    assert found.target.tolist() == [2.5, 1e5]
    assert "1 target and 2 nontarget trials without a score, and 1 scores without a trial" in found.notes[0]
    exact = "".join(KALDI_TRIALS.splitlines(keepends=True)[:4])
    short = "".join(KALDI_SCORES.splitlines(keepends=True)[:4])
    alone = read_scores(write(tmp_path, "s4", short), write(tmp_path, "t4", exact))
    assert found.trial_digest == alone.trial_digest


@pytest.mark.parametrize("name", ["it's", "a b", "*", "[ab]", "x?y", "semi;colon", '"quoted"', "{a,b}", "ü"])
def test_any_file_name_is_just_a_name(tmp_path: Path, name: str) -> None:
    write(tmp_path, "a", "decoy\n")
    check(read_scores(write(tmp_path, name, KALDI_SCORES), write(tmp_path, name + ".trials", KALDI_TRIALS)))


def test_real_data(librispeech: Path) -> None:
    folder = librispeech / "trials_f"
    scores = read_scores(
        librispeech / "scores/original/oo_f.txt",
        folder / "trials",
        utt2spk=folder / "utt2spk",
        spk2gender=folder / "spk2gender",
    )
    assert (scores.target.size, scores.nontarget.size) == (548, 11196)
    assert scores.target[0] == -36.60771
    inferred = read_scores(librispeech / "scores/original/oo_f.txt", folder / "trials")
    assert spelled(inferred.trial_speakers) == spelled(scores.trial_speakers)
    assert scores.enrollment_speakers is not None
    assert scores.trial_speakers is not None
    np.testing.assert_array_equal(scores.enrollment_speakers.target, scores.trial_speakers.target)
    assert scores.columns["sex"].names[:1] == ("f",)
    assert set(scores.columns["sex"].nontarget.tolist()) == {0}


def test_import_is_light() -> None:
    code = "import sys, stripeless.scores.files; print({'duckdb', 'h5py', 'matplotlib'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def test_files_without_ids_do_not_pair_by_labels_alone(tmp_path: Path) -> None:
    rows = [f"{x},{int(k < 20)},s{k % 5},{'s' if k < 20 else 't'}{k % 5}" for k, x in enumerate(np.linspace(0, 1, 60))]
    head = "score,label,enrollment_speaker,trial_speaker\n"
    (tmp_path / "a.csv").write_text(head + "\n".join(rows) + "\n")
    (tmp_path / "b.csv").write_text(head + "\n".join(rows[:20] + rows[20:][::-1]) + "\n")
    a, b = read_scores(tmp_path / "a.csv"), read_scores(tmp_path / "b.csv")
    assert a.trial_digest != b.trial_digest
    assert a.trial_digest.startswith("rows:")
