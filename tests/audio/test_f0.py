"""F0 and phone-like units: known tones, silence, noise, and what must not matter."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.audio.f0 import FIRST_LAG, f0_histogram, yin
from stripeless.audio.units import cepstra, fit_units
from stripeless.errors import InputError, NotANumber, TooFewTrials


def voice(f0, rate=16000, seconds=1.0, harmonics=12):
    time = np.arange(int(rate * seconds)) / rate
    f0 = np.broadcast_to(f0, time.shape)
    phase = 2 * np.pi * np.cumsum(f0) / rate
    return sum(np.cos(k * phase + k) / k for k in range(1, harmonics + 1) if (k * f0).max() < rate / 2)


@pytest.mark.parametrize("rate", [8000, 16000, 44100])
@pytest.mark.parametrize("f0", [67.0, 101.3, 180.0, 300.0, 440.0])
def test_known_tones(f0, rate):
    found = yin(voice(f0, rate), rate)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, f0, rtol=0.01)
    np.testing.assert_allclose(np.median(found), f0, rtol=0.005)


def test_a_glide_is_followed_and_loudness_does_not_matter():
    glide = np.linspace(100, 200, 32000)
    sound = voice(glide, seconds=2.0)
    found = yin(sound, 16000)
    expected = glide[(np.arange(len(found)) * 160 + 250)]
    np.testing.assert_allclose(found, expected, rtol=0.03)
    np.testing.assert_allclose(yin(sound * 1e-4, 16000), found, rtol=1e-6)


def test_silence_and_noise_have_no_pitch():
    assert np.isnan(yin(np.zeros(16000), 16000)).all()
    assert np.isnan(yin(np.full(16000, 0.3), 16000)).all()
    noise = np.random.default_rng(0).standard_normal(32000)
    assert np.isnan(yin(noise, 16000)).mean() > 0.98


def test_frames_are_ten_milliseconds_apart_and_blocks_do_not_show(monkeypatch):
    from stripeless.audio import f0

    sound = voice(np.linspace(90, 250, 48000), seconds=3.0)
    whole = yin(sound, 16000)
    assert len(whole) == pytest.approx(300, abs=6)
    monkeypatch.setattr(f0, "_FRAMES", 17)
    np.testing.assert_allclose(yin(sound, 16000), whole, rtol=1e-12)
    assert yin(sound[:100], 16000).size == 0


def test_histogram_has_the_papers_107_bins():
    histogram = f0_histogram([65.0, 450.0, 100.0, np.nan])
    assert histogram.size == 107
    assert histogram.sum() == 3
    assert histogram[0] + histogram[1] == 1  # 450 Hz: lag 17.8
    assert histogram[-1] == 1
    assert histogram[80 - FIRST_LAG] == 1


def test_sound_refusals():
    with pytest.raises(InputError, match="one channel"):
        yin(np.zeros((2, 100)), 16000)
    with pytest.raises(NotANumber):
        yin([0.0, np.nan], 16000)
    with pytest.raises(InputError, match="low < high"):
        yin(np.zeros(100), 16000, low=500, high=100)


def test_units_tell_vowels_apart_whatever_the_loudness_and_the_microphone():
    def vowel(formants, f0, seed):
        from scipy.signal import lfilter

        sound = voice(f0, harmonics=60)
        for formant in formants:
            pole = 0.97 * np.exp(2j * np.pi * formant / 16000)
            sound = lfilter([1.0], np.poly([pole, pole.conjugate()]).real, sound)
        return sound / np.abs(sound).max() + 1e-4 * np.random.default_rng(seed).standard_normal(sound.size)

    a, i = vowel((700, 1200), 120, 0), vowel((300, 2300), 120, 1)
    both = np.concatenate([a, i])
    frames = cepstra(both, 16000)
    units = fit_units([frames], count=4)
    half = len(frames) // 2
    first, second = units.of(frames[: half - 5]), units.of(frames[half + 5 :])
    assert not set(first.tolist()) & set(second.tolist())
    np.testing.assert_array_equal(units.of(cepstra(both * 0.01, 16000)), units.of(frames))
    assert units.histogram(frames).sum() == len(frames)


def test_units_are_the_same_for_the_same_seed_and_need_enough_frames():
    frames = np.random.default_rng(0).standard_normal((3000, 4))
    one, two = fit_units([frames], 16, seed=1), fit_units([frames], 16, seed=1)
    np.testing.assert_array_equal(one.centers, two.centers)
    spread = ((frames / one.scale - one.centers[one.of(frames)]) ** 2).sum(axis=1).mean()
    assert spread < 0.65 * 4  # 16 units explain over a third of four unit variances
    with pytest.raises(TooFewTrials, match="2560 are needed"):
        fit_units([frames[:100]], 256)
    assert cepstra(np.zeros(16000), 16000).shape[0] == 0
