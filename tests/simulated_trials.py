"""Simulated trials: two normal classes, and a corpus of speakers of whom everybody is compared with everybody."""

from __future__ import annotations

import numpy as np

from stripeless.scores.trials import Factor, TrialScores

RNG = np.random.default_rng(7)
TARGET, NONTARGET = RNG.normal(1.5, 1, 300), RNG.normal(-0.5, 1, 1200)


def corpus(
    shift: float = 1.5, speakers: int = 24, utterances: int = 6, seed: int = 0, spread: float = 0.7
) -> TrialScores:
    """Everybody against everybody; speakers differ in how well they are recognized."""
    rng = np.random.default_rng(seed)
    model = np.repeat(np.arange(speakers), speakers * utterances)
    talker = np.tile(np.repeat(np.arange(speakers), utterances), speakers)
    same = model == talker
    ease = rng.normal(shift, spread, speakers)
    scores = np.where(same, ease[talker], 0.0) + rng.normal(size=model.size)
    names = tuple(f"s{k:02d}" for k in range(speakers))

    def factor(codes: np.ndarray) -> Factor:
        codes = codes.astype(np.int32)
        return Factor(names, codes[same], codes[~same])

    sex = (talker % 2).astype(np.int32)
    return TrialScores(
        scores[same],
        scores[~same],
        enrollment_speakers=factor(model),
        trial_speakers=factor(talker),
        columns={"sex": Factor(("female", "male"), sex[same], sex[~same])},
        trial_digest="corpus",
    )
