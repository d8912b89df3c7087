"""The x-vector family, with the shipped networks, on synthetic voices: what each part of a rebuilt voice follows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stripeless.anonymizers.anonymizer import SourceVoice
from stripeless.anonymizers.catalog import ANONYMIZERS, make_anonymizer
from stripeless.anonymizers.run import anonymize_corpus
from stripeless.anonymizers.xvector import RebuiltVoice, embedded
from stripeless.anonymizers.xvector_pool import pitch_near, read_pool
from stripeless.anonymizers.xvector_sex import guessed_sex
from stripeless.anonymizers.xvector_systems import SYSTEMS
from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import Recording
from stripeless.audio.synthetic_voice import speak, synthetic_corpus, synthetic_speaker
from stripeless.embeddings.encoders.compact import CompactEncoder
from stripeless.embeddings.files import write_embeddings
from stripeless.errors import InputError
from stripeless.synthesis.grid import level_of
from stripeless.synthesis.shipped import FOLDER
from stripeless.synthesis.voice import synthesis

WORDS = "one five nine three seven two"
WOMAN, MAN = (next(n for n in range(20) if synthetic_speaker(n).sex == sex) for sex in "fm")


@pytest.fixture(scope="module")
def man() -> Recording:
    return speak(synthetic_speaker(MAN), WORDS)


@pytest.fixture(scope="module")
def woman() -> Recording:
    return speak(synthetic_speaker(WOMAN), WORDS)


def median_pitch(samples: np.ndarray) -> float:
    f0 = pitch_track(samples, 16000)
    return float(np.median(f0[f0 > 0]))


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    encoder = CompactEncoder()
    return float(embedded(encoder, one, 16000) @ embedded(encoder, other, 16000))


def test_as_long_and_as_loud_and_at_any_rate(man: Recording) -> None:
    quiet = 0.1 * man.samples
    out = RebuiltVoice("b1").apply(quiet, 16000, SourceVoice("anna", "a1", "m"))
    assert len(out) == len(quiet)
    assert level_of(out) == pytest.approx(level_of(quiet), rel=0.02)
    from stripeless.audio.recordings import resample

    wide = resample(man.samples, 16000, 44100)
    assert len(RebuiltVoice("b1").apply(wide, 44100, SourceVoice("anna", "a1", "m"))) == len(wide)


def test_silence_stays_silence() -> None:
    out = RebuiltVoice("b1").apply(np.zeros(16000), 16000, SourceVoice("anna", "a1", "f"))
    assert len(out) == 16000
    assert np.abs(out).max() < 1e-4


def test_b1_keeps_the_melody_and_crowd_moves_it(man: Recording) -> None:
    source = SourceVoice("anna", "a1", "m")
    before = median_pitch(man.samples)
    assert median_pitch(RebuiltVoice("b1").apply(man.samples, 16000, source)) == pytest.approx(before, rel=0.06)
    crowd = RebuiltVoice("crowd")
    assert crowd.pseudo is not None
    crowd = crowd.fitted({("anna", "trial"): [man]}, {"anna": "f"})
    assert crowd.pseudo is not None
    target, _ = pitch_near(crowd.pseudo.pseudo(crowd.voices["anna", "trial"], speaker="anna", sex="f"), "f")
    moved = median_pitch(crowd.apply(man.samples, 16000, SourceVoice("anna", "a1", "f")))
    assert moved == pytest.approx(target, rel=0.08)
    assert moved > 1.2 * before


def test_speakers_and_roles_get_different_voices_and_utterances_the_same(man: Recording) -> None:
    b1 = RebuiltVoice("b1", seed=3)
    assert b1.pseudo is not None
    own = embedded(CompactEncoder(), man.samples, 16000)
    anna = b1.pseudo.pseudo(own, speaker="anna", sex="m")
    assert np.array_equal(anna, b1.pseudo.pseudo(own, speaker="anna", sex="m", utterance="other"))
    assert not np.array_equal(anna, b1.pseudo.pseudo(own, speaker="anna", sex="m", role="enrollment"))
    assert not np.array_equal(anna, b1.pseudo.pseudo(own, speaker="berta", sex="m"))
    each = RebuiltVoice("b1", seed=3, per="utterance")
    assert each.pseudo is not None
    several = [each.pseudo.pseudo(own, speaker="anna", sex="m", utterance=name) for name in "ab"]
    assert not np.array_equal(*several)


def test_copy_synthesis_is_nearer_to_the_speaker_than_b1(man: Recording, woman: Recording) -> None:
    for voice, sex in ((man, "m"), (woman, "f")):
        source = SourceVoice("anna", "a1", sex)
        copy = likeness(voice.samples, RebuiltVoice("m1c2").apply(voice.samples, 16000, source))
        hidden = likeness(voice.samples, RebuiltVoice("m1").apply(voice.samples, 16000, source))
        assert copy > hidden


def test_the_two_models_may_be_given_different_voices(man: Recording) -> None:
    source = SourceVoice("anna", "a1", "m")
    made = {name: RebuiltVoice(name).apply(man.samples, 16000, source) for name in ("m1", "m1c2", "m1c3", "m1c4")}
    assert len({sound.tobytes() for sound in made.values()}) == 4
    spectra = {name: np.log(np.abs(np.fft.rfft(sound)) + 1e-3) for name, sound in made.items()}

    def apart(one: str, other: str) -> float:
        return float(np.abs(spectra[one] - spectra[other]).mean())

    assert apart("m1", "m1c3") < apart("m1", "m1c2")  # the acoustic model decides, as the paper found
    assert apart("m1c2", "m1c4") < apart("m1c2", "m1")


def test_sex_is_found_where_nobody_says_it(man: Recording, woman: Recording) -> None:
    encoder = CompactEncoder()
    for voice, sex in ((man, "m"), (woman, "f")):
        assert guessed_sex(embedded(encoder, voice.samples, 16000), [voice]) == sex
    told, asked = (RebuiltVoice("b1").apply(woman.samples, 16000, SourceVoice("anna", "a1", sex)) for sex in ("f", ""))
    assert np.array_equal(told, asked)


def test_a_pool_of_ones_own_is_used_and_too_small_a_one_refused(tmp_path: Path, man: Recording) -> None:
    from stripeless.embeddings.embeddings import Embeddings

    shipped = read_pool(None)
    few = [k for k in range(len(shipped)) if k % 8 == 0]
    vectors = np.concatenate([shipped.vectors[few], shipped.vectors[few] + 0.01])
    names = [shipped.speakers[k] for k in few]
    sexes = [shipped.sex[k] for k in few]
    path = tmp_path / "pool.npz"
    write_embeddings(
        path,
        Embeddings(vectors, tuple(f"{n}-{k}" for k in (0, 1) for n in names), tuple(names * 2), tuple(sexes * 2)),
    )
    with pytest.raises(InputError, match="50 candidates"):
        make_anonymizer("b1", {"pool": str(path)})
    small = make_anonymizer("b1", {"pool": str(path), "farthest": 20, "draw": 10})
    assert small.settings()["pseudo"]["pool"] != RebuiltVoice("b1").settings()["pseudo"]["pool"]
    assert np.isfinite(small.apply(man.samples, 16000, SourceVoice("anna", "a1", "m"))).all()
    write_embeddings(path, Embeddings(np.ones((4, 3)), tuple("abcd"), tuple("abcd"), tuple("ffmm")))
    with pytest.raises(InputError, match="vectors of 3 numbers"):
        make_anonymizer("b1", {"pool": str(path)})


def test_options_reach_the_pseudo_speakers() -> None:
    k2 = make_anonymizer("k2", {"epsilon": 5.0})
    assert k2.settings()["pseudo"]["epsilon"] == 5.0
    with pytest.raises(InputError, match="k2 has no option 'draw'"):
        make_anonymizer("k2", {"draw": 3})
    with pytest.raises(InputError, match="content: expected one of frames"):
        make_anonymizer("b1", {"content": "words"})


def test_a_corpus_does_not_depend_on_order_or_number_of_processes(tmp_path: Path) -> None:
    from dataclasses import replace

    corpus = synthetic_corpus(tmp_path / "in", speakers=4, utterances=2, digits=3)
    turned = replace(corpus, utterances=tuple(reversed(corpus.utterances)))
    anonymize_corpus(corpus, tmp_path / "one", RebuiltVoice("crowd"))
    anonymize_corpus(turned, tmp_path / "two", RebuiltVoice("crowd"), workers=2)
    for utterance in corpus.utterances:
        name = f"{utterance.name}.wav"
        assert (tmp_path / "one" / "wav" / name).read_bytes() == (tmp_path / "two" / "wav" / name).read_bytes()


def test_a_plain_install_needs_no_torch(tmp_path: Path, man: Recording) -> None:
    """b1 in a process in which torch, scikit-learn and friends cannot be imported."""
    from stripeless.audio.recordings import write_recording

    write_recording(tmp_path / "in.wav", man)
    code = (
        "import sys\n"
        "for name in ('torch', 'sklearn', 'pyworld', 'soundfile', 'soxr', 'onnxruntime'): sys.modules[name] = None\n"
        "from stripeless.cli import main\n"
        f"sys.argv = ['stripeless', 'anonymize', {str(tmp_path / 'in.wav')!r}, {str(tmp_path / 'out.wav')!r}, '--method', 'b1']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.wav").is_file()


def test_every_system_of_table_1_is_there() -> None:
    named = {info.system for info in ANONYMIZERS.values()}
    assert named >= {"A1", "A2", "B1", "B2", "D1", "I1", "K2", "M1", "M1c1", "M1c2", "M1c3", "M1c4", "O1", "O1c1"}
    assert named >= {"S1", "S1c1", "S2", "S2c1"}
    assert set(SYSTEMS) <= set(ANONYMIZERS)


def test_the_shipped_weights_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.safetensors")) < 20e6


def test_taking_apart_leaves_level_and_voice_behind(man: Recording) -> None:
    parts = synthesis.take_apart(man.samples, 16000, "frames")
    louder = synthesis.take_apart(np.clip(1.5 * man.samples, -1, 1), 16000, "frames")
    np.testing.assert_allclose(parts.content, louder.content, atol=0.05)
    assert parts.at_pitch(200.0).f0.max() > 0
    with pytest.raises(InputError, match="content: expected one of"):
        synthesis.take_apart(man.samples, 16000, "words")


def test_enrollment_and_trials_are_heard_apart(tmp_path: Path) -> None:
    """A system that draws nothing (a2) must not tie both roles together by a mean over both."""
    from stripeless.anonymizers.run import fitted
    from stripeless.audio.corpus import with_trials

    corpus = with_trials(synthetic_corpus(tmp_path / "in", speakers=4, utterances=4, digits=3))
    heard = fitted(RebuiltVoice("a2"), corpus, 16000, "stop").voices  # type: ignore[attr-defined]
    speaker = corpus.speakers[0]
    assert set(heard) == {(s, role) for s in corpus.speakers for role in ("enrollment", "trial")}
    enrolls = [u for u in corpus.of_speaker(speaker) if u.name in corpus.enrollment]
    wanted = np.mean([embedded(CompactEncoder(), u.read().samples, 16000) for u in enrolls], axis=0)
    np.testing.assert_allclose(heard[speaker, "enrollment"], wanted, atol=1e-6)
    assert not np.allclose(heard[speaker, "trial"], wanted, atol=1e-3)


def test_what_lies_beside_the_recordings_gives_no_secret_away(tmp_path: Path) -> None:
    corpus = synthetic_corpus(tmp_path / "in", speakers=4, utterances=2, digits=2)
    for name in ("crowd", "formants"):
        anonymize_corpus(corpus, tmp_path / name, make_anonymizer(name, seed=271828))
        manifest = (tmp_path / name / "anonymizer.json").read_text()
        assert "271828" not in manifest
        assert not any(word in manifest for word in ("roster", "profiles", "heard", *corpus.speakers))
        before = {path.name: path.read_bytes() for path in (tmp_path / name / "wav").iterdir()}
        again = anonymize_corpus(corpus, tmp_path / name, make_anonymizer(name, seed=271828))
        assert (again.made, again.kept) == (0, 8)
        assert before == {path.name: path.read_bytes() for path in (tmp_path / name / "wav").iterdir()}
        assert len({path.stat().st_mtime_ns for path in (tmp_path / name / "wav").iterdir()}) == 1, "no order of making"
        with pytest.raises(InputError, match="other settings"):
            anonymize_corpus(corpus, tmp_path / name, make_anonymizer(name, seed=271829))


def test_crowd_gives_loudness_no_way_through(man: Recording) -> None:
    source = SourceVoice("anna", "a1", "m")
    loud, quiet = (RebuiltVoice("crowd").apply(gain * man.samples, 16000, source) for gain in (1.0, 0.05))
    assert level_of(loud) == pytest.approx(level_of(quiet), rel=0.01)
    kept = RebuiltVoice("crowd", level="keep").apply(0.05 * man.samples, 16000, source)
    assert level_of(kept) == pytest.approx(0.05 * level_of(man.samples), rel=0.05)


def test_no_two_recordings_share_their_noise(man: Recording) -> None:
    b1 = RebuiltVoice("b1")
    sounds = {b1.apply(man.samples, 16000, SourceVoice("anna", f"{n}-s2", "m")).tobytes() for n in ("a", "b")}
    assert len(sounds) == 2


def test_a_tempo_that_cannot_be_counted_names_the_way_out() -> None:
    with pytest.raises(InputError, match="add tempo=keep"):
        make_anonymizer("crowd", {"content": "frames-bottleneck"})
    assert make_anonymizer("crowd", {"content": "frames-bottleneck", "tempo": "keep"}).settings()["tempo"] == "keep"


def test_names_with_spaces_and_copies_inside_the_originals_are_refused(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from stripeless.cli import group

    corpus = synthetic_corpus(tmp_path / "in", speakers=4, utterances=2, digits=2)
    folder = tmp_path / "people"
    for number, utterance in enumerate(corpus.utterances[:2]):
        place = folder / f"Anna {number}"
        place.mkdir(parents=True)
        (place / "take.wav").write_bytes(utterance.path.read_bytes())
    spaced = CliRunner().invoke(group, ["anonymize", str(folder), str(tmp_path / "out")])
    assert spaced.exit_code == 1
    assert "a name with a space, 'Anna 0" in str(spaced.exception)
    inside = CliRunner().invoke(group, ["anonymize", str(folder), str(folder / "hidden")])
    assert "lies inside" in str(inside.exception)


def test_attackers_copy_draws_for_every_utterance_where_anything_is_drawn() -> None:
    from stripeless.anonymizers.catalog import attackers_copy

    drawn, fixed = attackers_copy("b1").settings()["pseudo"], attackers_copy("a2").settings()["pseudo"]
    assert (drawn["per"], fixed["per"]) == ("utterance", "speaker")
    assert drawn["seed"] != 0


def test_a_pool_whose_sexes_nobody_knows_is_guessed(tmp_path: Path) -> None:
    from stripeless.embeddings.embeddings import Embeddings

    shipped = read_pool(None)
    few = range(0, len(shipped), 10)
    names = tuple(shipped.speakers[k] for k in few)
    write_embeddings(tmp_path / "pool.npz", Embeddings(shipped.vectors[list(few)], names, names))
    pool = read_pool(str(tmp_path / "pool.npz"))
    told = dict(zip(shipped.speakers, shipped.sex, strict=True))
    assert np.mean([told[name] == sex for name, sex in zip(pool.speakers, pool.sex, strict=True)]) > 0.95
