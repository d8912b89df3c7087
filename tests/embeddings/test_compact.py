"""The compact encoder: the same in NumPy and torch, whole without torch, deaf to loudness, and it knows people."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from stripeless.audio.corpus import Corpus, with_trials
from stripeless.audio.network_layers import NumpyOps, TorchOps
from stripeless.audio.synthetic_voice import speak, synthetic_corpus, synthetic_speaker
from stripeless.embeddings.encoders.catalog import installed_encoders, make_encoder
from stripeless.embeddings.encoders.compact import WEIGHTS, CompactEncoder, compact, compact_frames, new_compact
from stripeless.embeddings.safetensors_file import read_safetensors
from stripeless.errors import FileError, MissingExtra
from stripeless.measures.eer import eer

VOICE = speak(synthetic_speaker(3), "one two three four").samples


def test_numpy_equals_torch() -> None:
    torch = pytest.importorskip("torch")
    weights = read_safetensors(WEIGHTS)[0]
    frames = np.stack([compact_frames(VOICE)[:90], compact_frames(VOICE)[20:110]])
    ours = compact(NumpyOps(), frames, weights)
    tensors = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
    theirs = compact(TorchOps(), torch.from_numpy(frames), tensors).numpy()
    np.testing.assert_allclose(ours, theirs, atol=2e-4 * np.abs(theirs).max())


def test_it_is_small_and_says_where_it_is_from() -> None:
    tensors, about = read_safetensors(WEIGHTS)
    assert set(tensors) == {*new_compact(0), "mean"}
    assert sum(tensor.size for tensor in tensors.values()) < 1.5e6
    assert WEIGHTS.stat().st_size < 3e6
    assert {"command", "data", "seed", "teacher", "versions"} <= set(about)


def test_it_needs_no_torch() -> None:
    code = (
        "import sys\n"
        "class Without:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('torch', 'safetensors', 'onnxruntime'): raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Without())\n"
        "from stripeless.embeddings.encoders.catalog import make_encoder\n"
        "from stripeless.audio.synthetic_voice import speak, synthetic_speaker\n"
        "vector = make_encoder('compact').embed(speak(synthetic_speaker(3), 'one two three four').samples)\n"
        "print(len(vector), float(vector[0]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    length, first = done.stdout.split()
    assert int(length) == 192
    assert float(first) == pytest.approx(float(CompactEncoder().embed(VOICE)[0]), abs=1e-5)


def test_the_same_sound_gives_the_same_vector_of_length_one() -> None:
    one, two = CompactEncoder().embed(VOICE), CompactEncoder().embed(VOICE)
    assert np.array_equal(one, two)
    assert one.dtype == np.float32
    assert np.linalg.norm(one) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("gain", [0.03, 4.0])
def test_loudness_does_not_matter(gain: float) -> None:
    np.testing.assert_allclose(CompactEncoder().embed(gain * VOICE), CompactEncoder().embed(VOICE), atol=1e-4)


@pytest.mark.parametrize("samples", [np.zeros(16000), VOICE[:1600], VOICE[4000:4399]], ids=["silent", "0.1 s", "25 ms"])
def test_little_or_no_sound_still_gives_numbers(samples: np.ndarray) -> None:
    vector = CompactEncoder().embed(samples)
    assert vector.shape == (192,)
    assert np.isfinite(vector).all()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="install stripeless again"):
        CompactEncoder(tmp_path / "encoder.safetensors")


def test_it_is_the_fallback_of_a_plain_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stripeless.embeddings.encoders.catalog.find_spec", lambda name: None)
    assert installed_encoders() == ["compact", "statistics"]


def test_synthetic_voices_are_told_apart(tmp_path: Path) -> None:
    """Better than chance (0.5), though the network has heard people only."""
    corpus = synthetic_corpus(tmp_path, speakers=12, utterances=6, digits=4)
    assert np.mean(list(rates(CompactEncoder(), corpus).values())) < 0.4


def rates(encoder: object, corpus: Corpus) -> dict[str, float]:
    """EER by sex of cosines of mean enrollment vectors with trial vectors."""
    vectors = {u.name: encoder.embed(u.read().samples) for u in corpus.utterances}  # type: ignore[attr-defined]
    corpus = with_trials(corpus)
    models = {
        s: np.mean([vectors[u.name] for u in corpus.of_speaker(s) if u.name in corpus.enrollment], axis=0)
        for s in corpus.speakers
    }
    sexes = {u.speaker: u.sex for u in corpus.utterances}
    found = {}
    for sex in sorted(set(sexes.values())):
        trials = [t for t in corpus.trials if sexes[t.enrolled] == sex]
        model, said = (
            np.stack(rows) for rows in zip(*((models[t.enrolled], vectors[t.utterance]) for t in trials), strict=True)
        )
        scores = (model * said).sum(axis=1) / np.linalg.norm(model, axis=1) / np.linalg.norm(said, axis=1)
        target = np.array([t.target for t in trials])
        found[sex] = eer(scores[target], scores[~target])
    return found


def divided() -> ModuleType:
    """scripts/voice/corpus.py: who was kept out of every training."""
    spec = importlib.util.spec_from_file_location("voice_corpus", Path(__file__).parents[2] / "scripts/voice/corpus.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_people_it_never_heard_are_told_apart_digits(digits: Path) -> None:
    found = rates(CompactEncoder(), divided().held_out_part(digits.parent, "digits"))
    assert max(found.values()) < 0.06


def test_people_it_never_heard_are_told_apart_libri(libri251: Path) -> None:
    corpus = divided().held_out_part(libri251.parent, "libri251")
    found = rates(CompactEncoder(), corpus)
    plain = rates(make_encoder("statistics"), corpus)
    assert max(found.values()) < 0.12
    assert all(found[sex] < plain[sex] for sex in found)


def test_it_finds_alike_whom_its_teacher_finds_alike(libri251: Path) -> None:
    pytest.importorskip("torch")
    try:
        teacher = make_encoder("campplus")
    except MissingExtra as error:
        pytest.skip(str(error))
    chosen = divided().held_out_part(libri251.parent, "libri251").utterances[::2]
    pairs = np.triu_indices(len(chosen), 1)
    similar = []
    for encoder in (teacher, CompactEncoder(), make_encoder("statistics")):
        vectors = np.stack([encoder.embed(u.read().samples) for u in chosen])
        vectors = vectors - vectors.mean(axis=0)
        similar.append(np.corrcoef(vectors)[pairs])
    ours, plain = (float(np.corrcoef(similar[0], other)[0, 1]) for other in similar[1:])
    assert ours > 0.35
    assert ours > plain + 0.1
