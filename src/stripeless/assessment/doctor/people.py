"""What the people say: too few of them, or nobody named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stripeless.verdicts.finding import Finding

if TYPE_CHECKING:
    from stripeless.results.assessment import Assessment

FEW_SPEAKERS = 20


def few_speakers(result: Assessment) -> Finding | None:
    """Nobody is named, so intervals cannot be over people; or there are too few of them to speak for others."""
    if result.n_speakers is None:
        return Finding(
            "speakers_unknown",
            "remark",
            "No speakers are named, so intervals draw trials and are too short where few speakers make up many trials. "
            "Name them (--utt2spk, or a file with speaker columns).",
        )
    if result.n_speakers < FEW_SPEAKERS:
        return Finding(
            "few_speakers",
            "caution",
            f"Only {result.n_speakers} speakers: what holds for them need not hold for the next one. "
            f"{FEW_SPEAKERS} are a start.",
        )
    return None
