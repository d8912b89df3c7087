"""McAdams against the published program's output, and what must hold whatever the voice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stripeless.anonymizers.mcadams import mcadams
from stripeless.anonymizers.pole_radius import pole_radius
from stripeless.errors import InputError, NotANumber


def vowel(seconds: float = 0.5, rate: int = 16000) -> np.ndarray:
    time = np.arange(int(seconds * rate)) / rate
    return sum(np.sin(2 * np.pi * 110 * k * time) / k for k in range(1, 30)) * 0.05


@pytest.mark.parametrize("alpha", [0.5, 0.8, 0.9, 1.0])
def test_equals_the_published_program(reference: Path, alpha: float) -> None:
    voice = np.load(reference / "mcadams_in_pcm16.npy", allow_pickle=False)
    published = np.load(reference / f"mcadams_out_{alpha}.npy", allow_pickle=False)
    assert np.abs(mcadams(voice, 16000, alpha) - published).max() < 1e-6


def test_alpha_one_changes_nothing_inside() -> None:
    """Up to the ripple of the published window, whose squares do not add up to exactly one."""
    voice = vowel()
    same = mcadams(voice, 16000, 1.0, normalize=False)
    np.testing.assert_allclose(same[320:-320], voice[320:-320], atol=1e-3)


def test_published_program_leaves_the_first_10_ms_silent_and_whole_does_not() -> None:
    voice = vowel()
    assert not mcadams(voice, 16000)[:160].any()
    assert np.abs(mcadams(voice, 16000, 1.0, whole=True, normalize=False) - voice).max() < 2e-3


def test_formants_move_as_angle_to_the_power_alpha() -> None:
    """A resonance at 3 rad goes to 3**0.8 rad: the spectral peak must be found there."""
    rng = np.random.default_rng(0)
    angle, radius = 1.5, 0.98
    from scipy.signal import lfilter

    voice = lfilter([1.0], [1.0, -2 * radius * np.cos(angle), radius**2], rng.standard_normal(32000)) * 0.01
    moved = mcadams(voice, 16000, 0.8)
    power = np.abs(np.fft.rfft(moved.reshape(-1, 800), axis=1)) ** 2
    peak = np.pi * np.argmax(power.mean(axis=0)) / 400
    assert peak == pytest.approx(angle**0.8, abs=0.03)


def test_length_and_peak_at_any_rate_and_length() -> None:
    for rate, samples in ((8000, 4001), (16000, 8123), (22050, 9999)):
        voice = vowel(1.0, rate)[:samples]
        out = mcadams(voice, rate)
        assert out.shape == voice.shape
        assert np.abs(out).max() == pytest.approx(1.0)


def test_many_blocks_give_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    voice = vowel(1.0)
    expected = mcadams(voice, 16000)
    monkeypatch.setattr("stripeless.anonymizers.mcadams.BLOCK", 7)
    np.testing.assert_allclose(mcadams(voice, 16000), expected, atol=1e-9)


def test_silence_stays_finite() -> None:
    assert np.isfinite(mcadams(np.zeros(4000), 16000)).all()


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(InputError, match="leave this recording out"):
        mcadams(np.zeros(100), 16000)
    with pytest.raises(InputError, match="alpha"):
        mcadams(vowel(), 16000, 0.0)
    with pytest.raises(NotANumber):
        mcadams(np.full(4000, np.nan), 16000)
    with pytest.raises(InputError, match="one channel"):
        mcadams(np.zeros((4000, 2)), 16000)


@pytest.mark.parametrize("system", [mcadams, pole_radius])
def test_digital_silence_stays_silent(system) -> None:  # type: ignore[no-untyped-def]
    """The tiny constant that keeps the algebra from breaking must not come out at full scale."""
    assert not system(np.zeros(16000), 16000).any()
    assert np.abs(system(1e-4 * np.sin(np.arange(16000) * 0.1), 16000)).max() == pytest.approx(1.0)
