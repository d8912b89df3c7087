"""The steps of judging an attribute, each against an answer worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stripeless.attributes import chance as chance_module
from stripeless.attributes.calibration import llr_calibration
from stripeless.attributes.chance import chance_of, information_by_chance, ratios_about, strongest_d_ece
from stripeless.attributes.classifiers import (
    CLASSIFIERS,
    NEIGHBORS,
    attribute_scores,
    check_classifiers,
    class_llr,
    log_posteriors,
    row_folds,
)
from stripeless.attributes.maps import neighbor_map
from stripeless.attributes.mutual_information import mutual_information
from stripeless.attributes.proof import findings_of, judge_protection, relative_change, trials_about
from stripeless.attributes.svm import COSTS, HOLD_OUT, WIDTHS
from stripeless.attributes.verification import (
    can_verify,
    check_background,
    cosine_matrix,
    joined_trials,
    verification,
    verification_trials,
    verifiers,
)
from stripeless.embeddings.plda import fit_plda
from stripeless.errors import InputError, NotANumber
from stripeless.measures.zebra import zebra
from stripeless.protections.labels import LabeledVectors, ProtectionWarning
from stripeless.protections.settings import Progress

RNG = np.random.default_rng(8)


def labeled(codes: list[int], speakers: list[int], vectors: Any = None, classes: str = "fm") -> LabeledVectors:
    rows = RNG.normal(size=(len(codes), 3)) if vectors is None else np.asarray(vectors, dtype=float)
    return LabeledVectors(rows, tuple(classes), np.array(codes), np.array(speakers))


# Classifiers


def test_one_class_against_all_others_being_equally_likely() -> None:
    probabilities = np.array([[0.5, 0.3, 0.1], [0.1, 0.1, 0.4]])
    np.testing.assert_allclose(class_llr(np.log(probabilities), 0), np.log([0.5 / 0.2, 0.1 / 0.25]))
    np.testing.assert_allclose(class_llr(np.log(probabilities), 2), np.log([0.1 / 0.4, 0.4 / 0.1]))
    far = class_llr(np.array([[-1000.0, -2000.0, -1500.0]]), 1)
    np.testing.assert_allclose(far, [-1000.0 + np.log(2)], err_msg="no underflow")


def test_a_vote_of_all_neighbors_is_not_certainty() -> None:
    class Sure:
        steps = ()

        def __init__(self, last: Any) -> None:
            self.last = last

        def __getitem__(self, place: int) -> Any:
            assert place == -1
            return self.last

        def predict_proba(self, vectors: Any) -> Any:
            return np.array([[1.0, 0.0]])

    votes = log_posteriors(Sure(SimpleNamespace(n_neighbors=NEIGHBORS)), None)
    np.testing.assert_allclose(np.exp(votes), [[15.5 / 16, 0.5 / 16]])
    np.testing.assert_allclose(np.exp(log_posteriors(Sure(None), None)), [[1.0, 1e-12]])


def test_training_scores_are_averaged_over_the_folds_that_saw_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A classifier that answers with the number of its fit: 1, 2, 3."""
    fits: list[list[int]] = []

    class Counting:
        def fit(self, vectors: Any, codes: Any) -> None:
            fits.append(codes.tolist())

        def predict_proba(self, vectors: Any) -> Any:
            return np.tile([[np.exp(-len(fits)), 1.0]], (len(vectors), 1))

    def made(seed: int) -> Counting:
        assert seed == 6
        return Counting()

    monkeypatch.setitem(CLASSIFIERS, "counting", made)
    data = labeled([0, 1, 1, 0, 1, 0], [0, 1, 2, 3, 4, 5])
    folds = np.array([0, 0, 1, 1, 2, 2])
    (scores,) = attribute_scores(data, data.vectors, folds, ["counting"], 6)
    assert scores.classifier == "counting"
    assert fits == [[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 1, 0]]
    prior = np.log(0.5)
    np.testing.assert_allclose(scores.tested[:, 0], -np.repeat([1, 2, 3], 2) - prior)
    np.testing.assert_allclose(scores.trained[:, 0], -np.repeat([2.5, 2.0, 1.5], 2) - prior)


def test_priors_are_those_of_the_rows_that_taught(monkeypatch: pytest.MonkeyPatch) -> None:
    blind = SimpleNamespace(
        fit=lambda vectors, codes: None, predict_proba=lambda vectors: np.full((len(vectors), 2), 0.5)
    )
    monkeypatch.setitem(CLASSIFIERS, "blind", lambda seed: blind)
    data = labeled([0, 0, 0, 1, 0, 1], [0, 1, 2, 3, 4, 5])
    (scores,) = attribute_scores(data, data.vectors, np.array([0, 0, 0, 0, 1, 1]), ["blind"], 0)
    np.testing.assert_allclose(scores.tested[0], np.log([0.5 / 0.5, 0.5 / 0.5]))
    np.testing.assert_allclose(scores.tested[5], np.log([0.5 / 0.75, 0.5 / 0.25]))


def test_who_is_asked() -> None:
    assert check_classifiers(None) == tuple(CLASSIFIERS)
    assert check_classifiers(["angles"]) == ("angles",)
    with pytest.raises(InputError, match="oracle, seer given, known are perceptron"):
        check_classifiers(["oracle", "angles", "seer"])
    with pytest.raises(InputError, match="classifiers: none given"):
        check_classifiers([])


def test_folds_are_as_many_as_the_smaller_class_allows() -> None:
    data = labeled([0] * 10 + [1] * 6, [*range(5), *range(5), 5, 6, 7, 5, 6, 7])
    folds = row_folds(data, 5, 0)
    assert sorted(set(folds)) == [0, 1, 2]
    assert sorted(folds[10:13]) == [0, 1, 2]
    assert np.array_equal(folds[:5], folds[5:10])
    assert sorted(set(row_folds(data, 2, 0))) == [0, 1]
    with pytest.raises(InputError, match="5 folds of 1 speakers"):
        row_folds(labeled([0, 0, 1], [0, 1, 2]), 5, 0)
    with pytest.raises(InputError, match="1 folds of 3"):
        row_folds(data, 1, 0)


# Chance


def test_p_counts_exchanges_that_show_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = iter([0.3, 0.1, 0.3, 0.5, 0.2])
    monkeypatch.setattr(chance_module, "_strongest", lambda ratios, codes: next(shown))
    found = chance_of(labeled([0, 1], [0, 1]), [np.zeros((2, 2))], 0, shuffles=4)
    assert (found.mean, found.p_value, found.shuffles) == (pytest.approx(0.275), 3 / 5, 4)
    assert found.high == pytest.approx(np.quantile([0.1, 0.3, 0.5, 0.2], 0.95))
    assert not found.retrained


def test_the_strongest_classifier_and_class_counts() -> None:
    data = labeled([0, 0, 1, 1, 2, 2], list(range(6)), classes="abc")
    weak, sure = (
        RNG.normal(size=(6, 3)),
        np.array([[0.0, 0, -9], [0, 0, -9], [0, 0, -9], [0, 0, -9], [0, 0, 9], [0, 0, 9]]),
    )
    assert [code for code, _ in ratios_about([weak, sure], data)] == [0, 1, 2, 0, 1, 2]
    llr = class_llr(sure, 2)
    assert strongest_d_ece([weak, sure], data) == zebra(llr[4:], llr[:4]).d_ece
    two = labeled([0, 0, 1, 1], list(range(4)))
    assert [code for code, _ in ratios_about([weak[:4, :2]], two)] == [0]


def test_information_by_chance_exchanges_people() -> None:
    """With two people of a class there are only six ways to label four; the mean is over five of them."""
    speakers = np.repeat(np.arange(20), 6)
    vectors = RNG.normal(size=(20, 2))[speakers] + 0.01 * RNG.normal(size=(120, 2))
    by_people = labeled((speakers % 2).tolist(), speakers.tolist(), vectors)
    by_rows = labeled((speakers % 2).tolist(), list(range(120)), vectors)
    assert information_by_chance(by_people, 0) > 3 * information_by_chance(by_rows, 0)
    rng = np.random.default_rng(4)
    values = [
        mutual_information(vectors, rng.permutation(by_people.speaker_classes)[speakers].tolist()).mean()
        for _ in range(5)
    ]
    assert information_by_chance(by_people, 4) == pytest.approx(np.mean(values))


# The proof


def test_change_is_relative_to_the_spread() -> None:
    before = labeled([0, 1], [0, 1], [[1.0, 0.0], [3.0, 4.0]])
    after = replace(before, vectors=np.array([[1.0, 1.0], [3.0, 2.0]]))
    assert relative_change(after, before) == pytest.approx(np.sqrt(5 / (1 + 4 + 1 + 4)))


def test_doubts_become_findings_once() -> None:
    few, constant = ProtectionWarning("few", "few_speakers"), ProtectionWarning("flat", "constant_dimensions")
    found = findings_of([few, constant, few])
    assert [(f.code, f.severity, f.message) for f in found] == [
        ("few_speakers", "caution", "few"),
        ("constant_dimensions", "remark", "flat"),
    ]


def test_each_vector_is_a_trial_of_its_speaker() -> None:
    data = labeled([0, 1, 1], [2, 0, 0])
    trials = trials_about(data, np.array([1.0, 2.0, 3.0]), 1)
    assert (trials.target.tolist(), trials.nontarget.tolist()) == ([2.0, 3.0], [1.0])
    assert trials.trial_speakers is not None
    assert trials.trial_speakers.names == ("0", "1", "2")
    assert (trials.trial_speakers.target.tolist(), trials.trial_speakers.nontarget.tolist()) == ([0, 0], [2])


@pytest.mark.parametrize(("original", "steps"), [(False, 2), (True, 4)])
def test_progress_counts_each_classifier_on_each_set(original: bool, steps: int) -> None:
    pytest.importorskip("sklearn")
    people = np.repeat(np.arange(40), 2)
    vectors, labels = RNG.normal(size=(80, 3)), np.where(people % 2, "m", "f")
    told: list[Progress] = []
    proof = judge_protection(
        vectors, labels.tolist(), people.tolist(), original=vectors + 1 if original else None, classifiers=["logistic", "angles"],
        folds=3, progress=told.append, seed=5, name="moved",
    )  # fmt: skip
    assert [(one.done, one.total) for one in told] == [(k + 1, steps) for k in range(steps)]
    assert (proof.folds, proof.name, proof.seed, proof.trained_on) == (3, "moved", 5, "protected")
    assert proof.protected.name == "protected"
    assert (proof.change is None) == (proof.original is None) == (not original)
    assert [one.classifier for one in proof.protected.classifiers] == ["logistic", "angles"]
    counted = proof.protected
    assert (counted.n_target, counted.n_nontarget) == (40, 40)
    strongest = max(counted.classifiers, key=lambda one: one.measures["d_ece"].value)  # type: ignore[arg-type,return-value]
    assert counted.strongest_name == strongest.classifier
    assert counted.measures["d_ece"] == strongest.measures["d_ece"]
    assert sum(counted.category_counts.values()) == 80


# Verification


def test_cosines_of_rows_and_of_zeros() -> None:
    found = cosine_matrix(np.array([[3.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
    root = np.sqrt(0.5)
    np.testing.assert_allclose(found, [[1, root, 0], [root, 1, 0], [0, 0, 0]], atol=1e-12)


def test_pairs_are_of_one_class() -> None:
    data = labeled([0, 0, 1, 0, 1], [0, 0, 1, 2, 1])
    matrix = np.arange(25.0).reshape(5, 5)
    trials = verification_trials(data, lambda vectors: matrix, 0)
    assert trials.target.tolist() == [1.0, 14.0]  # rows 0 and 1, rows 2 and 4
    assert trials.nontarget.tolist() == [3.0, 8.0]  # row 3 with rows 0 and 1
    assert trials.enrollment_speakers is not None
    assert trials.trial_speakers is not None
    assert (trials.enrollment_speakers.target.tolist(), trials.enrollment_speakers.nontarget.tolist()) == (
        [0, 1],
        [0, 0],
    )
    assert (trials.trial_speakers.target.tolist(), trials.trial_speakers.nontarget.tolist()) == ([0, 1], [2, 2])
    assert trials.trial_speakers.names == ("0", "1", "2")
    result = verification(data, lambda vectors: -matrix, resamples=0, seed=3)
    assert (result.n_target, result.n_nontarget, result.seed, dict(result.curves)) == (2, 2, 3, {})


def test_trials_of_parts_are_put_below_each_other() -> None:
    one = verification_trials(labeled([0] * 4, [0, 0, 1, 1]), cosine_matrix, 0)
    two = verification_trials(labeled([0] * 4, [2, 2, 3, 3]), cosine_matrix, 0)
    both = joined_trials([one, two])
    assert both.target.tolist() == [*one.target, *two.target]
    assert both.trial_speakers is not None
    assert both.enrollment_speakers is not None
    assert both.trial_speakers.names == ("0", "1", "2", "3")
    assert both.enrollment_speakers.target.tolist() == [0, 1, 2, 3]
    assert set(both.trial_speakers.nontarget.tolist()) == {1, 3}


@pytest.mark.parametrize(
    ("codes", "speakers", "possible"),
    [([0, 0, 0], [0, 0, 1], True), ([0, 0, 1], [0, 0, 1], False), ([0, 0, 1], [0, 1, 2], False)],
)
def test_speakers_can_be_verified_where_one_has_two_utterances_and_a_rival(
    codes: list[int], speakers: list[int], possible: bool
) -> None:
    assert can_verify(labeled(codes, speakers)) is possible


def test_a_background_teaches_mean_and_plda() -> None:
    vectors = np.repeat(RNG.normal(size=(8, 3)), 4, axis=0) + 0.2 * RNG.normal(size=(32, 3)) + 5
    people = np.repeat(np.arange(8), 4)
    known = check_background(vectors, people, 3)
    assert known.speakers[:5] == ("0", "0", "0", "0", "1")
    compare: dict[str, Callable[[Any], Any]] = verifiers(known)  # type: ignore[assignment]
    assert list(compare) == ["cosine", "plda"]
    np.testing.assert_allclose(compare["cosine"](vectors[:4]), cosine_matrix(vectors[:4] - vectors.mean(axis=0)))
    np.testing.assert_allclose(
        compare["plda"](vectors[:4]), fit_plda(vectors, known.speakers).scores(vectors[:4], vectors[:4])
    )
    assert list(verifiers(None)) == ["cosine"]
    np.testing.assert_allclose(verifiers(None)["cosine"](vectors[:4]), cosine_matrix(vectors[:4]))
    for wrong, names, size in ((vectors, people[1:], 3), (vectors, people, 4)):
        with pytest.raises(InputError, match="background: 32 vectors of 3 dimensions"):
            check_background(wrong, names, size)
    with pytest.raises(NotANumber, match="background"):
        check_background(np.full((2, 3), np.nan), [1, 2], 3)


# Calibration, information, maps


def test_calibration_of_two_classes_only() -> None:
    def claims(llr: list[float], classes: tuple[str, ...] = ("f", "m")) -> Any:
        return SimpleNamespace(classes=classes, evidence=lambda vectors: np.array([llr, llr]).T)

    found = llr_calibration(claims([2.0, 4.0, -1.0, -2.0]), np.zeros((4, 2)), ["f", "f", "m", "m"])
    assert (found.means, found.variances) == ((3.0, -1.5), (1.0, 0.25))
    bits = np.log2(1 + np.exp(-np.array([2.0, 4.0]))).mean(), np.log2(1 + np.exp(np.array([-1.0, -2.0]))).mean()
    assert found.cllr == pytest.approx(sum(bits) / 2)
    assert found.cllr_min == 0.0
    assert found.to_dict() == {
        "cllr": found.cllr, "cllr_min": 0.0, "loss": found.cllr, "means": [3.0, -1.5], "variances": [1.0, 0.25],
    }  # fmt: skip
    with pytest.raises(InputError, match="two classes, this one has 3"):
        llr_calibration(claims([1.0], ("a", "b", "c")), np.zeros((1, 2)), ["a"])


def test_information_needs_two_of_a_class_and_a_neighbor() -> None:
    values = np.array([[0.0], [0.1], [9.0], [9.1], [4.0]])
    assert (
        mutual_information(values, ["a", "a", "b", "b", "alone"])[0]
        == mutual_information(values[:4], ["a", "a", "b", "b"])[0]
    )
    assert mutual_information(values[:4], ["a", "a", "b", "b"], neighbors=1)[0] > 0.5
    with pytest.raises(InputError, match="neighbors: expected 1 or more, got 0"):
        mutual_information(values, ["a"] * 5, neighbors=0)
    with pytest.raises(InputError, match=r"one per row \(5\)"):
        mutual_information(values, [["a"]] * 5)


def test_few_rows_are_drawn_by_their_components(monkeypatch: pytest.MonkeyPatch) -> None:
    from stripeless.attributes import maps

    rows = RNG.normal(size=(maps.FEWEST - 1, 3)) * [5, 2, 1]
    np.testing.assert_allclose(neighbor_map(rows, method="UMAP"), neighbor_map(rows, method="PCA"))
    monkeypatch.setitem(maps.DRAWN, "UMAP", lambda centered, seed: np.full((len(centered), 2), float(seed)))
    enough = RNG.normal(size=(maps.FEWEST, 3))
    assert neighbor_map(enough, method="UMAP", seed=4).tolist() == [[4.0, 4.0]] * maps.FEWEST
    found = neighbor_map(rows, method="PCA")
    axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][:2]
    np.testing.assert_allclose(np.abs(found), np.abs((rows - rows.mean(axis=0)) @ axes.T), atol=1e-9)
    mirrored = neighbor_map(-rows, method="PCA")
    np.testing.assert_allclose(
        mirrored, -found, atol=1e-9, err_msg="axes point to where their largest weight is positive"
    )


def test_classifiers_are_set_as_described() -> None:
    """Figures of attackers compare only while their settings stay."""
    pytest.importorskip("sklearn")
    last = {name: make(7) for name, make in CLASSIFIERS.items()}
    machine = last.pop("svm")
    assert (machine.seed, WIDTHS, COSTS, HOLD_OUT) == (7, (0.125, 0.5, 2.0), (1.0, 10.0), 3)
    params = {name: (one[-1] if hasattr(one, "steps") else one).get_params() for name, one in last.items()}
    asked = {
        "perceptron": {"hidden_layer_sizes": (100,), "max_iter": 40, "alpha": 1e-3, "random_state": 7},
        "logistic": {"C": 0.01},
        "neighbors": {"n_neighbors": 15},
        "angles": {"n_neighbors": 15},
        "boosting": {"max_iter": 60, "max_features": 0.3, "early_stopping": False, "random_state": 7},
    }
    for name, wanted in asked.items():
        assert {key: params[name][key] for key in wanted} == wanted, name
    steps = {
        name: [type(step).__name__ for _, step in one.steps[:-1]] for name, one in last.items() if hasattr(one, "steps")
    }
    scaled = ["StandardScaler"]
    assert steps == {"perceptron": scaled, "logistic": scaled, "neighbors": scaled, "angles": [*scaled, "Normalizer"]}
