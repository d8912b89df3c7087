"""Ids of models are not names of people: whose model it is comes from its target trials, and the reader is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from score_files import spelled, write

from stripeless.assessment.assess import assess_scores
from stripeless.errors import FileError
from stripeless.scores.files import read_scores
from stripeless.worlds.score_world import ScoreWorld
from stripeless.worlds.scores import simulate_scores

HEAD = "model\ttest_speaker\tscore\tlabel\n"
MODELS = "m1\ts1\t2\ttarget\nm2\ts1\t1\ttarget\nm3\ts2\t3\ttarget\nm1\ts2\t0\tnontarget\nm3\ts1\t0\tnontarget\n"
TOLD = "enrollment ids name models, not people, so the person of each was read from its target trials"


def test_models_belong_to_the_people_of_their_target_trials(tmp_path: Path) -> None:
    scores = read_scores(write(tmp_path, "models.tsv", HEAD + MODELS))
    assert spelled(scores.enrollment_speakers) == (["s1", "s1", "s2"], ["s1", "s2"])
    assert scores.notes == (f"{TOLD}: 3 models of 2 people (an enrollment_speaker column would name them)",)


def test_numbers_of_models_are_not_numbers_of_people(tmp_path: Path) -> None:
    rows = "1\t2\t2\ttarget\n2\t1\t1\ttarget\n1\t1\t0\tnontarget\n2\t2\t0\tnontarget\n"
    scores = read_scores(write(tmp_path, "numbers.tsv", HEAD + rows))
    assert spelled(scores.enrollment_speakers) == (["2", "1"], ["2", "1"])
    assert spelled(scores.trial_speakers) == (["2", "1"], ["1", "2"])


def test_a_list_of_speakers_names_the_people_of_models_too(tmp_path: Path) -> None:
    list_ = write(tmp_path, "utt2spk", "u1 s1\nu2 s2\n")
    rows = "m1 u1 2 target\nm2 u2 1 target\nm1 u2 0 nontarget\n"
    scores = read_scores(write(tmp_path, "scores.txt", rows), utt2spk=list_)
    assert spelled(scores.enrollment_speakers) == (["s1", "s2"], ["s1"])
    assert TOLD in scores.notes[0]


def test_names_of_people_stay_and_nothing_is_said(tmp_path: Path) -> None:
    scores = read_scores(write(tmp_path, "people.tsv", HEAD + "s1\ts1\t2\ttarget\ns9\ts1\t0\tnontarget\n"))
    assert spelled(scores.enrollment_speakers) == (["s1"], ["s9"])
    assert scores.notes == ()


def test_a_model_without_targets_and_an_empty_cell_are_of_nobody_known(tmp_path: Path) -> None:
    rows = MODELS + "m4\ts1\t0\tnontarget\nm3\t\t4\ttarget\n"
    scores = read_scores(write(tmp_path, "open.tsv", HEAD + rows))
    assert spelled(scores.enrollment_speakers) == (["s1", "s1", "s2", "s2"], ["s1", "s2", "?"])
    assert scores.notes[0].endswith("; 1 models have no target trial, and are of nobody known")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("m1\ts1\t2\ttarget\nm1\ts2\t2\ttarget\n", "line 2: the model 'm1' has target trials of two speakers"),
        ("m1\ts1\t2\ttarget\nm1\ts1\t0\tnontarget\n", "line 3: a trial is labeled nontarget, but of one speaker"),
        ("s1\ts1\t2\ttarget\ns2\ts2\t2\ttarget\ns3\ts4\t2\ttarget\n", "line 4: a trial is labeled target, but of two"),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path: Path, rows: str, said: str) -> None:
    with pytest.raises(FileError, match=said):
        read_scores(write(tmp_path, "torn.tsv", HEAD + rows + "s1\ts5\t0\tnontarget\n"))


def test_ids_that_are_called_models_and_name_nobody_are_said_to_count_as_people(tmp_path: Path) -> None:
    rows = "m1\tu1\t2\ttarget\nm2\tu2\t1\ttarget\nm1\tu2\t0\tnontarget\n"
    called = read_scores(write(tmp_path, "models.tsv", "Model ID\tsegment\tscore\tlabel\n" + rows))
    assert spelled(called.enrollment_speakers) == (["m1", "m2"], ["m1"])
    assert called.notes[0].startswith("the 2 ids in 'Model ID' are taken for as many people, since nobody is named")
    plain = read_scores(write(tmp_path, "people.tsv", "enrollment\tsegment\tscore\tlabel\n" + rows))
    assert plain.notes == ()
    list_ = write(tmp_path, "utt2spk", "u1 m1\nu2 m2\n")
    assert read_scores(tmp_path / "models.tsv", utt2spk=list_).notes == ()


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("enroll model id,trial speaker", (["s1", "s2"], ["s1", "s2"])),
        ("Model,Speaker ID", (["s1", "s2"], ["s1", "s2"])),
        ("enroll_model_id,test_spk_id", (["s1", "s2"], ["s1", "s2"])),
        ("enrollment_id,spk_test", (["s1", "s2"], ["s1", "s2"])),
    ],
)
def test_columns_of_models_and_speakers_under_many_names(
    tmp_path: Path, head: str, names: tuple[list[str], list[str]]
) -> None:
    rows = "m1,s1,2,1\nm2,s2,1,1\nm1,s2,0,0\nm2,s1,0,0\n"
    scores = read_scores(write(tmp_path, "x.csv", f"{head},score,label\n{rows}"))
    assert spelled(scores.enrollment_speakers) == names
    assert spelled(scores.trial_speakers) == (["s1", "s2"], ["s2", "s1"])
    assert dict(scores.columns) == {}


@pytest.mark.parametrize(
    "head", ["spk_enroll,spk_test", "claimed_speaker,speaker_id", "speaker_a,speaker_b", "spkid1,spkid2"]
)
def test_speakers_of_both_sides_under_many_names(tmp_path: Path, head: str) -> None:
    rows = "s1,s1,2,1\ns2,s2,1,1\ns1,s2,0,0\n"
    scores = read_scores(write(tmp_path, "x.csv", f"{head},score,label\n{rows}"))
    assert spelled(scores.enrollment_speakers) == (["s1", "s2"], ["s1"])
    assert spelled(scores.trial_speakers) == (["s1", "s2"], ["s2"])


@pytest.mark.parametrize(("eer", "leak"), [(0.5, False), (0.2, True)])
def test_the_test_for_a_leak_is_of_people_and_not_of_models(tmp_path: Path, eer: float, leak: bool) -> None:
    trials = simulate_scores(ScoreWorld(people=12, recordings=4, eer=eer), seed=3).scores
    assert trials.enrollment_speakers is not None
    assert trials.trial_speakers is not None
    rows = []
    for label in ("target", "nontarget"):
        sides = [getattr(side, label) for side in (trials.enrollment_speakers, trials.trial_speakers)]
        for enrolled, spoken, score in zip(*sides, getattr(trials, label), strict=True):
            rows.append(f"{(enrolled + 5) % 12}\t{spoken}\t{score}\t{label}\n")
    result = assess_scores(read_scores(write(tmp_path, "world.tsv", HEAD + "".join(rows))))
    assert result.evidence is not None
    assert result.n_speakers == result.evidence.people == 12
    assert ((result.evidence.p or 1) <= 0.05) == leak
