"""The networks that hear what is said and that say it again: their shapes, their laws, and NumPy against torch."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.audio.network_layers import NumpyOps
from stripeless.errors import InputError
from stripeless.synthesis.acoustic import AcousticModel, new_acoustic, pitch_inputs, spectrum
from stripeless.synthesis.content import (
    KINDS,
    PHONES,
    STATES,
    WIDTH,
    ContentModel,
    bottleneck,
    centered,
    heard,
    new_content,
    width,
)
from stripeless.synthesis.grid import BANDS, LEVEL, at_level, frame_count, level_of, log_mel
from stripeless.synthesis.voice import Parts

RATE = 16000


def mel(frames: int = 60, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(-6, 2, (frames, BANDS)).astype(np.float32)


def test_the_grid_counts_frames_and_finds_a_sine() -> None:
    time = np.arange(RATE) / RATE
    shown = log_mel(0.1 * np.sin(2 * np.pi * 1000 * time))
    assert shown.shape == (frame_count(RATE), BANDS) == (101, 80)
    middle = shown[50]
    assert np.exp(middle.max()) == pytest.approx(0.1, rel=0.5)
    assert middle.max() - np.sort(middle)[-12] > 2  # one line, not a plateau


def test_level_is_that_of_speech_not_of_pauses() -> None:
    rng = np.random.default_rng(0)
    loud = rng.normal(0, 0.2, RATE)
    paused = np.concatenate([loud, np.zeros(RATE // 2)])
    assert level_of(paused) == pytest.approx(0.2, rel=0.05)
    leveled, gain = at_level(paused)
    assert level_of(leveled) == pytest.approx(LEVEL)
    assert gain == pytest.approx(0.25, rel=0.05)
    assert at_level(np.zeros(1000))[1] == 1.0
    assert level_of(np.zeros(1000)) == 0.0


def test_content_does_not_hear_the_level_or_a_constant_filter() -> None:
    model = ContentModel(new_content(0))
    tilt = np.linspace(-2, 2, BANDS, dtype=np.float32)
    np.testing.assert_allclose(model.bottleneck(mel() + tilt + 1), model.bottleneck(mel()), atol=2e-4)


def test_posteriors_are_probabilities_of_phone_states() -> None:
    model = ContentModel(new_content(0))
    shown = model.posteriors(mel())
    assert shown.shape == (60, STATES)
    assert 3 * len(PHONES) == STATES
    np.testing.assert_allclose(shown.sum(axis=1), 1.0, rtol=1e-5)
    phones = model.features(mel(), "frames")
    assert phones.shape == (60, len(PHONES))
    np.testing.assert_allclose(phones.sum(axis=1), 1.0, rtol=1e-5)
    assert phones.max(axis=1).mean() > shown.reshape(60, -1, 3).sum(axis=-1).max(axis=1).mean()  # sharper
    assert model.features(mel(), "frames-bottleneck").shape == (60, WIDTH)


def test_frames_far_away_are_not_heard() -> None:
    weights = new_content(0)
    x = centered(mel(200))[None]
    changed = x.copy()
    changed[0, 150:] = 0
    before, after = (bottleneck(NumpyOps(), part, weights) for part in (x, changed))
    np.testing.assert_allclose(before[0, :100], after[0, :100], atol=1e-5)
    assert np.abs(before[0, 150:] - after[0, 150:]).max() > 0.1


def test_content_refuses_other_spectra() -> None:
    with pytest.raises(InputError, match="80 bands"):
        ContentModel(new_content(0)).bottleneck(np.zeros((10, 40), np.float32))


def test_pitch_is_bridged_where_there_is_none() -> None:
    inputs = pitch_inputs(np.array([0, 100, 0, 0, 200, np.nan]))
    assert inputs[:, 1].tolist() == [0, 1, 0, 0, 1, 0]
    assert np.all(np.diff(inputs[:, 0]) >= 0)
    assert inputs[0, 0] == inputs[1, 0]
    assert not pitch_inputs(np.zeros(5)).any()


@pytest.mark.parametrize("kind", KINDS)
def test_acoustic_model_depends_on_voice_pitch_and_content(kind: str) -> None:
    model = AcousticModel(new_acoustic(1, 12))
    rng = np.random.default_rng(0)
    content = rng.normal(size=(40, width(kind))).astype(np.float32)
    f0, voice = np.full(40, 120.0), np.eye(12)[0]
    shown = model.apply(content, f0, voice, kind)
    assert shown.shape == (40, BANDS)
    assert np.isfinite(shown).all()
    for other in (
        model.apply(content, f0 * 1.5, voice, kind),
        model.apply(content, f0, np.eye(12)[1], kind),
        model.apply(content[::-1], f0, voice, kind),
    ):
        assert np.abs(other - shown).max() > 1e-3


def test_acoustic_model_refuses_what_does_not_fit() -> None:
    model = AcousticModel(new_acoustic(1, 12))
    content = np.zeros((40, WIDTH), np.float32)
    with pytest.raises(InputError, match="12 numbers"):
        model.apply(content, np.zeros(40), np.zeros(11), "frames-bottleneck")
    with pytest.raises(InputError, match="one value per frame"):
        model.apply(content, np.zeros(39), np.zeros(12), "frames-bottleneck")


def test_spread_widens_around_the_mean_of_each_band() -> None:
    weights = new_acoustic(1, 4)
    content = np.random.default_rng(0).normal(size=(40, WIDTH)).astype(np.float32)
    plain = AcousticModel(weights).apply(content, np.full(40, 100.0), np.eye(4)[0], "frames-bottleneck")
    wide = AcousticModel({**weights, "spread": np.full(BANDS, 1.5, np.float32)}).apply(
        content, np.full(40, 100.0), np.eye(4)[0], "frames-bottleneck"
    )
    np.testing.assert_allclose(wide.mean(axis=0), plain.mean(axis=0), atol=1e-4)
    np.testing.assert_allclose(wide.std(axis=0), 1.5 * plain.std(axis=0), rtol=1e-3)


def test_torch_and_numpy_agree() -> None:
    torch = pytest.importorskip("torch")
    from stripeless.audio.network_layers import TorchOps

    content_weights, acoustic_weights = new_content(0), new_acoustic(1, 12)
    as_torch = [{k: torch.from_numpy(v) for k, v in w.items()} for w in (content_weights, acoustic_weights)]
    x, pitch, voice = (
        centered(mel())[None],
        pitch_inputs(np.full(60, 130.0))[None],
        np.eye(12, dtype=np.float32)[None, :1],
    )
    with torch.inference_mode():
        narrow = bottleneck(TorchOps(), torch.from_numpy(x), as_torch[0])
        states = heard(TorchOps(), narrow, as_torch[0])
        out = spectrum(
            TorchOps(), narrow, torch.from_numpy(pitch), torch.from_numpy(voice), as_torch[1], "frames-bottleneck"
        )
    own = bottleneck(NumpyOps(), x, content_weights)
    np.testing.assert_allclose(own, narrow.numpy(), atol=1e-4)
    np.testing.assert_allclose(heard(NumpyOps(), own, content_weights), states.numpy(), atol=1e-4)
    np.testing.assert_allclose(
        spectrum(NumpyOps(), own, pitch, voice, acoustic_weights, "frames-bottleneck"), out.numpy(), atol=1e-4
    )


def parts_of(phones: list[int], frames_each: int, kind: str = "frames") -> Parts:
    """So many frames of each phone in turn, at a falling pitch."""
    content = np.repeat(np.eye(len(PHONES), dtype=np.float32)[phones], frames_each, axis=0)
    count = len(content)
    return Parts(content, kind, np.linspace(200.0, 100.0, count), (count - 1) * 160, 0.05)


def test_tempo_counts_phones_and_is_reached() -> None:
    parts = parts_of([0, 1, 2, 3, 0, 4, 5, 0], 10)
    assert parts.tempo == pytest.approx(10.0)  # five phones in half a second of speech
    faster = parts.at_tempo(12.5)
    assert faster.tempo == pytest.approx(12.5, rel=0.05)
    assert faster.samples == pytest.approx(0.8 * parts.samples, abs=1)
    assert len(faster.content) == len(faster.f0) == frame_count(faster.samples)
    np.testing.assert_allclose(faster.f0[[0, -1]], [200.0, 100.0], rtol=0.02)
    assert parts.at_tempo(1000.0).samples == round(0.75 * parts.samples)  # no further than speech can bear


def test_tempo_of_silence_and_of_bottlenecks() -> None:
    silence = parts_of([0, 0], 10)
    assert silence.tempo == 0.0
    assert silence.at_tempo(10.0) is silence
    with pytest.raises(InputError, match="counted in phones"):
        _ = parts_of([1], 10, "frames-bottleneck").tempo


def test_smoothing_takes_ripples_and_leaves_phrases() -> None:
    parts = parts_of([1, 2, 3, 4, 5], 40)
    time = np.arange(len(parts.f0)) / 100
    phrase, ripple = 120 * np.exp(-0.1 * time), np.exp(0.05 * np.sin(2 * np.pi * 6 * time))
    parts.f0[:] = phrase * ripple
    parts.f0[50:60] = 0.0
    smooth = parts.smoothed().f0
    voiced = smooth > 0
    assert not voiced[50:60].any()
    assert np.abs(np.log(smooth[voiced] / phrase[voiced]))[60:-60].max() < 0.012
    assert np.std(np.log(parts.f0[voiced] / phrase[voiced])) > 0.03


def test_pitch_moves_to_median_and_spread_and_pauses_stay() -> None:
    parts = parts_of([1, 2, 3], 20)
    parts.f0[5:9] = 0.0
    moved = parts.at_pitch(220.0, 0.1)
    voiced = moved.f0 > 0
    assert not voiced[5:9].any()
    assert voiced.sum() == 56
    assert np.median(moved.f0[voiced]) == pytest.approx(220.0, rel=1e-4)
    assert np.log(moved.f0[voiced]).std() == pytest.approx(0.1, rel=0.02)
    assert np.corrcoef(moved.f0[voiced], parts.f0[voiced])[0, 1] > 0.99
