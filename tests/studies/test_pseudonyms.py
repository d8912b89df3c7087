"""Attackers on pseudo-speakers: those that look at the speaker are found out, those that do not are not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stripeless.attackers.pseudonyms import PseudoData, made_up
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import read_embeddings
from stripeless.embeddings.vectors import take
from stripeless.errors import InputError
from stripeless.protections.pseudo.catalog import make_pseudo_speakers
from stripeless.protections.pseudo.pool import Pool
from stripeless.studies.pseudonyms import ceiling, inversion_chance, nearest_angle, pseudo_study


def people(first: int, count: int) -> Embeddings:
    """Speakers first .. first + count, half of them women, four utterances each."""
    rng = np.random.default_rng(first)
    speakers = np.repeat(np.arange(first, first + count), 4)
    center = np.repeat(rng.normal(size=(count, 12)), 4, axis=0) + np.r_[4.0, np.zeros(11)]
    return Embeddings(
        center + 0.2 * rng.normal(size=center.shape),
        tuple(f"{s}-{k}" for k, s in enumerate(speakers)),
        tuple(f"s{s:03d}" for s in speakers),
        tuple("fm"[s % 2] for s in speakers),
    )


@pytest.fixture(scope="module")
def data() -> PseudoData:
    judged = people(0, 24)
    half = np.arange(len(judged)) % 4 < 2
    return PseudoData("simulated", take(judged, half), take(judged, ~half), people(100, 20), Pool.of(people(200, 60)))


def studied(data: PseudoData, name: str, **options: Any) -> Any:
    return pseudo_study([(data, make_pseudo_speakers(name, data.pool, options))], seeds=6, resamples=100)


def test_what_looks_at_nobody_gives_nobody_away(data: PseudoData) -> None:
    for name in ("o1", "apart"):
        result = studied(data, name, dimensions=6, components=1)
        assert all(0.4 < one["eer"] < 0.6 for one in result.attackers.values())
        assert result.rank_bits < 0.1
        assert result.inversions["ridge"] < 0.25


def test_the_far_corner_gives_the_speaker_away(data: PseudoData) -> None:
    result = studied(data, "b1", farthest=10, draw=5)
    assert result.attackers["ignorant"]["eer"] > 0.6  # turned away from the speaker
    assert result.attackers["repeating"]["eer"] < 0.3
    assert result.strongest == min(result.attackers, key=lambda name: result.attackers[name]["eer"])
    assert result.rank_bits > 0.5
    json.dumps(result.to_dict(), allow_nan=False)
    assert "seed" not in result.to_dict()["settings"]


def test_a_trace_without_noise_is_inverted(data: PseudoData) -> None:
    result = studied(data, "a2", clusters=2, kept=1.0)
    assert result.attackers["inverting"]["eer"] < 0.15
    assert result.inversions["ridge"] > 0.5


def test_one_draw_for_both_roles_links_them(data: PseudoData) -> None:
    own, shared = (studied(data, "k2", epsilon=5.0, roles=roles) for roles in ("own", "shared"))
    assert shared.attackers["lazy-informed"]["eer"] < 0.2 < own.attackers["lazy-informed"]["eer"]


def test_what_is_distinct_is_linked(data: PseudoData) -> None:
    each, once = (studied(data, "apart", dimensions=6, components=1, per=per) for per in ("utterance", "speaker"))
    assert each.linked_trials < 0.3 < 0.8 < once.linked_trials
    assert each.distinctiveness < -5 < once.distinctiveness


def test_nothing_hidden_is_found(data: PseudoData) -> None:
    assert ceiling([data])["eer"] < 0.05


def test_people_must_be_others(data: PseudoData) -> None:
    with pytest.raises(InputError, match="among both judged and pool"):
        replace(data, pool=Pool.of(data.trials))
    with pytest.raises(InputError, match="training and pool"):
        replace(data, training=people(200, 20))


def test_made_up_people_are_like_those_at_hand(data: PseudoData) -> None:
    invented = made_up(data, 0)
    assert set(invented.sex or ()) == {"f", "m"}
    assert not set(invented.speakers or ()) & (set(data.trials.speakers or ()) | set(data.pool.speakers))
    known = np.concatenate([data.pool.vectors])
    assert np.allclose(invented.vectors.mean(axis=0), known.mean(axis=0), atol=0.3)
    assert invented.vectors.var(axis=0).sum() == pytest.approx(known.var(axis=0).sum(), rel=0.3)


def test_nearest_angle() -> None:
    right = Embeddings(
        np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), ("a", "b", "c"), ("a", "b", "c"), ("f", "f", "f")
    )
    assert nearest_angle(right) == pytest.approx(90.0)


def test_chance_knows_the_sex(data: PseudoData) -> None:
    assert inversion_chance(data) == pytest.approx(1 / 12)  # twelve women, twelve men


@pytest.mark.slow
def test_on_x_vectors(librispeech: Path) -> None:
    """Twenty women: seven judged, six for the attacker, seven in the pool. The order of the systems is that of the table."""
    said = read_embeddings(librispeech / "xvectors" / "original" / "trials_f.scp", utt2spk=librispeech / "trials_f")
    names = sorted(set(said.speakers or ()))
    parts = [take(said, np.isin(said.speakers or (), names[i:j])) for i, j in ((0, 7), (7, 13), (13, 20))]
    half = np.arange(len(parts[0])) % 2 == 0
    data = PseudoData("women", take(parts[0], half), take(parts[0], ~half), parts[1], Pool.of(parts[2]))
    blind = studied(data, "apart", dimensions=4, components=1)
    trace = studied(data, "a2", clusters=2)
    assert blind.attackers[blind.strongest]["eer"] > 0.35
    assert trace.inversions["ridge"] > 0.6 > 0.4 > blind.inversions["ridge"]
