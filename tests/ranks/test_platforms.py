"""Models of ranks agree between machines: their digits do not hang on the last bit of anybody's gamma function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from numpy.typing import NDArray

from stripeless.ranks.beta_binomial import LOSSES, fit_beta_binomial
from stripeless.ranks.rising import log_rising_ratio, slope_rising_ratio

DOOR = np.array([85.0, 5, 3, 1, 2, *[0] * 11])


def drawn(alpha: float, beta: float, n: int, probes: int, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return np.bincount(rng.binomial(n - 1, rng.beta(alpha, beta, probes)), minlength=n).astype(float)


HISTOGRAMS = {
    "one that differed between two machines": DOOR,
    "a long valley": drawn(0.05, 8, 200, 60, 3),
    "few probes": drawn(0.1, 6, 16, 96, 0),
    "thousands of ranks": drawn(0.2, 30, 5000, 20_000, 5),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", HISTOGRAMS)
def test_another_last_bit_changes_nothing(name: str, loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = fit_beta_binomial(HISTOGRAMS[name], loss)
    rng = np.random.default_rng(0)

    def another(function: Callable[..., Any]) -> Callable[..., Any]:
        def off(*arguments: Any) -> Any:
            value = np.asarray(function(*arguments), dtype=float)
            return value * (1 + rng.choice([-1, 0, 1], size=value.shape) * np.finfo(float).eps)

        return off

    for gamma in ("gammaln", "psi", "polygamma"):
        monkeypatch.setattr(scipy.special, gamma, another(getattr(scipy.special, gamma)))
    for scale in (1, 3):
        there = fit_beta_binomial(HISTOGRAMS[name] * scale, loss)
        np.testing.assert_allclose([there.alpha, there.beta], [here.alpha, here.beta], rtol=1e-10)


@pytest.mark.parametrize("steps", [1, 15, 1000, 1001, 10**6])
@pytest.mark.parametrize("more", [1e-6, 0.07, 5.0, 3000.0])
@pytest.mark.parametrize("x", [1e-6, 0.05, 3.0, 999.5, 2e4])
def test_differences_of_gamma_functions_keep_their_digits(x: float, more: float, steps: int) -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        low, high = mpmath.mpf(x), mpmath.mpf(x) + mpmath.mpf(more)
        logs = [mpmath.loggamma(y + steps) - mpmath.loggamma(y) for y in (high, low)]
        slopes = [mpmath.psi(0, y + steps) - mpmath.psi(0, y) for y in (low, high)]
        assert log_rising_ratio(x, more, steps) == pytest.approx(float(logs[0] - logs[1]), rel=1e-12)
        assert slope_rising_ratio(x, more, steps) == pytest.approx(float(slopes[0] - slopes[1]), rel=1e-9)
