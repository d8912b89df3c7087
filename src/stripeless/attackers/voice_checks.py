"""What to beware of in an evaluation of recordings: signs that its numbers look better or worse than the voices are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from stripeless.attackers.voices import Encoded, Played
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.encoders.encoder import Encoder
from stripeless.results.assessment import Assessment
from stripeless.verdicts.finding import Finding

ROOM_EER = 0.35  # below this the quietest frames alone tell people apart
IDENTICAL = 0.99999  # cosine above which two recordings are one
WEAKER = 0.02  # by how much a retrained attacker must err more to be called weaker


def copies_of(vectors: Embeddings, enrollment: set[str]) -> list[str]:
    """Enrollment utterances with the very vector of a trial utterance."""
    tests = {
        row.tobytes() for name, row in zip(vectors.utterances, vectors.vectors, strict=True) if name not in enrollment
    }
    rows = zip(vectors.utterances, vectors.vectors, strict=True)
    return sorted(name for name, row in rows if name in enrollment and row.tobytes() in tests)


def examine_voices(
    encoded: Encoded, rooms: Sequence[Played], results: Mapping[str, Assessment], enrollment: Sequence[str] = ()
) -> list[Finding]:
    """What makes the numbers look better or worse than the voices are.

    Parameters:
        encoded: what the first encoder made of the recordings, before and after.
        rooms: attackers who are given the quietest frames only.
        results: the assessment of each attacker.
        enrollment: names of the utterances that enroll.
    Returns:
        The findings; none where there is nothing to beware of.
    """
    return [
        *not_anonymized(encoded),
        *room_tells(rooms),
        *enrolled_copies(encoded, enrollment),
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


def enrolled_copies(encoded: Encoded, enrollment: Sequence[str]) -> list[Finding]:
    """Recordings that enroll and are tried as well, under another name."""
    copies = copies_of(encoded.original, set(enrollment))
    if not copies:
        return []
    message = (
        f"{len(copies)} enrollment recordings are copies of trial recordings, such as {copies[0]!r}: a recording is always "
        "recognized as itself, so the figures say too little of privacy. Take the copies out."
    )
    return [Finding("copies", "serious", message)]


def weak_retraining(results: Mapping[str, Assessment]) -> list[Finding]:
    """Where the attacker who learned more errs more."""
    lazy, semi = (results.get(name) for name in ("lazy-informed", "semi-informed"))
    if lazy is None or semi is None:
        return []
    before, after = lazy["eer"], semi["eer"]
    if not isinstance(before, float) or not isinstance(after, float) or after <= before + WEAKER:
        return []
    message = (
        f"Retraining made the attacker weaker (EER {100 * after:.1f} % against {100 * before:.1f} % before): "
        "there was too little to learn from, so the semi-informed figures overstate the privacy; read the strongest one."
    )
    return [Finding("weak-retraining", "caution", message)]


def only_weak(encoders: Sequence[Encoder]) -> list[Finding]:
    """Say so where nobody attacked but the encoders that come with the package."""
    if any(encoder.name not in ("compact", "statistics") for encoder in encoders):
        return []
    message = (
        "Only the small encoders that come with stripeless listened. A real attacker has stronger ones: install CAM++ or GE2E "
        "(docs/how-to/evaluate-voices.md) before you call this private."
    )
    return [Finding("weak-encoder", "caution", message)]


def semi_missing(results: Mapping[str, Assessment]) -> list[Finding]:
    """Say so where no semi-informed attacker could be trained."""
    if "semi-informed" in results:
        return []
    message = "No semi-informed attacker was played: too few speakers to retrain on. Give --training, a corpus of other people."
    return [Finding("no-semi-informed", "caution", message)]
