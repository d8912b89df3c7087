"""Figures show what the result says: tested on the data that were drawn, not on pixels."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")

from matplotlib.figure import Figure  # noqa: E402
from sample_results import HOSTILE, evaluation, scores_of  # noqa: E402

from stripeless.assessment.assess import assess  # noqa: E402
from stripeless.errors import FileError, InputError, MissingExtra  # noqa: E402
from stripeless.plots import (  # noqa: E402
    draw_all,
    figure_csv,
    figure_names,
    plot_calibration,
    plot_det,
    plot_ece,
    plot_measures,
    plot_scores,
    save_figure,
)
from stripeless.plots.save import figure_bytes  # noqa: E402
from stripeless.plots.series import series_of  # noqa: E402
from stripeless.plots.style import COLORS, INK  # noqa: E402


def legend(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_ece_draws_zero_evidence_and_every_system():
    result = evaluation()
    ax = plot_ece(result)
    curves = [a["curves"]["ece"] for a in (*result["attackers"], result["original"])]
    assert ax.lines[0].get_color() == INK
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), curves[0]["zero_evidence"])
    for line, curve in zip(ax.lines[1:], curves, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), curve["log10_odds"])
        np.testing.assert_array_equal(line.get_ydata(), curve["calibrated"])


def test_ece_mean_gap_over_the_prior_is_d_ece():
    result = assess([2.0, 3.0, 4.0, 1.0], [0.0, 1.5, 2.5, -1.0]).to_dict()
    ax = plot_ece(result)
    zero, system = (line.get_ydata() for line in ax.lines)
    odds = ax.lines[0].get_xdata()
    # The axis shows log-odds; D_ECE averages the gap over the prior probability itself.
    p = 1 / (1 + 10.0**-odds)
    area = np.trapezoid(zero - system, p)
    assert area == pytest.approx(result["measures"]["d_ece"]["value"], abs=2e-3)


def test_ece_legend_is_the_tuple_of_the_paper():
    result = evaluation()
    m = result["attackers"][2]["measures"]
    wanted = f"semi-informed ({m['d_ece']['value']:.2f}, {m['log10_lr']['value']:.2f}, {m['category']['value']})"
    assert wanted in legend(plot_ece(result))


def test_det_draws_rates_on_normal_deviate_axes():
    result = scores_of(1.5).to_dict()
    ax = plot_det(result)
    curve = ax.lines[2]
    np.testing.assert_array_equal(curve.get_xdata(), result["curves"]["roc"]["false_alarm"])
    np.testing.assert_array_equal(curve.get_ydata(), result["curves"]["roc"]["miss"])
    eer = result["measures"]["eer"]["value"]
    assert list(ax.lines[3].get_xdata()) == [eer] == list(ax.lines[3].get_ydata())
    from scipy.special import ndtri

    scale = ax.xaxis.get_transform().transform(np.array([0.01, 0.5, 0.9]))
    np.testing.assert_allclose(scale, ndtri([0.01, 0.5, 0.9]))


def test_det_hull_is_drawn_on_request():
    result = scores_of(1.5).to_dict()
    assert len(plot_det(result, hull=True).lines) == len(plot_det(result).lines) + 1


def test_perfect_separation_keeps_the_marker_inside_the_axes():
    ax = plot_det(assess([5.0, 6.0], [1.0, 2.0]))
    assert 0 < ax.lines[3].get_xdata()[0] < 0.01


def test_scores_draw_both_densities_and_the_local_linkability():
    result = scores_of(1.5).to_dict()
    ax = plot_scores(result)
    bars = result["curves"]["histogram"]
    drawn = [patch.get_data().values for patch in ax.patches]
    np.testing.assert_array_equal(drawn[0], bars["nontarget"])
    np.testing.assert_array_equal(drawn[2], bars["target"])
    line = ax.figure.axes[1].lines[0]
    assert set(line.get_ydata()) == set(result["curves"]["segments"]["local_linkability"])
    assert np.all(np.diff(line.get_xdata()) >= 0)
    assert np.all(np.diff(line.get_ydata()) >= 0)


def test_infinite_scores_lie_at_the_edges():
    result = assess([np.inf, 1.0, 2.0, 3.0], [-np.inf, -1.0, 0.0, 1e3]).to_dict()
    ax = plot_scores(result)
    line = ax.figure.axes[1].lines[0]
    assert np.all(np.diff(line.get_xdata()) >= 0)
    low, high = ax.get_xlim()
    assert line.get_xdata()[-1] == high
    assert line.get_ydata()[-1] == 1.0
    assert low <= line.get_xdata()[0]


def test_calibration_steps_rise_and_cross_zero_evidence():
    result = scores_of(1.5).to_dict()
    ax = plot_calibration(result)
    assert set(ax.lines[0].get_ydata()) == {0}
    finite = [v for v in result["curves"]["segments"]["log10_lr"] if v is not None]
    assert sorted(set(ax.lines[1].get_ydata())) == sorted(set(finite))
    assert np.all(np.diff(ax.lines[1].get_ydata()) >= 0)
    worst = result["measures"]["log10_lr"]["value"]
    assert {abs(y) for line in ax.lines[2:4] for y in line.get_ydata()} == {worst}


def test_calibration_marks_stretches_without_a_bound():
    ax = plot_calibration(assess([2.0, 3.0], [0.0, 1.0]))
    triangles = [line for line in ax.lines if line.get_marker() in ("^", "v")]
    assert [line.get_marker() for line in triangles] == ["^", "v"]
    assert triangles[0].get_xdata()[0] == 2.0
    assert triangles[1].get_xdata()[-1] == pytest.approx(1.0)


def test_measures_show_dots_intervals_chance_and_ceiling():
    result = evaluation()
    ax = plot_measures(result, "eer")
    assert [t.get_text() for t in ax.get_yticklabels()] == [
        "ignorant",
        "lazy-informed",
        "semi-informed",
        "original speech",
    ]
    eer = result["attackers"][0]["measures"]["eer"]
    assert list(ax.lines[0].get_xdata()) == [50, 50]
    assert list(ax.lines[1].get_xdata()) == [100 * eer["low"], 100 * eer["high"]]
    assert list(ax.lines[2].get_xdata()) == [100 * eer["value"]]
    ceiling = 100 * result["original"]["measures"]["eer"]["value"]
    assert any(list(line.get_xdata()) == [ceiling, ceiling] for line in ax.lines)


def test_measures_refuse_a_measure_that_is_no_number():
    with pytest.raises(InputError, match="category"):
        plot_measures(evaluation(), "category")


def test_lines_differ_without_color():
    lines = plot_ece([scores_of(1.5)] * 6).lines[1:]
    looks = {(line.get_linestyle(), line.get_marker(), repr(line._unscaled_dash_pattern)) for line in lines}
    assert len(looks) == 6


def test_colors_stand_out_from_paper():
    def luminance(color: str) -> float:
        channels = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    assert all(1.05 / (luminance(color) + 0.05) >= 4.5 for color in COLORS)


def test_given_axes_are_used_and_no_pyplot_is_touched():
    import sys

    figure = Figure()
    ax = figure.subplots()
    assert plot_ece(scores_of(1.5), ax) is ax
    assert plot_det(scores_of(1.5), figure.add_axes((0, 0, 1, 1))).figure is figure
    assert "matplotlib.pyplot" not in sys.modules


@pytest.mark.parametrize(
    ("target", "nontarget"),
    [
        ([3.0] * 5, [3.0] * 5),
        ([1.0], [0.0]),
        ([0.0, 1.0], [2.0, 3.0]),
        ([np.inf] * 3, [-np.inf] * 3),
        ([1e6, 1.0], [0.0, 2.0]),
    ],
)
def test_degenerate_scores_are_drawn_without_a_warning(target, nontarget):
    for figure in draw_all(assess(target, nontarget)).values():
        assert figure_bytes(figure, "png").startswith(b"\x89PNG")


def test_names_are_shown_as_they_are():
    result = {**scores_of(1.5).to_dict(), "name": "_$\\frac{1}{0}$"}
    figure = draw_all(result)["ece"]
    assert any("_$\\frac{1}{0}$" in text for text in legend(figure.axes[0]))
    ET.fromstring(figure_bytes(figure, "svg"))
    figure_bytes(draw_all({**result, "name": "語 \U0001f600"})["det"], "png")


def test_same_result_same_bytes(tmp_path: Path):
    for suffix in ("png", "svg", "pdf"):
        files = [tmp_path / f"{k}.{suffix}" for k in range(2)]
        for file in files:
            save_figure(draw_all(evaluation())["ece"], file)
        assert files[0].read_bytes() == files[1].read_bytes()
        assert b"<dc:date>" not in files[0].read_bytes()
    assert b"CreationDate" not in (tmp_path / "0.pdf").read_bytes()


def test_saving_fails_whole(tmp_path: Path):
    figure = draw_all(scores_of(1.5))["det"]
    with pytest.raises(InputError, match=r"png, svg or pdf, got '\.jpg'"):
        save_figure(figure, tmp_path / "x.jpg")
    with pytest.raises(FileError, match="cannot be written"):
        save_figure(figure, tmp_path / "nowhere" / "x.png")
    assert list(tmp_path.iterdir()) == []


def test_figure_names_and_draw_all_agree():
    for result in (scores_of(1.5).to_dict(), evaluation(), [scores_of(1.5), scores_of(0.0)]):
        assert tuple(draw_all(result)) == figure_names(result)
    assert figure_names(evaluation()) == ("measures", "ece", "det", "scores", "calibration")
    bare = {**scores_of(1.5).to_dict(), "curves": {}}
    assert figure_names(bare) == ()
    with pytest.raises(InputError, match="curves=True"):
        plot_ece(bare)


def test_equal_names_are_told_apart():
    assert [one.label for one in series_of([scores_of(1.5), scores_of(1.5)])] == ["B2 (1)", "B2 (2)"]


def test_what_is_no_result_is_refused():
    for wrong in (3, {"kind": "ranks"}, {"a": 1}, []):
        with pytest.raises(InputError):
            plot_ece(wrong)


def test_csv_holds_what_was_drawn():
    result = scores_of(1.5).to_dict()
    rows = [line.split(",") for line in figure_csv("ece", result).splitlines()]
    assert rows[0] == ["system", "log10_odds", "zero_evidence", "calibrated"]
    assert [float(row[3]) for row in rows[1:]] == result["curves"]["ece"]["calibrated"]
    assert figure_csv("det", {**result, "name": "=cmd()"}).splitlines()[1].startswith("'=cmd()")
    assert HOSTILE[:20] in figure_csv("measures", {**result, "name": HOSTILE[:20]}).replace('""', '"')
    with pytest.raises(InputError, match="expected one of"):
        figure_csv("pie", result)


def test_without_matplotlib_the_pip_line_is_given(monkeypatch):
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'stripeless\[plots\]'"):
        plot_ece(scores_of(1.5))
