"""Attackers on an attribute: six classifiers trained on some speakers and tried on others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless._draws import dealt
from stripeless._extras import need
from stripeless.attributes.svm import SpeakerSvm
from stripeless.embeddings.embeddings import Vectors
from stripeless.errors import InputError
from stripeless.protections.labels import LabeledVectors
from stripeless.scores.check import FloatArray

Make: TypeAlias = Callable[[int], Any]
NEIGHBORS = 15
LEAF = 20  # rows in a leaf of boosting, scikit-learn's default


def _scaled(classifier: Any) -> Any:
    pipeline = need("sklearn.pipeline", "classifiers", "Judging an attribute")
    scaling = need("sklearn.preprocessing", "classifiers", "Judging an attribute")
    return pipeline.make_pipeline(scaling.StandardScaler(), classifier)


def _perceptron(seed: int) -> Any:
    networks = need("sklearn.neural_network", "classifiers", "The perceptron")
    return _scaled(networks.MLPClassifier((100,), max_iter=40, alpha=1e-3, random_state=seed))


def _logistic(seed: int) -> Any:
    linear = need("sklearn.linear_model", "classifiers", "Logistic regression")
    return _scaled(linear.LogisticRegression(C=0.01, max_iter=1000))


def _neighbors(seed: int) -> Any:
    near = need("sklearn.neighbors", "classifiers", "Nearest neighbors")
    return _scaled(near.KNeighborsClassifier(NEIGHBORS))


def _angles(seed: int) -> Any:
    """Neighbors by angle: speaker encoders are trained to compare directions, and lengths only blur what these tell."""
    pipeline = need("sklearn.pipeline", "classifiers", "Judging an attribute")
    scaling = need("sklearn.preprocessing", "classifiers", "Judging an attribute")
    near = need("sklearn.neighbors", "classifiers", "Nearest neighbors")
    return pipeline.make_pipeline(scaling.StandardScaler(), scaling.Normalizer(), near.KNeighborsClassifier(NEIGHBORS))


def _boosting(seed: int) -> Any:
    ensemble = need("sklearn.ensemble", "classifiers", "Gradient boosting")
    return ensemble.HistGradientBoostingClassifier(
        max_iter=60, max_features=0.3, early_stopping=False, random_state=seed
    )


CLASSIFIERS: dict[str, Make] = {
    "perceptron": _perceptron,
    "logistic": _logistic,
    "neighbors": _neighbors,
    "angles": _angles,
    "boosting": _boosting,
    "svm": SpeakerSvm,
}


@dataclass(frozen=True, eq=False)
class AttributeScores:
    """Evidence for each class that a classifier saw: one row per vector, log-likelihoods up to a constant per row.

    `tested` comes from classifiers that never saw the row's speaker; `trained` from those that did, averaged.
    """

    classifier: str
    tested: FloatArray
    trained: FloatArray


def check_classifiers(names: Sequence[str] | None) -> tuple[str, ...]:
    """All classifiers, or those asked for."""
    wanted = tuple(CLASSIFIERS) if names is None else tuple(names)
    unknown = [name for name in wanted if name not in CLASSIFIERS]
    if unknown or not wanted:
        raise InputError(f"classifiers: {', '.join(unknown) or 'none'} given, known are {', '.join(CLASSIFIERS)}")
    return wanted


def row_folds(data: LabeledVectors, folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row: all rows of a speaker in one fold, speakers of each class spread evenly over the folds."""
    classes = data.speaker_classes
    people = np.bincount(classes, minlength=len(data.classes))
    if folds < 2 or people.min() < 2:
        raise InputError(
            f"folds: {folds} folds of {people.min()} speakers in the smallest class; at least two of each are needed"
        )
    rng = np.random.default_rng(seed)
    fold = np.empty(classes.size, dtype=np.int64)
    for code in range(len(data.classes)):
        for speaker, number in dealt(np.flatnonzero(classes == code).tolist(), rng):
            fold[speaker] = number % min(folds, int(people.min()))
    return fold[data.speakers]


def attribute_scores(
    data: LabeledVectors,
    seen: Vectors,
    folds: NDArray[np.int64],
    names: Sequence[str],
    seed: int,
    trained_too: bool = True,
) -> Iterator[AttributeScores]:
    """Train each classifier on `seen`, all folds but one, and try it on `data`, the fold left out; for every fold.

    `seen` is the vectors themselves, or the unprotected ones for an attacker who does not know of the protection.
    Without `trained_too` nobody is tried on those who trained, and `trained` is zero.
    """
    quick = need("sklearn", "classifiers", "Judging an attribute").config_context  # what comes here is checked already
    for name in names:
        size = (len(data.codes), len(data.classes))
        tested, trained, times = np.zeros(size), np.zeros(size), int(folds.max())
        for fold in range(times + 1):
            learn, attack = folds != fold, folds == fold
            classifier = suited(CLASSIFIERS[name](seed), int(learn.sum()))
            whose = (data.speakers[learn],) if hasattr(classifier, "by_speaker") else ()
            prior = np.log(np.bincount(data.codes[learn]) / learn.sum())
            with warnings.catch_warnings(), quick(assume_finite=True, skip_parameter_validation=True):
                warnings.simplefilter("ignore")  # a perceptron that stops before it converged is a choice here
                classifier.fit(seen[learn], data.codes[learn], *whose)
                tested[attack] = log_posteriors(classifier, data.vectors[attack]) - prior
                if trained_too:
                    trained[learn] += (log_posteriors(classifier, seen[learn]) - prior) / times
        yield AttributeScores(name, tested, trained)


def suited(classifier: Any, rows: int) -> Any:
    """The classifier with neighborhoods and leaves that are small beside so many rows: one per speaker are few."""
    last = classifier[-1] if hasattr(classifier, "steps") else classifier
    if hasattr(last, "n_neighbors"):
        last.n_neighbors = min(NEIGHBORS, max(1, rows // 4))
    if hasattr(last, "min_samples_leaf"):
        last.min_samples_leaf = min(LEAF, max(1, rows // 8))
    return classifier


def log_posteriors(classifier: Any, vectors: NDArray[Any]) -> FloatArray:
    """Log of the probabilities, kept off zero: a vote of all neighbors is not certainty."""
    probability = np.asarray(classifier.predict_proba(vectors), dtype=np.float64)
    if hasattr(classifier, "steps") and hasattr(classifier[-1], "n_neighbors"):
        neighbors = classifier[-1].n_neighbors
        votes = probability * neighbors
        probability = (votes + 0.5) / (neighbors + 0.5 * probability.shape[1])
    return np.asarray(np.log(np.maximum(probability, 1e-12)), dtype=np.float64)


def class_llr(log_likelihoods: FloatArray, code: int) -> FloatArray:
    """LLR of one class against all others, these being equally likely."""
    others = np.delete(log_likelihoods, code, axis=1)
    top = others.max(axis=1)
    rest = top + np.log(np.exp(others - top[:, None]).mean(axis=1))
    return np.asarray(log_likelihoods[:, code] - rest, dtype=np.float64)
