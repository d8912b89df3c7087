"""Sound files of every kind, and what is said about broken ones."""

from __future__ import annotations

import io
import wave
from pathlib import Path

import numpy as np
import pytest

from stripeless.audio import recordings
from stripeless.audio.recordings import Recording, encode, read_pipe, read_recording, resample, write_recording
from stripeless.errors import FileError, InputError, MissingExtra

TONE = 0.5 * np.sin(2 * np.pi * 440 * np.arange(8000) / 16000)


def wav_bytes(samples: np.ndarray, width: int, channels: int = 1, rate: int = 16000) -> bytes:
    scaled = np.round(samples * (2 ** (8 * width - 1) - 1)).astype(np.int64)
    if width == 1:
        raw = (scaled + 128).astype(np.uint8).tobytes()
    else:
        raw = b"".join(int(v).to_bytes(width, "little", signed=True) for v in scaled.ravel())
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((channels, width, rate, 0, "NONE", ""))
        file.writeframes(raw)
    return buffer.getvalue()


@pytest.mark.parametrize(("width", "error"), [(1, 1e-2), (2, 1e-4), (3, 1e-6), (4, 1e-8)])
def test_wav_of_every_width(tmp_path: Path, width: int, error: float) -> None:
    (tmp_path / "a.wav").write_bytes(wav_bytes(TONE, width))
    np.testing.assert_allclose(read_recording(tmp_path / "a.wav").samples, TONE, atol=error)


def test_channels_are_averaged(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(wav_bytes(np.column_stack([TONE, 0 * TONE]), 2, channels=2))
    np.testing.assert_allclose(read_recording(tmp_path / "a.wav").samples, TONE / 2, atol=1e-4)


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
def test_what_is_written_is_read(tmp_path: Path, suffix: str) -> None:
    write_recording(tmp_path / f"a{suffix}", Recording(TONE, 16000))
    np.testing.assert_allclose(read_recording(tmp_path / f"a{suffix}").samples, TONE, atol=1e-4)


@pytest.mark.parametrize("with_soxr", [True, False])
def test_resampling_keeps_the_tone(with_soxr: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not with_soxr:

        def absent(module: str, extra: str, purpose: str) -> None:
            raise MissingExtra("no soxr")

        monkeypatch.setattr(recordings, "need", absent)
    tone = np.sin(2 * np.pi * 440 * np.arange(44100) / 44100)
    expected = np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)
    np.testing.assert_allclose(resample(tone, 44100, 16000)[500:-500], expected[500:-500], atol=2e-3)


def test_loud_samples_are_clipped_not_wrapped() -> None:
    pcm = np.frombuffer(encode(Recording(np.array([2.0, -2.0] * 50), 16000))[44:], "<i2")
    assert pcm.max() == 32767
    assert pcm.min() == -32768


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no sound at all", b"fLaC\x00\x00"])
def test_broken_files_are_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broken.wav").write_bytes(content)
    with pytest.raises(FileError, match=r"broken\.wav"):
        read_recording(tmp_path / "broken.wav")


def test_a_missing_file_and_an_odd_suffix() -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_recording("nowhere.wav")
    with pytest.raises(InputError, match=r"\.wav, \.flac or \.ogg"):
        encode(Recording(TONE, 16000), ".xyz")


def test_pipes_give_sound_or_say_why(tmp_path: Path) -> None:
    write_recording(tmp_path / "a.wav", Recording(TONE, 16000))
    assert read_pipe(f"cat {tmp_path}/a.wav", "a").seconds == 0.5
    with pytest.raises(FileError, match="ended with"):
        read_pipe("cat /nowhere/at/all", "a")
