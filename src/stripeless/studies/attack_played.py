"""Attacks played on people who are judged: a row for each, and what they say together: tests, limits, controls."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from stripeless._log import clock
from stripeless.assessment.assess import assess_scores
from stripeless.attackers.inversion.attacks import Attack, Learned, learn_attacks
from stripeless.attackers.inversion.crossed import across, evaluate_parts, grouped, groups_of, pooled_scores
from stripeless.attackers.inversion.linear import TunedMap
from stripeless.attackers.inversion.matches import EXCHANGES, match_test
from stripeless.attackers.inversion.planted import plant
from stripeless.attackers.inversion.protocol import Inversion, Sets, fit_front_end
from stripeless.attackers.inversion.taught import taught_by_each_other
from stripeless.attackers.inversion.wasserstein import UnpairedMap
from stripeless.attackers.planted import IDEAL_EER, nothing_planted
from stripeless.errors import StripelessError
from stripeless.measures.measure import Measure, MeasureInfo
from stripeless.results.assessment import Assessment
from stripeless.results.attack import AttackRow, Tested
from stripeless.scores.comparison import compare_embeddings
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.evidence import Evidence, Planted, Reached, best_of, evidence_of
from stripeless.verdicts.leak import leaks

LOG = logging.getLogger(__name__)

TOP = (1, 5)
PLANTS = 5
ROW_MEASURES = ("eer", "cllr_min", "d_ece", "linkability")
Scored = tuple[str, TrialScores]


@dataclass(frozen=True, eq=False)
class Played:
    """What was learned, and what every attack reached on the trials.

    Attributes:
        learned: the space of each group of people.
        attacks: every attack, with a map for each group.
        groups: the group of each person.
        rows: the ceiling and every attack, with its measures.
        linked: whether inverted trials link to enrollment.
        control: what the same comparison reaches on original trials.
    """

    learned: Sequence[Learned]
    attacks: Sequence[Attack]
    groups: Mapping[str, str]
    rows: tuple[AttackRow, ...]
    linked: Evidence
    control: Reached | None


def play_attacks(learned: Sequence[Learned], *, margin: float | None, resamples: int, seed: int) -> Played:
    """The ceiling, every attack, and whether any of them links: all tested at once."""
    attacks, groups = learn_attacks(learned, seed), groups_of([one.part for one in learned])
    ceiling, unprotected = _ceiling(learned, groups, resamples, seed)
    rows, scores = [ceiling], []
    for attack in attacks:
        seconds = clock()
        found = evaluate_parts(learned, attack.maps, top=_top([one.part.sets for one in learned]))
        rows.append(_row(attack, found, resamples, seed))
        scores.append((attack.name, grouped(found.scores, groups)))
        LOG.info("played the attack %s in %.1f s", attack.name, seconds())
    control = best_of(_tested([("original", grouped(unprotected, groups))], 1, seed=seed))
    linked = replace(_tested(scores, len(learned), seed=seed, margin=margin), original=control)
    return Played(learned, attacks, groups, _told(rows, linked), linked, control)


def linked_test(played: Played) -> Tested:
    """The test of linking, with the attack that shows it best."""
    evidence, tried = played.linked, len(played.attacks)
    known = [one for one in evidence.attackers if one.p is not None]
    if evidence.p is None or not known:
        return Tested(attack=strongest_row(played.rows).name, tried=tried, reason=evidence.reason)
    best = min(known, key=lambda one: (one.p, -(one.auc or 0.0)))
    return Tested(evidence.final_p, best.name, "auc", best.auc, best.corrected, 0.5, tried, evidence.permutations)


def strongest_row(rows: Sequence[AttackRow]) -> AttackRow:
    """The attack of the lowest EER; the ceiling is no attack."""
    return min((row for row in rows if row.name != "original"), key=lambda row: _value(row, "eer"))


def inverted_evidence(played: Played, margin: float | None, seed: int) -> tuple[Evidence, Tested]:
    """Whether inverted vectors lie near the originals of their people: nearest neighbors test it, areas bound it."""
    scores = [(one.name, across(played.learned, one.maps, played.groups)) for one in played.attacks]
    bounded = replace(_tested(scores, len(played.learned), seed=seed, margin=margin), original=played.control)
    found, tried = match_test(played.learned, played.attacks, seed=seed), len(played.attacks)
    if found is None:
        reason = "nobody can be exchanged with anybody of the same sex"
        return replace(bounded, p=None, reason=reason), Tested(measure="top1", tried=tried, reason=reason)
    attack = played.attacks[found.attack].name
    tested = Tested(found.p, attack, found.way, found.share, found.corrected, found.chance, tried, EXCHANGES)
    return replace(bounded, p=found.p, permutations=EXCHANGES), tested


def planted_controls(played: Played, seed: int) -> tuple[Planted, Planted]:
    """How many planted leaks the attacks with pairs find: by linking, and by inverting."""
    linked = inverted = 0
    for number in range(PLANTS):
        try:
            parts = plant([one.part for one in played.learned], seed + number)
            learned = [
                Learned(part, one.dimensions, fit_front_end(*part.training, one.dimensions))
                for part, one in zip(parts, played.learned, strict=True)
            ]
            attacks = learn_attacks(learned, seed, unpaired=False)
            scores = [(one.name, grouped(evaluate_parts(learned, one.maps).scores, played.groups)) for one in attacks]
        except StripelessError as error:
            return nothing_planted(str(error)), nothing_planted(str(error))
        found = match_test(learned, attacks, seed=seed)
        linked += leaks(_tested(scores, len(learned), seed=seed))
        inverted += found is not None and leaks(Evidence(p=found.p))
    LOG.info("of %d planted leaks %d were found by linking, %d by inverting", PLANTS, linked, inverted)
    return Planted(PLANTS, linked, 100 * IDEAL_EER), Planted(PLANTS, inverted, 100 * IDEAL_EER)


def _tested(scores: Sequence[Scored], groups: int, *, seed: int, margin: float | None = None) -> Evidence:
    """The test of all attacks together; several groups have taught each other."""
    evidence = evidence_of(scores, permutations=EXCHANGES, margin=margin, seed=seed)
    return evidence if groups == 1 else taught_by_each_other(evidence, [one for _, one in scores], seed=seed)


def _told(rows: Sequence[AttackRow], evidence: Evidence) -> tuple[AttackRow, ...]:
    """The rows with what the test says of each."""
    reached = {one.name: one for one in evidence.attackers}
    return tuple(
        replace(row, auc=one.auc, low=one.low, high=one.high, corrected=one.corrected, p=one.p)
        if (one := reached.get(row.name))
        else row
        for row in rows
    )


# Rows


def _row(attack: Attack, found: Inversion, resamples: int, seed: int) -> AttackRow:
    result = assess_scores(
        found.scores, resamples=resamples, seed=seed, name=attack.name, attacker=attack.name, curves=False
    )
    tuned = [one.chosen for one in attack.maps if isinstance(one, TunedMap)]
    chosen = {key: float(np.median([one[key] for one in tuned])) for key in (tuned[0] if tuned else {})}
    said = [(k, note) for k, one in enumerate(attack.maps, 1) if isinstance(one, UnpairedMap) for note in one.notes]
    notes = tuple(note if len(attack.maps) == 1 else f"group {k}: {note}" for k, note in said)
    return _attack_row(attack.name, attack.knows, result, found.top_k, chosen, notes)


def _ceiling(
    learned: Sequence[Learned], groups: Mapping[str, str], resamples: int, seed: int
) -> tuple[AttackRow, TrialScores]:
    sets = [one.part.sets for one in learned]
    scores = [compare_embeddings(one.enrollment, one.original_trials, one.trial_list) for one in sets]
    pooled = pooled_scores(scores, groups)
    result = assess_scores(pooled, resamples=resamples, seed=seed, name="original", attacker="original", curves=False)
    return _attack_row("original", "the trials before anonymization (ceiling)", result, {}), pooled


def _attack_row(
    name: str,
    knows: str,
    result: Assessment,
    top_k: Mapping[int, tuple[float, float]],
    chosen: Mapping[str, float] | None = None,
    notes: tuple[str, ...] = (),
) -> AttackRow:
    measures = {name: result.measures[name] for name in ROW_MEASURES}
    for k, (there, back) in top_k.items():
        for key, label, value in (
            (f"top{k}_original_to_inverted", f"Top-{k}, nearest inverted of each original", there),
            (f"top{k}_inverted_to_original", f"Top-{k}, nearest original of each inverted", back),
        ):
            measures[key] = Measure(MeasureInfo(key, label, "share", "low", None, None, "", ""), value)
    return AttackRow(name, knows, measures, chosen or {}, notes, result, top_k)


def _top(sets: Sequence[Sets]) -> tuple[int, ...]:
    return tuple(k for k in TOP if k <= min(len(one.original_trials) for one in sets))


def _value(row: AttackRow, measure: str) -> float:
    value = row.measures[measure].value
    return float(value) if isinstance(value, (int, float)) else 1.0
