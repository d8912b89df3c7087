"""The compact embedding of every recording, for the acoustic model: python scripts/voice/embed_training.py DATA WORK."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from corpus import CORPORA, held_out_part, training_part

from stripeless.audio.recordings import RATE
from stripeless.embeddings.encoders.compact import CompactEncoder


def main(data: str, work: str) -> None:
    encoder = CompactEncoder()
    corpora = [training_part(data, name) for name in CORPORA] + [held_out_part(data, name) for name in CORPORA[:2]]
    utterances = [u for corpus in corpora for u in corpus.utterances]
    vectors = np.array([encoder.embed(u.read(RATE).samples) for u in utterances])
    np.savez(Path(work) / "voices.npz", utterances=np.array([u.name for u in utterances]), vectors=vectors)


if __name__ == "__main__":
    main(*sys.argv[1:])
