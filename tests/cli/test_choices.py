"""What a command decides by itself, says on the way, and hands on: one small call for each choice."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from command_calls import Stop, refused, run

from stripeless.anonymizers.mcadams import McAdams
from stripeless.audio.recordings import Recording, read_recording, write_recording
from stripeless.audio.synthetic_voice import speak, synthetic_corpus, synthetic_speaker
from stripeless.cli import COMMANDS
from stripeless.cli.anonymize import anonymize_file
from stripeless.cli.assess import default_resamples, parse_labels
from stripeless.errors import FileError
from stripeless.papers.reproduce import TABLES


@pytest.fixture(scope="module")
def voice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("voice") / "anna.wav"
    write_recording(path, speak(synthetic_speaker(1), "one two"))
    return path


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("scores") / "scores.txt"
    path.write_text("".join(f"{rng.normal(k % 2):.4f} {'target' if k % 2 else 'nontarget'}\n" for k in range(300)))
    return path


# anonymize


def test_one_sound_file_becomes_another(voice: Path, tmp_path: Path) -> None:
    out = tmp_path / "hidden.wav"
    done = run("anonymize", voice, out, "--method", "mcadams", "--rate", "16000", "--json")
    before, after = read_recording(voice), read_recording(out)
    assert len(before.samples) == len(after.samples)
    assert not np.array_equal(before.samples, after.samples)
    told = json.loads(done.stdout)
    assert (told["kind"], told["file"], told["made"], told["kept"]) == ("anonymized", str(out), 1, 0)
    assert told["anonymizer"]["alpha"] == 0.8
    assert f"{voice} -> {out}" in done.stderr
    link = tmp_path / "link.wav"
    link.symlink_to(voice)
    assert "is named twice in this call" in refused("anonymize", voice, link, "--method", "mcadams")
    with pytest.raises(FileError, match="is the original; choose another name"):
        anonymize_file(voice, link, McAdams(), 16000)
    assert np.array_equal(read_recording(voice).samples, before.samples)


@pytest.mark.parametrize(
    ("method", "seed", "learns", "guessable"),
    [
        ("mcadams", 0, False, False),
        ("formants", 5, False, True),
        ("formants", 2**64, False, False),
        ("a1", 2**64, True, False),
    ],
)
def test_what_takes_time_and_what_can_be_guessed_is_said(
    voice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, seed: int, learns: bool, guessable: bool
) -> None:
    from stripeless.anonymizers import catalog

    same = SimpleNamespace(settings=dict, apply=lambda samples, rate, source: samples)
    monkeypatch.setattr(catalog, "make_anonymizer", lambda *given, **more: same)
    done = run("anonymize", voice, tmp_path / "hidden.wav", "--method", method, "--seed", seed)
    assert ("learning from the pool" in done.stderr) == learns
    assert (f"--seed {seed}, which can be guessed" in done.stderr) == guessable


def test_a_folder_of_voices_and_what_to_do_next(tmp_path: Path) -> None:
    corpus = synthetic_corpus(tmp_path / "voices", speakers=4, utterances=2, digits=1)
    out = tmp_path / "hidden"
    done = run("anonymize", corpus.folder, out, "--method", "mcadams", "--set", "alpha=0.7", "--workers", 1)
    assert done.stdout.startswith(f"8 made, 0 were there already, 0 left out: {out}")
    assert f"stripeless evaluate {corpus.folder} --anonymize" in done.stdout
    again = json.loads(
        run("anonymize", corpus.folder, out, "--method", "mcadams", "--set", "alpha=0.7", "--json").stdout
    )
    assert (again["made"], again["kept"], again["skipped"], again["folder"]) == (0, 8, [], str(out))
    assert again["anonymizer"]["alpha"] == 0.7


def test_a_folder_of_speakers_does_not_hold_its_copy(voice: Path, tmp_path: Path) -> None:
    (tmp_path / "anna").mkdir()
    write_recording(tmp_path / "anna" / "one.wav", Recording(np.zeros(1600) + 0.1, 16000))
    inside = tmp_path / "hidden"
    assert "each folder is a speaker" in refused("anonymize", tmp_path, inside, "--method", "mcadams")
    assert not inside.exists()


# assess


@pytest.mark.parametrize(
    ("target", "nontarget", "draws", "told"),
    [
        (100_000, 100_000, 1000, ""),
        (1, 200_000, 200, ""),
        (1_000_000, 1_000_000, 200, ""),
        (1, 2_000_000, 0, "2,000,001 trials"),
    ],
)
def test_how_many_resamples_take_a_moment(
    caplog: pytest.LogCaptureFixture, target: int, nontarget: int, draws: int, told: str
) -> None:
    sizes = SimpleNamespace(target=np.broadcast_to(0.0, target), nontarget=np.broadcast_to(0.0, nontarget))
    caplog.set_level("INFO")
    assert default_resamples(sizes) == draws  # type: ignore[arg-type]
    assert bool(told) == bool(caplog.messages)
    assert told in " ".join(caplog.messages)


def test_labels_are_pairs_and_the_last_one_stands() -> None:
    assert parse_labels((" dataset = libri ", "split=a=b", "split=test")) == {"dataset": "libri", "split": "test"}


def test_files_of_an_assessment_are_where_they_were_asked_for(scores: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page, summary, figures = tmp_path / "page.html", tmp_path / "summary.html", tmp_path / "figures"
    options = (
        "--html",
        page,
        "--summary",
        summary,
        "--figures",
        figures,
        "--figure-format",
        "svg",
        "--label",
        "system=B9",
    )
    done = run("assess", scores, "--resamples", 0, "--name", "mine", *options, "--json")
    assert "<html" in page.read_text()
    assert "Singling out" in summary.read_text()
    assert {path.suffix for path in figures.iterdir()} == {".svg", ".csv"}
    found = json.loads(done.stdout)
    assert (found["name"], found["labels"], found["original"]) == ("mine", {"system": "B9"}, None)
    for path in (page, summary):
        assert f": {path}" in done.stderr
    again = run("assess", scores, "--resamples", 0, "--figures", figures)
    assert again.exit_code == 0, "a folder that is there already is filled anew"
    assert run("assess", scores, "--resamples", 0).stdout.strip()


def test_intervals_by_label_but_not_for_every_speaker(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [
        f"{rng.normal(2 * (a == b)):.4f},{'target' if a == b else 'nontarget'},s{a},s{b},{'f' if b % 2 else 'm'}\n"
        for a in range(8) for b in range(8) for _ in range(8 if a == b else 2) if a % 2 == b % 2
    ]  # fmt: skip
    table = tmp_path / "scores.csv"
    table.write_text("score,label,enrollment_speaker,trial_speaker,sex\n" + "".join(rows))
    done = run("assess", table, "--by", "sex", "--by", "speaker", "--resamples", 100, "--json", "--seed", 3)
    found = json.loads(done.stdout)
    assert found["groups"]["sex"]["f"]["measures"]["eer"]["low"] is not None
    assert found["groups"]["speaker"]["s1"]["measures"]["eer"]["low"] is None
    assert found["groups"]["speaker"]["s1"]["measures"]["eer"]["value"] is not None


# evaluate, compare


def test_a_report_may_lie_in_the_folder_that_is_about_to_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stripeless.cli import evaluate

    asked: list[dict[str, Any]] = []

    def evaluated(original: str, options: dict[str, Any], *, heard: bool) -> Any:
        asked.append({"original": original, "heard": heard})
        raise Stop

    monkeypatch.setattr(evaluate, "evaluated", evaluated)

    def heard(*options: Any) -> bool:
        asked.clear()
        with pytest.raises(Stop):
            evaluate.command.main(["voices", "--anonymizer", "mcadams", *map(str, options)], standalone_mode=False)
        return bool(asked[0]["heard"])

    out = tmp_path / "new"
    assert heard("--out", out, "--html", out / "page.html")
    assert not heard("--out", out, "--html", out / "page.html", "--no-audio")
    assert heard("--out", out), "the report of the folder"
    assert not heard(), "no page, nobody hears it"
    assert heard("--embed-audio", "--json")
    assert "cannot be written" in refused(
        "evaluate", "voices", "--anonymizer", "mcadams", "--html", tmp_path / "no" / "page.html"
    )
    for both in ((), ("--anonymizer", "mcadams", "--anonymized", "hidden")):
        assert "give ORIGINAL and either" in refused("evaluate", "voices", *both)
    assert "give ORIGINAL and either" in refused("evaluate", "--anonymizer", "mcadams")


def test_compare_needs_two_or_a_folder(scores: Path, tmp_path: Path) -> None:
    assert "at least two results" in refused("compare", scores)
    other = tmp_path / "other.txt"
    other.write_text(scores.read_text().replace("0.", "1.", 40))
    found = json.loads(run("compare", scores, other, "--resamples", 100, "--json").stdout)
    assert [one["name"] for one in found["results"]] == ["scores.txt", "other.txt"]
    assert "--split is a half" in refused("compare", scores, other, "--split", "dev")
    assert "no measure of that name" in refused("compare", scores, other, "--rank", "--measure", "beauty")


def test_reproduce_lists_its_tables_and_makes_those_that_need_no_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from stripeless.cli import reproduce

    listed = run("reproduce").stdout
    assert all(name in listed for name in TABLES)
    made: list[Any] = []

    def stop(names: list[str], data: Any, *, seed: int) -> Any:
        made.append((names, data, seed))
        raise Stop

    monkeypatch.setattr("stripeless.papers.reproduce.reproduction", stop)
    for arguments in (["--data", str(tmp_path)], ["statements", "--seed", "3"]):
        with pytest.raises(Stop):
            reproduce.command.main(arguments, standalone_mode=False)
    free = [name for name, table in TABLES.items() if not table.needs]
    assert made == [(free, str(tmp_path), 0), (["statements"], None, 3)]
    (tmp_path / "libri").mkdir()
    assert reproduce.allowed_by("libri", tmp_path)
    assert reproduce.allowed_by("libri", tmp_path / "libri")
    assert not reproduce.allowed_by("other", tmp_path)


# The list of commands


def test_every_command_is_found_by_its_name() -> None:
    for name in COMMANDS:
        done = run(name, "--help")
        assert done.exit_code == 0
        assert name in done.stdout
    assert "No such command" in refused("assass")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("semi-infromed", "semi-informed"), ("lazy informd", "lazy-informed"), ("informed", "semi-informed"),
     ("ignorent", "ignorant"), ("semi-informed 2", "semi-informed")],
)  # fmt: skip
def test_an_attacker_who_is_nearly_a_known_one_is_asked_about(given: str, meant: str) -> None:
    """Taken as it is, the verdict would say that nobody retrained."""
    for more in ((), ("--on-disk", "folder")):
        done = run("assess", "no.txt", "--attacker", given, *more)
        assert done.exit_code == 2
        assert f"--attacker {given!r}: did you mean" in done.stderr
        assert meant in done.stderr


@pytest.mark.parametrize(
    ("given", "taken"),
    [("Semi informed", "semi-informed"), ("my ECAPA", "my ECAPA"), ("", ""), ("original", "original")],
)
def test_known_attackers_in_any_spelling_and_names_of_ones_own(given: str, taken: str) -> None:
    from stripeless.cli.assess import attacker_named

    assert attacker_named(given) == taken
