"""Linguistic style: what it counts, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.embeddings.style import STYLE_NAMES, style_vector, words_of
from stripeless.embeddings.style_words import CATEGORIES
from stripeless.embeddings.vectors import standardized
from stripeless.errors import InputError

TEXT = "Well, I mean, uh, we don't really know. It was, it was kind of a long story, you know? She said so."


def feature(name, text=TEXT):
    return style_vector(text)[STYLE_NAMES.index(name)]


def test_counts_by_hand():
    words = words_of(TEXT)
    assert len(words) == 22
    assert feature("fillers") == pytest.approx(1 / 22)
    assert feature("first person singular") == pytest.approx(1 / 22)
    assert feature("articles") == pytest.approx(1 / 22)
    assert feature("word it") == pytest.approx(2 / 22)
    assert feature("words per sentence") == pytest.approx(22 / 3)
    assert feature("share of contractions") == pytest.approx(1 / 22)


def test_about_eighty_features_all_finite():
    assert 75 <= len(STYLE_NAMES) == style_vector(TEXT).size <= 100
    assert len(set(STYLE_NAMES)) == len(STYLE_NAMES)
    assert np.isfinite(style_vector("a")).all()
    assert all(word == word.lower() for category in CATEGORIES.values() for word in category)


def test_capitals_apostrophes_and_layout_do_not_matter():
    np.testing.assert_array_equal(
        style_vector(TEXT), style_vector(TEXT.upper().replace("'", "\u2019").replace(" ", "\n"))
    )


def test_topic_does_not_matter_style_does():
    about_cats = style_vector("I think the cat was on the mat because it was warm")
    about_cars = style_vector("I think the car was on the hill because it was blue")
    other_style = style_vector("Feline relaxation occurs upon heated floor coverings")
    assert np.abs(about_cats - about_cars)[:-11].sum() == 0  # every share; only lengths may differ
    assert np.abs(about_cats - other_style)[:-11].sum() > 0.5


def test_standardized_against_another_corpus():
    vectors = np.array([style_vector(text) for text in (TEXT, "I do not know", "they were there then")])
    z = standardized(vectors)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-12)
    assert np.isfinite(z).all()
    np.testing.assert_allclose(standardized(vectors[:1], vectors), z[:1])


def test_no_words():
    with pytest.raises(InputError, match="no word in it"):
        style_vector("123 ...")
