"""What a command decides by itself, says on the way, and hands on: one small call for each choice."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from stripeless.anonymizers.mcadams import McAdams
from stripeless.audio.recordings import Recording, read_recording, write_recording
from stripeless.audio.synthetic_voice import speak, synthetic_corpus, synthetic_speaker
from stripeless.cli import COMMANDS, group
from stripeless.cli.anonymize import anonymize_file
from stripeless.cli.assess import default_resamples, parse_labels
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import write_embeddings
from stripeless.errors import FileError
from stripeless.papers.reproduce import TABLES

pytestmark = pytest.mark.filterwarnings("ignore:Please use `import python_multipart`:PendingDeprecationWarning")


class Stop(Exception):
    """The call has come as far as the test looks."""


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments], catch_exceptions=False)


def refused(*arguments: Any) -> str:
    done = CliRunner().invoke(group, [str(argument) for argument in arguments])
    assert done.exit_code != 0
    return str(done.exception) if done.exit_code == 1 else done.stderr


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


# rank


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Six speakers of three utterances, and two of one."""
    rng = np.random.default_rng(2)
    who = [*(f"s{k // 3}" for k in range(18)), "x", "y"]
    path = tmp_path / "vectors.npz"
    write_embeddings(
        path, Embeddings(rng.normal(size=(20, 4)), tuple(f"{name}-{k}" for k, name in enumerate(who)), tuple(who))
    )
    return path


def test_who_says_too_little_is_left_out_and_counted(vectors: Path) -> None:
    found = json.loads(run("rank", vectors, "--json", "--resamples", 0).stdout)
    assert found["notes"] == [
        "2 of 8 speakers have fewer than 2 utterances and were left out.",
        "3 utterances of each of 6 speakers, probe and template never the same.",
    ]
    longer = json.loads(run("rank", vectors, "--probe-length", 2, "--json", "--resamples", 0).stdout)
    assert longer["notes"][0] == "2 of 8 speakers have fewer than 3 utterances and were left out."
    assert [one["path"] for one in found["inputs"]] == [str(vectors)]


@pytest.mark.parametrize("option", ["--lengths", "--probe-length", "--template-length"])
def test_lengths_are_of_one_set_alone(vectors: Path, option: str) -> None:
    assert "of PROBES alone" in refused("rank", vectors, vectors, option, "2")


def test_one_way_to_compute_at_a_time(vectors: Path) -> None:
    for two in (
        ("--workers", 1, "--device", "cpu"),
        ("--workers", 1, "--dask", "tcp://x:1"),
        ("--dask", "tcp://x:1", "--device", "cpu"),
    ):
        assert "give one of them" in refused("rank", vectors, *two)


def test_a_large_job_is_announced(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sizes = {"probes": 10_001, "templates": 5_000}
    for name, rows in sizes.items():
        who = tuple(str(k % 5000) for k in range(rows))
        write_embeddings(
            tmp_path / f"{name}.npz",
            Embeddings(rng.normal(size=(rows, 2)).astype(np.float32), tuple(map(str, range(rows))), who),
        )
    done = run("rank", tmp_path / "probes.npz", tmp_path / "templates.npz", "--resamples", 0)
    assert "10,001 probes x 5,000 templates: about" in done.stderr
    few = run("rank", tmp_path / "templates.npz", tmp_path / "templates.npz", "--resamples", 0)
    assert "probes x" not in few.stderr


def test_units_are_said_to_come_from_the_same_recordings(tmp_path: Path) -> None:
    corpus = synthetic_corpus(tmp_path / "voices", speakers=4, utterances=3, digits=8)
    found = json.loads(run("rank", corpus.folder, "--feature", "f0", "--json", "--resamples", 0).stdout)
    assert len(found["notes"]) == 1
    assert found["notes"][0] == f"3 observations of each of 4 speakers, from {corpus.folder}."
    assert found["name"] == str(corpus.folder)
    both = json.loads(
        run(
            "rank", corpus.folder, "--feature", "f0", "--feature", "units", "--json", "--resamples", 0, "--name", "v"
        ).stdout
    )
    assert both["notes"][1].startswith("Phone-like units were learned from these recordings")
    assert both["name"] == "v"


# protect, reproduce, serve


def test_what_protect_is_not_told_it_takes_from_its_table(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stripeless.cli import protect

    asked: list[dict[str, Any]] = []

    def hide(given: dict[str, Any]) -> Any:
        asked.append(given)
        raise Stop

    monkeypatch.setattr(protect, "hide", hide)
    with pytest.raises(Stop):
        protect.command.main([str(vectors), "--method", "moments"], standalone_mode=False)
    (given,) = asked
    chosen = {
        name: given[name]
        for name in ("directions", "folds", "resamples", "judge", "seed", "pca", "epochs", "bins", "paper")
    }
    assert chosen == {
        "directions": 8, "folds": 5, "resamples": 200, "judge": True, "seed": 0, "pca": None, "epochs": None, "bins": None,
        "paper": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "classifiers", "maps"),
    [
        ((), None, False),
        (("--classifier", "angles", "--classifier", "logistic"), ("angles", "logistic"), False),
        (("--html", "page.html"), None, True),
        (("--figures", "figures"), None, True),
    ],
)
def test_what_protect_asks_of_the_judge(
    vectors: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    classifiers: Any,
    maps: bool,
) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    from stripeless.cli import protect
    from stripeless.studies import protect as study

    told: list[dict[str, Any]] = []

    def judge(hidden: Any, **more: Any) -> Any:
        told.append(more)
        raise Stop

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(protect, "hide", lambda asked: SimpleNamespace())
    monkeypatch.setattr(protect, "write", lambda *given: None)
    monkeypatch.setattr(study, "judge_hidden", judge)
    with pytest.raises(Stop):
        protect.command.main([str(vectors), "--method", "lda", "--seed", "4", *options], standalone_mode=False)
    (more,) = told
    assert (more["classifiers"], more["maps"], more["seed"], more["name"], more["folds"]) == (
        classifiers,
        maps,
        4,
        "vectors.npz",
        5,
    )


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


@pytest.mark.parametrize(
    ("host", "token"),
    [("127.0.0.1", False), ("localhost", False), ("::1", False), ("0.0.0.0", True), ("192.168.1.5", True)],
)
def test_who_serves_to_others_gives_a_token(monkeypatch: pytest.MonkeyPatch, host: str, token: bool) -> None:
    pytest.importorskip("fastapi")
    from stripeless.cli import serve

    served: list[Any] = []
    monkeypatch.setattr(serve, "_run", lambda settings, *more: served.append((settings, more)))
    done = run("serve", "--host", host, "--port", 0, "--max-mb", 3, "--workers", 2, "--allow-host", "box")
    ((settings, more),) = served
    assert bool(settings.token) == token == ("Others can reach this page" in done.stderr)
    assert (settings.file_bytes, settings.request_bytes, settings.workers) == (3_000_000, 400_000_000, 2)
    assert {host, "box"} <= settings.hosts
    assert more == (host, 0, False)


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "http://127.0.0.1:"), ("::1", "http://[::1]:")])
def test_the_address_is_one_that_a_browser_takes(monkeypatch: pytest.MonkeyPatch, host: str, shown: str) -> None:
    uvicorn = pytest.importorskip("uvicorn")
    import socket

    if host == "::1":
        try:
            socket.create_server((host, 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("no IPv6 here")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets=None: [one.close() for one in sockets or ()])
    done = run("serve", "--host", host, "--port", 0, "--open")
    assert f"The page: {shown}" in done.stderr
    assert opened[0].startswith(shown)
    assert "token" not in opened[0]


# info


def test_what_is_there_and_what_is_missing_is_said_line_by_line() -> None:
    from stripeless.cli.info import device_lines, encoder_line, extra_line

    ready = {"identity": "compact-1-ab", "sha256": "abcd", "missing": None}
    assert encoder_line("compact", ready) == "compact: compact-1-ab, weights sha256 abcd"
    assert encoder_line("statistics", {**ready, "sha256": None}) == "statistics: compact-1-ab, no weights"
    gone = {"identity": None, "sha256": None, "missing": "pip install x"}
    assert encoder_line("ge2e", gone) == "ge2e: missing; pip install x"
    assert encoder_line("ge2e", {**gone, "sha256": "abcd"}) == "ge2e: missing; pip install x (weights sha256 abcd)"
    assert extra_line("audio", {"soundfile": "1.0", "soxr": "2.0"}) == "audio: soundfile 1.0, soxr 2.0"
    assert (
        extra_line("audio", {"soundfile": "1.0", "soxr": None})
        == "audio: soxr missing; pip install 'stripeless[audio]'"
    )
    assert device_lines({"cores": 8, "usable_cores": 2, "cuda": None}) == [
        "CPU cores: 2 usable of 8",
        "CUDA: torch is not there to ask",
    ]
    assert device_lines({"cores": 8, "usable_cores": 2, "cuda": []})[1] == "CUDA: none"
    assert device_lines({"cores": 8, "usable_cores": 2, "cuda": ["A", "B"]})[1] == "CUDA: A, B"


# The list of commands


def test_every_command_is_found_by_its_name() -> None:
    for name in COMMANDS:
        done = run(name, "--help")
        assert done.exit_code == 0
        assert name in done.stdout
    assert "No such command" in refused("assass")
