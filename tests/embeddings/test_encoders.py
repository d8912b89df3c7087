"""Encoders: spectra against known answers, vectors that tell speakers apart, weights that are never executed, the cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stripeless.audio.corpus import Corpus
from stripeless.audio.corpus_files import read_corpus
from stripeless.audio.recordings import Recording, write_recording
from stripeless.audio.synthetic_voice import speak, synthetic_corpus, synthetic_speaker
from stripeless.embeddings.encoders.catalog import best_encoder, make_encoder
from stripeless.embeddings.encoders.encoder import load_weights
from stripeless.embeddings.encoders.noise_floor import NoiseFloorEncoder
from stripeless.embeddings.encoders.spectra import kaldi_filterbank, kaldi_mel, mel_power, slaney_mel
from stripeless.embeddings.encoders.statistics import StatisticsEncoder
from stripeless.embeddings.extract import extract_embeddings
from stripeless.errors import FileError, InputError, MissingExtra

TONE = 0.1 * np.sin(2 * np.pi * 1000 * np.arange(16000) / 16000)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def network(name: str) -> object:
    pytest.importorskip("torch")
    try:
        return make_encoder(name)
    except MissingExtra as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def voices(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return synthetic_corpus(tmp_path_factory.mktemp("voices"), speakers=6, utterances=4, digits=4)


def test_filterbanks_peak_where_the_tone_is() -> None:
    centers = 700 * np.expm1(np.linspace(*(1127 * np.log1p(np.array([20, 8000]) / 700)), 82)[1:-1] / 1127)
    assert centers[kaldi_filterbank(TONE).mean(axis=0).argmax()] == pytest.approx(1000, rel=0.05)
    assert slaney_mel(40, 400)[mel_power(TONE).mean(axis=0).argmax()].argmax() * 40 == pytest.approx(1000, abs=60)
    assert kaldi_filterbank(TONE).shape == (98, 80)
    assert mel_power(TONE).shape == (101, 40)


def test_mel_triangles_have_known_areas() -> None:
    """Slaney's have unit area in Hz; Kaldi's neighbors add up to one between the first and the last center."""
    areas = slaney_mel(10, 4000).sum(axis=1) * 4
    np.testing.assert_allclose(areas, 1.0, rtol=0.02)
    total = kaldi_mel(20).sum(axis=0)
    np.testing.assert_allclose(total[10:200], 1.0, atol=1e-9)


@pytest.mark.parametrize("gain", [0.1, 2.0])
def test_loudness_does_not_change_the_statistics(gain: float) -> None:
    voice = speak(synthetic_speaker(1), "one two three").samples
    one, two = (StatisticsEncoder().embed(samples) for samples in (voice, gain * voice))
    np.testing.assert_allclose(one, two, atol=1e-3)


@pytest.mark.parametrize("name", ["statistics", "compact", "ge2e", "campplus"])
def test_the_same_speaker_is_nearer_than_others(name: str, voices: Corpus) -> None:
    encoder = make_encoder(name) if name in ("statistics", "compact") else network(name)
    vectors = np.stack([encoder.embed(u.read().samples) for u in voices.utterances])  # type: ignore[attr-defined]
    vectors = (vectors - vectors.mean(axis=0)) / (vectors.std(axis=0) + 1e-9)
    speakers = np.array([u.speaker for u in voices.utterances])
    similarity = np.corrcoef(vectors)
    same = speakers[:, None] == speakers
    off = ~np.eye(len(speakers), dtype=bool)
    assert similarity[same & off].mean() > similarity[~same].mean() + 0.3


def test_noise_floor_hears_the_room_not_the_voice() -> None:
    rng = np.random.default_rng(0)
    voice = speak(synthetic_speaker(1), "one two three four").samples
    other = speak(synthetic_speaker(2), "five six seven eight").samples
    hum = 0.002 * np.sin(2 * np.pi * 400 * np.arange(200000) / 16000)
    hiss = 0.002 * rng.standard_normal(200000)
    encoder = NoiseFloorEncoder()
    a, b = encoder.embed(voice + hum[: len(voice)]), encoder.embed(other + hum[: len(other)])
    c = encoder.embed(voice + hiss[: len(voice)])
    assert cosine(a, b) > cosine(a, c) + 0.05


def test_campplus_equals_the_network_that_comes_with_the_weights(voices: Corpus) -> None:
    """Golden: against the module file inside the package, loaded by itself; it ends in a rectifier, ours does not."""
    encoder = network("campplus")
    torch = pytest.importorskip("torch")
    import importlib.util

    source = encoder.path.parents[2] / "camplusplus.py"  # type: ignore[attr-defined]
    spec = importlib.util.spec_from_file_location("campplus_reference", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    theirs = module.CAMPPlus(embedding_size=192)
    theirs.load_state_dict(encoder.weights)  # type: ignore[attr-defined]
    theirs.eval()
    samples = voices.utterances[0].read().samples
    features = kaldi_filterbank(samples)
    features = (features - features.mean(axis=0)).astype(np.float32)
    with torch.inference_mode():
        expected = theirs(torch.from_numpy(features[None]))[0].numpy()
    ours = np.maximum(encoder.embed(samples), 0)  # type: ignore[attr-defined]
    np.testing.assert_allclose(ours, expected, atol=1e-4)


def test_pickled_code_is_never_run(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (tmp_path / "sprung",))  # type: ignore[return-value]

    torch.save({"model": Trap()}, tmp_path / "trap.pt")
    with pytest.raises(FileError, match="loaded safely"):
        load_weights(tmp_path / "trap.pt")
    assert not (tmp_path / "sprung").exists()


def test_unknown_encoders_are_named() -> None:
    with pytest.raises(InputError, match="campplus, ge2e, compact, statistics"):
        make_encoder("magic")
    with pytest.raises(FileError, match="does not exist"):
        make_encoder("nowhere.onnx")
    assert make_encoder(best_encoder()).name


def test_a_broken_onnx_file_is_named(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    (tmp_path / "bad.onnx").write_bytes(b"no model")
    with pytest.raises(FileError, match="cannot be loaded"):
        make_encoder(str(tmp_path / "bad.onnx")).embed(TONE)


def exported(path: Path, function: object, example: tuple[int, ...], dynamic: dict[int, str]) -> Path:
    """A function of a tensor as an ONNX model."""
    import warnings

    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx", reason="writing an ONNX model needs onnx")

    class Module(torch.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x: object) -> object:
            return function(x)  # type: ignore[operator]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(Module().eval(), torch.randn(*example), str(path), input_names=["x"], output_names=["y"],
                          dynamic_axes={"x": dynamic}, opset_version=17, dynamo=False)  # fmt: skip
    return path


@pytest.mark.parametrize("shape", ["samples", "frames", "bins"])
def test_an_onnx_model_gets_what_its_input_asks_for(tmp_path: Path, shape: str) -> None:
    """Models whose vector is known: mean power of the samples; mean filterbanks, which are taken out before."""
    voice = speak(synthetic_speaker(1), "one two").samples
    if shape == "samples":
        path = exported(tmp_path / "m.onnx", lambda x: (x * x).mean(1, keepdim=True), (1, 900), {1: "n"})
        np.testing.assert_allclose(make_encoder(str(path)).embed(voice), [np.mean(voice**2)], rtol=1e-4)
        return
    example, axis = ((1, 90, 40), 1) if shape == "frames" else ((1, 40, 90), 2)
    path = exported(tmp_path / "m.onnx", lambda x: (x * x).mean(axis), example, {axis: "n"})
    features = kaldi_filterbank(voice, 40)
    np.testing.assert_allclose(make_encoder(str(path)).embed(voice), features.var(axis=0), rtol=1e-3)


def test_an_onnx_model_that_is_no_speaker_encoder_is_refused(tmp_path: Path) -> None:
    fixed = exported(tmp_path / "fixed.onnx", lambda x: x.mean(1), (1, 123, 80), {})
    with pytest.raises(FileError, match=r"cannot take an input of shape \(1, 98, 80\)"):
        make_encoder(str(fixed)).embed(TONE)
    flat = exported(tmp_path / "flat.onnx", lambda x: x * 2, (1, 100), {1: "n"})
    with pytest.raises(FileError, match="gives 16000 numbers"):
        make_encoder(str(flat)).embed(TONE)
    deep = exported(tmp_path / "deep.onnx", lambda x: x.mean(3), (1, 3, 100, 80), {2: "n"})
    with pytest.raises(FileError, match="expected"):
        make_encoder(str(deep)).embed(TONE)


@pytest.mark.slow
def test_campplus_in_an_onnx_file_is_campplus(tmp_path: Path, voices: Corpus) -> None:
    """A real network through the door for any model: 80 filterbanks in, the same vector out."""
    encoder = network("campplus")
    from stripeless.embeddings.encoders.campplus import Layers

    layers = Layers(encoder.weights)  # type: ignore[attr-defined]
    path = exported(tmp_path / "c.onnx", lambda x: layers.run(x.transpose(1, 2)[:, None]), (1, 331, 80), {1: "n"})
    other = make_encoder(str(path))
    for utterance in voices.utterances[:3]:
        samples = utterance.read().samples
        expected = encoder.embed(samples)  # type: ignore[attr-defined]
        np.testing.assert_allclose(other.embed(samples), expected, atol=1e-4)
    assert (other.embed(TONE[:4000]) != other.embed(TONE)).any()


def test_the_cache_is_keyed_by_content(voices: Corpus, tmp_path: Path) -> None:
    corpus = voices.subset(voices.speakers[:2])
    first = extract_embeddings(corpus, StatisticsEncoder(), cache=tmp_path)
    again = extract_embeddings(corpus, StatisticsEncoder(), cache=tmp_path)
    assert (first.computed, first.cached, again.computed, again.cached) == (8, 0, 0, 8)
    assert np.array_equal(first.embeddings.vectors, again.embeddings.vectors)
    assert extract_embeddings(corpus, NoiseFloorEncoder(), cache=tmp_path).cached == 0
    # the same name and date with other content is computed anew
    path = corpus.utterances[0].path
    before = path.read_bytes()
    write_recording(path, Recording(TONE, 16000))
    changed = extract_embeddings(corpus, StatisticsEncoder(), cache=tmp_path)
    path.write_bytes(before)
    assert (changed.computed, changed.cached) == (1, 7)
    assert not np.array_equal(changed.embeddings.vectors[0], first.embeddings.vectors[0])


def test_a_cache_file_cut_short_is_computed_again(voices: Corpus, tmp_path: Path) -> None:
    corpus = voices.subset(voices.speakers[:1])
    first = extract_embeddings(corpus, StatisticsEncoder(), cache=tmp_path)
    for path in tmp_path.rglob("*.npy"):
        path.write_bytes(path.read_bytes()[:40])
    again = extract_embeddings(corpus, StatisticsEncoder(), cache=tmp_path)
    assert again.computed == 4
    assert np.array_equal(first.embeddings.vectors, again.embeddings.vectors)


def test_workers_do_not_change_the_vectors(voices: Corpus) -> None:
    one = extract_embeddings(voices, NoiseFloorEncoder())
    two = extract_embeddings(voices, NoiseFloorEncoder(), workers=2)
    assert np.array_equal(one.embeddings.vectors, two.embeddings.vectors)
    assert one.embeddings.utterances == two.embeddings.utterances


def test_our_network_learns_speakers_and_survives_the_disk(voices: Corpus, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    from stripeless.embeddings.encoders.xvector import NetworkTraining, fit_xvector, read_xvector, write_xvector

    recordings = [u.read().samples for u in voices.utterances]
    speakers = [u.speaker for u in voices.utterances]
    small = NetworkTraining(epochs=16, batch=16, piece=60, channels=24, dimension=16, speeds=(1.0,), noise=0.2)
    encoder, run = fit_xvector(recordings, speakers, small)
    assert run.accuracy[-1] > 0.6 > 2 / 6
    assert run.loss[-1] < run.loss[0]
    same, _ = fit_xvector(recordings, speakers, small)
    assert np.array_equal(encoder.embed(recordings[0]), same.embed(recordings[0]))
    write_xvector(tmp_path / "net.safetensors", encoder)
    again = read_xvector(tmp_path / "net.safetensors")
    np.testing.assert_allclose(again.embed(recordings[0]), encoder.embed(recordings[0]), atol=1e-6)
    (tmp_path / "bad.safetensors").write_bytes(b"nothing")
    with pytest.raises(FileError, match="no network"):
        read_xvector(tmp_path / "bad.safetensors")


def test_real_voices_are_told_apart(digits: Path) -> None:
    encoder = network("ge2e")
    corpus = read_corpus(digits)
    chosen = [corpus.of_speaker(speaker)[k] for speaker in corpus.speakers[:4] for k in (0, 9)]
    vectors = np.stack([encoder.embed(u.read().samples) for u in chosen])  # type: ignore[attr-defined]
    similarity = vectors @ vectors.T
    for k in range(0, 8, 2):
        assert similarity[k].argsort()[-2] == k + 1


def test_speeds_make_other_people_and_noise_lies_where_it_was_put() -> None:
    pytest.importorskip("torch")
    from stripeless.embeddings.encoders.xvector import at_speeds, piece, spectrum_of

    slow, same, fast = at_speeds(TONE, (0.9, 1.0, 1.1))
    assert [len(slow), len(fast)] == [round(16000 / 0.9 + 0.5), round(16000 / 1.1 + 0.5)]
    assert same is TONE
    for samples, frequency in ((slow, 900), (fast, 1100)):
        spectrum = np.abs(np.fft.rfft(samples[2000:12000], 16000))
        assert spectrum.argmax() == pytest.approx(frequency, abs=2)
    voice = spectrum_of(speak(synthetic_speaker(1), "one two three four").samples)

    def added(seed: int) -> float:
        """Energy that noise put in, relative to the speech, from pieces cut alike."""
        parts = [piece(voice, voice.shape[1], np.random.default_rng(seed), share) for share in (0.0, 1.0)]
        assert all(part.shape == voice.shape for part in parts)
        return float(np.median(parts[1].std(axis=1) / np.maximum(parts[0].std(axis=1), 1e-6)))

    shrunk = [added(seed) for seed in range(20)]
    assert 0.3 < np.median(shrunk) < 0.95  # noise fills the valleys


def test_a_gpu_is_taken_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from stripeless.embeddings.encoders.xvector import usual_training

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert usual_training(epochs=3, seed=5).device == "cuda"
    assert usual_training().channels > 128
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert usual_training(epochs=3, seed=5).device == ""
