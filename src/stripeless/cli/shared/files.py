"""What a command is told of its input files: their speakers, their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stripeless.embeddings.embeddings import Embeddings


def read_speakers(path: str, utt2spk: str | None, option: str = "--utt2spk") -> Embeddings:
    """Vectors of known speakers."""
    from stripeless.embeddings.files import read_embeddings
    from stripeless.errors import FileError

    embeddings = read_embeddings(path, utt2spk=utt2spk)
    if embeddings.speakers is None:
        raise FileError(path, f"names no speakers; give {option}, so that nobody is in training and test")
    return embeddings


def labels_for(embeddings: Embeddings, path: str | None) -> Any:
    """The label of each row from a table of utterances or speakers; None without a table."""
    from stripeless.errors import FileError, InputError
    from stripeless.studies.protect import label_rows
    from stripeless.tables.two_columns import read_two_columns

    if path is None:
        return None
    table = read_two_columns(path)
    try:
        return label_rows(embeddings, table)
    except InputError as error:
        raise FileError(path, str(error)) from error
