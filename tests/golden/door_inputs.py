"""Small fixed inputs for every command, written into the current folder: 12 to 40 people, all simulated.

Numbers are rounded when they are written, so that another machine's last bit does not show.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

PEOPLE = 12


def write_all() -> None:
    """Every input that `tests/golden/doors.py` names."""
    score_files()
    vector_files()
    attribute_files()
    Path("notes.json").write_text(json.dumps({"kind": "shopping list"}))


def score_files() -> None:
    """Kaldi scores of three systems on the same trials; one of them as CSV with columns."""
    rng = np.random.default_rng(20261119)
    keys = [(m, t, u) for m in range(PEOPLE) for t in range(PEOPLE) for u in range(4)]
    noise = rng.normal(size=(3, len(keys)))
    shifts = {"original.txt": 4.0, "weak.txt": 1.6, "strong.txt": 0.3}
    names = [f"s{m:02d} s{t:02d}-{u}" for m, t, u in keys]
    labels = ["target" if m == t else "nontarget" for m, t, _ in keys]
    for k, (name, shift) in enumerate(shifts.items()):
        values = noise[k] + [shift * (m == t) for m, t, _ in keys]
        lines = [f"{key} {value:.4f}" for key, value in zip(names, values, strict=True)]
        Path(name).write_text("\n".join(lines) + "\n")
    Path("trials.txt").write_text("\n".join(f"{n} {w}" for n, w in zip(names, labels, strict=True)) + "\n")
    rows = [
        f"{value:.4f},{label},s{m:02d},s{t:02d},{'fm'[t % 2]}"
        for value, label, (m, t, _) in zip(noise[1] + np.array([1.6 * (m == t) for m, t, _ in keys]), labels, keys, strict=True)
    ]  # fmt: skip
    Path("weak.csv").write_text("score,label,enrollment_speaker,trial_speaker,sex\n" + "\n".join(rows) + "\n")
    Path("broken.txt").write_text("s00 s00-0 1.0\ns00 s00-1 not-a-number\n")
    Path("results").mkdir()


def vector_files() -> None:
    """Original vectors and their anonymization (a rotation and noise), utterance by utterance."""
    from stripeless import Embeddings, write_embeddings

    rng = np.random.default_rng(7)
    people, each = 16, 6
    who = np.repeat(np.arange(people), each)
    names = tuple(f"s{p:02d}-{k}" for p in range(people) for k in range(each))
    speakers, sex = tuple(f"s{p:02d}" for p in who), tuple("fm"[p % 2] for p in who)
    voices = rng.normal(size=(people, 8))[who]
    turn = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    for name, clean, noise in (("original", voices, 0.4), ("anonymized", voices @ turn, 0.6)):
        vectors = np.round(clean + noise * rng.normal(size=clean.shape), 4)
        write_embeddings(f"{name}.npz", Embeddings(vectors, names, speakers, sex))
    first = np.arange(len(who)) % each < 2
    for name, rows in (("enrolls", first), ("probes", ~first)):
        chosen = np.flatnonzero(rows)
        part = [tuple(np.array(column)[chosen].tolist()) for column in (names, speakers, sex)]
        write_embeddings(
            f"{name}.npz", Embeddings(np.round(voices[chosen] + rng.normal(size=(len(chosen), 8)), 4), *part)
        )


def attribute_files() -> None:
    """Vectors of 40 people whose sex shows in one direction."""
    from stripeless import Embeddings, write_embeddings

    rng = np.random.default_rng(11)
    who = np.repeat(np.arange(40), 5)
    sex = np.where(who % 2, "m", "f")
    vectors = 1.5 * rng.normal(size=(40, 4))[who] + rng.normal(size=(200, 4))
    vectors[:, 0] += np.where(sex == "f", 3.0, -3.0)
    names = tuple(f"u{k:03d}" for k in range(200))
    write_embeddings("sexed.npz", Embeddings(np.round(vectors, 4), names, tuple(f"s{p:02d}" for p in who), tuple(sex)))


def voices() -> None:
    """Ten synthetic voices, before anonymization; written once, because they take a second."""
    from stripeless.audio.synthetic_voice import synthetic_corpus

    synthetic_corpus("voices", speakers=12, utterances=4, digits=3, seed=3)


def ratings() -> None:
    """A listening test with a dozen listeners."""
    from stripeless.listening.simulate import simulate_ratings

    heard = simulate_ratings(listeners=8, per_group=6, seed=5)
    lines = ["listener,stimulus,system,trial,speech,naturalness,intelligibility,similarity"]
    for k in range(len(heard.listener)):
        marks = ",".join(f"{heard.scores[q][k]:.0f}" for q in ("naturalness", "intelligibility", "similarity"))
        trial = "target" if heard.target[k] else "nontarget"
        speech = "anonymized" if heard.anonymized[k] else "original"
        lines.append(f"{heard.listener[k]},{heard.stimulus[k]},{heard.system[k]},{trial},{speech},{marks}")
    Path("ratings.csv").write_text("\n".join(lines) + "\n")
