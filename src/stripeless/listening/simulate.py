"""A listening test with known effects: what the analysis must find, and what it must not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stripeless.errors import InputError
from stripeless.listening.ratings import ORIGINAL, QUESTIONS, Ratings
from stripeless.scores.check import FloatArray


@dataclass(frozen=True)
class Effect:
    """What listeners truly perceive of a system, in standard deviations of one listener's ratings around 0.

    `similarity` is that of anonymized targets to their speaker, `stranger` that of anonymized nontargets.
    """

    naturalness: float = 0.0
    intelligibility: float = 0.0
    similarity: float = 0.0
    stranger: float = -1.0


ORIGINAL_SPEECH = Effect(naturalness=1.5, intelligibility=1.5, similarity=1.5, stranger=-1.0)
SYSTEMS: Mapping[str, Effect] = {
    "better": Effect(naturalness=0.6, intelligibility=0.6, similarity=-0.8),
    "worse": Effect(naturalness=-0.6, intelligibility=-0.2, similarity=0.2),
    "twin": Effect(naturalness=-0.6, intelligibility=-0.2, similarity=0.2),
}


def simulate_ratings(
    *,
    systems: Mapping[str, Effect] = SYSTEMS,
    listeners: int = 30,
    per_group: int = 6,
    alike: int = 0,
    against: int = 0,
    seed: int = 0,
) -> Ratings:
    """Ratings from 1 to 10 of original speech and of these systems, with habits that differ between listeners.

    Each listener has an offset, a spread and noise of their own; the last `alike` of them give one score to everything,
    the `against` before them turn the scale round. The same seed gives the same ratings.
    """
    if listeners < 1 or per_group < 1 or alike + against > listeners:
        raise InputError(
            f"expected at least 1 listener and 1 stimulus and no more odd listeners than listeners, got {listeners}, "
            f"{per_group} and {alike + against}"
        )
    rng = np.random.default_rng(seed)
    kinds = [(ORIGINAL, ORIGINAL_SPEECH), *systems.items()]
    system, target, stimulus, level = [], [], [], []
    for name, effect in kinds:
        for is_target in (True, False):
            similarity = effect.similarity if is_target else effect.stranger
            for k in range(per_group):
                system.append(name)
                target.append(is_target)
                stimulus.append(f"{name}-{'t' if is_target else 'n'}{k:02d}")
                level.append((effect.naturalness, effect.intelligibility, similarity))
    truth = np.array(level)
    scores = np.stack([_listen(truth, rng) for _ in range(listeners)])
    for who in range(listeners - alike - against, listeners - alike):
        scores[who] = 11 - scores[who]
    scores[listeners - alike :] = 7.0
    size = len(system)
    flat = scores.reshape(-1, len(QUESTIONS))
    return Ratings(
        listener=np.repeat([f"L{k:03d}" for k in range(listeners)], size),
        stimulus=np.tile(stimulus, listeners),
        system=np.tile(system, listeners),
        target=np.tile(target, listeners),
        anonymized=np.tile([name != ORIGINAL for name in system], listeners),
        scores={question: flat[:, k] for k, question in enumerate(QUESTIONS)},
    )


def _listen(truth: FloatArray, rng: np.random.Generator) -> FloatArray:
    """One listener: an offset and a stretch of the scale of their own, noise, whole scores from 1 to 10."""
    offset, stretch = rng.normal(5.5, 0.8), rng.uniform(1.2, 2.2)
    heard = offset + stretch * (truth + rng.normal(0.0, 1.0, truth.shape))
    return np.asarray(np.clip(np.round(heard), 1, 10))
