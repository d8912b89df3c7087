import numpy as np
import pytest

from stripeless.errors import InputError, NotANumber, OneClassOnly
from stripeless.protections.labels import ProtectionWarning, bin_attribute, check_labeled

ROWS = np.random.default_rng(0).normal(size=(60, 3))
HALF = ["f"] * 30 + ["m"] * 30


@pytest.mark.parametrize(
    ("labels", "error", "says"),
    [
        (["f"] * 60, OneClassOnly, "all 60 rows are 'f'"),
        (HALF[:-1], InputError, r"one per row \(60\)"),
        (np.arange(60), InputError, "bin_attribute"),
        (["f"] * 59 + ["m"], InputError, "'m' has one"),
        ([np.nan, *np.zeros(59)], NotANumber, "1 are NaN"),
        (["", *HALF[1:]], InputError, "empty label"),
        ([None, *HALF[1:]], InputError, "row 0 has no label"),
        (np.array([*HALF[:-1], float("nan")], dtype=object), InputError, "row 59 has no label"),
    ],
)
def test_labels_that_do_not_fit(labels, error, says):
    with pytest.raises(error, match=says):
        check_labeled(ROWS, labels, None)


def test_vectors_that_do_not_fit():
    bad = ROWS.copy()
    bad[3, 1] = np.nan
    with pytest.raises(NotANumber, match="the first is row 3"):
        check_labeled(bad, HALF, None)
    with pytest.raises(InputError, match="all rows are the same"):
        check_labeled(np.ones((60, 3)), HALF, None)


def test_few_speakers_are_warned_of_and_many_are_not():
    speakers = [f"s{i // 3}" for i in range(60)]
    with pytest.warns(ProtectionWarning, match="'f' has 10 and 'm' has 10 speakers, fewer than 20"):
        check_labeled(ROWS, HALF, speakers)
    check_labeled(ROWS, HALF, [f"s{i}" for i in range(60)])


def test_a_speaker_has_one_label():
    with pytest.raises(InputError, match="speaker 'a' carries more than one label"):
        check_labeled(ROWS, HALF, ["a", *(f"s{i}" for i in range(58)), "a"])


def test_numbers_and_their_floats_are_the_same_labels():
    whole = check_labeled(ROWS, [0] * 30 + [1] * 30, None)
    assert whole.classes == check_labeled(ROWS, [0.0] * 30 + [1.0] * 30, None).classes == ("0", "1")


def test_bins_hold_equal_shares_and_sort_like_numbers():
    ages = np.random.default_rng(1).integers(6, 110, 900)
    bins = bin_attribute(ages, bins=4)
    names, counts = np.unique(bins, return_counts=True)
    assert len(names) == 4
    assert counts.min() > 180
    assert [ages[bins == name].max() for name in names] == sorted(ages[bins == name].max() for name in names)


@pytest.mark.parametrize("values", [[1.0, np.nan], ["old", "young"], [[1.0]], []])
def test_bins_of_no_numbers(values):
    with pytest.raises(NotANumber):
        bin_attribute(values)


def test_bins_of_one_value():
    with pytest.raises(OneClassOnly, match="fall together"):
        bin_attribute([3.0] * 9 + [4.0], bins=2)
