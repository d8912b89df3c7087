"""Signs of bad training, each at the number where it begins: speakers held out, files left as they were, sets told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stripeless.attackers.checks import check_attackers, separability
from stripeless.attackers.embedded import Embedded, Training
from stripeless.embeddings.embeddings import Embeddings
from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.results.assessment import Assessment

RNG = np.random.default_rng(9)


def people(count: int, each: int, noise: float = 0.2, prefix: str = "t", shift: float = 0.0) -> Embeddings:
    """Each speaker has a place of their own; with noise above all, nobody is told apart."""
    who = tuple(f"{prefix}{k // each}" for k in range(count * each))
    vectors = np.repeat(RNG.normal(size=(count, 5)), each, axis=0) + noise * RNG.normal(size=(count * each, 5)) + shift
    return Embeddings(vectors, tuple(f"{name}-{k}" for k, name in enumerate(who)), who)


def result(attacker: str, low: float, high: float) -> Assessment:
    return Assessment(
        {"eer": Measure(MEASURES["eer"], (low + high) / 2, low, high), "d_ece": Measure(MEASURES["d_ece"], 0.1)},
        100,
        100,
        attacker=attacker,
    )


JUDGED = Embedded(people(8, 2, prefix="j"), people(8, 3, prefix="j"))
HIDDEN = Embedded(
    *(replace(side, vectors=RNG.normal(size=side.vectors.shape)) for side in (JUDGED.enrollment, JUDGED.trials))
)
EQUAL = [result(name, 0.2, 0.4) for name in ("ignorant", "lazy-informed", "semi-informed")]


def codes(
    training: Training | None = None,
    results: list[Assessment] = EQUAL,
    hidden: Embedded = HIDDEN,
    original: Embedded = JUDGED,
) -> list[str]:
    return [finding.code for finding in check_attackers(original, hidden, results, training or Training(), 0)]


# Speakers held out of the training


@pytest.mark.parametrize(("speakers", "told"), [(6, []), (7, ["untrained"]), (30, ["untrained"])])
def test_three_speakers_must_be_left_to_learn_from(speakers: int, told: list[str]) -> None:
    """Four are held out, or a fifth; vectors that say nothing of who speaks teach nothing."""
    blind = people(speakers, 12, noise=1.0)
    blind = replace(blind, vectors=RNG.normal(size=blind.vectors.shape))
    assert codes(Training(anonymized=blind)) == told
    assert codes(Training(anonymized=blind), results=EQUAL[:2]) == [], "nobody semi-informed was played"


def test_who_knows_the_training_much_better_is_mismatched() -> None:
    clear = people(150, 4, noise=0.05)
    far = [*EQUAL[:2], result("semi-informed", 0.3, 0.5)]
    assert codes(Training(anonymized=clear), results=[*EQUAL[:2], result("semi-informed", 0.3, 0.5)]) == [
        "training-mismatch"
    ]
    near = [*EQUAL[:2], result("semi-informed", 0.0, 0.5)]
    assert codes(Training(anonymized=clear), results=near) == []
    message = check_attackers(JUDGED, HIDDEN, far, Training(anonymized=clear), 0)[0].message
    assert "attacker's EER is 0.0 %, on the evaluation 40.0 %" in message


def test_one_utterance_of_each_cannot_be_held_out() -> None:
    assert codes(Training(anonymized=people(20, 1))) == []


# Overlap, manifests, files as they were


def test_who_is_judged_must_not_teach() -> None:
    stranger, known = people(9, 2, prefix="x"), people(9, 2, prefix="j")
    assert codes(Training(original=stranger)) == []
    assert codes(Training(original=known)) == ["training-overlap"]
    both = check_attackers(JUDGED, HIDDEN, EQUAL[:2], Training(original=known, anonymized=known), 0)
    overlaps = [finding.message for finding in both if finding.code == "training-overlap"]
    assert [message.split()[4] for message in overlaps] == ["original", "anonymized"]
    assert all(message.startswith("8 speakers") and "such as 'j0'" in message for message in overlaps)
    trials_only = replace(known, speakers=("j7", *("y",) * 17))
    alone = Embedded(people(3, 2, prefix="e"), HIDDEN.trials)
    assert codes(Training(original=trials_only), hidden=alone) == ["training-overlap"]


def test_manifests_are_compared_key_by_key() -> None:
    assert codes(Training(manifests=({"alpha": 0.8, "seed": 1}, {"seed": 1, "alpha": 0.8}))) == []
    (told,) = check_attackers(JUDGED, HIDDEN, EQUAL, Training(manifests=({"b": 1, "same": 2}, {"a": 1, "same": 2})), 0)
    assert (told.code, told.severity) == ("manifests-differ", "serious")
    assert "a, b differ" in told.message


@pytest.mark.parametrize(("left", "told"), [(1, False), (2, True)])
def test_one_vector_in_twenty_may_be_as_it_was(left: int, told: bool) -> None:
    before = people(10, 2, prefix="j")
    after = RNG.normal(size=before.vectors.shape)
    after[:left] = 3 * before.vectors[:left]
    hidden = Embedded(HIDDEN.enrollment, replace(before, vectors=after))
    found = check_attackers(Embedded(JUDGED.enrollment, before), hidden, EQUAL, Training(), 0)
    assert [(finding.code, finding.severity) for finding in found] == [("not-anonymized", "serious")] * told
    assert not told or found[0].message.startswith("10 % of the anonymized trials vectors equal their originals")


def test_only_utterances_of_one_name_and_one_space_are_compared() -> None:
    renamed = replace(JUDGED.trials, utterances=tuple(f"new {name}" for name in JUDGED.trials.utterances))
    assert codes(hidden=Embedded(HIDDEN.enrollment, renamed)) == []
    longer = replace(JUDGED.trials, vectors=np.hstack([JUDGED.trials.vectors, np.zeros((24, 1))]))
    assert codes(hidden=Embedded(HIDDEN.enrollment, longer)) == []
    assert codes(hidden=JUDGED) == ["not-anonymized", "not-anonymized"]
    shuffled = np.arange(24)[::-1]
    moved = Embeddings(
        JUDGED.trials.vectors[shuffled], tuple(JUDGED.trials.utterances[k] for k in shuffled), JUDGED.trials.speakers
    )
    assert codes(hidden=Embedded(HIDDEN.enrollment, moved)) == ["not-anonymized"]


# Chance


def test_above_one_half_beyond_chance() -> None:
    above = [result("ignorant", 0.51, 0.6), result("lazy-informed", 0.5, 0.6)]
    (told,) = check_attackers(JUDGED, HIDDEN, above, Training(), 0)
    assert (told.code, told.severity) == ("above-chance", "caution")
    assert told.message.startswith("The ignorant attacker's EER is 55.5 %")
    bare = replace(above[1], measures={"eer": Measure(MEASURES["eer"], 0.51)})
    assert codes(results=[bare]) == ["above-chance"]


# Told apart


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [(0.0, 0.0, False), (0.0, 3.0, True), (3.0, 3.0, False), (3.0, 0.0, False)],
)
def test_sets_are_told_apart_better_than_their_originals(before: float, after: float, told: bool) -> None:
    rng = np.random.default_rng(1)

    def drawn(prefix: str, shift: float, rows: int = 200) -> Embeddings:
        names = tuple(f"{prefix}{k}" for k in range(rows))
        return Embeddings(rng.normal(size=(rows, 5)) + shift, names, names)

    original, hidden = (Embedded(drawn("j", 0.0), drawn("j", 0.0)) for _ in range(2))
    training = Training(drawn("t", before), drawn("t", after))
    found = [f for f in check_attackers(original, hidden, EQUAL[:2], training, 0) if f.code == "told-apart"]
    assert bool(found) == told


def test_separability_is_the_area_of_a_ridge_in_two_folds() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    metrics = pytest.importorskip("sklearn.metrics")
    first, second = RNG.normal(size=(61, 4)) * [1, 2, 3, 4] + 0.4, RNG.normal(size=(40, 4)) * [1, 2, 3, 4]
    data, labels = np.vstack([first, second]), np.repeat([1.0, -1.0], [61, 40])
    fold = np.r_[np.arange(61) % 2, np.arange(40) % 2]
    areas = []
    for part in (0, 1):
        inside = fold != part
        center = data[inside] - data[inside].mean(axis=0)
        strength = np.trace(center.T @ center) / 4
        model = linear.Ridge(alpha=strength).fit(data[inside], labels[inside])
        areas.append(metrics.roc_auc_score(labels[~inside] > 0, model.predict(data[~inside])))
    assert separability(first, second) == pytest.approx(np.mean(areas), abs=1e-9)
    assert separability(first, first[:0:-1]) == pytest.approx(0.5, abs=0.2)
    assert separability(np.ones((4, 2)) * [1, 0], np.ones((4, 2)) * [0, 1]) == 1.0


@pytest.mark.parametrize(
    ("before", "after", "told"), [(0.45, 0.59, False), (0.45, 0.61, True), (0.55, 0.64, False), (0.55, 0.66, True)]
)
def test_telling_apart_begins_at_60_percent_and_a_tenth_above_the_originals(
    monkeypatch: pytest.MonkeyPatch, before: float, after: float, told: bool
) -> None:
    from stripeless.attackers import checks

    areas = iter([after, before])
    monkeypatch.setattr(checks, "separability", lambda first, second: next(areas))
    found = codes(Training(people(30, 1), people(30, 1)))
    assert found == ["told-apart"] * told
