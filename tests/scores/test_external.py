"""A part that was being put in order when its worker died."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stripeless.scores.external import sort_part


def test_a_part_half_overwritten_is_put_right_again(tmp_path: Path) -> None:
    """The worker had laid the sorted scores aside and copied a few of them back."""
    names = (str(tmp_path / "target.f64"), str(tmp_path / "nontarget.f64"))
    whole = [np.array([9.0, 8.0, 4.0, 1.0, 7.0, 5.0, 3.0]), np.array([2.0, 0.0, 6.0])]
    before, after = (2, 0), (6, 3)  # 4 1 7 5 and 2 0 6
    for name, scores in zip(names, whole, strict=True):
        scores.tofile(name)
    sizes = np.array([7, 3])
    expected = sort_part(names, sizes, before, after, True)
    done = [Path(name).read_bytes() for name in names]
    np.testing.assert_array_equal(np.fromfile(names[0]), [9, 8, 1, 4, 5, 7, 3])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nontarget.f64", "target.f64"]

    np.array([9.0, 8.0, 1.0, 4.0, 7.0, 5.0, 3.0])[[0, 1, 2, 2, 4, 5, 6]].tofile(names[0])  # the 4 is gone
    np.array([1.0, 4.0, 5.0, 7.0]).tofile(f"{names[0]}.2")
    again = sort_part(names, sizes, before, after, True)
    assert [Path(name).read_bytes() for name in names] == done
    np.testing.assert_array_equal(again.target, expected.target)
    np.testing.assert_array_equal(again.nontarget, expected.nontarget)
    assert len(list(tmp_path.iterdir())) == 2
