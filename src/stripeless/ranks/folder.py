"""A Kaldi data directory as observations of its speakers: sounds and words, cut into as many pieces for each.

wav.scp (paths, relative to the folder or absolute; commands are refused) and utt2spk; text where style is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stripeless._extras import need
from stripeless.errors import FileError, InputError, TooFewTrials
from stripeless.parallel.engine import Run
from stripeless.ranks.features import (
    FEATURE_METRICS,
    Sound,
    f0_observations,
    style_observations,
    unit_observations,
)
from stripeless.tables.two_columns import read_two_columns

FEATURES = ("f0", "units", "style")
MOST_PIECES = 16


@dataclass(frozen=True)
class VoiceFolder:
    """Utterances of each speaker in the order of the list; paths or texts are empty where the folder has none."""

    folder: Path
    speakers: dict[str, tuple[str, ...]]
    paths: dict[str, Path]
    texts: dict[str, str]


def read_voice_folder(folder: str | Path) -> VoiceFolder:
    """The lists of a Kaldi data directory."""
    folder = Path(folder)
    owner = read_two_columns(folder / "utt2spk", one_word=True)
    paths = {}
    if (folder / "wav.scp").exists():
        for utterance, where in read_two_columns(folder / "wav.scp").items():
            if where.endswith("|"):
                raise FileError(
                    folder / "wav.scp", f"{utterance} is a command; commands are not run, so decode it first"
                )
            paths[utterance] = folder / where
    texts = read_two_columns(folder / "text", may_be_empty=True) if (folder / "text").exists() else {}
    speakers: dict[str, list[str]] = {}
    for utterance, speaker in owner.items():
        speakers.setdefault(speaker, []).append(utterance)
    return VoiceFolder(folder, {name: tuple(own) for name, own in speakers.items()}, paths, texts)


def folder_observations(
    voices: VoiceFolder, features: Sequence[str], run: Run, *, pieces: int | None = None, seed: int = 0
) -> tuple[dict[str, tuple[NDArray[np.float64], str]], tuple[str, ...]]:
    """Observations of every feature and the speakers: what `study_features` takes.

    Each speaker's utterances are cut, in their order, into as many pieces as the speaker with the fewest has
    utterances (at most 16), or into `pieces`; speakers with fewer are left out.
    """
    unknown = [name for name in features if name not in FEATURES]
    if unknown:
        raise InputError(f"feature: expected {', '.join(FEATURES)}, got {unknown[0]!r}")
    counts = [len(own) for own in voices.speakers.values()]
    count = min(MOST_PIECES, min(counts)) if pieces is None else pieces
    kept = {name: own for name, own in voices.speakers.items() if len(own) >= count}
    if count < 2 or len(kept) < 2:
        raise TooFewTrials(
            f"{voices.folder}: ranking needs two speakers with two utterances each; leave single ones out"
        )
    cut = [
        [own[part[0] : part[-1] + 1] for part in np.array_split(np.arange(len(own)), count)] for own in kept.values()
    ]
    made: dict[str, tuple[NDArray[np.float64], str]] = {}
    sounds: list[list[Sound]] = []
    for name in dict.fromkeys(features):
        if name == "style":
            observations = style_observations([[_text(voices, piece) for piece in own] for own in cut])
        else:
            sounds = sounds or [list(run(_sound, [(voices, piece) for piece in own])) for own in cut]
            observations = (
                f0_observations(sounds, run) if name == "f0" else unit_observations(sounds, seed=seed, run=run)
            )
        made[name] = (observations, FEATURE_METRICS[name])
    return made, tuple(kept)


def _text(voices: VoiceFolder, utterances: Sequence[str]) -> str:
    missing = [name for name in utterances if name not in voices.texts]
    if missing:
        raise FileError(voices.folder / "text", f"no transcript of {missing[0]}; style needs one for every utterance")
    return " ".join(voices.texts[name] for name in utterances)


def _sound(voices: VoiceFolder, utterances: Sequence[str]) -> Sound:
    """The utterances one after the other."""
    soundfile = need("soundfile", "audio", "reading recordings")
    parts, rates = [], set()
    for name in utterances:
        if name not in voices.paths:
            raise FileError(voices.folder / "wav.scp", f"no recording of {name}")
        try:
            samples, rate = soundfile.read(voices.paths[name], dtype="float64", always_2d=True)
        except (OSError, RuntimeError) as error:
            raise FileError(
                voices.paths[name], "is no sound file that can be read; repair it or leave it out"
            ) from error
        parts.append(samples.mean(axis=1))
        rates.add(int(rate))
    if len(rates) > 1:
        raise InputError(f"{voices.folder}: recordings of different rates ({sorted(rates)}); resample them to one rate")
    return np.concatenate(parts), rates.pop()
