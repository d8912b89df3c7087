"""Makes the shipped pool of voices of nobody: python scripts/voice/make_pool.py DATA WORK OUT.

WORK is the folder of `train_encoder.py`, whose lessons hold voices made out of voices; OUT is the pool's .safetensors file. The
vectors of 400 women and 400 men are drawn from Gaussians that are as wide as the training speakers' spread, but along the main
directions of made voices: a covariance fitted to the people themselves would tell who they were. Draws too close to a training
speaker, or to a draw before, are dropped.
Everything that the model card says of the pool is printed by `judge_pool.py`.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from corpus import CORPORA, held_out_part, training_part
from other_voices import other_voice

from stripeless._files import write_whole
from stripeless.audio.corpus import Corpus
from stripeless.audio.network_layers import NumpyOps
from stripeless.audio.pitch import pitch_track
from stripeless.audio.recordings import RATE
from stripeless.embeddings.encoders.compact import CompactEncoder, compact, of_length_one
from stripeless.embeddings.safetensors_file import write_safetensors
from stripeless.protections.gaussian import ledoit_wolf, shrink

COUNT, SEED = 400, 0
DIRECTIONS = 12  # in which voices differ by amounts of their own; in all others alike
AXES = 48  # of the change from utterance to utterance
FEATURES = 24  # principal components that pitch is regressed on
RIDGE = 30.0
PER_SPEAKER = 6  # recordings for pitch


class Voices:
    """Speakers of one part of the corpora: mean vector, sex, median of log F0 and its deviation; and single utterances."""

    def __init__(self, corpora: list[Corpus], work: Path, name: str) -> None:
        encoder = CompactEncoder()
        place = work / f"voices-{name}-{encoder.identity}.npz"
        if not place.is_file():
            rows = [(u.speaker, u.sex, encoder.embed(u.read().samples)) for c in corpora for u in c.utterances]
            pitch = [melody(c, speaker) for c in corpora for speaker in c.speakers]
            speakers, sex, vectors = (np.array(column) for column in zip(*rows, strict=True))
            with place.with_suffix(".tmp").open("wb") as file:
                np.savez(file, speakers=speakers, sex=sex, vectors=vectors, pitch=np.array(pitch))
            place.with_suffix(".tmp").rename(place)
        with np.load(place) as file:
            self.spoken_by, sex, self.utterances, pitch_of = (file[k] for k in ("speakers", "sex", "vectors", "pitch"))
        self.names = list(dict.fromkeys(self.spoken_by.tolist()))
        self.vectors = np.stack([of_length_one(self.utterances[self.spoken_by == n].mean(axis=0)) for n in self.names])
        self.sex = np.array([sex[self.spoken_by == n][0] for n in self.names])
        self.log_f0, self.deviation = pitch_of.T


def melody(corpus: Corpus, speaker: str) -> tuple[float, float]:
    """Median of log F0 over all, and the deviation of log F0 within an utterance, their mean."""
    tracks = [pitch_track(u.read().samples, RATE) for u in corpus.of_speaker(speaker)[:PER_SPEAKER]]
    logs = [np.log(track[track > 0]) for track in tracks if (track > 0).any()]
    return float(np.median(np.concatenate(logs))), float(np.mean([one.std() for one in logs]))


def made_voices(work: Path, names: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors of the voices that `train_encoder.py` made, the number of the speaker, and by how much log F0 was moved."""
    weights = CompactEncoder().weights
    place = work / f"made-{CompactEncoder().identity}.npz"
    order = sorted(names)
    if not place.is_file():
        rows = []
        for variant in range(1, 1 + len(list(work.glob("lessons-[1-9]*.npz")))):
            with np.load(work / f"lessons-{variant}.npz") as file:
                frames, voices = np.split(file["frames"], np.cumsum(file["lengths"])[:-1]), file["voices"]
            raw = np.stack([compact(NumpyOps(), one.astype(np.float32)[None], weights)[0] for one in frames])
            vectors = of_length_one(of_length_one(raw) - weights["mean"])
            for voice in np.unique(voices):
                rate = other_voice(SEED, int(voice), variant).rate
                mean = of_length_one(vectors[voices == voice].mean(axis=0))
                rows.append((mean, names.index(order[voice]), np.log(rate)))
        vectors, source, moved = (np.array(column) for column in zip(*rows, strict=True))
        with place.with_suffix(".tmp").open("wb") as file:
            np.savez(file, vectors=vectors, source=source, moved=moved)
        place.with_suffix(".tmp").rename(place)
    with np.load(place) as file:
        return file["vectors"], file["source"], file["moved"]


def sex_axis(vectors: np.ndarray, sex: np.ndarray) -> tuple[np.ndarray, float]:
    """Fisher's direction from men to women, and where it changes sign."""
    means = [vectors[sex == s].mean(axis=0) for s in "fm"]
    residual = vectors - np.where((sex == "f")[:, None], means[0], means[1])
    within = shrink(residual.T @ residual / len(residual), ledoit_wolf(residual))
    axis = np.linalg.solve(within, means[0] - means[1])
    return axis, float(axis @ (means[0] + means[1]) / 2)


def spread(real: dict[str, np.ndarray], made: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Mean of each sex and a root of the covariance, from the vectors of real and of made voices by sex.

    Directions are the first principal components of made voices; the size is that of real ones. Of the means no more is kept
    than lies along these directions and the one from men to women.
    """
    apart = np.concatenate([rows - rows.mean(axis=0) for rows in real.values()])
    others = np.concatenate([rows - rows.mean(axis=0) for rows in made.values()])
    size = np.square(apart).sum() / (len(apart) - len(real))
    values, axes = np.linalg.eigh(others.T @ others / len(others))
    axes, values = axes[:, ::-1][:, :DIRECTIONS], values[::-1] * size / values.sum()
    rest = values[DIRECTIONS:].mean()
    root = (axes * (np.sqrt(values[:DIRECTIONS]) - np.sqrt(rest))) @ axes.T + np.sqrt(rest) * np.eye(len(axes))
    means = {sex: rows.mean(axis=0) for sex, rows in real.items()}
    kept = np.linalg.qr(np.column_stack([axes, means["f"] - means["m"]]))[0]
    return {sex: kept @ (kept.T @ mean) for sex, mean in means.items()}, root


def nearest(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Cosine of each row with the most similar of the others; a row is not its own other."""
    near = rows @ others.T
    if rows is others:
        np.fill_diagonal(near, -1)
    return near.max(axis=1)


def drawn_voices(
    all_voices: dict[str, dict[str, np.ndarray]], sex: str, random: np.random.Generator, count: int
) -> np.ndarray:
    """New voices: of the right sex, no closer to real ones, and to each other, than half of the real ones to their nearest."""
    means, root = spread(*({s: one[kind] for s, one in all_voices.items()} for kind in ("real", "made")))
    voices = all_voices[sex]
    limit = float(np.median(nearest(voices["real"], voices["real"])))
    chosen: list[np.ndarray] = []
    for _ in range(1000 * count):
        voice = of_length_one(means[sex] + root @ random.normal(size=len(root)))
        clear = not chosen or float((np.stack(chosen) @ voice).max()) < limit
        if clear and voices["axis"] @ voice > voices["middle"] and float((voices["real"] @ voice).max()) < limit:
            chosen.append(voice)
        if len(chosen) == count:
            return np.stack(chosen)
    raise SystemExit(f"only {len(chosen)} voices could be drawn")


class Pitch:
    """log F0 from a vector: ridge regression on principal components, per sex."""

    def __init__(self, vectors: np.ndarray, log_f0: np.ndarray) -> None:
        self.mean, self.height = vectors.mean(axis=0), float(log_f0.mean())
        self.axes = np.linalg.svd(vectors - self.mean, full_matrices=False)[2][:FEATURES].T
        points = (vectors - self.mean) @ self.axes
        self.scale = points.std(axis=0)
        points = points / self.scale
        self.slope = np.linalg.solve(points.T @ points + RIDGE * np.eye(FEATURES), points.T @ (log_f0 - self.height))

    def __call__(self, vectors: np.ndarray) -> np.ndarray:
        return np.asarray(self.height + ((vectors - self.mean) @ self.axes / self.scale) @ self.slope)


def of_sex(
    train: Voices, made: tuple[np.ndarray, np.ndarray, np.ndarray], sex: str, among: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """Real (`among` these) and made voices of one sex with their pitch; made ones that no longer sound like it are left out."""
    vectors, source, moved = made
    axis, middle = sex_axis(train.vectors, train.sex)
    side = 1.0 if sex == "f" else -1.0
    own = (train.sex == sex) & (True if among is None else among)
    kept = (train.sex[source] == sex) & (side * (vectors @ axis - middle) > 0)
    log_f0 = train.log_f0[source[kept]] + moved[kept]
    return {
        "real": train.vectors[own], "log_f0": train.log_f0[own], "deviation": train.deviation[own],
        "made": vectors[kept], "made_log_f0": log_f0, "source": source[kept], "place": np.flatnonzero(own),
        "axis": side * axis, "middle": np.array(side * middle),
    }  # fmt: skip


def fit_pitch(voices: dict[str, np.ndarray], leave_out: int | None = None) -> Pitch:
    """On all voices of one sex; without one speaker, and what was made of that speaker, where it is to be judged."""
    real, made = voices["place"] != leave_out, voices["source"] != leave_out
    vectors = np.concatenate([voices["real"][real], voices["made"][made]])
    return Pitch(vectors, np.concatenate([voices["log_f0"][real], voices["made_log_f0"][made]]))


def within(train: Voices) -> np.ndarray:
    """How utterances of a speaker differ from the speaker's mean: (192, AXES), to be multiplied by normal numbers."""
    rows, freedom = [], 0
    for name in train.names:
        own = train.utterances[train.spoken_by == name].astype(np.float64)
        rows.append((own - own.mean(axis=0)) / np.sqrt(max(1, len(own) - 1)))
        freedom += len(own) > 1
    values, axes = np.linalg.eigh(np.concatenate(rows).T @ np.concatenate(rows) / freedom)
    return np.asarray(axes[:, -AXES:] * np.sqrt(values[-AXES:]))


def main(data: str, work: str, out: str) -> None:
    train = Voices([training_part(data, name) for name in CORPORA], Path(work), "train")
    Voices([held_out_part(data, name) for name in CORPORA[:2]], Path(work), "held-out")  # for judge_pool.py only
    made = made_voices(Path(work), train.names)
    random = np.random.default_rng(SEED)
    tensors: dict[str, np.ndarray] = {"within": within(train)}
    all_voices = {sex: of_sex(train, made, sex) for sex in "fm"}
    for sex, voices in all_voices.items():
        tensors[f"vectors.{sex}"] = drawn_voices(all_voices, sex, random, COUNT)
        errors = [
            fit_pitch(voices, int(place))(voices["real"][[k]])[0] - voices["log_f0"][k]
            for k, place in enumerate(voices["place"])
        ]
        told = fit_pitch(voices)(tensors[f"vectors.{sex}"]) + random.normal(0, np.std(errors), COUNT)
        tensors[f"f0.{sex}"] = np.exp(np.clip(told, *np.quantile(voices["log_f0"], [0.01, 0.99])))
        logs = np.log(voices["deviation"])
        tensors[f"f0_deviation.{sex}"] = np.exp(random.normal(logs.mean(), logs.std(), COUNT))
    about = {
        "command": "python scripts/voice/make_pool.py DATA WORK OUT",
        "data": "drawn from a Gaussian fitted to training speakers of digits, libri251 and libri-mini; nobody's vectors",
        "encoder": CompactEncoder().identity,
        "seed": str(SEED),
        "versions": json.dumps({name: version(name) for name in ("stripeless", "numpy")}),
    }
    place = Path(work) / "pool.tmp"
    write_safetensors(place, {name: value.astype(np.float16) for name, value in tensors.items()}, about)
    write_whole(out, place.read_bytes())
    place.unlink()
    print(f"{out}: {Path(out).stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
