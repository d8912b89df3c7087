"""evaluate_folder: one call does all that the command does, and looks at the whole call before it works."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from stripeless import evaluate_folder, read_result
from stripeless.audio.synthetic_voice import synthetic_corpus
from stripeless.cli import group
from stripeless.errors import InputError, StripelessError
from stripeless.studies import evaluate_folder as study

QUICK: dict[str, Any] = {"encoders": ["statistics"], "utility": False, "resamples": 0, "workers": 1}


@pytest.fixture(scope="module")
def voices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve synthetic voices, and what the encoders heard of them in a cache."""
    folder = tmp_path_factory.mktemp("voices")
    synthetic_corpus(folder / "voices", speakers=12, utterances=4, digits=3, seed=3)
    return folder


def test_python_and_the_command_give_one_dict_and_the_same_files(voices: Path, tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    result = evaluate_folder(
        voices / "voices", anonymizer="mcadams", settings={"alpha": 0.7}, cache=voices / "cache", out=mine, **QUICK
    )
    options = f"--anonymizer mcadams --set alpha=0.7 --cache {voices / 'cache'} --encoder statistics --no-utility"
    words = ["evaluate", str(voices / "voices"), *options.split(), "--resamples", "0", "--workers", "1"]
    done = CliRunner().invoke(group, [*words, "--out", str(theirs), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == json.loads(json.dumps(result.to_dict()))
    assert (mine / "result.json").read_text() == (theirs / "result.json").read_text() == done.stdout
    assert read_result(mine / "result.json").to_dict() == result.to_dict()
    made = {str(path.relative_to(mine)) for path in mine.rglob("*") if path.is_file()}
    assert {str(path.relative_to(theirs)) for path in theirs.rglob("*") if path.is_file()} == made | {"report.html"}
    assert "scores/statistics-ignorant.csv" in made
    assert "data:audio/wav" in (theirs / "report.html").read_text()  # to listen to, unless --no-audio


def test_your_own_output_and_nothing_kept(voices: Path, tmp_path: Path) -> None:
    evaluate_folder(voices / "voices", anonymizer="mcadams", cache=voices / "cache", out=tmp_path / "made", **QUICK)
    before = sorted(tmp_path.rglob("*"))
    result = evaluate_folder(
        voices / "voices", anonymized=tmp_path / "made" / "anonymized", cache=voices / "cache", seed=4, **QUICK
    )
    assert sorted(tmp_path.rglob("*")) == before
    assert result.seed == 4
    assert result.name == "voices, anonymized"
    assert result.voices is not None
    assert result.voices.anonymizer == {}
    assert not [note for note in result.notes if "anonymizer.json" in note]
    said: list[str] = []
    made = tmp_path / "made" / "anonymized"
    swapped = evaluate_folder(made, anonymized=voices / "voices", cache=voices / "cache", say=said.append, **QUICK)
    note = f"{made / 'anonymizer.json'} says that what is called original here was made by an anonymizer."
    assert swapped.notes[0].startswith(note)
    assert f"Warning: {swapped.notes[0]}" in said


def test_recordings_are_in_the_result_only_when_asked_for(voices: Path, tmp_path: Path) -> None:
    common = {"anonymizer": "mcadams", "cache": voices / "cache", **QUICK}
    plain = evaluate_folder(voices / "voices", **common)
    assert plain.listen == ()
    heard = evaluate_folder(voices / "voices", samples=True, out=tmp_path / "a", **common)
    assert len(heard.listen) == 3
    assert all(one.before.startswith("data:audio/wav;base64,") != (one.before == one.after) for one in heard.listen)
    assert "listen" not in json.loads((tmp_path / "a" / "result.json").read_text())
    kept = evaluate_folder(voices / "voices", store_samples=True, out=tmp_path / "b", **common)
    assert json.loads((tmp_path / "b" / "result.json").read_text())["listen"] == kept.to_dict()["listen"]
    assert replace(heard, listen=()).to_dict() == plain.to_dict()


def test_the_seed_is_the_anonymizers_and_stays_out_of_the_result(voices: Path, tmp_path: Path) -> None:
    """Who knows the seed can repeat the draws: reports hold no secrets."""
    result = evaluate_folder(
        voices / "voices",
        anonymizer="mcadams",
        settings={"alpha": None},
        cache=voices / "cache",
        seed=987654321,
        **QUICK,
    )
    assert result.seed == 0
    assert "987654321" not in json.dumps(result.to_dict())


def test_the_first_speakers_of_each_sex(voices: Path) -> None:
    from stripeless.audio.corpus_files import read_corpus

    corpus = read_corpus(voices / "voices")
    sex = {utterance.speaker: utterance.sex for utterance in corpus.utterances}
    few = study.few_speakers(corpus, 2)
    assert [sex[name] for name in few.speakers].count("f") == [sex[name] for name in few.speakers].count("m") == 2
    women = [name for name in corpus.speakers if sex[name] == "f"]
    assert [name for name in few.speakers if sex[name] == "f"] == women[:2]
    assert study.few_speakers(corpus, 0) is corpus


def test_the_attacker_learns_from_other_people_with_another_seed(voices: Path, tmp_path: Path) -> None:
    synthetic_corpus(tmp_path / "others", speakers=8, utterances=3, digits=2, seed=9, prefix="other")
    out, said = tmp_path / "out", []
    result = evaluate_folder(
        voices / "voices", anonymizer="mcadams", settings={"alpha": None}, training=tmp_path / "others", out=out,
        cache=voices / "cache", say=said.append, **QUICK,
    )  # fmt: skip
    assert any("24 recordings of other people" in sentence for sentence in said)
    assert result.voices is not None
    semi = {
        row.backend
        for row in result.voices.listeners
        if row.attacker == "semi-informed" and row.encoder == "statistics"
    }
    assert semi
    assert not any("cross-fitted" in backend for backend in semi)
    mine, theirs = (json.loads((out / name / "anonymizer.json").read_text()) for name in ("anonymized", "training"))
    assert mine["per"] == "speaker"
    assert theirs["per"] == "utterance"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"anonymizer": ""}, "give one of them"),
        ({"anonymized": "x"}, "give one of them"),
        ({"anonymizer": "magic"}, "magic"),
        ({"settings": {"beta": 1}}, "no option 'beta'"),
        ({"encoders": ["wav2vec"]}, "wav2vec"),
        ({"recognizer": "parrot"}, "parrot"),
        ({"transcripts": {"asr_eval": "absent.txt"}}, "absent.txt: does not exist"),
        ({"workers": -1}, "workers"),
        ({"retrain": "network"}, "needs `training`"),
    ],
)
def test_the_call_is_looked_at_before_the_recordings(
    change: dict[str, Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is read, so that a mistake costs a second."""

    def reading(*args: object, **more: object) -> None:
        raise AssertionError("the recordings were looked at first")

    monkeypatch.setattr(study, "read_corpus", reading)
    with pytest.raises(StripelessError, match=says):
        evaluate_folder("absent", **{"anonymizer": "mcadams", **QUICK, **change})


def test_training_recordings_that_are_not_there_are_missed_before_anonymizing(
    voices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def working(*args: object, **more: object) -> None:
        raise AssertionError("anonymized before everything was read")

    monkeypatch.setattr(study, "anonymize_corpus", working)
    with pytest.raises(InputError, match="absent: does not exist"):
        evaluate_folder(voices / "voices", anonymizer="mcadams", training="absent", **QUICK)
