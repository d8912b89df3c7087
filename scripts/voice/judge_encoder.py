"""How well encoders tell held-out speakers apart: python scripts/voice/judge_encoder.py DATA [ENCODER ...].

EER in percent of cosine scores, each sex by itself, speaker models made of the enrollment utterances; whole trial utterances
and their middle second. Vectors have the mean of the training speakers taken out (and for `statistics`, which mixes units, are
divided by the training deviation). The last columns hold an encoder against CAM++: the correlation of the similarities
of all pairs of held-out utterances, over all pairs and within one sex; and seconds of sound per second of one core.
"""

from __future__ import annotations

import sys
import time
from functools import cache

import numpy as np
from corpus import held_out_part, training_part

from stripeless.audio.corpus import Corpus, with_trials
from stripeless.audio.recordings import RATE, Samples
from stripeless.embeddings.encoders.catalog import make_encoder
from stripeless.embeddings.encoders.compact import of_length_one
from stripeless.embeddings.encoders.encoder import Encoder
from stripeless.embeddings.extract import one_thread
from stripeless.measures.eer import eer

JUDGED = ("digits", "libri251")


@cache
def recordings(data: str, name: str) -> tuple[Corpus, dict[str, Samples]]:
    """The held-out part of a corpus and its sound."""
    corpus = with_trials(held_out_part(data, name))
    return corpus, {utterance.name: utterance.read().samples for utterance in corpus.utterances}


def middle(samples: Samples) -> Samples:
    """The middle second."""
    first = max(0, (len(samples) - RATE) // 2)
    return samples[first : first + RATE]


class Judged:
    """Vectors of one encoder, brought to what its cosine compares."""

    def __init__(self, encoder: Encoder, data: str) -> None:
        self.encoder, self.data = encoder, data
        known = []
        for name in JUDGED:
            corpus = training_part(data, name)
            chosen = [corpus.of_speaker(speaker)[k] for speaker in corpus.speakers for k in (0, 3)]
            vectors = [encoder.embed(utterance.read().samples) for utterance in chosen]
            known.append(np.stack(vectors))
        self.mean = np.mean([vectors.mean(axis=0) for vectors in known], axis=0)
        self.scale = np.concatenate(known).std(axis=0) if encoder.name == "statistics" else 1.0
        start = time.process_time()
        self.whole = {n: {u: self.vector(s) for u, s in recordings(data, n)[1].items()} for n in JUDGED}
        heard = sum(len(s) for n in JUDGED for s in recordings(data, n)[1].values()) / RATE
        self.speed = heard / (time.process_time() - start)

    def vector(self, samples: Samples) -> np.ndarray:
        return of_length_one((self.encoder.embed(samples) - self.mean) / self.scale)

    def rates(self, name: str, short: bool) -> dict[str, float]:
        """EER by sex."""
        corpus, sound = recordings(self.data, name)
        own = self.whole[name]
        chosen = set(corpus.enrollment)
        models = {}
        for speaker in corpus.speakers:
            vectors = [own[u.name] for u in corpus.of_speaker(speaker) if u.name in chosen]
            models[speaker] = of_length_one(np.mean(vectors, axis=0))
        tested = {t.utterance for t in corpus.trials}
        heard = {u: self.vector(middle(sound[u])) if short else own[u] for u in sorted(tested)}
        sexes = {u.speaker: u.sex for u in corpus.utterances}
        rates = {}
        for sex in "fm":
            trials = [t for t in corpus.trials if sexes[t.enrolled] == sex]
            values = np.array([models[t.enrolled] @ heard[t.utterance] for t in trials])
            target = np.array([t.target for t in trials])
            rates[sex] = eer(values[target], values[~target])
        return rates

    def similarities(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Cosines of all pairs of utterances, and which pairs are of one sex."""
        corpus, _ = recordings(self.data, name)
        vectors = np.stack([self.whole[name][u.name] for u in corpus.utterances])
        sex = np.array([u.sex for u in corpus.utterances])
        upper = np.triu_indices(len(sex), 1)
        return (vectors @ vectors.T)[upper], (sex[:, None] == sex)[upper]


def main(data: str, *names: str) -> None:
    teacher: Judged | None = None
    print("encoder     digits f/m   middle s     libri251 f/m middle s     correlation digits, libri251   x real time")
    for name in names or ("campplus", "ge2e", "statistics", "compact"):
        one_thread()
        judged = Judged(make_encoder(name), data)
        cells = []
        for corpus in JUDGED:
            for short in (False, True):
                rates = judged.rates(corpus, short)
                cells.append(f"{100 * rates['f']:5.2f} {100 * rates['m']:5.2f} ")
        teacher = judged if name == "campplus" else teacher
        for corpus in JUDGED:
            own, same = judged.similarities(corpus)
            other = teacher.similarities(corpus)[0] if teacher else own
            whole, within = np.corrcoef(own, other)[0, 1], np.corrcoef(own[same], other[same])[0, 1]
            cells.append(f"{whole:.3f} {within:.3f}  ")
        print(f"{name:11s}", *cells, f"{judged.speed:.0f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
