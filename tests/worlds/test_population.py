"""The simulated population: its truth is the truth."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.embeddings.plda import two_covariance_llr
from stripeless.errors import InputError
from stripeless.measures.eer import eer
from stripeless.worlds.population import Population, best_possible, simulate_attackers, simulate_evaluation


def test_llr_equals_the_ratio_of_two_gaussian_densities() -> None:
    from scipy.stats import multivariate_normal

    rng = np.random.default_rng(0)
    between, noise = np.array([2.0, 0.5, 0.1]), 0.25
    e, t = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    a, b, c = np.diag(between + noise), np.diag(between), np.diag(between + 1)
    same = multivariate_normal(np.zeros(6), np.block([[a, b], [b, c]]))
    for i in range(4):
        for j in range(5):
            other = multivariate_normal(np.zeros(3), a).logpdf(e[i]) + multivariate_normal(np.zeros(3), c).logpdf(t[j])
            expected = same.logpdf(np.concatenate([e[i], t[j]])) - other
            assert two_covariance_llr(e, t, between, 1 / noise)[i, j] == pytest.approx(expected, abs=1e-10)


def test_attackers_stand_in_the_order_of_what_they_know() -> None:
    result = simulate_evaluation(resamples=0)
    ignorant, lazy, semi = (float(attacker["eer"]) for attacker in result.attackers)  # type: ignore[arg-type]
    assert result.original is not None
    assert float(result.original["eer"]) < semi < lazy < ignorant  # type: ignore[arg-type]
    assert result.strongest().attacker == "semi-informed"
    assert ignorant == pytest.approx(0.5, abs=0.08)


def test_the_best_measured_attacker_comes_close_to_the_truth_and_does_not_beat_it() -> None:
    population = Population(speakers=400, utterances=4, training_speakers=2000, enrollment_utterances=1)
    scores = simulate_attackers(population)["semi-informed"]
    truth = best_possible(population)["eer"]
    assert eer(scores.target, scores.nontarget) == pytest.approx(truth, abs=0.015)


def test_an_anonymizer_that_removes_everything_leaves_nothing_to_find() -> None:
    truth = best_possible(Population(strength=1.0), draws=20_000)
    assert truth["eer"] == pytest.approx(0.5, abs=0.01)
    assert truth["d_ece"] == pytest.approx(0.0, abs=0.001)


def test_impossible_populations_are_refused() -> None:
    with pytest.raises(InputError, match=r"from 0 .* to 1"):
        Population(strength=1.5)
    with pytest.raises(InputError, match="at least 4"):
        Population(speakers=2)
