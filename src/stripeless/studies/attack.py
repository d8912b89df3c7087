"""`stripeless attack`: invert an anonymizer in the embedding space by every attack there is, and say what follows.

Learned on some people, judged on others, so that a table of pseudonyms does not pass for an inversion. Whether
pseudonyms return, for an attacker who has pairs of the people judged, is a question of its own: the pseudonym lookup.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from stripeless._log import clock
from stripeless.assessment.assess import assess_scores
from stripeless.attackers.inversion.attacks import Attack, Learned, attackers_half_or_any, half_of_people, learn_attacks
from stripeless.attackers.inversion.crossed import evaluate_parts, grouped, groups_of, pooled_scores
from stripeless.attackers.inversion.linear import TunedMap
from stripeless.attackers.inversion.matches import EXCHANGES, match_test
from stripeless.attackers.inversion.people import Part, other_people, same_people
from stripeless.attackers.inversion.procrustes import fit_procrustes
from stripeless.attackers.inversion.protocol import Inversion, Sets, random_attacks
from stripeless.attackers.inversion.wasserstein import UnpairedMap
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import check_same_dimension, need_speakers, paired
from stripeless.errors import InputError
from stripeless.measures.eer import eer
from stripeless.measures.measure import Measure, MeasureInfo
from stripeless.measures.singling_out import sweep_groups
from stripeless.results.assessment import Assessment
from stripeless.results.attack import OTHER_PEOPLE, AttackRow, AttackStudy, Identification, Spread, Tested
from stripeless.scores.comparison import compare_embeddings
from stripeless.scores.trials import TrialScores
from stripeless.studies.attack_conclusions import conclude
from stripeless.verdicts.evidence import evidence_of

LOG = logging.getLogger(__name__)

TOP = (1, 5)
PAIRS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
CHANCE_ROTATIONS = 10
DRAWS = 3  # random choices of pairs behind each point of the curve
ROW_MEASURES = ("eer", "cllr_min", "d_ece", "linkability")


def attack_study(
    anonymized: Embeddings,
    original: Embeddings,
    *,
    resamples: int = 300,
    seed: int = 0,
    name: str = "",
    enrollment: Embeddings | None = None,
    training_anonymized: Embeddings | None = None,
    training_original: Embeddings | None = None,
) -> AttackStudy:
    """Play every attack on two files that list the same utterances, before and after anonymization.

    Everybody is judged by attackers who learned from other people only: people are dealt into groups, up to four, and
    each group is attacked with what the others teach. Beside it stands the pseudonym lookup, whose attacker learns from
    half of the utterances of the very people who are judged.

    Parameters:
        anonymized: embeddings after anonymization.
        original: embeddings of the same utterances before, with speakers.
        resamples: how often speakers are drawn for 95 % intervals: 100 or more, or 0 for no intervals.
        seed: start of the random draws; the same seed gives the same result.
        name: what the system is called in reports.
        enrollment: original embeddings that the judged people are enrolled with; None enrolls half of each speaker's
            utterances and judges the other half.
        training_anonymized: anonymized embeddings that the attacker learns from, of other people or of those judged; None
            learns from the people of the other groups.
        training_original: the same utterances before, with speakers; None takes `enrollment`, which also plays the
            protocol of Champion et al. 2021.
    Returns:
        An `AttackStudy`: one row per attack, chance and ceiling beside them, the pseudonym lookup, and what follows
        (`conclusions()`).
    """
    training = _training(enrollment, training_anonymized, training_original)
    several = (anonymized, original, enrollment, training_anonymized, training_original)
    inputs = tuple(dict.fromkeys(file for one in several if one is not None for file in one.inputs))
    anonymized, original = _pairs(anonymized, original, "original")
    parts = other_people(anonymized, original, enrollment=enrollment, training=training, seed=seed)
    learned = [Learned.of(part, half_of_people(_taught(part), seed + 1), seed) for part in parts]
    attacks = learn_attacks(learned, seed)
    rows, linked = _rows(learned, attacks, resamples, seed)
    lookup, returned = _of_part(same_people(anonymized, original, seed), resamples, seed)
    tests = {
        "unlinkability": linked,
        "non_invertibility": _matched(learned, attacks, seed),
        "pseudonym_lookup": returned,
    }
    judged = {name for part in parts for name in part.people}
    teachers = set() if training is None or enrollment is None else set(need_speakers(training[1], "training"))
    chance = _chance(learned, seed)
    chosen = tuple(one.dimensions for one in learned)
    return AttackStudy(
        rows=rows,
        chance=chance,
        curve=tuple(_curve(learned, seed)),
        identification=_identification(learned, attacks, linked.attack, seed),
        concluded=conclude(rows, lookup, tests, chance),
        dimensions=chosen[0] if len(set(chosen)) == 1 else None,
        dimensions_by_group=chosen,
        training=min(len(part.training[0]) for part in parts),
        judged=sum(len(part.sets.original_trials) for part in parts),
        speakers=len(judged),
        groups=len(parts),
        known=0,
        taught=len(judged & teachers),
        seed=seed,
        name=name,
        inputs=inputs,
        protocol=OTHER_PEOPLE,
        lookup=lookup,
        paper=_paper(anonymized, original, enrollment, training, resamples, seed) if judged & teachers else (),
        tests=tests,
        notes=_left_out(original, judged),
    )


# What is given


def _pairs(anonymized: Embeddings, original: Embeddings, name: str) -> tuple[Embeddings, Embeddings]:
    """The two sides of the same utterances in one order, both with the speakers and sexes of the originals."""
    anonymized, original = paired(anonymized, original)
    check_same_dimension(anonymized.vectors, original.vectors, ("anonymized", name))
    return Embeddings(anonymized.vectors, original.utterances, need_speakers(original, name), original.sex), original


def _training(
    enrollment: Embeddings | None, anonymized: Embeddings | None, original: Embeddings | None
) -> tuple[Embeddings, Embeddings] | None:
    if anonymized is None:
        if original is not None:
            raise InputError("training_original: the attacker learns from pairs; give training_anonymized too")
        return None
    original = enrollment if original is None else original
    if original is None:
        raise InputError("training_anonymized: the attacker learns from pairs; give training_original or enrollment")
    return _pairs(anonymized, original, "training_original")


def _taught(part: Part) -> tuple[str, ...]:
    return need_speakers(part.training[1], "training")


def _left_out(original: Embeddings, judged: set[str]) -> tuple[str, ...]:
    others = sorted(set(need_speakers(original, "original")) - judged)
    if not others:
        return ()
    listed = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
    return (
        f"{len(others)} people were not judged, because nobody of their sex could be compared with them: {listed}.",
    )


# The attacks


def _rows(
    learned: Sequence[Learned], attacks: Sequence[Attack], resamples: int, seed: int
) -> tuple[tuple[AttackRow, ...], Tested]:
    """The ceiling, every attack, and whether any of them links: all tested at once."""
    groups = groups_of([one.part for one in learned])
    rows, scores = [_ceiling(learned, groups, resamples, seed)], []
    for attack in attacks:
        seconds = clock()
        found = evaluate_parts(learned, attack.maps, top=_top([one.part.sets for one in learned]))
        rows.append(_row(attack, found, resamples, seed))
        scores.append((attack.name, grouped(found.scores, groups)))
        LOG.info("played the attack %s in %.1f s", attack.name, seconds())
    return _linked(rows, scores, seed)


def _of_part(part: Part, resamples: int, seed: int) -> tuple[tuple[AttackRow, ...], Tested]:
    """Every attack on the people it learned from."""
    learned = [Learned.of(part, attackers_half_or_any(_taught(part), seed + 1), seed)]
    return _rows(learned, learn_attacks(learned, seed), resamples, seed)


def _paper(
    anonymized: Embeddings,
    original: Embeddings,
    enrollment: Embeddings | None,
    training: tuple[Embeddings, Embeddings] | None,
    resamples: int,
    seed: int,
) -> tuple[AttackRow, ...]:
    """The protocol of Champion et al. 2021: learn from the pairs of enrollment, whoever they are, and judge all trials."""
    assert enrollment is not None
    assert training is not None
    return _of_part(Part(training, Sets.of(enrollment, anonymized, original)), resamples, seed)[0]


def _linked(
    rows: list[AttackRow], scores: Sequence[tuple[str, TrialScores]], seed: int
) -> tuple[tuple[AttackRow, ...], Tested]:
    evidence = evidence_of(scores, permutations=EXCHANGES, seed=seed)
    reached = {one.name: one for one in evidence.attackers}
    told = [
        replace(row, auc=one.auc, corrected=one.corrected, p=one.p) if (one := reached.get(row.name)) else row
        for row in rows
    ]
    known = [one for one in evidence.attackers if one.p is not None]
    if evidence.p is None or not known:
        best = min(rows[1:], key=lambda row: _value(row, "eer"))
        return tuple(told), Tested(attack=best.name, tried=len(scores), reason=evidence.reason)
    best_known = min(known, key=lambda one: (one.p, -(one.auc or 0.0)))
    return tuple(told), Tested(
        evidence.final_p, best_known.name, "auc", best_known.auc, best_known.corrected, 0.5, len(scores), evidence.permutations
    )  # fmt: skip


def _matched(learned: Sequence[Learned], attacks: Sequence[Attack], seed: int) -> Tested:
    found = match_test(learned, attacks, seed=seed)
    if found is None:
        return Tested(
            measure="top1", tried=len(attacks), reason="Nobody can be exchanged with anybody of the same sex."
        )
    return Tested(found.p, attacks[found.attack].name, found.way, found.share, found.corrected, found.chance, len(attacks), EXCHANGES)  # fmt: skip


def _row(attack: Attack, found: Inversion, resamples: int, seed: int) -> AttackRow:
    result = assess_scores(
        found.scores, resamples=resamples, seed=seed, name=attack.name, attacker=attack.name, curves=False
    )
    tuned = [one.chosen for one in attack.maps if isinstance(one, TunedMap)]
    chosen = {key: float(np.median([one[key] for one in tuned])) for key in (tuned[0] if tuned else {})}
    said = [(k, note) for k, one in enumerate(attack.maps, 1) if isinstance(one, UnpairedMap) for note in one.notes]
    notes = tuple(note if len(attack.maps) == 1 else f"group {k}: {note}" for k, note in said)
    return _attack_row(attack.name, attack.knows, result, found.top_k, chosen, notes)


def _ceiling(learned: Sequence[Learned], groups: Mapping[str, str], resamples: int, seed: int) -> AttackRow:
    sets = [one.part.sets for one in learned]
    scores = [compare_embeddings(one.enrollment, one.original_trials, one.trial_list) for one in sets]
    pooled = pooled_scores(scores, groups)
    result = assess_scores(pooled, resamples=resamples, seed=seed, name="original", attacker="original", curves=False)
    return _attack_row("original", "the trials before anonymization (ceiling)", result, {})


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


# What stands beside them


def _identification(learned: Sequence[Learned], attacks: Sequence[Attack], best: str, seed: int) -> Identification:
    """Singling out and 1:N linkability with the strongest attack, among the people of each group."""
    attack = next(one for one in attacks if one.name == best)
    people = []
    for one, inversion in zip(learned, attack.maps, strict=True):
        enrolled, trials = one.part.sets.enrollment, one.part.sets.anonymized_trials
        inverted = inversion.apply(one.front.anonymized.apply(trials.vectors))
        known = one.front.original.apply(enrolled.vectors)
        people.append(
            (
                Embeddings(known, enrolled.utterances, enrolled.speakers, enrolled.sex),
                Embeddings(inverted, trials.utterances, trials.speakers, trials.sex),
            )
        )
    return Identification(best, tuple(sweep_groups(people, seed=seed)), len(attacks))


def _figures(found: Inversion) -> tuple[float, float, float]:
    """EER and both top-1 shares."""
    return (eer(found.scores.target, found.scores.nontarget), *found.top_k[1])


def _chance(learned: Sequence[Learned], seed: int) -> dict[str, Spread]:
    """Random rotations: the spread of each figure that a blind attacker reaches."""
    sizes = [one.front.original.apply(one.part.sets.original_trials.vectors[:1]).shape[1] for one in learned]
    turns = [random_attacks(size, CHANCE_ROTATIONS, seed + k) for k, size in enumerate(sizes)]
    found = [_figures(evaluate_parts(learned, [one[k] for one in turns])) for k in range(CHANCE_ROTATIONS)]
    names = ("eer", "top1_original_to_inverted", "top1_inverted_to_original")
    return {
        name: Spread(float(np.mean(values)), float(np.std(values, ddof=1)))
        for name, values in zip(names, zip(*found, strict=True), strict=True)
    }


def _curve(learned: Sequence[Learned], seed: int) -> list[dict[str, float]]:
    """What Procrustes reaches against the number of pairs it is given."""
    pairs = [
        (
            one.front.anonymized.apply(one.part.training[0].vectors),
            one.front.original.apply(one.part.training[1].vectors),
        )
        for one in learned
    ]
    rng = np.random.default_rng([seed, 7])
    most = min(len(a) for a, _ in pairs)
    points = []
    for count in [*(n for n in PAIRS if n < most), most]:
        runs = []
        for _ in range(1 if count == most else DRAWS):
            some = [rng.permutation(len(a))[: len(a) if count == most else count] for a, _ in pairs]
            maps = [fit_procrustes(a[rows], o[rows]) for (a, o), rows in zip(pairs, some, strict=True)]
            runs.append(_figures(evaluate_parts(learned, maps)))
        mean = np.mean(runs, axis=0)
        points.append(
            {
                "pairs": float(count),
                "eer": float(mean[0]),
                "top1_original_to_inverted": float(mean[1]),
                "top1_inverted_to_original": float(mean[2]),
            }
        )
    return points
