"""`stripeless attack` and `stripeless similarity` on files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stripeless.attackers.inversion.attacks import choose_dimensions
from stripeless.attackers.inversion.people import attackers_half
from stripeless.attackers.inversion.procrustes import random_rotation
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import read_embeddings, write_embeddings
from stripeless.embeddings.vectors import take
from stripeless.report.kinds import text_of
from stripeless.studies.attack import attack_study
from stripeless.studies.similarity import similarity_study


def files(folder: Path, noise: float = 0.5) -> tuple[str, str]:
    """Twelve speakers whose voices are rotated, with some noise; anonymized rows in another order."""
    original = voices()
    rng = np.random.default_rng(3)
    turned = original.vectors @ random_rotation(10, rng) + noise * rng.normal(size=original.vectors.shape)
    order = rng.permutation(len(original))
    assert original.speakers is not None
    assert original.sex is not None
    write_embeddings(folder / "original.npz", original)
    hidden = Embeddings(
        turned[order],
        tuple(original.utterances[i] for i in order),
        tuple(original.speakers[i] for i in order),
        tuple(original.sex[i] for i in order),
    )
    write_embeddings(folder / "anonymized.npz", hidden)
    return str(folder / "anonymized.npz"), str(folder / "original.npz")


def voices(speakers: int = 12, each: int = 10) -> Embeddings:
    rng = np.random.default_rng(1)
    who = np.repeat(rng.normal(size=(speakers, 10)), each, axis=0)
    names = tuple(f"s{i // each}" for i in range(len(who)))
    sex = tuple("fm"[i // each % 2] for i in range(len(who)))
    return Embeddings(
        who + 0.4 * rng.normal(size=who.shape), tuple(f"{n}-{i}" for i, n in enumerate(names)), names, sex
    )


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stripeless.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def attacks(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one["measures"] for one in result["attacks"]}


def test_attack_finds_the_rotation(tmp_path: Path) -> None:
    done = run("attack", *files(tmp_path), "--json", "--resamples", "100", "--html", str(tmp_path / "r.html"))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    measures = attacks(result)
    assert measures["procrustes"]["eer"]["value"] < 0.2
    assert measures["none"]["eer"]["value"] > 0.3
    assert measures["procrustes"]["top1_inverted_to_original"]["value"] > 0.6
    assert set(measures) == {
        "original",
        "none",
        "procrustes",
        "affine",
        "ridge",
        "cca",
        "unpaired",
        "unpaired, other utterances",
    }
    assert "Leak. " in result["conclusions"]["unlinkability"]
    assert "Leak. With the attack" in result["conclusions"]["non_invertibility"]
    rates = {(r["name"], r["speakers"], r["utterances"]): r for r in result["identification"]["rates"]}
    assert rates["one_to_n_linkability", 6, 1]["rate"] > 0.6, "candidates are of one group"
    assert rates["one_to_n_linkability", 6, 1]["chance"] == pytest.approx(1 / 6)
    assert len(rates["singling_out", 6, 1]["per_speaker"]) == 12
    curve = [point["eer"] for point in result["pairs_curve"]]
    assert curve[-1] < curve[0]
    assert "https://" not in (tmp_path / "r.html").read_text().replace("https://www.w3.org", "")
    assert done.stdout == run("attack", *files(tmp_path), "--json", "--resamples", "100").stdout  # same bytes


def test_attack_says_when_nothing_was_found() -> None:
    """Anonymized vectors that have nothing to do with anybody."""
    original = voices()
    noise = np.random.default_rng(8).normal(size=original.vectors.shape)
    study = attack_study(Embeddings(noise, original.utterances), original, resamples=100)
    said = study.conclusions()
    assert all(said[name].startswith("Cannot tell. ") for name in ("unlinkability", "non_invertibility"))
    assert "alone is no evidence for privacy" in said["unlinkability"]
    unpaired = next(row for row in study.rows if row.name == "unpaired")
    assert "did not converge" in unpaired.notes[0]


def test_the_protocol_of_champion_on_files(tmp_path: Path) -> None:
    """Enrollment of other recordings with its pairs: judged on other people, and as the paper does beside it."""
    anonymized, original = files(tmp_path)
    both = [read_embeddings(path) for path in (anonymized, original)]
    parts = {}
    for side, read in zip(("anonymized", "original"), both, strict=True):
        enrolls = np.array([int(name.split("-")[1]) % 10 < 4 for name in read.utterances])
        for part, rows in (("enrolls", enrolls), ("trials", ~enrolls)):
            parts[part, side] = str(tmp_path / f"{part}-{side}.npz")
            write_embeddings(parts[part, side], take(read, rows))
    done = run(
        "attack", parts["trials", "anonymized"], parts["trials", "original"], "--enrollment", parts["enrolls", "original"],
        "--training-anonymized", parts["enrolls", "anonymized"], "--margin", "35", "--resamples", "0", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["counts"]["judged"] == 12 * 6
    assert result["counts"]["taught"] == 12
    assert [row["name"] for row in result["champion_2021"]][:3] == ["original", "none", "procrustes"]
    assert result["evidence"]["unlinkability"]["margin"] == 35
    assert "Protocol of Champion et al. 2021" in text_of(result)


def test_unpaired_attack_is_blind_to_the_order_of_files(tmp_path: Path) -> None:
    """Pairs without geometry in common: with pairs of these people a table can be learned, without them nothing may be found."""
    rng = np.random.default_rng(0)
    original = voices(20, 12)
    codes = np.repeat(np.arange(20), 12)
    hidden = Embeddings(rng.normal(size=(20, 10))[codes] + 0.3 * rng.normal(size=(240, 10)), original.utterances)
    study = attack_study(hidden, original, resamples=100)
    found = {row.name: row for row in study.lookup}
    assert found["ridge"].top_k[1][0] > 0.3
    assert found["unpaired"].top_k[1][0] < 0.25


def test_halves_and_dimensions() -> None:
    original = voices()
    half = attackers_half(original.speakers, 0)  # type: ignore[arg-type]
    assert [int(half[i * 10 : i * 10 + 10].sum()) for i in range(12)] == [5] * 12
    flat = Embeddings(
        np.hstack([original.vectors, 8 * np.random.default_rng(0).normal(size=(120, 1))]),
        original.utterances,
        original.speakers,
    )
    assert choose_dimensions(flat, flat) in (None, 10)


def test_text_and_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = run("attack", *files(tmp_path), "--resamples", "100", "--figures", str(tmp_path / "figures"))
    assert done.returncode == 0, done.stderr
    assert "random rotations" in done.stdout
    assert "ISO/IEC 24745" in done.stdout
    assert (tmp_path / "figures" / "pairs.png").read_bytes()[:4] == b"\x89PNG"


def test_similarity(tmp_path: Path) -> None:
    anonymized, original = files(tmp_path)
    page = str(tmp_path / "r.html")
    done = run("similarity", anonymized, original, "--json", "--html", page, "--figures", str(tmp_path / "figures"))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [group["name"] for group in result["groups"]] == ["women", "men"]
    deid = [group["measures"]["de_identification"]["value"] for group in result["groups"]]
    assert min(deid) > 0.5  # rotated voices no longer match their originals ...
    gain = [group["measures"]["gain_of_voice_distinctiveness"]["value"] for group in result["groups"]]
    assert max(map(abs, gain)) < 3  # ... but are told apart as well as before
    assert np.array(result["matrices"]["oa"]).shape == (12, 12)
    assert "women, 6 speakers" in run("similarity", anonymized, original).stdout
    assert (tmp_path / "figures" / "similarity.png").exists()


def test_similarity_of_nothing_done() -> None:
    result = similarity_study(voices(), voices())
    assert [g.measures["de_identification"].value for g in result.groups] == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("command", ["attack", "similarity"])
def test_bad_files_end_with_one_sentence(tmp_path: Path, command: str) -> None:
    anonymized, original = files(tmp_path)
    write_embeddings(tmp_path / "few.npz", Embeddings(np.ones((1, 10)), ("nobody",), ("s",)))
    for first, second, words in (
        (str(tmp_path / "none.npz"), original, "check the name"),
        (str(tmp_path / "few.npz"), original, "same utterances"),
    ):
        done = run(command, first, second, "--html", str(tmp_path / "r.html"))
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "r.html").exists()
    assert run(command, anonymized).returncode == 2
