"""Judging in rotation: every speaker once, nobody in two roles; and the real x-vectors."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from stripeless.attributes.rotation import judge_in_rotation
from stripeless.embeddings.files import read_embeddings
from stripeless.errors import NotANumber
from stripeless.protections.labels import ProtectionWarning
from stripeless.protections.lda import fit_lda_protection

LINEAR = ["logistic"]


def oblique(vectors, labels, speakers):
    return fit_lda_protection(vectors, labels, shrinkage="auto", projection="oblique")


@pytest.fixture(scope="module")
def people():
    """80 speakers of 5 utterances, sex in the first dimension."""
    rng = np.random.default_rng(0)
    speakers = np.repeat(np.arange(80), 5)
    labels = np.where(speakers % 2, "m", "f")
    vectors = rng.normal(size=(80, 5))[speakers] + rng.normal(size=(400, 5))
    vectors[:, 0] += np.where(labels == "f", 4.0, -4.0)
    return vectors, labels, speakers


def test_nobody_is_protected_by_a_map_that_saw_him(people):
    vectors, labels, speakers = people
    shown = []

    class Spy:
        def __init__(self, fitted):
            self.fitted = fitted

        def apply(self, rows):
            who = {int(speakers[np.flatnonzero((vectors == row).all(axis=1))[0]]) for row in rows}
            assert not who & self.fitted
            shown.extend(who)
            return rows

    def fit(rows, names, persons):
        fitted = {int(person) for person in persons}
        places = [np.flatnonzero((vectors == row).all(axis=1))[0] for row in rows]
        assert [labels[place] for place in places] == list(names)
        assert {int(speakers[place]) for place in places} == fitted
        assert len(fitted) == 60
        return Spy(fitted)

    judge_in_rotation(fit, vectors, labels, speakers, rotations=4, classifiers=LINEAR)
    assert sorted(shown) == list(range(80))


def test_a_protection_that_breaks_vectors_is_named(people):
    class Broken:
        def apply(self, rows):
            return np.where(np.arange(len(rows))[:, None] == 3, np.nan, rows)

    with pytest.raises(NotANumber, match="protected: 1 of 200 rows"):
        judge_in_rotation(lambda x, y, s: Broken(), *people, classifiers=LINEAR)


def test_every_vector_counts_once_and_pairs_stay_within_a_part(people):
    result = judge_in_rotation(None, *people, rotations=4, classifiers=LINEAR, resamples=100)
    assert sum(result.strongest.tested.category_counts.values()) == 400
    assert result["d_ece"] > 0.6
    assert result.strongest.tested.measures["d_ece"].low > 0.5
    cosine = result.verification["cosine"]
    assert cosine.n_target == 80 * 10
    assert cosine.n_nontarget == 8 * (50 * 49 // 2) - 80 * 10  # four parts, ten speakers of each sex in each
    assert set(result.verification) == {"cosine", "plda"}


def test_a_protection_that_works_is_seen_to_work(people):
    before = judge_in_rotation(None, *people, classifiers=LINEAR)
    after = judge_in_rotation(oblique, *people, classifiers=LINEAR)
    assert after["d_ece"] < 0.15 < 0.6 < before["d_ece"]
    assert after.mutual_information[0] < 0.2 < before.mutual_information[0]


def test_chance_with_attackers_trained_anew(people):
    """Real labels stand out; exchanged ones show little, and the exchange is over speakers, not over rows."""
    result = judge_in_rotation(None, *people, classifiers=LINEAR, retrained=9)
    assert result.chance.retrained
    assert result.chance.shuffles == 9
    assert result.chance.p_value == pytest.approx(1 / 10)
    assert 0.0 < result.chance.mean < 0.2
    assert not judge_in_rotation(None, *people, classifiers=LINEAR).chance.retrained
    again = judge_in_rotation(None, *people, classifiers=LINEAR, retrained=9)
    assert again.chance == result.chance


def test_attackers_across_parts_would_be_fooled():
    """The trap that the module warns of: what maps fitted on the others leave points away from what the others keep."""
    rng = np.random.default_rng(3)
    speakers = np.repeat(np.arange(40), 4)
    labels = np.where(speakers % 2, "m", "f")
    vectors = rng.normal(size=(40, 30))[speakers] + 0.3 * rng.normal(size=(160, 30))
    vectors[:, 0] += np.where(labels == "f", 4.0, -4.0)
    half = speakers < 20
    shown = np.empty_like(vectors)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtectionWarning)
        for judged in (half, ~half):
            shown[judged] = oblique(vectors[~judged], labels[~judged], speakers[~judged]).apply(vectors[judged])
    gap = [shown[part & (labels == "f")].mean(0) - shown[part & (labels == "m")].mean(0) for part in (half, ~half)]
    cosine = gap[0] @ gap[1] / np.linalg.norm(gap[0]) / np.linalg.norm(gap[1])
    assert cosine < -0.5


@pytest.fixture(scope="module")
def xvectors(librispeech):
    """Twelve x-vectors of each of 40 speakers, with sex."""
    parts = [
        read_embeddings(librispeech / "xvectors" / "original" / f"{name}.scp", utt2spk=librispeech / name)
        for name in ("enrolls", "trials_f", "trials_m")
    ]
    speakers = np.array([who for part in parts for who in part.speakers])
    kept = np.concatenate([np.flatnonzero(speakers == who)[:12] for who in np.unique(speakers)])
    sex = np.array([sex for part in parts for sex in part.sex])
    return np.concatenate([part.vectors for part in parts])[kept].astype(np.float64), sex[kept], speakers[kept]


def test_real_xvectors_only_the_oblique_projection_hides_sex(xvectors):
    """Speaker-disjoint, so 20 speakers fit each map: sex is nearly all there after Eq. 8, and most of it gone oblique."""

    def result(fit):
        return judge_in_rotation(fit, *xvectors, classifiers=LINEAR, resamples=100, seed=0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtectionWarning)
        original, slanted = result(None), result(oblique)
        straight = result(lambda x, y, s: fit_lda_protection(x, y, shrinkage="auto"))
    before, after = (r.strongest.tested.measures["d_ece"] for r in (original, slanted))
    assert before.value == pytest.approx(0.60, abs=0.02)
    assert before.low > after.high
    assert before.low < straight["d_ece"] < before.high
    assert slanted.chance.mean < after.value < before.value / 2
    error = original.verification["cosine"].measures["eer"]
    assert error.low < slanted.verification["cosine"]["eer"] < error.high
    assert slanted.verification["cosine"]["eer"] - error.value < 0.01
