"""Results of attack, similarity, rank, protect, reproduce and summary, computed on simulated vectors."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
from sample_results import evaluation

from stripeless.embeddings.embeddings import Embeddings
from stripeless.papers.reproduce import reproduction as reproduce_tables
from stripeless.ranks.analysis import analyze_ranks
from stripeless.ranks.counts import count_ranks
from stripeless.results.kinds import result_from_dict
from stripeless.results.ranks import RankReport
from stripeless.studies.attack import attack_study
from stripeless.studies.similarity import similarity_study
from stripeless.studies.summary import summarize_results

PEOPLE, EACH = 12, 6


def embeddings(rotated: bool, noise: float, seed: int) -> Embeddings:
    """Twelve people, six utterances each; rotated, the vectors of an anonymizer that only rotates."""
    rng = np.random.default_rng(0)
    people = np.repeat(rng.normal(size=(PEOPLE, 8)), EACH, axis=0)
    turn = np.linalg.qr(rng.normal(size=(8, 8)))[0] if rotated else np.eye(8)
    vectors = people @ turn + noise * np.random.default_rng(seed).normal(size=people.shape)
    who = np.repeat(np.arange(PEOPLE), EACH)
    names = tuple(f"u{k:03d}" for k in range(len(who)))
    return Embeddings(vectors, names, tuple(f"s{k:02d}" for k in who), tuple("fm"[k % 2] for k in who))


@cache
def _attack(noise: float) -> dict[str, Any]:
    return attack_study(embeddings(True, noise, 1), embeddings(False, 0.3, 2), resamples=100, name="turned").to_dict()


def attack(noise: float = 0.5) -> dict[str, Any]:
    return deepcopy(_attack(noise))


@cache
def _rank(noise: float) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    templates, names = rng.normal(size=(40, 8)), [f"s{k}" for k in range(40)]
    who = names * 5
    probes = np.tile(templates, (5, 1)) + noise * rng.normal(size=(200, 8))
    counts = count_ranks(probes, templates, probe_speakers=who, template_speakers=names)
    return RankReport((analyze_ranks(counts, name="voice", speakers=who, resamples=100),), name="ranked").to_dict()


def rank(noise: float = 1.0) -> dict[str, Any]:
    return deepcopy(_rank(noise))


@cache
def _attribute(shift: float) -> dict[str, Any]:
    from stripeless.attributes.proof import judge_protection

    vectors = np.random.default_rng(4).normal(size=(200, 3))
    labels, people = ["f"] * 100 + ["m"] * 100, [k // 5 for k in range(200)]
    vectors[:100, 0] += shift
    proof = judge_protection(vectors, labels, people, original=vectors, classifiers=["logistic"], name="sex").to_dict()
    points = vectors[:, :2].round(2).tolist()
    return {**proof, "figures": {"labels": labels, "map_original": points, "map_protected": points}}


def attribute(shift: float = 2.0) -> dict[str, Any]:
    """Needs scikit-learn."""
    return deepcopy(_attribute(shift))


def similarity() -> dict[str, Any]:
    return similarity_study(embeddings(True, 0.5, 1), embeddings(False, 0.3, 2), name="alike").to_dict()


def reproduction() -> dict[str, Any]:
    return reproduce_tables(["statements"]).to_dict()


def summary() -> dict[str, Any]:
    return summarize_results([result_from_dict(one) for one in (evaluation(), attack(), rank())]).to_dict()


def study(kind: str) -> dict[str, Any]:
    """The result of this kind."""
    makers = {"attack": attack, "rank": rank, "attribute": attribute, "similarity": similarity,
              "reproduction": reproduction, "summary": summary}  # fmt: skip
    if kind == "attribute":
        import pytest

        pytest.importorskip("sklearn", reason="classifiers need pip install 'stripeless[classifiers]'")
    return makers[kind]()


KINDS = ("attack", "rank", "attribute", "similarity", "reproduction", "summary")
FIGURES = {
    "attack": {"pairs"},
    "rank": {"rank_histogram", "cmc", "speaker_disclosure", "example_speaker", "rank_shapes"},
    "attribute": {"map_original", "map_protected"},
    "similarity": {"similarity"},
    "reproduction": set(),
    "summary": set(),
}
