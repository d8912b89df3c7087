"""`stripeless similarity`: the matrices of one system and what they sum up to, as one result."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import need_speakers, paired, read_beside, take
from stripeless.measures.catalog import SIMILARITY_MEASURES
from stripeless.measures.measure import Measure, MeasureInfo
from stripeless.measures.similarity import SimilarityMatrix, similarity_matrices
from stripeless.results.similarity import SimilarityGroup, SimilarityStudy

WORDS = {"f": "women", "m": "men"}


def similarity_study(anonymized: Embeddings, original: Embeddings, *, name: str = "", seed: int = 0) -> SimilarityStudy:
    """DeID and G_VD of each sex by itself where sex is known (as in the VoicePrivacy tables), and the matrices of all."""
    inputs = (*anonymized.inputs, *original.inputs)
    anonymized, original = paired(anonymized, original)
    speakers = need_speakers(original, "original")
    notes = read_beside(original)
    anonymized = Embeddings(anonymized.vectors, original.utterances, speakers, original.sex)
    everyone = similarity_matrices(original, anonymized)
    groups = []
    kinds = sorted(set(original.sex)) if original.sex is not None else []
    for sex in kinds if len(kinds) > 1 else []:
        rows = np.array([s == sex for s in original.sex or ()])
        groups.append(_group(WORDS.get(sex, sex), similarity_matrices(take(original, rows), take(anonymized, rows))))
    one = WORDS.get("".join(kinds), "all")
    return SimilarityStudy(
        groups=tuple(groups) or (_group(one, everyone),),
        speakers=everyone["oo"].speakers,
        matrices={kind: tuple(map(tuple, matrix.values.tolist())) for kind, matrix in everyone.items()},
        name=name,
        seed=seed,
        inputs=inputs,
        notes=notes,
    )


def _group(name: str, matrices: Mapping[str, SimilarityMatrix]) -> SimilarityGroup:
    measures = {info.name: _measured(info, matrices) for info in SIMILARITY_MEASURES.values()}
    return SimilarityGroup(name, len(matrices["oo"].speakers), measures)


def _measured(info: MeasureInfo, matrices: Mapping[str, SimilarityMatrix]) -> Measure:
    value = info.of(matrices)
    if np.isfinite(value):
        return Measure(info, value)
    return Measure(info, None, reason="minus infinity: all anonymized voices are alike")
