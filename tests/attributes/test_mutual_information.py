import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from stripeless.attributes.mutual_information import kth_distance, mutual_information
from stripeless.errors import InputError


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=25), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_kth_distance_by_brute_force(values, k):
    k = min(k, len(values) - 1)
    ascending = np.sort(np.array(values, dtype=float))
    every = np.sort(np.abs(ascending[:, None] - ascending), axis=1)
    np.testing.assert_array_equal(kth_distance(ascending, k), every[:, k])


@pytest.mark.parametrize("neighbors", [1, 3, 7])
def test_scikit_learn_agrees(neighbors):
    selection = pytest.importorskip("sklearn.feature_selection")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    vectors = rng.normal(size=(300, 5)) * 7 + labels[:, None] * np.array([0, 1, 5, 20, 100]) + 1000
    theirs = selection.mutual_info_classif(vectors, labels, n_neighbors=neighbors, random_state=0)
    np.testing.assert_allclose(mutual_information(vectors, labels, neighbors=neighbors), theirs / np.log(2), atol=1e-9)


def test_the_truth_for_two_gaussians():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 20_000)
    estimate = mutual_information((rng.normal(size=20_000) + 2 * labels)[:, None], labels)[0]

    def surprise(x: float) -> float:
        p, q = norm.pdf(x), norm.pdf(x - 2)
        return 0.5 * (p * np.log2(2 * p / (p + q)) + q * np.log2(2 * q / (p + q)))

    assert estimate == pytest.approx(quad(surprise, -10, 12)[0], abs=0.02)


def test_scale_and_order_do_not_matter():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 400)
    vectors = rng.normal(size=(400, 3)) + labels[:, None]
    shuffled = rng.permutation(400)
    expected = mutual_information(vectors, labels)
    np.testing.assert_allclose(mutual_information(vectors[shuffled] * 1e3, labels[shuffled]), expected, atol=1e-12)


def test_rows_that_do_not_fit():
    with pytest.raises(InputError, match="one per row"):
        mutual_information(np.ones((4, 2)), ["f", "m"])
    with pytest.raises(InputError, match="label of its own"):
        mutual_information(np.ones((3, 2)), ["a", "b", "c"])


def test_values_that_repeat_tell_what_their_frequency_tells():
    """After a rectifier many values are exactly zero; how often, and in which class, is information like any other."""
    labels = np.repeat([0, 1], 4000)
    rng = np.random.default_rng(3)
    share = np.where(labels == 0, 0.8, 0.3)  # of zeros; elsewhere the classes look the same
    values = np.where(rng.random(8000) < share, 0.0, rng.uniform(1.0, 2.0, 8000))

    def entropy(p: float) -> float:
        return -p * np.log2(p) - (1 - p) * np.log2(1 - p)

    truth = entropy(0.55) - 0.5 * (entropy(0.8) + entropy(0.3))
    found = mutual_information(np.column_stack([values, np.ones(8000), labels, rng.normal(size=8000).round()]), labels)
    np.testing.assert_allclose(found, [truth, 0.0, 1.0, 0.0], atol=0.02)
