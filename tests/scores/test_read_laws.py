"""Laws of the reader: numbers as Python reads them, ids told apart exactly, blocks without seams."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from score_files import assert_same, write

from stripeless.scores.files import read_scores, source
from stripeless.scores.files.codebook import Codebook
from stripeless.scores.files.fields import cut
from stripeless.scores.files.numbers import _long_ratio, decimals

written = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.floats(-100, 100).map(lambda x: f"{x:.5f}"),
    st.floats(-1, 1).map(lambda x: f"{x:.17f}"),
    st.floats(-1e9, 1e9).map(lambda x: f"{x:.9f}"),
    st.decimals(allow_nan=False, places=16, min_value=-999, max_value=999).map(str),
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{x:e}".upper()),
    st.sampled_from(["inf", "-inf", "+Infinity", "-INFINITY", "1e5", "-0.0", "+.5", "5.", "00012.50", "-0", "1e400"]),
    # Halfway between two doubles, and one digit to either side of it.
    st.integers(2**53, 2**55).map(lambda n: str(2 * n + 1)),
    st.integers(2**52, 2**53 - 1).map(lambda n: f"{n}.5"),
)


@given(st.lists(written, min_size=1, max_size=30))
@example(["9007199254740993", "9007199254740992.5", "0.30000000000000004", "4503599627370497.5", "9.999999999999999"])
@settings(max_examples=400, deadline=None)
def test_numbers_are_pythons_floats(texts: list[str]) -> None:
    fields = cut("".join(f"id {text}\n" for text in texts).encode(), None, 2)
    assert fields is not None
    values, bad = decimals(fields, 1)
    assert bad is None
    expected = np.array([float(text) for text in texts])
    assert values.tobytes() == expected.tobytes()


def test_a_tie_is_not_decided_by_the_long_division() -> None:
    _, sure = _long_ratio(np.array([2**53 + 1, 2**53 + 2], dtype=np.uint64), np.array([1.0, 1.0]))
    assert sure.tolist() == [False, True]


def test_hundred_thousand_long_numbers_are_pythons_floats() -> None:
    rng = random.Random(0)
    texts = [repr(rng.uniform(-1, 1) * 10 ** rng.randint(-3, 3)) for _ in range(100_000)]
    fields = cut("\n".join([*texts, ""]).encode(), None, 1)
    assert fields is not None
    values, bad = decimals(fields, 0)
    assert bad is None
    assert values.tolist() == [float(text) for text in texts]


@given(
    st.lists(
        st.text(st.characters(min_codepoint=33, exclude_categories=("Cs", "Zs", "Cc", "Zl", "Zp")), min_size=1),
        min_size=1,
    )
)
@settings(deadline=None)
def test_codes_are_first_appearance_numbers(ids: list[str]) -> None:
    book = Codebook()
    codes: list[int] = []
    for part in (ids[: len(ids) // 2], ids[len(ids) // 2 :], ids):
        if part:
            fields = cut("".join(f"{name}\n" for name in part).encode(), None, 1)
            assert fields is not None
            codes += book.encode(fields, 0).tolist()
    number: dict[str, int] = {}
    assert codes == [number.setdefault(name, len(number)) for name in ids + ids]
    assert book.names("ids") == tuple(number)


def test_ids_that_share_a_hash_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stripeless.scores.files.codebook._hash", lambda words: words[0] & np.uint64(1))
    ids = [f"{i % 50}" for i in range(200)]
    fields = cut("".join(f"{name}\n" for name in ids).encode(), None, 1)
    assert fields is not None
    book = Codebook()
    codes = book.encode(fields, 0)
    names = book.names("ids")
    assert [names[code] for code in codes] == ids
    assert len(names) == 50


def test_many_ids_outgrow_the_first_table() -> None:
    ids = [f"speaker{i:07d}-{i % 7}" for i in range(60_000)]
    fields = cut("".join(f"{name}\n" for name in ids).encode(), None, 1)
    assert fields is not None
    book = Codebook()
    assert book.encode(fields, 0).tolist() == list(range(60_000))
    assert book.names("ids") == tuple(ids)
    assert book.encode(fields, 0).tolist() == list(range(60_000))


@contextmanager
def small_blocks(size: int) -> Iterator[None]:
    before, source.BLOCK = source.BLOCK, size
    try:
        yield
    finally:
        source.BLOCK = before


rows = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 6), st.floats(allow_nan=False), st.booleans()),
    min_size=2,
    max_size=30,
    unique_by=lambda row: row[:2],
).filter(lambda listed: len({row[3] for row in listed}) == 2)


@given(rows, st.randoms(use_true_random=False), st.integers(1, 60))
@settings(deadline=None, max_examples=60)
def test_shuffled_cut_small_and_as_one_table_it_is_the_same(
    listed: list[tuple[int, int, float, bool]], rng: random.Random, block: int
) -> None:
    keyed = [(f"s{e}", f"s{u}-long-utterance-{u}", repr(x), "target" if t else "nontarget") for e, u, x, t in listed]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trials = write(folder, "t", "".join(f"{e} {u} {label}\n" for e, u, _, label in keyed))
        straight = write(folder, "s", "".join(f"{e} {u} {x}\n" for e, u, x, _ in keyed))
        one = read_scores(straight, trials)
        with small_blocks(block):
            assert_same(one, read_scores(straight, trials))
        mixed = rng.sample(keyed, len(keyed))
        assert_same(one, read_scores(write(folder, "r", "".join(f"{e}\t{u}  {x}\r\n" for e, u, x, _ in mixed)), trials))
        table = "enrollment,trial,score,label\n" + "".join(",".join(row) + "\n" for row in keyed)
        assert_same(one, read_scores(write(folder, "a.csv", table)))
        quoted = "enrollment,trial,score,label\n" + "".join(",".join(f'"{x}"' for x in row) + "\n" for row in keyed)
        assert_same(one, read_scores(write(folder, "b.csv", quoted)))
    assert all(
        math.copysign(1, x) == math.copysign(1, y)
        for x, y in zip(one.target, [r[2] for r in listed if r[3]], strict=True)
    )
