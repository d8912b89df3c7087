"""Worlds of vectors: what is kept is there, what is hidden is not; recordings that sound like them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stripeless.audio.recordings import read_recording
from stripeless.embeddings.embeddings import Embeddings
from stripeless.errors import InputError
from stripeless.worlds.vectors import VectorWorld, simulate_vectors
from stripeless.worlds.voices import simulate_voices

SMALL = VectorWorld(people=12, recordings=3, enrollment=2, dimension=16, training_people=20)


def same_voice(one: Embeddings, other: Embeddings) -> float:
    """Chance that the mean of a person in one lies nearer to their mean in the other than a stranger's does."""
    means = []
    for part in (one, other):
        speakers = np.array(part.speakers)
        means.append(np.stack([part.vectors[speakers == name].mean(axis=0) for name in sorted(set(speakers))]))
    distance = np.linalg.norm(means[0][:, None] - means[1][None], axis=2)
    own = np.diag(distance)[:, None]
    return float((own < distance + np.diag(np.full(len(own), np.nan))).sum() / (len(own) * (len(own) - 1)))


def test_sizes_and_names() -> None:
    drawn = simulate_vectors(SMALL)
    assert drawn.anonymized.trials.vectors.shape == (36, 16)
    assert drawn.anonymized.enrollment.vectors.shape == (24, 16)
    assert drawn.original.trials.utterances == drawn.anonymized.trials.utterances
    assert set(drawn.anonymized.trials.sex or ()) == {"f", "m"}
    assert drawn.training.anonymized is not None
    assert not set(drawn.training.anonymized.speakers or ()) & set(drawn.original.trials.speakers or ())


def test_the_seed_decides() -> None:
    one, same, other = (simulate_vectors(SMALL, seed=seed).anonymized.trials.vectors for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("hides", ["noise", "session", "utterance"])
def test_original_voices_show_and_hidden_ones_do_not(hides: str) -> None:
    world = VectorWorld(people=60, hides=hides)  # type: ignore[arg-type]
    drawn = simulate_vectors(world, seed=3)
    assert same_voice(drawn.original.enrollment, drawn.original.trials) > 0.98
    assert same_voice(drawn.anonymized.enrollment, drawn.anonymized.trials) == pytest.approx(0.5, abs=0.1)
    kept = simulate_vectors(VectorWorld(people=60, kept=0.8, pseudo=0.2, hides="session"), seed=3)
    assert same_voice(kept.anonymized.enrollment, kept.anonymized.trials) > 0.9


def test_the_best_listener_grows_with_what_is_kept() -> None:
    reached = [VectorWorld(kept=kept, dimension=16).best_auc(4000) for kept in (0.0, 0.2, 0.5, 1.0)]
    assert reached[0] == 0.5
    assert reached == sorted(reached)
    assert reached[-1] > 0.95
    assert [VectorWorld(kept=kept).leaks for kept in (0.0, 0.1)] == [False, True]


def test_what_attackers_are_taught() -> None:
    def taught(training: str) -> tuple[Embeddings, Embeddings]:
        drawn = simulate_vectors(
            VectorWorld(people=12, recordings=3, dimension=16, training=training, training_people=20),  # type: ignore[arg-type]
            seed=5,
        ).training
        assert drawn.original is not None
        assert drawn.anonymized is not None
        return drawn.original, drawn.anonymized

    sound, shuffled, unprotected = taught("sound"), taught("shuffled"), taught("unprotected")
    assert np.array_equal(unprotected[0].vectors, unprotected[1].vectors)
    assert not np.array_equal(sound[0].vectors, sound[1].vectors)
    assert sorted(sound[1].speakers or ()) == sorted(shuffled[1].speakers or ())
    assert sound[1].speakers != shuffled[1].speakers
    assert sound[1].sex == shuffled[1].sex
    assert simulate_vectors(VectorWorld(people=12, training="none")).training.anonymized is None


def test_judged_utterances_under_other_names() -> None:
    drawn = simulate_vectors(VectorWorld(people=12, recordings=3, dimension=16, training="judged"))
    taught, judged = drawn.training.anonymized, drawn.anonymized
    assert taught is not None
    assert np.array_equal(taught.vectors, np.concatenate([judged.enrollment.vectors, judged.trials.vectors]))
    assert not set(taught.speakers or ()) & set(judged.trials.speakers or ())


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"people": 3}, "4 or more people"), ({"kept": 1.5}, "kept: expected"), ({"hides": "voices"}, "hides: expected")],
)
def test_impossible_worlds_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        VectorWorld(**changes)  # type: ignore[arg-type]


def test_the_encoder_hears_in_a_recording_the_vector_that_was_drawn_for_it(tmp_path: Path) -> None:
    drawn = simulate_vectors(SMALL)
    voices = simulate_voices(drawn, tmp_path)
    heard = {one.name: voices.encoder.embed(read_recording(one.path).samples) for one in voices.anonymized.utterances}
    for part in (drawn.anonymized.enrollment, drawn.anonymized.trials):
        for name, vector in zip(part.utterances, part.vectors, strict=True):
            assert heard[name] == pytest.approx(vector, rel=1e-6)
    assert voices.training is not None
    assert len(voices.training.utterances) == len(drawn.training.anonymized or ())


def test_recordings_are_made_once_and_serve_every_draw(tmp_path: Path) -> None:
    first = simulate_voices(simulate_vectors(SMALL, seed=1), tmp_path)
    path = first.original.utterances[0].path
    made = path.stat().st_mtime_ns
    second = simulate_voices(simulate_vectors(SMALL, seed=2), tmp_path)
    assert path.stat().st_mtime_ns == made
    samples = read_recording(path).samples
    assert not np.array_equal(first.encoder.embed(samples), second.encoder.embed(samples))
