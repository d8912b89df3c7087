"""Features and labels of the training recordings, computed once: python scripts/voice/prepare.py DATA WORK.

For each recording: log mel amplitudes and the phone state of every frame, found by aligning the words with pocketsphinx. Where
no transcript is at hand (libri251) the words are those that pocketsphinx hears; they are often wrong, the phones less often.
"""

from __future__ import annotations

import json
import sys
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from corpus import CORPORA, held_out_part, training_part

from stripeless.audio.corpus import Utterance
from stripeless.audio.recordings import RATE
from stripeless.parallel.items import each
from stripeless.synthesis.content import PHONES
from stripeless.synthesis.grid import at_level, frame_count, log_mel


@cache
def decoder(words: bool) -> Any:
    from pocketsphinx import Decoder

    return Decoder(loglevel="FATAL") if words else Decoder(lm=None, loglevel="FATAL")


def run(one: Any, pcm: bytes) -> None:
    one.reinit_feat()
    one.start_utt()
    one.process_raw(pcm, full_utt=True)
    one.end_utt()


def align(samples: np.ndarray, text: str, frames: int) -> tuple[np.ndarray | None, str]:
    """The phone state (3 x phone + part) of every frame, and the words; None where the words cannot be aligned."""
    pcm = np.clip(np.round(samples * 32767), -32768, 32767).astype("<i2").tobytes()
    if not text:
        run(decoder(True), pcm)
        found = decoder(True).hyp()
        text = found.hypstr if found else ""
    if not text:
        return None, ""
    try:
        one = decoder(False)
        one.set_align_text(text.lower())
        run(one, pcm)
        one.set_alignment()
        run(one, pcm)
        states = np.zeros(frames, np.int16)
        for word in one.get_alignment():
            for phone in word:
                name = phone.name if phone.name in PHONES else "SIL"
                for part, state in enumerate(phone):
                    states[state.start : state.start + state.duration] = 3 * PHONES.index(name) + min(part, 2)
    except RuntimeError:
        return None, text
    return states, text


def prepare(utterance: Utterance, labels: bool) -> dict[str, Any]:
    samples, _ = at_level(utterance.read(RATE).samples)
    frames = frame_count(len(samples))
    states, text = align(samples, utterance.text, frames) if labels else (None, utterance.text)
    return {
        "mel": log_mel(samples).astype(np.float16),
        "states": np.full(frames, -1, np.int16) if states is None else states,
        "text": text,
    }


def prepared(utterance: Utterance, folder: Path, labels: bool) -> bool:
    """Made now, or there already."""
    place = folder / f"{utterance.name}.npz"
    if place.is_file():
        return False
    with place.with_suffix(".tmp").open("wb") as file:
        np.savez(file, **prepare(utterance, labels))
    place.with_suffix(".tmp").rename(place)
    return True


def main(data: str, work: str) -> None:
    for part, of in (("train", training_part), ("held-out", held_out_part)):
        for name in CORPORA[: 3 if part == "train" else 2]:
            start = time.time()
            corpus = of(data, name)
            folder = Path(work) / part / name
            folder.mkdir(parents=True, exist_ok=True)
            each(partial(prepared, folder=folder, labels=True), corpus.utterances, workers=1)
            about = {u.name: [u.speaker, u.sex] for u in corpus.utterances}
            (folder / "speakers.json").write_text(json.dumps(about))
            print(f"{part} {name}: {len(about)} recordings, {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
