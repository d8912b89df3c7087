"""What to beware of in an evaluation of recordings: signs that its numbers look better or worse than the voices are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np

from stripeless.assessment.ceiling import below, variance_of_eer
from stripeless.assessment.doctor.values import number
from stripeless.attackers.data_findings import taught_unprotected
from stripeless.attackers.unprotected import share_unprotected
from stripeless.attackers.voices import Encoded, Played
from stripeless.embeddings.encoders.encoder import Encoder
from stripeless.results.assessment import Assessment
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.bounds import Bounds, bounds_of
from stripeless.verdicts.cells import cells_of
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.margins import STRONG
from stripeless.verdicts.words import of_100

ROOM_EER = 0.35  # below this the quietest frames alone tell people apart
IDENTICAL = 0.99999  # cosine above which two recordings are one
ERRORS = 3.0  # standard errors of independent trials; both attackers have the same trials, which makes it stricter


def examine_voices(encoded: Encoded, rooms: Sequence[Played], results: Mapping[str, Assessment]) -> list[Finding]:
    """What makes the numbers look better or worse than the voices are.

    Parameters:
        encoded: what the first encoder made of the recordings, before and after.
        rooms: attackers who are given the quietest frames only.
        results: the assessment of each attacker.
    Returns:
        The findings; none where there is nothing to beware of.
    """
    return [
        *not_anonymized(encoded),
        *room_tells(rooms),
        *weak_retraining(results),
    ]


def not_anonymized(encoded: Encoded) -> list[Finding]:
    """Recordings whose vectors did not change."""
    before, after = encoded.original.vectors, encoded.anonymized.vectors
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    alike = np.sum(before * after, axis=1) / np.maximum(lengths, 1e-12)
    same = int((alike > IDENTICAL).sum())
    message = (
        f"{same} of {len(alike)} anonymized recordings sound exactly like their originals: they were not anonymized."
    )
    return [Finding("not-anonymized", "serious", message)] if same else []


def room_tells(rooms: Sequence[Played]) -> list[Finding]:
    """Where the quietest frames alone tell people apart, before or after."""
    findings = []
    for side, where in (("original", "the original recordings"), ("lazy-informed", "the anonymized recordings")):
        found = [room.assessment["eer"] for room in rooms if room.attacker == side]
        eer = min((value for value in found if isinstance(value, float)), default=1.0)
        if eer < ROOM_EER:
            message = (
                f"An attacker who hears only the quietest tenth of {where} reaches an EER of {100 * eer:.1f} %: room and "
                "microphone (in a rebuilt voice: its own breath) identify the speakers, and part of what other attackers find "
                "may not be the voice."
            )
            findings.append(Finding("room", "caution", message))
    return findings


def training_doubts(encoded: Encoded) -> list[Finding]:
    """Training speech that sounds like the originals, not like anonymized speech."""
    if encoded.training is None or encoded.training.dimension != encoded.original.dimension:
        return []
    sides = encoded.original, encoded.anonymized
    names = [side.speakers or () for side in sides]
    share = share_unprotected(sides[0].vectors, names[0], sides[1].vectors, names[1], encoded.training.vectors)
    how = "sound like the recordings before anonymization, not like those after it"
    return [] if share is None else list(taught_unprotected(share, how))


def ceiling_doubts(ceiling: Assessment | None, results: Mapping[str, Assessment]) -> list[Finding]:
    """Where an attacker finds more in anonymized speech than anybody finds in the originals."""
    found = [] if ceiling is None else [below(result, ceiling) for result in results.values()]
    return [one for one in found if one is not None][:1]


def weak_retraining(results: Mapping[str, Assessment]) -> list[Finding]:
    """Where the attacker who learned more errs more, beyond chance."""
    lazy, semi = (results.get(name) for name in ("lazy-informed", "semi-informed"))
    if lazy is None or semi is None or not errs_more(semi, lazy):
        return []
    before, after = number(lazy, "eer"), number(semi, "eer")
    message = (
        f"Retraining made the attacker weaker (EER {100 * after:.1f} % against {100 * before:.1f} % before), beyond chance: "
        "there was too little to learn from, so the semi-informed figures overstate the privacy; read the strongest one."
    )
    return [Finding("weak-retraining", "caution", message)]


def errs_more(one: Assessment, other: Assessment) -> bool:
    """Whether the equal error rate is higher beyond chance: intervals apart or, without intervals, three standard errors."""
    low, high = one.measures["eer"].low, other.measures["eer"].high
    if isinstance(low, float) and isinstance(high, float):
        return low > high
    gap = number(one, "eer") - number(other, "eer")
    return gap > ERRORS * sqrt(sum(variance_of_eer(part) for part in (one, other)))


def only_weak(encoders: Sequence[Encoder]) -> list[Finding]:
    """Say so where nobody attacked but the encoders that come with the package."""
    if any(encoder.name not in ("compact", "statistics") for encoder in encoders):
        return []
    message = (
        "Only the small encoders that come with stripeless listened. A real attacker has stronger ones: install CAM++ or GE2E "
        "(docs/how-to/evaluate-voices.md) before you call this private."
    )
    return [Finding("weak-encoder", "caution", message)]


def deaf_encoders(controls: Sequence[tuple[str, TrialScores]]) -> list[Finding]:
    """Encoders that do not surely recognize the originals while another one does: that they find nothing shows nothing.

    Parameters:
        controls: names of encoders, each with scores of unprotected recordings; the best of an encoder counts.
    """
    reached: dict[str, Bounds] = {}
    for name, scores in controls:
        cells = cells_of(scores)
        one = bounds_of(cells) if cells is not None and cells.complete else None
        if one is not None and one.low is not None and (name not in reached or one.low > (reached[name].low or 0.0)):
            reached[name] = one
    deaf = {name: one for name, one in reached.items() if (one.low or 0.0) <= STRONG}
    if not deaf or len(deaf) == len(reached):
        return []
    named = ", ".join(
        f"{name} (right {of_100(one.auc)} times, at least {of_100(one.low or 0.0)})" for name, one in deaf.items()
    )
    message = (
        f"Of unprotected recordings, asked which of two is the person's, these encoders know too little: {named}; needed: "
        f"more than {of_100(STRONG)}. The control is met through {', '.join(name for name in reached if name not in deaf)} "
        "alone, so only what is heard through that speaks for privacy. Leave the others out, or repair them."
    )
    return [Finding("deaf_encoder", "caution", message)]


def semi_missing(results: Mapping[str, Assessment]) -> list[Finding]:
    """Say so where no semi-informed attacker could be trained."""
    if "semi-informed" in results:
        return []
    message = "No semi-informed attacker was played: too few speakers to retrain on. Give --training, a corpus of other people."
    return [Finding("no-semi-informed", "caution", message)]
