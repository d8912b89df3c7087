"""Worlds of scores: without information and every confound, nobody named, planted leaks of stated size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from verdict_doors import of_scores, refusal
from verdict_kinds import FALSE_ALARM, HARDLY_PASSES, NO_PASS, PASSES, Kind, Rule, found
from verdict_real import real_kinds

from stripeless.scores.trials import Factor, TrialScores
from stripeless.worlds.score_world import ScoreLabel, ScoreWorld
from stripeless.worlds.scores import simulate_scores


def play(world: ScoreWorld, seed: int, *, people: int | None = None, margin: float | None = None) -> str:
    """One draw of a world of scores through `assess_scores`."""
    drawn = simulate_scores(world, seed=seed)
    return of_scores(drawn.attackers, drawn.original, seed=seed % 2**31, people=people, margin=margin)


def changed(world: ScoreWorld, change: Callable[[TrialScores, np.random.Generator], TrialScores], seed: int) -> str:
    """The same with scores that were changed afterwards, those of the original too."""
    drawn, rng = simulate_scores(world, seed=seed), np.random.default_rng([21, seed])
    one, original = change(drawn.scores, rng), change(drawn.original, rng)
    return refusal(lambda: of_scores([one], original, seed=seed % 2**31))


def sex(women: int, men: int, shift: float, across: float | None = None) -> ScoreLabel:
    """Scores among women lie higher."""
    return ScoreLabel("sex", "group", (shift, 0.0), (women, men), across)


def null(name: str, what: str, *, passes: bool = False, draws: int = 200, sample: int = 0, **world: Any) -> Kind:
    """A world without information in which everybody is named."""
    wanted = (FALSE_ALARM, PASSES) if passes else (FALSE_ALARM,)
    return Kind(f"a-{name}", "a", what, "no leak", partial(play, ScoreWorld(**world)), wanted, draws, sample)


def leak(
    name: str, what: str, *rules: Rule, margin: float | None = None, draws: int = 200, sample: int = 0, **world: Any
) -> Kind:
    """A world with a planted leak."""
    made = partial(play, ScoreWorld(**world), margin=margin)
    return Kind(f"c-{name}", "c", what, "leak", made, rules, draws, sample)


def score_kinds() -> Iterator[Kind]:
    """Chapters a, b and c."""
    yield from without_information()
    yield from labels_that_move_scores()
    yield from lists_with_holes()
    yield from many_attackers_and_scales()
    yield from real_kinds()
    yield from nobody_named()
    yield from planted()
    yield from at_the_margin()


def without_information() -> Iterator[Kind]:
    """Effects of people and pairs, few people and many."""
    yield null("independent", "40 x 8, all trials independent", passes=True, pair_share=0.0, person_spread=0.0)
    yield null("pairs-.3", "40 x 8, effects of people, pairs rho .3", passes=True, sample=60)
    yield null("pairs-.6", "40 x 8, rho .6", pair_share=0.6)
    yield null("pairs-.9", "40 x 8, rho .9", pair_share=0.9)
    yield null("pairs-.97-heavy", "40 x 8, rho .97, heavy tails", pair_share=0.97, heavy=True, sample=60)
    yield null("pairs-.3-heavy", "40 x 8, rho .3, heavy tails", passes=True, heavy=True)
    yield null("8-people", "8 people x 8, rho .9, heavy tails", people=8, pair_share=0.9, heavy=True)
    yield null("12-people", "12 x 8, rho .3", people=12, sample=60)
    yield null("20-people-4", "20 x 4, rho .3", people=20, recordings=4)
    yield null("20-people-16", "20 x 16, rho .6", people=20, recordings=16, pair_share=0.6)
    yield null("100-people", "100 x 8, rho .9", people=100, pair_share=0.9)
    yield null("loud-people", "40 x 8, effects of people twice a score's deviation", person_spread=2.0)
    yield null("uneven", "40 people, 2 to 15 recordings each, loud people", uneven=True, person_spread=2.0)


def labels_that_move_scores() -> Iterator[Kind]:
    """Sexes, sessions, devices, data sets, rooms."""
    yield null(
        "sexes-8-32-1", "8 women + 32 men, women 1 sd higher, trials within sex", passes=True, labels=(sex(8, 32, 1.0),)
    )
    yield null("sexes-8-32-2", "8 women + 32 men, 2 sd, trials across too (-1 sd)", passes=True, sample=60,
               labels=(sex(8, 32, 2.0, -1.0),))  # fmt: skip
    yield null("sexes-4-16-2", "4 women + 16 men, 2 sd, trials across too", people=20, labels=(sex(4, 16, 2.0, -1.0),))
    yield null("sexes-2-18-2", "2 women + 18 men, 2 sd, trials across too", people=20, labels=(sex(2, 18, 2.0, -1.0),))
    yield null(
        "sessions", "two sessions, 1.5 sd apart", passes=True, labels=(ScoreLabel("session", "recording", (1.5, 0.0)),)
    )
    yield null(
        "devices",
        "two devices; the same on both sides: 1 sd higher",
        labels=(ScoreLabel("device", "match", (1.0, 1.0)),),
    )
    yield null(
        "data-sets",
        "10 + 30 people of two data sets, 2 sd apart",
        labels=(ScoreLabel("data set", "group", (2.0, 0.0), (10, 30)),),
    )
    yield null("data-sets-odd", "37 + 3 people of two data sets, 2 sd, trials across too",
               labels=(ScoreLabel("data set", "group", (0.0, 2.0), (37, 3), -1.0),))  # fmt: skip
    yield null("rooms", "a room for each person, 1 sd", labels=(ScoreLabel("room", "own", (1.0,)),))
    yield null("chapters", "two chapters for each person, 1 sd", labels=(ScoreLabel("chapter", "own", (1.0,), (2,)),))
    yield null("all-labels", "unequal sexes, two sessions, two chapters each", labels=(
        sex(8, 32, 2.0), ScoreLabel("session", "recording", (1.0, 0.0)), ScoreLabel("chapter", "own", (1.0,), (2,))))  # fmt: skip


def lists_with_holes() -> Iterator[Kind]:
    """Not everybody is compared with everybody."""
    yield null("holes-3", "40 x 8, each model meets 3 others", others=3)
    yield null("holes-5", "40 x 8, each model meets 5 others, loud people", others=5, person_spread=2.0, sample=40)
    yield null(
        "holes-12-people", "12 x 8, 3 others, rho .9, heavy tails", people=12, others=3, pair_share=0.9, heavy=True
    )
    yield null("challenge-list", "20 people of whom 16 are enrolled", people=20, enrolled=16)
    yield null(
        "challenge-sexes", "16 of 40 enrolled, loud people, rho .6", enrolled=16, pair_share=0.6, person_spread=1.0
    )
    yield null("fewer-own", "40 people; 2 own recordings tried, 8 of others", own=2, sample=40)
    yield null("slightly-fewer-own", "40 people; 7 own recordings tried, 8 of others, rho 0", own=7, pair_share=0.0)
    yield null("one-own", "20 people; 1 own recording tried, 8 of others, rho 0", people=20, own=1, pair_share=0.0)
    yield null("fewer-own-holes", "40 people; 2 own recordings tried, 8 each of 5 others", own=2, others=5)
    for name, what, twice in (("both-ways", "twice, a with b and b with a", True), ("once", "once", False)):
        made = partial(all_pairs, twice)
        yield Kind(f"a-pairs-{name}", "a", f"20 x 4, each pair of recordings {what}", "no leak", made, (FALSE_ALARM,))


def all_pairs(twice: bool, seed: int) -> str:
    """Every recording against every other one, scored alike in both directions; nothing belongs to anybody."""
    rng, people, recordings = np.random.default_rng([22, seed]), 20, 4
    speaker = np.repeat(np.arange(people), recordings)
    of_pair, scores = (mirrored(rng.normal(size=(size, size))) for size in (people, speaker.size))
    scores = scores + 0.5 * of_pair[np.ix_(speaker, speaker)]
    one, other = np.nonzero(~np.eye(speaker.size, dtype=bool) if twice else np.triu(np.ones_like(scores), 1))
    same, names = speaker[one] == speaker[other], tuple(f"p{k:02d}" for k in range(people))
    values, sides = scores[one, other], [speaker[side].astype(np.int32) for side in (one, other)]
    factors = [Factor(names, side[same], side[~same]) for side in sides]
    return of_scores([TrialScores(values[same], values[~same], *factors)], None, seed=seed % 2**31)


def mirrored(square: np.ndarray) -> np.ndarray:
    """The upper half on both sides."""
    return np.triu(square) + np.triu(square, 1).T


def many_attackers_and_scales() -> Iterator[Kind]:
    """The best of many, and scores of other scales."""
    yield null("best-of-6", "the best of 6 attackers, 12 people", people=12, attackers=6)
    yield null("best-of-6-40", "the best of 6 attackers, 40 people", passes=True, attackers=6)
    yield null(
        "best-of-50", "the best of 50 random attackers, 20 people", people=20, attackers=50, shared=0.0, draws=100
    )
    yield null("plda", "40 x 8, scores like those of PLDA", passes=True, shape="plda", person_spread=0.6)
    yield null("cosine", "40 x 8, scores like cosines", passes=True, shape="cosine")
    for name, what, change in (
        ("rounded", "scores rounded to steps of half a deviation", in_steps),
        ("infinite", "every 50th score infinite", infinite),
    ):
        world = ScoreWorld()
        yield Kind(f"a-{name}", "a", f"40 x 8, {what}", "no leak", partial(changed, world, change), (FALSE_ALARM,))


def in_steps(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """Scores as a program that prints few digits leaves them."""
    return replace(scores, target=np.round(2 * scores.target) / 2, nontarget=np.round(2 * scores.nontarget) / 2)


def infinite(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """One score in fifty is infinite, on either side."""

    def some(values: np.ndarray) -> np.ndarray:
        return np.where(rng.random(values.size) < 0.02, np.where(values > 0, np.inf, -np.inf), values)

    return replace(scores, target=some(scores.target), nontarget=some(scores.nontarget))


def nobody_named() -> Iterator[Kind]:
    """Without names neither people nor pairs can be counted."""
    for people in (8, 20, 40):
        world = ScoreWorld(people=people, named=False, pair_share=0.6, person_spread=0.6)
        yield Kind(f"b-{people}-known", "b", f"{people} people x 8, their number stated, rho .6", "no leak",
                   partial(play, world, people=people), (FALSE_ALARM,), sample=100 if people == 8 else 0)  # fmt: skip
    world = ScoreWorld(people=8, named=False, pair_share=0.97, heavy=True)
    yield Kind(
        "b-8-unknown",
        "b",
        "8 people x 8, nobody says how many, rho .97",
        "no leak",
        partial(play, world),
        (FALSE_ALARM,),
    )
    world = ScoreWorld(people=20, named=False, pair_share=0.9)
    yield Kind(
        "b-20-unknown",
        "b",
        "20 people x 8, nobody says how many, rho .9",
        "no leak",
        partial(play, world),
        (FALSE_ALARM,),
    )
    world = ScoreWorld(people=40, named=False, eer=0.2)
    yield Kind(
        "b-leak-known",
        "b",
        "leak of EER 20 %, 40 people stated",
        "leak",
        partial(play, world, people=40),
        (found(0.95), HARDLY_PASSES),
    )
    world = ScoreWorld(people=40, named=False, eer=0.4)
    yield Kind(
        "b-margin-known", "b", "leak of EER 40 %, 40 people stated", "leak", partial(play, world, people=40), (NO_PASS,)
    )
    world = ScoreWorld(people=40, named=False, eer=0.02)
    yield Kind(
        "b-leak-unknown",
        "b",
        "leak of EER 2 %, nobody says how many people",
        "leak",
        partial(play, world),
        (found(0.95), HARDLY_PASSES),
    )
    sexes = ScoreWorld(people=40, named=True, labels=(sex(8, 32, 2.0, -1.0),))
    yield Kind("b-sexes", "b", "8 women + 32 men, 2 sd, trials across; sex known, nobody named", "no leak",
               partial(changed, sexes, without_names), (FALSE_ALARM,))  # fmt: skip


def without_names(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """The labels stay, the names go."""
    return replace(scores, enrollment_speakers=None, trial_speakers=None)


def planted() -> Iterator[Kind]:
    """Leaks of stated size; the power is that of the simulations that the procedure was chosen by."""
    for eer, rules in (
        (0.45, ()), (0.425, ()), (0.4, (found(0.98), NO_PASS)), (0.35, (found(0.99), HARDLY_PASSES)),
        (0.3, (found(0.99), HARDLY_PASSES)), (0.2, (found(0.99), HARDLY_PASSES)),
    ):  # fmt: skip
        yield leak(
            f"eer-{100 * eer:g}",
            f"40 x 8, rho .3, EER {100 * eer:g} %",
            *rules,
            eer=eer,
            sample=40 if eer == 0.4 else 0,
        )
    yield leak("eer-40-12", "12 x 8, rho .3, EER 40 %", found(0.79), people=12, eer=0.4)
    yield leak("eer-40-20", "20 x 8, rho .3, EER 40 %", found(0.95), NO_PASS, people=20, eer=0.4)
    yield leak("eer-40-holes", "40 x 8, 5 others each, EER 40 %", found(0.8), NO_PASS, others=5, eer=0.4)
    yield leak(
        "tenth", "a tenth of 40 people recognized nearly always", found(0.94), NO_PASS, eer=0.01, leaking=0.1, sample=20
    )
    yield leak("half-spread", "40 x 8, targets of half the spread", found(0.95), dispersion=0.5, sample=20)
    yield leak("wide-spread", "40 x 8, targets of twice the spread", found(0.95), dispersion=2.0)
    yield leak("one-sex", "8 women leak with EER 20 %, 32 men nothing", found(0.8), NO_PASS, labels=(sex(8, 32, 0.0),), eer=0.2,
               leaking_label="sex")  # fmt: skip
    yield leak("four-of-40", "4 women leak with EER 10 %, 36 men nothing", NO_PASS, labels=(sex(4, 36, 0.0),), eer=0.1,
               leaking_label="sex")  # fmt: skip
    yield leak("one-session", "one session of two leaks with EER 25 %", found(0.95), eer=0.25, leaking_label="session",
               labels=(ScoreLabel("session", "recording", (0.0, 0.0)),))  # fmt: skip
    yield leak(
        "best-of-6", "6 attackers, EER 35 % each, 20 people", found(0.95), NO_PASS, people=20, attackers=6, eer=0.35
    )
    yield leak(
        "sexes-offset",
        "8 women + 32 men 2 sd apart, EER 40 %",
        found(0.9),
        NO_PASS,
        labels=(sex(8, 32, 2.0, -1.0),),
        eer=0.4,
    )


def at_the_margin() -> Iterator[Kind]:
    """As much of a leak as the margin lets pass at most, and twice as much."""
    for people, rho in ((12, 0.3), (20, 0.9), (40, 0.0), (40, 0.9), (100, 0.3), (100, 0.9)):
        yield leak(f"margin-40-{people}-{rho:g}", f"{people} x 8, rho {rho:g}, EER 40 %, margin 40 %", NO_PASS, margin=40.0,
                   people=people, pair_share=rho, eer=0.4)  # fmt: skip
    yield leak("margin-45-100", "100 x 8, rho .3, EER 45 %, margin 45 %", NO_PASS, margin=45.0, people=100, eer=0.45)
    yield leak("margin-35-20", "20 x 8, rho .3, EER 35 %, margin 35 %", NO_PASS, margin=35.0, people=20, eer=0.35)
    yield leak(
        "margin-40-heavy",
        "40 x 8, EER 40 %, heavy tails, rho .6",
        NO_PASS,
        margin=40.0,
        heavy=True,
        pair_share=0.6,
        eer=0.4,
    )
    yield leak(
        "margin-tenth",
        "a fifth of 40 people recognized nearly always, the rest not: EER 43 % on average",
        NO_PASS,
        eer=0.01,
        leaking=0.2,
    )
    yield leak("beyond-45", "100 x 8, EER 40 %, margin 45 %", HARDLY_PASSES, margin=45.0, people=100, eer=0.4)


def shuffled(factor: Factor, rng: np.random.Generator) -> Factor:
    """The labels of all trials, dealt anew among them."""
    both = rng.permutation(np.concatenate([factor.target, factor.nontarget]))
    return Factor(factor.names, both[: factor.target.size], both[factor.target.size :])
