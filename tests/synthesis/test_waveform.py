"""The waveform model: what goes in as mel, F0 and voice comes out as sound with that spectrum and that melody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import RATE
from stripeless.audio.synthetic_voice import speak, synthetic_speaker
from stripeless.embeddings.safetensors_file import write_safetensors
from stripeless.errors import FileError, InputError, NotANumber
from stripeless.synthesis import waveform
from stripeless.synthesis.excitation import excitation
from stripeless.synthesis.filters import between, centers, filtered, minimum_phase, spectra
from stripeless.synthesis.grid import BANDS, HOP, SIZE, at_level, frame_count, log_mel
from stripeless.synthesis.spectral_ops import SpectralNumpyOps
from stripeless.synthesis.waveform import (
    SHIPPED,
    WaveformModel,
    described,
    drawn_weights,
    gains,
    read_waveform_model,
    sound,
)

OPS = SpectralNumpyOps()
SECOND = 16000
FRAMES = frame_count(SECOND)


def tiny(seed: int = 0, lean: float = 0.0) -> WaveformModel:
    """A small network drawn at random; `lean` favors pulses over noise, in nepers."""
    weights = drawn_weights(4, seed, channels=8, dilations=(1, 2))
    weights["out.bias"] = np.repeat(np.float32([lean, -lean]), BANDS)
    return WaveformModel(weights)


def say(model: WaveformModel, f0: float, level: float = -5.0, seed: int = 0) -> np.ndarray:
    return model.apply(np.full((FRAMES, BANDS), level), np.full(FRAMES, f0), np.eye(4)[0], SECOND, seed)


def lines(samples: np.ndarray, f0: float) -> float:
    """Share of power within 15 Hz of multiples of F0, from 50 Hz to 4 kHz."""
    inner = samples[1600:14400]
    power = np.abs(np.fft.rfft(inner * np.hanning(len(inner)))) ** 2
    hz = np.fft.rfftfreq(len(inner), 1 / RATE)
    heard = (hz > 50) & (hz < 4000)
    near = np.abs(hz - f0 * np.round(hz / f0)) < 15
    return float(power[heard & near].sum() / power[heard].sum())


@pytest.mark.parametrize("f0", [80.0, 123.4, 210.0, 400.0])
def test_a_constant_f0_gives_lines_at_its_multiples(f0: float) -> None:
    assert lines(say(tiny(lean=3.0), f0), f0) > 0.99


def test_frames_without_voice_have_no_lines() -> None:
    voiced, unvoiced = say(tiny(), 123.4), say(tiny(), 0.0)
    by_chance = 2 * 15 / 123.4
    assert abs(lines(unvoiced, 123.4) - by_chance) < 0.06
    assert lines(voiced, 123.4) > by_chance + 0.2


def test_noise_is_as_loud_as_the_mel_spectrum_says() -> None:
    flat = WaveformModel({**tiny().weights, "out.weight": np.zeros((1, 8, 2 * BANDS), np.float32)})
    heard = log_mel(say(flat, 0.0))[5:-5]
    assert (
        np.abs(heard.mean(axis=0)[5:] + 5.0).max() < 0.35
    )  # the mean of a logarithm, of few bins, lies a little lower
    assert abs(float(np.log(np.exp(heard).mean())) + 5.0) < 0.03


@pytest.mark.parametrize("f0", [90.0, 150.0, 230.0])
def test_the_melody_is_the_one_given(f0: float) -> None:
    glide = f0 * 2 ** (0.3 * np.sin(np.arange(FRAMES) / 12))
    made = tiny(lean=1.5).apply(np.tile(-4 - 0.04 * np.arange(BANDS), (FRAMES, 1)), glide, np.eye(4)[0], SECOND)
    heard = pitch_track(made, RATE)[5:-5]
    assert (heard > 0).all()
    assert np.abs(np.log2(heard / glide[5:-5])).max() < 0.03


def test_silence_stays_silence() -> None:
    assert np.abs(say(tiny(), 120.0, level=-11.5)).max() < 2e-3
    assert np.abs(say(tiny(), 0.0, level=-11.5)).max() < 2e-3


@pytest.mark.parametrize("samples", [1, 159, 160, 161, 4801])
def test_as_many_samples_as_asked_for(samples: int) -> None:
    frames = frame_count(samples)
    made = tiny().apply(np.full((frames, BANDS), -6.0), np.full(frames, 100.0), np.eye(4)[0], samples)
    assert made.shape == (samples,)
    assert np.isfinite(made).all()


def test_same_seed_same_samples() -> None:
    assert (say(tiny(), 120.0, seed=3) == say(tiny(), 120.0, seed=3)).all()
    assert np.abs(say(tiny(), 120.0, seed=3) - say(tiny(), 120.0, seed=4)).max() > 1e-3


def test_the_voice_shows() -> None:
    mel, f0 = np.full((FRAMES, BANDS), -5.0), np.full(FRAMES, 100.0)
    first, second = (tiny().apply(mel, f0, voice, SECOND) for voice in np.eye(4)[:2])
    assert np.abs(first - second).max() > 1e-4


def test_long_recordings_in_blocks_sound_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    weights = {**drawn_weights(4, 0, channels=8), "out.bias": random.normal(0, 1, 2 * BANDS).astype(np.float32)}
    mel, f0 = random.normal(-6, 1, (FRAMES, BANDS)), random.choice([0.0, 110.0], FRAMES)
    whole = WaveformModel(weights).apply(mel, f0, np.eye(4)[0], SECOND)
    monkeypatch.setattr(waveform, "BLOCK", 37)
    assert np.abs(WaveformModel(weights).apply(mel, f0, np.eye(4)[0], SECOND) - whole).max() < 1e-6


def test_a_voice_sets_in_without_a_click() -> None:
    f0 = np.where(np.arange(FRAMES) < 50, 0.0, 400.0)
    pulses, _ = excitation(f0, SECOND, 0)
    assert (pulses[: 49 * HOP + 1] == 0).all()
    heights = [np.abs(pulses[49 * HOP + 40 * k : 49 * HOP + 40 * (k + 1)]).max() for k in range(8)]
    assert heights[0] < 0.3 * heights[7]
    assert heights[0] < heights[1] < heights[2] < heights[3] < heights[4]


@pytest.mark.parametrize("f0", [0.0, 400.0])
def test_a_frame_sounds_where_it_is_centered(f0: float) -> None:
    mel = np.full((FRAMES, BANDS), -11.5)
    mel[40] = -3
    made = tiny().apply(mel, np.full(FRAMES, f0), np.eye(4)[0], SECOND) ** 2
    assert abs(np.sum(made * np.arange(SECOND)) / made.sum() - 40 * HOP) < 40
    assert made[: 38 * HOP].max() < 1e-3 * made.max()


def test_excitations_are_white_whatever_the_pitch() -> None:
    for f0 in (70.0, 140.0, 310.0):
        pulses, noise = excitation(np.full(FRAMES, f0), SECOND, 0)
        for signal in (pulses, noise):
            assert float(np.mean(signal[1600:-1600] ** 2)) == pytest.approx(1.0, rel=0.05)
        power = np.abs(np.fft.rfft(pulses)) ** 2
        assert power[:4000].sum() == pytest.approx(power[4000:].sum(), rel=0.1)


def test_filters_of_gain_one_change_nothing() -> None:
    noise = np.random.default_rng(0).standard_normal((1, 160 * 21)).astype(np.float32)
    shape = spectra(OPS, noise)
    zero = np.zeros((1, 20, BANDS), np.float32)
    for parts in ((shape, 0 * shape), (0 * shape, shape)):
        made = filtered(OPS, *parts, zero, zero)[:, HOP : HOP + noise.shape[1]]
        assert np.abs(made - noise)[:, HOP:-HOP].max() < 1e-5  # the outermost half frames have no neighbor


def test_minimum_phase_rings_after_and_not_before() -> None:
    gains = np.interp(centers(), [0, 500, 700, 900, 8000], [-2, -2, 1, -2, -3.0]) @ np.eye(BANDS)
    response = np.fft.irfft(np.exp(gains @ between() + 1j * (gains @ minimum_phase())), SIZE)
    energy = np.cumsum(response**2) / np.sum(response**2)
    assert energy[160] > 0.95
    assert response[-200:] @ response[-200:] < 1e-3 * np.sum(response**2)


def test_bad_arguments_are_told_in_a_sentence() -> None:
    model, mel, f0, voice = tiny(), np.full((FRAMES, BANDS), -6.0), np.zeros(FRAMES), np.eye(4)[0]
    with pytest.raises(InputError, match=r"mel: expected shape \(101, 80\)"):
        model.apply(mel[1:], f0, voice, SECOND)
    with pytest.raises(InputError, match=r"voice: expected shape \(4,\)"):
        model.apply(mel, f0, np.ones(5), SECOND)
    with pytest.raises(NotANumber, match="F0 of 0"):
        model.apply(mel, np.where(np.arange(FRAMES) == 3, np.nan, 100), voice, SECOND)
    with pytest.raises(InputError, match=r"0 \(no voice\) to 1000"):
        model.apply(mel, f0 - 1, voice, SECOND)


def test_a_file_of_something_else_is_refused(tmp_path: Any) -> None:
    write_safetensors(tmp_path / "other.safetensors", {"vectors": np.zeros((2, 2), np.float32)}, {})
    with pytest.raises(FileError, match="is no waveform model"):
        read_waveform_model(tmp_path / "other.safetensors")


def test_torch_gives_the_same() -> None:
    torch = pytest.importorskip("torch")
    from stripeless.synthesis.spectral_ops import SpectralTorchOps

    random = np.random.default_rng(0)
    weights = drawn_weights(4, 0, channels=8)
    weights["out.bias"] = random.normal(0, 1, 2 * BANDS).astype(np.float32)
    mel, f0 = random.normal(-6, 1, (2, 30, BANDS)).astype(np.float32), random.choice([0.0, 110.0], (2, 30))
    driven = random.normal(0, 1, (2, 2, 160 * 31)).astype(np.float32)
    given = [described(mel, f0), mel, np.eye(4, dtype=np.float32)[:2, None]]
    as_torch = {name: torch.from_numpy(value) for name, value in weights.items()}
    ops = SpectralTorchOps()
    set_by_torch = gains(ops, *(torch.from_numpy(one) for one in given), as_torch)
    made = sound(ops, *(torch.from_numpy(one) for one in driven), *set_by_torch).numpy()
    expected = sound(OPS, *driven, *gains(OPS, *given, weights))
    assert np.abs(expected).max() > 0.1
    assert np.abs(made - expected).max() < 1e-4


def test_shipped_weights_are_small_and_say_how_they_were_made() -> None:
    model = read_waveform_model()
    assert SHIPPED.stat().st_size <= 2_500_000
    assert model.dimension == 192
    assert {"command", "data", "encoder", "seed", "steps", "loss", "versions"} <= set(model.about)
    assert 2 * model.weights["dilations"].sum() + 1 <= waveform.REACH


def test_shipped_weights_copy_a_voice_that_they_never_heard() -> None:
    """A synthetic voice: its mel spectrum comes back, and its melody."""
    speaker = replace(synthetic_speaker(1), pitch=120.0)
    samples, _ = at_level(speak(speaker, "one nine zero").samples)
    mel, f0 = log_mel(samples), pitch_track(samples, RATE)
    model = read_waveform_model()
    made = model.apply(mel, f0, np.zeros(model.dimension), len(samples))
    loud = mel.mean(axis=1) > np.median(mel.mean(axis=1))
    again = log_mel(made)
    assert np.abs(again - mel)[loud].mean() < 0.45
    assert abs(float((again - mel)[loud].mean())) < 0.15
    heard = pitch_track(made, RATE)
    both = (heard > 0) & (f0 > 0)
    assert both.sum() > 0.8 * (f0 > 0).sum()
    assert np.median(np.abs(np.log2(heard[both] / f0[both]))) < 0.01
