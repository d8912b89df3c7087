"""A1: regressions that learned to send people to where they are not (Mawalim et al. 2020).

Every speaker of the pool is paired with the least similar cluster of speakers; regressions learn that map, an ensemble for the
dimensions in which speakers vary most and ridge alone for the rest. No full text or code was found: sizes and regressions
are our choice. Nothing is drawn, so the same vector always gives the same pseudo-speaker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stripeless._extras import need
from stripeless.embeddings.vectors import FloatArray
from stripeless.protections.pseudo.clusters import k_means
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.singular import Scale, check_clusters, least_similar
from stripeless.protections.pseudo.system import Person, PseudoSpeakers, check_sex, check_whole

HIGH, COMPONENTS, NEIGHBORS, TREES, DEPTH, RATE = 256, 32, 5, 100, 3, 0.1


@dataclass(frozen=True, eq=False)
class Trees:
    """Boosted regression trees as arrays (output, tree, node), so that applying them needs NumPy alone.

    A leaf is its own left and right.
    """

    start: FloatArray
    feature: NDArray[np.int64]
    threshold: FloatArray
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: FloatArray

    def apply(self, vector: FloatArray) -> FloatArray:
        """One number per output."""
        outputs, trees = np.indices(self.feature.shape[:2])
        node = np.zeros(self.feature.shape[:2], dtype=np.int64)
        for _ in range(DEPTH):
            below = vector[self.feature[outputs, trees, node]] <= self.threshold[outputs, trees, node]
            node = np.where(below, self.left[outputs, trees, node], self.right[outputs, trees, node])
        found: FloatArray = self.start + RATE * self.value[outputs, trees, node].sum(axis=1)
        return found


@dataclass(frozen=True, eq=False)
class Ensemble:
    """The regressions of one sex, on scaled vectors; `high` are the dimensions that ridge, trees and neighbors share."""

    high: NDArray[np.int64]
    ridge: FloatArray
    offset: FloatArray
    inputs: FloatArray
    outputs: FloatArray
    output_mean: FloatArray
    trees: Trees
    known: FloatArray
    targets: FloatArray

    def apply(self, scaled: FloatArray) -> FloatArray:
        """The regressions' answer for one scaled vector."""
        answer = self.offset + scaled @ self.ridge
        boosted = self.output_mean + self.trees.apply((scaled[self.high]) @ self.inputs) @ self.outputs
        order = np.argsort(((self.known - scaled[self.high]) ** 2).sum(axis=1), kind="stable")[:NEIGHBORS]
        neighbors = self.targets[order].mean(axis=0)
        answer[self.high] = (answer[self.high] + boosted + neighbors) / 3
        return answer


@dataclass(frozen=True, eq=False, kw_only=True)
class Regression(PseudoSpeakers):
    """One ensemble per sex."""

    name: ClassVar[str] = "a1"
    draws: ClassVar[bool] = False
    scale: Scale
    ensembles: Mapping[str, Ensemble]
    clusters: int

    def options(self) -> dict[str, Any]:
        return {"clusters": self.clusters}

    def make(self, vector: FloatArray, person: Person) -> FloatArray:
        check_sex(person.sex, self.ensembles)
        return self.scale.undo(self.ensembles[person.sex].apply(self.scale.apply(vector)))


def fit_regression(
    pool: Pool, *, clusters: int = 20, training_seed: int = 0, seed: int = 0, **common: Any
) -> Regression:
    """A1: ridge, boosting and the five nearest for the most varying dimensions (256, or half of a smaller space)."""
    clusters = check_clusters(pool, clusters)
    training_seed = check_whole("training_seed", training_seed, 0)
    scale = Scale.of(pool.vectors)
    high = np.sort(np.argsort(-pool.vectors.var(axis=0), kind="stable")[: min(HIGH, pool.dimension // 2)])
    ensembles = {}
    for number, sex in enumerate(pool.sexes):
        scaled = scale.apply(pool.of_sex(sex))
        centers = k_means(scaled, clusters, np.random.default_rng([training_seed, number]))[0]
        targets = np.array([centers[least_similar(row, centers)] for row in scaled])
        ensembles[sex] = _fit_ensemble(scaled, targets, high, training_seed)
    return Regression(
        **pool.stamp(seed),
        scale=scale,
        ensembles=ensembles,
        clusters=clusters,
        **common,
    )


def _fit_ensemble(scaled: FloatArray, targets: FloatArray, high: NDArray[np.int64], seed: int) -> Ensemble:
    center, wanted = scaled.mean(axis=0), targets.mean(axis=0)
    inner = scaled - center
    kernel = inner @ inner.T + np.eye(len(inner))  # ridge with lambda 1, solved among the speakers, who are fewer
    ridge = inner.T @ np.linalg.solve(kernel, targets - wanted)
    inputs = np.linalg.svd(scaled[:, high] - scaled[:, high].mean(axis=0), full_matrices=False)[2][:COMPONENTS].T
    output_mean = targets[:, high].mean(axis=0)
    _, values, directions = np.linalg.svd(targets[:, high] - output_mean, full_matrices=False)
    outputs = directions[values > values[0] * 1e-9]  # there are no more directions than clusters: nothing is lost
    coordinates = (targets[:, high] - output_mean) @ outputs.T
    return Ensemble(
        high=high,
        ridge=ridge,
        offset=wanted - center @ ridge,
        inputs=inputs,
        outputs=outputs,
        output_mean=output_mean,
        trees=_fit_trees(scaled[:, high] @ inputs, coordinates, seed),
        known=scaled[:, high].copy(),
        targets=targets[:, high].copy(),
    )


def _fit_trees(points: FloatArray, targets: FloatArray, seed: int) -> Trees:
    """scikit-learn's gradient boosting, one output at a time, as arrays."""
    ensemble = need("sklearn.ensemble", "classifiers", "a1")
    outputs, nodes = targets.shape[1], 2 ** (DEPTH + 1) - 1
    feature, left, right = (np.zeros((outputs, TREES, nodes), dtype=np.int64) for _ in range(3))
    threshold, value = (np.zeros((outputs, TREES, nodes)) for _ in range(2))
    start = np.zeros(outputs)
    for output in range(outputs):
        model = ensemble.GradientBoostingRegressor(
            n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, random_state=seed
        ).fit(points.astype(np.float32), targets[:, output])
        start[output] = float(np.ravel(model.init_.constant_)[0])
        for place, tree in enumerate(model.estimators_[:, 0]):
            found, count = tree.tree_, tree.tree_.node_count
            leaf = found.children_left == -1
            own = np.arange(count)
            feature[output, place, :count] = np.where(leaf, 0, found.feature)
            threshold[output, place, :count] = found.threshold
            left[output, place, :count] = np.where(leaf, own, found.children_left)
            right[output, place, :count] = np.where(leaf, own, found.children_right)
            value[output, place, :count] = found.value[:, 0, 0]
    return Trees(start, feature, threshold, left, right, value)
