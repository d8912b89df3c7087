"""A second implementation of the measures: slow, obvious, and sharing no line with the package.

Every definition is taken literally. Likelihood ratios come from the min-max formula of isotonic regression
(the fit at i is the largest over starts <= i of the smallest over ends >= i of the mean between them), not from pooling.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise


def levels(target: list[float], nontarget: list[float]) -> list[tuple[int, int]]:
    """Targets and nontargets at each distinct score, ascending."""
    return [(target.count(v), nontarget.count(v)) for v in sorted(set(target) | set(nontarget))]


def posteriors(counts: list[tuple[int, int]]) -> list[Fraction]:
    """Isotonic regression of the share of targets, by the min-max formula in exact fractions."""
    n = len(counts)

    def mean(i: int, j: int) -> Fraction:
        t = sum(c[0] for c in counts[i : j + 1])
        return Fraction(t, t + sum(c[1] for c in counts[i : j + 1]))

    return [max(min(mean(i, j) for j in range(k, n)) for i in range(k + 1)) for k in range(n)]


def ratios(counts: list[tuple[int, int]], n_t: int, n_n: int) -> list[Fraction | None]:
    """Likelihood ratio at each distinct score; None stands for infinity."""
    return [None if p == 1 else p / (1 - p) * Fraction(n_n, n_t) for p in posteriors(counts)]


def eer(target: list[float], nontarget: list[float]) -> float:
    """Walk the ROC threshold by threshold; where the sign of miss - false alarm changes, interpolate."""
    points = [(Fraction(0), Fraction(1))]
    for v in sorted(set(target) | set(nontarget)):
        miss = Fraction(sum(t <= v for t in target), len(target))
        points.append((miss, Fraction(sum(x > v for x in nontarget), len(nontarget))))
    return walk(points)


def eer_rocch(target: list[float], nontarget: list[float]) -> float:
    """The same along points joined wherever the likelihood ratio changes."""
    counts = levels(target, nontarget)
    fit = posteriors(counts)
    points = [(Fraction(0), Fraction(1))]
    t = n = 0
    for k, (a, b) in enumerate(counts):
        t, n = t + a, n + b
        if k + 1 == len(counts) or fit[k + 1] != fit[k]:
            points.append((Fraction(t, len(target)), 1 - Fraction(n, len(nontarget))))
    return walk(points)


def walk(points: list[tuple[Fraction, Fraction]]) -> float:
    for (m0, f0), (m1, f1) in pairwise(points):
        if m1 >= f1:
            share = (f0 - m0) / ((f0 - m0) + (m1 - f1))
            return float(m0 + share * (m1 - m0))
    raise AssertionError("the ROC always crosses")


def eer_kaldi(target: list[float], nontarget: list[float]) -> float:
    """compute-eer, loop for loop."""
    t, n = sorted(target), sorted(nontarget)
    i = 0
    while i + 1 < len(t):
        j = max(0, len(n) - 1 - len(n) * i // len(t))
        if n[j] < t[i]:
            break
        i += 1
    return i / len(t)


def cllr(target: list[float], nontarget: list[float]) -> float:
    def bits(x: float) -> float:
        return (math.log1p(math.exp(-x)) if x > 0 else -x + math.log1p(math.exp(x))) / math.log(2)

    return (sum(bits(x) for x in target) / len(target) + sum(bits(-x) for x in nontarget) / len(nontarget)) / 2


def cllr_min(target: list[float], nontarget: list[float]) -> float:
    counts = levels(target, nontarget)
    cost_t = cost_n = 0.0
    for (a, b), lr in zip(counts, ratios(counts, len(target), len(nontarget)), strict=True):
        if a:
            cost_t += a * (0.0 if lr is None else math.log2(1 + float(1 / lr)))
        if b:
            assert lr is not None
            cost_n += b * math.log2(1 + float(lr))
    return (cost_t / len(target) + cost_n / len(nontarget)) / 2


def z(x: float) -> float:
    return 0.0 if x == 1 else ((x - 3) * (x - 1) + 2 * math.log(x)) / (4 * (x - 1) ** 2)


def d_ece(target: list[float], nontarget: list[float]) -> float:
    counts = levels(target, nontarget)
    sum_t = sum_n = 0.0
    for (a, b), lr in zip(counts, ratios(counts, len(target), len(nontarget)), strict=True):
        if a:
            sum_t += a * (0.25 if lr is None else z(float(lr)))
        if b:
            sum_n += b * (0.25 if lr == 0 else z(float(1 / lr)))
    return (sum_t / len(target) + sum_n / len(nontarget)) / math.log(2)


def worst_case(target: list[float], nontarget: list[float]) -> float:
    """log10 of the strongest ratio among the real scores, with one trial of each class added at both ends."""
    low, high = min(target + nontarget) - 1, max(target + nontarget) + 1
    counts = levels([low, *target, high], [low, *nontarget, high])
    lrs = ratios(counts, len(target), len(nontarget))[1:-1]
    return max(abs(math.log10(lr)) for lr in lrs if lr)


def linkability(target: list[float], nontarget: list[float]) -> float:
    counts = levels(target, nontarget)
    total = Fraction(0)
    for (a, _), lr in zip(counts, ratios(counts, len(target), len(nontarget)), strict=True):
        local = Fraction(1) if lr is None else max(Fraction(0), (lr - 1) / (lr + 1))
        total += a * local
    return float(total / len(target))
