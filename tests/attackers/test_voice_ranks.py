"""Ranks of trial utterances among the enrolled voices: who is looked for, and among whom."""

from __future__ import annotations

import numpy as np
import pytest
from encoded_voices import ANONYMIZED, CORPUS, EACH, ENROLLS, ORIGINAL, PEOPLE, SIZE

from stripeless.attackers.voices import Encoded
from stripeless.embeddings.embeddings import Embeddings
from stripeless.studies.evaluate import ranks_of


def share_at_first_place(enrolled: Embeddings, tried: Embeddings, standardize: bool) -> float:
    """By hand: how often the most similar enrolled voice is the right one."""
    known, probes = enrolled.vectors[ENROLLS].astype(float), tried.vectors[~ENROLLS].astype(float)
    if standardize:
        mean, deviation = known.mean(axis=0), known.std(axis=0)
        known, probes = (known - mean) / deviation, (probes - mean) / deviation
    models = known.reshape(PEOPLE, EACH // 2, SIZE).mean(axis=1)
    models /= np.linalg.norm(models, axis=1, keepdims=True)
    own = np.repeat(np.arange(PEOPLE), EACH // 2)
    return float((np.argmax(probes @ models.T, axis=1) == own).mean())


@pytest.mark.parametrize("standardize", [False, True])
def test_the_ignorant_attacker_enrolls_originals_and_looks_for_anonymized_voices(standardize: bool) -> None:
    """Anonymized voices of this corpus are those of other people, moved to one side."""
    found = ranks_of(Encoded("x", ORIGINAL, ANONYMIZED, standardize=standardize), CORPUS)
    sides = {
        "original": (ORIGINAL, ORIGINAL),
        "ignorant": (ORIGINAL, ANONYMIZED),
        "lazy-informed": (ANONYMIZED, ANONYMIZED),
    }
    by_hand = {name: share_at_first_place(*pair, standardize) for name, pair in sides.items()}
    assert {name: found[name]["id_rate"] for name in sides} == pytest.approx(by_hand)
    assert by_hand["ignorant"] != share_at_first_place(ANONYMIZED, ORIGINAL, standardize)  # so that a swap would show
    assert {found[name]["templates"] for name in sides} == {PEOPLE}
