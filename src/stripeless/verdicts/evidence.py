"""What speaks for a leak, what bounds it, and whether the test could have found one: everything a verdict rests on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from stripeless.scores.trials import TrialScores
from stripeless.verdicts.bounds import Bounds, bounds_of
from stripeless.verdicts.cells import Cells, cells_of
from stripeless.verdicts.clusters import FEWEST, area, bounds_of_unnamed
from stripeless.verdicts.exchange import PERMUTATIONS, exchange_test
from stripeless.verdicts.regression import Regressed, regressed

Method = Literal["exchange", "regression", "clusters", "none"]
NO_NONTARGETS = "no person who is both enrolled and judged is compared with another one"
SEXES = ("sex", "gender")  # columns of the trials that people carry
SMALL = 2000  # pairs of a target and a nontarget below which chances are counted exactly
PARTLY_NAMED = "some trials do not name both speakers, so neither people nor trials can be counted"


@dataclass(frozen=True)
class Reached:
    """What one attacker reached.

    Attributes:
        name: encoder and comparison, or the file that the scores are from.
        attacker: who attacks, such as "lazy-informed"; empty where nobody said.
        auc: chance that a recording of the person scores above one of a stranger of the same group, mean over people;
            None where it could not be found.
        low, high: its 95 % limits, each one-sided; None where there are too few people.
        p: chance of so clear a sign without a leak; all attackers that were tried are paid for. None where not tested.
        by: what shows it best: "rank" (own scores are higher), "top" (some are among the highest hundredth), "spread"
            (own scores lie nearer to, or farther from, the middle).
        corrected: the AUC less what the best of so many attackers gains by luck; None where not tested.
    """

    name: str = ""
    attacker: str = ""
    auc: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    by: str = "rank"
    corrected: float | None = None


@dataclass(frozen=True)
class Planted:
    """Whether leaks of known size were found.

    Attributes:
        plants: how many were planted, one at a time.
        found: how many of them the test found.
        eer: the EER in percent that an ideal listener would reach on them.
        reason: why none were planted, in a sentence; empty otherwise.
    """

    plants: int = 0
    found: int = 0
    eer: float = 20.0
    reason: str = ""


@dataclass(frozen=True)
class Row:
    """One attacker to be tested.

    Attributes:
        name: encoder and comparison, or the file that the scores are from.
        attacker: who attacks; empty where nobody said.
        scores: the scores of the trials.
    """

    name: str
    attacker: str
    scores: TrialScores


@dataclass(frozen=True)
class Refit:
    """The test with attackers who learn anew after every exchange, where they learned from the people judged.

    Attributes:
        p: chance of so clear a sign without a leak.
        times: how often they learned anew.
    """

    p: float
    times: int


@dataclass(frozen=True)
class Evidence:
    """Everything that a verdict rests on.

    Attributes:
        method: how the leak was tested: "exchange" (of enrollments), "regression" (where not all are compared with all),
            "clusters" (nobody is named), or "none".
        p: chance of so clear a sign of a leak, in any attacker, without one; None where it was not tested.
        attackers: what each attacker reached.
        people: how many people are both enrolled and judged; of unnamed ones, how many there are at least.
        groups: how many of them are in each group within which people are compared, such as women and men.
        permutations: how many exchanges.
        refit: the test with learning anew, where it was needed.
        original: what the same attackers reach on unprotected data; None where they were not tried.
        planted: whether leaks of known size were found; None where there are no vectors to plant them in.
        margin: the EER in percent beyond which no leak may be left for "No leak seen"; None for the usual one.
        people_stated: whether somebody stated how many people there are.
        joint: whether these attackers were tested together with others, who stand elsewhere.
        whose: digest of the names of these people, by which a control on the same people is known; empty for unnamed ones.
        said: sentences on who and what was left out.
        reason: why nothing was tested, in one sentence; empty otherwise.
    """

    method: Method = "none"
    p: float | None = None
    attackers: tuple[Reached, ...] = ()
    people: int = 0
    groups: Mapping[str, int] = field(default_factory=dict)
    permutations: int = 0
    refit: Refit | None = None
    original: Reached | None = None
    planted: Planted | None = None
    margin: float | None = None
    people_stated: bool = False
    joint: bool = False
    whose: str = ""
    said: tuple[str, ...] = ()
    reason: str = ""

    @property
    def final_p(self) -> float | None:
        """The p that decides: of the refit where there is one."""
        return self.p if self.refit is None else self.refit.p

    @property
    def wanting(self) -> str:
        """What a stored one lacks: a sign of a leak is somebody's. Empty where nothing is missing."""
        return (
            "" if self.p is None or clearest_of(self) is not None else "an attacker with a p, as there is a p for all"
        )


def evidence_of(
    rows: Sequence[Row | tuple[str, TrialScores]],
    *,
    people: int | None = None,
    permutations: int = PERMUTATIONS,
    margin: float | None = None,
    seed: int = 0,
) -> Evidence:
    """Test all these attackers together for a leak, and bound what each reaches.

    Parameters:
        rows: each attacker, all on the same people: a `Row`, or a name and scores.
        people: how many people there are where nobody is named; None is not known.
        permutations: how often enrollments are exchanged, at least.
        margin: kept in the result for the verdict.
        seed: start of the random draws.
    """
    several = [row if isinstance(row, Row) else Row(row[0], "", row[1]) for row in rows]
    named = [cells_of(row.scores) for row in several]
    known = [cells for cells in named if cells is not None]
    found = of_cells(several, known, permutations, seed) if len(known) == len(several) else unnamed(several, people)
    return replace(found, margin=margin)


def unnamed(rows: Sequence[Row], people: int | None) -> Evidence:
    """Where nobody is named: the worst case for so many people, and luck with the trials. Several attackers share the 5 %."""
    sides = [side for row in rows for side in (row.scores.enrollment_speakers, row.scores.trial_speakers)]
    if any(side is not None and max(side.target.max(), side.nontarget.max()) >= 0 for side in sides):
        return Evidence(reason=PARTLY_NAMED)
    from scipy.special import ndtr

    several = FEWEST if people is None else people
    reached = []
    for row in rows:
        auc = area(np.sort(row.scores.target), np.sort(row.scores.nontarget))
        bounds = bounds_of_unnamed(auc, several)
        sure = auc - by_composition(row.scores)
        by_people = float(ndtr(-(sure - 0.5) * np.sqrt(12 * (several - 1))))
        p = min(1.0, len(rows) * (by_people + by_trials(auc, row.scores)))
        reached.append(Reached(row.name, row.attacker, auc, bounds.low, bounds.high, p, corrected=auc))
    smallest = min(one.p for one in reached if one.p is not None)
    return Evidence("clusters", smallest, tuple(reached), several, people_stated=people is not None)


def by_composition(scores: TrialScores) -> float:
    """How much the AUC can owe to nontargets across the sexes, where sexes are known and people are not.

    Nobody knows which nontargets are of two sexes. At worst as many as chance makes, and every one of them lies lowest.
    """
    known = [one.nontarget[one.nontarget >= 0] for name, one in scores.columns.items() if name.lower() in SEXES]
    shares = [np.bincount(codes) / codes.size for codes in known if codes.size]
    return max((float(1 - np.square(share).sum()) / 2 for share in shares), default=0.0)


def by_trials(auc: float, scores: TrialScores) -> float:
    """Chance of such an AUC if all trials were independent and told nothing (Mann and Whitney 1947): few trials show little."""
    from scipy.special import ndtr

    targets, nontargets = scores.target.size, scores.nontarget.size
    if targets * nontargets > SMALL:
        return float(ndtr(-(auc - 0.5) / np.sqrt((targets + nontargets + 1) / (12 * targets * nontargets))))
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(scores.target, scores.nontarget, alternative="greater", method="exact").pvalue)


def of_cells(rows: Sequence[Row], cells: Sequence[Cells], permutations: int = PERMUTATIONS, seed: int = 0) -> Evidence:
    """Where everybody is named: exchange where squares are complete, least squares where they are not."""
    complete = [k for k, one in enumerate(cells) if one.complete and len(one.names) > 1]
    tested = exchange_test([cells[k] for k in complete], permutations=permutations, seed=seed) if complete else None
    reached = [Reached(row.name, row.attacker) for row in rows]
    reasons: list[str] = []
    for k, one in enumerate(cells):
        if tested is not None and k in complete:
            place = complete.index(k)
            p = min(1.0, tested.per_attacker[place] * len(rows) / len(complete))
            luck = tested.luck * tested.deviation[place]
            reached[k] = _bounded(replace(reached[k], p=p, by=tested.by[place]), bounds_of(one), luck)
            continue
        found = regressed(one) if k not in complete else NO_NONTARGETS
        if isinstance(found, Regressed):
            reached[k] = _bounded(replace(reached[k], p=min(1.0, len(rows) * found.p), by=found.by), found.bounds, 0.0)
        else:
            reasons.append(found)
    tests = [one.p for one in reached if one.p is not None]
    people = min(len(one.names) for one in cells)
    said = tuple(dict.fromkeys(sentence for one in cells for sentence in one.said))
    if tests:
        said = (*said, *dict.fromkeys(f"Some attackers have no limits: {reason}." for reason in reasons))
    if not tests:
        return Evidence(reason=reasons[0], people=people, said=said, attackers=tuple(reached))
    return Evidence(
        "exchange" if len(complete) == len(rows) else "regression",
        min(tests),
        tuple(reached),
        people,
        _groups(cells[0]),
        0 if tested is None else tested.permutations,
        whose=hashlib.sha256("\n".join(cells[0].names).encode("utf-8", "surrogatepass")).hexdigest()[:16],
        said=said,
    )


def _groups(cells: Cells) -> dict[str, int]:
    sizes = np.bincount(cells.group, minlength=len(cells.labels))
    return {label or "all": int(size) for label, size in zip(cells.labels, sizes, strict=True)}


def _bounded(reached: Reached, bounds: Bounds | None, luck: float) -> Reached:
    if bounds is None:
        return reached
    return replace(reached, auc=bounds.auc, low=bounds.low, high=bounds.high, corrected=bounds.auc - luck)


def joined(several: Sequence[Evidence]) -> Evidence:
    """Attackers that were tested one by one, together: each pays for all."""
    different: list[Evidence] = []
    for one in several:
        if one not in different:  # the same attacker twice is one
            different.append(one)
    several = different
    known = [one for one in several if one.p is not None]
    if not known:
        return several[0]
    attackers = tuple(
        replace(each, p=None if each.p is None else min(1.0, each.p * len(several)))
        for one in several
        for each in (one.attackers or (Reached(),))  # one who could not be tested has no limits
    )
    margins = [one.margin for one in several if one.margin is not None]
    first = known[0]
    smallest = min(one.final_p or 0.0 for one in known)
    return replace(
        first,
        p=min(1.0, smallest * len(several)),
        refit=None,
        attackers=attackers,
        people=min(one.people for one in known),
        margin=max(margins, default=None),
        said=tuple(dict.fromkeys(sentence for one in several for sentence in (*one.said, *_reason_of(one)))),
    )


def _reason_of(one: Evidence) -> tuple[str, ...]:
    return (f"One attacker was not tested: {one.reason}.",) if one.reason else ()


def best_of(evidence: Evidence) -> Reached | None:
    """The attacker who reaches most for sure."""
    known = [one for one in evidence.attackers if one.low is not None]
    return max(known, key=lambda one: one.low or 0.0, default=None)


def clearest_of(evidence: Evidence) -> Reached | None:
    """The attacker in whom the sign of a leak is clearest."""
    known = [one for one in evidence.attackers if one.p is not None]
    return min(known, key=lambda one: (one.p or 0.0, -(one.low or 0.0)), default=None)
