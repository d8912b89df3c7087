"""Damaged sound files and lists of recordings give sound or one sentence, and no header can ask for memory."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest
from mutations import complaints, digits_changed, mutated

from stripeless.audio import recordings
from stripeless.audio.corpus_files import read_corpus
from stripeless.audio.recordings import Recording, encode, read_recording
from stripeless.errors import FileError

TRIES = 60
TONE = Recording(0.5 * np.sin(np.arange(1600) / 9), 16000)
LISTS = {
    "wav.scp": "a-1 a-1.wav\nb-1 b-1.wav\n",
    "utt2spk": "a-1 a\nb-1 b\n",
    "spk2gender": "a f\nb m\n",
    "segments": "a-1 a-1 0.0 0.1\nb-1 b-1 0 -1\n",
    "text": "a-1 one two\nb-1\n",
    "enrolls": "a-1\n",
    "trials": "a b-1 nontarget\n",
}


@pytest.mark.parametrize("ending", [".wav", ".flac", ".ogg"])
def test_a_damaged_sound_file_gives_sound_or_one_sentence(tmp_path: Path, ending: str) -> None:
    if ending != ".wav":
        pytest.importorskip("soundfile")
    path, good = tmp_path / f"x{ending}", encode(TONE, ending)
    changed = [(path, mutated(good[:200], seed) + good[200:]) for seed in range(TRIES)]
    changed += [(path, mutated(good, seed)) for seed in range(TRIES)]
    changed += [(path, good[:size]) for size in range(60)]
    assert not complaints(lambda: read_recording(path), changed)


def header(**change: int) -> bytes:
    """A WAV file that says something else of itself."""
    said = {"channels": 1, "rate": 16000, "bytes_per_second": 32000, "block": 2, "bits": 16, "size": 3200} | change
    kind = struct.pack("<HHIIHH", 1, *list(said.values())[:-1])
    data = b"data" + struct.pack("<I", said["size"]) + bytes(range(160)) * 20
    return b"RIFF" + struct.pack("<I", 36 + 3200) + b"WAVEfmt " + struct.pack("<I", 16) + kind + data


@pytest.mark.parametrize("rate", [0, 1, 999, 1_000_001, 2**32 - 1])
def test_rates_that_no_recording_has(tmp_path: Path, rate: int) -> None:
    (tmp_path / "x.wav").write_bytes(header(rate=rate))
    with pytest.raises(FileError, match=f"claims {rate} samples per second; expected 1000 to|that can be read"):
        read_recording(tmp_path / "x.wav")


@pytest.mark.parametrize(
    "change", [{"bits": 40, "block": 5}, {"channels": 0}, {"bits": 0}, {"channels": 65535, "block": 3}]
)
def test_odd_headers_of_wav(tmp_path: Path, change: dict[str, int]) -> None:
    (tmp_path / "x.wav").write_bytes(header(**change))
    with pytest.raises(FileError, match=r"x\.wav"):
        read_recording(tmp_path / "x.wav")


def test_flac_that_claims_to_be_two_months_long(tmp_path: Path) -> None:
    pytest.importorskip("soundfile")
    content = bytearray(encode(TONE, ".flac"))
    content[21] |= 0x0F  # 36 bits count the samples
    content[22:26] = b"\xff" * 4
    path = tmp_path / "x.flac"  # sound or a sentence: versions of the library differ in what they do at its end
    assert not complaints(lambda: read_recording(path), [(path, bytes(content))])


def test_sound_that_unpacks_to_far_more_than_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("soundfile")
    monkeypatch.setattr(recordings, "FREE", 1000)
    monkeypatch.setattr(recordings, "BLOCK", 1000)
    monkeypatch.setattr(recordings, "MOST_PER_BYTE", 1)
    (tmp_path / "x.flac").write_bytes(encode(Recording(np.zeros(160_000), 16000), ".flac"))
    with pytest.raises(FileError, match=r"it unpacks to .* far more than it is"):
        read_recording(tmp_path / "x.flac")


def test_damaged_lists_give_a_corpus_or_one_sentence(tmp_path: Path) -> None:
    for name, content in LISTS.items():
        (tmp_path / name).write_text(content)
    changed = [
        (tmp_path / name, change(content.encode(), seed))
        for name, content in LISTS.items()
        for change in (mutated, digits_changed)
        for seed in range(TRIES // 2)
    ]
    assert not complaints(lambda: read_corpus(tmp_path), changed)
    assert len(read_corpus(tmp_path).utterances) == 2


@pytest.mark.parametrize("times", ["0.0", "a b", "0 nan", "0 ²", "-1 2", "2 1", "1e9 2e9", "0 inf"])
def test_cuts_are_a_start_and_an_end(tmp_path: Path, times: str) -> None:
    for name in ("wav.scp", "utt2spk"):
        (tmp_path / name).write_text(LISTS[name])
    (tmp_path / "segments").write_text(f"a-1 a-1 {times}\n")
    with pytest.raises(FileError, match="utterance 'a-1': expected its start and end in seconds, got"):
        read_corpus(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_devices_are_no_recordings(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.wav")
    (tmp_path / "y.wav").symlink_to("/dev/zero")
    for name in "xy":
        with pytest.raises(FileError, match="a pipe or device can be read only once"):
            read_recording(tmp_path / f"{name}.wav")
    with pytest.raises(FileError, match="a pipe or device"):
        read_corpus(tmp_path / "x.wav")
