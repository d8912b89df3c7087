"""CSV: one rule for each question, the same for small tables and for scores of any size."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from stripeless.errors import FileError
from stripeless.scores.files import read_scores
from stripeless.tables.delimited import read_csv

GOOD = {
    "commas": b"a,b\n1,2\n",
    "semicolons": b"a;b\n1;2\n",
    "tabs": b"a\tb\n1\t2\n",
    "blanks around cells, large letters": b" A , b \n 1 ,2 \n",
    "windows lines and a byte-order mark": b"\xef\xbb\xbfa,b\r\n1,2\r\n",
    "no line feed at the end": b"a,b\n1,2",
    "gzipped": gzip.compress(b"a,b\n1,2\n"),
    "quotes": b'"a","b"\n"1","2"\n',
}
BAD = {
    "one column": (b"a\n1\n", r"t, line 1: the header holds one column only; expected"),
    "nothing": (b"", r"t: the file is empty; expected a header and rows$"),
    "empty lines": (b"\n \n", r"t: the file is empty; expected a header and rows$"),
    "a column twice": (b"a,b,A\n1,2,3\n", r"t, line 1: has two columns called 'a'; rename one"),
    "a cell too few": (b"a,b\n\n1\n", r"t, line 3: has 1 cells where the header has 2"),
    "a cell too many": (b"a,b\n1,2,3\n", r"t, line 2: has 3 cells where the header has 2"),
    "a record over two lines": (b'a,b\n1,2\n"3\n4",5\n', r"t, line 3: a quote that does not close in its line; write"),
    "the end inside a quote": (b'a,b\n1,2\n3,"4\n', r"t, line 3: quotes that do not close"),
    "a quote that is not doubled": (b'a,b\n1,"say "x""\n', r"t, line 2: quotes that do not close, or are not doubled"),
    "old Mac lines": (b"a,b\r1,2\r3,4\r", r"t, line 1: quotes that do not close|new-line character"),
    "not UTF-8": (b"a,b\n1,\xff\n", r"t, line 2: cannot be read as text: it is not UTF-8; convert"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), r"t: binary data, or UTF-16, which cannot be read as text"),
}


@pytest.mark.parametrize("case", GOOD)
def test_the_same_table_in_every_spelling(tmp_path: Path, case: str) -> None:
    (tmp_path / "t").write_bytes(GOOD[case])
    table = read_csv(tmp_path / "t")
    assert table.names == ("a", "b")
    assert table.rows == ((2, ["1", "2"]),)
    assert list(table.records()) == [(2, {"a": "1", "b": "2"})]


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(tmp_path: Path, case: str) -> None:
    content, pattern = BAD[case]
    (tmp_path / "t").write_bytes(content)
    with pytest.raises(FileError, match=pattern):
        read_csv(tmp_path / "t")


def test_empty_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("\na,b\n\n , \n1,2\n,\n3,\n\n")
    assert read_csv(tmp_path / "t").rows == ((5, ["1", "2"]), (7, ["3", ""]))


def test_cells_in_quotes_hold_delimiters_and_quotes(tmp_path: Path) -> None:
    (tmp_path / "t").write_text('a,b\n"1, or ""2""",it\'s\u2028one\u00a0cell\n')
    assert read_csv(tmp_path / "t").rows == ((2, ['1, or "2"', "it's\u2028one\u00a0cell"]),)


@pytest.mark.parametrize("rows_before", [0, 100_000])
@pytest.mark.parametrize(
    ("last", "said"),
    [
        ('0.5,target,"x\ny"\n1,target,z\n', "a quote that does not close in its line; write"),
        ('0.5,target,"x\n', "quotes that do not close, or are not doubled"),
        ('0.5,target,"x"y\n', "quotes that do not close, or are not doubled"),
    ],
)
def test_scores_of_any_size_keep_the_same_rule_of_quotes(
    tmp_path: Path, rows_before: int, last: str, said: str
) -> None:
    """In the lines that are looked at first, and in a later block."""
    rows = ["score,label,place"] + [f'{i},{("target", "nontarget")[i % 2]},"here, {i}"' for i in range(rows_before)]
    (tmp_path / "s.csv").write_text("\n".join(rows) + "\n" + last)
    with pytest.raises(FileError, match=rf"s\.csv, line {rows_before + 2}: {said}"):
        read_scores(tmp_path / "s.csv")


def test_quoted_scores_with_windows_lines(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_bytes(b'score,label,"place"\r\n1.5,1,"a\rb"\r\n0.5,0,"c"\r\n')
    scores = read_scores(tmp_path / "s.csv")
    assert scores.columns["place"].names == ("a b", "c")


def test_a_table_of_delimiters_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(",,\n")
    with pytest.raises(FileError, match="holds no header"):
        read_csv(tmp_path / "c.csv")
