"""Ids become numbers: a dictionary that is asked a whole block of ids at a time.

An id is a few 8-byte words. A hash of them finds a slot, the slot names a candidate, and the candidate's words are
compared in full: equal numbers mean equal ids, exactly, whatever the hash. Numbers are given in order of first
appearance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stripeless.scores.check import IntArray
from stripeless.scores.files.fields import Fields, Words
from stripeless.scores.files.rows import decode_name
from stripeless.scores.trials import Codes

_MIX = 0x9E3779B97F4A7C15
_ROOM = 8  # slots per id, while they are few: the first slot is then nearly always the right one


class Codebook:
    """All ids of one column so far."""

    def __init__(self) -> None:
        self._size = 0
        self._words = np.zeros((1, 1024), dtype=np.uint64)
        self._hashes = np.zeros(1024, dtype=np.uint64)
        self._bits = 13
        self._slots = np.full(1 << self._bits, -1, dtype=np.int32)

    def encode(self, fields: Fields, column: int) -> Codes:
        """The number of each id in the column; new ids get the next numbers."""
        words = fields.words(column)
        self._widen(len(words))
        hashes = _hash(words)
        codes = self._find(words, hashes)
        new = np.flatnonzero(codes < 0)
        while new.size:
            self._add(words, hashes, new)
            codes[new] = self._find([word[new] for word in words], hashes[new])
            new = new[codes[new] < 0]
        return codes

    def names(self, path: str) -> tuple[str, ...]:
        """The ids as text, in the order of their numbers."""
        flat = np.ascontiguousarray(self._words[:, : self._size].T)
        raw = flat.view(f"S{8 * flat.shape[1]}").ravel().tolist()
        return tuple(decode_name(name, path) for name in raw)

    def _find(self, words: list[Words], hashes: Words) -> Codes:
        """The number of each id, or -1 where it has none yet."""
        mask = self._slots.size - 1
        slot = (hashes >> np.uint64(64 - self._bits)).astype(np.int64)
        codes = self._slots[slot]
        rows = np.flatnonzero((codes >= 0) & ~self._same(words, codes))
        slot = slot[rows]
        while rows.size:  # another id sits in the slot: look into the next one
            slot = (slot + 1) & mask
            there = self._slots[slot]
            codes[rows] = there
            wrong = (there >= 0) & ~self._same([word[rows] for word in words], there)
            rows, slot = rows[wrong], slot[wrong]
        return codes

    def _same(self, words: list[Words], codes: Codes) -> NDArray[np.bool_]:
        same: NDArray[np.bool_] = self._words[0][codes] == words[0]
        for known, word in zip(self._words[1:], words[1:], strict=False):
            same &= known[codes] == word
        for known in self._words[len(words) :]:
            same &= known[codes] == 0
        return same

    def _add(self, words: list[Words], hashes: Words, rows: IntArray) -> None:
        """Number the ids in these rows; of several with one hash the first is taken, the others come round again."""
        _, first = np.unique(hashes[rows], return_index=True)
        rows = rows[np.sort(first)]
        start = self._size
        self._grow(start + rows.size)
        for known, word in zip(self._words, words, strict=False):
            known[start : self._size] = word[rows]
        self._hashes[start : self._size] = hashes[rows]
        self._place(np.arange(start, self._size, dtype=np.int32))

    def _place(self, codes: Codes) -> None:
        slot = (self._hashes[codes] >> np.uint64(64 - self._bits)).astype(np.int64)
        while codes.size:
            free = self._slots[slot] < 0
            self._slots[slot[free]] = codes[free]
            lost = self._slots[slot] != codes  # the slot was taken, or another new id won it
            codes, slot = codes[lost], (slot[lost] + 1) & (self._slots.size - 1)

    def _widen(self, count: int) -> None:
        more = count - len(self._words)
        if more > 0:
            self._words = np.concatenate([self._words, np.zeros((more, self._words.shape[1]), dtype=np.uint64)])

    def _grow(self, size: int) -> None:
        room = self._hashes.size
        if size > room:
            more = max(room, size - room)
            self._words = np.pad(self._words, ((0, 0), (0, more)))
            self._hashes = np.pad(self._hashes, (0, more))
        if size * 2 > self._slots.size:
            self._bits = (size * (_ROOM if size < 1 << 20 else 2)).bit_length()
            self._slots = np.full(1 << self._bits, -1, dtype=np.int32)
            self._place(np.arange(self._size, dtype=np.int32))
        self._size = size


def _hash(words: list[Words]) -> Words:
    """Zero words add nothing, so an id hashes alike whatever the longest id of its block is."""
    total = np.zeros_like(words[0])
    for position, word in enumerate(words):
        total += word * np.uint64(pow(_MIX, position + 1, 1 << 64))
    total ^= total >> np.uint64(32)
    return total * np.uint64(_MIX)
