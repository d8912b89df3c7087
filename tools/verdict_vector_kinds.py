"""Worlds of vectors through `play_attackers`: what anonymizers hide and keep, what attackers learn from, the best of many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from verdict_doors import label_of, of_vectors, refusal
from verdict_kinds import FALSE_ALARM, NO_PASS, PASSES, Kind, Rule, found

from stripeless.attackers.battery import CONDITIONS, Battery
from stripeless.attackers.embedded import Embedded, Training
from stripeless.attackers.joint import joint_evidence, played_by
from stripeless.embeddings.embeddings import Embeddings
from stripeless.results.evaluation import Evaluation
from stripeless.scores.pairs import generate_trials
from stripeless.worlds.vectors import SimulatedVectors, VectorWorld, simulate_vectors

FOLDS = {"training": "none"}  # the attacker who retrains learns from the judged people, fold by fold


def play(world: VectorWorld, seed: int, margin: float | None = None) -> str:
    """One draw of a world of vectors."""
    drawn = simulate_vectors(world, seed=seed)
    return refusal(
        lambda: of_vectors(drawn.original, drawn.anonymized, drawn.training, seed=seed % 2**31, margin=margin)
    )


def null(name: str, what: str, *rules: Rule, draws: int = 200, sample: int = 0, **world: Any) -> Kind:
    """A perfect system."""
    made = partial(play, VectorWorld(**world))
    return Kind(f"d-{name}", "d", what, "no leak", made, (FALSE_ALARM, *rules), draws, sample)


def leak(name: str, what: str, *rules: Rule, draws: int = 100, sample: int = 0, **world: Any) -> Kind:
    """A system that keeps something of a voice."""
    return Kind(f"d-{name}", "d", what, "leak", partial(play, VectorWorld(**world)), rules, draws, sample)


def vector_kinds() -> Iterator[Kind]:
    """Chapter d."""
    yield null("noise-40", "40 x 8, perfect by noise, attackers trained on 100 others", PASSES, sample=4)
    yield null("noise-20", "20 x 8, perfect by noise, attackers trained on 100 others", people=20)
    yield null("noise-folds", "40 x 8, perfect by noise, learned fold by fold", PASSES, **FOLDS)
    yield null("noise-folds-20", "20 x 8, perfect by noise, learned fold by fold", people=20, **FOLDS)
    yield null(
        "noise-folds-192", "40 x 8, perfect by noise, 192 dimensions, fold by fold", dimension=192, draws=50, **FOLDS
    )
    yield null("session-40", "40 x 8, a new pseudo-voice per session, trained on others", hides="session")
    yield null("session-20", "20 x 8, a new pseudo-voice per session, trained on others", hides="session", people=20)
    yield null("session-folds", "40 x 8, a new pseudo-voice per session, fold by fold", hides="session", **FOLDS)
    yield null("utterance", "40 x 8, loud noise drawn anew for each utterance, trained on others", hides="utterance")
    yield null("shuffled", "40 x 8, perfect by noise, names of training speech shuffled", training="shuffled")
    yield from unequal_sexes()
    yield from forced()
    yield from best_of_many()
    for kept, rules in ((0.2, (found(0.95), NO_PASS)), (0.3, (found(0.99), NO_PASS)), (0.5, (found(0.99), NO_PASS))):
        yield leak(f"kept-{kept:g}", f"40 x 8, {kept:g} of the voice kept in noise, trained on others", *rules, kept=kept,
                   sample=4 if kept == 0.5 else 0)  # fmt: skip
    yield leak(
        "kept-folds", "40 x 8, .3 of the voice kept in noise, fold by fold", found(0.9), NO_PASS, kept=0.3, **FOLDS
    )
    yield leak(
        "shuffled-kept",
        "40 x 8, .5 of the voice kept in noise, names of training speech shuffled",
        found(0.95),
        NO_PASS,
        kept=0.5,
        training="shuffled",
    )
    yield leak(
        "session-kept-.3", "40 x 8, .3 of the voice kept under new pseudo-voices", found(0.3), kept=0.3, hides="session"
    )
    yield leak("session-kept-.5", "40 x 8, .5 of the voice kept under new pseudo-voices", found(0.95), NO_PASS, kept=0.5,
               hides="session")  # fmt: skip
    made = partial(play, VectorWorld(kept=0.5, training="unprotected"))
    yield Kind(
        "d-unprotected-kept",
        "d",
        "40 x 8, .5 kept, trained on unprotected speech of others",
        "leak",
        made,
        (NO_PASS,),
        100,
    )
    made = partial(play, VectorWorld(training="judged"))
    yield Kind("f-judged-in-training", "f", "40 x 8, perfect; the judged utterances in the training data under other names",
               "wrong data", made, (Rule("leak claimed or passed", ("Leak", "Strong leak", "No leak seen"), at_most=0.05),),
               draws=50)  # fmt: skip


def unequal_sexes() -> Iterator[Kind]:
    """Eight women and thirty-two men, whose sexes sound different after anonymization too."""
    for training, how in (("sound", "trained on others"), ("none", "fold by fold")):
        made = partial(sexes_apart, VectorWorld(training=training))
        yield Kind(f"d-sexes-{training}", "d", f"8 women + 32 men, 3 sd apart, perfect by noise, {how}", "no leak", made,
                   (FALSE_ALARM,))  # fmt: skip


def sexes_apart(world: VectorWorld, seed: int) -> str:
    """The first eight are women, and everything anonymized of a man is moved in one direction."""
    drawn, rng = simulate_vectors(world, seed=seed), np.random.default_rng([23, seed])
    direction = rng.normal(size=world.dimension)
    direction *= 3 / np.linalg.norm(direction)

    def moved(part: Embeddings) -> Embeddings:
        men = np.array([int((name or "p0").lstrip("pother")) >= 8 for name in part.speakers or ()])
        sex = tuple("fm"[int(man)] for man in men)
        return Embeddings(part.vectors + direction * men[:, None], part.utterances, part.speakers, sex)

    sides = [Embedded(moved(one.enrollment), moved(one.trials)) for one in (drawn.original, drawn.anonymized)]
    taught = Training(
        *(None if one is None else moved(one) for one in (drawn.training.original, drawn.training.anonymized))
    )
    return refusal(lambda: of_vectors(*sides, taught, seed=seed % 2**31))


def forced() -> Iterator[Kind]:
    """One back-end alone, learned from the judged people: a choice between two would hide a fault of one."""
    for name in ("PLDA", "WCCN"):
        made = partial(one_back_end, name, VectorWorld(**FOLDS))
        yield Kind(
            f"d-forced-{name}",
            "d",
            f"40 x 8, perfect by noise, {name} forced, fold by fold",
            "no leak",
            made,
            (FALSE_ALARM,),
        )


def one_back_end(name: str, world: VectorWorld, seed: int) -> str:
    """The steps of `play_attackers` with one back-end alone."""
    from stripeless.attackers import play as steps

    def learn(training: Embeddings) -> Mapping[str, Any]:
        both = dict(steps._back_ends(training))
        return {which: one for which, one in both.items() if (which == steps.PUBLISHED) == (name == "PLDA")}

    drawn = simulate_vectors(world, seed=seed)
    trials = generate_trials(drawn.original.enrollment, drawn.original.trials)
    battery = Battery("", drawn.original, drawn.anonymized, trials, seed % 2**31, learn=learn)
    return of_battery([battery], seed)


def of_battery(batteries: list[Battery], seed: int, conditions: tuple[str, ...] = CONDITIONS) -> str:
    """Everything that these attackers show together."""
    from stripeless.attackers import play as steps

    played = played_by(batteries, conditions)
    evidence = joint_evidence(batteries, played, seed=seed % 2**31)
    several = [steps._assessed(one, 0, 0, evidence) for one in played]
    before = next((one for one in several if one.attacker == "original"), None)
    after = tuple(one for one in several if one.attacker != "original")
    return label_of(Evaluation("forced", after, before, evidence=evidence))


def best_of_many() -> Iterator[Kind]:
    """The strongest of fifty encoders that hear nothing but noise."""
    yield Kind("d-best-of-50", "d", "20 x 8, the best of 50 encoders, all of noise", "no leak", partial(many_encoders, 50, 20),
               (FALSE_ALARM,), draws=100)  # fmt: skip


def many_encoders(count: int, people: int, seed: int) -> str:
    """One battery for each encoder, who compares by cosine."""
    batteries = []
    for k in range(count):
        drawn = small(people, seed * count + k)
        trials = generate_trials(drawn.original.enrollment, drawn.original.trials)
        batteries.append(Battery(f"encoder {k}", drawn.original, drawn.anonymized, trials, seed % 2**31))
    return of_battery(batteries, seed, ("lazy-informed",))


def small(people: int, seed: int) -> SimulatedVectors:
    """Few dimensions, nothing to learn from."""
    return simulate_vectors(VectorWorld(people=people, dimension=16, training="none"), seed=seed)
