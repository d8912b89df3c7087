"""The page: whole, offline, accessible, safe, the same bytes, and holding every part."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from sample_results import HOSTILE, evaluation, hostile, scores_of

from stripeless.report import render_html
from stripeless.report.view import view_of

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Checks that tags close in order; keeps ids, attributes, headings and visible text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def report() -> str:
    return render_html(evaluation())


def test_page_is_well_formed_and_ids_are_unique(report: str) -> None:
    page = Page(report)
    assert len(page.ids) == len(set(page.ids))
    anchors = [value for _, name, value in page.attributes if name == "href" and value.startswith("#")]
    references = re.findall(r"url\(#([^)]+)\)", report)
    assert {a[1:] for a in anchors} | set(references) <= set(page.ids)


def test_page_asks_nothing_of_the_network(report: str) -> None:
    page = Page(report)
    for _, name, value in page.attributes:
        if name in ("src", "href", "xlink:href", "data", "action", "srcset"):
            assert value.startswith(("#", "data:text/csv")), (name, value)
    assert "script" not in page.tags
    assert "@import" not in report
    assert re.findall(r"url\((?!#)", report) == []
    assert "default-src 'none'" in report


def test_page_is_accessible(report: str) -> None:
    page = Page(report)
    assert ("html", "lang", "en") in page.attributes
    assert page.tags.count("h1") == 1
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert page.tags.count("table") == page.tags.count("caption")
    assert page.tags.count("th") == sum(name == "scope" for _, name, _ in page.attributes)
    pytest.importorskip("matplotlib")
    assert page.tags.count("figure") == 5
    labels = [value.split() for tag, name, value in page.attributes if name == "aria-labelledby"]
    assert len(labels) == 5
    assert all(set(ids) <= set(page.ids) for ids in labels)


def contrast(first: str, second: str) -> float:
    def luminance(color: str) -> float:
        channels = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_stands_out_in_light_and_dark(report: str) -> None:
    blocks = re.findall(r":root \{([^}]*)\}", report)
    assert len(blocks) == 2
    for block in blocks:
        color = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
        pairs = [
            ("ink", "page"),
            ("ink", "card"),
            ("muted", "page"),
            ("muted", "card"),
            ("muted", "soft"),
            ("link", "card"),
        ]
        pairs += [(tone, f"{tone}-soft") for tone in ("bad", "warn", "calm")] + [
            ("ink", f"{t}-soft") for t in ("bad", "warn")
        ]
        pairs += [(f"series-{k}", "card") for k in range(1, 7)]
        for first, second in pairs:
            assert contrast(color[first], color[second]) >= 4.5, (first, second)


def test_hostile_names_stay_text() -> None:
    page_text = render_html(hostile())
    page = Page(page_text)
    assert "script" not in page.tags
    assert "<script" not in page_text
    assert HOSTILE in page.text  # shown as it is, not run by the browser, the template or the formula reader
    assert "49" not in re.findall(r"\{\{7\*7\}\}|\b49\b", page.text)


def test_names_inside_figures_are_not_rewritten() -> None:
    pytest.importorskip("matplotlib")
    name = 'id="x" url(#y) #0069a8 --> <!-- z'
    page = Page(render_html({**scores_of(1.5).to_dict(), "name": name}))
    legends = [line for line in page.text.splitlines() if line.strip().startswith("id=")]
    assert len(legends) >= 2
    assert all(name in line for line in legends)


def test_same_dict_same_bytes(report: str) -> None:
    through_json = json.loads(json.dumps(evaluation()))
    assert render_html(through_json) == report
    assert not re.search(r"20\d\d-\d\d-\d\d", report)


def test_report_holds_every_part(report: str) -> None:
    page = Page(report)
    for part in ("evidence", "figures", "measures", "warnings", "review", "limits", "method", "glossary"):
        assert part in page.ids
    for words in (
        "Equal error rate",
        "SpeechBrain",
        "ab" * 32,
        "100 resamples of 30 speakers",
        "is right 96 of 100 times (guessing which of the two: 50)",
        "The test behind the verdict",
    ):
        assert words in page.text
    eer = evaluation()["attackers"][2]["measures"]["eer"]
    assert f"{100 * eer['value']:.1f} %" in page.text
    assert f"{100 * eer['low']:.1f} to {100 * eer['high']:.1f} %" in page.text


def test_groups_put_the_worst_protected_first() -> None:
    result = scores_of(1.5).to_dict()
    strong = {k: result["measures"][k] for k in ("eer", "d_ece", "linkability", "category")}
    weak = {k: scores_of(0.0).to_dict()["measures"][k] for k in strong}
    groups = {
        n: {"counts": {"target": 9, "nontarget": 99}, "measures": m, "reason": r}
        for n, m, r in (("calm", weak, ""), ("leaky", strong, ""), ("tiny", {}, "fewer than 5"))
    }
    table = view_of({**result, "groups": {"speaker": groups}}).groups[0]
    assert [row[0].value for row in table.rows] == ["leaky", "calm", "tiny"]
    assert table.rows[2][-1].note == "fewer than 5"


def test_without_matplotlib_the_report_still_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["matplotlib", *(name for name in sys.modules if name.startswith("matplotlib."))]:
        monkeypatch.setitem(sys.modules, name, None)
    page = Page(render_html(evaluation()))
    assert "pip install 'stripeless[plots]'" in page.text
    assert "figure" not in page.tags
    assert "Linkability" in page.text
