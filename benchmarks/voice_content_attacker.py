"""An attacker who does not listen to voices but to how phones are spoken, and who puts the trials of a pseudonym together.

    python benchmarks/voice_content_attacker.py DATA WORK NAME ...      systems that voice_systems.py has run in WORK

Per recording the logarithm of the mean and the deviation of the 40 phone likelihoods, heard in the published recording; a
comparison relearned on the attacker's own copies (WORK/NAME/training); scores normalized over rows and columns within each
sex, for which no label is needed. `pooled`: the scores of all trials of a speaker averaged, as whoever holds a pseudonym can do.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from voice_systems import corpora

from stripeless._files import write_whole
from stripeless.attackers.backends import fit_backend
from stripeless.audio.corpus import Corpus
from stripeless.audio.corpus_files import read_corpus
from stripeless.audio.recordings import RATE
from stripeless.measures.eer import eer
from stripeless.synthesis.voice import synthesis


def features(corpus: Corpus) -> np.ndarray:
    """80 numbers per recording."""
    rows = []
    for utterance in corpus.utterances:
        phones = synthesis.take_apart(utterance.read(RATE).samples, RATE).content
        rows.append(np.concatenate([np.log(phones.mean(axis=0) + 1e-4), phones.std(axis=0)]))
    return np.array(rows, dtype=np.float64)


def normalized(scores: np.ndarray) -> np.ndarray:
    """Each row and each column at mean 0 and deviation 1, averaged."""
    rows, columns = (
        (scores - scores.mean(axis=k, keepdims=True)) / (scores.std(axis=k, keepdims=True) + 1e-9) for k in (1, 0)
    )
    return (rows + columns) / 2


def attacked(corpus: Corpus, taught: Corpus, known: np.ndarray, published: Corpus) -> dict[str, float]:
    """EER in percent of single trials and of all trials of a speaker together, and how often the best match is right."""
    found = dict(zip([u.name for u in published.utterances], features(published), strict=True))
    middle, spread = known.mean(axis=0), known.std(axis=0) + 1e-6
    backend, _ = fit_backend(
        (known - middle) / spread, [u.speaker for u in taught.utterances], [u.sex for u in taught.utterances]
    )
    enrolls = set(corpus.enrollment)
    single: tuple[list[float], list[float]] = ([], [])
    pooled: tuple[list[float], list[float]] = ([], [])
    right = []
    for sex in sorted({u.sex for u in corpus.utterances}):
        people = sorted({u.speaker for u in corpus.utterances if u.sex == sex})
        models = [[found[u.name] for u in corpus.of_speaker(p) if u.name in enrolls] for p in people]
        trials = [(p, found[u.name]) for p in people for u in corpus.of_speaker(p) if u.name not in enrolls]
        means = (np.array([np.mean(rows, axis=0) for rows in models]) - middle) / spread
        tried = (np.array([vector for _, vector in trials]) - middle) / spread
        scores = normalized(backend.scores(means, tried, np.array([len(rows) for rows in models], dtype=float)))
        owner = np.array([p for p, _ in trials])
        for row, person in enumerate(people):
            for column, other in enumerate(owner):
                single[0 if other == person else 1].append(float(scores[row, column]))
        together = normalized(np.array([[scores[k, owner == p].mean() for p in people] for k in range(len(people))]))
        same = np.eye(len(people), dtype=bool)
        pooled[0].extend(together[same].tolist())
        pooled[1].extend(together[~same].tolist())
        right += (together.argmax(axis=0) == np.arange(len(people))).tolist()
    return {"single": 100 * eer(*single), "pooled": 100 * eer(*pooled), "top-1": 100 * float(np.mean(right))}


def main(data: str, work_name: str, names: list[str]) -> None:
    work = Path(work_name)
    place = work / "content.json"
    told = json.loads(place.read_text()) if place.is_file() else {}
    for label in names:
        taught = read_corpus(work / label / "training")
        known = features(taught)
        told[label] = {
            name: attacked(corpus, taught, known, read_corpus(work / label / name))
            for name, corpus in corpora(data)[0].items()
        }
        write_whole(place, json.dumps(told))
        print(label, told[label], flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
