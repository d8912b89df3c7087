"""Nonsense is refused while the call is read: before any input is opened and before anything is written."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

from stripeless.cli import COMMANDS, group
from stripeless.errors import MissingExtra, StripelessError

# What each command needs to get as far as its options. None of these files exists: who opened one would say so.
NEEDED: dict[str, tuple[str, ...]] = {
    "demo": (),
    "assess": ("absent.txt",),
    "anonymize": ("absent", "hidden"),
    "embed": ("absent", "vectors.npz"),
    "evaluate": ("absent", "--anonymizer", "mcadams"),
    "protect": ("absent.npz", "--method", "lda"),
    "compare": ("absent.txt", "absent2.txt"),
    "attack": ("absent.npz", "absent2.npz"),
    "similarity": ("absent.npz", "absent2.npz"),
    "rank": ("absent.npz",),
    "listen": ("absent.csv",),
    "summary": ("absent.json",),
    "serve": (),
    "reproduce": ("statements",),
}

# (command, option, values, what the sentence says beside the option)
REFUSED: list[tuple[str, str, tuple[str, ...], str]] = [
    *((name, "--seed", ("-1",), "-1") for name in NEEDED if name not in ("summary", "serve")),
    *((name, "--html", ("no/such/folder/page.html",), "cannot be written")
      for name in NEEDED if name not in ("anonymize", "embed", "serve")),
    *((name, "--resamples", (bad,), f"got {bad}")
      for name in ("assess", "compare", "rank", "attack", "protect", "listen", "evaluate") for bad in ("50", "-3")),
    *((name, "--resamples", ("many",), "many") for name in ("assess", "evaluate")),
    *((name, "--figures", ("file",), "is a file")
      for name in ("assess", "compare", "rank", "attack", "similarity", "protect", "listen", "evaluate")),
    *((name, "--figure-format", ("gif",), "gif")
      for name in ("assess", "compare", "rank", "attack", "similarity", "protect", "listen", "evaluate")),
    *((name, "--workers", (bad,), bad)
      for name in ("anonymize", "embed", "evaluate", "rank", "serve", "protect") for bad in ("-1", "two")),
    *((name, "--log", ("no/such/folder/run.log",), "cannot be written") for name in NEEDED),
    *((name, "--on-error", ("panic",), "panic") for name in ("anonymize", "embed", "evaluate")),
    *((name, "--cache", ("file",), "is a file") for name in ("embed", "evaluate")),
    ("demo", "--strength", ("1.5",), "1.5"),
    ("demo", "--strength", ("nan",), "nan"),
    ("demo", "--speakers", ("3",), "3"),
    ("demo", "--out", ("file",), "is a file"),
    *((name, "--margin", (bad,), bad) for name in ("assess", "evaluate", "protect") for bad in ("29", "46", "half")),
    *(("assess", "--people", (bad,), bad) for bad in ("1", "some")),
    ("assess", "--label", ("dataset",), "KEY=VALUE"),
    ("assess", "--label", ("=x",), "KEY=VALUE"),
    ("assess", "--original", ("absent2.txt",), "absent2.txt: does not exist"),
    ("assess", "--on-disk", ("file",), "is a file"),
    *((name, option, ("file/inside",), "cannot be written")
      for name, option in (("assess", "--on-disk"), ("rank", "--resume"), ("embed", "--cache"), ("evaluate", "--cache"),
                           ("evaluate", "--out"), ("demo", "--out"), ("assess", "--figures"), ("rank", "--figures"))),
    ("assess", "--summary", ("no/such/page.html",), "cannot be written"),
    ("anonymize", "--method", ("magic",), "magic"),
    ("anonymize", "--state", ("file",), "is a file"),
    ("evaluate", "--state", ("state",), "changes nothing without --out"),
    ("anonymize", "--set", ("alpha",), "NAME=VALUE"),
    ("anonymize", "--set", ("beta=1",), "has no option 'beta'"),
    ("anonymize", "--set", ("alpha=7",), "alpha"),
    ("anonymize", "--format", ("mp3",), "mp3"),
    ("anonymize", "--rate", ("12",), "12"),
    ("embed", "--encoder", ("wav2vec",), "wav2vec"),
    ("embed", "--epochs", ("0",), "0"),
    ("embed", "--train", (), "must end in .safetensors"),
    ("evaluate", "--retrain", ("everything",), "everything"),
    ("evaluate", "--retrain", ("network",), "--training"),
    ("evaluate", "--epochs", ("0",), "0"),
    ("evaluate", "--speakers", ("-2",), "-2"),
    ("evaluate", "--asr-limit", ("-1",), "-1"),
    ("evaluate", "--asr", ("parrot",), "parrot"),
    ("evaluate", "--encoder", ("wav2vec",), "wav2vec"),
    ("evaluate", "--set", ("alpha",), "NAME=VALUE"),
    ("evaluate", "--set", ("beta=1",), "has no option 'beta'"),
    ("evaluate", "--transcripts", ("hyp.txt",), "CONDITION=FILE"),
    ("evaluate", "--transcripts", ("asr_eval=absent2.txt",), "absent2.txt: does not exist"),
    ("evaluate", "--training", ("absent2",), "does not exist"),
    ("evaluate", "--anonymized", ("absent2",), "--anonymizer NAME"),
    ("evaluate", "--out", ("file",), "is a file"),
    ("evaluate", "--template", ("no/such/list.csv",), "cannot be written"),
    ("protect", "--method", ("magic",), "magic"),
    ("protect", "--bins", ("1",), "1"),
    ("protect", "--pca", ("1",), "1"),
    ("protect", "--directions", ("-1",), "-1"),
    ("protect", "--epochs", ("0",), "0"),
    ("protect", "--folds", ("1",), "1"),
    ("protect", "--classifier", ("oracle",), "oracle"),
    ("protect", "--labels", ("absent2",), "absent2: does not exist"),
    ("protect", "--fit-on", ("absent2.npz",), "absent2.npz: does not exist"),
    ("protect", "--model", ("absent2.safetensors",), "does not exist"),
    ("protect", "--protected", ("absent2.npz",), "does not exist"),
    ("protect", "--out", ("vectors.docx",), "unknown format"),
    ("protect", "--out", ("no/such/vectors.npz",), "cannot be written"),
    ("protect", "--save", ("no/such/model.safetensors",), "cannot be written"),
    ("protect", "--role", ("spy",), "spy"),
    ("protect", "--set", ("farthest",), "NAME=VALUE"),
    ("compare", "--among", ("nobody",), "nobody"),
    ("compare", "--split", ("train",), "train"),
    ("compare", "--split", ("dev",), "--among"),
    ("compare", "--measure", ("magic", "--rank"), "no measure of that name"),
    ("compare", "--utility", ("magic", "--rank"), "no measure of that name"),
    ("compare", "--table", ("table.docx",), ".md"),
    ("compare", "--table", ("no/such/table.md",), "cannot be written"),
    ("rank", "--feature", ("smell",), "smell"),
    ("rank", "--metric", ("manhattan",), "manhattan"),
    ("rank", "--pieces", ("1",), "1"),
    ("rank", "--probe-length", ("0",), "0"),
    ("rank", "--template-length", ("-1",), "-1"),
    ("rank", "--lengths", ("1,two",), "1,two"),
    ("rank", "--lengths", ("0,1",), "0,1"),
    ("rank", "--threads", ("-1",), "-1"),
    ("evaluate", "--jobs", ("-1",), "-1"),
    ("assess", "--log", (".",), "is a directory"),
    ("assess", "--quiet", ("--verbose",), "exclude each other"),
    ("rank", "--dask", ("nonsense",), "address of a scheduler"),
    ("rank", "--dask", ("tcp://127.0.0.1:1",), "no scheduler answers"),
    ("rank", "--device", ("abacus",), "cannot be used here"),
    ("rank", "--resume", ("file",), "is a file"),
    ("attack", "--margin", ("20",), "20"),
    ("attack", "--enrollment", ("absent2.npz",), "absent2.npz: does not exist"),
    ("attack", "--enrollment-utt2spk", ("absent3",), "--enrollment-utt2spk: there is no file"),
    ("attack", "--training-anonymized", ("absent3.npz",), "give --training-original or --enrollment"),
    ("attack", "--training-original", ("absent3.npz",), "give --training-anonymized too"),
    ("attack", "--training-utt2spk", ("absent3",), "--training-utt2spk: there is no file"),
    ("listen", "--scale", ("10", "1"), "lowest score"),
    ("listen", "--scale", ("1", "inf"), "lowest score"),
    ("listen", "--objective", ("absent2.json",), "absent2.json: does not exist"),
    ("serve", "--host", ("no host",), "no host"),
    ("serve", "--allow-host", ("http://x/",), "http://x/"),
    ("serve", "--port", ("70000",), "70000"),
    ("serve", "--workers", ("33",), "33"),
    ("serve", "--max-mb", ("0",), "0"),
    ("reproduce", "--data", ("absent2",), "absent2"),
]  # fmt: skip

# Options whose every text means something: names, titles, and inputs that are read before anything is computed.
FREE = {
    "assess": {"--trials", "--utt2spk", "--spk2gender", "--name", "--attacker", "--by"},
    "compare": {"--trials", "--utt2spk", "--spk2gender"},
    "protect": {
        "--utt2spk",
        "--fit-utt2spk",
        "--pool",
        "--pool-utt2spk",
        "--device",
    },  # --device: of what is trained, below
    "attack": {"--utt2spk", "--name"},
    "similarity": {"--utt2spk", "--name"},
    "rank": {"--utt2spk", "--template-utt2spk", "--name"},
    "listen": {"--without", "--name"},
    "evaluate": {"--anonymizer"},  # below
}
NEEDS_TORCH = {("rank", "--device"), ("evaluate", "--retrain")}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder but for one file."""
    (tmp_path / "file").write_text("something")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRIPELESS_CACHE", str(tmp_path / "cache"))
    return tmp_path


def refused(*words: str) -> str:
    """What the call says; it must end with 1 or 2, and with one sentence."""
    done = CliRunner().invoke(group, list(words))
    assert done.exit_code in (1, 2), f"exit {done.exit_code}: {done.output}"
    if done.exit_code == 2:
        return next(line for line in done.stderr.splitlines() if line.startswith("Error"))
    assert isinstance(done.exception, StripelessError), repr(done.exception)
    assert "\n" not in str(done.exception)
    return str(done.exception)


def take_away(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """As if it had never been installed, for all who ask by `need`."""
    from stripeless import _extras

    def importing(name: str) -> ModuleType:
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr(_extras, "import_module", importing)


def is_untouched(place: Path) -> bool:
    """Whether the folder holds what it held."""
    return os.listdir(place) == ["file"] and (place / "file").read_text() == "something"


@pytest.mark.parametrize(
    ("command", "option", "values", "says"), REFUSED, ids=[f"{c} {o} {' '.join(v)}".strip() for c, o, v, _ in REFUSED]
)
def test_nonsense_is_refused_before_anything_is_read(
    place: Path, command: str, option: str, values: tuple[str, ...], says: str
) -> None:
    if (command, option) in NEEDS_TORCH:
        pytest.importorskip("torch")
    if option == "--dask":
        pytest.importorskip("distributed")
    made = option in ("--model", "--protected", "--template")  # by a method of its own, or of nothing
    said = refused(command, *(NEEDED[command][:1] if made else NEEDED[command]), option, *values)
    assert says in said
    assert "absent" not in said or "absent2" in values[0], f"an input was looked at first: {said}"
    assert is_untouched(place)


@pytest.mark.parametrize("command", list(NEEDED))
def test_every_option_that_takes_a_value_is_in_the_table(command: str) -> None:
    found = group.get_command(click.Context(group), command)
    assert found is not None
    tried = {option for name, option, _, _ in REFUSED if name == command} | FREE.get(command, set())
    takes_value = {
        parameter.opts[0]
        for parameter in found.params
        if isinstance(parameter, click.Option) and not parameter.is_flag and not parameter.hidden
    }
    assert takes_value - tried == set()


def test_every_command_is_in_the_table() -> None:
    assert set(NEEDED) == set(COMMANDS) - {"info"}  # which takes no value


@pytest.mark.parametrize(
    "command", ["assess", "compare", "rank", "attack", "similarity", "protect", "listen", "evaluate"]
)
def test_figures_without_matplotlib_are_refused_at_once(
    place: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    take_away(monkeypatch, "matplotlib")
    said = refused(command, *NEEDED[command], "--figures", "figures")
    assert "pip install 'stripeless[plots]'" in said
    assert is_untouched(place)


@pytest.mark.parametrize(
    ("missing", "words", "extra"),
    [
        ("torch", ("protect", "absent.npz"), "flow"),
        ("torch", ("protect", "absent.npz", "--method", "adversarial"), "flow"),
        ("sklearn", ("protect", "absent.npz", "--method", "lda"), "classifiers"),
        ("torch", ("rank", "absent.npz", "--device", "cuda"), "torch"),
        ("distributed", ("rank", "absent.npz", "--dask", "tcp://127.0.0.1:1"), "dask"),
        ("torch", ("embed", "absent", "net.safetensors", "--train"), "torch"),
        ("safetensors", ("embed", "absent", "net.safetensors", "--train"), "torch"),
        ("h5py", ("embed", "absent", "vectors.h5"), "hdf5"),
        ("duckdb", ("protect", "absent.npz", "--method", "lda", "--out", "vectors.parquet"), "parquet"),
        ("pyworld", ("anonymize", "absent", "out", "--method", "world"), "world"),
        ("soundfile", ("anonymize", "absent", "out", "--format", "flac"), "audio"),
        ("pocketsphinx", ("evaluate", "absent", "--anonymizer", "mcadams", "--asr", "sphinx"), "asr"),
        ("pyworld", ("evaluate", "absent", "--anonymizer", "world"), "world"),
    ],
)
def test_what_is_not_installed_is_missed_at_once(
    place: Path, monkeypatch: pytest.MonkeyPatch, missing: str, words: tuple[str, ...], extra: str
) -> None:
    take_away(monkeypatch, missing)
    done = CliRunner().invoke(group, list(words))
    assert isinstance(done.exception, MissingExtra), done.output
    assert f"pip install 'stripeless[{extra}]'" in str(done.exception)
    assert is_untouched(place)


@pytest.mark.parametrize("missing", ["torch", "safetensors"])
def test_an_hour_of_training_is_not_lost(place: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """The network is written with safetensors when it is trained: who lacks that learns it before."""
    take_away(monkeypatch, missing)
    words = ("--anonymizer", "mcadams", "--retrain", "network", "--training", "absent2")
    assert "pip install 'stripeless[torch]'" in refused("evaluate", "absent", *words)
    assert is_untouched(place)


def test_a_device_is_tried_where_something_is_trained(place: Path) -> None:
    pytest.importorskip("torch")
    assert "cannot be used here" in refused("protect", "absent.npz", "--device", "abacus")
    assert is_untouched(place)


def test_an_unknown_anonymizer_is_refused_at_once(place: Path) -> None:
    assert "magic" in refused("evaluate", "absent", "--anonymizer", "magic")
    assert is_untouched(place)


@pytest.mark.parametrize(
    "words",
    [
        ("protect", "absent.npz", "--method", "b1", "--out", "o.npz"),
        ("protect", "absent.npz", "--method", "b1", "--out", "o.npz", "--pool", "absent2.npz", "--set", "magic=1"),
        ("protect", "absent.npz", "--method", "b1", "--out", "o.npz", "--model", "file", "--set", "farthest=2"),
        ("protect", "absent.npz", "--method", "b1", "--pool", "absent2.npz"),
    ],
)
def test_pseudo_speakers_are_asked_for_as_they_can_be_made(place: Path, words: tuple[str, ...]) -> None:
    assert "absent" not in refused(*words)
    assert is_untouched(place)
