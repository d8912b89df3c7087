"""The attackers of the toolkit against a system of pseudo-speakers, in the embedding domain.

All know the system and its pool; none knows the seed. *Ignorant* compares original enrollment with pseudo-speakers of
trials, *lazy-informed* pseudo-speakers of both, by a back-end learned on originals. *Semi-informed* relearns the
back-end on pseudo-speakers of other people, which he makes himself, as often as he likes. *Repeating* does the same and
makes many pseudo-speakers of each enrolled speaker with seeds of his own, so that he compares the trial with everything
that the system does to that speaker. *Inverting* makes up hundreds of people, mixtures of those at hand, sends them through the
system, learns a regression from their pseudo-speakers back to them, and compares with original enrollment.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from stripeless.attackers.backends import Backend, fit_backend
from stripeless.attackers.inversion.linear import fit_ridge
from stripeless.attackers.inversion.procrustes import fit_procrustes
from stripeless.embeddings.embeddings import EmbeddingMap, Embeddings
from stripeless.embeddings.vectors import (
    FloatArray,
    length_normalized,
    need_speakers,
    speaker_codes,
    speaker_means,
    take,
)
from stripeless.errors import InputError
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.system import PseudoSpeakers
from stripeless.scores.comparison import cosine_scores

ATTACKERS = ("ignorant", "lazy-informed", "semi-informed", "repeating", "inverting")
MADE_UP = 300  # people for each of his seeds
OWN_SEED = 1_000_003  # attackers' seeds start here; the secret ones count from the seed of the study


@dataclass(frozen=True, eq=False)
class PseudoData:
    """People of three kinds who share nobody: those who are judged, those the attacker learns from, and the pool."""

    name: str
    enrollment: Embeddings
    trials: Embeddings
    training: Embeddings
    pool: Pool

    def __post_init__(self) -> None:
        judged = set(need_speakers(self.enrollment, "enrollment")) | set(need_speakers(self.trials, "trials"))
        learned = set(need_speakers(self.training, "training"))
        for one, other, names in (
            (judged, learned, "judged and training"),
            (judged, set(self.pool.speakers), "judged and pool"),
            (learned, set(self.pool.speakers), "training and pool"),
        ):
            if one & other:
                raise InputError(f"{self.name}: speaker {sorted(one & other)[0]!r} is among both {names}")


@dataclass(frozen=True, eq=False)
class Known:
    """What attackers learn once and use against every draw of the secret seed."""

    on_original: Backend
    on_pseudo: Backend
    repeated: FloatArray
    inversions: dict[str, EmbeddingMap]
    names: tuple[str, str]


def learn(data: PseudoData, system: PseudoSpeakers, on_original: tuple[Backend, str], *, repeats: int = 6) -> Known:
    """Relearn, repeat and invert with seeds of one's own; systems that draw nothing need one repetition."""
    count = repeats if system.draws else 1
    mine = [replace(system, seed=OWN_SEED + number) for number in range(count)]
    halves = halves_of(data.training)
    shown = [
        (one.apply(half, role=role), half)
        for one in mine
        for half, role in zip(halves, ("enrollment", "trial"), strict=True)
    ]
    vectors, speakers, sexes = stacked(sources(e, system.per) for e, _ in shown)
    on_pseudo, name = fit_backend(vectors, speakers, sexes)
    runs = [
        speaker_means(one.apply(data.enrollment, role=role)).vectors for one in mine for role in ("enrollment", "trial")
    ]
    invented = [made_up(data, number) for number in range(len(mine))]
    inverted = np.concatenate(
        [one.apply(who, per="utterance").vectors for one, who in zip(mine, invented, strict=True)]
    )
    inverted = length_normalized(inverted)
    originals = length_normalized(np.concatenate([who.vectors for who in invented]))
    inversions: dict[str, EmbeddingMap] = {
        "ridge": fit_ridge(inverted, originals),
        "procrustes": fit_procrustes(inverted, originals),
    }
    return Known(on_original[0], on_pseudo, np.mean(runs, axis=0), inversions, (on_original[1], name))


def made_up(data: PseudoData, number: int) -> Embeddings:
    """People who do not exist, to try the system on: Gaussian mixtures of the attacker's own people and the pool's."""
    people = speaker_means(data.training)
    random = np.random.default_rng([OWN_SEED, number])
    rows, sexes = [], []
    for sex in data.pool.sexes:
        own = people.vectors[np.array(people.sex) == sex].astype(np.float64)
        known = np.concatenate([own, data.pool.of_sex(sex)])
        mixed = random.normal(size=(MADE_UP // 2, len(known))) @ (known - known.mean(axis=0)) / np.sqrt(len(known))
        rows.append(known.mean(axis=0) + mixed)
        sexes += [sex] * len(mixed)
    names = tuple(f"made up {number} {k}" for k in range(len(sexes)))
    return Embeddings(np.concatenate(rows), names, names, tuple(sexes))


def original_backend(data: PseudoData) -> tuple[Backend, str]:
    """The back-end that tells the attacker's own people apart best, learned on their original vectors."""
    return fit_backend(
        data.training.vectors.astype(np.float64), need_speakers(data.training, "training"), data.training.sex
    )


def score_matrices(data: PseudoData, system: PseudoSpeakers, known: Known) -> dict[str, FloatArray]:
    """(models, trials) of each attacker against this secret seed; models in the order of `speaker_means`."""
    hidden = system.apply(data.trials, role="trial").vectors.astype(np.float64)
    models = speaker_means(data.enrollment).vectors.astype(np.float64)
    enrolled = speaker_means(system.apply(data.enrollment, role="enrollment")).vectors.astype(np.float64)
    counts = np.bincount(speaker_codes(need_speakers(data.enrollment, "enrollment"))[1]).astype(np.float64)
    one = np.ones(len(models))
    inverted = known.inversions["ridge"].apply(length_normalized(hidden))
    return {
        "ignorant": known.on_original.scores(models, hidden, counts),
        "lazy-informed": known.on_original.scores(enrolled, hidden, one if system.per == "speaker" else counts),
        "semi-informed": known.on_pseudo.scores(enrolled, hidden, one if system.per == "speaker" else counts),
        "repeating": known.on_pseudo.scores(known.repeated, hidden, one),
        "inverting": centered_cosines(models, inverted, data.training),
    }


def centered_cosines(models: FloatArray, inverted: FloatArray, training: Embeddings) -> FloatArray:
    """Cosines around the mean of the attacker's own people: what a regression cannot tell, it puts there."""
    center = length_normalized(training.vectors).mean(axis=0)
    spread = inverted - center
    spread = spread + 1e-12 * center  # an inversion that says nothing at all has no direction; give it one for all
    return cosine_scores(length_normalized(models) - center, spread)


def halves_of(embeddings: Embeddings) -> tuple[Embeddings, Embeddings]:
    """Every other utterance of each speaker: what the attacker takes for enrollment, and for trials."""
    seen: dict[str, int] = {}
    place = []
    for speaker in need_speakers(embeddings, "training"):
        seen[speaker] = seen.get(speaker, -1) + 1
        place.append(seen[speaker] % 2)
    return take(embeddings, np.array(place) == 0), take(embeddings, np.array(place) == 1)


def sources(embeddings: Embeddings, per: str) -> Embeddings:
    """One row per source of a pseudo-speaker: the speaker's mean, or each utterance."""
    return speaker_means(embeddings) if per == "speaker" else embeddings


def stacked(parts: Iterable[Embeddings]) -> tuple[FloatArray, tuple[str, ...], tuple[str, ...]]:
    """Vectors, speakers and sexes of all parts below each other."""
    found = list(parts)
    vectors = np.concatenate([one.vectors.astype(np.float64) for one in found])
    speakers = tuple(name for one in found for name in one.speakers or ())
    return vectors, speakers, tuple(sex for one in found for sex in one.sex or ())
