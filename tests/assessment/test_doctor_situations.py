"""Situations in which figures are not what they seem: each, built on purpose, is told of, and its sound twin is not.

Score files go through `assess`; recordings and vectors through the checks that `evaluate` and `play_attackers` make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from encoded_voices import ANONYMIZED, ORIGINAL
from finding_cases.recorded import ALIKE, EXCHANGED, OTHERS, RENAMED, lost, training_of, vectors
from recorded_voices import changed, heard, hidden, spoken
from sound_scores import (
    across,
    clustered,
    decided,
    failed,
    filled,
    in_sets,
    infinite,
    narrow,
    offset,
    repeated,
    sound,
    themselves,
)

from stripeless.assessment.assess import assess_scores
from stripeless.assessment.ceiling import examine_ceiling
from stripeless.assessment.doctor.twins import find_twins
from stripeless.attackers.voice_checks import not_anonymized
from stripeless.attackers.voices import Encoded
from stripeless.scores.trials import MissingTrials, TrialScores
from stripeless.verdicts.finding import Finding

Told = Callable[[int], Iterable[Finding]]


@dataclass(frozen=True)
class Situation:
    """What is wrong, the code that must come, how to build it, and the same with nothing wrong."""

    what: str
    code: str
    wrong: Told
    right: Told


def leaking(seed: int, targets: int = 400, *, named: bool | None = True) -> TrialScores:
    return sound(seed, targets=targets, leak=1.5, named=named, shape="normal")


def examined(scores: TrialScores) -> Iterable[Finding]:
    return assess_scores(scores, curves=False).warnings


def scored(
    what: str, code: str, wrong: Callable[[int], TrialScores], right: Callable[[int], TrialScores] = leaking
) -> Situation:
    """A situation that the scores alone show."""
    return Situation(what, code, lambda seed: examined(wrong(seed)), lambda seed: examined(right(seed)))


def turned(seed: int) -> TrialScores:
    scores = leaking(seed)
    return replace(scores, target=-scores.target, nontarget=-scores.nontarget)


def tail(seed: int, recognized: int = 50) -> TrialScores:
    rng = np.random.default_rng(seed)
    target = rng.normal(-0.2, 1, 600)
    target[:recognized] = rng.normal(8, 0.5, recognized)
    return TrialScores(target, rng.normal(size=12_000))


def held(mine: TrialScores, ceiling: TrialScores) -> Iterable[Finding]:
    return examine_ceiling(assess_scores(mine, curves=False), assess_scores(ceiling, curves=False))


def guessing(seed: int, *, named: bool) -> TrialScores:
    return sound(seed, targets=400, leak=0.0, named=named, shape="normal")


def twice(seed: int, other: int) -> Iterable[Finding]:
    return find_twins([assess_scores(leaking(k), name=f"B{k}", curves=False) for k in (seed, seed + other)])


def unlike(seed: int) -> TrialScores:
    return replace(leaking(seed), missing=MissingTrials(40, 0))


def evenly(seed: int) -> TrialScores:
    scores = leaking(seed)
    return replace(scores, missing=MissingTrials(40, scores.nontarget.size // 10))


SITUATIONS = (
    scored("all scores are one value", "constant", lambda seed: TrialScores(np.full(200, 2.0), np.full(900, 2.0))),
    scored("distances in place of scores", "signs_swapped", turned),
    scored("a filler score in 60 % of the trials", "filler_score", lambda seed: filled(seed, 0.6)),
    scored("-999 for failed targets", "failed_scores", lambda seed: failed(seed, 0.1)),
    scored("minus infinity for failed targets", "infinite_scores", lambda seed: infinite(seed, 0.1)),
    scored("every trial 20 times", "repeated_trials", lambda seed: repeated(seed, 20)),
    scored("hard decisions 0 and 1", "few_distinct_scores", lambda seed: decided(seed, 2)),
    scored("a tenth of the targets compares a recording with itself", "self_comparison", lambda seed: themselves(seed, 0.1),
           lambda seed: themselves(seed, 0.0)),
    scored("targets of tiny spread", "narrow_targets", lambda seed: narrow(seed, 0.05), lambda seed: narrow(seed, 1.0)),
    scored("nine tenths of the nontargets across the sexes", "cross_sex_nontargets", lambda seed: across(seed, 0.9),
           lambda seed: across(seed, 0.5)),
    scored("an offset between the sexes", "pooled_groups", lambda seed: offset(seed, 1.0), lambda seed: offset(seed, 0.0)),
    scored("targets of one data set, nontargets of another", "uneven_composition", lambda seed: in_sets(seed, 0.9),
           lambda seed: in_sets(seed, 0.5)),
    scored("speakers in clusters, unnamed", "clustered_trials", lambda seed: clustered(seed, 1.0),
           lambda seed: clustered(seed, 0.0)),
    scored("nobody is named", "speakers_unknown", lambda seed: leaking(seed, named=False)),
    scored("some are recognized, hidden by the average", "tail_leak", tail, lambda seed: tail(seed, 0)),
    scored("the attacker guesses", "chance", lambda seed: guessing(seed, named=True)),
    scored("60 targets", "few_trials", lambda seed: leaking(seed, 60)),
    scored("targets are missing more often", "missing_unbalanced", unlike, evenly),
    Situation("one file given twice", "identical", lambda seed: twice(seed, 0), lambda seed: twice(seed, 1)),
    Situation("original and anonymized file exchanged, named", "ceiling_below",
              lambda seed: held(leaking(seed), guessing(seed + 50, named=True)),
              lambda seed: held(guessing(seed, named=True), leaking(seed + 50))),
    Situation("original and anonymized file exchanged, nobody named", "ceiling_below",
              lambda seed: held(leaking(seed, named=False), guessing(seed + 50, named=False)),
              lambda seed: held(leaking(seed, named=False), leaking(seed + 50, named=False))),
    Situation("people whose outputs are missing", "missing_unbalanced",
              lambda seed: lost(*(name for name in ANONYMIZED.utterances if int(name[1:3]) < 5)), lambda seed: lost()),
    Situation("outputs that are missing here and there", "missing", lambda seed: lost("s03-0", "s07-2"), lambda seed: lost()),
    Situation("nothing was anonymized", "not-anonymized", lambda seed: not_anonymized(Encoded("x", ORIGINAL, ORIGINAL)),
              lambda seed: not_anonymized(Encoded("x", ORIGINAL, ANONYMIZED))),
    Situation("an output is its original, louder", "not-anonymized",
              lambda seed: heard(anonymized={**hidden(), "s02-1": 1.5 * spoken()["s02-1"]}), lambda seed: heard()),
    Situation("all outputs alike", "same_output", lambda seed: heard(anonymized=changed(hidden(), ALIKE)), lambda seed: heard()),
    Situation("a recording enrolls and is tried", "copies", lambda seed: heard(changed(spoken(), {"s03-2": "s03-0"})),
              lambda seed: heard()),
    Situation("the same, as vectors", "copies", lambda seed: vectors(enrolled_twice=True), lambda seed: vectors()),
    Situation("one person under two names", "shared_content",
              lambda seed: heard(changed(spoken(), {f"s07-{k}": f"s05-{k}" for k in range(4)})), lambda seed: heard()),
    Situation("judged people in the training data, renamed", "training_copies",
              lambda seed: heard(training={**spoken(OTHERS), **RENAMED}), lambda seed: heard(training=spoken(OTHERS))),
    Situation("the same, as vectors", "training_copies", lambda seed: vectors("judged"), lambda seed: vectors()),
    Situation("training on unprotected speech", "training_unprotected", lambda seed: training_of(unprotected=True),
              lambda seed: training_of(unprotected=False)),
    Situation("outputs exchanged among people", "exchanged_recordings",
              lambda seed: heard(anonymized=changed(hidden(), EXCHANGED)), lambda seed: heard()),
)  # fmt: skip


@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize("situation", SITUATIONS, ids=[f"{one.code}: {one.what}" for one in SITUATIONS])
def test_each_situation_is_told_of_and_its_sound_twin_is_not(situation: Situation, seed: int) -> None:
    assert situation.code in {finding.code for finding in situation.wrong(seed)}
    assert situation.code not in {finding.code for finding in situation.right(seed)}
