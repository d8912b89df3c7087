"""Newton's method for the losses of the beta-binomial model.

With J = rank - 1, m = n - 1 and tail sums A_i = P(J > i), B_i = P(m - J > i), the mean log-likelihood is

    sum_i A_i log(alpha + i) + sum_i B_i log(beta + i) - sum_i log(alpha + beta + i) + constant,     i = 0 .. m-1,

whose value, slope and curvature are plain sums without gamma functions: a million ranks take milliseconds. The losses
of squares take Gauss-Newton steps. All steps are in (log alpha, log beta) and damped until the loss falls.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from stripeless.ranks.rising import log_rising_ratio, slope_rising_ratio
from stripeless.scores.check import FloatArray


class MeanRising:
    """x -> mean over the ranks of log Gamma(x + s) - log Gamma(x), with two derivatives; s counts steps per rank.

    Many ranks: sums over all steps with the share of ranks that go beyond each. Few: gamma functions at those alone.
    """

    def __init__(self, counts: FloatArray) -> None:
        self.s = np.flatnonzero(counts).astype(np.float64)
        self.share = counts[counts > 0] / counts.sum()
        self.dense = self.s.size * 8 > self.s[-1]
        if self.dense:
            # running sums of counts are whole numbers and so exact; of shares they would lose five digits at n = 1e6
            self.beyond = (np.cumsum(counts[::-1])[::-1] / counts.sum())[1 : int(self.s[-1]) + 1]
            self.steps = np.arange(self.s[-1])

    def value(self, x: float) -> float:
        if self.dense:
            return float(self.beyond @ np.log(x + self.steps))
        from stripeless.ranks.beta_binomial import log_rising

        return float(self.share @ log_rising(np.full(self.s.size, x), self.s))

    def derivatives(self, x: float) -> tuple[float, float]:
        if self.dense:
            inverse = 1.0 / (x + self.steps)
            first = self.beyond * inverse
            return float(first.sum()), -float(first @ inverse)
        from scipy.special import polygamma, psi

        slope = self.share @ (psi(x + self.s) - psi(x))
        return float(slope), float(self.share @ (polygamma(1, x + self.s) - polygamma(1, x)))


class LikelihoodLoss:
    """Minus the mean log-likelihood of p, plus `weight` times the squared miss at rank 1, with two derivatives."""

    def __init__(self, counts: FloatArray, weight: float) -> None:
        from scipy.special import gammaln

        p = counts / counts.sum()
        self.m, self.first, self.weight = p.size - 1, float(p[0]), weight
        self.above, self.below = MeanRising(counts), MeanRising(counts[::-1])
        j = np.flatnonzero(p)
        binomial = gammaln(self.m + 1.0) - gammaln(j + 1.0) - gammaln(self.m - j + 1.0)
        self.constant = float(p[j] @ binomial)

    def value(self, logs: FloatArray) -> float:
        from stripeless.ranks.beta_binomial import log_rising

        alpha, beta = np.exp(logs)
        mean = self.above.value(alpha) + self.below.value(beta)
        loss = float(log_rising(np.array([alpha + beta]), self.m)[0] - mean - self.constant)
        if self.weight:
            loss += self.weight * (self.first - float(np.exp(_first(alpha, beta, self.m)))) ** 2
        return loss

    def derivatives(self, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Slope and curvature in (log alpha, log beta)."""
        alpha, beta = np.exp(logs)
        slope_a, curve_a = self.above.derivatives(alpha)
        slope_b, curve_b = self.below.derivatives(beta)
        slope, curve = _rising(alpha + beta, self.m)
        g = np.array([slope - slope_a, slope - slope_b])
        h = np.array([[curve - curve_a, curve], [curve, curve - curve_b]])
        if self.weight:
            more_g, more_h = self._constraint(alpha, beta, slope, curve)
            g, h = g + more_g, h + more_h
        scale = np.array([alpha, beta])  # chain rule from alpha to log alpha
        return g * scale, h * np.outer(scale, scale) + np.diag(g * scale)

    def step(self, logs: FloatArray) -> FloatArray:
        """Newton's step; none where the loss does not curve upwards."""
        slope, curve = self.derivatives(logs)
        if np.linalg.eigvalsh(curve)[0] <= 0:
            return np.zeros(2)
        return np.asarray(-np.linalg.solve(curve, slope), dtype=np.float64)

    def _constraint(self, alpha: float, beta: float, slope: float, curve: float) -> tuple[FloatArray, FloatArray]:
        first = float(np.exp(_first(alpha, beta, self.m)))
        curve_b = _rising(beta, self.m)[1]
        d = np.array([-slope, slope_rising_ratio(beta, alpha, self.m)])  # of log gamma_1
        dd = np.array([[-curve, -curve], [-curve, curve_b - curve]])
        miss = first - self.first
        g = 2 * self.weight * miss * first * d
        h = 2 * self.weight * first * ((first + miss) * np.outer(d, d) + miss * dd)
        return g, h


SQUARES = ("ms", "wms", "rwms")


class SquareLoss:
    """Weighted squares of histogram minus model: weight 1 ("ms"), the histogram ("wms") or exp(-rank) ("rwms")."""

    def __init__(self, counts: FloatArray, loss: str) -> None:
        self.n = counts.size
        # exp(-k) is zero in double precision from 746 on, and the histogram where it is empty
        last = {"ms": self.n, "wms": int(np.flatnonzero(counts)[-1]) + 1, "rwms": min(self.n, 800)}[loss]
        self.p = (counts / counts.sum())[:last]
        self.weight = {"ms": np.ones(last), "wms": self.p, "rwms": np.exp(-np.arange(1.0, last + 1))}[loss]

    def _model(self, alpha: float, beta: float) -> FloatArray:
        """Probability of the ranks that carry weight."""
        j = np.arange(self.p.size - 1, dtype=np.float64)
        log = np.empty(self.p.size)
        log[0] = _first(alpha, beta, self.n - 1)
        log[1:] = np.log((self.n - 1 - j) / (j + 1) * ((j + alpha) / (self.n - 2 - j + beta)))
        return np.exp(np.cumsum(log, out=log), out=log)

    def value(self, logs: FloatArray) -> float:
        return float(self.weight @ (self.p - self._model(*np.exp(logs))) ** 2)

    def derivatives(self, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Slope, and Gauss and Newton's part of the curvature."""
        rows, miss = self._rows(logs)
        return 2 * rows @ miss, 2 * rows @ rows.T

    def step(self, logs: FloatArray) -> FloatArray:
        """Gauss and Newton's step, by least squares: the product of the rows would lose half of the digits."""
        rows, miss = self._rows(logs)
        basis, triangle = np.linalg.qr(rows.T)
        return np.asarray(-np.linalg.solve(triangle, basis.T @ miss), dtype=np.float64)

    def _rows(self, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """How each weighed probability moves with (log alpha, log beta), and by how much it is off."""
        alpha, beta = np.exp(logs)
        model, m = self._model(alpha, beta), self.n - 1
        i = np.arange(self.p.size - 1, dtype=np.float64)
        by_alpha = np.concatenate([[0.0], np.cumsum(1 / (alpha + i))]) - _rising(alpha + beta, m)[0]
        by_beta = slope_rising_ratio(beta, alpha, m) - np.concatenate([[0.0], np.cumsum(1 / (beta + m - 1 - i))])
        root = np.sqrt(self.weight)
        return np.stack([alpha * by_alpha, beta * by_beta]) * model * root, (model - self.p) * root


def _first(alpha: float, beta: float, m: int) -> float:
    """Log probability of rank 1."""
    return -log_rising_ratio(float(beta), float(alpha), m)


def _rising(x: float, steps: int) -> tuple[float, float]:
    """First and second derivative of log Gamma(x + steps) - log Gamma(x)."""
    from scipy.special import polygamma, psi

    return float(psi(x + steps) - psi(x)), float(polygamma(1, x + steps) - polygamma(1, x))


class Loss(Protocol):
    """A function of (log alpha, log beta) with its slope and curvature, and the whole step that these two ask for."""

    def value(self, logs: FloatArray) -> float: ...

    def derivatives(self, logs: FloatArray) -> tuple[FloatArray, FloatArray]: ...

    def step(self, logs: FloatArray) -> FloatArray: ...


def newton(loss: Loss, start: FloatArray, bound: float, iterations: int = 200) -> tuple[FloatArray, float]:
    """Damped Newton steps within the box |log| <= bound, until neither slope nor step moves the loss."""
    point, value, damping = start, loss.value(start), 1e-3
    for _ in range(iterations):
        slope, curve = loss.derivatives(point)
        while damping < 1e12:
            size = max(float(np.abs(np.diag(curve)).max()), 1e-300)
            step = np.linalg.solve(_positive(curve / size) + damping * np.eye(2), -slope / size)
            step *= min(1.0, 2.0 / max(1e-300, float(np.abs(step).max())))
            trial = np.clip(point + step, -bound, bound)
            reached = loss.value(trial)
            if reached < value:
                break
            damping *= 8
        else:
            break
        moved = float(np.abs(trial - point).max())
        point, value, damping = trial, reached, max(damping / 16, 1e-12)
        if moved < 1e-10:
            break
    return point, value


POLISHING = 100  # steps at most; those for squares shrink by a constant factor only


def polish(loss: Loss, point: FloatArray, value: float, bound: float) -> tuple[FloatArray, float]:
    """Where rounding hides from the value which of two points is better, steps still tell: on, while they get smaller.

    The slope is no guide: that of "cll" is 1e5 times steeper across its valley than along it, and its rounding hides what is
    left to go along.
    """
    last = 1e-2  # a larger first step says that this is no place to polish
    for _ in range(POLISHING):
        try:
            step = loss.step(point)
        except np.linalg.LinAlgError:  # flat to the last bit, as where every rank is the last: nowhere to go
            break
        size = float(np.abs(step).max())
        if not 0 < size < 0.9 * last:
            break
        point, last = np.clip(point + step, -bound, bound), size
    return point, min(value, loss.value(point))


def _positive(matrix: FloatArray) -> FloatArray:
    """The matrix with its eigenvalues made positive: every step then goes downhill."""
    values, vectors = np.linalg.eigh(matrix)
    positive: FloatArray = (vectors * np.maximum(np.abs(values), 1e-12)) @ vectors.T
    return positive
