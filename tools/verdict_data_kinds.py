"""Score files that are not what they claim: signs, failures, fillers, copies, names; what a verdict makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from verdict_doors import of_scores, refusal
from verdict_kinds import FALSE_ALARM, NEVER_PASSES, NO_PASS, NO_VERDICT, Kind, Rule, found
from verdict_score_kinds import changed

from stripeless.scores.trials import Factor, TrialScores
from stripeless.worlds.score_world import ScoreWorld
from stripeless.worlds.scores import simulate_scores

PERFECT, LEAKING = ScoreWorld(), ScoreWorld(eer=0.1)
MISSED = 0.02  # where nothing else is demanded: a leak that wrong data hide must not be called none


def data_kinds() -> Iterator[Kind]:
    """Chapter f, as far as score files go."""
    for name, what, world, change, rules in (
        ("swapped", "distances in place of scores, EER 10 %", LEAKING, turned, (NO_VERDICT, NEVER_PASSES)),
        ("constant", "all scores are one value", PERFECT, constant, (NO_VERDICT, NEVER_PASSES)),
        ("failed-targets", "-999 for 3 of 10 targets, EER 10 %", LEAKING, failed, (NEVER_PASSES,)),
        ("failed-nothing", "-999 for 3 of 10 targets, perfect", PERFECT, failed, (FALSE_ALARM,)),
        ("filled", "one value for 6 of 10 trials, perfect", PERFECT, filled, (FALSE_ALARM,)),
        ("filled-leak", "one value for 6 of 10 trials, EER 10 %", LEAKING, filled, (found(0.95),)),
        ("decisions", "hard decisions 0 and 1, perfect", PERFECT, decided, (FALSE_ALARM,)),
        ("decisions-leak", "hard decisions 0 and 1, EER 10 %", LEAKING, decided, (found(0.95),)),
        ("with-themselves", "7 of 10 targets compare a recording with itself, perfect", PERFECT, partial(with_themselves, 0.7),
         (NO_VERDICT, NEVER_PASSES)),
        ("some-with-themselves", "2 of 10 targets compare a recording with itself, perfect", PERFECT,
         partial(with_themselves, 0.2), (NEVER_PASSES,)),
        ("missing-people", "all targets of 6 people of 40 are missing, perfect", PERFECT, without_some, (FALSE_ALARM,)),
        ("missing-people-leak", "all targets of 6 people of 40 are missing, EER 30 %", ScoreWorld(eer=0.3), without_some,
         (found(0.95), NEVER_PASSES)),
        ("repeated", "every trial 5 times, perfect", PERFECT, repeated, (FALSE_ALARM,)),
        ("names-shuffled", "who speaks is dealt anew, in the file of original speech too; EER 10 %", LEAKING, dealt,
         (NO_PASS,)),
        ("names-doubled", "20 people of 40 under two names each, EER 30 %", ScoreWorld(eer=0.3), doubled,
         (found(0.95), NEVER_PASSES)),
    ):  # fmt: skip
        made = partial(changed, world, change)
        truth = "no leak" if rules[0] is FALSE_ALARM else "wrong data"
        yield Kind(f"f-{name}", "f", what, truth, made, rules, sample=20 if name == "swapped" else 0)
    yield Kind("f-exchanged", "f", "original and anonymized file exchanged, EER 40 %", "wrong data",
               partial(exchanged, ScoreWorld(eer=0.4)), (NEVER_PASSES,))  # fmt: skip
    yield Kind("f-exchanged-perfect", "f", "original and anonymized file exchanged, perfect", "wrong data",
               partial(exchanged, PERFECT), (NEVER_PASSES,))  # fmt: skip
    yield Kind("f-bad-recognizer", "f", "a recognizer that fails on original speech too (EER 45 %), perfect", "wrong data",
               partial(weak, PERFECT), (FALSE_ALARM, Rule("passes", ("No leak seen",), at_most=MISSED)))  # fmt: skip


def both_sides(scores: TrialScores, target: np.ndarray, nontarget: np.ndarray) -> TrialScores:
    """The same trials with other scores."""
    return replace(scores, target=target, nontarget=nontarget)


def turned(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """Small for the same person."""
    return both_sides(scores, -scores.target, -scores.nontarget)


def constant(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """Nothing differs."""
    return both_sides(scores, np.ones_like(scores.target), np.ones_like(scores.nontarget))


def failed(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """Some target comparisons ended without a score, and were written as one."""
    return both_sides(scores, np.where(rng.random(scores.target.size) < 0.3, -999.0, scores.target), scores.nontarget)


def filled(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """Most trials have the score of nothing."""

    def some(values: np.ndarray) -> np.ndarray:
        return np.where(rng.random(values.size) < 0.6, 0.0, values)

    return both_sides(scores, some(scores.target), some(scores.nontarget))


def decided(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """Yes or no at a threshold that accepts a third of the nontargets."""
    limit = np.quantile(scores.nontarget, 0.67)
    return both_sides(scores, (scores.target > limit) * 1.0, (scores.nontarget > limit) * 1.0)


def with_themselves(share: float, scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """Cosines of a recording with itself are 1."""
    squeezed = both_sides(scores, np.tanh(scores.target / 4), np.tanh(scores.nontarget / 4))
    return replace(squeezed, target=np.where(rng.random(scores.target.size) < share, 1.0, squeezed.target))


def without_some(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """Six people whose own comparisons failed."""
    model, person = scores.enrollment_speakers, scores.trial_speakers
    assert model is not None
    assert person is not None
    kept = person.target >= 6
    sides = [Factor(one.names, one.target[kept], one.nontarget) for one in (model, person)]
    return TrialScores(scores.target[kept], scores.nontarget, *sides)


def repeated(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """A list that was joined with itself."""

    def five(factor: Factor | None) -> Factor | None:
        return None if factor is None else Factor(factor.names, np.tile(factor.target, 5), np.tile(factor.nontarget, 5))

    sides = five(scores.enrollment_speakers), five(scores.trial_speakers)
    return TrialScores(np.tile(scores.target, 5), np.tile(scores.nontarget, 5), *sides)


def dealt(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """The scores of all trials, dealt among them."""
    both = rng.permutation(np.concatenate([scores.target, scores.nontarget]))
    return both_sides(scores, both[: scores.target.size], both[scores.target.size :])


def doubled(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """The second twenty people are the first twenty under other names: between the two, scores are those of targets."""
    model, person = scores.enrollment_speakers, scores.trial_speakers
    assert model is not None
    assert person is not None
    same = model.nontarget % 20 == person.nontarget % 20
    return both_sides(scores, scores.target, np.where(same, rng.choice(scores.target, same.size), scores.nontarget))


def exchanged(world: ScoreWorld, seed: int) -> str:
    """The file of original speech is given as the anonymized one, and the other way round."""
    drawn = simulate_scores(world, seed=seed)
    return refusal(lambda: of_scores([drawn.original], drawn.scores, seed=seed % 2**31))


def weak(world: ScoreWorld, seed: int) -> str:
    """Nobody recognizes anybody."""
    drawn = simulate_scores(replace(world, original_eer=0.45), seed=seed)
    return refusal(lambda: of_scores([drawn.scores], drawn.original, seed=seed % 2**31))
