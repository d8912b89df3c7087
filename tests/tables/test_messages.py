"""Whatever file a reader is given, its message quotes one short field of it at most: some files are not the visitor's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from stripeless.assessment.files import assess_files
from stripeless.audio.corpus_files import read_corpus
from stripeless.audio.recordings import read_recording
from stripeless.embeddings.files import read_embeddings
from stripeless.errors import StripelessError
from stripeless.listening.ratings import read_ratings
from stripeless.protections.load import load_protection
from stripeless.protections.pseudo.files import load_pseudo_speakers
from stripeless.results.stored import read_result
from stripeless.scores.files import read_scores
from stripeless.scores.pairs import read_trials
from stripeless.tables.two_columns import read_two_columns

READERS: dict[str, Callable[[Path], object]] = {
    "scores": read_scores,
    "pieces": lambda path: assess_files([path]),
    "vectors": read_embeddings,
    "ratings": read_ratings,
    "corpus": read_corpus,
    "trials": read_trials,
    "table": lambda path: read_two_columns(path, one_word=True),
    "protection": load_protection,
    "pseudo-speakers": load_pseudo_speakers,
    "result": read_result,
    "recording": read_recording,
}
FILES = {
    "users": "root:x:0:0:SECRET1:/root:/bin/sh\ndaemon:x:1:1:SECRET2 SECRET3:/usr:/bin/no\n",
    "long": "SECRET1" + "abcdefgh" * 1000 + "SECRET2\n",
    "words": "SECRET1 SECRET2 SECRET3 SECRET4 SECRET5\n" * 3,
    "three": "SECRET1 SECRET2 SECRET3\n",
    "corpus": "path,speaker\nSECRET1,\n",
    "commas": "SECRET1,SECRET2,SECRET3,SECRET4\nSECRET5,SECRET6,SECRET7,SECRET8\n",
    "keys": '{"SECRET1": ["SECRET2", {"SECRET3": 4}]}',
    "screen": "\x1b]0;SECRET1\x07 \u202eSECRET2 SECRET3\n",
}
ENDINGS = (".txt", ".csv", ".ark", ".scp", ".npz", ".parquet", ".safetensors", ".h5", ".wav", ".json")


def said(read: Callable[[Path], object], path: Path) -> str:
    """What is said of this file; of one that can be read, nothing."""
    try:
        read(path)
    except StripelessError as error:
        return str(error)
    return ""


def held_short(message: str) -> None:
    """One field, as this reader parts fields; the names of columns are listed on purpose, eight at most."""
    assert len(message) <= 600
    assert message.isprintable(), message
    message = re.sub(r"the columns are '.*': rename|, got [^'`]*$|, got [^'`]*; expected", "", message)
    fields = [field for field in re.split(r"(?<!\w)'|'(?!\w)|archive | does not exist", message) if "SECRET" in field]
    assert len(fields) <= 1, message
    assert all(len(field) <= 60 for field in fields), message


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", FILES)
def test_a_message_quotes_one_short_field(tmp_path: Path, reader: str, name: str) -> None:
    for ending in ENDINGS:
        path = tmp_path / f"x{ending}"
        path.write_text(FILES[name])
        message = said(READERS[reader], path)
        if reader in ("scores", "pieces", "ratings") and name == "commas":
            message = re.sub(
                r"(, got|columns are|it has|known are) .*", "", message
            )  # names of columns are listed on purpose
        held_short(message)


@pytest.mark.parametrize("table", ["wav.scp", "utt2spk", "spk2gender", "trials", "enrolls", "segments", "text"])
@pytest.mark.parametrize("name", FILES)
def test_so_do_messages_about_the_lists_of_a_corpus(tmp_path: Path, table: str, name: str) -> None:
    (tmp_path / "wav.scp").write_text("a a.wav\nb b.wav\n")
    (tmp_path / "utt2spk").write_text("a s1\nb s2\n")
    (tmp_path / table).write_text(FILES[name])
    held_short(said(read_corpus, tmp_path))
