"""protect_study: who fits never judges, and everything the command does can be had from Python."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="judging needs pip install 'stripeless[classifiers]'")

from stripeless.embeddings.embeddings import Embeddings
from stripeless.errors import InputError
from stripeless.protections.labels import ProtectionWarning
from stripeless.protections.lda import fit_lda_protection
from stripeless.results.attribute import AttributeProof
from stripeless.studies.protect import (
    expected_time,
    first_half,
    hide_attribute,
    judge_hidden,
    label_rows,
    protect_study,
    say_anew,
)

QUICK = {"classifiers": ["logistic"], "resamples": 0}
oblique = partial(fit_lda_protection, projection="oblique")


@pytest.fixture(autouse=True)
def few_refits(monkeypatch):
    """Training anew 99 times is tried where it is tested."""
    monkeypatch.setattr("stripeless.attributes.exchange.REFITS", 19)


def people(count, each=3, start=0, width=4, shift=4.0):
    """So many women and men by turns, whose sex shows in the first direction."""
    who = np.repeat(np.arange(start, start + count), each)
    rng = np.random.default_rng(start)
    sex = np.where(who % 2, "m", "f")
    vectors = rng.normal(size=(count, width))[who - start] + 0.5 * rng.normal(size=(len(who), width))
    vectors[:, 0] += np.where(sex == "f", shift, -shift)
    names = tuple(f"u{start}-{row}" for row in range(len(who)))
    return Embeddings(vectors, names, tuple(f"s{k:03d}" for k in who), tuple(sex.tolist()))


class Spy:
    """Fits as it should and remembers on whom."""

    def __init__(self):
        self.speakers = self.rows = self.labels = None

    def __call__(self, vectors, labels, *, speakers):
        self.speakers, self.rows, self.labels = set(speakers), vectors, list(labels)
        return oblique(vectors, labels, speakers=speakers)


def test_half_of_the_speakers_of_each_class_fit_and_the_others_judge():
    spy, given = Spy(), people(80)
    hidden = hide_attribute(given, method=spy)
    judged = set(np.array(given.speakers)[hidden.judged])
    assert spy.speakers | judged == set(given.speakers)
    assert not spy.speakers & judged
    sex = dict(zip(given.speakers, given.sex, strict=True))
    for side in (spy.speakers, judged):  # half: not a third, not two thirds
        assert sorted([sex[name] for name in side].count(label) for label in "fm") == [20, 20]
    assert set(hidden.background[1]) == spy.speakers
    assert judge_hidden(hidden, **QUICK).speakers == {"f": 20, "m": 20}


def test_rows_that_fitted_are_not_judged(monkeypatch):
    """A protection looks better on those whom it was fitted on, so they must not reach the classifiers."""
    from stripeless.studies import protect

    seen = {}

    def judge(vectors, labels, speakers, **options):
        seen.update(speakers=set(speakers), rows=len(vectors), **options)
        raise InputError("enough")

    monkeypatch.setattr(protect, "judge_protection", judge)
    spy, given = Spy(), people(80)
    with pytest.raises(InputError, match="enough"):
        protect_study(given, method=spy)
    assert not seen["speakers"] & spy.speakers
    assert len(seen["speakers"]) == 40
    assert seen["rows"] == len(seen["original"]) == 120
    assert set(seen["background"][1]) == spy.speakers


def test_with_others_to_fit_on_everybody_is_judged():
    spy, other = Spy(), people(60, start=100)
    study = protect_study(people(80), method=spy, fit_on=other, **QUICK)
    assert spy.speakers == set(other.speakers)
    assert study.proof.speakers == {"f": 40, "m": 40}
    assert study.proof.warnings == ()
    assert study.protected.utterances == people(80).utterances
    with pytest.raises(InputError, match="speaker s100 and 59 others are among the vectors to judge too"):
        protect_study(other, fit_on=other, **QUICK)


def test_an_odd_speaker_judges():
    names = np.array([f"s{k}" for k in range(7) for _ in range(2)])
    rows = first_half(names, np.repeat("x", 14), 3)
    assert len(set(names[rows])) == 3
    assert not set(names[rows]) & set(names[~rows])


def test_the_halves_depend_on_the_seed_and_on_nothing_else():
    given = people(80)
    first = hide_attribute(given, method=oblique, seed=1)
    assert (hide_attribute(given, method=oblique, seed=1).judged == first.judged).all()
    assert (hide_attribute(given, method=oblique, seed=2).judged != first.judged).any()
    order = np.random.default_rng(0).permutation(len(given))
    columns = (given.utterances, given.speakers, given.sex)
    mixed = Embeddings(given.vectors[order], *(tuple(np.array(column)[order].tolist()) for column in columns))
    assert (hide_attribute(mixed, method=oblique, seed=1).judged == first.judged[order]).all()


def test_what_somebody_else_protected_is_judged_in_the_order_of_the_originals():
    given = people(80)
    masked = Embeddings(given.vectors[::-1] * [0, 1, 1, 1], given.utterances[::-1])
    with pytest.warns(ProtectionWarning, match="1 of 4 dimensions are constant"):
        study = protect_study(given, protected=masked, **QUICK)
    np.testing.assert_array_equal(study.protected.vectors, given.vectors * [0, 1, 1, 1])
    assert study.protection is None
    assert study.proof.method == ""
    assert study.proof.llr is None
    assert [finding.code for finding in study.proof.warnings] == ["constant_dimensions", "fitting_speakers_unknown"]
    assert [finding.severity for finding in study.proof.warnings] == ["remark", "caution"]
    with pytest.raises(InputError, match="lacks u0-3 and 236 other utterances"):
        protect_study(given, protected=replace_rows(masked, slice(237, None)), **QUICK)


def replace_rows(embeddings, rows):
    return Embeddings(embeddings.vectors[rows], embeddings.utterances[rows])


def test_a_fitted_protection_is_applied_and_its_speakers_called_unknown():
    fitted = protect_study(people(80), method="oblique", **QUICK).protection
    study = protect_study(people(60, start=200), protection=fitted, **QUICK)
    assert study.proof.method == "lda oblique"
    assert "fitting_speakers_unknown" in {finding.code for finding in study.proof.warnings}
    assert study.proof.llr is not None
    colors = np.where(np.arange(180) // 3 % 4 < 2, "blue", "green")
    other = protect_study(people(60, start=200), colors, protection=fitted, **QUICK)
    assert "other_attribute" in {finding.code for finding in other.proof.warnings}
    assert other.proof.llr is None


def test_what_fitting_warned_of_is_in_the_proof_and_passed_on():
    with pytest.warns(ProtectionWarning, match="fewer than 20") as caught:
        study = protect_study(people(36), method="oblique", **QUICK)
    assert [finding.code for finding in study.proof.warnings] == ["few_speakers"]
    assert {warning.message.code for warning in caught} == {"few_speakers"}


def test_labels_by_row_by_utterance_and_by_speaker_are_the_same():
    given = people(80)
    by_speaker = dict(zip(given.speakers, given.sex, strict=True))
    by_utterance = dict(zip(given.utterances, given.sex, strict=True))
    results = [
        protect_study(given, labels, method="oblique", **QUICK).to_dict()
        for labels in (None, given.sex, np.array(given.sex), by_speaker, by_utterance)
    ]
    assert all(result == results[0] for result in results)


def test_labels_of_others_come_from_the_same_mapping_or_are_asked_for():
    given, other = people(80), people(60, start=100)
    mapping = dict(zip((*given.speakers, *other.speakers), (*given.sex, *other.sex), strict=True))
    whole = protect_study(given, mapping, method="oblique", fit_on=other, **QUICK)
    rows = protect_study(given, given.sex, method="oblique", fit_on=other, fit_labels=other.sex, **QUICK)
    assert whole.to_dict() == rows.to_dict()
    with pytest.raises(InputError, match="fit_labels: missing"):
        protect_study(given, given.sex, fit_on=other, **QUICK)


def test_ages_of_both_sets_are_cut_in_the_same_places():
    given, other, spy = people(80), people(60, start=100), Spy()
    ages = {name: 20 + int(name[1:]) % 37 for name in (*given.speakers, *other.speakers)}
    hidden = hide_attribute(given, ages, method=spy, fit_on=other, bins=2)
    assert set(spy.labels) == set(hidden.labels)
    assert len(set(hidden.labels)) == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"method": "magic"}, "expected one of flow, lda"),
        ({"labels": ["f", "m"]}, "expected one per vector"),
        ({"labels": {"s000": "f"}}, "no label for s001"),
        ({"fit_on": people(60, start=100), "protected": people(80)}, "give one of them"),
        ({"vectors": Embeddings(np.eye(4), ("a", "b", "c", "d"))}, "give utt2spk"),
        ({"vectors": Embeddings(np.eye(4), ("a", "b", "c", "d"), ("a", "b", "c", "d"))}, "come without sex"),
    ],
)
def test_what_is_refused(change, says):
    with pytest.raises(InputError, match=says):
        protect_study(**{"vectors": people(80), "method": "oblique", **QUICK, **change})


def test_the_points_of_the_figures_come_only_when_asked_for(monkeypatch):
    from stripeless.studies import protect

    monkeypatch.setattr(protect, "MOST_POINTS", 60)
    hidden = hide_attribute(people(80), method=oblique)
    assert judge_hidden(hidden, **QUICK).figures == {}
    proof = judge_hidden(hidden, maps=True, **QUICK)
    assert proof.map_method in ("UMAP", "t-SNE", "PCA")
    assert len(proof.figures["labels"]) == len(proof.figures["map_protected"]) == 60
    AttributeProof.from_dict(json.loads(json.dumps(proof.to_dict())))
    assert "map_method" not in judge_hidden(hidden, **QUICK).to_dict()


def test_the_stages_are_said():
    said = []
    protect_study(people(80), method="lda", say=said.append, **QUICK)
    assert said == [
        "Fitting on 120 vectors ...",
        "Judging 120 vectors, about 5 s; up to 5 s more where the first test is not clear ...",
    ]


def test_how_long_training_anew_takes_is_said_before_and_meanwhile():
    said = []
    for done in range(1, 21):
        say_anew(said.append, done, 99)
    assert said[0].startswith("The first test is not clear: training anew with exchanged labels, at most 99 times")
    assert said[1:] == ["  10 of at most 99", "  20 of at most 99"]
    vectors, people = np.zeros((1440, 512)), np.repeat(np.arange(40), 36).tolist()
    one, two = (expected_time(vectors, np.array([]), people, 5, None, workers) for workers in (1, 2))
    assert one == "about 45 s; up to 2 min more where the first test is not clear"
    assert two == "about 45 s; up to 50 s more where the first test is not clear"


def test_rows_of_a_mapping_follow_utterances_before_speakers():
    one = replace(people(2, each=2), sex=None)
    assert label_rows(one, {"u0-0": "a", "s000": "b", "s001": "c"}).tolist() == ["a", "b", "c", "c"]
