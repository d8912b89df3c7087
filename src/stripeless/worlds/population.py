"""A population with a known truth: speakers, sessions, an anonymizer of stated strength, and attackers who play against it.

An utterance is a vector: its speaker, plus what changes from one utterance to the next. The anonymizer turns all vectors
by one secret rotation, keeps only a part of each speaker (1 - strength, in amplitude), and adds a pseudo-voice drawn for
each speaker, anew for enrollment and for trials. All of it is Gaussian, so the best possible attacker is known and can be
sampled without limit: no measured attacker may beat that one by more than chance, and a good one comes close.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stripeless.assessment.assess import assess, assess_scores
from stripeless.embeddings.plda import EM_STEPS, diagonalized, two_covariance_llr, two_covariances
from stripeless.errors import InputError
from stripeless.results.evaluation import Evaluation
from stripeless.scores.check import FloatArray
from stripeless.scores.trials import Codes, Factor, TrialScores


@dataclass(frozen=True)
class Population:
    """Sizes and strengths of a simulated population; every second speaker is a woman."""

    speakers: int = 60
    utterances: int = 8
    enrollment_utterances: int = 3
    training_speakers: int = 400
    dimension: int = 24
    strength: float = 0.5
    pseudo_spread: float = 0.6

    def __post_init__(self) -> None:
        if not 0 <= self.strength <= 1:
            raise InputError(f"strength: expected a number from 0 (nothing hidden) to 1 (all), got {self.strength}")
        if self.speakers < 4:
            raise InputError(f"speakers: expected at least 4, two of each sex, got {self.speakers}")

    @property
    def between(self) -> FloatArray:
        """Variance between speakers in each direction: a few directions tell much, most tell little."""
        return np.asarray(4.0 * 0.85 ** np.arange(self.dimension))

    @property
    def kept(self) -> FloatArray:
        """Variance between speakers that the anonymizer leaves."""
        return np.asarray((1 - self.strength) ** 2 * self.between)

    @property
    def anonymized_noise(self) -> float:
        """Variance within a speaker after anonymization, pseudo-voice aside."""
        return 1.0


@dataclass(frozen=True)
class SimulatedBackend:
    """A two-covariance model in the basis where the variance within speakers is 1 (Brummer & de Villiers 2010).

    `basis` maps vectors there, `between` is the variance of speakers along each direction.
    """

    mean: FloatArray
    basis: FloatArray
    between: FloatArray

    def llr(self, enrollment: FloatArray, trial: FloatArray, n: int) -> FloatArray:
        """LLRs of every enrollment mean (of n utterances) against every trial."""
        e, t = (enrollment - self.mean) @ self.basis, (trial - self.mean) @ self.basis
        return two_covariance_llr(e, t, self.between, n)


def fit_two_covariances(vectors: FloatArray, speakers: NDArray[np.int64]) -> SimulatedBackend:
    """Two covariances by EM, without the LDA and length normalization of a real back-end: these vectors are Gaussian."""
    mean = vectors.mean(axis=0)
    basis, between = diagonalized(*two_covariances(vectors - mean, speakers, EM_STEPS))
    return SimulatedBackend(mean, basis, between)


@dataclass(frozen=True, eq=False)
class _Session:
    """Vectors of one occasion, with the speaker of each row."""

    vectors: FloatArray
    speakers: NDArray[np.int64]


class _World:
    """Draws speakers and utterances, original and anonymized, from one seed."""

    def __init__(self, population: Population, seed: int) -> None:
        self.population = population
        self.rng = np.random.default_rng(seed)
        self.rotation = np.linalg.qr(self.rng.normal(size=(population.dimension,) * 2))[0]

    def voices(self, count: int) -> FloatArray:
        return self.rng.normal(size=(count, self.population.dimension)) * np.sqrt(self.population.between)

    def original(self, voices: FloatArray, utterances: int) -> _Session:
        speakers = np.repeat(np.arange(len(voices)), utterances)
        return _Session(voices[speakers] + self.rng.normal(size=(speakers.size, voices.shape[1])), speakers)

    def anonymized(self, voices: FloatArray, utterances: int, *, new_voice_each_time: bool = False) -> _Session:
        speakers = np.repeat(np.arange(len(voices)), utterances)
        shape = (speakers.size if new_voice_each_time else len(voices), voices.shape[1])
        pseudo = self.rng.normal(size=shape) * self.population.pseudo_spread
        kept = (1 - self.population.strength) * voices[speakers] + (pseudo if new_voice_each_time else pseudo[speakers])
        noise = self.rng.normal(size=(speakers.size, voices.shape[1]))
        return _Session((kept + noise) @ self.rotation, speakers)


def simulate_evaluation(population: Population | None = None, *, resamples: int = 300, seed: int = 0) -> Evaluation:
    """Play the three attackers of the VoicePrivacy challenges against a simulated anonymizer of known strength.

    >>> small = Population(speakers=10, training_speakers=50, utterances=4)
    >>> result = simulate_evaluation(small, resamples=0)
    >>> [attacker.attacker for attacker in result.attackers]
    ['ignorant', 'lazy-informed', 'semi-informed']
    """
    population = population or Population()
    played = {
        name: replace(
            assess_scores(scores, resamples=resamples, seed=seed, name=name, attacker=name),
            backend="two-covariance PLDA",
        )
        for name, scores in simulate_attackers(population, seed=seed).items()
    }
    original = played.pop("original")
    truth = best_possible(population, seed)
    return Evaluation(
        name="simulated anonymizer",
        description=(
            f"{population.speakers} simulated speakers, {population.utterances} trial utterances each; the anonymizer removes "
            f"{100 * population.strength:.0f} % of every voice, turns the rest by a secret rotation and adds a pseudo-voice."
        ),
        original=original,
        attackers=tuple(played.values()),
        truth=truth,
        notes=(
            "These voices are simulated, so the truth is known: the best possible attacker, who knows every parameter of "
            f"the simulation, reaches EER {100 * truth['eer']:.1f} %, D_ECE {truth['d_ece']:.3f} bit and linkability "
            f"{truth['linkability']:.3f}. Real data have no such line.",
        ),
        seed=seed,
    )


def simulate_attackers(population: Population, *, seed: int = 0) -> dict[str, TrialScores]:
    """Scores of every attacker, and of the original speech, on the same trials."""
    world = _World(population, seed)
    training, people = world.voices(population.training_speakers), world.voices(population.speakers)
    n, m = population.enrollment_utterances, population.utterances
    on_original = fit_backend_of(world.original(training, 10))
    # A good attacker gives every training utterance its own pseudo-voice, so that the back-end learns to ignore it.
    on_anonymized = fit_backend_of(world.anonymized(training, 10, new_voice_each_time=True))
    enroll, enroll_anonymized = world.original(people, n), world.anonymized(people, n)
    trial, trial_anonymized = world.original(people, m), world.anonymized(people, m)
    return {
        "original": _score(on_original, enroll, trial, n),
        "ignorant": _score(on_original, enroll, trial_anonymized, n),
        "lazy-informed": _score(on_original, enroll_anonymized, trial_anonymized, n),
        "semi-informed": _score(on_anonymized, enroll_anonymized, trial_anonymized, n),
    }


def fit_backend_of(session: _Session) -> SimulatedBackend:
    return fit_two_covariances(session.vectors, session.speakers)


def _score(backend: SimulatedBackend, enrollment: _Session, trials: _Session, n: int) -> TrialScores:
    """All same-sex trials, speakers named."""
    speakers = int(enrollment.speakers.max()) + 1
    means = enrollment.vectors.reshape(speakers, n, -1).mean(axis=1)
    matrix = backend.llr(means, trials.vectors, n)
    model = np.repeat(np.arange(speakers), trials.speakers.size)
    talker = np.tile(trials.speakers, speakers)
    same_sex = (model - talker) % 2 == 0
    target, nontarget = same_sex & (model == talker), same_sex & (model != talker)
    names = tuple(f"{'fm'[k % 2]}{k // 2 + 1:03d}" for k in range(speakers))
    flat = matrix.ravel()

    def codes(values: NDArray[np.int64], which: NDArray[np.bool_]) -> Codes:
        return values[which].astype(np.int32)

    return TrialScores(
        flat[target],
        flat[nontarget],
        enrollment_speakers=Factor(names, codes(model, target), codes(model, nontarget)),
        trial_speakers=Factor(names, codes(talker, target), codes(talker, nontarget)),
        columns={"sex": Factor(("female", "male"), codes(talker % 2, target), codes(talker % 2, nontarget))},
        trial_digest=f"simulated-{speakers}-{trials.speakers.size}",
    )


def best_possible(population: Population, seed: int = 0, draws: int = 100_000) -> dict[str, float]:
    """What the attacker who knows every parameter reaches against the anonymizer, from a large sample of the LLRs.

    The pseudo-voice is shared by the utterances of a session but not between enrollment and trial, so for a single
    comparison it is noise like any other.
    """
    rng = np.random.default_rng([seed, 1])
    spread = np.sqrt(population.kept)
    pseudo = population.pseudo_spread**2
    noise_t = population.anonymized_noise + pseudo
    noise_e = population.anonymized_noise / population.enrollment_utterances + pseudo
    scale = np.sqrt(noise_t)
    voices = rng.normal(size=(draws, population.dimension)) * spread
    trial = (voices + rng.normal(size=voices.shape) * np.sqrt(noise_t)) / scale
    enroll = (voices + rng.normal(size=voices.shape) * np.sqrt(noise_e)) / scale
    between = population.kept / noise_t
    target = _paired_llr(enroll, trial, between, noise_t / noise_e)
    nontarget = _paired_llr(enroll, np.roll(trial, 1, axis=0), between, noise_t / noise_e)
    best = assess(target, nontarget)
    return {
        name: float(value)
        for name in ("eer", "cllr_min", "d_ece", "linkability")
        if isinstance(value := best[name], float)
    }


def _paired_llr(e: FloatArray, t: FloatArray, between: FloatArray, n: float) -> FloatArray:
    """`two_covariance_llr` of row i against row i, block by block along the diagonal."""
    size = 100
    blocks = (slice(i, i + size) for i in range(0, len(e), size))
    return np.concatenate([np.diagonal(two_covariance_llr(e[b], t[b], between, n)) for b in blocks])
