"""An anonymizer that writes one file for everything: every number or its reason, a result that can be written, no verdict."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from stripeless.audio.synthetic_voice import synthetic_corpus
from stripeless.cli import group
from stripeless.verdicts.verdict import judge_together


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight voices, and one of their recordings under every name."""
    folder = tmp_path_factory.mktemp("alike")
    corpus = synthetic_corpus(folder / "in", speakers=8, utterances=4, digits=3)
    (folder / "out").mkdir()
    for utterance in corpus.utterances:
        shutil.copyfile(corpus.utterances[0].path, folder / "out" / f"{utterance.name}.wav")
    return folder


@pytest.mark.parametrize("encoder", ["statistics", "compact"])
def test_everything_has_a_number_or_a_reason(made: Path, encoder: str) -> None:
    from stripeless import read_result

    words = ["evaluate", made / "in", "--anonymized", made / "out", "--encoder", encoder, "--no-utility", "--json"]
    more = ["--resamples", "0", "--workers", "1", "--cache", made / "cache", "--out", made / encoder]
    done = CliRunner().invoke(group, [str(word) for word in (*words, *more)])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout, parse_constant=pytest.fail)
    assert {f["code"]: f["severity"] for f in result["warnings"]}["same_output"] == "serious"
    for group_of in result["voices"]["similarity"].values():
        assert group_of["gain_of_voice_distinctiveness"] is None
        assert "alike" in group_of["why_none"]
    for one in (*result["attackers"], result["original"]):
        assert [m["label"] for m in one["measures"].values() if m["value"] is None and not m["reason"]] == []
    assert judge_together(read_result(made / encoder / "result.json")).label == "No verdict"  # type: ignore[arg-type]
    assert "alike" in (made / encoder / "report.html").read_text()


def test_people_without_outputs_stop_the_command_or_are_counted(made: Path) -> None:
    fewer = made / "fewer"
    shutil.copytree(made / "out", fewer, dirs_exist_ok=True)
    for path in [*fewer.glob("voice02*"), *fewer.glob("voice05*")]:
        path.unlink()
    words = ["evaluate", made / "in", "--anonymized", fewer, "--encoder", "statistics", "--no-utility", "--json"]
    more = ["--resamples", "0", "--workers", "1", "--cache", made / "cache"]
    done = CliRunner().invoke(group, [str(word) for word in (*words, *more)])
    assert done.exit_code == 1
    assert "8 of 32 utterances cannot be judged: 8 without an anonymized copy (voice02-0" in str(done.exception)
    done = CliRunner().invoke(group, [str(word) for word in (*words, *more, "--allow-missing")])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["voices"]["corpus"]["speakers"] == 6
    (found,) = [f for f in result["warnings"] if f["code"].startswith("missing")]
    assert "6 of 8 people are still judged; lost most: voice02 (4), voice05 (4)." in found["message"]
