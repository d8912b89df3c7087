"""`stripeless attack`: invert an anonymizer in the embedding space by every attack there is, and say what follows.

Each speaker's utterances are dealt in two: half are the attacker's, who learns from them and enrolls with their originals;
the other half are judged. What is called unsupervised never sees a pair: rows are shuffled before it starts.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stripeless._log import clock
from stripeless.assessment.assess import assess_scores
from stripeless.attackers.inversion.linear import TunedMap, fit_affine, fit_cca, fit_ridge
from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.attackers.inversion.procrustes import fit_procrustes
from stripeless.attackers.inversion.protocol import (
    FrontEnd,
    Inversion,
    Sets,
    evaluate_inversion,
    fit_front_end,
    random_attacks,
)
from stripeless.attackers.inversion.wasserstein import UnpairedMap, fit_wasserstein_procrustes
from stripeless.embeddings.embeddings import EmbeddingMap, Embeddings
from stripeless.embeddings.vectors import check_same_dimension, need_speakers, paired, speaker_codes, take
from stripeless.errors import TooFewTrials
from stripeless.measures.measure import Measure, MeasureInfo
from stripeless.measures.singling_out import sweep
from stripeless.measures.top_k import top_k_accuracy
from stripeless.results.assessment import Assessment
from stripeless.results.attack import AttackRow, AttackStudy, Conclusions, Identification, Spread
from stripeless.scores.comparison import compare_embeddings
from stripeless.verdicts.leak import shows_leak
from stripeless.verdicts.strongest import strongest_of

LOG = logging.getLogger(__name__)

DIMENSIONS = (None, 10, 20, 40, 70, 100, 150, 200)
TOP = (1, 5)
PAIRS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
CHANCE_ROTATIONS = 10
DRAWS = 3  # random choices of pairs behind each point of the curve


ROW_MEASURES = ("eer", "cllr_min", "d_ece", "linkability")


def attack_study(
    anonymized: Embeddings, original: Embeddings, *, resamples: int = 300, seed: int = 0, name: str = ""
) -> AttackStudy:
    """Play every attack on two files that list the same utterances, before and after anonymization.

    Half of each speaker's utterances teach the attacks, the other half is attacked.

    Parameters:
        anonymized: embeddings after anonymization.
        original: embeddings of the same utterances before, with speakers.
        resamples: how often speakers are drawn for 95 % intervals: 100 or more, or 0 for no intervals.
        seed: start of the random draws; the same seed gives the same result.
        name: what the system is called in reports.
    Returns:
        An `AttackStudy`: one row per attack, chance and ceiling beside them, and what follows (`conclusions()`).
    """
    inputs = (*anonymized.inputs, *original.inputs)
    anonymized, original = paired(anonymized, original)
    check_same_dimension(anonymized.vectors, original.vectors, ("anonymized", "original"))
    speakers = need_speakers(original, "original")
    anonymized = Embeddings(anonymized.vectors, original.utterances, speakers, original.sex)
    mine = attackers_half(speakers, seed)
    training = take(anonymized, mine), take(original, mine)
    sets = Sets.of(training[1], take(anonymized, ~mine), take(original, ~mine))
    dimensions = choose_dimensions(*training, seed=seed)
    front = fit_front_end(*training, dimensions)
    rows = [_ceiling(sets, resamples, seed)]
    attacks = _attacks(front, training, seed)
    for label, knows, attack in attacks:
        seconds = clock()
        rows.append(
            _row(label, knows, attack, evaluate_inversion(front, attack, sets, top=_top(sets)), resamples, seed)
        )
        LOG.info("played the attack %s in %.1f s", label, seconds())
    chance = _chance(front, sets, seed)
    return AttackStudy(
        rows=tuple(rows),
        chance=chance,
        curve=tuple(_curve(front, training, sets, seed)),
        identification=_identification(front, sets, rows[1:], [attack for _, _, attack in attacks], seed),
        concluded=conclude(rows, chance),
        dimensions=dimensions,
        training=int(mine.sum()),
        judged=int((~mine).sum()),
        speakers=len(set(speakers)),
        seed=seed,
        name=name,
        inputs=inputs,
    )


def attackers_half(speakers: tuple[str, ...], seed: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """True for the half of each speaker's utterances that the attacker holds."""
    names, codes = speaker_codes(speakers)
    rng = np.random.default_rng(seed)
    mine = np.zeros(len(codes), dtype=bool)
    for code, who in enumerate(names):
        rows = rng.permutation(np.flatnonzero(codes == code))
        if len(rows) < 2:
            raise TooFewTrials(f"speaker {who!r} has one utterance; each needs two, one to enroll and one to judge")
        mine[rows[: len(rows) // 2]] = True
    return mine


def choose_dimensions(anonymized: Embeddings, original: Embeddings, *, seed: int = 0) -> int | None:
    """The PCA under which a rotation learned on half of the attacker's own pairs finds most speakers of the other half."""
    half = attackers_half_or_any(need_speakers(original, "original"), seed + 1)
    most = min(int(half.sum()) - 1, anonymized.dimension)
    best: tuple[float, int | None] = (-1.0, None)
    for dimensions in DIMENSIONS:
        if dimensions is not None and dimensions > most:
            continue
        inside = take(anonymized, half), take(original, half)
        front = fit_front_end(*inside, dimensions)
        turn = fit_procrustes(front.anonymized.apply(inside[0].vectors), front.original.apply(inside[1].vectors))
        outside = take(original, ~half)
        found = turn.apply(front.anonymized.apply(take(anonymized, ~half).vectors))
        labels = need_speakers(outside, "original")
        accuracy = top_k_accuracy(found, front.original.apply(outside.vectors), labels, labels)
        best = max(best, (accuracy, dimensions), key=lambda one: one[0])
    return best[1]


def attackers_half_or_any(speakers: tuple[str, ...], seed: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Half of each speaker's rows where all have two, half of all rows otherwise."""
    try:
        return attackers_half(speakers, seed)
    except TooFewTrials:
        half = np.zeros(len(speakers), dtype=bool)
        half[np.random.default_rng(seed).permutation(len(speakers))[: len(speakers) // 2]] = True
        return half


def _attacks(
    front: FrontEnd, training: tuple[Embeddings, Embeddings], seed: int
) -> list[tuple[str, str, EmbeddingMap]]:
    a, o = front.anonymized.apply(training[0].vectors), front.original.apply(training[1].vectors)
    who = need_speakers(training[1], "original")
    rng = np.random.default_rng(seed)
    odd = rng.permutation(len(a)) % 2 == 1
    shuffled = rng.permutation(len(a))
    return [
        ("none", "nothing: anonymized trials as they are", LinearMap(np.eye(a.shape[1]))),
        ("procrustes", "the pairs", fit_procrustes(a, o)),
        ("affine", "the pairs", fit_affine(a, o)),
        ("ridge", "the pairs", fit_ridge(a, o, who)),
        ("cca", "the pairs", fit_cca(a, o, who)),
        ("unpaired", "both sets, no pair (rows shuffled)", fit_wasserstein_procrustes(a[shuffled], o, seed=seed)),
        ("unpaired, other utterances", "sets that share no utterance", fit_wasserstein_procrustes(a[odd], o[~odd], seed=seed)),
    ]  # fmt: skip


def _row(name: str, knows: str, attack: EmbeddingMap, found: Inversion, resamples: int, seed: int) -> AttackRow:
    result = assess_scores(found.scores, resamples=resamples, seed=seed, name=name, attacker=name, curves=False)
    chosen = attack.chosen if isinstance(attack, TunedMap) else {}
    notes = attack.notes if isinstance(attack, UnpairedMap) else ()
    return _attack_row(name, knows, result, found.top_k, chosen, notes)


def _ceiling(sets: Sets, resamples: int, seed: int) -> AttackRow:
    scores = compare_embeddings(sets.enrollment, sets.original_trials, sets.trial_list)
    result = assess_scores(scores, resamples=resamples, seed=seed, name="original", attacker="original", curves=False)
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


def _top(sets: Sets) -> tuple[int, ...]:
    return tuple(k for k in TOP if k <= len(sets.original_trials))


def strongest(rows: Sequence[AttackRow]) -> AttackRow:
    """The attack after which inverted trials and enrollment are linked best."""
    played = [(row, row.assessment) for row in rows if row.name != "original" and row.assessment is not None]
    return played[strongest_of([assessment for _, assessment in played], "eer")][0]


def _identification(
    front: FrontEnd, sets: Sets, rows: Sequence[AttackRow], attacks: Sequence[EmbeddingMap], seed: int
) -> Identification:
    """Singling out and 1:N linkability with the strongest attack, for several numbers of people and of utterances."""
    best = strongest(rows)
    attack = attacks[list(rows).index(best)]
    enrolled, trials = sets.enrollment, sets.anonymized_trials
    inverted = attack.apply(front.anonymized.apply(trials.vectors))
    known = front.original.apply(enrolled.vectors)
    rates = sweep(
        Embeddings(known, enrolled.utterances, enrolled.speakers, enrolled.sex),
        Embeddings(inverted, trials.utterances, trials.speakers, trials.sex),
        seed=seed,
    )
    return Identification(best.name, tuple(rates))


def _chance(front: FrontEnd, sets: Sets, seed: int) -> dict[str, Spread]:
    """Random rotations: the spread of each figure that a blind attacker reaches."""
    size = front.original.apply(sets.original_trials.vectors[:1]).shape[1]
    found = [evaluate_inversion(front, attack, sets) for attack in random_attacks(size, CHANCE_ROTATIONS, seed)]
    figures = {
        "eer": [float(assess_scores(one.scores, curves=False)["eer"]) for one in found],  # type: ignore[arg-type]
        "top1_original_to_inverted": [one.top_k[1][0] for one in found],
        "top1_inverted_to_original": [one.top_k[1][1] for one in found],
    }
    return {key: Spread(float(np.mean(values)), float(np.std(values, ddof=1))) for key, values in figures.items()}


def _curve(front: FrontEnd, training: tuple[Embeddings, Embeddings], sets: Sets, seed: int) -> list[dict[str, float]]:
    """What Procrustes reaches against the number of pairs it is given."""
    a, o = front.anonymized.apply(training[0].vectors), front.original.apply(training[1].vectors)
    rng = np.random.default_rng([seed, 7])
    points = []
    for count in [*(n for n in PAIRS if n < len(a)), len(a)]:
        runs = []
        for _ in range(1 if count == len(a) else DRAWS):
            some = rng.permutation(len(a))[:count]
            found = evaluate_inversion(front, fit_procrustes(a[some], o[some]), sets)
            error = assess_scores(found.scores, curves=False)["eer"]
            runs.append((float(error), *found.top_k[1]))  # type: ignore[arg-type]
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


def conclude(rows: Sequence[AttackRow], chance: Mapping[str, Spread]) -> Conclusions:
    """What the two criteria of ISO/IEC 24745 allow to conclude. A failed attack proves nothing; a success does."""
    attacks = [row for row in rows if row.name != "original"]
    linked = strongest(attacks)
    blind = chance["top1_inverted_to_original"]
    inverted = max(attacks, key=lambda row: row.top_k[1][1])
    broken = linked.assessment is not None and shows_leak(linked.assessment)
    told = f"{linked.name} reaches an EER of {100 * _number(linked, 'eer'):.1f} %"
    accuracy = inverted.top_k[1][1]
    undone = accuracy > blind.mean + 3 * max(blind.deviation, 0.005)
    found = (
        f"{inverted.name} finds the right speaker for {100 * accuracy:.1f} % of the utterances "
        f"(random rotations: {100 * blind.mean:.1f} %)"
    )
    return Conclusions(
        unlinkability=f"Broken: {told}, below one half beyond chance; anonymized and original data can be linked."
        if broken
        else f"Not broken by these attacks: {told}. That is no proof of unlinkability; a stronger attacker may exist.",
        non_invertibility=f"Broken in the embedding space: {found}. The recordings themselves were not reconstructed."
        if undone
        else f"Not broken by these attacks: {found}. That is no proof of non-invertibility: only linear maps were tried.",
    )


def _number(row: AttackRow, measure: str) -> float:
    value = row.measures[measure].value
    return float(value) if isinstance(value, float) else float("nan")
