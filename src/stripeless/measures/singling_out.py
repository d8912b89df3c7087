"""Singling out and 1:N linkability: the criteria of the WP29 opinion on anonymization, as rates against chance.

*Singling out*: an attacker who holds one recording of somebody tries to pick exactly one person out of N. The attacker fires
where similarity exceeds a threshold that fires on 1/N of other recordings, and succeeds when it fires on exactly one test
recording, whoever that is. If recordings fired independently, each with probability 1/N, this would happen with probability
(1 - 1/N)^(N-1), which tends to 1/e: *chance by the formula*. They do not. The threshold is learned from few recordings, so
that several fire together or none (pure noise lies below the formula), and recordings of one person resemble each other, so
that a threshold learned on nine of them fires on the tenth: pseudonyms that have nothing to do with anybody reach 0.55 and
more. **The measure also answers to recordings that link among themselves.** Chance is therefore measured: the rate of the
same models where their own person is not among the candidates. What a model knows of its own person cannot help it there;
everything else stays. Whether the own person's presence adds anything is tested by exchanging whose model is whose.

*1:N linkability*: the recording matches its own speaker better than all N - 1 others. Chance is 1/N exactly. This is not the
linkability of Gomez-Barrero et al. (`linkability`), which compares score distributions.

Definitions as in the voice-anonymization-legal-eval project. A recording stands for the normalized mean of `utterances`
utterances. Private is the end at chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import (
    FloatArray,
    check_same_dimension,
    length_normalized,
    speaker_codes,
    speaker_means,
)
from stripeless.errors import InputError, TooFewTrials
from stripeless.measures.lineup import Lineup, averaged, by_speaker, deal

EXCHANGES = 999
MOST_TESTED = 150  # people whose models are exchanged, drawn at random where there are more
_EDGE = 1e-12


@dataclass(frozen=True, eq=False)
class Rate:
    """How often an attacker succeeds, with its company: chance, interval, and the rate of each speaker.

    Attributes:
        name: what was tried: "one_to_n_linkability" or "singling_out".
        rate: share of successes, 0 to 1.
        low, high: ends of the 95 % interval over speakers.
        chance: the rate of an attacker who knows nothing. Of singling out: that of the same models where their own person
            is not among the candidates.
        speakers: how many people there were to choose from.
        utterances: how many utterances were averaged into one recording.
        per_speaker: the rate of each speaker by name.
        chance_low, chance_high: between which rates 95 % of attackers lie who know nothing, by exchanging (within a sex)
            whose model is whose; None where nobody can be exchanged.
        p: chance of a rate so far above without any knowledge, by the same exchange; None where nobody can be exchanged.
        formula: chance by the published formula, which takes recordings to fire independently; None where it is `chance`.
    """

    name: str
    rate: float
    low: float
    high: float
    chance: float
    speakers: int
    utterances: int
    per_speaker: dict[str, float]
    chance_low: float | None = None
    chance_high: float | None = None
    p: float | None = None
    formula: float | None = None


@dataclass(frozen=True, eq=False)
class _Tried:
    """One set of people: successes of each recording or model, chance, and what exchanging models makes of it."""

    values: FloatArray
    owners: Sequence[str]
    chance: FloatArray
    exchanged: FloatArray  # the sum as it is, then after each exchange; empty where nobody can be exchanged


def one_to_n_linkability(
    enrollment: Embeddings, trials: Embeddings, *, speakers: int | None = None, utterances: int = 1, seed: int = 0
) -> Rate:
    """How often a trial recording is most similar to the model of its own speaker among N candidates.

    Exact over all candidate sets: with m models that beat the true one among n, a set of N without any of them has
    probability C(n-1-m, N-1) / C(n-1, N-1). A tie counts half a beat.

    Parameters:
        enrollment: embeddings whose mean per speaker is the speaker's model.
        trials: embeddings to be linked; recordings of people who are not enrolled are left out.
        speakers: candidates N, from 2 to the number enrolled, which is the default.
        utterances: how many utterances of a speaker are averaged into one recording.
        seed: start of the draws that deal utterances into recordings and exchange models.
    Returns:
        A `Rate`: `rate` with its 95 % interval over speakers, `chance` (1/N), `p`, and the rate of each speaker.

    >>> enrolled = Embeddings([[1.0, 0.0], [0.0, 1.0]], ("a1", "b1"), ("a", "b"))
    >>> one_to_n_linkability(enrolled, Embeddings([[3.0, 1.0], [2.0, 1.0]], ("a2", "b2"), ("a", "b"))).rate
    0.5
    """
    size = len(speaker_means(enrollment)) if speakers is None else speakers
    return _rate("one_to_n_linkability", [_linked(enrollment, trials, size, utterances, seed)], size, utterances, seed)


def singling_out(
    enrollment: Embeddings,
    trials: Embeddings,
    *,
    speakers: int | None = None,
    utterances: int = 1,
    rounds: int = 20,
    seed: int = 0,
) -> Rate:
    """How often one enrollment model isolates exactly one of `speakers` trial recordings, one per speaker.

    In each round every speaker's trial utterances are dealt anew into one test recording and up to nine for calibration, which
    share no utterance with it. Speakers with fewer than twice `utterances` are left out. Exactly one recording fires more
    often where recordings of one person resemble each other, even if no model knows anybody: compare with `chance`, not
    with 1/e.

    Parameters:
        enrollment: embeddings whose mean per speaker is the speaker's model.
        trials: embeddings to single out from, with speakers.
        speakers: how many trial recordings there are to choose from; by default everybody with enough utterances.
        utterances: how many utterances of a speaker are averaged into one recording.
        rounds: how often recordings are dealt anew; more rounds, less chance in the rate.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        A `Rate`: `rate` with its 95 % interval over speakers, `chance` (the rate of models whose own person is absent) with
        its spread and `p`, chance by the published `formula`, and the rate of each speaker.
    """
    size = len(by_speaker(trials, 2 * utterances)) if speakers is None else speakers
    return _rate(
        "singling_out", [_isolated(enrollment, trials, size, utterances, rounds, seed)], size, utterances, seed
    )


def sweep(
    enrollment: Embeddings,
    trials: Embeddings,
    *,
    speakers: Sequence[int] | None = None,
    utterances: Sequence[int] = (1, 3, 10),
    seed: int = 0,
) -> list[Rate]:
    """Both rates against the number of people and of utterances averaged; what the data cannot fill is left out."""
    return sweep_groups([(enrollment, trials)], speakers=speakers, utterances=utterances, seed=seed)


def sweep_groups(
    groups: Sequence[tuple[Embeddings, Embeddings]],
    *,
    speakers: Sequence[int] | None = None,
    utterances: Sequence[int] = (1, 3, 10),
    seed: int = 0,
) -> list[Rate]:
    """`sweep` over several groups of people, each with enrollment and trials of its own; candidates are of one group."""
    found: list[Rate] = []
    most = min(len(speaker_means(enrollment)) for enrollment, _ in groups)
    for length in utterances:
        for name in ("one_to_n_linkability", "singling_out"):
            for size in speakers or _sizes(most):
                tried = [_tried(name, *group, size, length, seed + k) for k, group in enumerate(groups)]
                if known := [one for one in tried if one is not None]:
                    found.append(_rate(name, known, size, length, seed))
    return found


def _tried(name: str, enrollment: Embeddings, trials: Embeddings, size: int, length: int, seed: int) -> _Tried | None:
    try:
        if name == "singling_out":
            return _isolated(enrollment, trials, size, length, 20, seed)
        return _linked(enrollment, trials, size, length, seed)
    except TooFewTrials:
        return None


def _sizes(most: int) -> list[int]:
    return sorted({size for size in (2, 5, 10, 20, 50, 100, 200, 500, 1000) if size < most} | {most})


# Linking


def _linked(enrollment: Embeddings, trials: Embeddings, size: int, utterances: int, seed: int) -> _Tried:
    models = speaker_means(enrollment)
    rng = np.random.default_rng(seed)
    recordings, owners = averaged(trials, utterances, rng)
    known = {name: i for i, name in enumerate(models.utterances)}
    kept = [i for i, owner in enumerate(owners) if owner in known]
    if not kept:
        raise InputError(
            "no trial speaker is enrolled, so nobody can be linked; enrollment and trials must share speakers"
        )
    n = len(models)
    if not 2 <= size <= n:
        raise InputError(f"speakers: expected 2 to {n}, the enrolled speakers, got {size}")
    check_same_dimension(models.vectors, recordings, ("enrollment", "trials"))
    scores = recordings[kept] @ length_normalized(models.vectors, "enrollment").T
    true = np.array([known[owners[i]] for i in kept])
    successes = _successes(scores, size)
    sums = np.zeros((n, n))  # row: who speaks; column: who is taken for the speaker
    np.add.at(sums, true, successes)
    tested = np.unique(true)
    values = successes[np.arange(len(kept)), true]
    return _Tried(
        values,
        [owners[i] for i in kept],
        np.full(len(kept), 1 / size),
        _exchanged(sums[np.ix_(tested, tested)], _sex_of(models, tested), rng) / len(kept),
    )


def _successes(scores: FloatArray, size: int) -> FloatArray:
    """For each recording and each model: how often the model is the best of `size` candidates it is among."""
    n = scores.shape[1]
    ordered = np.sort(scores, axis=1)
    places = [
        np.array([np.searchsorted(row, values, side=side) for row, values in zip(ordered, scores, strict=True)])
        for side in ("left", "right")
    ]
    beaten = (n - places[1]) + 0.5 * (places[1] - places[0] - 1)
    chances = np.exp(_log_choose(n - 1 - beaten, size - 1) - _log_choose(n - 1, size - 1))
    return np.asarray(np.where(beaten <= n - size, chances, 0.0))


# Singling out


def _isolated(enrollment: Embeddings, trials: Embeddings, size: int, utterances: int, rounds: int, seed: int) -> _Tried:
    rng = np.random.default_rng(seed)
    people = by_speaker(trials, 2 * utterances)
    if not 2 <= size <= len(people):
        raise TooFewTrials(
            f"speakers: {len(people)} trial speakers have {2 * utterances} utterances or more, so 2 to {len(people)} can be "
            f"singled out from, got {size}"
        )
    models = speaker_means(enrollment)
    enrolled = length_normalized(models.vectors, "enrollment")
    vectors = length_normalized(trials.vectors, "trials")
    own, whose = _both(models.utterances, [name for name, _ in people], rng)
    hits, without = np.zeros(len(models)), np.zeros(len(own))
    adds = np.zeros((len(own), len(own)))  # row: whose model; column: whose presence or absence is looked at
    for _ in range(rounds):
        order = rng.permutation(len(people))
        tests, calibration = deal([places for _, places in people], vectors, utterances, rng)
        fires = Lineup(enrolled @ tests.T, np.einsum("md,pkd->mpk", enrolled, calibration), order, size)
        base = fires.base()
        hits += base
        if size > 2 or size < len(people):
            with_one, without_one = fires.both(own, whose, base)
            adds += with_one - without_one
            without += np.diag(without_one)
    chance = hits / rounds
    if size > 2 or size < len(people):
        chance[own] = without / rounds + (_formula(size) - _formula(size - 1) if size == len(people) else 0.0)
        exchanged = _exchanged(adds / rounds, _sex_of(models, own), rng) / max(len(own), 1)
    else:
        chance, exchanged = np.full(len(models), _formula(size)), np.zeros(0)
    return _Tried(hits / rounds, models.utterances, chance, exchanged)


def _both(
    models: Sequence[str], people: Sequence[str], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who is enrolled and can be singled out: the places among the models and among the people."""
    place = {name: k for k, name in enumerate(people)}
    pairs = [(k, place[name]) for k, name in enumerate(models) if name in place]
    if len(pairs) > MOST_TESTED:
        pairs = [pairs[k] for k in np.sort(rng.permutation(len(pairs))[:MOST_TESTED])]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _formula(size: int) -> float:
    """Chance by the formula, if each of `size` recordings fired by itself with probability 1/size."""
    return float((1 - 1 / size) ** (size - 1)) if size > 1 else 1.0


# What both need


def _exchanged(table: FloatArray, groups: NDArray[np.int64], rng: np.random.Generator) -> FloatArray:
    """The sum over i of table[i, i], then of table[i, j] for exchanges j of the people of each group."""
    sizes = np.bincount(groups, minlength=1)
    if sizes.max() < 2:
        return np.zeros(0)
    orders = np.tile(np.arange(len(table)), (EXCHANGES + 1, 1))
    for group in np.flatnonzero(sizes > 1).tolist():
        people = np.flatnonzero(groups == group)
        orders[1:, people] = people[np.argsort(rng.random((EXCHANGES, people.size)), axis=1)]
    sums: FloatArray = table[np.arange(len(table)), orders].sum(axis=1)
    return sums


def _sex_of(models: Embeddings, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The group of each model within which models are exchanged: its sex where known, one group otherwise."""
    if models.sex is None:
        return np.zeros(len(places), dtype=np.int64)
    return speaker_codes([models.sex[k] for k in places.tolist()])[1]


def _rate(name: str, groups: Sequence[_Tried], size: int, utterances: int, seed: int) -> Rate:
    """The mean over recordings of all groups, an interval from drawing speakers anew, and what exchanging makes of it."""
    values, chances = (np.concatenate([getattr(one, what) for one in groups]) for what in ("values", "chance"))
    names, codes = speaker_codes([owner for one in groups for owner in one.owners])
    counts = np.bincount(codes)
    totals = np.bincount(codes, weights=values)
    draws = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), size=1000)
    drawn = (draws @ totals) / (draws @ counts)
    low, high = (float(x) for x in np.quantile(drawn, [0.025, 0.975]))
    per_speaker = dict(zip(names, (totals / counts).tolist(), strict=True))
    chance = float(chances.mean())
    formula = _formula(size) if name == "singling_out" else None
    spread = _spread(groups, 0.0 if formula is None else chance)
    return Rate(name, float(np.mean(values)), low, high, chance, size, utterances, per_speaker, *spread, formula)


def _spread(groups: Sequence[_Tried], chance: float) -> tuple[float | None, float | None, float | None]:
    """Between which rates exchanged models lie, and how often they reach as far as the models as they are."""
    known = [one for one in groups if one.exchanged.size]
    if not known:
        return None, None, None
    weights = np.array([len(one.values) for one in known], dtype=np.float64)
    sums = np.average([one.exchanged for one in known], axis=0, weights=weights)
    seen, others = float(sums[0]), sums[1:]
    low, high = (float(np.clip(chance + x, 0.0, 1.0)) for x in np.quantile(others, [0.025, 0.975]))
    return low, high, float((1 + np.count_nonzero(others >= seen - _EDGE)) / (1 + others.size))


def _log_choose(n: FloatArray | float, k: int) -> FloatArray:
    result: FloatArray = np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1))
    return result
