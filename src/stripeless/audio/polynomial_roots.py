"""The roots of many real polynomials at once.

`numpy.roots` solves one eigenvalue problem per polynomial, about 0.12 ms for order 20, and McAdams needs a hundred of
them per second of speech. Here Laguerre's method finds one root of *every* polynomial together in a few vectorized
steps, the factor is divided out, and so on down. A complex root takes its conjugate with it, so that all arithmetic is
real. In the end the product of the factors is compared with the polynomial that came in; where they differ, that
polynomial goes to the eigenvalue solver after all.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.audio.lpc import Columns

Row: TypeAlias = NDArray[np.float64]
ComplexRow: TypeAlias = NDArray[np.complex128]

START = 0.95j  # near most poles of speech and off the real axis: fewest steps of the points tried
STEPS = 30  # Laguerre needs 4 to 8; what needs more goes to the eigenvalue solver
SETTLED = 1e-6  # a relative step below this is the last one needed: convergence is cubic
REAL = 1e-9  # an imaginary part below this share of the modulus is rounding
TOLERANCE = 1e-9  # of the product of the factors, relative to the largest coefficient


def polynomial_roots(coefficients: Columns) -> NDArray[np.complex128]:
    """Roots of the columns of `coefficients` (highest power first, first row 1), shape (degree, columns).

    Conjugate pairs stand in consecutive rows, the one in the upper half plane first; real roots are exactly real.

    >>> roots = polynomial_roots(np.array([[1.0], [-6.0], [11.0], [-6.0]]))
    >>> np.round(np.sort(roots[:, 0].real), 6).tolist()
    [1.0, 2.0, 3.0]
    """
    degree, count = len(coefficients) - 1, coefficients.shape[1]
    roots = np.zeros((degree, count), dtype=np.complex128)
    waiting: list[list[tuple[NDArray[np.intp], Columns]]] = [[] for _ in range(degree + 1)]
    waiting[degree].append((np.arange(count), coefficients))
    with np.errstate(all="ignore"):
        for current in range(degree, 0, -1):
            if not waiting[current]:
                continue
            columns = np.concatenate([columns for columns, _ in waiting[current]])
            rest = np.concatenate([rest for _, rest in waiting[current]], axis=1)
            root = laguerre(rest) if current > 1 else -rest[1] + 0j
            is_real = np.abs(root.imag) <= REAL * np.abs(root)
            root[is_real] = root[is_real].real
            root = np.where(root.imag < 0, root.conj(), root)
            row = degree - current
            roots[row, columns] = root
            real, pair = np.flatnonzero(is_real), np.flatnonzero(~is_real)
            if real.size:
                waiting[current - 1].append((columns[real], divide_linear(rest[:, real], root[real].real)))
            if pair.size and current > 1:
                roots[row + 1, columns[pair]] = root[pair].conj()
                waiting[current - 2].append((columns[pair], divide_quadratic(rest[:, pair], root[pair])))
    return replace_failed(coefficients, roots)


def replace_failed(coefficients: Columns, roots: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Roots whose product is not the polynomial are computed anew, one by one, by the eigenvalue solver."""
    with np.errstate(all="ignore"):
        error = np.abs(product(*factors(roots)) - coefficients).max(axis=0)
        good = (error <= TOLERANCE * np.abs(coefficients).max(axis=0)) & np.isfinite(roots).all(axis=0)
    for column in np.flatnonzero(~good):
        exact = np.roots(coefficients[:, column])
        upper = exact[exact.imag > 0]
        single = exact[exact.imag == 0]
        found = np.concatenate([np.column_stack([upper, upper.conj()]).ravel(), single])
        roots[:, column] = 0
        roots[: len(found), column] = found
    return roots


def factors(roots: NDArray[np.complex128]) -> tuple[Columns, Columns]:
    """Coefficients of z^-1 and z^-2 in the real factor that each row stands for; a conjugate's row is empty."""
    first = np.where(roots.imag > 0, -2 * roots.real, np.where(roots.imag == 0, -roots.real, 0.0))
    second = np.where(roots.imag > 0, roots.real**2 + roots.imag**2, 0.0)
    return first, second


def product(first: Columns, second: Columns) -> Columns:
    """The polynomials whose factors are 1 + first[k] z^-1 + second[k] z^-2, shape (rows + 1, columns)."""
    rows, count = first.shape
    result = np.zeros((rows + 1, count))
    result[0] = 1.0
    for k in range(rows):
        shifted = first[k] * result[:-1]
        shifted[1:] += second[k] * result[:-2]
        result[1:] += shifted
    return result


def laguerre(polynomials: Columns) -> ComplexRow:
    """One root of each column, by Laguerre's method from 0; a wrong value where it does not settle."""
    degree, count = len(polynomials) - 1, polynomials.shape[1]
    found = np.zeros(count, dtype=np.complex128)
    active = np.arange(count)
    root = np.full(count, START)
    for step in range(STEPS):
        value, slope, curvature = evaluate(polynomials, root)
        spread = (degree - 1) * np.sqrt(slope * slope - (2 * degree / (degree - 1)) * value * curvature)
        away = slope.real * spread.real + slope.imag * spread.imag < 0
        np.negative(spread, out=spread, where=away)  # the larger denominator, hence the shorter step
        move = degree * value / (slope + spread)
        root = root - move
        unsettled = squared_modulus(move) > SETTLED**2 * squared_modulus(root)
        found[active] = root
        if not unsettled.any():
            break
        if step > 2:
            active, root, polynomials = active[unsettled], root[unsettled], polynomials[:, unsettled]
    return found


def squared_modulus(values: ComplexRow) -> Row:
    """|z|^2 without the root and the care that `abs` takes."""
    return values.real**2 + values.imag**2


def evaluate(polynomials: Columns, root: ComplexRow) -> tuple[ComplexRow, ComplexRow, ComplexRow]:
    """Value, first derivative and half the second derivative of each column at its own point.

    Dividing p by the real quadratic Q = z^2 - 2 Re(root) z + |root|^2 leaves p = Q B + r z + c, hence p' = Q' B + r and
    p''/2 = B + Q' B' at the root; dividing B and its quotient C again gives their values. The three divisions run in
    step, each one row behind the one that feeds it, and complex numbers appear only at the very end.
    """
    double, square = 2 * root.real, squared_modulus(root)
    rows, count = polynomials.shape
    older, old, new = np.zeros((3, 3, count))
    for k in range(rows - 1):
        oldest = older[2] if k < rows - 2 else older[2].copy()
        np.multiply(old, double, out=new)
        older *= square
        new -= older
        new[1:] += old[:2]
        new[0] += polynomials[k]
        older, old, new = old, new, older
    conjugate = root.conj()
    slope_of_q = 2j * root.imag
    value = polynomials[-1] + root * old[0] - square * older[0]
    value_b = old[1] - conjugate * older[1]
    value_c = older[2] - conjugate * oldest
    return value, slope_of_q * value_b + old[0], value_b + slope_of_q * (slope_of_q * value_c + older[1])


def divide_linear(polynomials: Columns, root: Row) -> Columns:
    """The quotient by z - root."""
    quotient = polynomials[:-1].copy()
    for k in range(1, len(quotient)):
        quotient[k] += root * quotient[k - 1]
    return quotient


def divide_quadratic(polynomials: Columns, root: ComplexRow) -> Columns:
    """The quotient by (z - root)(z - conjugate)."""
    double, square = 2 * root.real, root.real**2 + root.imag**2
    quotient = polynomials[:-2].copy()
    for k in range(1, len(quotient)):
        quotient[k] += double * quotient[k - 1]
        if k > 1:
            quotient[k] -= square * quotient[k - 2]
    return quotient
