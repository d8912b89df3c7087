"""Rank disclosure and its model: the paper's identities, closed forms, laws."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import betabinom

from stripeless.errors import InputError, TooFewTrials, TrialMismatch
from stripeless.ranks.beta_binomial import LOSSES, BetaBinomial, fit_beta_binomial, goodness_of_fit
from stripeless.ranks.counts import RankCounts, count_ranks
from stripeless.ranks.disclosure import (
    chance_disclosure,
    cumulative_match,
    individual_disclosure,
    k_anonymity,
    rank_disclosure,
    rank_histogram,
)
from stripeless.ranks.speakers import speaker_disclosure
from stripeless.ranks.stream import segments, stream_disclosure, stream_ranks
from stripeless.ranks.sum import DependentFeatures, add_disclosures, rank_independence


def draw(alpha, beta, n, size, seed=0):
    random = np.random.default_rng(seed)
    return random.binomial(n - 1, random.beta(alpha, beta, size)) + 1


# --- the measure ---------------------------------------------------------------------------------------------


def test_everybody_identified_discloses_log2_n():
    result = rank_disclosure(np.ones(40), n=1024)
    assert result.mean_disclosure == result.max_disclosure == 10.0
    assert (result.id_rate, result.std_disclosure, result.spread) == (1.0, 0.0, 1 / 1024)


def test_uniform_ranks_disclose_nothing():
    result = rank_disclosure(np.repeat(np.arange(1, 101), 7), n=100)
    assert result.mean_disclosure == pytest.approx(0, abs=1e-12)
    assert result.max_disclosure == pytest.approx(0, abs=1e-12)
    assert result.spread == 0


def test_the_papers_table_ii_follows_from_eq_5_with_the_sign_set_right():
    """Identity: N = 1251 and IdR 96.74 % give MaxD 10.24 bit; the printed sign would give 10.34."""
    hits = 9674
    result = rank_disclosure([1] * hits + list(range(2, 328)), n=1251)
    assert round(100 * result.id_rate, 2) == 96.74
    assert round(result.max_disclosure, 2) == 10.24


@pytest.mark.parametrize(("rank", "bits"), [(1, np.log2(40)), (40, np.log2(40))])
def test_ranks_that_are_all_one_end_have_a_model_too(rank, bits):
    """All last, as where a distance is taken for a similarity: the loss is flat there to the last bit."""
    histogram = np.bincount([rank - 1] * 40, minlength=40)
    for loss in LOSSES:
        assert fit_beta_binomial(histogram, loss).statistics["mean_disclosure"] == pytest.approx(bits, abs=1e-3), loss


def test_statistics_by_hand():
    result = rank_disclosure([1, 1, 2, 4], n=4)  # p = 1/2, 1/4, 0, 1/4: bits 1, 0, -, 0
    assert result.mean_disclosure == pytest.approx(0.5)
    assert result.std_disclosure == pytest.approx(0.5)
    assert result.spread == 0.25
    assert np.isneginf(result.disclosures[2])


def test_equal_scores_disclose_nothing_though_their_mid_ranks_look_certain():
    counts = count_ranks(np.ones((64, 3)), np.ones((64, 3)))
    assert rank_disclosure(counts).mean_disclosure == pytest.approx(0, abs=1e-12)
    assert rank_disclosure(counts.ranks, 64).mean_disclosure == 5.0  # what mid-ranks alone would say: 32.5 each


def test_ties_leave_no_trace_elsewhere_in_the_histogram():
    counts = RankCounts(np.array([0, 2, 7]), np.array([2, 2, 0]), 10)
    histogram = rank_histogram(counts)
    np.testing.assert_allclose(histogram, [1 / 3, 1 / 3, 2 / 3, 1 / 3, 1 / 3, 0, 0, 1, 0, 0])
    assert (histogram[[5, 6, 8, 9]] == 0).all()


@given(st.integers(2, 300), st.integers(0, 10_000))
def test_bounds_and_order(n, seed):
    ranks = np.random.default_rng(seed).integers(1, n + 1, 50)
    result = rank_disclosure(ranks, n)
    assert 0 <= result.mean_disclosure <= result.max_disclosure + 1e-12 <= np.log2(n) + 2e-12
    shuffled = rank_disclosure(np.random.default_rng(seed).permutation(ranks), n)
    assert shuffled.mean_disclosure == result.mean_disclosure
    assert 0 < result.spread <= 1 or result.mean_disclosure < 1e-9


def test_chance_is_the_bias_of_few_probes():
    random = np.random.default_rng(0)
    for probes, n in [(50, 200), (1000, 100), (3, 10)]:
        simulated = [rank_disclosure(random.integers(1, n + 1, probes), n).mean_disclosure for _ in range(2000)]
        assert chance_disclosure(probes, n) == pytest.approx(np.mean(simulated), rel=0.03)
    assert rank_disclosure(random.integers(1, 201, 50), 200).sparse


def test_intervals_cover_the_truth_and_widen_with_alike_probes():
    n, truth, covered = 40, BetaBinomial(0.5, 2.0, 40), 0
    for seed in range(60):
        result = rank_disclosure(draw(0.5, 2.0, n, 1500, seed), n, resamples=100, seed=seed)
        low, high = result.intervals["mean_disclosure"]
        covered += low <= truth.mean_disclosure <= high
    assert 51 <= covered <= 60
    ranks = np.repeat(draw(0.5, 2.0, n, 100), 15)  # 15 copies of each speaker's rank: no more evidence than 100
    alone = rank_disclosure(ranks, n, resamples=200)
    together = rank_disclosure(ranks, n, speakers=np.repeat(np.arange(100), 15), resamples=200)
    for name in ("mean_disclosure", "id_rate"):
        wide, narrow = np.diff(together.intervals[name])[0], np.diff(alone.intervals[name])[0]
        assert wide > 2 * narrow


def test_nobody_identified_is_no_proof():
    low, high = rank_disclosure(np.arange(2, 22), 50, resamples=50).intervals["id_rate"]
    assert low == 0
    assert 0.1 < high < 0.25  # Wilson: 0 of 20


def test_same_seed_same_interval():
    ranks = draw(0.5, 2, 30, 200)
    assert (
        rank_disclosure(ranks, 30, resamples=20, seed=3).intervals
        == rank_disclosure(ranks, 30, resamples=20, seed=3).intervals
    )


@pytest.mark.parametrize(
    ("ranks", "n", "message"),
    [
        ([0, 1], 5, "do not count from 0"),
        ([1, 6], 5, "5 templates, but a rank of 6"),
        ([1, 2.25], 5, "whole numbers, or halves"),
        ([1, np.nan], 5, "NaN"),
        ([], 5, "flat list"),
        ([1], None, "say how many templates"),
    ],
)
def test_bad_ranks(ranks, n, message):
    with pytest.raises(InputError, match=message):
        rank_disclosure(ranks, n)


def test_individual_disclosure_is_negative_where_the_rank_misleads():
    model = BetaBinomial(0.3, 2.0, 500)
    bits = individual_disclosure([1, 500], model.probability)
    assert bits[0] > 0 > bits[1]
    tie = individual_disclosure(RankCounts(np.array([0]), np.array([1]), 500), model.probability)
    assert tie[0] == pytest.approx(model.disclosures[:2].mean())


def test_cmc_and_anonymity():
    histogram = rank_histogram([1, 1, 2, 5, 10], 10)
    np.testing.assert_allclose(cumulative_match(histogram)[[0, 1, 4, 9]], [0.4, 0.6, 0.8, 1.0])
    crowd = k_anonymity(histogram)
    assert crowd.worst == 2.5
    assert crowd.within[0.5] == 2
    assert crowd.within[0.9] == 10
    assert k_anonymity(np.ones(64)).typical == pytest.approx(64)


# --- the model ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "beta", "n"), [(0.3, 2, 1251), (0.02, 40, 1251), (3, 7, 20), (1e5, 2e5, 300), (0.5, 5, 200_000)]
)
def test_probability_equals_scipys(alpha, beta, n):
    model = BetaBinomial(alpha, beta, n)
    expected = betabinom.logpmf(np.arange(n), n - 1, alpha, beta)
    np.testing.assert_allclose(model.log_probability, expected, atol=3e-7)
    assert model.probability.sum() == pytest.approx(1, abs=1e-8)


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_finds_an_exact_model_again(loss):
    truth = BetaBinomial(0.4, 3.0, 800)
    model = fit_beta_binomial(truth.probability, loss)
    tolerance = 1e-3 if loss == "rwms" else 1e-5
    assert model.alpha == pytest.approx(0.4, rel=tolerance)
    assert model.beta == pytest.approx(3.0, rel=tolerance)
    assert not model.at_bound
    fit = goodness_of_fit(truth.probability, model)
    assert fit.kl_divergence < 1e-8
    assert fit.rank_1_match < 1e-5


@pytest.mark.parametrize(
    ("alpha", "beta", "n", "size"), [(0.3, 1.5, 1251, 50_000), (0.05, 20, 11_696, 50_000), (0.5, 5, 1_000_000, 20_000)]
)
def test_parameters_are_recovered_from_samples(alpha, beta, n, size):
    histogram = np.bincount(draw(alpha, beta, n, size) - 1, minlength=n)
    model = fit_beta_binomial(histogram, "ll")
    assert model.alpha == pytest.approx(alpha, rel=0.04)
    assert model.beta == pytest.approx(beta, rel=0.06)


def test_no_loss_is_beaten_nearby():
    histogram = np.bincount(draw(0.35, 1.6, 400, 3000, 5) - 1, minlength=400)
    p = histogram / histogram.sum()
    by_hand = {
        "ll": lambda q: -(p[p > 0] @ np.log(q[p > 0])),
        "ms": lambda q: ((p - q) ** 2).sum(),
        "wms": lambda q: (p * (p - q) ** 2).sum(),
        "rwms": lambda q: (np.exp(-np.arange(1, 401)) * (p - q) ** 2).sum(),
        "cll": lambda q: -(p[p > 0] @ np.log(q[p > 0])) + 1e5 * (p[0] - q[0]) ** 2,
    }
    assert set(by_hand) == set(LOSSES)
    for loss, function in by_hand.items():
        model = fit_beta_binomial(histogram, loss)
        least = function(model.probability)
        assert model.value == pytest.approx(least, rel=1e-7)
        for da in (-1e-3, 0, 1e-3):
            for db in (-1e-3, 0, 1e-3):
                other = BetaBinomial(model.alpha * np.exp(da), model.beta * np.exp(db), 400)
                assert function(other.probability) >= least * (1 - 1e-9)


def test_cll_holds_on_to_rank_1_and_ll_has_the_least_divergence():
    truth = 0.97 * BetaBinomial(0.5, 1.5, 600).probability
    truth[0] += 0.03  # more at rank 1 than any beta-binomial has
    fits = {loss: goodness_of_fit(truth, fit_beta_binomial(truth, loss)) for loss in LOSSES}
    assert min(fits, key=lambda loss: fits[loss].kl_divergence) == "ll"
    assert fits["cll"].rank_1_match < fits["ll"].rank_1_match / 20


@pytest.mark.parametrize("ranks", [[1], [1, 1, 1], [77], [500], [1, 500], [3, 3, 4]])
@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_histograms_give_finite_models(ranks, loss):
    model = fit_beta_binomial(rank_histogram(ranks, 500), loss)
    assert np.isfinite([model.alpha, model.beta, model.value]).all()
    assert 0 <= model.mean_disclosure <= np.log2(500)


def test_model_refusals():
    with pytest.raises(InputError, match="loss: expected one of"):
        fit_beta_binomial([1, 2], "mse")
    with pytest.raises(InputError, match="all counts are zero"):
        fit_beta_binomial([0, 0])
    with pytest.raises(InputError, match="not negative"):
        fit_beta_binomial([1, -1])
    with pytest.raises(InputError, match="one rank only"):
        fit_beta_binomial([3])


# --- speakers -----------------------------------------------------------------------------------------------


def test_speakers_models_equal_single_fits():
    n, ranks = 300, draw(np.array([[0.2], [1.0], [3.0]]), np.array([[5.0], [1.0], [2.0]]), 300, (3, 40))
    result = speaker_disclosure(ranks.ravel(), n, speakers=np.repeat(["a", "b", "c"], 40))
    for name, row in zip("abc", ranks, strict=True):
        single = fit_beta_binomial(rank_histogram(row, n), "ll")
        model = result.model(name)
        assert model.alpha == pytest.approx(single.alpha, rel=1e-5)
        assert model.beta == pytest.approx(single.beta, rel=1e-5)
        assert result.mean_disclosure[result.speakers.index(name)] == pytest.approx(single.mean_disclosure, abs=1e-6)
    assert result.most_exposed(1)[0][0] == "a"


# --- adding up -------------------------------------------------------------------------------------------------


def test_independent_features_pass_and_dependent_ones_do_not():
    random = np.random.default_rng(0)
    a, b = random.integers(1, 101, 600), random.integers(1, 101, 600)
    passed = sum(rank_independence(random.permutation(a), b, permutations=99).independent for _ in range(40))
    assert 33 <= passed <= 40
    assert not rank_independence(a, np.clip(a + random.integers(-20, 21, 600), 1, 100), permutations=99).independent
    u_shaped = np.abs(a - 50) * 2 + 1  # no correlation, full dependence
    assert not rank_independence(a, u_shaped, permutations=99).independent


def test_alike_probes_of_a_speaker_do_not_fake_dependence():
    random = np.random.default_rng(1)
    rejected = {"naive": 0, "by speaker": 0}
    for _ in range(30):
        a, b = np.repeat(random.integers(1, 101, 30), 20), np.repeat(random.integers(1, 101, 30), 20)
        speakers = np.repeat(np.arange(30), 20)
        rejected["naive"] += not rank_independence(a, b, permutations=99).independent
        rejected["by speaker"] += not rank_independence(a, b, speakers=speakers, permutations=99).independent
    assert rejected["naive"] > 20
    assert rejected["by speaker"] < 6


def test_sum_warns_when_it_counts_twice():
    random = np.random.default_rng(2)
    a = random.integers(1, 101, 400)
    ranks = {"f0": a, "phones": random.permutation(a), "again": a}
    with pytest.warns(DependentFeatures, match="f0 and again are not independent"):
        result = add_disclosures({"f0": 3.0, "phones": 2.0, "again": 3.0}, ranks, n=100)
    assert not result.allowed
    assert (result.total, result.at_least, result.limited) == (8.0, 3.0, np.log2(100))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert add_disclosures({"f0": 3.0, "phones": 2.0}, {k: ranks[k] for k in ("f0", "phones")}, n=100).allowed


def test_sum_refusals():
    with pytest.raises(TrialMismatch, match="same probes"):
        rank_independence([1, 2], [1])
    with pytest.raises(TooFewTrials):
        rank_independence([1, 2], [1, 2])
    with pytest.raises(InputError, match="same two or more"):
        add_disclosures({"a": 1.0}, {"a": [1]}, 5)


# --- streams ----------------------------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(1, 12), st.integers(2, 30), st.integers(0, 40))
def test_segments_never_overlap_and_lie_as_far_apart_as_can_be(t, d, count, start):
    if t + d > count:
        with pytest.raises(InputError, match="do not fit"):
            segments(start, t, d, count)
        return
    probe, template = segments(start, t, d, count)
    assert not set(probe) & set(template)
    assert (len(set(probe)), len(set(template))) == (t, d)
    gap_after = (template[0] - probe[-1]) % count - 1
    gap_before = (probe[0] - template[-1]) % count - 1
    assert abs(gap_after - gap_before) <= 1


def test_the_gap_as_printed_would_overlap():
    """Delta = (K - S - T)/2 at S = 15, K = 20, T = 8 is -1.5: the template would start inside the probe."""
    start, t, d, count = 15, 8, 4, 20
    printed = (start + t + int((count - start - t) / 2) + np.arange(d)) % count
    probe, ours = segments(start, t, d, count)
    assert set(printed) & set(probe)
    assert not set(ours) & set(probe)


def test_longer_streams_disclose_more_within_the_bounds():
    random = np.random.default_rng(0)
    voices = random.normal(size=(200, 1, 6)) + 2 * random.normal(size=(200, 16, 6))
    result = stream_disclosure(voices, [1, 2, 4, 8], [2, 8, 15])
    assert (np.diff(result.model[1]) > 0).all()
    assert np.isnan(result.model[2, 1:]).all()
    assert (result.model[0] <= result.linear + 1e-9).all()
    assert result.to_dict()["mean_disclosure_model"][2][1] is None


def test_stream_ranks_pool_all_starts():
    voices = np.random.default_rng(0).normal(size=(10, 5, 3))
    counts, speaker = stream_ranks(voices)
    assert counts.above.size == speaker.size == 50
    probe, template = segments(3, 1, 1, 5)
    np.testing.assert_array_equal(counts.above[30:40], count_ranks(voices[:, probe[0]], voices[:, template[0]]).above)


@given(hnp.arrays(np.int64, st.integers(20, 60), elements=st.integers(1, 9)))
def test_histogram_counts_every_probe_once(ranks):
    assert rank_histogram(ranks, 9).sum() == ranks.size
