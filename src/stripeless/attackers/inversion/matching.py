"""Which anonymized rows belong to which original rows, from their geometry alone.

Nothing of the pairing is given: not the order of the rows (they are shuffled first), not the speakers, not the sizes of
the two sets. What is left is what no rotation can change: which rows of one set lie close to each other, and how
crowded it is around each. The distances of both sets are replaced by their ranks, so that one space may be stretched
against the other; neighborhoods that look alike give a first soft match (a lower bound of Gromov and Wasserstein's
distance, Memoli 2011), which Frank-Wolfe steps improve until close rows are matched with close rows (Gromov-Wasserstein,
or quadratic assignment, Vogelstein et al. 2015). This is repeated over sharp and blunt views, small and large
neighborhoods, and the matches are counted. On hard data any single run finds a wrong optimum, often one that scores
better than the truth; what the runs agree on is far more often right than what any of them claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from stripeless.attackers.inversion.refinement import believable
from stripeless.attackers.inversion.transport import best_assignment, sinkhorn
from stripeless.embeddings.vectors import FloatArray

SHARPNESS = (1.0, 2.0)
NEIGHBORHOODS = (0.025, 0.05, 0.1, 0.25)  # as shares of the set
MOST_ROWS = 256  # in one run; larger sets are sampled anew for each run
STEPS = 25
BLUR = 0.3  # share of random matches in a start


@dataclass(frozen=True, eq=False)
class RowMatching:
    """Which anonymized rows seem to belong to which original rows, as votes of several runs.

    Attributes:
        votes: anonymized rows x original rows; `votes[i, j]` is the share of runs, 0 to 1, that matched row i with row j.
        agreement: mean over rows of the largest share: 1 where all runs say the same, near 1/runs where each says
            something else.
        runs: how many runs voted.
        sure: whether a match could be refined to pairs that fit far better than chance; the votes are then those pairs.
    """

    votes: FloatArray
    agreement: float
    runs: int
    sure: bool = False

    @property
    def rows(self) -> NDArray[np.int64]:
        """Anonymized rows that were matched at all."""
        return np.flatnonzero(self.votes.sum(axis=1) > 0)


def match_unpaired(anonymized: FloatArray, original: FloatArray, *, seed: int = 0, rounds: int = 1) -> RowMatching:
    """Votes of eight runs per round; the two sets may differ in size and in dimensions.

    >>> rng = np.random.default_rng(0)
    >>> cloud = rng.normal(size=(40, 5))
    >>> match = match_unpaired(cloud[:, ::-1], cloud)
    >>> bool((match.votes.argmax(axis=1) == np.arange(40)).all())
    True
    """
    rng = np.random.default_rng(seed)
    similarities = [_rank_similarity(_directions(vectors)) for vectors in (anonymized, original)]
    ordered = [_by_nearness(similarity) for similarity in similarities]
    met = np.zeros((len(anonymized), len(original)))
    matched = np.zeros_like(met)
    guesses: list[FloatArray] = []
    settings = list(product(SHARPNESS, NEIGHBORHOODS)) * rounds
    size = min(len(anonymized), len(original), MOST_ROWS)
    for sharpness, neighborhood in settings:
        rows, columns = (rng.permutation(len(similarity))[:size] for similarity in similarities)
        profiles = _profiles(ordered[0][rows], ordered[1][columns], neighborhood)
        kernels = [
            _kernel(similarity[np.ix_(some, some)], sharpness)
            for similarity, some in zip(similarities, (rows, columns), strict=True)
        ]
        pairs = _one_run(kernels, profiles, rng)
        met[np.ix_(rows, columns)] += 1
        matched[rows, columns[pairs]] += 1
        guesses.append(np.zeros_like(met))
        guesses[-1][rows, columns[pairs]] = 1
    votes = matched / np.maximum(met.max(axis=1, keepdims=True), 1)
    agreement = float(votes[votes.sum(axis=1) > 0].max(axis=1).mean())
    refined = believable(anonymized, original, [votes, *guesses], rng)
    if refined is None:
        return RowMatching(votes, agreement, len(settings))
    rows = np.flatnonzero(refined.pairs >= 0)
    certain = np.zeros_like(votes)
    certain[rows, refined.pairs[rows]] = 1
    return RowMatching(certain, agreement, len(settings), sure=True)


def _directions(vectors: FloatArray) -> FloatArray:
    """Centered rows of unit length; a row that is the center itself stays there."""
    centered = vectors - vectors.mean(axis=0)
    lengths = np.linalg.norm(centered, axis=1, keepdims=True)
    directions: FloatArray = centered / np.where(lengths > 0, lengths, 1.0)
    return directions


def _rank_similarity(directions: FloatArray) -> FloatArray:
    """Similarities between rows, replaced by normal scores of their ranks; 0 on the diagonal."""
    from scipy.special import ndtri

    n = len(directions)
    upper = np.triu_indices(n, k=1)
    values = (directions @ directions.T)[upper]
    ranks = np.empty(values.size)
    ranks[np.argsort(values, kind="stable")] = (np.arange(values.size) + 0.5) / max(values.size, 1)
    result = np.zeros((n, n))
    result[upper] = ndtri(ranks)
    return result + result.T


def _by_nearness(similarity: FloatArray) -> FloatArray:
    """For each row its similarities to the others, nearest first."""
    others = similarity.copy()
    np.fill_diagonal(others, -np.inf)
    nearest: FloatArray = -np.sort(-others, axis=1)[:, :-1]
    return nearest


def _profiles(first: FloatArray, second: FloatArray, neighborhood: float) -> tuple[FloatArray, FloatArray]:
    """Similarities of the nearest share of each set, read off at as many places in both."""
    counts = [min(rows.shape[1], max(2, round(neighborhood * rows.shape[1]))) for rows in (first, second)]
    places = [np.linspace(0, count - 1, min(counts)).round().astype(np.int64) for count in counts]
    return first[:, places[0]], second[:, places[1]]


def _kernel(similarity: FloatArray, sharpness: float) -> FloatArray:
    kernel = np.exp(sharpness * similarity)
    np.fill_diagonal(kernel, 0.0)
    scaled: FloatArray = kernel / np.linalg.norm(kernel)
    return scaled


def _one_run(
    kernels: list[FloatArray], profiles: tuple[FloatArray, FloatArray], rng: np.random.Generator
) -> NDArray[np.int64]:
    a, b = profiles
    apart = np.maximum((a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T, 0.0)
    start, _ = sinkhorn(apart / max(float(apart.mean()), 1e-300), 0.3, most_steps=100)
    noise, _ = sinkhorn(rng.random(apart.shape), 0.5, most_steps=30)
    return _frank_wolfe(kernels[0], kernels[1], (1 - BLUR) * start + BLUR * noise)


def _frank_wolfe(first: FloatArray, second: FloatArray, match: FloatArray) -> NDArray[np.int64]:
    """Raise the agreement of both kernels under a soft match by steps towards assignments, with exact step lengths."""
    gradient = first @ match @ second
    rows = np.arange(len(match))
    for _ in range(STEPS):
        assigned = best_assignment(gradient)
        target = first @ second[assigned]  # first @ Q @ second for the permutation matrix Q of the assignment
        change = target - gradient
        toward_gradient = float(gradient[rows, assigned].sum() - (match * gradient).sum())
        toward_change = float(change[rows, assigned].sum() - (match * change).sum())
        slope = 2 * toward_gradient
        step = 1.0 if toward_change >= 0 or -slope / (2 * toward_change) > 1 else -slope / (2 * toward_change)
        if toward_gradient <= 1e-12 * abs(float((match * gradient).sum())):
            break
        match = (1 - step) * match
        match[rows, assigned] += step
        gradient = gradient + step * change
    return best_assignment(match)
