"""Recordings to listen to in the report: three speakers, before and after, as data links."""

from __future__ import annotations

from base64 import b64encode

from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.recordings import RATE, Recording, encode
from stripeless.measures.utility.voices import trial_utterances
from stripeless.results.evaluation import Evaluation
from stripeless.results.voices import Sample

SPEAKERS = 3
SECONDS = 5.0


def before_and_after(original: Corpus, anonymized: Corpus, result: Evaluation) -> tuple[Sample, ...]:
    """One trial utterance of three speakers: the worst protected, the middle one and the best protected."""
    after = anonymized.by_name()
    first: dict[str, Utterance] = {}
    for utterance in trial_utterances(original):
        if utterance.name in after:
            first.setdefault(utterance.speaker, utterance)
    order = [speaker for speaker in by_exposure(result) if speaker in first] or list(first)
    chosen = dict.fromkeys([order[0], order[len(order) // 2], order[-1]]) if order else {}
    return tuple(
        Sample(speaker, data_link(one), data_link(after[one.name]), one.text or "", one.sex)
        for speaker, one in ((speaker, first[speaker]) for speaker in chosen)
    )


def by_exposure(result: Evaluation) -> list[str]:
    """Speakers from the worst protected to the best, by the EER of the ignorant attacker, who differs most."""
    for attacker in result.attackers:
        measures = {name: group.measures.get("eer") for name, group in attacker.groups.get("speaker", {}).items()}
        known = {name: eer.number for name, eer in measures.items() if eer is not None and eer.value is not None}
        if known:
            return sorted(known, key=lambda speaker: (known[speaker], speaker))
    return []


def data_link(utterance: Utterance) -> str:
    """The first seconds as a WAV file inside a link."""
    recording = utterance.read(RATE)
    part = Recording(recording.samples[: int(SECONDS * RATE)], RATE)
    return "data:audio/wav;base64," + b64encode(encode(part)).decode()
