"""Copies are found after whatever happens to recordings; other takes are none. Their fingerprints are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from copy_kinds import KINDS
from recorded_voices import hidden, spoken

from conftest import real_data
from stripeless.audio.corpus import Utterance
from stripeless.audio.corpus_files import read_corpus
from stripeless.audio.fingerprints import copies_among, fingerprints, packed, unpacked
from stripeless.audio.near_copies import Fingerprint, fingerprint, is_copy, likeness, near_copies, nearest_pairs
from stripeless.audio.recordings import RATE, Recording, write_recording
from stripeless.audio.synthetic_voice import speak, synthetic_speaker
from stripeless.audio.timing import exchanged, timing_likeness

SPOKEN = list(spoken().values())


@pytest.fixture(scope="module")
def prints() -> list[Fingerprint]:
    return [fingerprint(one) for one in SPOKEN]


def test_different_recordings_are_no_copies(prints: list[Fingerprint]) -> None:
    assert near_copies(prints) == []


@pytest.mark.parametrize("kind", KINDS)
def test_copies_of_every_kind_are_found(prints: list[Fingerprint], kind: str) -> None:
    if kind == "mp3":
        pytest.importorskip("soundfile")
    some = range(0, len(SPOKEN), 5)
    copies = [fingerprint(KINDS[kind](SPOKEN[k])) for k in some]
    assert near_copies([*prints, *copies]) == [(k, len(prints) + n) for n, k in enumerate(some)]


def test_another_take_of_the_same_words_is_no_copy() -> None:
    takes = [fingerprint(speak(synthetic_speaker(2), "one two three four", seed=seed).samples) for seed in range(4)]
    assert near_copies(takes) == []


def test_silence_and_tones_are_not_compared() -> None:
    seconds = np.arange(RATE) / RATE
    tones = [fingerprint(0.3 * np.sin(2 * np.pi * 440 * seconds + phase)) for phase in (0.0, 1.0)]
    assert likeness(*tones)[0] > 0.95
    assert not is_copy(*tones)
    assert near_copies([fingerprint(np.zeros(RATE))] * 3) == []
    for quiet in (np.zeros(RATE), np.full(RATE, 0.3), 0.3 * np.ones(RATE // 10 - 1)):
        assert fingerprint(quiet).voiceless
    assert not fingerprint(1e-3 * np.random.default_rng(0).normal(size=RATE)).voiceless


def test_near_rows_are_found_across_blocks() -> None:
    rows = np.random.default_rng(0).normal(size=(1200, 8)).astype(np.float32)
    rows[1100] = rows[3] + 0.001
    pairs = nearest_pairs(rows, neighbors=1)
    assert (3, 1100) in pairs
    assert all(i < j for i, j in pairs)


def test_fingerprints_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    utterances = []
    for k, sound in enumerate(SPOKEN[:4]):
        write_recording(tmp_path / f"{k}.wav", Recording(sound, RATE))
        utterances.append(Utterance(str(k), tmp_path / f"{k}.wav", "s"))
    found = [one.result for one in fingerprints(utterances, cache=tmp_path / "cache")]
    assert copies_among([one for one in found if one is not None], tmp_path / "cache") == []
    monkeypatch.setattr("stripeless.audio.fingerprints.fingerprint", None)
    monkeypatch.setattr("stripeless.audio.fingerprints.near_copies", None)
    again = [one.result for one in fingerprints(utterances, cache=tmp_path / "cache")]
    assert copies_among([one for one in again if one is not None], tmp_path / "cache") == []
    for one, other in zip(found, again, strict=True):
        assert one is not None
        assert other is not None
        assert packed(one) == packed(other)
    with pytest.raises((ValueError, KeyError, EOFError)):
        unpacked(b"")


# --- timing -----------------------------------------------------------------------------------------------------------


def test_outputs_follow_their_own_originals() -> None:
    before, after = (tuple(fingerprint(one) for one in side().values()) for side in (spoken, hidden))
    speakers = [name.split("-")[0] for name in spoken()]
    assert exchanged(before, after, speakers) == []
    assert min(timing_likeness(one, other) for one, other in zip(before, after, strict=True)) > 0.7
    swapped = list(after)
    swapped[2], swapped[10] = swapped[10], swapped[2]
    assert sorted(exchanged(before, swapped, speakers)) == [(2, 10), (10, 2)]
    turned = [*after[8:], *after[:8]]
    assert len(exchanged(before, turned, speakers)) > 20
    swapped = list(after)
    swapped[0], swapped[1] = swapped[1], swapped[0]
    assert exchanged(before, swapped, speakers) == []  # of one person


def test_where_timing_is_not_kept_nothing_is_said() -> None:
    before = tuple(fingerprint(one) for one in spoken().values())
    others = tuple(fingerprint(one) for one in spoken(40).values())
    assert exchanged(before, others, [name.split("-")[0] for name in spoken()]) == []


# --- real speech ------------------------------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["digits", "libri251"])
def test_real_recordings_hold_no_copies_but_those_planted(name: str) -> None:
    corpus = read_corpus(real_data(name))
    sounds = [one.read(RATE).samples for one in corpus.utterances]
    some = range(0, len(sounds), len(sounds) // 10)
    planted = [(k, KINDS[kind](sounds[k])) for kind in KINDS for k in some]
    prints = [fingerprint(one) for one in (*sounds, *(copy for _, copy in planted))]
    found = near_copies(prints)
    assert [pair for pair in found if pair[1] < len(sounds)] == []
    pairs = {(k, len(sounds) + n) for n, (k, _) in enumerate(planted)}
    assert len(pairs & set(found)) >= 0.9 * len(pairs)  # twelve copies of one are each other's nearest
