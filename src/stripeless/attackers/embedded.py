"""What attackers on embeddings are given: enrollment and trials as one extractor sees them, and speech to learn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stripeless.embeddings.embeddings import Embeddings


@dataclass(frozen=True, eq=False)
class Embedded:
    """Enrollment and trials as one extractor sees them.

    Attributes:
        enrollment: embeddings with speakers, of which models are made.
        trials: embeddings with speakers, of the same dimension.
    """

    enrollment: Embeddings
    trials: Embeddings


@dataclass(frozen=True, eq=False)
class Training:
    """Embeddings that the attacker trains on; nobody in them may be enrolled or speak in the trials.

    Attributes:
        original: unprotected speech, to train the back-end (PLDA) of the ignorant and the lazy-informed attacker; None
            compares by cosine.
        anonymized: anonymized speech, to train that of the semi-informed attacker; None leaves it untrained.
        manifests: how training and evaluation data were anonymized, compared with each other; None where nobody knows.
    """

    original: Embeddings | None = None
    anonymized: Embeddings | None = None
    manifests: tuple[Mapping[str, object], Mapping[str, object]] | None = None
