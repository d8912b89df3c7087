"""What the shipped pool is like, beside real speakers: python scripts/voice/judge_pool.py DATA WORK.

WORK is that of `make_pool.py`. Printed are cosines between different voices and to the nearest one, whether a classifier that
knows real speakers only tells sex, whether an attacker who owns the pool can tell who was in the training data, and how well
pitch follows from the vector.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from corpus import CORPORA, held_out_part, training_part
from make_pool import COUNT, Voices, drawn_voices, fit_pitch, made_voices, nearest, of_sex, sex_axis

from stripeless.synthesis.pool import shipped_pitch, shipped_pool

SEXES = {"f": "women", "m": "men"}


def quantiles(values: np.ndarray) -> str:
    return " ".join(f"{q:6.3f}" for q in np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95, 1.0]))


def auc(one: np.ndarray, two: np.ndarray) -> float:
    """How often a value of the first is above one of the second."""
    return float(np.mean(one[:, None] > two) + 0.5 * np.mean(one[:, None] == two))


def pairs(rows: np.ndarray) -> np.ndarray:
    return (rows @ rows.T)[np.triu_indices(len(rows), 1)]


def density(rows: np.ndarray, pool: np.ndarray) -> np.ndarray:
    """Log density under the Gaussian of the pool, but for a constant: an attacker's guess of what the pool was made from."""
    apart = rows - pool.mean(axis=0)
    covariance = np.cov(pool.T) + 1e-4 * np.eye(pool.shape[1])
    return -np.einsum("ij,ij->i", apart, np.linalg.solve(covariance, apart.T).T)


def known(inside: np.ndarray, outside: np.ndarray, pool: np.ndarray) -> tuple[float, float]:
    """How often a speaker whom the pool was fitted to looks nearer to it than another speaker: by nearest voice, by density."""
    guesses = ((nearest(inside, pool), nearest(outside, pool)), (density(inside, pool), density(outside, pool)))
    return auc(*guesses[0]), auc(*guesses[1])


def main(data: str, work: str) -> None:
    train = Voices([training_part(data, name) for name in CORPORA], Path(work), "train")
    held = Voices([held_out_part(data, name) for name in CORPORA[:2]], Path(work), "held-out")
    made = made_voices(Path(work), train.names)
    vectors, _, sexes = shipped_pool()
    hertz, deviation = shipped_pitch()
    of = {sex: vectors[np.array(sexes) == sex] for sex in "fm"}
    print("cosines, quantiles                                       5%    25%    50%    75%    95%    max")
    for sex, name in SEXES.items():
        real, other = train.vectors[train.sex == sex], held.vectors[held.sex == sex]
        print(f"{name}, {len(real)} training speakers with each other       {quantiles(pairs(real))}")
        print(f"{name}, {len(other)} held-out speakers with each other      {quantiles(pairs(other))}")
        print(f"{name}, {COUNT} voices of the pool with each other   {quantiles(pairs(of[sex]))}")
        print(f"{name}, training speaker to the nearest other one  {quantiles(nearest(real, real))}")
        print(f"{name}, held-out to the nearest training speaker   {quantiles(nearest(other, real))}")
        print(f"{name}, pool voice to the nearest training speaker {quantiles(nearest(of[sex], real))}")
        print(f"{name}, pool voice to the nearest pool voice       {quantiles(nearest(of[sex], of[sex]))}")
    across = [
        float(np.quantile(a["f"] @ a["m"].T, 0.5)) for a in (of, {s: train.vectors[train.sex == s] for s in "fm"})
    ]
    print(f"median cosine of a woman with a man: pool {across[0]:.3f}, training speakers {across[1]:.3f}")
    axis, middle = sex_axis(train.vectors, train.sex)
    right = [
        np.mean((v @ axis > middle) == (s == "f")) for v, s in ((held.vectors, held.sex), (vectors, np.array(sexes)))
    ]
    print(f"sex told by a classifier of training speakers: held-out {right[0]:.3f}, pool {right[1]:.3f}")
    for sex, name in SEXES.items():
        real, other = train.vectors[train.sex == sex], held.vectors[held.sex == sex]
        told = known(real, other, of[sex])
        print(
            f"{name}: training against held-out speakers, AUC by nearest voice {told[0]:.3f}, by density {told[1]:.3f}"
        )
        random, halves = np.random.default_rng(1), []
        for _ in range(6):  # the same encoder for both halves: what the pool alone gives away
            inside = np.zeros(len(train.names), bool)
            for s in "fm":
                people = random.permutation(np.flatnonzero(train.sex == s))
                inside[people[: len(people) // 2]] = True
            kept = inside[made[1]]
            voices = {s: of_sex(train, (made[0][kept], made[1][kept], made[2][kept]), s, inside) for s in "fm"}
            away = train.vectors[(train.sex == sex) & ~inside]
            halves.append(known(voices[sex]["real"], away, drawn_voices(voices, sex, random, 200)))
        first, second = np.mean(halves, axis=0)
        print(
            f"{name}: pools of half of the training speakers, AUC by nearest voice {first:.3f}, by density {second:.3f}"
        )
    residuals = []
    for sex, name in SEXES.items():
        voices, own = of_sex(train, made, sex), held.sex == sex
        error = fit_pitch(voices)(held.vectors[own]) - held.log_f0[own]
        residuals.append((error, held.log_f0[own]))
        r2 = 1 - np.sum(error**2) / np.sum((held.log_f0[own] - held.log_f0[own].mean()) ** 2)
        print(
            f"{name}: pitch of held-out speakers from vectors: R2 {r2:.2f}, error {12 * np.std(error) / np.log(2):.1f} semitones"
        )
        rows = np.array(sexes) == sex
        for title, pitch, spread in (
            ("training", np.exp(train.log_f0[train.sex == sex]), train.deviation[train.sex == sex]),
            ("pool", hertz[rows], deviation[rows]),
        ):
            low, half, high = np.quantile(pitch, [0.1, 0.5, 0.9])
            print(
                f"{name}, {title}: median F0 {low:.0f}-{half:.0f}-{high:.0f} Hz, deviation of log F0 {np.median(spread):.3f}"
            )
    errors, truth = (np.concatenate(column) for column in zip(*residuals, strict=True))
    print(f"both: R2 {1 - np.sum(errors**2) / np.sum((truth - truth.mean()) ** 2):.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
