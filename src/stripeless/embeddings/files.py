"""Embedding files: one door for every format, told apart by name.

    NAME.scp, NAME.ark     Kaldi, binary or text
    NAME.npz               NumPy arrays vectors, utterances and, where known, speakers and sex
    NAME.parquet           columns utterance_id, embedding and, where known, speaker_id and sex
    NAME.safetensors       a tensor `vectors` and the labels in the metadata, or the names in NAME.ids, one a line;
                           or one tensor per utterance
    NAME.h5, NAME.hdf5     one dataset per utterance, with attributes speaker and sex
    a folder               what the VoicePrivacy 2024 recipe leaves: speaker_vectors.pt, id2idx, idx2spk, spk2gender
                           (reading only)

No format here can run code: pickled objects are refused.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from stripeless._files import refuse_stream, working_folder
from stripeless._log import clock
from stripeless.embeddings import formats
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.kaldi import StrPath
from stripeless.embeddings.vectors import read_beside
from stripeless.errors import FileError, InputError, shown
from stripeless.tables.inputs import inputs_of
from stripeless.tables.two_columns import read_two_columns

LOG = logging.getLogger(__name__)
READERS: dict[str, Callable[[Path], Embeddings]] = {
    ".ark": formats.read_kaldi,
    ".scp": formats.read_kaldi,
    ".npz": formats.read_npz,
    ".parquet": formats.read_parquet,
    ".safetensors": formats.read_safetensors_vectors,
    ".h5": formats.read_hdf5,
    ".hdf5": formats.read_hdf5,
}
WRITERS: dict[str, Callable[[Path, Embeddings], None]] = {
    ".npz": formats.write_npz,
    ".parquet": formats.write_parquet,
    ".safetensors": formats.write_safetensors_vectors,
    ".h5": formats.write_hdf5,
    ".hdf5": formats.write_hdf5,
}


def read_embeddings(path: StrPath, *, utt2spk: StrPath | None = None, spk2gender: StrPath | None = None) -> Embeddings:
    """Vectors, utterances and, where known, speakers and sex.

    Without tables the labels come from the file itself, or from NAME.utt2spk or utt2spk beside it where those list
    every utterance; `beside` of the result says so.

    Parameters:
        path: a file of vectors (.npz, .scp, .ark, .parquet, .safetensors, .h5), or a VoicePrivacy folder.
        utt2spk: a table of utterances and speakers, or a Kaldi data directory that holds it together with spk2gender.
        spk2gender: a table of speakers and their sex.
    Returns:
        One row per utterance, in the order of the file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_embeddings(f"{folder}/x.npz", Embeddings([[1.0, 2.0]], ("a-1",), ("a",), ("f",)))
    ...     read_embeddings(f"{folder}/x.npz").speakers
    ('a',)
    """
    path, seconds = Path(path), clock()
    embeddings = _read(path)
    _check_names(path, embeddings)
    LOG.info("read %s: %d vectors of %d numbers in %.1f s", path, len(embeddings), embeddings.dimension, seconds())
    tables = _label_files(path, utt2spk, spk2gender)
    speakers, sexes = (None if file is None else read_two_columns(file, one_word=True) for file in tables)
    known = _labeled_speakers(embeddings, path, speakers, utt2spk)
    labeled = _labeled(known, path, sexes, spk2gender)
    beside = {}
    if utt2spk is None and known.speakers != embeddings.speakers:
        beside["speakers"] = str(tables[0])
    if spk2gender is None and tables[1] in _beside(path, "spk2gender") and labeled.sex != embeddings.sex:
        beside["sex"] = str(tables[1])
    beside = {} if path.is_dir() else beside  # what lies in a folder was named with it
    labeled = replace(labeled, inputs=inputs_of(path), beside=beside)
    for sentence in read_beside(labeled):
        LOG.info("%s: %s", path, sentence)
    return labeled


def _check_names(path: Path, embeddings: Embeddings) -> None:
    """JSON and NumPy can hold half a sign (`\\ud800` alone), with which no file can be written."""
    for names in (embeddings.utterances, embeddings.speakers or (), embeddings.sex or ()):
        try:
            "\n".join(names).encode()
        except UnicodeEncodeError as error:
            sign = shown(error.object[error.start])
            raise FileError(path, f"a name holds half a sign, {sign}, which is no text; save it again") from None


def write_embeddings(path: StrPath, embeddings: Embeddings, *, text: bool = False) -> None:
    """Write in the format that the name asks for; the file appears whole or not at all.

    Parameters:
        path: where to; the ending decides the format. NAME.ark and NAME.scp both write the pair, with NAME.utt2spk and
            NAME.spk2gender where the labels are known.
        embeddings: the vectors with their names.
        text: write the numbers of a Kaldi archive as text.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if text and ending not in (".ark", ".scp"):
        raise InputError(f"text: only Kaldi archives have a text form, not {ending or 'a file without ending'}")
    if ending not in WRITERS and ending not in (".ark", ".scp"):
        raise FileError(path, f"unknown format; the name must end in .ark, .scp, {', '.join(WRITERS)}")
    try:
        with working_folder(path.parent) as folder:
            if ending in WRITERS:
                WRITERS[ending](folder / path.name, embeddings)
            else:
                formats.write_kaldi(folder / path.name, embeddings, text=text)
            for file in sorted(folder.iterdir()):
                os.replace(file, path.parent / file.name)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"cannot be written ({reason}); choose a folder that exists and is yours") from error


def _read(path: Path) -> Embeddings:
    try:
        refuse_stream(path)
        path.stat()  # whatever reads it, a file that is not there is said to be missing in one way
        if path.is_dir():
            return formats.read_voiceprivacy(path)
        if path.suffix.lower() not in READERS:
            raise FileError(path, f"unknown format; expected a folder or a name that ends in {', '.join(READERS)}")
        return READERS[path.suffix.lower()](path)
    except FileError:
        raise
    except InputError as error:
        raise FileError(path, str(error)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(path, f"cannot be read ({reason}); check the name") from error
    except UnicodeError as error:
        raise FileError(path, f"holds names that are no text ({shown(error)}); write it again") from error
    except (MemoryError, RecursionError) as error:
        raise FileError(path, "takes more memory than there is, or claims to; write it in parts") from error


def _label_files(
    path: Path, utt2spk: StrPath | None, spk2gender: StrPath | None
) -> tuple[StrPath | None, StrPath | None]:
    """The tables that were named, or those found beside the file. A directory need not tell the sex."""
    if utt2spk is not None and Path(utt2spk).is_dir():
        inside = Path(utt2spk) / "spk2gender"
        utt2spk, spk2gender = Path(utt2spk) / "utt2spk", spk2gender or (inside if inside.is_file() else None)
    found = (next((file for file in _beside(path, name) if file.is_file()), None) for name in ("utt2spk", "spk2gender"))
    speakers, sexes = (
        file if named is None else named for named, file in zip((utt2spk, spk2gender), found, strict=True)
    )
    return speakers, sexes


def _beside(path: Path, name: str) -> tuple[Path, ...]:
    """Where a table of labels is looked for that nobody named."""
    return (path / name,) if path.is_dir() else (path.with_suffix(f".{name}"), path.parent / name)


def _labeled_speakers(
    embeddings: Embeddings, path: Path, utt2spk: dict[str, str] | None, named: StrPath | None
) -> Embeddings:
    """With the speakers of the table, where it lists every utterance; the file itself must not say otherwise."""
    if utt2spk is None:
        return embeddings
    missing = [u for u in embeddings.utterances if u not in utt2spk]
    if missing and named is not None:
        raise FileError(named, f"{len(missing)} utterances have no speaker there, the first is {missing[0]!r}")
    if missing:
        return embeddings
    speakers = tuple(utt2spk[u] for u in embeddings.utterances)
    for utterance, own, other in zip(embeddings.utterances, embeddings.speakers or (), speakers, strict=False):
        if own != other:
            where = "the table beside it" if named is None else str(named)
            raise FileError(path, f"{utterance!r} is of {own!r} here and of {other!r} in {where}; mend one of them")
    return replace(embeddings, speakers=speakers)


def _labeled(
    embeddings: Embeddings, path: Path, spk2gender: dict[str, str] | None, named: StrPath | None
) -> Embeddings:
    """With the sexes of the table, where it lists every speaker; the file itself must not say otherwise."""
    if spk2gender is None:
        return embeddings
    if embeddings.speakers is None:
        if named is not None:
            raise FileError(named, "the sex of speakers, but the vectors name no speakers; give utt2spk too")
        return embeddings
    missing = sorted(set(embeddings.speakers) - spk2gender.keys())
    if missing:
        if named is not None:
            raise FileError(named, f"{len(missing)} speakers have no sex there, the first is {missing[0]!r}")
        return embeddings
    sex = formats.sexes(spk2gender[speaker] for speaker in embeddings.speakers)
    for speaker, own, other in zip(embeddings.speakers, embeddings.sex or (), sex, strict=False):
        if own and own != other:
            where = "the table beside it" if named is None else str(named)
            raise FileError(path, f"speaker {speaker!r} is {own!r} here and {other!r} in {where}; mend one of them")
    return replace(embeddings, sex=sex)
