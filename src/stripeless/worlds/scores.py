"""Draws scores from a `ScoreWorld`: the trials, who is in them, and one set of scores for each attacker."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from stripeless.scores.check import FloatArray
from stripeless.scores.trials import Factor, TrialScores
from stripeless.worlds.score_world import ScoreLabel, ScoreWorld, shaped

Ints = NDArray[np.int64]
T3 = sqrt(3.0)  # deviation of Student's t with three degrees of freedom


@dataclass(frozen=True, eq=False)
class SimulatedScores:
    """Scores whose truth is known.

    Attributes:
        attackers: the scores of each attacker, on the same trials.
        original: scores of the same trials before anonymization.
        world: how they were made up.
        auc: chance that a target scores above a nontarget of the same group, in a large population; 0.5 where nothing
            leaks on average, None where no formula is known.
        eer: equal error rate within groups, in a large population; None where no formula is known.
    """

    attackers: tuple[TrialScores, ...]
    original: TrialScores
    world: ScoreWorld
    auc: float | None
    eer: float | None

    @property
    def scores(self) -> TrialScores:
        """The scores of the first attacker."""
        return self.attackers[0]


@dataclass(frozen=True, eq=False)
class _Trials:
    """Who meets whom: for each trial the model, the person, and the recording."""

    model: Ints
    person: Ints
    recording: Ints
    values: dict[str, Ints]  # the value of each label, trial by trial
    offset: FloatArray  # what the labels add

    @property
    def target(self) -> NDArray[np.bool_]:
        return np.asarray(self.model == self.person)


def simulate_scores(world: ScoreWorld | None = None, *, seed: int = 0) -> SimulatedScores:
    """Draw scores whose truth is known, to see what a measure or a verdict makes of them.

    Parameters:
        world: how the scores are made up; None takes forty people about whom the scores say nothing.
        seed: start of the random draws; the same seed gives the same scores.
    Returns:
        A `SimulatedScores`: the scores of each attacker, the original, and what they give away in truth.

    >>> drawn = simulate_scores(ScoreWorld(people=12, eer=0.3))
    >>> drawn.scores.target.size, drawn.scores.nontarget.size, drawn.eer
    (96, 1056, 0.3)
    """
    world = world or ScoreWorld()
    rng = np.random.default_rng([17, seed])
    trials = _trials(world, rng)
    common = _noise(world, trials, rng)
    own = [_noise(world, trials, rng) for _ in range(world.attackers)]
    weights = (0.0, 1.0) if world.attackers == 1 else (sqrt(world.shared), sqrt(1 - world.shared))
    leak = _leak(world, trials)
    played = []
    for alone in own:
        noise = weights[0] * common + weights[1] * alone
        noise = np.where(trials.target, world.dispersion * noise, noise)
        played.append(_labeled(world, trials, noise + leak + trials.offset * world.deviation))
    before = _noise(world, trials, rng) + world.shift_of(world.original_eer) * trials.target
    return SimulatedScores(
        tuple(played),
        _labeled(world, trials, before + trials.offset * world.deviation),
        world,
        world.auc(),
        world.true_eer(),
    )


def _trials(world: ScoreWorld, rng: np.random.Generator) -> _Trials:
    """Every enrolled model against every recording that it may meet."""
    spoken_by, number = _recordings(world, rng)
    enrolled = np.arange(world.people if world.enrolled is None else world.enrolled)
    model = np.repeat(enrolled, spoken_by.size)
    person, recording = (np.tile(values, enrolled.size) for values in (spoken_by, np.arange(spoken_by.size)))
    kept, offset = np.ones(model.size, dtype=bool), np.zeros(model.size)
    values = {}
    for label in world.labels:
        value, moved, allowed = _label(label, world, rng, model, person, recording, number)
        values[label.name], kept, offset = value, kept & allowed, offset + moved
    if world.others is not None:
        kept &= (model == person) | _met(world, kept, model, person, rng)
    if world.own is not None:
        kept &= (model != person) | (number[recording] < world.own)
    cut = {name: value[kept] for name, value in values.items()}
    return _Trials(model[kept], person[kept], recording[kept], cut, offset[kept])


def _recordings(world: ScoreWorld, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Who speaks in each recording, and the how manieth of that person it is."""
    many = np.full(world.people, world.recordings)
    if world.uneven:
        many = rng.integers(max(1, world.recordings // 4), 2 * world.recordings, world.people)
    spoken_by = np.repeat(np.arange(world.people), many)
    return spoken_by, np.concatenate([np.arange(n) for n in many])


def _label(
    label: ScoreLabel,
    world: ScoreWorld,
    rng: np.random.Generator,
    model: Ints,
    person: Ints,
    recording: Ints,
    number: Ints,
) -> tuple[Ints, FloatArray, NDArray[np.bool_]]:
    """The value of a label in each trial, what it adds, and which trials it allows."""
    everywhere, shifts = np.ones(model.size, dtype=bool), np.array(label.shifts)
    if label.kind == "group":
        of = _groups(label, world.people)
        same = of[model] == of[person]
        moved = np.where(same, shifts[of[person]], label.across or 0.0)
        return of[person], moved, everywhere if label.across is not None else same
    if label.kind == "match":
        of_model = rng.integers(0, shifts.size, world.people)[model]
        value = rng.integers(0, shifts.size, number.size)[recording]
        return value, np.where(of_model == value, shifts[value], 0.0), everywhere
    if label.kind == "recording":
        value = (number % shifts.size)[recording]
        return value, shifts[value], everywhere
    each = label.sizes[0] if label.sizes else 1
    value = person * each + (number % each)[recording]
    return value, shifts[0] * rng.normal(size=world.people * each)[value], everywhere


def _groups(label: ScoreLabel, people: int) -> Ints:
    """Which value each person has; without sizes in turn."""
    if not label.sizes:
        return np.arange(people) % len(label.shifts)
    of = np.repeat(np.arange(len(label.sizes)), label.sizes)
    return np.resize(of, people)


def _met(
    world: ScoreWorld, kept: NDArray[np.bool_], model: Ints, person: Ints, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """So many others for each model, at random among those whom it may meet."""
    may = np.zeros((world.people, world.people), dtype=bool)
    may[model[kept], person[kept]] = True
    np.fill_diagonal(may, False)
    meets = np.zeros_like(may)
    for who in np.unique(model):
        meets[who, rng.permutation(np.flatnonzero(may[who]))[: world.others]] = True
    return np.asarray(meets[model, person])


def _noise(world: ScoreWorld, trials: _Trials, rng: np.random.Generator) -> FloatArray:
    """What is no identity: of models, of people, of pairs, of single comparisons."""
    sides = world.person_spread * rng.normal(size=(2, world.people))
    size = (world.people, world.people)
    pair: FloatArray = np.asarray(rng.standard_t(3, size) / T3 if world.heavy else rng.normal(size=size))
    alone = rng.normal(size=trials.model.size)
    of_pair = sqrt(world.pair_share) * pair[trials.model, trials.person]
    sum_of_sides = sides[0, trials.model] + sides[1, trials.person]
    return np.asarray(sum_of_sides + of_pair + sqrt(1 - world.pair_share) * alone)


def _leak(world: ScoreWorld, trials: _Trials) -> FloatArray:
    """What identity adds to each trial."""
    leaks = trials.target & (trials.person < round(world.leaking * world.people))
    if world.leaking_label:
        leaks &= trials.values[world.leaking_label] == 0
    shift = world.shift_of(world.eer) if world.eer < 0.5 else 0.0
    return np.asarray(shift * leaks, dtype=np.float64)


def _labeled(world: ScoreWorld, trials: _Trials, scores: FloatArray) -> TrialScores:
    """The scores with everything that is known of each trial."""
    scores, same = shaped(scores, world.shape), trials.target

    def factor(names: tuple[str, ...], codes: Ints) -> Factor:
        return Factor(names, codes[same].astype(np.int32), codes[~same].astype(np.int32))

    if not world.named:
        return TrialScores(scores[same], scores[~same])
    people = tuple(f"p{k:03d}" for k in range(world.people))
    columns = {
        name: factor(tuple(f"{name} {k}" for k in range(int(value.max()) + 1)), value)
        for name, value in trials.values.items()
    }
    return TrialScores(
        scores[same],
        scores[~same],
        factor(people, trials.model),
        factor(people, trials.person),
        columns,
        trial_digest=f"simulated-{world.people}-{trials.model.size}",
    )
