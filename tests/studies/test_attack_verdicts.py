"""What attacks allow to say: a table of pseudonyms is no inversion, a map that is undone is one, faults of the files stop it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stripeless.attackers.inversion.procrustes import random_rotation
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import take
from stripeless.errors import InputError, TooFewTrials
from stripeless.results.attack import AttackStudy
from stripeless.studies.attack import attack_study
from stripeless.verdicts.evidence import Planted, Reached

D = 6
QUESTIONS = ("unlinkability", "non_invertibility", "pseudonym_lookup")


def world(hides: str, people: int = 20, each: int = 4, seed: int = 0, women: int = 10) -> tuple[Embeddings, Embeddings]:
    """Originals, and what stands in their place: a pseudonym per person, noise per utterance, or the vector turned."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), each)
    original = rng.normal(size=(people, D))[who] + 0.4 * rng.normal(size=(who.size, D))
    noise = 0.4 * rng.normal(size=original.shape)
    hidden = {
        "pseudonym": rng.normal(size=(people, D))[who] + noise,
        "noise": rng.normal(size=original.shape),
        "turned": original @ random_rotation(D, rng),
    }[hides]
    names = tuple(f"p{p:02d}-{k % each}" for k, p in enumerate(who.tolist()))
    labels = tuple(f"p{p:02d}" for p in who.tolist()), tuple("f" if p < women else "m" for p in who.tolist())
    return Embeddings(hidden, names), Embeddings(original, names, *labels)


def labels(study: AttackStudy) -> tuple[str, ...]:
    said = study.verdicts()
    return tuple(said[question].label for question in QUESTIONS)


@pytest.fixture(scope="module")
def pseudonyms() -> AttackStudy:
    return attack_study(*world("pseudonym"), resamples=0)


def test_a_table_of_pseudonyms_is_no_inversion(pseudonyms: AttackStudy) -> None:
    linked, inverted, returned = labels(pseudonyms)
    assert linked == inverted == "Cannot tell"
    assert returned in ("Leak", "Strong leak")
    said = pseudonyms.conclusions()["pseudonym_lookup"]
    assert "it says nothing about inverting" in said
    lookup = {row.name: row for row in pseudonyms.lookup}
    assert lookup["affine"].measures["eer"].number < 0.3
    assert min(row.measures["eer"].number for row in pseudonyms.rows[1:]) > 0.35


def test_a_rotation_is_inverted_whatever_the_order_of_rows() -> None:
    hidden, original = world("turned")
    study = attack_study(hidden, original, resamples=0)
    assert all(label in ("Leak", "Strong leak") for label in labels(study))
    order = np.random.default_rng(1).permutation(len(original))
    again = attack_study(take(hidden, order[::-1]), take(original, order), resamples=0)
    assert again.to_dict() == study.to_dict()


def test_eight_people_are_judged_sex_by_sex_and_a_rotation_is_found() -> None:
    study = attack_study(*world("turned", people=8, women=4), resamples=0)
    assert study.groups == 2
    assert study.evidence["unlinkability"].groups == {"f 1": 4, "m 2": 4}
    assert labels(study)[1] in ("Leak", "Strong leak")


def test_what_stands_between_noise_and_no_leak_seen() -> None:
    """The condition that fails is told; where none does, margin, attacks and people stand in the headline."""
    study = attack_study(*world("noise", people=40, women=20), resamples=0, seed=1)
    assert labels(study) == ("No leak seen",) * 3
    said = study.verdicts()["non_invertibility"]
    assert said.headline == "No leak beyond EER 40 % seen, with 7 attacks on 40 people who taught none of them."
    assert "planted so that an ideal listener has an EER of 20 % was found 5 of 5 times." in " ".join(said.sentences)
    evidence = dict(study.evidence)

    def told(**change: Any) -> str:
        changed = {**evidence, "non_invertibility": replace(evidence["non_invertibility"], **change)}
        one = replace(study, evidence=changed).verdicts()["non_invertibility"]
        assert one.label == "Cannot tell"
        return one.headline

    assert "found 1 of 5 times only" in told(planted=Planted(5, 1, 20.0))
    assert "no control on original data" in told(original=None)
    assert "11 people are too few" in told(people=11)
    worst = Reached("affine", auc=0.5, low=0.3, high=0.7)
    assert "It may be that the attacker (affine) is right 70 of 100 times" in told(attackers=(worst,))
    leaking = {**evidence, "unlinkability": replace(evidence["unlinkability"], p=0.01)}
    one = replace(study, evidence=leaking).verdicts()["non_invertibility"]
    assert (one.label, one.headline[:32]) == ("Cannot tell", "Inverted vectors link to their p")
    with pytest.raises(InputError, match="margin: expected an EER from 30 to 45"):
        study.verdicts(50)
    assert "EER 45 %" in study.verdicts(45)["unlinkability"].headline


def test_a_margin_that_is_asked_for_is_kept() -> None:
    study = attack_study(*world("noise"), resamples=0, margin=35)
    assert {one.margin for one in study.evidence.values()} == {35}
    with pytest.raises(InputError, match="margin"):
        attack_study(*world("noise"), resamples=0, margin=20)


def test_enrollment_and_teachers_of_their_own() -> None:
    """Thirty others teach, enrollment is of other recordings: one group, and nothing of the paper's protocol."""
    hidden, original = world("turned", people=40, each=5, women=20)
    assert original.speakers is not None
    teach = {f"p{k:02d}" for k in (*range(10), *range(30, 40))}
    judged = np.array([name not in teach for name in original.speakers])
    tried = np.array([name[-1] in "012" for name in original.utterances])
    study = attack_study(
        take(hidden, judged & tried), take(original, judged & tried), resamples=0,
        enrollment=take(original, judged & ~tried), training_anonymized=take(hidden, ~judged),
        training_original=take(original, ~judged),
    )  # fmt: skip
    assert (study.groups, study.judged, study.training, study.taught, study.paper) == (1, 60, 100, 0, ())
    assert labels(study)[1] in ("Leak", "Strong leak")
    known = attack_study(
        take(hidden, judged & tried), take(original, judged & tried), resamples=0,
        enrollment=take(original, judged & ~tried), training_anonymized=take(hidden, judged & ~tried),
    )  # fmt: skip
    assert (known.groups, known.taught) == (2, 20)
    assert [row.name for row in known.paper] == [row.name for row in known.rows]


def test_who_is_enrolled_and_never_judged_is_left_aside() -> None:
    hidden, original = world("turned", each=6)
    enrolls = np.array([name[-1] in "345" for name in original.utterances])
    ten = np.array([int(name[1:3]) % 2 == 0 for name in original.utterances])
    study = attack_study(
        take(hidden, ~enrolls), take(original, ~enrolls), resamples=0, enrollment=take(original, enrolls & ten)
    )
    assert study.evidence["unlinkability"].people == 10
    assert "10 people are not both enrolled and judged" in " ".join(study.evidence["unlinkability"].said)


def test_pairs_that_are_none_are_refused() -> None:
    hidden, original = world("noise")
    with pytest.raises(InputError, match="training_original: the attacker learns from pairs"):
        attack_study(hidden, original, training_original=original)
    with pytest.raises(InputError, match="training_anonymized: the attacker learns from pairs"):
        attack_study(hidden, original, training_anonymized=hidden)
    two = np.array([name[:3] in ("p00", "p19") for name in original.utterances])
    with pytest.raises(TooFewTrials, match="of no sex are two people"):
        attack_study(take(hidden, two), take(original, two))


def test_faults_of_the_files_forbid_a_verdict() -> None:
    hidden, original = world("pseudonym")
    same = attack_study(replace(original, speakers=None, sex=None), original, resamples=0)
    assert [one.code for one in same.warnings] == ["not-anonymized"]
    assert labels(same) == ("No verdict",) * 3
    others = tuple(f"x{name}" for name in original.utterances), tuple(f"x{name}" for name in original.speakers or ())
    renamed = attack_study(
        hidden, original, resamples=0,
        training_anonymized=replace(hidden, utterances=others[0]),
        training_original=replace(original, utterances=others[0], speakers=others[1]),
    )  # fmt: skip
    assert [one.code for one in renamed.warnings] == ["training_copies"]
    assert labels(renamed)[1] == "No verdict"
    with pytest.raises(InputError, match="80 of its utterances are judged as well, such as 'p00-0'"):
        attack_study(hidden, original, enrollment=original)
    tried = attack_study(hidden, original, resamples=0, enrollment=replace(original, utterances=others[0]))
    assert "copies" in {one.code for one in tried.warnings}


def test_a_sound_world_brings_no_finding(pseudonyms: AttackStudy) -> None:
    assert pseudonyms.warnings == ()
