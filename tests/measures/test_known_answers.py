"""Answers that can be worked out by hand or from a closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import stripeless as s
from stripeless.errors import TooFewTrials
from stripeless.measures.zebra import CATEGORIES, D_ECE_MAX, category_of, z_of_llr

CONSTANT = ([3.0] * 50, [3.0] * 50)
SEPARATED = (np.arange(100.0) + 1000, np.arange(100.0))
REVERSED = (np.arange(100.0), np.arange(100.0) + 1000)


class TestConstantScores:
    def test_eer_is_one_half_by_every_definition_that_pools_ties(self) -> None:
        assert s.eer(*CONSTANT) == 0.5
        assert s.eer_rocch(*CONSTANT) == 0.5

    def test_nothing_is_disclosed(self) -> None:
        z = s.zebra(*CONSTANT)
        assert (s.cllr_min(*CONSTANT), z.d_ece, z.log10_lr, z.category) == (1.0, 0.0, 0.0, "0")
        assert z.category_counts == {"0": 100, **dict.fromkeys("ABCDEF", 0)}
        assert s.linkability(*CONSTANT) == 0.0
        assert s.key_length(*CONSTANT) == 0.0

    def test_unequal_counts_move_laplaces_trials_and_with_them_the_worst_case(self) -> None:
        z = s.zebra([1.0] * 100, [1.0] * 1000)
        assert z.log10_lr == pytest.approx(np.log10(101 * 1000 / (1001 * 100)), abs=1e-12)
        assert z.category == "A"
        assert z.d_ece == 0.0


class TestSeparatedScores:
    def test_everything_is_disclosed(self) -> None:
        z = s.zebra(*SEPARATED)
        assert s.eer(*SEPARATED) == s.eer_rocch(*SEPARATED) == s.eer_kaldi(*SEPARATED) == 0.0
        assert s.cllr_min(*SEPARATED) == 0.0
        assert z.d_ece == pytest.approx(D_ECE_MAX, abs=1e-15)
        assert s.linkability(*SEPARATED) == 1.0

    def test_the_worst_case_reaches_its_limit(self) -> None:
        z = s.zebra(*SEPARATED)
        assert z.log10_lr == z.log10_lr_limit == pytest.approx(np.log10(101))
        assert s.zebra(np.ones(548), -np.ones(11196)).log10_lr_limit == pytest.approx(4.05, abs=0.005)

    def test_the_published_bins_say_one_half_where_ours_says_one(self) -> None:
        assert s.linkability_binned(*SEPARATED) == pytest.approx(0.5, abs=0.01)


class TestReversedScores:
    def test_the_eer_is_not_folded(self) -> None:
        assert s.eer(*REVERSED) == 1.0

    def test_no_increasing_map_helps_so_nothing_is_disclosed(self) -> None:
        z = s.zebra(*REVERSED)
        assert s.eer_rocch(*REVERSED) == 0.5
        assert (s.cllr_min(*REVERSED), z.d_ece, z.category) == (1.0, 0.0, "0")
        assert s.linkability(*REVERSED) == 0.0


def test_two_trials() -> None:
    z = s.zebra([1.0], [0.0])
    assert (s.eer([1.0], [0.0]), s.cllr_min([1.0], [0.0]), s.linkability([1.0], [0.0])) == (0.0, 0.0, 1.0)
    assert z.log10_lr == pytest.approx(np.log10(2))
    assert (s.eer([0.0], [1.0]), s.cllr_min([0.0], [1.0])) == (1.0, 1.0)


@pytest.mark.parametrize("m", [0.5, 2.0, 8.0])
def test_gaussian_llrs_meet_their_closed_forms(m: float) -> None:
    """LLRs with mean +-m and variance 2m: EER is Phi(-sqrt(m/2)), the scores are calibrated, d' is sqrt(2m)."""
    probabilities = (np.arange(200_000) + 0.5) / 200_000  # quantiles instead of draws: no chance in it
    target = norm.ppf(probabilities, m, np.sqrt(2 * m))
    nontarget = norm.ppf(probabilities, -m, np.sqrt(2 * m))
    assert s.eer(target, nontarget) == pytest.approx(norm.cdf(-np.sqrt(m / 2)), abs=2e-5)
    assert s.eer_rocch(target, nontarget) == pytest.approx(norm.cdf(-np.sqrt(m / 2)), abs=2e-5)
    assert s.cllr(target, nontarget) == pytest.approx(s.cllr_min(target, nontarget), abs=2e-4)
    x = np.linspace(-m - 12 * np.sqrt(2 * m), m + 12 * np.sqrt(2 * m), 200_001)
    density_t, density_n = norm.pdf(x, m, np.sqrt(2 * m)), norm.pdf(x, -m, np.sqrt(2 * m))
    step = x[1] - x[0]
    linked = (density_t * np.maximum(0, np.tanh(x / 2))).sum() * step
    assert s.linkability(target, nontarget) == pytest.approx(linked, abs=2e-4)
    disclosed = (density_t * z_of_llr(x) + density_n * z_of_llr(-x)).sum() * step / np.log(2)
    assert s.zebra(target, nontarget).d_ece == pytest.approx(disclosed, abs=2e-4)
    hits = norm.sf(norm.isf(0.001, -m, np.sqrt(2 * m)), m, np.sqrt(2 * m))
    # one nontarget more or less moves the hit rate by its LR (at most 90 here) over 200,000
    assert s.hit_rate(target, nontarget, false_alarm_rate=0.001) == pytest.approx(hits, abs=90 / 200_000)


def test_key_length_of_two_gaussians_two_deviations_apart() -> None:
    """The divergence is d'^2 / 2 nats: 2.885 bits. The tails need many trials, so the estimate stays a little below."""
    probabilities = (np.arange(1_000_000) + 0.5) / 1_000_000
    bits = s.key_length(norm.ppf(probabilities, 2, 1), norm.ppf(probabilities))
    assert bits == pytest.approx(2 / np.log(2), abs=0.01)


def test_llrs_of_800_neither_overflow_nor_vanish() -> None:
    assert s.cllr([800.0], [-800.0]) == 0.0
    assert s.cllr([-800.0], [800.0]) == pytest.approx(800 / np.log(2))
    assert s.cllr([40.0], [-40.0]) == pytest.approx(np.exp(-40) / np.log(2), rel=1e-12)


def test_infinite_scores_are_legal() -> None:
    assert s.eer([np.inf, 1.0], [-np.inf, 0.0]) == 0.0
    assert s.cllr([np.inf], [-np.inf]) == 0.0
    assert s.cllr([-np.inf, 1.0], [0.0]) == np.inf
    assert s.linkability([np.inf, np.inf], [np.inf]) == 0.0


def test_an_outlier_moves_the_bins_but_not_us() -> None:
    rng = np.random.default_rng(0)
    target, nontarget = rng.normal(3, 1, 1000), rng.normal(0, 1, 1000)
    with_outlier = np.append(nontarget, -1e6)
    assert s.linkability(target, with_outlier) == pytest.approx(s.linkability(target, nontarget), abs=1e-3)
    assert s.linkability_binned(target, with_outlier) < 0.1 < 0.7 < s.linkability_binned(target, nontarget)


def test_linkability_of_equal_distributions_is_small() -> None:
    """The published bins say 0.1 for 1,000 scores each."""
    rng = np.random.default_rng(1)
    ours = [s.linkability(rng.normal(size=1000), rng.normal(size=1000)) for _ in range(20)]
    theirs = [s.linkability_binned(rng.normal(size=1000), rng.normal(size=1000)) for _ in range(20)]
    assert np.mean(ours) < 0.03
    assert np.mean(theirs) > 0.08


def test_nine_targets_give_a_reason_not_a_zero() -> None:
    with pytest.raises(TooFewTrials, match="needs 20"):
        s.linkability_binned(np.arange(9.0), np.arange(100.0))
    with pytest.raises(TooFewTrials, match="1000 are needed"):
        s.hit_rate([1.0] * 50, [0.0] * 999, false_alarm_rate=0.01)


def test_kaldi_by_hand() -> None:
    """T = 4, N = 5: i = 1 mirrors j = 3, where 2.5 is not below 2; i = 2 mirrors j = 2, where 1.0 is below 3."""
    assert s.eer_kaldi([1.0, 2.0, 3.0, 4.0], [0.0, 0.5, 1.0, 2.5, 5.0]) == 0.5
    assert s.eer_kaldi([1.0], [5.0]) == 0.0  # as the program: a single target never moves


def test_categories_are_closed_on_the_left() -> None:
    assert [category_of(x) for x in (0.0, 1e-9, 0.999, 1.0, 1.999, 2.0, 3.999, 4.0, 5.0, 6.0, 9.0)] == list(
        "0AABBCCDEFF"
    )
    # 9 targets above 9 nontargets: (9 + 1) * 9 / 9 = 10 exactly, which Table 1 counts as B
    z = s.zebra(np.ones(9), np.zeros(9))
    assert (z.log10_lr, z.category) == (1.0, "B")
    assert z.category_counts["B"] == 18
    assert tuple(z.category_counts) == CATEGORIES


def test_z_is_smooth_where_the_series_takes_over() -> None:
    from mpmath import exp, log, mp, mpf

    mp.dps = 60
    for llr in [
        -900.0,
        -30.0,
        -1.0,
        -0.0300001,
        -0.02999,
        -1e-5,
        -1e-12,
        1e-12,
        1e-7,
        0.0295,
        0.0296,
        0.5,
        30.0,
        699.0,
        701.0,
    ]:
        x = exp(mpf(llr))
        exact = ((x - 3) * (x - 1) + 2 * log(x)) / (4 * (x - 1) ** 2)
        assert z_of_llr(np.array([llr]))[0] == pytest.approx(float(exact), rel=1e-12), llr


def test_ece_at_even_odds_is_cllr() -> None:
    rng = np.random.default_rng(2)
    target, nontarget = rng.normal(1, 2, 300), rng.normal(-1, 2, 700)
    profile = s.ece_profile(target, nontarget, log10_odds=[0.0])
    assert profile.actual is not None
    assert profile.actual[0] == pytest.approx(s.cllr(target, nontarget), abs=1e-12)
    assert profile.calibrated[0] == pytest.approx(s.cllr_min(target, nontarget), abs=1e-12)
    assert profile.zero_evidence[0] == 1.0


def test_d_ece_is_the_area_between_the_profiles() -> None:
    """Eq. 5 integrated numerically over the prior against Eq. 6."""
    rng = np.random.default_rng(3)
    target, nontarget = rng.normal(1, 1, 300), rng.normal(-1, 1, 700)
    prior = (np.arange(20_000) + 0.5) / 20_000
    profile = s.ece_profile(target, nontarget, log10_odds=np.log10(prior / (1 - prior)))
    area = (profile.zero_evidence - profile.calibrated).mean()
    assert s.zebra(target, nontarget).d_ece == pytest.approx(area, abs=1e-6)


def test_logistic_calibration_recovers_the_scale_it_was_given() -> None:
    probabilities = (np.arange(20_000) + 0.5) / 20_000
    target, nontarget = norm.ppf(probabilities, 2, 2), norm.ppf(probabilities, -2, 2)  # LLRs: mean 2, variance 4
    calibration = s.fit_logistic_calibration(3 * target + 5, 3 * nontarget + 5)
    assert calibration.scale == pytest.approx(1 / 3, rel=1e-3)
    assert calibration.offset == pytest.approx(-5 / 3, rel=1e-3)
    assert s.cllr(calibration.apply(3 * target + 5), calibration.apply(3 * nontarget + 5)) == pytest.approx(
        s.cllr_min(target, nontarget), abs=1e-3
    )


def test_pav_calibration_brings_cllr_to_its_minimum() -> None:
    rng = np.random.default_rng(4)
    target, nontarget = rng.normal(5, 3, 400), rng.normal(0, 3, 900)
    fit = s.fit_pav(target, nontarget)
    assert s.cllr(fit.apply(target), fit.apply(nontarget)) == pytest.approx(s.cllr_min(target, nontarget), abs=1e-12)
    finite = s.fit_pav(target, nontarget, laplace=True)
    worst = np.abs(finite.apply(np.concatenate([target, nontarget]))).max() / np.log(10)
    assert worst == pytest.approx(s.zebra(target, nontarget).log10_lr, abs=1e-12)


def test_privacy_loss_bound_holds_for_randomized_response() -> None:
    """A mechanism with epsilon = 1 never proves more than 1; with many trials it proves nearly that."""
    n = 1_000_000
    target = (np.arange(n) < n * np.e / (1 + np.e)).astype(float)
    nontarget = (np.arange(n) < n / (1 + np.e)).astype(float)
    found = s.low_false_alarm(target, nontarget, false_alarm_rate=0.27)
    assert 0.99 < found.epsilon < 1.0
    assert found.hit_rate == pytest.approx(np.e / (1 + np.e), abs=1e-5)


def test_scikit_learn_is_met_on_tied_scores() -> None:
    """Golden: scikit-learn 1.9's roc_curve, mean of FPR and FNR where they are closest."""
    assert s.eer_by_tool([1.0, 0.0, 5.0], [0.0, 1.0])["scikit_learn"] == pytest.approx(1 / 3)
    tied = s.eer_by_tool([2.0, 3.0, 3.0, 3.0, 4.0], [0.0, 4.0, 0.0, 4.0, 0.0, 4.0])
    assert tied["scikit_learn"] == pytest.approx(0.65)
    assert tied["scikit_learn_folded"] == pytest.approx(0.35)
