"""Tables of two columns: one rule for each question, and one sentence for each fault."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from stripeless.errors import FileError
from stripeless.tables.two_columns import read_two_columns, write_two_columns

GOOD = {
    "blanks and tabs": (b"a 1\nb\t2\n  c \t 3  \n", {"a": "1", "b": "2", "c": "3"}),
    "the value is the rest": (b"a x y  z \n", {"a": "x y  z"}),
    "no line feed at the end": (b"a 1\nb 2", {"a": "1", "b": "2"}),
    "windows lines": (b"a 1\r\nb 2\r\n", {"a": "1", "b": "2"}),
    "a byte-order mark": (b"\xef\xbb\xbfa 1\n", {"a": "1"}),
    "empty lines": (b"\n\na 1\n \t\n\nb 2\n\n", {"a": "1", "b": "2"}),
    "the same twice": (b"a 1\nb 2\na  1\n", {"a": "1", "b": "2"}),
    "quotes mean nothing": (b"a \"x y\"\n'b' \\n\n", {"a": '"x y"', "'b'": "\\n"}),
    "signs that are no blanks": ("a\u00a0b 1\u30002\u2028\n".encode(), {"a\u00a0b": "1\u30002\u2028"}),
    "gzipped": (gzip.compress(b"a 1\n"), {"a": "1"}),
    "nothing": (b"", {}),
    "commas": (b"a,1\nb, 2\n\n c ,3\r\n", {"a": "1", "b": "2", "c": "3"}),
    "commas and a header": (b"speaker,label\na,f\nb,very old\n", {"a": "f", "b": "very old"}),
    "commas, quotes and a header": (b'"Utterance","Place"\n"a","x, y"\n', {"a": "x, y"}),
    "tabs and a header": (b"speaker\tlabel\na\tf\n", {"a": "f"}),
    "blanks and a header": (b"Utt Speaker\na f\n", {"a": "f"}),
    "a speaker called so": (b"speaker f\na m\n", {"speaker": "f", "a": "m"}),
    "a header alone does not part": (b"a speaker,label\nb x,y\n", {"a": "speaker,label", "b": "x,y"}),
    "names with commas": (b"a,1 x\nb,2 y\n", {"a,1": "x", "b,2": "y"}),
    "one name with a comma": (b"a,1\tx\nb y\n", {"a,1": "x", "b": "y"}),
}
BAD = {
    "two values": (b"a 1\n\nb 2\na 3\n", r"t, line 4: 'a' has two values, '1' before and '3'; keep one"),
    "no value": (b"a 1\n\nb\n", r"t, line 3: expected a name and a value, got 'b' alone; write both"),
    "names with commas, one value lost": (b"a,1 x\nb,2\n", r"t, line 2: expected a name and a value, got 'b,2' alone"),
    "three columns": (b"speaker,label,age\na,f,31\n", r"t, line 1: expected 2 columns, got a third, 'age'; write"),
    "an empty cell": (b"speaker,label\na,\n", r"t, line 2: expected a name and a value, got 'a' alone; write both"),
    "two values in CSV": (b"speaker,label\na,1\na,2\n", r"t, line 3: 'a' has two values, '1' before and '2'"),
    "not UTF-8": (b"a 1\nb \xff\n", r"t, line 2: cannot be read as text: it is not UTF-8; convert"),
    "UTF-16": ("a 1\n".encode("utf-16"), r"t: binary data, or UTF-16, which cannot be read as text; give"),
    "half a gzip": (gzip.compress(b"a 1\n" * 99)[:20], r"t: the gzip data are broken or cut short; copy"),
}


@pytest.mark.parametrize("case", GOOD)
def test_what_is_read(tmp_path: Path, case: str) -> None:
    content, expected = GOOD[case]
    (tmp_path / "t").write_bytes(content)
    read = read_two_columns(tmp_path / "t")
    assert list(read.items()) == list(expected.items())


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(tmp_path: Path, case: str) -> None:
    content, pattern = BAD[case]
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(FileError, match=pattern):
        read_two_columns(tmp_path / "t")


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"t: there is no such file; check the path"):
        read_two_columns(tmp_path / "t")
    with pytest.raises(FileError, match="this is a directory; name the file in it"):
        read_two_columns(tmp_path)


def test_texts_may_be_empty_and_names_are_one_word(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("a\nb good morning\n")
    assert read_two_columns(tmp_path / "t", may_be_empty=True) == {"a": "", "b": "good morning"}
    (tmp_path / "t").write_text("utt text\na,b\n")
    assert read_two_columns(tmp_path / "t", may_be_empty=True) == {"utt": "text", "a,b": ""}
    (tmp_path / "t").write_text("a anna\nb bert target\n")
    with pytest.raises(FileError, match=r"t, line 2: expected 2 columns, got a third, 'target'; write"):
        read_two_columns(tmp_path / "t", one_word=True)


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    table = {"a-1": "good  morning", "ü": "ß"}
    write_two_columns(tmp_path / "t", table)
    assert read_two_columns(tmp_path / "t") == table


INVISIBLE = {
    "\x1c\n": "got '' alone",
    "a b\n\x1f\n": "line 2: expected a name and a value",
    "\u0085": "got '' alone",
    "\u3000\n": "got '' alone",
    ",\n": "got ',' alone",
    "speaker,label\n,f\n": "line 2: expected a name and a value, got 'f' alone",
}


@pytest.mark.parametrize("text", INVISIBLE)
def test_cells_of_signs_that_no_eye_sees_end_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "labels").write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_two_columns(tmp_path / "labels")
    assert INVISIBLE[text] in str(caught.value)


def test_a_line_of_commas_alone_is_none(tmp_path: Path) -> None:
    (tmp_path / "labels").write_text("speaker,label\na,b\n,\nc,d\n")
    assert read_two_columns(tmp_path / "labels") == {"a": "b", "c": "d"}
