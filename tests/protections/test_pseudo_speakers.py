"""What every system of pseudo-speakers promises."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pseudo_population import POOL, SMALL, SOURCES, population

from stripeless.embeddings.vectors import take
from stripeless.errors import FileError, InputError
from stripeless.protections.pseudo.catalog import PSEUDO_SPEAKERS, make_pseudo_speakers
from stripeless.protections.pseudo.files import load_pseudo_speakers, save_pseudo_speakers
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.system import PseudoSpeakers
from stripeless.protections.tensors import read_tensors, write_tensors

DRAWING = [name for name in SMALL if name not in ("a1", "a2", "s1c1", "s2c1")]
NEEDS = {"a1": "sklearn", "s1c1": "torch", "s2c1": "torch", "s1": "torch", "s2": "torch"}


_MADE: dict[str, PseudoSpeakers] = {}


def system(name: str, seed: int = 0) -> PseudoSpeakers:
    """Learned once for all tests."""
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    if name not in _MADE:
        _MADE[name] = make_pseudo_speakers(name, POOL, SMALL[name])
    return replace(_MADE[name], seed=seed)


def test_every_system_is_tested() -> None:
    assert set(SMALL) == set(PSEUDO_SPEAKERS)


@pytest.mark.parametrize("name", SMALL)
def test_same_seed_same_bytes_in_any_order(name: str) -> None:
    made = make_pseudo_speakers(name, POOL, SMALL[name]) if name not in NEEDS else system(name)
    order = np.random.default_rng(5).permutation(len(SOURCES))
    forward, shuffled = made.apply(SOURCES), system(name).apply(take(SOURCES, order))
    assert np.array_equal(forward.vectors[order], shuffled.vectors)


@pytest.mark.parametrize("name", ["b1", "k2", "o1", "a2", "apart"])
def test_the_order_of_the_pool_does_not_matter(name: str) -> None:
    people = population()
    order = np.random.default_rng(6).permutation(len(people))
    one, two = (make_pseudo_speakers(name, Pool.of(p), SMALL[name], seed=4) for p in (people, take(people, order)))
    assert np.array_equal(one.apply(SOURCES).vectors, two.apply(SOURCES).vectors)


@pytest.mark.parametrize("name", DRAWING)
def test_seed_and_role_change_the_draw(name: str) -> None:
    base = system(name).apply(SOURCES).vectors
    for other in (system(name, seed=1).apply(SOURCES), system(name).apply(SOURCES, role="enrollment")):
        assert (base != other.vectors).any(axis=1).mean() > 0.5  # some draws may agree, as from a small pool
    shared = replace(system(name), roles="shared")
    assert np.array_equal(shared.apply(SOURCES).vectors, shared.apply(SOURCES, role="enrollment").vectors)


@pytest.mark.parametrize("name", SMALL)
def test_one_pseudo_speaker_per_speaker(name: str) -> None:
    shown = system(name).apply(SOURCES)
    assert shown.speakers == SOURCES.speakers
    assert shown.utterances == SOURCES.utterances
    speakers = np.array(shown.speakers)
    voices = {s: np.unique(shown.vectors[speakers == s], axis=0) for s in set(speakers)}
    assert all(len(voice) == 1 for voice in voices.values())
    different = len(np.unique(np.concatenate(list(voices.values())), axis=0))
    assert different == len(voices) if name != "k2" else different > len(voices) / 2  # K2 may choose one person twice


@pytest.mark.parametrize("name", ["b1", "k2", "o1", "o1c1", "apart", "a2"])
def test_per_utterance_each_gets_its_own(name: str) -> None:
    shown = system(name).apply(SOURCES, per="utterance")
    same = np.array(SOURCES.speakers) == "s000"
    assert len(np.unique(shown.vectors[same], axis=0)) > 1
    moved = take(SOURCES, np.flatnonzero(~same)[:7])
    again = system(name).apply(moved, per="utterance")
    at = [SOURCES.utterances.index(u) for u in again.utterances]
    assert np.array_equal(again.vectors, shown.vectors[at])  # whoever else is there


@pytest.mark.parametrize("name", SMALL)
def test_apply_is_pseudo_of_the_mean(name: str) -> None:
    made = system(name).knowing(dict(zip(SOURCES.speakers or (), SOURCES.sex or (), strict=True)))
    rows = np.array(SOURCES.speakers) == "s003"
    source = SOURCES.vectors[rows].mean(axis=0)
    one = made.pseudo(source, speaker="s003", sex="f")
    assert np.allclose(one, made.apply(SOURCES).vectors[rows][0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_saved_and_loaded(name: str, tmp_path: Path) -> None:
    path = tmp_path / "system.safetensors"
    save_pseudo_speakers(path, system(name, seed=12345))
    assert np.array_equal(
        load_pseudo_speakers(path, seed=12345).apply(SOURCES).vectors, system(name, seed=12345).apply(SOURCES).vectors
    )
    assert b"12345" not in path.read_bytes()  # the secret is not in the file
    assert not [
        name for name in POOL.speakers if name.encode() in path.read_bytes()
    ]  # nor is anybody of the pool named
    if name in ("o1", "apart", "s1c1"):
        assert POOL.vectors[0].tobytes() not in path.read_bytes()  # nor is anybody of the pool


@pytest.mark.parametrize("name", SMALL)
def test_a_file_of_0_1_which_names_the_pool_is_read(name: str, tmp_path: Path) -> None:
    path, made = tmp_path / "system.safetensors", system(name, seed=3)
    save_pseudo_speakers(path, made)
    tensors, about = read_tensors(path)
    about["system"]["fields"]["members"] = list(POOL.speakers)
    write_tensors(path, tensors, about)
    loaded = load_pseudo_speakers(path, seed=3)
    assert loaded.members == POOL.speakers
    assert loaded.settings() == made.settings()
    assert np.array_equal(loaded.apply(SOURCES).vectors, made.apply(SOURCES).vectors)


def test_what_is_no_system_is_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "system.safetensors"
    path.write_bytes(b"nonsense")
    with pytest.raises(FileError):
        load_pseudo_speakers(path)


def test_nobody_is_protected_by_themselves() -> None:
    inside = take(population(), np.arange(4))
    with pytest.raises(InputError, match="people"):
        system("b1").apply(inside)
    with pytest.raises(InputError, match="people"):
        system("o1").pseudo(POOL.vectors[0], speaker=POOL.speakers[0], sex="f")


def test_bad_input_gets_a_sentence() -> None:
    made = system("o1")
    with pytest.raises(InputError, match="expected 16 numbers"):
        made.pseudo(np.ones(3), speaker="x", sex="f")
    with pytest.raises(InputError, match="one of those in the pool"):
        made.pseudo(np.ones(16), speaker="x", sex="?")
    with pytest.raises(InputError, match="sex of the speakers"):
        made.apply(replace(SOURCES, sex=None))
    with pytest.raises(InputError, match="has no option"):
        make_pseudo_speakers("o1", POOL, {"farthest": 3})
    with pytest.raises(InputError, match="expected one of"):
        make_pseudo_speakers("b3", POOL)
    with pytest.raises(InputError, match="per:"):
        make_pseudo_speakers("o1", POOL, {**SMALL["o1"], "per": "word"})


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("b1", {}),
        ("a1", {"clusters": 20}),
        ("a2", {"clusters": 20}),
        ("o1", {"dimensions": 40}),
        ("o1", {"components": 10}),
    ],
)
def test_too_small_a_pool_is_refused(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"pool: .* (larger|smaller)"):
        make_pseudo_speakers(name, POOL, options)


@pytest.mark.parametrize("name", ["b1", "a2"])
def test_utterances_are_asked_for_where_needed(name: str) -> None:
    means = Pool(POOL.vectors, POOL.speakers, POOL.sex)
    with pytest.raises(InputError, match="utterances"):
        make_pseudo_speakers(name, means, SMALL[name])


def test_settings_say_everything() -> None:
    made = make_pseudo_speakers("b1", POOL, SMALL["b1"], seed=3)
    settings = made.settings()
    assert settings["system"] == "b1"
    assert settings["farthest"] == 10
    assert settings["pool"] == POOL.digest
    assert set(PSEUDO_SPEAKERS["b1"].options) <= set(settings)
