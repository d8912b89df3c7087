"""Recordings to listen to in the report: three speakers, before and after, as data links."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.recordings import RATE, Recording, encode
from stripeless.measures.utility.voices import trial_utterances

SPEAKERS = 3
SECONDS = 5.0


def before_and_after(original: Corpus, anonymized: Corpus, result: dict[str, Any]) -> list[dict[str, str]]:
    """One trial utterance of three speakers: the worst protected, the middle one and the best protected."""
    after = anonymized.by_name()
    first: dict[str, Utterance] = {}
    for utterance in trial_utterances(original):
        if utterance.name in after:
            first.setdefault(utterance.speaker, utterance)
    order = [speaker for speaker in by_exposure(result) if speaker in first] or list(first)
    chosen = dict.fromkeys([order[0], order[len(order) // 2], order[-1]]) if order else {}
    return [
        {
            "speaker": speaker,
            "sex": first[speaker].sex,
            "text": first[speaker].text or "",
            "before": data_link(first[speaker]),
            "after": data_link(after[first[speaker].name]),
        }
        for speaker in chosen
    ]


def by_exposure(result: dict[str, Any]) -> list[str]:
    """Speakers from the worst protected to the best, by the EER of the ignorant attacker, who differs most."""
    for attacker in result["attackers"]:
        groups = attacker["groups"].get("speaker", {})
        values = {speaker: group["measures"].get("eer", {}).get("value") for speaker, group in groups.items()}
        known = {speaker: value for speaker, value in values.items() if value is not None}
        if known:
            return sorted(known, key=lambda speaker: (known[speaker], speaker))
    return []


def data_link(utterance: Utterance) -> str:
    """The first seconds as a WAV file inside a link."""
    recording = utterance.read(RATE)
    part = Recording(recording.samples[: int(SECONDS * RATE)], RATE)
    return "data:audio/wav;base64," + b64encode(encode(part)).decode()
