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
from stripeless.verdicts.leak import leaks
from stripeless.verdicts.regression import Regressed, regressed
from stripeless.verdicts.sentences import shown_p
from stripeless.verdicts.strata import FOLD, LEAST
from stripeless.verdicts.words import of_100

MOST = 50  # groups of one label that are looked at
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
    """Groups whose own lower limit lies above guessing, where all people together show no leak.

    All groups of all labels share half a percent, and so do all attackers that were tested together: a finding may be wrong in
    one sound file of a hundred.
    """
    if evidence is None or evidence.method not in ("exchange", "regression") or leaks(evidence):
        return None
    looked = list(groups_of(trials))
    looks = len(looked) * max(1, len(evidence.attackers))
    found = [one for one in looked if one.auc > 0.5 and one.p * looks <= RARE]
    if not found:
        return None
    named = "; ".join(
        f"{one.label} {one.value!r}, {one.people} people: right {of_100(one.auc)} times, p = {shown_p(one.p * looks)}"
        for one in sorted(found, key=lambda one: one.p)
    )
    return Finding(
        "exposed_group",
        "caution",
        f"All people together show no leak, but a group of them does (guessing: 50; p counts {looks} looks): {named}. What "
        f"is said of the average does not hold for them. Read each group by itself: --by {found[0].label}.",
    )


def groups_of(trials: TrialScores) -> Iterator[Looked]:
    """Every group of four people or more of every label with two such groups, each tested by itself."""
    for label, factor in trials.columns.items():
        if label == FOLD or not 2 <= len(factor.names) <= MOST:
            continue
        tested = []
        own = replace(factor, nontarget=within(trials, factor))  # both people of a nontarget are of the group
        for value, target, nontarget in column_groups(replace(trials, columns={label: own}), label):
            if target.size and nontarget.size >= FEWEST:
                one = _looked(label, value, cells_of(select(trials, target, nontarget)))
                tested += [] if one is None else [one]
        if len(tested) > 1:
            yield from tested


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
