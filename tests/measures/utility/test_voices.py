"""Voices that are all alike: a measure without a value is null with a reason, and nothing ends in a traceback."""

from __future__ import annotations

import json

import numpy as np

from stripeless.embeddings.embeddings import Embeddings
from stripeless.measures.utility.voices import distinctiveness
from stripeless.report.voices import utility_lines
from stripeless.results.voices import Voices


def voices(alike: bool) -> Embeddings:
    """Six people of one sex, four utterances each; alike, everybody has the same vector."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(6), 4)
    vectors = np.tile(np.eye(8)[0], (24, 1)) if alike else rng.normal(size=(6, 8))[who] + 0.3 * rng.normal(size=(24, 8))
    names = tuple(f"s{p}-{k}" for k, p in enumerate(who))
    return Embeddings(vectors, names, tuple(f"s{p}" for p in who), tuple("f" * 24))


def test_a_gain_of_minus_infinity_is_null_with_a_reason() -> None:
    found = distinctiveness(voices(alike=False), voices(alike=True))["f"]
    assert found["gain_of_voice_distinctiveness"] is None
    assert "all anonymized voices are alike" in found["why_none"]
    json.dumps(found, allow_nan=False)
    (line,) = [line for line in utility_lines(Voices((), {}, {"f": found}, "statistics")) if line.startswith("f:")]
    assert "alike" in line


def test_voices_that_differ_have_a_value_and_no_reason() -> None:
    found = distinctiveness(voices(alike=False), voices(alike=False))["f"]
    assert abs(found["gain_of_voice_distinctiveness"]) < 1e-9
    assert "why_none" not in found
