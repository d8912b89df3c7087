"""Recognizers and encoders of others: what is asked of them, and what a user reads when they are not there.

SpeechBrain and whisper cannot be had on every machine that runs these tests, so stand-ins with their interface take their place:
this holds our side of the door, not theirs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stripeless.audio.corpus import Utterance
from stripeless.audio.recordings import Recording, write_recording
from stripeless.embeddings.encoders.catalog import make_encoder
from stripeless.errors import FileError, InputError, MissingExtra
from stripeless.recognizers import transcribe
from stripeless.recognizers.transcribe import Transcriber


@pytest.fixture
def utterance(tmp_path: Path) -> Utterance:
    write_recording(tmp_path / "a.wav", Recording(0.1 * np.sin(np.arange(16000) * 0.1), 16000))
    return Utterance("a", tmp_path / "a.wav", "anna")


def stand_in(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    for part in [name.rsplit(".", depth)[0] for depth in range(name.count("."), -1, -1)]:
        module = ModuleType(part)
        monkeypatch.setitem(sys.modules, part, module)
    for key, value in content.items():
        setattr(sys.modules[name], key, value)


def test_whisper_gets_16_khz_floats_and_the_model_that_was_named(
    monkeypatch: pytest.MonkeyPatch, utterance: Utterance
) -> None:
    asked: list[Any] = []

    def heard(samples: np.ndarray, **settings: Any) -> dict[str, str]:
        asked.append((samples.dtype, len(samples), settings["temperature"]))
        return {"text": " One two. "}

    stand_in(monkeypatch, "whisper", load_model=lambda name: asked.append(name) or SimpleNamespace(transcribe=heard))
    transcribe.whisper.cache_clear()
    assert Transcriber("whisper")(utterance) == "One two."
    assert Transcriber("whisper:/models/own.pt")(utterance) == "One two."
    assert asked == ["base.en", (np.float32, 16000, 0.0), "/models/own.pt", (np.float32, 16000, 0.0)]
    transcribe.whisper.cache_clear()


def test_a_whisper_model_that_cannot_be_had_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, utterance: Utterance
) -> None:
    def no_network(name: str) -> None:
        raise OSError("no route to host\nmore")

    stand_in(monkeypatch, "whisper", load_model=no_network)
    transcribe.whisper.cache_clear()
    with pytest.raises(InputError, match=r"'base.en' cannot be loaded \(no route to host\); .*--asr whisper:PATH"):
        Transcriber("whisper")(utterance)


def test_recognizers_that_are_missing_or_misspelled(monkeypatch: pytest.MonkeyPatch, utterance: Utterance) -> None:
    monkeypatch.setitem(sys.modules, "whisper", None)
    transcribe.whisper.cache_clear()
    with pytest.raises(MissingExtra, match="whisper"):
        Transcriber("whisper")(utterance)
    for wrong in ("wisper", "sphinx:x", "whisper:"):
        with pytest.raises(InputError, match="recognizer: expected one of"):
            Transcriber(wrong)


def test_the_cache_knows_recognizers_apart_and_never_leaves_its_folder(tmp_path: Path) -> None:
    (tmp_path / "m.pt").write_bytes(b"one")
    first = Transcriber(f"whisper:{tmp_path}/m.pt").identity
    (tmp_path / "m.pt").write_bytes(b"two")
    identities = {first, Transcriber(f"whisper:{tmp_path}/m.pt").identity, Transcriber("whisper").identity,
                  Transcriber("whisper:../../x").identity, Transcriber("sphinx").identity}  # fmt: skip
    assert len(identities) == 5
    assert not any("/" in identity or ".." in identity for identity in identities)


def test_a_speechbrain_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    (tmp_path / "hyperparams.yaml").write_text("a: 1")
    encoder = make_encoder(str(tmp_path))
    monkeypatch.setitem(sys.modules, "speechbrain", None)
    with pytest.raises(MissingExtra, match=r"stripeless\[speechbrain\]"):
        encoder.embed(np.zeros(16000))
    asked: list[Any] = []

    class Classifier:
        @staticmethod
        def from_hparams(**settings: str) -> Any:
            asked.append(settings)
            return SimpleNamespace(encode_batch=lambda x: x[:, None, :3] * 2)

    stand_in(monkeypatch, "speechbrain.inference.speaker", EncoderClassifier=Classifier)
    vector = encoder.embed(np.arange(16000.0))
    assert (vector.dtype, vector.tolist()) == (np.float32, [0.0, 2.0, 4.0])
    assert asked == [{"source": str(tmp_path), "savedir": str(tmp_path)}]
    assert torch is not None


def test_a_broken_speechbrain_folder_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "hyperparams.yaml").write_text("a: 1")

    class Classifier:
        @staticmethod
        def from_hparams(**settings: str) -> Any:
            raise ValueError("no embedding_model.ckpt")

    stand_in(monkeypatch, "speechbrain.inference.speaker", EncoderClassifier=Classifier)
    with pytest.raises(FileError, match=r"SpeechBrain speaker encoder \(no embedding_model.ckpt\)"):
        make_encoder(str(tmp_path)).embed(np.zeros(16000))


ENCODER = """# Feature parameters
n_mels: 80
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>
embedding_model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN
    input_size: !ref <n_mels>
    channels: [1024, 1024]
    activation: !name:torch.nn.LeakyReLU
    lin_neurons: 192
modules:
    compute_features: !ref <compute_features>
pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
    paths:
        embedding_model: !ref <pretrained_path>/embedding_model.ckpt
"""


@pytest.mark.parametrize(
    "line",
    ["x: !apply:os.system [touch /tmp/x]", "x: !new:os.system [touch]", "x: !name:os.system", "x: !module:os",
     "x: !new:speechbrain.utils.superpowers.run_shell", "x: !new:speechbrain.lobes.features.Fbank.os.system [id]",
     "x: !include:/etc/passwd", "x: !applyref:os.system", "x: !new:speechbrain.lobes.features.Fbank%2Eos",
     "%TAG !e! !apply:\n---\nx: !e!os.system [id]", "x: !<!apply:os.system> [id]", "x: !!python/object/apply:os.system [id]",
     "# a comment\rx: !apply:os.system [id]", "# a comment\u2028x: !apply:os.system [id]",
     "# a comment\x85x: !apply:os.system [id]", r'x: "\x21apply:os.system [id]"',
     'x: "# no comment" \ny: !apply:os.system [id]', "x: {!apply:os.system [id]: 1}", "- !new:torch.nn.LeakyReLUx",
     'x: ["a\n#b", !apply:os.system [id]]', "x: ['a\n  # b', !apply:os.system [id]]", "x: [a\u2028#b, !apply:os.system [id]]",
     'x: |\n  a\n#b\ny: ["a\n # b", !apply:os.system [id]]', "x: !<!apply:os.system\n  > [id]", "# !apply:os.system",
     "x: !new:torch.nn.ReLU(os)", "x: !new:torch.nn.ReLU\u3000", "x: !!ref <n_mels>", "x: !copy <n_mels>", "x: !tuple (1, 2)",
     "x: !ref <n_mels.__class__>", "x: <n_mels.__class__>", 'x: "<n_mels"\ny: !ref "<x>.__class__>"',
     "x: <n_mels>", "x: !ref <n_mels><n_mels>", "x: &a {b: 1}\ny: {<<: *a}", "%YAML 1.1",
     """x: !ref "'(%c%%cpython/object/apply:os.system [id])' % <n_mels> % <n_mels>\"""",
     """x: !ref '"(\\41\\41python/object/apply:os.system [id])"*<n_mels>'"""],
)  # fmt: skip
def test_what_a_description_of_a_model_names_is_not_run(line: str, tmp_path: Path) -> None:
    (tmp_path / "hyperparams.yaml").write_bytes(f"{ENCODER}{line}\n".encode())
    with pytest.raises(FileError, match=r"hyperparams\.yaml: holds .*are let through"):
        make_encoder(str(tmp_path))


def test_the_description_of_a_speaker_encoder_is_let_through_and_a_program_beside_it_is_not(tmp_path: Path) -> None:
    (tmp_path / "hyperparams.yaml").write_text(ENCODER)
    assert make_encoder(str(tmp_path)).name == tmp_path.name
    (tmp_path / "custom.py").write_text("raise SystemExit")
    with pytest.raises(FileError, match=r"custom\.py: is a program beside a model"):
        make_encoder(str(tmp_path))


def test_checkpoints_of_a_model_come_from_its_folder_and_from_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Descriptions of published models name a hub, where SpeechBrain looks for newer ones even if they lie here."""
    pytest.importorskip("torch")
    (tmp_path / "hyperparams.yaml").write_text(f"pretrained_path: speechbrain/spkrec\n{ENCODER}")
    (tmp_path / "embedding_model.ckpt").write_bytes(b"1")
    asked: list[Any] = []

    class Classifier:
        @staticmethod
        def from_hparams(**settings: Any) -> Any:
            asked.append(settings)
            if len(asked) > 1:
                (tmp_path / "classifier.ckpt").write_bytes(b"2")
            return SimpleNamespace(encode_batch=lambda x: x[:, None, :3])

    stand_in(monkeypatch, "speechbrain.inference.speaker", EncoderClassifier=Classifier)
    fetching = ModuleType("speechbrain.utils.fetching")
    fetching.FetchConfig = dict  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "speechbrain.utils", ModuleType("speechbrain.utils"))
    monkeypatch.setitem(sys.modules, "speechbrain.utils.fetching", fetching)
    make_encoder(str(tmp_path)).embed(np.zeros(16000))
    assert asked[0]["overrides"] == {"pretrained_path": str(tmp_path)}
    assert asked[0]["fetch_config"] == {"allow_network": False, "allow_updates": False}
    with pytest.raises(FileError, match=r"classifier\.ckpt: was brought from elsewhere"):
        make_encoder(str(tmp_path)).embed(np.zeros(16000))
