"""What every anonymizer promises, and what each one moves, measured on synthetic voices whose truth is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stripeless.anonymizers.anonymizer import SourceVoice
from stripeless.anonymizers.catalog import ANONYMIZERS, make_anonymizer, parse_options
from stripeless.anonymizers.formants import Formants, formant_shift
from stripeless.anonymizers.mcadams import McAdams, mcadams
from stripeless.anonymizers.pole_radius import pole_radius
from stripeless.anonymizers.psola import psola
from stripeless.anonymizers.run import anonymize_corpus
from stripeless.anonymizers.voice_profile import voice_profile
from stripeless.anonymizers.world_shift import WorldShift, world_shift
from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import Recording, read_recording, write_recording
from stripeless.audio.synthetic_voice import speak, synthetic_corpus, synthetic_speaker
from stripeless.errors import FileError, InputError

WORDS = "one five nine three seven"


@pytest.fixture(scope="module")
def man() -> Recording:
    return speak(synthetic_speaker(1), WORDS)


def median_pitch(samples: np.ndarray) -> float:
    f0 = pitch_track(samples, 16000)
    return float(np.median(f0[f0 > 0]))


# s2 searches for settings for a minute, and s2c1, which it is made of, does too; s1 and s1c1 train for twenty seconds
LONG = ("s2", "s1", "s1c1")
SYSTEMS = [
    pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in ANONYMIZERS if name != "s2c1"
]


@pytest.mark.parametrize("name", SYSTEMS)
def test_same_seed_same_samples_other_speaker_or_seed_other(name: str, man: Recording) -> None:
    if name == "world":
        pytest.importorskip("pyworld")
    if name in ("s1", "s1c1", "s2", "s2c1"):
        pytest.importorskip("torch", reason="auto-encoders need pip install 'stripeless[torch]'")
    anonymizer = make_anonymizer(name, seed=3)
    source = SourceVoice("anna", "anna-1", "f")
    one = anonymizer.apply(man.samples, man.rate, source)
    assert np.array_equal(one, make_anonymizer(name, seed=3).apply(man.samples, man.rate, source))
    assert np.isfinite(one).all()
    assert np.abs(one).max() <= 1 + 1e-9
    assert not np.array_equal(one[:1000], man.samples[:1000])


def test_alpha_per_speaker_and_per_utterance() -> None:
    drawn = McAdams(alpha=None)
    anna = [SourceVoice("anna", f"a{k}") for k in range(5)]
    assert len({drawn.alpha_of(s) for s in anna}) == 1
    assert len({McAdams(alpha=None, per="utterance").alpha_of(s) for s in anna}) == 5
    assert drawn.alpha_of(SourceVoice("anna", "a", role="enrollment")) != drawn.alpha_of(anna[0])
    many = [drawn.alpha_of(SourceVoice(str(k))) for k in range(400)]
    assert 0.5 <= min(many) < 0.52
    assert 0.88 < max(many) <= 0.9


def test_pole_radius_with_kappa_one_is_mcadams_and_below_one_damps(man: Recording) -> None:
    np.testing.assert_allclose(pole_radius(man.samples, 16000, 0.8, 1.0), mcadams(man.samples, 16000, 0.8), atol=0.05)

    def sharpness(samples: np.ndarray) -> float:
        log = np.log(np.abs(np.fft.rfft(samples[: len(samples) // 512 * 512].reshape(-1, 512), axis=1)) + 1e-9)
        return float(log[:, 5:100].std(axis=1).mean())

    assert sharpness(pole_radius(man.samples, 16000, 1.0, 0.9)) < sharpness(mcadams(man.samples, 16000, 1.0))


def test_psola_moves_pitch_duration_and_formants_each_alone(man: Recording) -> None:
    before = voice_profile([man])
    higher = psola(man.samples, 16000, pitch=1.3)
    assert median_pitch(higher) == pytest.approx(1.3 * before.pitch, rel=0.06)
    assert len(higher) == len(man.samples)
    shifted = psola(man.samples, 16000, formants=1.15)
    assert median_pitch(shifted) == pytest.approx(before.pitch, rel=0.06)
    assert voice_profile([Recording(shifted, 16000)]).phi > 1.03 * before.phi  # only a part of phi follows the formants
    assert len(psola(man.samples, 16000, duration=0.8)) == round(0.8 * len(man.samples))


def test_profile_knows_pitch_and_orders_vocal_tracts() -> None:
    profiles = {}
    for number in range(6):
        speaker = synthetic_speaker(number)
        profiles[speaker] = voice_profile([speak(speaker, WORDS, seed) for seed in range(2)])
    for speaker, profile in profiles.items():
        assert profile.pitch == pytest.approx(speaker.pitch, rel=0.08)
    women = [p.vocal_tract_cm for s, p in profiles.items() if s.sex == "f"]
    men = [p.vocal_tract_cm for s, p in profiles.items() if s.sex == "m"]
    assert max(women) < min(men)


def test_formants_reaches_its_targets_within_limits(man: Recording) -> None:
    profile = voice_profile([man])
    target = Formants(pitch=profile.pitch * 1.25, syllable_rate=profile.syllable_rate / 1.2).target_of(
        SourceVoice("x", sex="m")
    )
    out = formant_shift(man.samples, 16000, profile, target, np.random.default_rng(0))
    assert median_pitch(out) == pytest.approx(1.25 * profile.pitch, rel=0.08)
    assert len(out) == pytest.approx(1.2 * len(man.samples), rel=0.01)
    far = Formants(pitch=10 * profile.pitch, syllable_rate=100.0).target_of(SourceVoice("x", sex="m"))
    assert len(formant_shift(man.samples, 16000, profile, far, np.random.default_rng(0))) == round(
        len(man.samples) / 1.5
    )


def test_world_moves_pitch_and_never_too_little(man: Recording) -> None:
    pytest.importorskip("pyworld")
    out = world_shift(man.samples, 16000, 4.0, 1.0)
    assert median_pitch(out) == pytest.approx(median_pitch(man.samples) * 2 ** (4 / 12), rel=0.05)
    shifts = [WorldShift().shift_of(SourceVoice(str(k))) for k in range(50)]
    assert min(abs(s) for s, _ in shifts) >= 2
    assert {s > 0 for s, _ in shifts} == {True, False}


def test_world_without_pyworld_gives_the_pip_line(man: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyworld", None)
    with pytest.raises(ImportError, match=r"pip install 'stripeless\[world\]'"):
        world_shift(man.samples, 16000)


def test_options_of_the_catalog() -> None:
    assert parse_options(("alpha=0.7",)) == {"alpha": 0.7}
    with pytest.raises(InputError, match="it has alpha"):
        make_anonymizer("mcadams", {"beta": 1})
    with pytest.raises(InputError, match="mcadams, pole-radius"):
        make_anonymizer("magic")
    with pytest.raises(InputError, match="NAME=VALUE"):
        parse_options(("alpha",))


def test_a_corpus_resumes_and_remakes_only_what_changed(tmp_path: Path) -> None:
    corpus = synthetic_corpus(tmp_path / "in", speakers=4, utterances=2, digits=2).subset(["voice00", "voice01"])
    out = tmp_path / "out"
    first = anonymize_corpus(corpus, out, McAdams(), workers=2)
    assert (first.made, first.kept, first.skipped) == (4, 0, ())
    before = {path.name: path.read_bytes() for path in (out / "wav").iterdir()}
    (out / "wav" / "voice00-00.wav").unlink()
    corpus.utterances[3].path.write_bytes(corpus.utterances[2].path.read_bytes())
    again = anonymize_corpus(corpus, out, McAdams())
    assert (again.made, again.kept) == (2, 2)
    after = {path.name: path.read_bytes() for path in (out / "wav").iterdir()}
    assert after["voice00-00.wav"] == before["voice00-00.wav"]
    assert after["voice01-01.wav"] == after["voice01-00.wav"]
    with pytest.raises(FileError, match="other settings"):
        anonymize_corpus(corpus, out, McAdams(alpha=0.7))


def test_a_broken_file_stops_or_is_skipped_and_leaves_every_list(tmp_path: Path) -> None:
    corpus = synthetic_corpus(tmp_path / "in", speakers=4, utterances=2, digits=2)
    corpus.utterances[1].path.write_bytes(b"RIFF broken")
    with pytest.raises(InputError, match="voice00-01"):
        anonymize_corpus(corpus, tmp_path / "stop", McAdams())
    result = anonymize_corpus(corpus, tmp_path / "skip", McAdams(), on_error="skip")
    assert len(result.skipped) == 1
    assert "voice00-01" in result.skipped[0]
    assert "voice00-01" not in {t.utterance for t in result.corpus.trials}
    assert "voice00-01" not in (tmp_path / "skip" / "wav.scp").read_text()


def test_originals_are_never_overwritten(tmp_path: Path) -> None:
    corpus = synthetic_corpus(tmp_path / "in", speakers=4, utterances=2, digits=1)
    with pytest.raises(FileError, match="choose another folder"):
        anonymize_corpus(corpus, tmp_path / "in", McAdams())
    (tmp_path / "mine" / "wav").mkdir(parents=True)
    (tmp_path / "mine" / "wav" / "voice00-00.wav").write_bytes(b"mine")
    with pytest.raises(FileError, match="nothing is overwritten"):
        anonymize_corpus(corpus, tmp_path / "mine", McAdams())
    assert read_recording(corpus.utterances[0].path).seconds > 0.1


def test_utterances_whose_names_give_one_file_are_kept_apart(tmp_path: Path) -> None:
    names = ["a/b", "a_b", "a\\b", ".c", "c", "..c"]
    utterances = []
    for pitch, name in enumerate(names, 1):
        samples = 0.3 * np.sin(np.arange(4000) * pitch / 20)
        write_recording(tmp_path / f"{pitch}.wav", Recording(samples, 16000))
        utterances.append(Utterance(name, tmp_path / f"{pitch}.wav", f"s{pitch}"))
    made = anonymize_corpus(Corpus(tmp_path, tuple(utterances)), tmp_path / "out", McAdams())
    assert made.made == len(list((tmp_path / "out" / "wav").iterdir())) == len(names)
    assert len({u.read(16000).samples.tobytes() for u in made.corpus.utterances}) == len(names)
    for name in ("a_b", "c"):
        (path,) = [u.path.name for u in made.corpus.utterances if u.name == name]
        assert path.startswith(f"{name}-"), "a name that another could be taken for ends in a digest, too"
