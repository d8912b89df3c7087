"""Linear prediction and roots of many frames against the textbook, one frame at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter

from stripeless.audio import polynomial_roots as roots_module
from stripeless.audio.lpc import all_pole, burg, refiltered, residual
from stripeless.audio.polynomial_roots import factors, polynomial_roots, product


def noise(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, columns))


def test_burg_finds_the_filter_that_made_the_signal() -> None:
    truth = np.array([1.0, -1.3, 0.8, -0.2])
    signal = lfilter([1.0], truth, np.random.default_rng(1).standard_normal(20000))
    np.testing.assert_allclose(burg(signal[:, None], 3)[:, 0], truth, atol=0.02)


def test_burg_equals_the_textbook_frame_by_frame() -> None:
    frames = noise(320, 5)
    found = burg(frames, 20)
    for column in range(5):
        forward, backward, filter_ = frames[1:, column], frames[:-1, column], np.array([1.0])
        for _ in range(20):
            k = -2 * (forward @ backward) / (forward @ forward + backward @ backward)
            padded = np.append(filter_, 0.0)
            filter_ = padded + k * padded[::-1]
            forward, backward = (forward + k * backward)[1:], (backward + k * forward)[:-1]
        np.testing.assert_allclose(found[:, column], filter_, atol=1e-12)


def test_filters_are_minimum_phase_even_for_a_constant_and_for_silence() -> None:
    frames = np.column_stack([np.full(320, 1e-7), np.zeros(320), np.ones(320), noise(320, 1)[:, 0]])
    assert (np.abs(polynomial_roots(burg(frames, 20))) <= 1 + 1e-6).all()


def test_residual_and_all_pole_are_scipys_filters_and_undo_each_other() -> None:
    frames = noise(200, 4)
    filters = burg(frames, 8)
    source = residual(frames, filters)
    for column in range(4):
        np.testing.assert_allclose(source[:, column], lfilter(filters[:, column], [1.0], frames[:, column]), atol=1e-12)
    np.testing.assert_allclose(all_pole(source, filters), frames, atol=1e-10)


def test_refiltered_is_residual_then_all_pole() -> None:
    frames = noise(120, 5)
    analysis, synthesis = burg(frames, 6), burg(noise(120, 5, 1), 6)
    expected = all_pole(residual(frames, analysis), synthesis)
    np.testing.assert_allclose(refiltered(frames, analysis, synthesis), expected, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 24))
def test_roots_multiply_back_to_the_polynomial(seed: int, degree: int) -> None:
    coefficients = noise(degree + 1, 7, seed)
    coefficients[0] = 1.0
    roots = polynomial_roots(coefficients)
    scale = np.abs(coefficients).max(axis=0)
    assert (np.abs(product(*factors(roots)) - coefficients).max(axis=0) <= 1e-7 * scale).all()


def test_roots_agree_with_numpy_and_pairs_stand_together() -> None:
    filters = burg(noise(320, 50), 20)
    roots = polynomial_roots(filters)
    for column in range(50):
        expected = np.roots(filters[:, column])
        assert max(np.abs(roots[:, column, None] - expected).min(axis=0)) < 1e-9
    for row, column in zip(*np.nonzero(roots.imag > 0), strict=True):
        assert roots[row + 1, column] == roots[row, column].conj()


def test_a_root_that_does_not_settle_is_found_by_the_eigenvalue_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    filters = burg(noise(320, 10), 20)
    expected = polynomial_roots(filters)
    monkeypatch.setattr(roots_module, "STEPS", 1)
    found = polynomial_roots(filters)
    for column in range(10):
        assert max(np.abs(found[:, column, None] - expected[:, column]).min(axis=0)) < 1e-9


@pytest.mark.parametrize("known", [[0.0, 0.0, 0.0], [0.5, 0.5, -0.5], [0.3 + 0.4j, 0.3 - 0.4j, -0.9]])
def test_zero_multiple_and_mixed_roots(known: list[complex]) -> None:
    roots = polynomial_roots(np.real(np.poly(known))[:, None])[:, 0]
    np.testing.assert_allclose(np.sort_complex(roots), np.sort_complex(np.array(known, complex)), atol=1e-6)
