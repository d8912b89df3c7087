"""Who trains the shipped voice and who is kept for judging it: speakers, never recordings, are divided.

Of `digits` every second speaker of each sex is held out (20 of 40), of `libri251` three in ten (42 of 142); all ten of
`libri-mini` train. Held-out speakers are heard by no network of `stripeless.synthesis`.
"""

from __future__ import annotations

from pathlib import Path

from stripeless.audio.corpus import Corpus
from stripeless.audio.corpus_files import read_corpus

CORPORA = ("digits", "libri251", "libri-mini")


def is_held_out(corpus: str, place: int) -> bool:
    """Whether the speaker at this place among those of one sex, sorted by name, is kept for judging."""
    return {"digits": place % 2 == 0, "libri251": place % 10 in (2, 5, 8), "libri-mini": False}[corpus]


def held_out_speakers(name: str, corpus: Corpus) -> set[str]:
    """The speakers kept for judging."""
    sexes = {utterance.speaker: utterance.sex for utterance in corpus.utterances}
    return {
        speaker
        for sex in sorted(set(sexes.values()))
        for place, speaker in enumerate(sorted(s for s, of in sexes.items() if of == sex))
        if is_held_out(name, place)
    }


def training_part(data: str | Path, name: str) -> Corpus:
    """The recordings that networks may learn from."""
    corpus = read_corpus(Path(data) / name)
    return corpus.subset(set(corpus.speakers) - held_out_speakers(name, corpus))


def held_out_part(data: str | Path, name: str) -> Corpus:
    """The recordings of speakers whom no network has heard (none of libri-mini)."""
    corpus = read_corpus(Path(data) / name)
    return corpus.subset(held_out_speakers(name, corpus))


def training_corpora(data: str | Path) -> list[Corpus]:
    """The training parts of all three corpora."""
    return [training_part(data, name) for name in CORPORA]
