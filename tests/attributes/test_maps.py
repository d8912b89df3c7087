"""Maps of vectors: which way they were made is known, and classes that lie apart stay apart."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from study_results import attribute

from stripeless.attributes import maps as attribute_map
from stripeless.attributes.maps import map_method, neighbor_map
from stripeless.errors import InputError, MissingExtra
from stripeless.report.attribute import figures
from stripeless.results.attribute import AttributeProof


@pytest.fixture(scope="module")
def clusters():
    rng = np.random.default_rng(0)
    labels = np.arange(80) % 2
    return rng.normal(size=(80, 6)) + 12 * labels[:, None] * np.eye(6)[0], labels


@pytest.mark.parametrize(("method", "module"), [("UMAP", "umap"), ("t-SNE", "sklearn"), ("PCA", "numpy")])
def test_clusters_stay_apart_and_the_map_is_the_same_twice(clusters, method, module):
    pytest.importorskip(module)
    vectors, labels = clusters
    points = neighbor_map(vectors, method=method, seed=3)
    assert points.shape == (80, 2)
    distance = np.linalg.norm(points[:, None] - points, axis=2) + np.diag(np.full(80, np.inf))
    assert (labels[distance.argmin(axis=1)] == labels).all()
    np.testing.assert_array_equal(points, neighbor_map(vectors, method=method, seed=3))


def test_the_best_installed_way_is_taken(monkeypatch):
    there: set[str] = set()
    monkeypatch.setattr(attribute_map, "importable", lambda module: module in there)
    assert map_method() == "PCA"
    there.add("sklearn.manifold")
    assert map_method() == "t-SNE"
    there.add("umap")
    assert map_method() == "UMAP"


def test_a_package_that_is_there_but_broken_is_passed_over(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    assert map_method() != "UMAP"


def test_few_rows_and_one_dimension_are_drawn_all_the_same():
    assert neighbor_map(np.arange(5.0)[:, None]).shape == (5, 2)
    assert np.ptp(neighbor_map(np.arange(5.0)[:, None])[:, 0]) == pytest.approx(4.0)


def test_what_is_missing_or_unknown_is_said(clusters, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(MissingExtra, match=r"pip install 'stripeless\[maps\]'"):
        neighbor_map(clusters[0], method="UMAP")
    with pytest.raises(InputError, match="t-SNE"):
        neighbor_map(clusters[0], method="Isomap")


def test_the_figure_says_how_it_was_made(clusters):
    pytest.importorskip("matplotlib")
    pytest.importorskip("sklearn")
    points = neighbor_map(clusters[0], method="PCA").tolist()
    shown = {"labels": clusters[1].tolist(), "map_original": points, "map_protected": points}
    proof = replace(AttributeProof.from_dict(attribute()), figures=shown, map_method="PCA")
    drawn = figures(proof)
    assert [drawn[name].axes[0].get_title() for name in drawn] == ["Before (PCA)", "After (PCA)"]
    assert figures(replace(proof, map_method=""))["map_original"].axes[0].get_title() == "Before"
