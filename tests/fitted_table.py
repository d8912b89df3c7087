"""Everything that is fitted on arrays and then used: how, on what, what comes out, and which promises it does not make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pseudo_population import SMALL, SOURCES, population

from stripeless.attackers.backends import fit_backend, fit_plda_backend, fit_whitened_cosine
from stripeless.attackers.inversion.linear import fit_affine, fit_cca, fit_ridge
from stripeless.attackers.inversion.linear_map import fit_pca
from stripeless.attackers.inversion.procrustes import fit_procrustes
from stripeless.attackers.inversion.protocol import fit_front_end
from stripeless.attackers.inversion.wasserstein import fit_wasserstein_procrustes
from stripeless.attackers.inversion.wasserstein_published import fit_wasserstein_procrustes_published
from stripeless.audio.units import fit_units
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.plda import fit_plda
from stripeless.measures.lid import fit_lid_slope
from stripeless.protections.lda import fit_lda_protection
from stripeless.protections.moments import fit_moment_protection
from stripeless.protections.pseudo.catalog import PSEUDO_SPEAKERS, make_pseudo_speakers
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.settings import AdversarialSettings, FlowSettings
from stripeless.ranks.beta_binomial import fit_beta_binomial
from stripeless.scores.calibration import fit_logistic_calibration, fit_pav

Array = np.ndarray[Any, Any]
Data = Mapping[str, Array]

D, PEOPLE, EACH = 6, 44, 4
N = PEOPLE * EACH
RNG = np.random.default_rng(3)
CODES = np.repeat(np.arange(PEOPLE), EACH)
WHO = np.array([f"p{code:02d}" for code in CODES])
LABELS = np.where(CODES % 2, "f", "m")
CLEAR = np.repeat(RNG.normal(size=(PEOPLE, D)) * np.arange(1, D + 1), EACH, axis=0) + 0.3 * RNG.normal(size=(N, D))
CLEAR[LABELS == "f", 0] += 1.5
HIDDEN = CLEAR @ np.linalg.qr(RNG.normal(size=(D, D)))[0] + 0.05 * RNG.normal(size=(N, D))
PAIRS = {"anonymized": HIDDEN, "original": CLEAR}
LABELED = {"vectors": CLEAR, "labels": LABELS, "speakers": WHO}
SPOKEN = {"vectors": CLEAR, "speakers": WHO}
POOLED = population()
SCORES = {"target": RNG.normal(1, 1, 60), "nontarget": RNG.normal(-1, 1, 90)}
AGAINST_ALL = RNG.normal(size=(80, 9))
TRUE = np.arange(80) % 9
AGAINST_ALL[np.arange(80), TRUE] += 1.0


@dataclass(frozen=True, eq=False)
class Row:
    """One thing that is fitted. `argument` is what the array that it is used on is called in errors."""

    name: str
    fit: Callable[[Data, int], Any]
    data: Data
    use: Callable[[Any, Array], Array]
    shown: Array
    shape: tuple[int, ...]
    argument: str = "vectors"
    dtype: str = "float64"  # "as given" where float32 stays float32
    order: str = ""  # why the order of rows matters; where empty it does not
    alone: bool = False  # arrays are put in other orders each by itself, not row by row together
    close: float = 1e-6  # how far another order may lead away, against the largest value
    single: float = 1e-4  # the same for float32 input
    plain: bool = False  # numbers come back, which cannot be changed anyway
    each: str = ""  # why a row of `shown` is not used by itself
    torch: bool = False
    refused: str = ""  # what the error calls the array, where not by the name it has here


def apply(fitted: Any, shown: Array) -> Array:
    return np.asarray(fitted.apply(shown))


def compare(fitted: Any, shown: Array) -> Array:
    return np.asarray(fitted.scores(shown[:7], shown, np.ones(7)))


def on_pairs(fit: Any, **more: Any) -> Callable[[Data, int], Any]:
    return lambda data, seed: fit(data["anonymized"], data["original"], **more)


def on_pairs_seeded(fit: Any) -> Callable[[Data, int], Any]:
    return lambda data, seed: fit(data["anonymized"], data["original"], seed=seed)


def on_pairs_of(fit: Any) -> Callable[[Data, int], Any]:
    return lambda data, seed: fit(data["anonymized"], data["original"], data["speakers"].tolist())


def on_speakers(fit: Any, *more: Any) -> Callable[[Data, int], Any]:
    return lambda data, seed: fit(data["vectors"], tuple(data["speakers"].tolist()), *more)


def on_labels(fit: Any, **more: Any) -> Callable[[Data, int], Any]:
    return lambda data, seed: fit(data["vectors"], data["labels"], speakers=data["speakers"], seed=seed, **more)


def neural(kind: str) -> Callable[[Data, int], Any]:
    """Protections whose module needs torch are imported when they are fitted."""

    def fit(data: Data, seed: int) -> Any:
        if kind == "flow":
            from stripeless.protections.train_flow import fit_flow_protection

            quick = FlowSettings(epochs=2, hidden=8, couplings=2)
            return on_labels(fit_flow_protection, settings=quick)(data, seed)
        from stripeless.protections.train_adversarial import fit_adversarial_protection

        small = AdversarialSettings(epochs=2, hidden=8, code=4)
        return on_labels(fit_adversarial_protection, settings=small)(data, seed)

    return fit


def network(data: Data, seed: int) -> Any:
    from stripeless.embeddings.encoders.xvector import NetworkTraining, fit_xvector

    small = NetworkTraining(epochs=1, channels=8, dimension=4, batch=4, piece=40, speeds=(1.0,), seed=seed)
    return fit_xvector(list(data["recordings"]), data["speakers"].tolist(), small)[0]


def embed(fitted: Any, shown: Array) -> Array:
    return np.asarray(fitted.embed(shown))


def pseudo(name: str) -> Callable[[Data, int], Any]:
    def fit(data: Data, seed: int) -> Any:
        names, speakers, sex = (tuple(data[part].tolist()) for part in ("names", "speakers", "sex"))
        pool = Pool.of(Embeddings(data["vectors"], names, speakers, sex))
        return make_pseudo_speakers(name, pool, QUICK[name], seed=seed)

    return fit


def disguise(fitted: Any, shown: Array) -> Array:
    return np.asarray(fitted.apply(Embeddings(shown, SOURCES.utterances, SOURCES.speakers, SOURCES.sex)).vectors)


def front_end(data: Data, seed: int) -> Any:
    sides = [Embeddings(data[side], tuple(map(str, range(N)))) for side in ("anonymized", "original")]
    return fit_front_end(*sides, 3)


def vector_row(name: str, fit: Callable[[Data, int], Any], data: Data, width: int = D, **more: Any) -> Row:
    """A map of vectors, used on the first array that it was fitted on."""
    shown = next(iter(data.values()))
    return Row(name, fit, data, apply, shown, (len(shown), width), **more)


DEALT = "speakers are dealt into folds in the order in which they come"
PEOPLE_POOL = {
    "vectors": POOLED.vectors,
    "names": np.array(POOLED.utterances),
    "speakers": np.array(POOLED.speakers),
    "sex": np.array(POOLED.sex),
}
QUICK = {name: {**options, "epochs": 1} if "epochs" in options else options for name, options in SMALL.items()}
BY_TORCH = ("s1", "s2", "s1c1", "s2c1")
TABLE = [
    vector_row("fit_procrustes", on_pairs(fit_procrustes), PAIRS),
    vector_row("fit_affine", on_pairs(fit_affine), PAIRS),
    vector_row("fit_ridge", on_pairs_of(fit_ridge), {**PAIRS, "speakers": WHO}, order=DEALT),
    vector_row("fit_cca", on_pairs_of(fit_cca), {**PAIRS, "speakers": WHO}, order=DEALT),
    vector_row("fit_wasserstein_procrustes", on_pairs_seeded(fit_wasserstein_procrustes), PAIRS, alone=True),
    vector_row(
        "fit_wasserstein_procrustes_published",
        on_pairs_seeded(fit_wasserstein_procrustes_published),
        {side: rows[:24] for side, rows in PAIRS.items()},
        order="it numbers soft matches like rows, which is what it is kept for",
    ),
    vector_row("fit_pca", lambda data, seed: fit_pca(data["vectors"], 3), {"vectors": CLEAR}, width=3),
    Row(
        "fit_front_end", front_end, PAIRS, lambda front, shown: apply(front.anonymized, shown), HIDDEN, (N, 3),
        refused="vectors",
    ),
    Row("fit_plda", on_speakers(fit_plda), SPOKEN, compare, CLEAR, (7, N), each="scores are of pairs"),
    Row(
        "fit_whitened_cosine", on_speakers(fit_whitened_cosine, 0.3), SPOKEN, compare, CLEAR, (7, N), argument="models",
        each="scores are of pairs",
    ),
    Row("fit_plda_backend", on_speakers(fit_plda_backend), SPOKEN, compare, CLEAR, (7, N), each="scores are of pairs"),
    Row(
        "fit_backend", lambda data, seed: on_speakers(fit_backend, None, seed)(data, seed)[0], SPOKEN, compare, CLEAR,
        (7, N), argument="models", each="scores are of pairs",
    ),
    *(
        vector_row(
            "fit_lda_protection", on_labels(fit_lda_protection, projection=projection), LABELED, dtype="as given"
        )
        for projection in ("orthogonal", "oblique")
    ),
    vector_row("fit_moment_protection", on_labels(fit_moment_protection, directions=1), LABELED, dtype="as given"),
    vector_row(
        "fit_flow_protection", neural("flow"), LABELED, dtype="as given", torch=True,
        order="rows are drawn into batches by number", single=1e-2,
    ),
    vector_row(
        "fit_adversarial_protection", neural("adversarial"), LABELED, dtype="as given", torch=True,
        order="rows are drawn into batches by number", single=1e-2,
    ),
    Row(
        "fit_units", lambda data, seed: fit_units([data["frames"]], 5, seed=seed), {"frames": CLEAR},
        lambda units, shown: units.of(shown), CLEAR, (N,), argument="frames", dtype="int64",
        order="first centers are drawn by number",
    ),
    Row(
        "fit_pav", lambda data, seed: fit_pav(data["target"], data["nontarget"]), SCORES, apply, SCORES["target"],
        (60,), argument="scores", alone=True,
    ),
    Row(
        "fit_logistic_calibration", lambda data, seed: fit_logistic_calibration(data["target"], data["nontarget"]),
        SCORES, apply, SCORES["target"], (60,), argument="scores", alone=True,
    ),
    Row(
        "fit_lid_slope", lambda data, seed: fit_lid_slope(data["scores"], data["true"]),
        {"scores": AGAINST_ALL, "true": TRUE}, lambda slope, shown: np.array([slope]), AGAINST_ALL, (1,), plain=True,
        argument="", each="it is one number",
    ),
    Row(
        "fit_beta_binomial", lambda data, seed: fit_beta_binomial(data["histogram"]),
        {"histogram": np.array([40.0, 20.0, 9.0, 4.0, 2.0, 1.0])}, lambda model, shown: model.probability, TRUE, (6,),
        order="the places of a histogram are the ranks", argument="", each="it is one distribution",
    ),
    Row(
        "fit_xvector", network,
        {"recordings": RNG.normal(0, 0.1, (8, 8000)), "speakers": np.repeat(["a", "b", "c", "d"], 2)}, embed,
        RNG.normal(0, 0.1, 8000), (4,), argument="samples", dtype="float32", torch=True, single=1e-2,
        order="recordings are drawn by number", each="a recording is one",
    ),
    *(
        Row(
            name, pseudo(name), PEOPLE_POOL, disguise, SOURCES.vectors, SOURCES.vectors.shape, dtype="as given",
            torch=name in BY_TORCH, each="a speaker's utterances go together",
            single=1e-2 if name == "a1" else 1e-4,  # its trees jump where a number crosses a threshold
        )
        for name in PSEUDO_SPEAKERS
    ),
]  # fmt: skip

# Steps of what stands in the table, not used by themselves; and what fits them.
STEPS = {
    "fit_line": "the classifier svm, in tests/attributes",
    "fit_telling": "share_unprotected, which has tests of its own",
    "fit_start": "fit_moment_protection",
    "fit_squeeze": "s1c1",
    "fit_mixture": "o1",
    "fit_mixtures": "o1",
    "fit_groups": "speaker_disclosure, which has tests of its own",
    "fit_two_covariances": "simulated populations, which nothing is fed into",
    "fit_backend_of": "the same",
    "fit_linear": "fit_lda_protection, for a command",
    "fit_labels_of": "which labels, no fitting",
    **{f"fit_{name}": "the systems of pseudo-speakers, each in a row of its own" for name in (
        "farthest", "regression", "singular", "indistinguishable", "sampled", "sampled_unlike", "apart", "autoencoded",
        "autoencoded_tuned", "farthest_autoencoded", "farthest_autoencoded_tuned",
    )},
}  # fmt: skip
