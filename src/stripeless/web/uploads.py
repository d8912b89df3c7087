"""What came in: told by its first bytes, never by its name, and refused where it could unpack or run something."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Literal

from stripeless.errors import InputError

Kind = Literal["result", "ratings", "audio", "embeddings", "scores"]

_ARCHIVES = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!": "rar",
    b"\x28\xb5\x2f\xfd": "zstandard",
}
_AUDIO = {
    "audio/wav": (b"RIFF", b"WAVE"),
    "audio/flac": (b"fLaC", b""),
    "audio/ogg": (b"OggS", b""),
    "audio/mpeg": (b"ID3", b""),
}
MOST_UNPACKED = 20  # times its size may an npz file hold, and no more
_LISTENER = ("listener", "evaluator", "rater", "participant")


def audio_type(start: bytes) -> str:
    """The media type of a recording, by its first bytes; empty where it is none."""
    for media, (first, later) in _AUDIO.items():
        if start.startswith(first) and (not later or start[8:12] == later):
            return media
    return ""


def suffix_of(start: bytes) -> str:
    """The ending that a file of ours gets, by its first bytes: readers of embeddings tell formats by it."""
    endings = {b"PK": ".npz", b"PAR1": ".parquet", b"\x89HDF": ".h5"}
    return next((ending for magic, ending in endings.items() if start.startswith(magic)), ".txt")


def kind_of(path: Path, name: str) -> Kind:
    """What a file holds. Archives, pickles and executables are refused with a sentence that says what to send instead."""
    with open(path, "rb") as file:
        start = file.read(4096)
    if not start:
        raise InputError(f"{name}: is empty")
    for magic, what in _ARCHIVES.items():
        if start.startswith(magic):
            raise InputError(f"{name}: is packed ({what}); unpack it first, archives are not opened here")
    if start[257:262] == b"ustar":
        raise InputError(f"{name}: is an archive (tar); unpack it first, archives are not opened here")
    if start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05":
        raise InputError(f"{name}: is a pickle, which could run anything; write the numbers as CSV, npz or parquet")
    if start.startswith((b"\x7fELF", b"MZ")):
        raise InputError(f"{name}: is a program, not data")
    if start.startswith(b"PK"):
        return _numpy_archive(path, name)
    if start.startswith(b"\x93NUMPY"):
        raise InputError(f"{name}: a bare npy file holds one class only; save target and nontarget together as npz")
    if audio_type(start):
        return "audio"
    return _text_kind(start)


def _text_kind(start: bytes) -> Kind:
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"{"):
        return "result"
    header = text.split(b"\n", 1)[0].decode("utf-8", "replace").lower()
    if any(header.startswith(word) for word in _LISTENER) or ("stimulus" in header and "system" in header):
        return "ratings"
    return "scores"


def _numpy_archive(path: Path, name: str) -> Kind:
    """An npz file is a zip of arrays; any other zip is refused, and so is one that would unpack to far more than it is."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, NotImplementedError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: is a broken archive") from error
    if not members or any(not member.filename.endswith(".npy") or "/" in member.filename for member in members):
        raise InputError(f"{name}: is an archive (zip) or a torch file; send the scores as text, CSV, npz or parquet")
    unpacked = sum(member.file_size for member in members)
    if len(members) > 50 or unpacked > MOST_UNPACKED * max(path.stat().st_size, 100_000):
        raise InputError(f"{name}: unpacks to {unpacked // 1_000_000} MB, far more than it is; save it with np.savez")
    return "embeddings" if any(member.filename == "vectors.npy" for member in members) else "scores"
