"""Files of ratings: quotes, numbers, and names that a spreadsheet would run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stripeless.errors import FileError
from stripeless.listening.ratings import read_ratings, write_ratings
from stripeless.listening.simulate import simulate_ratings

HEAD = "listener,stimulus,system,trial,speech,similarity,note"


def listed(path: Path, *cells: str, end: str = "\n") -> Path:
    """Sixty rows; the cells stand in the place of the last column, from row 8 on."""
    notes = ["x"] * 60
    notes[6 : 6 + len(cells)] = cells
    rows = [
        f"l{k % 6},s{k},m,{'target' if k % 2 else 'nontarget'},anonymized,{1 + k % 10},{note}"
        for k, note in enumerate(notes)
    ]
    path.write_text("\n".join((HEAD, *rows)) + end)
    return path


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        (('"5 ft',), 8),
        (('"5 ft', 'and 2"'), 8),
        (('"a" b',), 8),
        (('"a', "b", 'c"'), 8),
        (("x",) * 53 + ('"5 ft',), 61),
    ],
)
@pytest.mark.parametrize("end", ["\n", ""])
def test_a_quote_swallows_no_rows(tmp_path: Path, cells: tuple[str, ...], line: int, end: str) -> None:
    """Of 160 ratings six were lost by one unclosed quote, and nobody was told."""
    with pytest.raises(FileError, match="quote") as caught:
        read_ratings(listed(tmp_path / "r.csv", *cells, end=end))
    assert caught.value.line == line
    assert read_ratings(listed(tmp_path / "r.csv", '"5, ft"', 'a"b', '"a""b"')).listener.size == 60


@pytest.mark.parametrize("number", ["1_0", "\u0663", "\u00b2", "nan", "inf", "0x5", "5 5", "--5", "11"])
def test_what_is_no_answer_on_the_scale_is_refused(tmp_path: Path, number: str) -> None:
    path = listed(tmp_path / "r.csv")
    path.write_text(path.read_text().replace("anonymized,1,", f"anonymized,{number},", 1))
    with pytest.raises(FileError, match="expected a number from 1 to 10") as caught:
        read_ratings(path)
    assert caught.value.line == 2
    path.write_text(path.read_text().replace(f",{number},", ",5.0e0,", 1))
    assert read_ratings(path).scores["similarity"][0] == 5.0


def test_names_are_no_formulas_and_come_back(tmp_path: Path) -> None:
    ratings = simulate_ratings()
    names = np.array(["=1+1", "@x", "+49", "'=1", "anna"], dtype=np.str_)
    ratings = replace(ratings, listener=names[np.arange(ratings.listener.size) % len(names)])
    text = write_ratings(ratings)
    assert not [cell for line in text.splitlines() for cell in line.split(",") if cell[:1] in ("=", "@")]
    (tmp_path / "r.csv").write_text(text)
    assert read_ratings(tmp_path / "r.csv").listener.tolist() == ratings.listener.tolist()
