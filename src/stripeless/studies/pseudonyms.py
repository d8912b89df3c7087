"""A system of pseudo-speakers, judged: what each attacker learns, what can be inverted, and how distinct people stay.

Enrollment and trials are made anew with several secret seeds, each attacker learns once. What is drawn has no spread of
its own: all utterances of a speaker get one vector, as the synthesis would be given it. Measures of what is *heard* add to each
utterance how an utterance of somebody in the pool differs from that person's mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stripeless._draws import keyed_draws
from stripeless.assessment.assess import assess_scores
from stripeless.attackers.backends import Backend
from stripeless.attackers.pseudonyms import (
    ATTACKERS,
    Known,
    PseudoData,
    learn,
    original_backend,
    score_matrices,
)
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import FloatArray, length_normalized, need_speakers, of_sex, speaker_means
from stripeless.measures.linkability import linkability
from stripeless.measures.similarity import de_identification, gain_of_voice_distinctiveness, similarity_matrix
from stripeless.measures.top_k import chance_top_k, top_k_accuracy
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.system import PseudoSpeakers
from stripeless.ranks.beta_binomial import fit_beta_binomial
from stripeless.ranks.counts import RankCounts, count_score_ranks
from stripeless.ranks.disclosure import rank_disclosure
from stripeless.results.assessment import Assessment
from stripeless.scores.comparison import labeled_scores
from stripeless.scores.pairs import generate_trials, rows_of
from stripeless.scores.trials import Factor, TrialScores
from stripeless.verdicts.strongest import strongest_of

HEARD = 3  # secret seeds behind measures of what is heard


@dataclass(frozen=True, eq=False)
class PseudoResult:
    """`attackers[name]`: every measure; `strongest` the one who learns most by the EER. `rank_bits` (and those of chance) are
    mean disclosures of ranks among the enrolled of one sex under the strongest attacker, by a beta-binomial model.
    """

    attackers: dict[str, Assessment]
    strongest: str
    rank_bits: float | None
    rank_chance: float | None
    de_identification: float
    distinctiveness: float
    inversions: dict[str, float]
    inversion_chance: float
    linked_trials: float
    nearest: float
    backends: tuple[str, ...]
    settings: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Plain values only; the settings are without the seed, which is secret elsewhere."""
        chosen = {name: one.measures for name, one in self.attackers.items()}
        plain = {k: v for k, v in vars(self).items() if k not in ("attackers", "settings")}
        return {
            **plain,
            "backends": list(self.backends),
            "attackers": {name: {k: m.to_dict() for k, m in measures.items()} for name, measures in chosen.items()},
            "settings": {k: v for k, v in self.settings.items() if k not in ("seed", "roster")},
        }


def pseudo_study(
    parts: Sequence[tuple[PseudoData, PseudoSpeakers]], *, seeds: int = 10, resamples: int = 200, seed: int = 0
) -> PseudoResult:
    """Judge one system on one or several sets of people, each with the system as it learned from that set's pool."""
    found: dict[str, list[TrialScores]] = {name: [] for name in ATTACKERS}
    ranked: dict[str, list[dict[str, list[tuple[RankCounts, int]]]]] = {name: [] for name in ATTACKERS}
    heard: list[tuple[float, float, float, float]] = []
    inverted: list[dict[str, float]] = []
    chance, backends = [], []
    for data, system in parts:
        on_original = original_backend(data)
        known = learn(data, system, on_original)
        backends += list(known.names)
        runs = [replace(system, seed=seed + number) for number in range(seeds if system.draws else 1)]
        matrices = [score_matrices(data, run, known) for run in runs]
        for name in ATTACKERS:
            stack = np.array([one[name] for one in matrices])
            stack = (stack - stack.mean()) / (stack.std() or 1.0)  # sets of people are pooled, their back-ends differ
            found[name] += [as_trials(data, matrix) for matrix in stack]
            ranked[name].append(rank_counts(data, stack))
        heard += [how_heard(data, run) for run in runs[:HEARD]]
        inverted += [top_1(data, run, known) for run in runs[:HEARD]]
        chance.append(inversion_chance(data))
    assessed = {
        name: assess_scores(joined(trials), resamples=resamples, seed=seed, attacker=name, curves=False)
        for name, trials in found.items()
    }
    strongest = list(assessed)[strongest_of(list(assessed.values()), "eer")]
    bits = rank_bits(ranked[strongest]) if len(parts) == 1 else (None, None)
    deid, gain, linked, near = (float(np.mean(column)) for column in zip(*heard, strict=True))
    return PseudoResult(
        attackers=assessed,
        strongest=strongest,
        rank_bits=bits[0],
        rank_chance=bits[1],
        de_identification=deid,
        distinctiveness=gain,
        inversions={name: float(np.mean([one[name] for one in inverted])) for name in inverted[0]},
        inversion_chance=float(np.mean(chance)),
        linked_trials=linked,
        nearest=near,
        backends=tuple(dict.fromkeys(backends)),
        settings=parts[0][1].settings(),
    )


def ceiling(data: Sequence[PseudoData], *, resamples: int = 200, seed: int = 0) -> Assessment:
    """What the same comparison gives away where nothing is hidden."""
    found = []
    for one in data:
        backend: Backend = original_backend(one)[0]
        models = speaker_means(one.enrollment)
        matrix = backend.scores(
            models.vectors.astype(np.float64), one.trials.vectors.astype(np.float64), np.ones(len(models))
        )
        found.append(as_trials(one, (matrix - matrix.mean()) / matrix.std()))
    return assess_scores(joined(found), resamples=resamples, seed=seed, attacker="original", curves=False)


def as_trials(data: PseudoData, matrix: FloatArray) -> TrialScores:
    """Scores of all comparisons within one sex."""
    listed = generate_trials(data.enrollment, data.trials)
    models, trials = speaker_means(data.enrollment).utterances, data.trials.utterances
    rows, columns = rows_of(listed.models, models, "models"), rows_of(listed.utterances, trials, "utterances")
    scores = matrix[rows[listed.enrollment], columns[listed.trial]]
    return labeled_scores(scores, listed, need_speakers(data.trials, "trials"), columns)


def joined(parts: Sequence[TrialScores]) -> TrialScores:
    """One set of scores; people keep their names, so that intervals are over people however often they were drawn."""
    names: dict[str, int] = {}

    def codes(factor: Factor | None, kind: str) -> Any:
        assert factor is not None
        number = np.array([names.setdefault(name, len(names)) for name in factor.names], dtype=np.int32)
        return number[getattr(factor, kind)]

    sides = {
        (side, kind): np.concatenate([codes(getattr(part, side), kind) for part in parts])
        for side in ("enrollment_speakers", "trial_speakers")
        for kind in ("target", "nontarget")
    }
    everybody = tuple(names)
    enrollment, trial = (
        Factor(everybody, sides[side, "target"], sides[side, "nontarget"])
        for side in ("enrollment_speakers", "trial_speakers")
    )
    target, nontarget = (np.concatenate([getattr(part, kind) for part in parts]) for kind in ("target", "nontarget"))
    return TrialScores(target, nontarget, enrollment_speakers=enrollment, trial_speakers=trial)


def rank_counts(data: PseudoData, stack: FloatArray) -> dict[str, list[tuple[RankCounts, int]]]:
    """Ranks of the true speaker among the enrolled of the same sex, one probe per speaker and seed."""
    models = speaker_means(data.enrollment)
    column = {name: i for i, name in enumerate(models.utterances)}
    speakers = need_speakers(data.trials, "trials")
    first = {name: i for i, name in reversed(list(enumerate(speakers))) if name in column}
    found: dict[str, list[tuple[RankCounts, int]]] = {}
    for sex in sorted(set(models.sex or ())):
        rivals = np.flatnonzero(np.array(models.sex) == sex)
        probes = [i for name, i in first.items() if (models.sex or ())[column[name]] == sex]
        if len(rivals) < 2 or not probes:
            continue
        own = np.array([int(np.flatnonzero(rivals == column[speakers[i]])[0]) for i in probes])
        scores = np.concatenate([matrix[np.ix_(rivals, np.array(probes))].T for matrix in stack])
        found[sex] = [(count_score_ranks(scores, np.tile(own, len(stack))), len(scores))]
    return found


def rank_bits(ranked: Sequence[dict[str, list[tuple[RankCounts, int]]]]) -> tuple[float, float]:
    """Mean disclosure in bits, averaged over the probes of both sexes; and what a model fitted to chance would say."""
    total, chance, probes = 0.0, 0.0, 0
    random = np.random.default_rng(0)
    for one in ranked:
        for counted in one.values():
            for counts, number in counted:
                histogram = rank_disclosure(counts).histogram
                total += number * fit_beta_binomial(histogram).mean_disclosure
                blind = [
                    fit_beta_binomial(random.multinomial(number, np.full(counts.n, 1 / counts.n))).mean_disclosure
                    for _ in range(20)
                ]
                chance += number * float(np.mean(blind))
                probes += number
    return total / probes, chance / probes


def how_heard(data: PseudoData, system: PseudoSpeakers) -> tuple[float, float, float, float]:
    """DeID, G_VD (means of both sexes) and the linkability of trials with each other, all with utterances' own variation;
    and the angle to the nearest other pseudo-speaker, in degrees, without it.
    """
    exact = system.apply(data.trials, role="trial")
    shown = as_heard(exact, data.pool)
    deid, gain = [], []
    for sex in sorted(set(data.trials.sex or ())):
        before, after = of_sex(data.trials, sex), of_sex(shown, sex)
        m_oo = similarity_matrix(before, kind="oo")
        deid.append(de_identification(similarity_matrix(before, after, kind="oa"), m_oo))
        gain.append(gain_of_voice_distinctiveness(similarity_matrix(after, kind="aa"), m_oo))
    return float(np.mean(deid)), float(np.mean(gain)), linked(shown), nearest_angle(exact)


def nearest_angle(embeddings: Embeddings) -> float:
    """Mean angle, in degrees, between a speaker's vector and the nearest other speaker's of the same sex."""
    people = speaker_means(embeddings)
    found: list[float] = []
    for sex in sorted(set(people.sex or ())):
        unit = length_normalized(of_sex(people, sex).vectors)
        cosines = unit @ unit.T - 2 * np.eye(len(unit))
        found += np.degrees(np.arccos(np.clip(cosines.max(axis=1), -1.0, 1.0))).tolist() if len(unit) > 1 else []
    return float(np.mean(found))


def as_heard(embeddings: Embeddings, pool: Pool) -> Embeddings:
    """Each utterance moved as some utterance of somebody in the pool stands off that person's mean, scaled so that the
    variance is that of utterances.
    """
    said = pool.need_utterances("what is heard")
    names = need_speakers(said, "pool")
    place = {name: row for row, name in enumerate(pool.speakers)}
    own = np.array([place[name] for name in names])
    counts = np.bincount(own)[own].astype(np.float64)
    off = (said.vectors - pool.vectors[own]) * np.sqrt(counts / np.maximum(counts - 1, 1))[:, None]
    chosen = [int(keyed_draws("heard", utterance).integers(len(off))) for utterance in embeddings.utterances]
    return replace(embeddings, vectors=embeddings.vectors + off[chosen])


def linked(shown: Embeddings) -> float:
    """Linkability of pairs of trials within one role and sex: can it be heard that two trials are of one person?"""
    unit = length_normalized(shown.vectors)
    i, j = np.triu_indices(len(unit), k=1)
    sexes, speakers = np.array(shown.sex), np.array(shown.speakers)
    alike = sexes[i] == sexes[j]
    scores, same = (unit @ unit.T)[i, j][alike], (speakers[i] == speakers[j])[alike]
    return float(linkability(scores[same], scores[~same]))


def inversion_chance(data: PseudoData) -> float:
    """Top-1 of a blind pick by somebody who knows the sex: every system here keeps it."""
    sexes = data.trials.sex or ("",) * len(data.trials)
    speakers = need_speakers(data.trials, "trials")
    total = 0.0
    for sex in set(sexes):
        own = [name for name, kind in zip(speakers, sexes, strict=True) if kind == sex]
        total += len(own) * chance_top_k(own, own)
    return total / len(speakers)


def top_1(data: PseudoData, system: PseudoSpeakers, known: Known) -> dict[str, float]:
    """How often the nearest original trial of an inverted one is of the same speaker."""
    hidden = length_normalized(system.apply(data.trials, role="trial").vectors)
    originals = length_normalized(data.trials.vectors)
    center = length_normalized(data.training.vectors).mean(axis=0)
    speakers = need_speakers(data.trials, "trials")
    return {
        name: top_k_accuracy(one.apply(hidden) - center + 1e-12 * center, originals - center, speakers, speakers)
        for name, one in known.inversions.items()
    }
