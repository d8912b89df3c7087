"""Every system of Table 1 of VoicePrivacy 2020, end to end, on people that no network of it has heard.

    python benchmarks/voice_systems.py run DATA WORK [NAME ...]     a result per system in WORK, made once
    python benchmarks/voice_systems.py sentences DATA WORK NAME ... words heard otherwise than in the original, libri251
    python benchmarks/voice_systems.py network DATA WORK NAME ...   an attacker who trains a whole network on anonymized speech
    python benchmarks/voice_systems.py page WORK                    docs/reference/anonymizers.md from the results

Judged on the held-out speakers of `digits` and `libri251` (scripts/voice/corpus.py). The semi-informed attacker retrains on
the training speakers of both, anonymized by the same system with another seed and, where voices are drawn, with a voice
drawn for every utterance: an attacker who wants to see through the voices does not let the speaker show in them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts" / "voice"))
from corpus import held_out_part, training_part
from voice_systems_page import ATTACKERS, CORPORA, measure, write_page

from stripeless._files import write_whole
from stripeless.anonymizers.catalog import ANONYMIZERS, attackers_copy, make_anonymizer
from stripeless.anonymizers.run import anonymize_corpus
from stripeless.attackers.voices import Encoded, play_encoder
from stripeless.audio.corpus import Corpus
from stripeless.audio.corpus_files import read_corpus
from stripeless.audio.recordings import RATE
from stripeless.embeddings.encoders.catalog import make_encoder
from stripeless.embeddings.encoders.xvector import NetworkTraining, fit_xvector
from stripeless.embeddings.extract import extract_embeddings
from stripeless.measures.utility.word_errors import word_errors
from stripeless.recognizers.transcribe import transcribe_sphinx
from stripeless.studies.evaluate import Options, evaluate_voices

ENCODERS = ("campplus", "ge2e")
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "crowd-utterance": ("crowd", {"per": "utterance"}),
    "crowd-pitch-kept": ("crowd", {"pitch": "keep"}),
    "crowd-pitch-moved": ("crowd", {"pitch": "move"}),
    "crowd-tempo-kept": ("crowd", {"tempo": "keep", "pitch": "move"}),
    "crowd-bottleneck": ("crowd", {"content": "frames-bottleneck", "tempo": "keep", "pitch": "move"}),
    "b1-bottleneck": ("b1", {"content": "frames-bottleneck"}),
    "o1-bottleneck": ("o1", {"content": "frames-bottleneck"}),
    "m1-bottleneck": ("m1", {"content": "sequence-bottleneck"}),
    "m1c1-bottleneck": ("m1c1", {"content": "adversarial-bottleneck"}),
    "m1c2-bottleneck": ("m1c2", {"content": "sequence-bottleneck"}),
}
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "anonymizers.md"


def chosen(corpus: Corpus, keep: Mapping[str, int]) -> Corpus:
    """The first so many enrollment and trial utterances of every speaker."""
    enrolls, counts, kept = set(corpus.enrollment), {}, []
    for utterance in sorted(corpus.utterances, key=lambda u: u.name):
        key = (utterance.speaker, utterance.name in enrolls)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= keep["enrollment" if key[1] else "trial"]:
            kept.append(utterance)
    names = {u.name for u in kept}
    return replace(
        corpus,
        utterances=tuple(kept),
        enrollment=tuple(n for n in corpus.enrollment if n in names),
        trials=tuple(t for t in corpus.trials if t.utterance in names),
    )


def corpora(data: str) -> tuple[dict[str, Corpus], Corpus]:
    """The corpora that are judged, and what the attacker retrains on."""
    judged = {
        "digits": chosen(held_out_part(data, "digits"), {"enrollment": 4, "trial": 8}),
        "libri251": held_out_part(data, "libri251"),
    }
    parts = [
        chosen(training_part(data, "digits"), {"enrollment": 2, "trial": 3}),
        chosen(training_part(data, "libri251"), {"enrollment": 1, "trial": 1}),
    ]
    training = Corpus(Path(data) / "training", tuple(u for part in parts for u in part.utterances), (), (), ())
    return judged, training


def judge(label: str, data: str, work: Path, workers: int) -> dict[str, Any]:
    """One system on both corpora."""
    name, options = VARIANTS.get(label, (label, {}))
    judged, training = corpora(data)
    encoders = [make_encoder(encoder) for encoder in ENCODERS]
    start, result = time.time(), {}
    taught = anonymize_corpus(training, work / label / "training", attackers_copy(name, options), workers=workers)
    seconds = made = 0.0
    for corpus_name, corpus in judged.items():
        begin = time.process_time(), os.times().children_user
        after = anonymize_corpus(corpus, work / label / corpus_name, make_anonymizer(name, options), workers=workers)
        seconds += after.seconds
        made += time.process_time() - begin[0] + os.times().children_user - begin[1]
        chosen_options = Options(cache=work / "cache", workers=workers, limit=160, resamples=200)
        evaluation = evaluate_voices(
            corpus, after.corpus, encoders, chosen_options, training=taught.corpus, name=f"{corpus_name}, {label}"
        )
        result[corpus_name] = evaluation.to_dict()
    return {"label": label, "speed": seconds / made if seconds else None, "took": time.time() - start, **result}


def run(data: str, work_name: str, names: list[str]) -> None:
    work = Path(work_name)
    for label in names or [*ANONYMIZERS, *VARIANTS]:
        place = work / "results" / f"{label}.json"
        if place.is_file():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        result = judge(label, data, work, int(os.environ.get("JOBS", "1")))
        write_whole(place, json.dumps(result))
        print(f"{label}: {result['took']:.0f} s", *summary(result), sep="  ", flush=True)


def sentences(data: str, work_name: str, names: list[str]) -> None:
    """Share of words that pocketsphinx hears otherwise than in the original, sentences of libri251 (no transcripts exist).

    A recognizer this weak is often wrong before, too; the order of systems is what counts.
    """
    work = Path(work_name)
    place = work / "sentences.json"
    found = json.loads(place.read_text()) if place.is_file() else {}
    heard = [u for u in corpora(data)[0]["libri251"].utterances if u.name.endswith("-s2")]
    before = {u.name: transcribe_sphinx(u.read().samples) for u in heard}
    before = {name: text for name, text in before.items() if text}
    for label in names:
        after = read_corpus(work / label / "libri251").by_name()
        errors = word_errors(before, {name: transcribe_sphinx(after[name].read().samples) for name in before})
        found[label] = {"rate": errors.rate, "words": errors.words, "recordings": len(before)}
        write_whole(place, json.dumps(found))
        print(label, found[label], flush=True)


def network(data: str, work_name: str, names: list[str]) -> None:
    """The semi-informed attacker who trains a whole network, from nothing, on all training speakers' anonymized speech."""
    work = Path(work_name)
    place = work / "network.json"
    found = json.loads(place.read_text()) if place.is_file() else {}
    parts = [training_part(data, name) for name in CORPORA]
    people = Corpus(Path(data) / "training", tuple(u for part in parts for u in part.utterances), (), (), ())
    for label in names:
        name, options = VARIANTS.get(label, (label, {}))
        taught = anonymize_corpus(people, work / label / "network-training", attackers_copy(name, options)).corpus
        encoder, told = fit_xvector(
            [u.read(RATE).samples for u in taught.utterances], [u.speaker for u in taught.utterances], NetworkTraining()
        )
        found[label] = {"accuracy": told.accuracy[-1]}
        for corpus_name, corpus in corpora(data)[0].items():
            after = read_corpus(work / label / corpus_name)
            heard = [
                extract_embeddings(one, encoder).embeddings
                for one in (corpus, replace(corpus, utterances=after.utterances))
            ]
            one = play_encoder(
                Encoded("xvector", heard[0], heard[1], retrained=True), corpus, ["semi-informed"], resamples=200
            )[0]
            found[label][corpus_name] = one.assessment.measures["eer"].to_dict()
        write_whole(place, json.dumps(found))
        print(label, {c: round(100 * found[label][c]["value"], 1) for c in CORPORA}, told.accuracy[-1], flush=True)


def summary(result: dict[str, Any]) -> list[str]:
    """EERs in percent, for the log."""
    return [
        f"{corpus}: "
        + " ".join(
            "-" if value is None else f"{100 * value:.1f}"
            for value in (measure(result, corpus, attacker, "eer") for attacker in ("original", *ATTACKERS))
        )
        for corpus in CORPORA
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif sys.argv[1:2] == ["network"]:
        network(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif sys.argv[1:2] == ["sentences"]:
        sentences(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        write_page(Path(sys.argv[2]), PAGE, (Path(__file__).parent / "voice_systems.md").read_text())
