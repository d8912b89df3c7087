"""The pitch tracker: known melodies, octave traps, what must not matter, and a tracker of others on real speech."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.audio.corpus_files import read_corpus
from stripeless.audio.pitch import pitch_track
from stripeless.audio.synthetic_voice import speak, synthetic_speaker
from stripeless.errors import InputError, NotANumber

RATE = 16000


def voice(f0, rate=RATE, seconds=1.0, levels=None):
    """A sum of harmonics of a contour in Hz given at every sample (or one number); a slope of 6 dB per octave."""
    f0 = np.broadcast_to(f0, (int(rate * seconds),))
    phase = 2 * np.pi * np.cumsum(f0) / rate
    levels = [1 / k for k in range(1, 21)] if levels is None else levels
    return 0.1 * sum(
        level * np.cos(k * phase + k) for k, level in enumerate(levels, 1) if level and (k * f0).max() < rate / 2
    )


def at_frames(contour, count, rate=RATE, step=0.010):
    return contour[np.minimum(np.round(np.arange(count) * step * rate).astype(int), len(contour) - 1)]


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 44100])
@pytest.mark.parametrize("f0", [61.0, 101.3, 180.0, 300.0, 440.0, 495.0])
def test_known_tones(f0, rate):
    found = pitch_track(voice(f0, rate), rate)
    np.testing.assert_allclose(found[4:-4], f0, rtol=0.004)


@pytest.mark.parametrize("step", [0.005, 0.010])
@pytest.mark.parametrize("ends", [(90, 300), (400, 120), (70, 80)])
def test_a_glide_is_followed_without_delay(ends, step):
    """A frame that lay half a window off, or to one side of its center, would be 2 % wrong at these slopes."""
    glide = np.geomspace(*ends, RATE * 2)
    found = pitch_track(voice(glide, seconds=2.0), RATE, step=step)
    expected = at_frames(glide, len(found), step=step)
    np.testing.assert_allclose(found[8:-8], expected[8:-8], rtol=0.006)


@pytest.mark.parametrize("length", [0.1, 0.995, 1.0, 1.234])
@pytest.mark.parametrize("rate", [8000, 16000, 22050])
def test_frames_stand_at_whole_steps_from_the_first_sample(length, rate):
    sound = voice(150.0, rate, length)
    assert len(pitch_track(sound, rate)) == 1 + int(len(sound) / (0.01 * rate))
    assert len(pitch_track(sound[:1], rate)) == 1


def test_octave_traps():
    weak = voice(110.0, levels=[0.02, 1.0, 0.4, 0.8, 0.3, 0.6])  # hardly any fundamental, even harmonics loud
    np.testing.assert_allclose(pitch_track(weak, RATE)[4:-4], 110, rtol=0.01)
    missing = voice(110.0, levels=[0, 0, 1, 1, 1, 1, 1])  # a telephone
    np.testing.assert_allclose(pitch_track(missing, RATE)[4:-4], 110, rtol=0.01)
    formant = voice(230.0, levels=[0.2, 1.0, 0.1, 0.02])  # first formant on the second harmonic
    np.testing.assert_allclose(pitch_track(formant, RATE)[4:-4], 230, rtol=0.01)
    pure = voice(220.0, levels=[1.0])  # all multiples of the period fit as well
    np.testing.assert_allclose(pitch_track(pure, RATE)[4:-4], 220, rtol=0.01)
    time = np.arange(RATE) / RATE
    creaky = voice(120.0) * (1 + 0.12 * np.cos(2 * np.pi * 60.0 * time))  # every second pulse is weaker
    np.testing.assert_allclose(pitch_track(creaky, RATE, low=55)[4:-4], 120, rtol=0.01)


def test_the_path_carries_a_voice_over_frames_that_look_an_octave_lower():
    """40 ms in which alternate pulses differ much: each frame alone prefers 60 Hz, its neighbors know better."""
    time = np.arange(RATE) / RATE
    inside = np.abs(time - 0.5) < 0.02
    sound = voice(120.0) * (1 + 0.7 * inside * np.cos(2 * np.pi * 60.0 * time))
    np.testing.assert_allclose(pitch_track(sound, RATE)[4:-4], 120, rtol=0.05)


def test_noise_and_silence_are_unvoiced():
    noise = np.random.default_rng(0).standard_normal(2 * RATE)
    assert (pitch_track(0.1 * noise, RATE) > 0).mean() < 0.02
    assert not pitch_track(np.zeros(RATE), RATE).any()
    assert not pitch_track(np.full(RATE, 0.3), RATE).any()
    mains = np.sin(2 * np.pi * 50 * np.arange(2 * RATE) / RATE)
    for loud, quiet in ((0.1, 1e-2), (0.3, 1e-3)):  # ripples on a slope are no peaks
        assert (pitch_track(loud * mains + quiet * noise, RATE) > 0).mean() < 0.04


@pytest.mark.parametrize(("snr", "gross", "missed"), [(20, 0.0, 0.0), (5, 0.0, 0.1), (0, 0.02, 0.35)])
def test_noise_over_a_voice(snr, gross, missed):
    glide = np.geomspace(100, 220, RATE * 2)
    clean = voice(glide, seconds=2.0)
    noise = np.random.default_rng(1).standard_normal(len(clean))
    sound = clean + noise * np.sqrt(np.mean(clean**2) / 10 ** (snr / 10))
    found = pitch_track(sound, RATE)[4:-4]
    truth = at_frames(glide, len(found) + 8)[4:-4]
    voiced = found > 0
    assert (~voiced).mean() <= missed
    assert (np.abs(found[voiced] / truth[voiced] - 1) > 0.1).mean() <= gross


def test_loudness_offset_and_where_the_sound_is_cut_do_not_matter():
    sound = speak(synthetic_speaker(3), "one nine five").samples
    found = pitch_track(sound, RATE)
    np.testing.assert_allclose(pitch_track(sound * 1e-3, RATE), found, rtol=1e-6)
    np.testing.assert_allclose(pitch_track(sound + 0.2, RATE)[5:-5], found[5:-5], rtol=0.02)
    later = pitch_track(np.concatenate([np.zeros(1600), sound]), RATE)[10:]
    assert (np.abs(later - found) <= 0.02 * found).mean() > 0.97
    backwards = pitch_track(sound[: 160 * (len(sound) // 160) + 1][::-1], RATE)[::-1]
    assert (np.abs(backwards[: len(found)] - found[: len(backwards)]) <= 0.02 * backwards).mean() > 0.97


def test_blocks_do_not_show(monkeypatch):
    from stripeless.audio import pitch

    sound = speak(synthetic_speaker(2), "one nine five").samples
    whole = pitch_track(sound, RATE)
    monkeypatch.setattr(pitch, "_FRAMES", 7)
    np.testing.assert_array_equal(pitch_track(sound, RATE), whole)


@pytest.mark.parametrize("number", range(6))
def test_synthetic_speakers_have_the_pitch_they_were_given(number):
    speaker = synthetic_speaker(number)
    found = pitch_track(speak(speaker, "one nine five zero").samples, RATE)
    assert np.median(found[found > 0]) == pytest.approx(speaker.pitch, rel=0.06)
    # the hiss of an f through a narrow resonance does repeat itself for a moment
    assert (np.abs(np.log2(found[found > 0] / speaker.pitch)) > 0.5).mean() < 0.06


def test_refusals():
    sound = voice(100.0)
    with pytest.raises(InputError, match="low < high"):
        pitch_track(sound, RATE, low=300, high=200)
    with pytest.raises(InputError, match="step"):
        pitch_track(sound, RATE, step=0.0)
    with pytest.raises(InputError, match="one channel"):
        pitch_track(np.zeros((2, 100)), RATE)
    with pytest.raises(NotANumber):
        pitch_track([0.0, np.nan], RATE)


@pytest.mark.data
@pytest.mark.parametrize(("corpus", "gross"), [("digits", 0.015), ("libri251", 0.01)])
def test_real_speech_as_two_trackers_of_others_hear_it(request, corpus, gross):
    """Harvest and DIO with StoneMask (WORLD) agree within 10 % on what is taken for the truth here."""
    pyworld = pytest.importorskip("pyworld")
    ours, theirs, other = [], [], []
    utterances = read_corpus(request.getfixturevalue(corpus)).utterances
    for utterance in utterances[:: len(utterances) // 8]:
        sound = utterance.read(RATE).samples
        settings = {"f0_floor": 60.0, "f0_ceil": 500.0, "frame_period": 10.0}
        harvest = pyworld.harvest(sound, RATE, **settings)[0]
        dio, times = pyworld.dio(sound, RATE, **settings)
        ours.append(pitch_track(sound, RATE))
        assert len(ours[-1]) == len(harvest) == len(dio)
        theirs.append(harvest)
        other.append(pyworld.stonemask(sound, dio, times, RATE))
    found, harvest, dio = (np.concatenate(tracks) for tracks in (ours, theirs, other))
    voiced = (harvest > 0) & (dio > 0) & (np.abs(np.log2((harvest + 1e-9) / (dio + 1e-9))) < np.log2(1.1))
    unvoiced = (harvest == 0) & (dio == 0)
    off = np.abs(found / np.where(voiced, harvest, 1.0) - 1)[voiced & (found > 0)]
    assert (off > 0.2).mean() < gross
    assert np.median(off) < 0.01
    assert (found[voiced] > 0).mean() > 0.88
    assert (found[unvoiced] == 0).mean() > 0.85
