"""Singling out and 1:N linkability: the criteria of the WP29 opinion on anonymization, as rates against chance.

*Singling out*: an attacker who holds one recording of somebody tries to pick exactly one person out of N. The attacker fires
where similarity exceeds a threshold that fires on 1/N of other recordings, and succeeds when it fires on exactly one test
recording, whoever that is. Without any information this happens with probability (1 - 1/N)^(N-1), which tends to 1/e.

*1:N linkability*: the recording matches its own speaker better than all N - 1 others. Chance is 1/N. This is not the
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
    need_speakers,
    speaker_codes,
    speaker_means,
)
from stripeless.errors import InputError, TooFewTrials

CALIBRATION_RECORDINGS = 9


@dataclass(frozen=True, eq=False)
class Rate:
    """How often an attacker succeeds, with its company: chance, interval, and the rate of each speaker.

    Attributes:
        name: what was tried: "one_to_n_linkability" or "singling_out".
        rate: share of successes, 0 to 1.
        low, high: ends of the 95 % interval over speakers.
        chance: the rate of an attacker who knows nothing.
        speakers: how many people there were to choose from.
        utterances: how many utterances were averaged into one recording.
        per_speaker: the rate of each speaker by name.
    """

    name: str
    rate: float
    low: float
    high: float
    chance: float
    speakers: int
    utterances: int
    per_speaker: dict[str, float]


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
        seed: start of the draws that deal utterances into recordings; without effect for `utterances=1`.
    Returns:
        A `Rate`: `rate` with its 95 % interval over speakers, `chance` (1/N), and the rate of each speaker.

    >>> enrolled = Embeddings([[1.0, 0.0], [0.0, 1.0]], ("a1", "b1"), ("a", "b"))
    >>> one_to_n_linkability(enrolled, Embeddings([[3.0, 1.0], [2.0, 1.0]], ("a2", "b2"), ("a", "b"))).rate
    0.5
    """
    models = speaker_means(enrollment)
    recordings, owners = _recordings(trials, utterances, np.random.default_rng(seed))
    known = {name: i for i, name in enumerate(models.utterances)}
    kept = [i for i, owner in enumerate(owners) if owner in known]
    if not kept:
        raise InputError(
            "no trial speaker is enrolled, so nobody can be linked; enrollment and trials must share speakers"
        )
    n, size = len(models), len(models) if speakers is None else speakers
    if not 2 <= size <= n:
        raise InputError(f"speakers: expected 2 to {n}, the enrolled speakers, got {size}")
    check_same_dimension(models.vectors, recordings, ("enrollment", "trials"))
    scores = recordings[kept] @ length_normalized(models.vectors, "enrollment").T
    true = np.array([known[owners[i]] for i in kept])
    own = scores[np.arange(len(kept)), true][:, None]
    beaten = (scores > own).sum(axis=1) + 0.5 * ((scores == own).sum(axis=1) - 1)
    chances = np.where(
        beaten <= n - size, np.exp(_log_choose(n - 1 - beaten, size - 1) - _log_choose(n - 1, size - 1)), 0
    )
    named = [owners[i] for i in kept]
    return _rate("one_to_n_linkability", chances, named, 1 / size, size, utterances, seed)


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
    share no utterance with it. Speakers with fewer than twice `utterances` are left out.

    Parameters:
        enrollment: embeddings whose mean per speaker is the speaker's model.
        trials: embeddings to single out from, with speakers.
        speakers: how many trial recordings there are to choose from; by default everybody with enough utterances.
        utterances: how many utterances of a speaker are averaged into one recording.
        rounds: how often recordings are dealt anew; more rounds, less chance in the rate.
        seed: start of the random draws; the same seed gives the same result.
    Returns:
        A `Rate`: `rate` with its 95 % interval over speakers, `chance` (about 0.37), and the rate of each speaker.
    """
    rng = np.random.default_rng(seed)
    people = _by_speaker(trials, 2 * utterances)
    size = len(people) if speakers is None else speakers
    if not 2 <= size <= len(people):
        raise TooFewTrials(
            f"speakers: {len(people)} trial speakers have {2 * utterances} utterances or more, so 2 to {len(people)} can be "
            f"singled out from, got {size}"
        )
    models = speaker_means(enrollment)
    enrolled = length_normalized(models.vectors, "enrollment")
    vectors = length_normalized(trials.vectors, "trials")
    hits = np.zeros(len(models))
    for _ in range(rounds):
        chosen = rng.permutation(len(people))[:size]
        tests, calibration = _deal([people[i][1] for i in chosen], vectors, utterances, rng)
        fired = enrolled @ tests.T > _thresholds(enrolled @ calibration.T, size)[:, None]
        hits += fired.sum(axis=1) == 1
    chance = (1 - 1 / size) ** (size - 1)
    return _rate("singling_out", hits / rounds, models.utterances, chance, size, utterances, seed)


def sweep(
    enrollment: Embeddings,
    trials: Embeddings,
    *,
    speakers: Sequence[int] | None = None,
    utterances: Sequence[int] = (1, 3, 10),
    seed: int = 0,
) -> list[Rate]:
    """Both rates against the number of people and of utterances averaged; what the data cannot fill is left out."""
    found: list[Rate] = []
    for length in utterances:
        for measure in (one_to_n_linkability, singling_out):
            for size in speakers or _sizes(len(speaker_means(enrollment))):
                try:
                    found.append(measure(enrollment, trials, speakers=size, utterances=length, seed=seed))
                except TooFewTrials:
                    continue
    return found


def _sizes(most: int) -> list[int]:
    return sorted({size for size in (2, 5, 10, 20, 50, 100, 200, 500, 1000) if size < most} | {most})


def _recordings(trials: Embeddings, utterances: int, rng: np.random.Generator) -> tuple[FloatArray, list[str]]:
    """Disjoint groups of this many utterances of one speaker, averaged; what is left over is not used."""
    vectors = length_normalized(trials.vectors, "trials")
    if utterances == 1:
        return vectors, list(need_speakers(trials, "trials"))
    rows, owners = [], []
    for name, places in _by_speaker(trials, utterances):
        dealt = rng.permutation(places)
        for start in range(0, len(dealt) - utterances + 1, utterances):
            rows.append(vectors[dealt[start : start + utterances]].mean(axis=0))
            owners.append(name)
    return length_normalized(np.array(rows), "trials"), owners


def _by_speaker(trials: Embeddings, least: int) -> list[tuple[str, NDArray[np.int64]]]:
    if least < 1:
        raise InputError("utterances: expected at least 1 per recording")
    names, codes = speaker_codes(need_speakers(trials, "trials"))
    people = [(name, np.flatnonzero(codes == code)) for code, name in enumerate(names)]
    kept = [(name, places) for name, places in people if len(places) >= least]
    if not kept:
        raise TooFewTrials(f"no trial speaker has {least} utterances; average fewer of them")
    return kept


def _deal(
    people: Sequence[NDArray[np.int64]], vectors: FloatArray, utterances: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """One test recording per speaker, and calibration recordings from the speaker's other utterances."""
    tests: list[FloatArray] = []
    calibration: list[FloatArray] = []
    for places in people:
        dealt = rng.permutation(places)
        tests.append(vectors[dealt[:utterances]].mean(axis=0))
        rest = dealt[utterances:]
        picks = (rng.permutation(rest)[:utterances] for _ in range(CALIBRATION_RECORDINGS))
        calibration.extend(vectors[pick].mean(axis=0) for pick in picks)
    return length_normalized(np.array(tests)), length_normalized(np.array(calibration))


def _thresholds(scores: FloatArray, size: int) -> FloatArray:
    """Midway between the last score that fires and the first that does not, so that 1/N of them fire."""
    firing = scores.shape[1] // size
    ordered = -np.sort(-scores, axis=1)
    thresholds: FloatArray = (ordered[:, firing - 1] + ordered[:, firing]) / 2
    return thresholds


def _rate(
    name: str, values: FloatArray, owners: Sequence[str], chance: float, size: int, utterances: int, seed: int
) -> Rate:
    """The mean over recordings, and an interval from drawing speakers anew."""
    names, codes = speaker_codes(owners)
    counts = np.bincount(codes)
    totals = np.bincount(codes, weights=values)
    draws = np.random.default_rng(seed).multinomial(len(names), np.full(len(names), 1 / len(names)), size=1000)
    drawn = (draws @ totals) / (draws @ counts)
    low, high = (float(x) for x in np.quantile(drawn, [0.025, 0.975]))
    per_speaker = dict(zip(names, (totals / counts).tolist(), strict=True))
    return Rate(name, float(np.mean(values)), low, high, chance, size, utterances, per_speaker)


def _log_choose(n: FloatArray | float, k: int) -> FloatArray:
    result: FloatArray = np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1))
    return result
