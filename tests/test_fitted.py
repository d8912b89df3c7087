"""The promises of everything that is fitted and applied: maps of vectors, calibrations, models, pseudo-speakers, voices.

The table is in `fitted_table.py`. Where a promise does not hold for a row, the row says why.
"""

from __future__ import annotations

import ast
from dataclasses import FrozenInstanceError, fields, is_dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fitted_table import BY_TORCH, QUICK, STEPS, TABLE, Array, Data, Row

import stripeless
from stripeless.anonymizers.anonymizer import SourceVoice
from stripeless.anonymizers.catalog import ANONYMIZERS, make_anonymizer
from stripeless.audio.synthetic_voice import speak, synthetic_speaker
from stripeless.embeddings.encoders.catalog import ENCODERS, make_encoder
from stripeless.embeddings.files import write_embeddings
from stripeless.embeddings.vectors import take
from stripeless.errors import InputError, MissingExtra
from stripeless.synthesis.pool import shipped_utterances

TORCH = find_spec("torch") is not None and find_spec("safetensors") is not None
pytestmark = pytest.mark.filterwarnings("ignore::stripeless.protections.labels.ProtectionWarning")


def rows(*, only: str = "") -> Any:
    """The table, or those rows that make one more promise."""
    kept = [row for row in TABLE if not (only and getattr(row, only))]
    return pytest.mark.parametrize("row", kept, ids=lambda row: row.name)


def need_torch(row: Row) -> None:
    if row.torch and not TORCH:
        pytest.skip("torch is not installed")


def frozen(data: Data) -> dict[str, Array]:
    """Copies that refuse to be written to."""
    copies = {name: array.copy() for name, array in data.items()}
    for array in copies.values():
        array.flags.writeable = False
    return copies


@cache
def fitted(place: int) -> Any:
    return TABLE[place].fit(frozen(TABLE[place].data), 0)


@cache
def used(place: int) -> Array:
    return TABLE[place].use(fitted(place), TABLE[place].shown)


def of(row: Row) -> int:
    return TABLE.index(row)


def assert_close(found: Array, wanted: Array, tolerance: float) -> None:
    finite = np.isfinite(wanted)
    assert np.array_equal(finite, np.isfinite(found))
    size = np.abs(wanted[finite]).max()
    np.testing.assert_allclose(found[finite], wanted[finite], rtol=0, atol=tolerance * max(size, 1.0))


def test_everything_that_is_fitted_is_in_the_table() -> None:
    root = Path(stripeless.__file__).parent
    found = {
        node.name
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("fit_")
    }
    assert found == ({row.name for row in TABLE if row.name.startswith("fit_")} | STEPS.keys())


@rows()
def test_same_seed_same_bytes(row: Row) -> None:
    need_torch(row)
    again = row.use(row.fit(frozen(row.data), 0), row.shown)
    assert again.tobytes() == used(of(row)).tobytes()


@rows()
def test_shape_and_type(row: Row) -> None:
    need_torch(row)
    found = used(of(row))
    assert found.shape == row.shape
    assert found.dtype == (row.shown.dtype if row.dtype == "as given" else row.dtype)


@rows()
def test_input_is_untouched(row: Row) -> None:
    """Arrays that refuse to be written to are fitted and used all the same."""
    need_torch(row)
    shown = frozen({"shown": row.shown})["shown"]
    assert row.use(fitted(of(row)), shown).tobytes() == used(of(row)).tobytes()
    assert shown.tobytes() == row.shown.tobytes()


@rows()
def test_single_precision_gives_the_same(row: Row) -> None:
    need_torch(row)
    single = {name: array.astype(np.float32) if array.dtype.kind == "f" else array for name, array in row.data.items()}
    found = row.use(row.fit(single, 0), row.shown.astype(np.float32))
    assert found.dtype == ("float32" if row.dtype == "as given" else row.dtype)
    assert_close(found.astype(float), used(of(row)).astype(float), row.single)


@rows()
def test_what_is_not_a_number_is_refused_by_name(row: Row) -> None:
    need_torch(row)
    for name, array in row.data.items():
        if array.dtype.kind != "f":
            continue
        for bad in (np.nan, np.inf):
            broken = dict(row.data) | {name: array.copy()}
            broken[name].flat[5] = bad
            if row.name == "fit_pav" and bad == np.inf:
                continue  # infinite scores are legal there
            with pytest.raises(InputError, match=row.refused or name):
                row.fit(broken, 0)
    if row.argument:
        shown = row.shown.copy()
        shown.flat[5] = np.nan
        with pytest.raises(InputError, match=row.argument):
            row.use(fitted(of(row)), shown)


@rows(only="order")
def test_order_of_rows_does_not_matter(row: Row) -> None:
    need_torch(row)
    rng = np.random.default_rng(1)
    common = rng.permutation(len(next(iter(row.data.values()))))
    moved = {name: array[rng.permutation(len(array)) if row.alone else common] for name, array in row.data.items()}
    assert_close(row.use(row.fit(moved, 0), row.shown), used(of(row)), row.close)


@rows(only="each")
def test_each_row_is_used_by_itself(row: Row) -> None:
    need_torch(row)
    some = np.random.default_rng(2).permutation(len(row.shown))[: len(row.shown) // 2]
    assert_close(row.use(fitted(of(row)), row.shown[some]).astype(float), used(of(row))[some].astype(float), 1e-6)


@rows(only="plain")
def test_what_is_fitted_is_finished(row: Row) -> None:
    """No "not fitted yet", and no changing afterwards."""
    need_torch(row)
    one = fitted(of(row))
    assert is_dataclass(one)
    with pytest.raises(FrozenInstanceError):
        setattr(one, fields(one)[0].name, None)


# Voices

RATE = 16000
SOURCE = SourceVoice("anna", "anna-1", "f")


@cache
def voice() -> Array:
    return speak(synthetic_speaker(1), "one").samples


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small part of the shipped people: what is fitted on them is fitted at once."""
    everybody = shipped_utterances(2)
    people = sorted(set(everybody.speakers or ()))[::16]
    path = tmp_path_factory.mktemp("pool") / "pool.npz"
    write_embeddings(path, take(everybody, np.isin(everybody.speakers, people)))
    return str(path)


@cache
def anonymizer(name: str, pool: str) -> Any:
    if name == "world":
        pytest.importorskip("pyworld")
    if name in BY_TORCH and not TORCH:
        pytest.skip("torch is not installed")
    return make_anonymizer(name, {**QUICK[name], "pool": pool} if name in QUICK else {}, seed=3)


@cache
def anonymized(name: str, pool: str) -> Array:
    return np.asarray(anonymizer(name, pool).apply(voice(), RATE, SOURCE))


anonymizers = pytest.mark.parametrize("name", ANONYMIZERS)


@anonymizers
def test_an_anonymizer_gives_the_same_for_the_same(name: str, pool: str) -> None:
    samples = frozen({"samples": voice()})["samples"]
    first = anonymized(name, pool)
    again = anonymizer.__wrapped__(name, pool).apply(samples, RATE, SOURCE)
    assert np.asarray(again).tobytes() == first.tobytes()


@anonymizers
def test_an_anonymizer_gives_one_channel_of_sound(name: str, pool: str) -> None:
    found = anonymized(name, pool)
    assert found.dtype == np.float64
    assert found.ndim == 1
    assert np.isfinite(found).all()
    assert np.abs(found).max() <= 1 + 1e-9
    assert 0.5 < len(found) / len(voice()) < 2
    assert not np.array_equal(found[:1000], voice()[:1000])


@anonymizers
def test_an_anonymizer_takes_single_precision(name: str, pool: str) -> None:
    found = np.asarray(anonymizer(name, pool).apply(voice().astype(np.float32), RATE, SOURCE))
    assert found.dtype == np.float64
    assert_close(found, anonymized(name, pool), 1e-5)


@anonymizers
def test_an_anonymizer_refuses_what_is_not_a_number(name: str, pool: str) -> None:
    samples = voice().copy()
    samples[500] = np.nan
    with pytest.raises(InputError, match="samples"):
        anonymizer(name, pool).apply(samples, RATE, SOURCE)


@anonymizers
def test_an_anonymizer_is_finished(name: str, pool: str) -> None:
    one = anonymizer(name, pool)
    with pytest.raises(FrozenInstanceError):
        one.seed = 4


@cache
def encoder(name: str) -> Any:
    try:
        return make_encoder(name)
    except MissingExtra as error:
        pytest.skip(str(error))


encoders = pytest.mark.parametrize("name", ENCODERS)


@encoders
def test_an_encoder_keeps_its_promises(name: str) -> None:
    one, samples = encoder(name), frozen({"samples": voice()})["samples"]
    found = one.embed(samples)
    assert found.dtype == np.float32
    assert found.ndim == 1
    assert make_encoder(name).embed(samples).tobytes() == found.tobytes()
    assert one.identity == make_encoder(name).identity
    assert_close(one.embed(samples.astype(np.float32)).astype(float), found.astype(float), 1e-3)


@encoders
def test_an_encoder_refuses_what_is_not_a_number(name: str) -> None:
    samples = voice().copy()
    samples[500] = np.nan
    with pytest.raises(InputError, match="samples"):
        encoder(name).embed(samples)
