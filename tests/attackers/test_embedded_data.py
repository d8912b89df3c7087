"""Faults of the data that vectors show: found in worlds that have them, and never in sound ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from finding_cases.recorded import vectors

from stripeless.attackers.embedded import Embedded, Training
from stripeless.attackers.embedded_data import copy_distance, examine_embedded, near
from stripeless.attackers.unprotected import share_unprotected
from stripeless.embeddings.embeddings import Embeddings
from stripeless.worlds.vectors import Hides, Taught, VectorWorld, simulate_vectors

TAUGHT: tuple[Taught, ...] = ("sound", "shuffled", "none")


def found(world: VectorWorld, seed: int = 0) -> list[str]:
    drawn = simulate_vectors(world, seed=seed)
    return [finding.code for finding in examine_embedded(drawn.original, drawn.anonymized, drawn.training)]


@pytest.mark.parametrize("hides", ["noise", "session", "utterance"])
@pytest.mark.parametrize("people", [12, 40])
def test_sound_worlds_bring_nothing(hides: Hides, people: int) -> None:
    for seed in range(3):
        for training in TAUGHT:
            world = VectorWorld(hides=hides, people=people, training=training, training_people=2 * people)
            assert found(world, seed) == []


def test_messages_name_people_and_count_them() -> None:
    drawn = simulate_vectors(VectorWorld(training="judged"))
    (told,) = examine_embedded(drawn.original, drawn.anonymized, drawn.training)
    assert "of 40 of 40 judged people" in told.message
    assert "such as 'p000' as 'other000'" in told.message
    (told,) = vectors(twice=1)
    assert told.severity == "caution"
    assert (
        "1 pairs of vectors hold the same content under two names: 'p000' and 'p039' (2 of 40 people)" in told.message
    )
    (told,) = vectors(enrolled_twice=True)
    assert "2 of 160 enrollment vectors are copies of trial vectors, such as 'p-e00000'" in told.message


def test_anonymized_vectors_that_many_share_are_no_copies() -> None:
    """Pseudo-voices from a small pool: training and judged people have some in common by design."""
    drawn, rng = simulate_vectors(VectorWorld(people=20)), np.random.default_rng(0)
    pool = rng.normal(size=(5, 64))

    def pooled(data: Embeddings) -> Embeddings:
        return replace(data, vectors=pool[rng.integers(0, 5, len(data))])

    anonymized = Embedded(pooled(drawn.anonymized.enrollment), pooled(drawn.anonymized.trials))
    assert drawn.training.anonymized is not None
    training = Training(None, pooled(drawn.training.anonymized))
    assert examine_embedded(drawn.original, anonymized, training) == []
    alike = Embedded(
        *(replace(side, vectors=np.ones_like(side.vectors)) for side in (anonymized.enrollment, anonymized.trials))
    )
    assert examine_embedded(drawn.original, alike, training) == []


def test_near_is_near_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(size=(50, 6))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[40] = rows[3]
    reach = copy_distance(rows)
    assert near(rows, rows, reach) == [(3, 40), (40, 3)]
    monkeypatch.setattr("stripeless.attackers.embedded_data.BLOCK", 7)
    assert copy_distance(rows) == reach
    assert near(rows, rows, reach) == [(3, 40), (40, 3)]
    assert copy_distance(rows[:2]) == 0.0
    assert copy_distance(np.ones((20, 3)) / np.sqrt(3)) == 0.0


def test_where_before_and_after_are_alike_nobody_says_unprotected() -> None:
    rng, names = np.random.default_rng(0), [f"s{k // 8}" for k in range(240)]
    before, after, training = (rng.normal(size=(240, 12)) for _ in range(3))
    assert share_unprotected(before, names, after, names, training) is None
    assert share_unprotected(before, names, after + 3, names, training) == pytest.approx(1.0, abs=0.02)
    assert share_unprotected(before, names, after + 3, names, training + 3) is None
    assert share_unprotected(before, [], after + 3, [], training) is None
