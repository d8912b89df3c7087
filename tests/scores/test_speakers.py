"""Who speaks in a trial: by the list, by the target trials, by the id, or nobody knows."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from score_files import spelled, write

from stripeless.errors import InputError
from stripeless.scores.files import read_scores

OPEN = "anna anna-1 1 target\nanna bert-1 0 nontarget\nanna carl-7 -1 nontarget\n"


def test_target_trial_names_the_speaker_whatever_the_id_looks_like(tmp_path: Path) -> None:
    text = "anna x1 1 target\nbert x2 1 target\nanna x2 0 nontarget\nbert x1 0 nontarget\n"
    scores = read_scores(write(tmp_path, "s", text))
    assert spelled(scores.trial_speakers) == (["anna", "bert"], ["bert", "anna"])
    assert scores.notes == ()


def test_prefix_names_the_rest_where_it_holds_and_a_note_says_so(tmp_path: Path) -> None:
    scores = read_scores(write(tmp_path, "s", OPEN))
    assert spelled(scores.trial_speakers) == (["anna"], ["bert", "carl"])
    assert len(scores.notes) == 1
    assert "2 trial utterances have no target trial" in scores.notes[0]


def test_prefix_is_not_believed_where_it_fails_once(tmp_path: Path) -> None:
    scores = read_scores(write(tmp_path, "s", OPEN + "bert anna-2 1 target\n"))
    assert spelled(scores.trial_speakers) == (["anna", "bert"], ["?", "?"])
    assert "left open" in scores.notes[0]


def test_longest_known_speaker_is_the_prefix(tmp_path: Path) -> None:
    text = "a_b a_b-1 1 target\na_b a_b-2_x 0 nontarget\n".replace("a_b-2_x 0", "a_b-2_x 0")
    trials = "a_b a_b-1 1 target\na_b c_d-2 0 nontarget\nc_d a_b-9 0 nontarget\n"
    assert spelled(read_scores(write(tmp_path, "s", text)).trial_speakers) == (["a_b"], ["a_b"])
    assert spelled(read_scores(write(tmp_path, "t", trials)).trial_speakers) == (["a_b"], ["c_d", "a_b"])


def test_models_that_are_no_people_name_nobody(tmp_path: Path) -> None:
    """An utterance that is a target of two models: the models are recordings, and drawing them would not draw people."""
    text = "m1 x 1 target\nm2 x 1 target\nm1 y 1 target\nm2 z 0 nontarget\n"
    scores = read_scores(write(tmp_path, "s", text))
    assert scores.enrollment_speakers is None
    assert scores.trial_speakers is None
    assert "not people" in scores.notes[0]


def test_pairs_of_utterances_name_speakers_only_where_their_beginnings_fit_every_label(tmp_path: Path) -> None:
    fits = "a/1 a/2 1 target\na/2 b/1 0 nontarget\nb/1 b/2 1 target\nb/2 a/1 0 nontarget\n"
    scores = read_scores(write(tmp_path, "s", fits))
    assert spelled(scores.enrollment_speakers) == (["a", "b"], ["a", "b"])
    assert spelled(scores.trial_speakers) == (["a", "b"], ["b", "a"])
    assert "fits the label of every trial" in scores.notes[0]
    torn = read_scores(write(tmp_path, "t", fits.replace("a/2 b/1 0", "a/2 a/1 0")))
    assert torn.enrollment_speakers is None
    assert "not known" in torn.notes[0]


def test_utt2spk_comes_first_and_also_names_enrollment_utterances(tmp_path: Path) -> None:
    lists = write(tmp_path, "utt2spk", "u1 anna\nu2 anna\nu3 bert\n")
    text = "u1 u2 1 target\nu1 u3 0 nontarget\nu1 u9 0 nontarget\n"
    scores = read_scores(write(tmp_path, "s", text), utt2spk=lists)
    assert spelled(scores.enrollment_speakers) == (["anna"], ["anna", "anna"])
    assert spelled(scores.trial_speakers) == (["anna"], ["bert", "?"])
    assert "1 of 3 trial utterances are not in utt2spk (the first: u9)" in scores.notes[0]
    assert [Path(file.path).name for file in scores.inputs] == ["s", "utt2spk"]


def test_an_empty_cell_names_nobody(tmp_path: Path) -> None:
    text = "score,label,enrollment_speaker,trial_speaker\n1,1,anna,anna\n0,0,anna,\n"
    scores = read_scores(write(tmp_path, "s.csv", text))
    assert spelled(scores.trial_speakers) == (["anna"], ["?"])
    assert scores.trial_speakers is not None
    assert scores.trial_speakers.names == ("anna",)


def test_lists_may_be_gzipped(tmp_path: Path) -> None:
    lists = write(tmp_path, "utt2spk.gz", gzip.compress(b"a-1 anna\nb-1 bert\n"))
    scores = read_scores(write(tmp_path, "s", "anna a-1 1 target\nanna b-1 0 nontarget\n"), utt2spk=lists)
    assert spelled(scores.trial_speakers) == (["anna"], ["bert"])


def test_both_factors_share_one_tuple_of_names(tmp_path: Path) -> None:
    scores = read_scores(write(tmp_path, "s", OPEN))
    assert scores.enrollment_speakers is not None
    assert scores.trial_speakers is not None
    assert scores.enrollment_speakers.names is scores.trial_speakers.names
    assert scores.trial_speakers.names == ("anna", "bert", "carl")


def test_sex_is_mixed_where_the_two_differ_and_open_where_unknown(tmp_path: Path) -> None:
    sex = write(tmp_path, "spk2gender", "anna f\nbert m\n")
    scores = read_scores(write(tmp_path, "s", OPEN), spk2gender=sex)
    assert spelled(scores.columns["sex"]) == (["f"], ["mixed", "?"])


def test_without_ids_there_are_no_speakers(tmp_path: Path) -> None:
    scores = read_scores(write(tmp_path, "s", "1 target\n0.5 nontarget\n"))
    assert scores.enrollment_speakers is None
    assert scores.trial_speakers is None
    assert scores.trial_digest


def test_a_list_of_speakers_that_names_nobody_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("a a-1 1 target\na b-1 0 nontarget\n")
    (tmp_path / "u").write_text("a f\nb m\n")
    with pytest.raises(InputError, match="names none of the 2 trial utterances"):
        read_scores(tmp_path / "s", utt2spk=tmp_path / "u")
