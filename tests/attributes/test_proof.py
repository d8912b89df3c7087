"""The proof: what would make a protection look good for the wrong reason?"""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from stripeless.attributes import verification as verification_module
from stripeless.attributes.chance import chance_of
from stripeless.attributes.classifiers import CLASSIFIERS, attribute_scores, class_llr, row_folds
from stripeless.attributes.proof import FLATTERS, judge_protection
from stripeless.errors import InputError, MissingExtra
from stripeless.protections.labels import ProtectionWarning, check_labeled
from stripeless.protections.lda import fit_lda_protection
from stripeless.worlds.attribute_population import simulate_attribute

LINEAR = ["logistic"]


@pytest.fixture(autouse=True)
def few_refits(monkeypatch):
    """Training anew 99 times is tried where it is tested."""
    monkeypatch.setattr("stripeless.attributes.exchange.REFITS", 19)


@pytest.fixture(scope="module")
def people():
    """60 speakers of 10 utterances: sex in the first dimension, a voice of their own in the others."""
    rng = np.random.default_rng(0)
    speakers = np.repeat(np.arange(60), 10)
    labels = np.where(speakers % 2, "m", "f")
    vectors = 2.0 * rng.normal(size=(60, 6))[speakers] + rng.normal(size=(600, 6))
    vectors[:, 0] += np.where(labels == "f", 6.0, -6.0)
    return vectors, labels, speakers


def hidden(vectors):
    protected = vectors.copy()
    protected[:, 0] = np.random.default_rng(1).normal(size=len(vectors))
    return protected


def test_before_and_after(people):
    vectors, labels, speakers = people
    proof = judge_protection(hidden(vectors), labels, speakers, original=vectors, classifiers=LINEAR, resamples=100)
    assert proof.original["d_ece"] > 0.6
    assert proof.protected["d_ece"] < 0.06
    assert proof.protected.strongest.tested.measures["d_ece"].high < 0.3
    assert proof.protected.chance.p_value > 0.05 > proof.original.chance.p_value
    assert proof.original.mutual_information[0] > 0.8
    assert proof.protected.mutual_information.max < 0.3
    assert proof.speakers == {"f": 30, "m": 30}
    assert proof.warnings == ()
    counts = proof.protected.strongest.tested.category_counts
    assert sum(counts.values()) == 600


def test_every_classifier_is_asked_and_the_strongest_counts():
    """Only a classifier that bends sees a sex that lies in the distance from the center."""
    rng = np.random.default_rng(2)
    labels = np.where(np.arange(400) % 2, "m", "f")
    vectors = rng.normal(size=(400, 2)) * np.where(labels == "f", 1.0, 4.0)[:, None]
    proof = judge_protection(vectors, labels, np.arange(400))
    seen = {result.classifier: result.tested["d_ece"] for result in proof.protected.classifiers}
    assert list(seen) == list(CLASSIFIERS)
    assert seen["logistic"] + 0.1 < min(seen["neighbors"], seen["boosting"])
    assert proof.protected["d_ece"] == max(seen.values())


def test_training_on_unprotected_vectors_flatters_and_is_warned_of(people):
    """A mirror: the old classifier takes all women for men, a new one sees as before."""
    vectors, labels, speakers = people
    skewed, protected = vectors, vectors * np.array([-1, 1, 1, 1, 1, 1])
    honest = judge_protection(protected, labels, speakers, original=skewed, classifiers=LINEAR)
    fooled = judge_protection(protected, labels, speakers, original=skewed, classifiers=LINEAR, trained_on="original")
    assert fooled.warnings == (FLATTERS,)
    assert honest.protected["d_ece"] > fooled.protected["d_ece"] + 0.3
    with pytest.raises(InputError, match="original"):
        judge_protection(protected, labels, speakers, classifiers=LINEAR, trained_on="original")


def test_no_speaker_is_in_training_and_test(people):
    vectors, labels, speakers = people
    data = check_labeled(vectors, labels, speakers)
    folds = row_folds(data, 5, seed=3)
    for fold in range(5):
        assert not set(speakers[folds == fold]) & set(speakers[folds != fold])
        assert np.bincount(data.codes[folds == fold]).tolist() == [60, 60]
    assert not np.array_equal(folds, row_folds(data, 5, seed=4))


def test_voices_without_sex_are_no_evidence():
    """A classifier that met the same speakers in training would see their sex by recognizing them; ours must not."""
    rng = np.random.default_rng(5)
    speakers = np.repeat(np.arange(40), 30)
    labels = np.where(speakers % 2, "m", "f")
    voices = 5 * rng.normal(size=(40, 10))[speakers] + rng.normal(size=(1200, 10))
    data = check_labeled(voices, labels, speakers)
    mixed = np.random.default_rng(0).integers(0, 5, 1200)
    leaky = next(attribute_scores(data, data.vectors, mixed, ["neighbors"], 0)).tested
    member = data.codes == 0
    assert (class_llr(leaky, 0) > 0)[member].mean() > 0.95
    proof = judge_protection(voices, labels, speakers, classifiers=["neighbors"])
    assert proof.protected["d_ece"] < proof.protected.chance.high + 0.02
    assert proof.protected.strongest.train.d_ece > 0.6


def test_the_order_of_rows_and_the_names_of_classes_do_not_matter(people):
    vectors, labels, speakers = people
    order = np.random.default_rng(1).permutation(600)
    one = judge_protection(vectors, labels, speakers, classifiers=LINEAR).protected
    two = judge_protection(vectors[order], labels[order], speakers[order], classifiers=LINEAR).protected
    assert one["d_ece"] == pytest.approx(two["d_ece"], abs=1e-6)
    swapped = np.where(labels == "f", "x", "a")
    three = judge_protection(vectors, swapped, speakers, classifiers=LINEAR).protected
    assert three["d_ece"] == pytest.approx(one["d_ece"], abs=0.05)


def test_three_classes_are_judged_by_the_one_that_shows_most():
    rng = np.random.default_rng(6)
    speakers = np.repeat(np.arange(90), 5)
    labels = np.array(["old", "young", "middle"])[speakers % 3]
    vectors = rng.normal(size=(450, 3))
    vectors[labels == "old", 0] += 8
    proof = judge_protection(vectors, labels, speakers, classifiers=LINEAR)
    assert proof.protected.strongest.about == "old"
    assert proof.protected["d_ece"] > 0.6
    assert 0 < proof.protected.chance.mean < 0.1


def test_chance_is_what_exchanged_labels_give(people):
    vectors, labels, speakers = people
    data = check_labeled(vectors, labels, speakers)
    rng = np.random.default_rng(0)
    nothing = np.column_stack([rng.normal(size=60)[speakers] + 0.1 * rng.normal(size=600), np.zeros(600)])
    chance = chance_of(data, [nothing], seed=0)
    assert 0.001 < chance.mean < chance.high < 0.2
    assert chance.p_value > 0.01
    assert chance == chance_of(data, [nothing], seed=0)
    strangers = check_labeled(vectors, labels, np.arange(600))  # 600 people give luck far less room than 60
    assert chance.mean > 3 * chance_of(strangers, [nothing], seed=0).mean


def test_information_has_its_own_chance(people):
    """Few vectors seem to tell something dimension by dimension; what labels exchanged among speakers give is no leak."""
    vectors, labels, speakers = people
    proof = judge_protection(hidden(vectors), labels, speakers, original=vectors, classifiers=LINEAR)
    after = proof.to_dict()["protected"]["mutual_information"]
    assert 0.01 < after["chance"] < 0.2
    assert after["mean"] < 2 * after["chance"]
    assert proof.original.mutual_information.chance < proof.original.mutual_information[0] / 4


def test_scores_do_not_lean_towards_the_larger_class():
    """A likelihood ratio, not a posterior: three times as many women are no evidence that somebody is one."""
    rng = np.random.default_rng(4)
    labels = np.where(np.arange(400) % 4 == 0, "m", "f")
    data = check_labeled(rng.normal(size=(400, 3)), labels, np.arange(400))
    folds = row_folds(data, 4, seed=0)
    for scores in attribute_scores(data, data.vectors, folds, ["logistic", "neighbors"], 0):
        assert abs(class_llr(scores.tested, 0).mean()) < 0.3
        assert abs(class_llr(scores.trained, 0).mean()) < 0.3


def test_verification_survives_when_only_sex_is_hidden(people):
    vectors, labels, speakers = people
    proof = judge_protection(hidden(vectors), labels, speakers, original=vectors, classifiers=LINEAR)
    before = proof.original.verification["cosine"]
    ruined = judge_protection(np.random.default_rng(0).normal(size=vectors.shape), labels, speakers, classifiers=LINEAR)
    assert ruined.protected.verification["cosine"]["eer"] == pytest.approx(0.5, abs=0.05)
    assert before.n_target == 60 * 45
    assert before.n_nontarget == 2 * (300 * 299 // 2) - 60 * 45


def test_background_teaches_mean_and_plda(people):
    vectors, labels, speakers = people
    shifted = vectors + 50.0
    proof = judge_protection(
        shifted[:400], labels[:400], speakers[:400], background=(shifted[400:], speakers[400:]), classifiers=LINEAR
    )
    assert set(proof.protected.verification) == {"cosine", "plda"}
    assert proof.protected.verification["plda"]["eer"] < 0.25
    blind = judge_protection(shifted[:400], labels[:400], speakers[:400], classifiers=LINEAR)
    assert proof.protected.verification["cosine"]["eer"] < blind.protected.verification["cosine"]["eer"] + 0.05
    with pytest.raises(InputError, match="background"):
        judge_protection(shifted, labels, speakers, background=(shifted[:, :3], speakers), classifiers=LINEAR)


def test_many_utterances_are_thinned_evenly(people, monkeypatch):
    vectors, labels, speakers = people
    monkeypatch.setattr(verification_module, "MOST_UTTERANCES", 120)
    rows = verification_module.chosen_rows(check_labeled(vectors, labels, speakers), 0)
    assert np.bincount(speakers[rows]).tolist() == [2] * 60


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"classifiers": ["oracle"]}, "oracle"),
        ({"classifiers": []}, "none"),
        ({"folds": 1}, "folds"),
        ({"original": np.zeros((3, 6))}, "one per row"),
    ],
)
def test_calls_that_do_not_fit(people, change, says):
    vectors, labels, speakers = people
    with pytest.raises(InputError, match=says):
        judge_protection(vectors, labels, speakers, **{"classifiers": LINEAR, **change})


def test_few_speakers_are_warned_of(people):
    vectors, labels, speakers = people
    with pytest.warns(ProtectionWarning, match="10 and 'm' has 10 speakers"):
        proof = judge_protection(vectors[:200], labels[:200], speakers[:200], classifiers=LINEAR)
    (finding,) = proof.to_dict()["warnings"]  # a report shows it too
    assert (finding["code"], finding["severity"]) == ("few_speakers", "caution")
    assert "10 speakers" in finding["message"]


def test_the_dict_is_plain_and_the_same_twice(people):
    import json

    vectors, labels, speakers = people
    texts = [
        json.dumps(judge_protection(hidden(vectors), labels, speakers, original=vectors, classifiers=LINEAR).to_dict())
        for _ in range(2)
    ]
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["measures"]["d_ece"]["value"] < 0.06


def test_without_scikit_learn_the_pip_line_is_given(people, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(MissingExtra, match=r"pip install 'stripeless\[classifiers\]'"):
        judge_protection(*people, classifiers=LINEAR)


def test_without_torch_the_pip_line_is_given(people, monkeypatch):
    import sys

    from stripeless.protections.train_adversarial import fit_adversarial_protection
    from stripeless.protections.train_flow import fit_flow_protection

    monkeypatch.setitem(sys.modules, "torch", None)
    for fit in (fit_flow_protection, fit_adversarial_protection):
        with pytest.raises(MissingExtra, match=r"pip install 'stripeless\[flow\]'"):
            fit(people[0], people[1])


def test_the_simulated_evidence_is_what_it_claims():
    people = simulate_attribute(600, 10, mu=3.0, turn=0.6, seed=1)
    female = np.array(people.labels) == "f"
    assert people.llr[female].mean() == pytest.approx(3.0, abs=0.3)
    assert people.llr[~female].var() == pytest.approx(6.0, rel=0.15)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linear = fit_lda_protection(people.vectors, people.labels).evidence(people.vectors)[:, 0]
    assert np.corrcoef(linear, people.llr)[0, 1] < 0.95
    again = simulate_attribute(600, 10, mu=3.0, turn=0.6, seed=1)
    np.testing.assert_array_equal(people.vectors, again.vectors)
    with pytest.raises(InputError, match="dimensions"):
        simulate_attribute(dimension=2)


def test_calibration_of_a_true_llr_and_of_one_too_bold():
    from types import SimpleNamespace

    from stripeless.attributes.calibration import llr_calibration

    people = simulate_attribute(400, 10, mu=2.0, seed=3)

    def claims(factor):
        return SimpleNamespace(classes=("f", "m"), evidence=lambda _: factor * people.llr[:, None])

    true, bold = (llr_calibration(claims(factor), people.vectors, people.labels) for factor in (1.0, 3.0))
    assert 0 < true.loss < 0.02 < 0.1 < bold.loss
    assert true.cllr_min == bold.cllr_min
    assert true.means[0] == pytest.approx(2.0, abs=0.2)
    assert true.variances[1] == pytest.approx(4.0, abs=0.6)
    with pytest.raises(InputError, match="'x' is not among"):
        llr_calibration(claims(1.0), people.vectors, ["x", *people.labels[1:]])


def test_what_lies_in_the_direction_alone_is_seen_whatever_the_length():
    """Embeddings are compared by angle: lengths that vary a lot must not hide from the attackers what directions tell."""
    rng = np.random.default_rng(7)
    centers = rng.normal(size=(2, 8, 24))  # eight kinds of voices in each class, which no plane parts
    people = np.arange(300)
    labels = np.where(people % 2, "m", "f")
    vectors = centers[people % 2, rng.integers(0, 8, 300)] + 0.7 * rng.normal(size=(300, 24))
    vectors *= np.exp(1.5 * rng.normal(size=(300, 1)))
    proof = judge_protection(vectors, labels, people)
    seen = {result.classifier: result.tested["d_ece"] for result in proof.protected.classifiers}
    assert proof.protected.strongest.classifier == "angles"
    assert seen["angles"] > seen["neighbors"] + 0.05


@pytest.mark.parametrize("power", [-1000, -660, 515, 1000])
def test_the_size_of_numbers_is_no_leak_and_hides_none(people, power):
    """A power of two changes no digit, so all is as it was: the answer, the vectors' doubts, the linking of speakers."""
    vectors, labels, speakers = people
    given = (labels, speakers)
    plain = judge_protection(vectors, *given, original=vectors, classifiers=["logistic"])
    moved = judge_protection(np.ldexp(vectors, power), *given, original=vectors, classifiers=["logistic"])
    assert moved.evidence.p == plain.evidence.p
    assert moved.protected["d_ece"] == plain.protected["d_ece"]
    assert (plain.change, moved.change) == (0.0, None)
    both = judge_protection(
        np.ldexp(hidden(vectors), power), *given, original=np.ldexp(vectors, power), classifiers=["logistic"]
    )
    assert both.change == judge_protection(hidden(vectors), *given, original=vectors, classifiers=["logistic"]).change


def test_vectors_that_teach_about_others_must_be_of_their_size(people):
    vectors, labels, speakers = people
    large = vectors * 1e155
    with pytest.raises(InputError, match=r"original: numbers up to [0-9.]+, but up to .*e\+15[56] in protected"):
        judge_protection(large, labels, speakers, original=vectors, classifiers=["logistic"], trained_on="original")
    with pytest.raises(InputError, match="background: numbers up to"):
        judge_protection(large, labels, speakers, background=(vectors, speakers), classifiers=["logistic"])
    proof = judge_protection(large, labels, speakers, background=(large, speakers), classifiers=["logistic"])
    small = judge_protection(vectors, labels, speakers, background=(vectors, speakers), classifiers=["logistic"])
    assert proof.evidence.p == small.evidence.p
