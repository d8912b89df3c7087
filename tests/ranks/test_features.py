"""Features from sound and text: people who differ are told apart, people who do not are not."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.errors import InputError
from stripeless.ranks.features import (
    FEATURE_METRICS,
    f0_observations,
    style_observations,
    unit_observations,
)
from stripeless.studies.rank import RankSettings, rank_within


def tone(f0, seed, seconds=0.6):
    random = np.random.default_rng(seed)
    time = np.arange(int(16000 * seconds)) / 16000
    vibrato = f0 * (1 + 0.03 * np.sin(2 * np.pi * random.uniform(2, 5) * time))
    phase = 2 * np.pi * np.cumsum(vibrato) / 16000
    return sum(np.cos(k * phase) / k for k in range(1, 8)), 16000


def test_pitch_tells_people_apart_and_equal_pitch_does_not():
    names = [str(i) for i in range(8)]
    different = f0_observations([[tone(90 + 35 * i, 10 * i + k) for k in range(3)] for i in range(8)])
    alike = f0_observations([[tone(150, 10 * i + k) for k in range(3)] for i in range(8)])
    settings = RankSettings(FEATURE_METRICS["f0"], resamples=0)
    exposed, _ = rank_within(different, names, settings)
    hidden, _ = rank_within(alike, names, settings)
    assert exposed.disclosure.id_rate == 1
    assert hidden.disclosure.id_rate < 0.5


def test_units_can_be_learned_from_others():
    sounds = [[tone(100 + 10 * i, 7 * i + k) for k in range(2)] for i in range(4)]
    training = [tone(120 + i, 100 + i, 1.0) for i in range(3)]
    observations = unit_observations(sounds, training=training, count=16)
    assert observations.shape == (4, 2, 16)
    assert (observations > 0).all()
    np.testing.assert_array_equal(observations, unit_observations(sounds, training=training, count=16))


def test_style_tells_people_apart():
    hesitant = "uh i mean i uh i do not know you know it was like well i guess"
    formal = "the committee of the house in the matter of the estate and the law"
    observations = style_observations([[hesitant, hesitant + " um"], [formal, formal + " of record"]])
    result, _ = rank_within(observations, ["a", "b"], RankSettings("cosine", resamples=0))
    assert result.disclosure.id_rate == 1


def test_refusals():
    with pytest.raises(InputError, match="same number for every speaker"):
        f0_observations([[tone(100, 0)], []])
    with pytest.raises(InputError, match="nothing voiced in recording 1 of speaker 0"):
        f0_observations([[tone(100, 0), (np.zeros(16000), 16000)]])


@pytest.fixture
def folder(tmp_path):
    soundfile = pytest.importorskip("soundfile")
    words = ["well i know it", "uh you know i mean", "the law of the land", "they were there"]
    lines = {"wav.scp": [], "utt2spk": [], "text": []}
    for i in range(4):
        for k in range(3):
            name = f"s{i}-{k}"
            samples, rate = tone(100 + 60 * i, 10 * i + k)
            soundfile.write(tmp_path / f"{name}.wav", samples / np.abs(samples).max(), rate)
            lines["wav.scp"].append(f"{name} {name}.wav")
            lines["utt2spk"].append(f"{name} s{i}")
            lines["text"].append(f"{name} {words[i]} {k * 'so '}")
    for file, rows in lines.items():
        (tmp_path / file).write_text("\n".join(rows) + "\n")
    return tmp_path


def run_command(*arguments):
    from click.testing import CliRunner

    from stripeless.cli.rank import command

    return CliRunner().invoke(command, [str(a) for a in arguments])


def test_command_ranks_a_folder_by_features(folder):
    import json

    done = run_command(folder, "--feature", "f0", "--feature", "style", "--json", "--resamples", "0")
    assert done.exception is None, done.exception
    result = json.loads(done.stdout)
    assert [f["name"] for f in result["features"]] == ["f0", "style"]
    assert result["features"][0]["measures"]["id_rate"]["value"] == 1
    assert result["features"][0]["probes"] == 12
    assert result["sum"] is None  # twelve probes cannot show whether two features are independent
    assert any("too few" in note for note in result["notes"])


def test_folder_refusals(folder):
    from stripeless.errors import FileError, TooFewTrials

    assert run_command(folder, "--feature", "f0", "--device", "cpu").exit_code == 2
    assert isinstance(run_command(folder, "--feature", "f0", "--pieces", 9).exception, TooFewTrials)
    (folder / "wav.scp").write_text("s0-0 flac -dc x.flac |\n")
    refused = run_command(folder, "--feature", "f0").exception
    assert isinstance(refused, FileError)
    assert "commands are not run" in str(refused)
    (folder / "wav.scp").unlink()
    (folder / "utt2spk").write_text("s0-0\n")
    assert "line 1: expected a name and a value" in str(run_command(folder, "--feature", "style").exception)
