"""Lists of trials that contradict themselves, as one public list does: of each pair the last line counts, which is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stripeless.errors import FileError
from stripeless.scores.files import read_scores

SCORES = "a u1 1.0\na u2 2.0\nb u1 3.0\nb u2 4.0\n"
TRIALS = "a u1 target\na u2 target\nb u1 nontarget\nb u2 target\n"


def read(folder: Path, trials: str, scores: str = SCORES):  # type: ignore[no-untyped-def]
    (folder / "s").write_text(scores)
    (folder / "t").write_text(trials)
    return read_scores(folder / "s", folder / "t")


def test_the_last_line_of_a_pair_counts(tmp_path: Path) -> None:
    """u1 of a is said to be a target, and later not; b u1 stands there twice alike."""
    found = read(tmp_path, TRIALS + "b u1 nontarget\na u1 nontarget\n")
    plain = read(tmp_path, "a u2 target\nb u2 target\nb u1 nontarget\na u1 nontarget\n")
    np.testing.assert_array_equal(found.target, [2.0, 4.0])
    np.testing.assert_array_equal(found.nontarget, [3.0, 1.0])
    np.testing.assert_array_equal(found.nontarget, plain.nontarget)
    assert found.trial_digest == plain.trial_digest
    assert found.notes[0] == (
        f"1 pairs are listed as target and as nontarget in {tmp_path / 't'}, such as a u1; "
        "the last line of each pair counts, so 2 of 6 lines are left out"
    )


def test_nontarget_and_then_target(tmp_path: Path) -> None:
    found = read(tmp_path, "a u1 nontarget\n" + TRIALS)
    np.testing.assert_array_equal(found.target, [1.0, 2.0, 4.0])
    assert "1 pairs are listed" in found.notes[0]


def test_without_contradictions_there_is_no_note(tmp_path: Path) -> None:
    assert not [note for note in read(tmp_path, TRIALS).notes if "listed as" in note]
    with pytest.raises(FileError, match="t, line 5: a second trial for a u1; keep one"):
        read(tmp_path, TRIALS + "a u1 target\n")


def test_two_scores_for_a_pair_are_a_guess_and_refused(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("a u1 1.0 target\nb u1 2.0 nontarget\na u1 3.0 nontarget\n")
    with pytest.raises(
        FileError,
        match="line 3: a second score for a u1, and that pair is target in one line and nontarget in another; keep one",
    ):
        read_scores(tmp_path / "s")


def test_many_ids_are_sorted_and_few_counted(tmp_path: Path) -> None:
    """Both ways of finding what stands twice, by a table of cells and by sorting, say the same."""
    lines = [f"m{i} u{i} {'target' if i % 2 else 'nontarget'}\n" for i in range(3000)]
    scores = "".join(f"m{i} u{i} {i}.0\n" for i in range(3000))
    found = read(tmp_path, "".join(lines) + "m1 u1 nontarget\n", scores)
    assert (found.target.size, found.nontarget.size) == (1499, 1501)
    assert "3000" not in found.notes[0]
    assert "1 of 3001 lines" in found.notes[0]
