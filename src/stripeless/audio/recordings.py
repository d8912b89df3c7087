"""Recordings: one channel of sound and its rate, read from any common file, resampled once, written whole or not at all.

WAV files need nothing but the core install; FLAC, OGG and the rest need the extra `audio`.
"""

from __future__ import annotations

import io
import shlex
import struct
import subprocess
import wave
from dataclasses import dataclass
from math import gcd
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless._extras import need
from stripeless._files import read_whole, write_whole
from stripeless.audio.frames import check_samples
from stripeless.errors import FileError, InputError, MissingExtra, shown
from stripeless.tables.limits import beyond, most_unpacked

Samples: TypeAlias = NDArray[np.float64]

RATE = 16000  # the rate of the challenges and of every speaker encoder here
SLOWEST, FASTEST = 1000, 1_000_000  # samples per second that a file may have
FREE = 1 << 28  # samples that any file may unpack to: two hours of stereo at 16 kHz, 2 GiB
MOST_PER_BYTE = 1000  # samples per byte that a longer one may; silence as FLAC has 340
BLOCK = 1 << 20  # samples read at a time
_BROKEN = (wave.Error, EOFError, ValueError, RuntimeError, TypeError, ArithmeticError, MemoryError, LookupError, OSError,
           struct.error)  # fmt: skip
SOUND_FILES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".aif", ".sph", ".w64", ".caf")


@dataclass(frozen=True, eq=False)
class Recording:
    """One channel of sound.

    Attributes:
        samples: float64, 1-D, in -1 to 1; NaN and empty sound are refused.
        rate: samples per second, in Hz.
    """

    samples: Samples
    rate: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", check_samples(self.samples, self.rate))

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return len(self.samples) / self.rate


def read_recording(path: str | PathLike[str], rate: int | None = RATE) -> Recording:
    """The sound in a file, its channels averaged.

    Parameters:
        path: a sound file of any common format; needs `stripeless[audio]`.
        rate: samples per second to resample to, 16,000 unless told; None keeps the file's own.
    Returns:
        The sound as one channel.
    """
    path = Path(path)
    try:
        content = read_whole(path)
    except OSError as error:
        raise FileError(path, f"cannot be read ({error.strerror or error})") from error
    return decode(content, path, rate)


def read_pipe(command: str, name: str, rate: int | None = RATE) -> Recording:
    """The sound that a Kaldi pipe prints. Runs `command` in a shell: only for lists that the user trusts."""
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise FileError(name, f"the command {shlex.quote(command)} ended with {done.returncode} ({said[0]})")
    return decode(done.stdout, Path(name), rate)


SOUND = (b"RIFF", b"RF64", b"RIFX", b"fLaC", b"OggS", b"FORM", b"caff", b".snd")  # how sound files begin


def is_mp3(content: bytes) -> bool:
    """A tag, or the eleven bits that begin a frame."""
    return content[:3] == b"ID3" or (len(content) > 1 and content[0] == 0xFF and content[1] & 0xE6 == 0xE2)


def decode(content: bytes, path: Path, rate: int | None) -> Recording:
    """Bytes of a sound file -> Recording."""
    if content[:4] not in SOUND and not is_mp3(content):
        raise FileError(path, "is no sound file, whatever its name says; write it again or leave it out")
    try:
        samples, own_rate = decode_wav(content) if content[:4] == b"RIFF" else decode_any(content)
    except MissingExtra:
        raise
    except FileError:
        raise
    except InputError as error:
        raise FileError(path, str(error)) from None
    except _BROKEN as error:
        raise FileError(
            path, f"is no sound file that can be read ({shown(error)}); repair it or leave it out"
        ) from error
    if not SLOWEST <= own_rate <= FASTEST:
        raise FileError(
            path, f"claims {own_rate} samples per second; expected {SLOWEST} to {FASTEST}, so repair it or leave it out"
        )
    if samples.ndim == 2:
        samples = samples.mean(axis=1)
    if not samples.size:
        raise FileError(path, "holds no samples; leave it out")
    if not np.isfinite(samples).all():
        raise FileError(path, "holds samples that are NaN or infinite; write it again or leave it out")
    return Recording(resample(samples, own_rate, rate or own_rate), rate or own_rate)


def decode_wav(content: bytes) -> tuple[Samples, int]:
    """WAV by the standard library where the samples are plain integers, by soundfile otherwise (float, mu-law)."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            width, channels, own_rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            data = file.readframes(file.getnframes())
    except wave.Error:
        return decode_any(content)
    if width == 3:
        padded = np.zeros((len(data) // 3, 4), np.uint8)
        padded[:, 1:] = np.frombuffer(data[: len(data) // 3 * 3], np.uint8).reshape(-1, 3)
        values: Samples = padded.view("<i4")[:, 0] / 2.0**31
    elif width == 1:
        values = (np.frombuffer(data, np.uint8).astype(np.float64) - 128.0) / 128.0
    else:
        values = np.asarray(np.frombuffer(data[: len(data) // width * width], f"<i{width}"), float) / 2.0 ** (
            8 * width - 1
        )
    return np.asarray(values[: len(values) // channels * channels].reshape(-1, channels)), own_rate


def decode_any(content: bytes) -> tuple[Samples, int]:
    """Whatever libsndfile reads."""
    soundfile: Any = need("soundfile", "audio", "Reading FLAC, OGG or floating-point WAV")
    most, parts = most_unpacked(len(content), free=8 * FREE, times=8 * MOST_PER_BYTE) // 8, []
    with soundfile.SoundFile(io.BytesIO(content)) as file:
        own_rate, channels = int(file.samplerate), int(file.channels)
        while (
            part := file.read(BLOCK // channels, dtype="float64", always_2d=True)
        ).size:  # not what the header claims
            parts.append(part)
            most -= part.size
            if most < 0:
                raise InputError(beyond(8 * sum(part.size for part in parts)))
    return np.concatenate(parts) if parts else np.zeros((0, channels)), own_rate


def resample(samples: Samples, rate: int, new_rate: int) -> Samples:
    """The same sound at another rate: soxr's best quality where installed, SciPy's polyphase filter otherwise."""
    if rate == new_rate:
        return samples
    try:
        soxr: Any = need("soxr", "audio", "Resampling")
    except MissingExtra:
        from scipy.signal import resample_poly

        common = gcd(rate, new_rate)
        return np.asarray(resample_poly(samples, new_rate // common, rate // common))
    return np.asarray(soxr.resample(samples, rate, new_rate, quality="VHQ"))


def encode(recording: Recording, suffix: str = ".wav") -> bytes:
    """The bytes of a sound file, 16 bits per sample; what exceeds full scale is clipped."""
    pcm = np.clip(np.round(recording.samples * 32767.0), -32768, 32767).astype("<i2")
    buffer = io.BytesIO()
    if suffix.lower() == ".wav":
        with wave.open(buffer, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(recording.rate)
            file.writeframes(pcm.tobytes())
        return buffer.getvalue()
    if suffix.lower() not in (".flac", ".ogg"):
        raise InputError(f"sound files are written as .wav, .flac or .ogg, not {suffix!r}")
    soundfile: Any = need("soundfile", "audio", f"Writing {suffix} files")
    soundfile.write(buffer, pcm, recording.rate, format=suffix[1:].upper())
    return buffer.getvalue()


def write_recording(path: str | PathLike[str], recording: Recording) -> None:
    """Write a sound file; it appears whole or not at all.

    Parameters:
        path: where to; the ending .wav, .flac or .ogg decides the format.
        recording: the sound to write.
    """
    write_whole(path, encode(recording, Path(path).suffix))
