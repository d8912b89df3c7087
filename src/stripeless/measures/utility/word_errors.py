"""Word error rate: what is left of the words. Low is useful; 0 means every word was recognized."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stripeless._extras import need
from stripeless.errors import InputError


@dataclass(frozen=True)
class WordErrors:
    """Counts over all utterances; `rate` is (substitutions + deletions + insertions) / words, and may exceed 1."""

    words: int
    substitutions: int
    deletions: int
    insertions: int
    utterances: int

    @property
    def rate(self) -> float:
        return (self.substitutions + self.deletions + self.insertions) / self.words


def word_errors(spoken: Mapping[str, str], heard: Mapping[str, str]) -> WordErrors:
    """Errors of `heard` against what was `spoken`, both by utterance; case and punctuation do not count.

    >>> word_errors({"a": "one two three"}, {"a": "one three four"}).rate  # doctest: +SKIP
    0.6666666666666666
    """
    jiwer: Any = need("jiwer", "asr", "The word error rate")
    missing = [name for name in spoken if name not in heard]
    if missing:
        raise InputError(f"heard: {len(missing)} utterances have no transcript, such as {missing[0]!r}; transcribe all")
    names = [name for name in spoken if plain(spoken[name])]
    if not names:
        raise InputError("spoken: no utterance has a text; a word error rate needs to know what was said")
    result = jiwer.process_words([plain(spoken[n]) for n in names], [plain(heard[n]) for n in names])
    words = result.hits + result.substitutions + result.deletions
    return WordErrors(words, result.substitutions, result.deletions, result.insertions, len(names))


def plain(text: str) -> str:
    """Lower case, no punctuation but the apostrophe, single blanks.

    >>> plain("Well,  it's  ON.")
    "well it's on"
    """
    return " ".join(re.sub(r"[^\w' ]+", " ", text.lower()).split())
