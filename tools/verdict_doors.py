"""The public doors through which worlds go, each ending in the label of a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from inspect import signature
from typing import Any

from verdict_kinds import LABELS

from stripeless import assess_scores, verdict
from stripeless.attackers.embedded import Embedded, Training
from stripeless.errors import InputError, StripelessError
from stripeless.results.evaluation import Evaluation
from stripeless.scores.trials import TrialScores

MARGIN = 40.0


@cache
def takes(function: Callable[..., Any], name: str) -> bool:
    """Whether a function has this parameter."""
    return name in signature(function).parameters


def only(function: Callable[..., Any], **wishes: Any) -> dict[str, Any]:
    """The arguments that a function has and that are not None."""
    return {name: value for name, value in wishes.items() if value is not None and takes(function, name)}


def label_of(result: Any, margin: float | None = None) -> str:
    """The label of the verdict on a result, without what follows a colon."""
    said = verdict(result, **only(verdict, margin=margin)).label.split(":")[0]
    assert said in LABELS, said
    return said


def refusal(play: Callable[[], str]) -> str:
    """The label, or that the input was refused with a sentence."""
    try:
        return play()
    except (InputError, StripelessError):
        return "Refused"


def of_scores(
    attackers: Sequence[TrialScores],
    original: TrialScores | None,
    *,
    seed: int,
    people: int | None = None,
    margin: float | None = None,
) -> str:
    """Through `assess_scores`; several attackers through the evaluation that holds them."""
    names = ["semi-informed"] if len(attackers) == 1 else [f"attacker {k}" for k in range(len(attackers))]
    asked = only(assess_scores, seed=seed, people=people, margin=margin, curves=False)
    if len(attackers) == 1 and takes(assess_scores, "original"):
        one = assess_scores(
            attackers[0], name="one", attacker=names[0], **asked, **only(assess_scores, original=original)
        )
        return label_of(one, margin)
    together: list[Any] = [
        assess_scores(one, name=n, attacker=n, **asked) for one, n in zip(attackers, names, strict=True)
    ]
    ceiling = None if original is None else assess_scores(original, name="original", attacker="original", **asked)
    return label_of(Evaluation("many", tuple(together), ceiling), margin)


def of_vectors(
    original: Embedded, anonymized: Embedded, training: Training | None, *, seed: int, margin: float | None = None
) -> str:
    """Through `play_attackers`."""
    from stripeless import play_attackers

    asked = only(play_attackers, resamples=0, seed=seed, margin=margin)
    return label_of(play_attackers(original, anonymized, training=training, **asked), margin)
