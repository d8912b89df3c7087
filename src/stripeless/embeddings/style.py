"""Linguistic style as a vector: function words, pronouns, fillers, lengths, readability. Of transcripts, not of sound.

How a person puts things identifies in the way a voice does, only less: about two thirds of a bit per two minutes of talk
(Baeckstroem et al., Table II, with LIWC). LIWC's dictionary is not free; the list here is our own (`style_words`).
Anonymizing the voice leaves all of it in place.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.style_words import CATEGORIES, SINGLE_WORDS
from stripeless.errors import InputError

_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*")
_SENTENCE_END = re.compile(r"[.!?]+")
_VOWELS = re.compile(r"[aeiouy]+")
_SHAPE = (
    "words per sentence",
    "letters per word",
    "syllables per word",
    "share of words over six letters",
    "share of one-syllable words",
    "reading ease",
    "distinct words, root-normalized",
    "share of words used once",
    "share of immediate repetitions",
    "share of contractions",
    "share of broken-off words",
)
STYLE_NAMES: tuple[str, ...] = (*CATEGORIES, *(f"word {word}" for word in SINGLE_WORDS), *_SHAPE)


def words_of(text: str) -> list[str]:
    """The words of a transcript in small letters; punctuation and digits are left out.

    >>> words_of("I don't KNOW -- uh, maybe 3?")
    ['i', "don't", 'know', 'uh', 'maybe']
    """
    return _WORD.findall(text.lower().replace("\u2019", "'"))


def style_vector(text: str) -> NDArray[np.float64]:
    """Style of one stretch of talk: `STYLE_NAMES` says what each number is. Shares are per word.

    A hundred words are a start, 300 better: standardize vectors over a corpus (`standardized`) before comparing them.

    Parameters:
        text: a transcript in English, as it was spoken.
    Returns:
        As many numbers as there are `STYLE_NAMES`; most are shares of the words, 0 to 1.

    >>> vector = style_vector("well I know I know it is not so")
    >>> float(vector[STYLE_NAMES.index("first person singular")])
    0.2222222222222222
    """
    words = words_of(text)
    if not words:
        raise InputError("text: no word in it; style needs a transcript of at least a few words")
    counts, total = Counter(words), len(words)
    shares = [sum(counts[word] for word in category) / total for category in CATEGORIES.values()]
    singles = [counts[word] / total for word in SINGLE_WORDS]
    return np.array([*shares, *singles, *_shape(text, words, counts)])


def _shape(text: str, words: list[str], counts: Counter[str]) -> list[float]:
    total = len(words)
    syllables = [syllable_count(word) for word in words]
    sentences = max(1, len([part for part in _SENTENCE_END.split(text) if _WORD.search(part.lower())]))
    per_sentence, per_word = total / sentences, sum(syllables) / total
    return [
        per_sentence,
        sum(len(word) for word in words) / total,
        per_word,
        sum(len(word) > 6 for word in words) / total,
        sum(count == 1 for count in syllables) / total,
        206.835 - 1.015 * min(per_sentence, 60.0) - 84.6 * per_word,  # Flesch; transcripts may lack full stops
        len(counts) / np.sqrt(total),
        sum(count == 1 for count in counts.values()) / total,
        sum(a == b for a, b in pairwise(words)) / total,
        sum("'" in word for word in words) / total,
        len(re.findall(r"\w-(?=\s|$)", text)) / total,
    ]


def syllable_count(word: str) -> int:
    """Groups of vowels, a silent final e not counted; right for nine English words in ten.

    >>> [syllable_count(w) for w in ("the", "make", "little", "privacy")]
    [1, 1, 2, 3]
    """
    groups = len(_VOWELS.findall(word))
    silent = word.endswith("e") and not word.endswith(("le", "ee")) and groups > 1
    return max(1, groups - silent)
