"""`stripeless similarity`: the matrices of one system and what they sum up to, as one result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import need_speakers, paired, take
from stripeless.measures.measure import Measure, MeasureInfo
from stripeless.measures.similarity import (
    SimilarityMatrix,
    de_identification,
    gain_of_voice_distinctiveness,
    similarity_matrix,
)
from stripeless.results.similarity import SimilarityGroup, SimilarityStudy
from stripeless.scores.trials import InputFile

WORDS = {"f": "women", "m": "men"}


def similarity_study(
    anonymized: Embeddings, original: Embeddings, *, name: str = "", inputs: Sequence[InputFile] = (), seed: int = 0
) -> SimilarityStudy:
    """DeID and G_VD of each sex by itself where sex is known (as in the VoicePrivacy tables), and the matrices of all."""
    anonymized, original = paired(anonymized, original)
    speakers = need_speakers(original, "original")
    anonymized = Embeddings(anonymized.vectors, original.utterances, speakers, original.sex)
    everyone = _matrices(anonymized, original)
    groups = []
    kinds = sorted(set(original.sex)) if original.sex is not None else []
    for sex in kinds if len(kinds) > 1 else []:
        rows = np.array([s == sex for s in original.sex or ()])
        groups.append(_group(WORDS.get(sex, sex), *_matrices(take(anonymized, rows), take(original, rows))))
    one = WORDS.get("".join(kinds), "all")
    return SimilarityStudy(
        groups=tuple(groups) or (_group(one, *everyone),),
        speakers=tuple(everyone[0].speakers),
        matrices={matrix.kind: tuple(map(tuple, matrix.values.tolist())) for matrix in everyone},
        name=name,
        seed=seed,
        inputs=tuple(inputs),
    )


def _matrices(
    anonymized: Embeddings, original: Embeddings
) -> tuple[SimilarityMatrix, SimilarityMatrix, SimilarityMatrix]:
    return (
        similarity_matrix(original, kind="oo"),
        similarity_matrix(original, anonymized, kind="oa"),
        similarity_matrix(anonymized, kind="aa"),
    )


def _group(name: str, m_oo: SimilarityMatrix, m_oa: SimilarityMatrix, m_aa: SimilarityMatrix) -> SimilarityGroup:
    gain = gain_of_voice_distinctiveness(m_aa, m_oo)
    alike = "minus infinity: all anonymized voices are alike" if not np.isfinite(gain) else ""
    measures = (
        _measure("de_identification", "De-identification", de_identification(m_oa, m_oo), "share", "high"),
        _measure(
            "gain_of_voice_distinctiveness",
            "Gain of voice distinctiveness",
            gain if not alike else None,
            "dB",
            "none",
            alike,
        ),
    )
    return SimilarityGroup(name, len(m_oo.speakers), {measure.name: measure for measure in measures})


def _measure(name: str, label: str, value: float | None, unit: str, private_end: Any, reason: str = "") -> Measure:
    return Measure(MeasureInfo(name, label, unit, private_end, None, None, "", ""), value, reason=reason)
