"""The shipped pool: enough voices of both sexes, of nobody, apart from each other, each with a pitch; and B1 runs on it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from stripeless.embeddings.encoders.compact import CompactEncoder
from stripeless.embeddings.safetensors_file import read_safetensors
from stripeless.errors import InputError
from stripeless.protections.pseudo.pool import Pool
from stripeless.synthesis.pool import shipped_pitch, shipped_pool, shipped_utterances
from stripeless.synthesis.shipped import shipped_file

VECTORS, NAMES, SEXES = shipped_pool()
WOMEN = np.array(SEXES) == "f"


def test_there_are_400_women_and_400_men() -> None:
    assert VECTORS.shape == (800, 192)
    assert len(set(NAMES)) == 800
    assert WOMEN.sum() == 400
    assert all(name.startswith(f"pool-{sex}") for name, sex in zip(NAMES, SEXES, strict=True))
    np.testing.assert_allclose(np.linalg.norm(VECTORS, axis=1), 1.0, atol=1e-6)
    again, names, _ = shipped_pool()
    assert np.array_equal(again, VECTORS)
    assert names == NAMES


def test_it_belongs_to_the_shipped_encoder() -> None:
    assert read_safetensors(shipped_file("pool"))[1]["encoder"] == CompactEncoder().identity


@pytest.mark.parametrize("of", [WOMEN, ~WOMEN], ids=["women", "men"])
def test_no_two_voices_are_one(of: np.ndarray) -> None:
    near = VECTORS[of] @ VECTORS[of].T
    np.fill_diagonal(near, -1)
    assert near.max() < 0.75
    assert np.linalg.matrix_rank(VECTORS[of], tol=0.1) > 60  # not a few voices mixed


def test_women_and_men_sound_different() -> None:
    center = {sex: VECTORS[np.array(SEXES) == sex][::2].mean(axis=0) for sex in "fm"}
    rest = np.arange(800) % 2 == 1
    told = VECTORS @ center["f"] > VECTORS @ center["m"]
    assert (told == WOMEN)[rest].mean() > 0.95


def test_each_voice_has_a_pitch_of_its_own() -> None:
    hertz, deviation = shipped_pitch()
    assert hertz.shape == deviation.shape == (800,)
    assert 160 < np.median(hertz[WOMEN]) < 240
    assert 85 < np.median(hertz[~WOMEN]) < 150
    assert hertz.min() > 60
    assert hertz.max() < 400
    assert 0.03 < deviation.min() < np.median(deviation) < 0.4
    assert np.std(np.log(hertz[WOMEN])) > 0.05


def test_utterances_lie_about_their_voice() -> None:
    said = shipped_utterances(4)
    assert np.array_equal(said.vectors, shipped_utterances(4).vectors)
    assert not np.array_equal(said.vectors, shipped_utterances(4, seed=1).vectors)
    pool = Pool.of(said)
    assert pool.speakers == NAMES
    np.testing.assert_allclose(pool.vectors, VECTORS, atol=1e-5)
    own = said.vectors.reshape(800, 4, 192)
    unit = own / np.linalg.norm(own, axis=2, keepdims=True)
    same = np.mean([(unit[:, i] * unit[:, j]).sum(axis=1) for i in range(4) for j in range(i)])
    assert same > (unit[WOMEN, 0] @ unit[WOMEN, 1].T).mean() + 0.2
    with pytest.raises(InputError, match="at least one"):
        shipped_utterances(0)


def test_b1_runs_on_it() -> None:
    from stripeless.protections.pseudo.farthest import fit_farthest

    system = fit_farthest(Pool.of(shipped_utterances(4)), seed=5)
    assert system.dimension == 192


@pytest.mark.slow
def test_nobody_who_trained_is_in_it(digits: Path, libri251: Path, libri_mini: Path) -> None:
    """No voice is closer to a training speaker than half of these are to the next of them, and voices are as unlike as people."""
    spec = importlib.util.spec_from_file_location("voice_corpus", Path(__file__).parents[2] / "scripts/voice/corpus.py")
    assert spec is not None
    assert spec.loader is not None
    division = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(division)
    encoder = CompactEncoder()
    people: dict[str, list[np.ndarray]] = {"f": [], "m": []}
    for corpus in division.training_corpora(digits.parent):
        for speaker in corpus.speakers:
            said = corpus.of_speaker(speaker)
            mean = np.mean([encoder.embed(utterance.read().samples) for utterance in said], axis=0)
            people[said[0].sex].append(mean / np.linalg.norm(mean))
    for sex, rows in people.items():
        real, voices = np.stack(rows), VECTORS[np.array(SEXES) == sex]
        near = real @ real.T
        np.fill_diagonal(near, -1)
        assert (voices @ real.T).max() < np.median(near.max(axis=1)) + 0.005  # of rounding
        apart = np.quantile(near[np.triu_indices(len(near), 1)], [0.05, 0.5, 0.95])
        pool = np.quantile((voices @ voices.T)[np.triu_indices(400, 1)], [0.05, 0.5, 0.95])
        np.testing.assert_allclose(pool, apart, atol=0.1)
