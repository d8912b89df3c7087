"""F0 of all recordings that networks learn from or are judged on: python scripts/voice/follow_pitch.py DATA WORK."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from corpus import CORPORA, held_out_part, training_part

from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import RATE


def main(data: str, work: str) -> None:
    corpora = [training_part(data, name) for name in CORPORA] + [held_out_part(data, name) for name in CORPORA[:2]]
    tracks = {
        u.name: np.nan_to_num(pitch_track(u.read(RATE).samples, RATE)).astype(np.float32)
        for corpus in corpora
        for u in corpus.utterances
    }
    place = Path(work) / "f0.npz"
    with place.with_suffix(".tmp").open("wb") as file:
        np.savez(file, **tracks)
    place.with_suffix(".tmp").rename(place)


if __name__ == "__main__":
    main(*sys.argv[1:])
