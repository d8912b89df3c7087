"""Every measure of the score domain from one sorted pass, plain or re-weighted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from stripeless.measures.catalog import FALSE_ALARM_RATES
from stripeless.measures.cllr import cllr_sorted, hull_cllr
from stripeless.measures.eer import crossing, kaldi_crossing
from stripeless.measures.key_length import hull_key_length
from stripeless.measures.linkability import binned_sorted, hull_linkability
from stripeless.measures.low_false_alarm import check_enough, hits_and_false_alarms, proven_epsilon
from stripeless.measures.zebra import hull_d_ece, hull_log10_lr
from stripeless.scores.check import FloatArray
from stripeless.scores.sorting import LARGE, sorted_copies
from stripeless.scores.staircase import Staircase, merge_sorted


@dataclass(frozen=True, eq=False)
class Weights:
    """How often each sorted score counts, as running sums, and the weighted cost of trusting it as an LLR."""

    target: FloatArray
    nontarget: FloatArray
    cllr: float


@dataclass(frozen=True, eq=False)
class ScorePass:
    """Both classes in ascending order, their staircase, and in a bootstrap resample their weights."""

    target: FloatArray
    nontarget: FloatArray
    stairs: Staircase
    weights: Weights | None = None
    cllr: Callable[[], float] | None = None  # where it was begun beforehand, how to get it

    @cached_property
    def hull(self) -> Staircase:
        return self.stairs.hull


def score_pass(target: FloatArray, nontarget: FloatArray) -> ScorePass:
    """Sort each class, merge, pool ties: the only sort there is."""
    target, nontarget = sorted_copies(target, nontarget)
    if target.size + nontarget.size < LARGE:
        return ScorePass(target, nontarget, merge_sorted(target, nontarget))
    # The only measure that looks at every score, not at the staircase: another core can begin it at once.
    other = ThreadPoolExecutor(1)
    later = other.submit(cllr_sorted, target, nontarget)
    other.shutdown(wait=False)
    return ScorePass(target, nontarget, merge_sorted(target, nontarget), cllr=later.result)


def _cllr(scores: ScorePass) -> float:
    if scores.weights is not None:
        return scores.weights.cllr
    return cllr_sorted(scores.target, scores.nontarget) if scores.cllr is None else scores.cllr()


def _kaldi(scores: ScorePass) -> float:
    w = scores.weights
    if w is None:
        return kaldi_crossing(scores.target, scores.nontarget)
    return kaldi_crossing(scores.target, scores.nontarget, w.target, w.nontarget)


def _binned(scores: ScorePass) -> float:
    w = scores.weights
    if w is None:
        return binned_sorted(scores.target, scores.nontarget)
    return binned_sorted(scores.target, scores.nontarget, w.target, w.nontarget)


def _hit_rate(rate: float) -> Callable[[ScorePass], float]:
    def hit_rate(scores: ScorePass) -> float:
        check_enough(scores.nontarget.size, rate)  # of the real trials; how many a resample drew is luck
        return hits_and_false_alarms(scores.stairs, rate)[0] / scores.stairs.n_target

    return hit_rate


# Only numbers: the category is read off log10_lr. Each may raise InputError where the scores do not allow it.
FUNCTIONS: dict[str, Callable[[ScorePass], float]] = {
    "eer": lambda scores: crossing(scores.stairs),
    "eer_rocch": lambda scores: crossing(scores.hull),
    "eer_kaldi": _kaldi,
    "cllr": _cllr,
    "cllr_min": lambda scores: hull_cllr(scores.hull),
    "d_ece": lambda scores: hull_d_ece(scores.hull),
    "log10_lr": lambda scores: hull_log10_lr(scores.hull),
    "linkability": lambda scores: hull_linkability(scores.hull),
    "linkability_binned": _binned,
    **{name: _hit_rate(rate) for name, rate in FALSE_ALARM_RATES.items()},
    "epsilon": lambda scores: proven_epsilon(scores.stairs, FALSE_ALARM_RATES.values(), scores.nontarget.size),
    "key_length": lambda scores: hull_key_length(scores.hull),
}
