"""The points of the figures of `protect`: the same rows before and after, and the flow's own coordinates where there is one."""

from __future__ import annotations

import numpy as np
import pytest

from stripeless.attributes.maps import map_method, neighbor_map
from stripeless.protections.lda import fit_lda_protection
from stripeless.studies import protect
from stripeless.studies.protect import calibration_of, doubts_about, drawn_points, method_of

RNG = np.random.default_rng(2)
LABELS = np.where(np.arange(60) % 2, "m", "f")
BEFORE = RNG.normal(size=(60, 4)) + 2.0 * (LABELS == "f")[:, None]


@pytest.fixture(autouse=True)
def few_refits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training anew 99 times is tried where it is tested."""
    monkeypatch.setattr("stripeless.attributes.exchange.REFITS", 19)


def test_maps_are_of_the_same_rows_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protect, "MOST_POINTS", 25)
    linear = fit_lda_protection(BEFORE, LABELS.tolist())
    after = linear.apply(BEFORE)
    way, points = drawn_points(BEFORE, after, LABELS, linear, 3)
    rows = np.sort(np.random.default_rng(3).permutation(60)[:25])
    assert way == map_method()
    assert set(points) == {"labels", "map_original", "map_protected"}
    assert points["labels"] == LABELS[rows].tolist()
    assert points["map_original"] == np.round(neighbor_map(BEFORE[rows], seed=3), 2).tolist()
    assert points["map_protected"] == np.round(neighbor_map(after[rows], seed=3), 2).tolist()


def test_a_flow_shows_its_own_coordinates() -> None:
    pytest.importorskip("torch")
    from stripeless.protections.settings import FlowSettings
    from stripeless.protections.train_flow import fit_flow_protection

    flow = fit_flow_protection(BEFORE, LABELS.tolist(), settings=FlowSettings(epochs=1, hidden=8, couplings=2))
    _, points = drawn_points(BEFORE, flow.apply(BEFORE), LABELS, flow, 0)
    assert points["latent"] == np.round(flow.latent(BEFORE)[:, :2].astype(float), 3).tolist()
    assert method_of(flow) == "flow"


def test_what_is_known_of_a_protection() -> None:
    linear = fit_lda_protection(BEFORE, LABELS.tolist(), projection="oblique")
    assert (method_of(linear), method_of(None)) == ("lda oblique", "")
    hidden = protect.HiddenAttribute(None, None, LABELS, LABELS == "f", linear, (BEFORE, ("a",)))  # type: ignore[arg-type]
    assert doubts_about(hidden, ("f", "m")) == []
    (other,) = doubts_about(hidden, ("old", "young"))
    assert (other.code, other.severity) == ("other_attribute", "caution")
    assert other.message == "The protection hides f, m; judged here is old, young."
    found = calibration_of(linear, ("f", "m"), BEFORE, LABELS)
    assert found is not None
    llr = linear.evidence(BEFORE)[:, 0]
    assert found.means == (pytest.approx(llr[LABELS == "f"].mean()), pytest.approx(llr[LABELS == "m"].mean()))
    assert calibration_of(None, ("f", "m"), BEFORE, LABELS) is None
    assert calibration_of(linear, ("old", "young"), BEFORE, LABELS) is None
    assert calibration_of(linear, ("f", "m", "x"), BEFORE, LABELS) is None
