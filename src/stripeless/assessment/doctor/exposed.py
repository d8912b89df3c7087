"""A group in the open: an average over all people hides a few who are recognized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from stripeless.assessment.doctor.pooled import within
from stripeless.assessment.selected import column_groups, select
from stripeless.results.assessment import Assessment
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.cells import Cells, cells_of
from stripeless.verdicts.codes import serious_first
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.exchange import double_centered
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import LEVEL, leaks
from stripeless.verdicts.regression import Regressed, regressed
from stripeless.verdicts.score_columns import labels_alone
from stripeless.verdicts.sentences import shown_p
from stripeless.verdicts.strata import FOLD, LEAST
from stripeless.verdicts.words import of_100

MOST = 50  # groups of one label that are looked at
PAIRS = 20_000_000  # pairs of people in all of them: beyond, fewer groups are looked at
NAMED = 5  # groups that are listed as not recognized
RARE = 0.005  # of sound files in which a group may be named
FEWEST = 5  # nontargets below which a group is not looked at


@dataclass(frozen=True)
class Looked:
    """One group of trials, by itself.

    Attributes:
        label, value: the column and its value, such as "sex" and "f".
        people: how many people of the group are tested.
        auc: chance that a recording of one of them scores above a stranger's of the group.
        p: chance of so much or more without a leak, this group alone.
    """

    label: str
    value: str
    people: int
    auc: float
    p: float


def with_exposed(result: Assessment, trials: TrialScores, together: Evidence) -> Assessment:
    """The result of one of several attackers, with the finding about its groups that pays for all of them."""
    found = exposed_group(trials, together)
    return result if found is None else replace(result, warnings=serious_first((*result.warnings, found)))


def exposed_group(trials: TrialScores, evidence: Evidence | None) -> Finding | None:
    """Groups who are recognized by themselves: where all people together show no leak, and where a leak is not in all groups.

    All groups of all labels share half a percent, and so do all attackers that were tested together: a finding may be wrong in
    one sound file of a hundred.
    """
    if evidence is None or evidence.method not in ("exchange", "regression"):
        return None
    looked = list(groups_of(labels_alone(trials)))
    looks = len(looked) * max(1, len(evidence.attackers))
    found = [one for one in looked if one.auc > 0.5 and one.p * looks <= RARE]
    if not found:
        return None
    named = "; ".join(
        f"{one.label} {one.value!r}, {one.people} people: right {of_100(one.auc)} times, p = {shown_p(one.p * looks)}"
        for one in sorted(found, key=lambda one: one.p)
    )
    if leaks(evidence):
        columns = {one.label for one in found}
        spared = [one for one in looked if one.label in columns and one.p > LEVEL]
        if not spared:
            return None
        others = "; ".join(f"{one.label} {one.value!r}: right {of_100(one.auc)} times" for one in spared[:NAMED])
        return Finding(
            "exposed_group",
            "caution",
            f"The leak is in a group of people (guessing: 50; p counts {looks} looks): {named}. It is not seen in others "
            f"({others}). Read each group by itself: --by {found[0].label}.",
        )
    return Finding(
        "exposed_group",
        "caution",
        f"All people together show no leak, but a group of them does (guessing: 50; p counts {looks} looks): {named}. What "
        f"is said of the average does not hold for them. Read each group by itself: --by {found[0].label}.",
    )


def groups_of(trials: TrialScores) -> Iterator[Looked]:
    """Groups of four people or more of every label, each tested by itself; the largest, where a label has many values."""
    if trials.trial_speakers is None:
        return
    most = min(MOST, max(2, PAIRS // len(trials.trial_speakers.names) ** 2))
    for label, factor in trials.columns.items():
        count = np.bincount(factor.target + 1, minlength=len(factor.names) + 1)[1:]
        if label == FOLD or np.count_nonzero(count) < 1 or count.max(initial=0) == factor.target.size:
            continue  # everybody is of one value
        largest = {factor.names[k] for k in np.argsort(-count, kind="stable")[:most].tolist()}
        own = replace(factor, nontarget=within(trials, factor))  # both people of a nontarget are of the group
        for value, target, nontarget in column_groups(replace(trials, columns={label: own}), label):
            if value in largest and target.size and nontarget.size >= FEWEST:
                one = _looked(label, value, cells_of(select(trials, target, nontarget)))
                if one is not None:
                    yield one


def _looked(label: str, value: str, cells: Cells | None) -> Looked | None:
    """The test of one group by itself; None where it has too few people, or none can be made."""
    if cells is None or len(cells.names) < LEAST:
        return None
    if cells.complete:
        auc, p = own_effect(cells)
        return Looked(label, value, len(cells.names), auc, p)
    found = regressed(cells)
    if not isinstance(found, Regressed):
        return None
    return Looked(label, value, len(cells.names), found.bounds.auc, found.p)


def own_effect(cells: Cells) -> tuple[float, float]:
    """AUC over complete squares, and the chance of so much without a leak: what rows and columns leave, by Student's t.

    The mean rank of a cell is what belongs to the model, plus what belongs to the person, plus what is added where both are
    one. Four people leave eight degrees of freedom, where an exchange of four models leaves 24 orders, too few for a sign in
    several groups.
    """
    from scipy.special import stdtr

    blocks = [double_centered(cells.block("rank", np.flatnonzero(cells.group == k))) for k in np.unique(cells.group)]
    size = sum(len(block) - 1 for block in blocks)
    effect = sum(float(np.trace(block)) for block in blocks) / size
    freedom = sum((len(block) - 1) ** 2 for block in blocks) - 1
    left = max(0.0, sum(float(np.square(block).sum()) for block in blocks) - effect**2 * size)
    error = float(np.sqrt(left / freedom / size))
    p = float(stdtr(freedom, -effect / error)) if error > 0 else float(effect <= 0)
    return min(1.0, max(0.0, 0.5 + effect)), p
