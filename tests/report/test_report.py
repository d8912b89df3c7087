"""Reports: the right verdict for known cases, safe with hostile names, whole without the network, and the same every time."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sample_results import HOSTILE, evaluation, scores_of, simulated

from stripeless.assessment.assess import assess, assess_scores
from stripeless.assessment.groups import assess_groups
from stripeless.errors import InputError
from stripeless.report import render_html, render_latex, render_markdown, render_text, verdict
from stripeless.report.compared import compare_verdict
from stripeless.report.text import width
from stripeless.report.view import view_of
from stripeless.results.evaluation import Evaluation
from stripeless.scores.trials import Factor, TrialScores
from stripeless.studies.comparison import compare_results
from stripeless.verdicts.verdict import Verdict

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


def hostile() -> dict[str, Any]:
    """A result whose every name tries to break out."""
    result = simulated(2.0, name=HOSTILE, attacker=HOSTILE, path=HOSTILE).to_dict()
    measures = {k: result["measures"][k] for k in ("eer", "d_ece", "linkability", "category")}
    group = {"counts": {"target": 5, "nontarget": 9}, "measures": measures, "reason": HOSTILE}
    finding = {"code": "x", "severity": "caution", "message": HOSTILE}
    return {**result, "groups": {HOSTILE: {HOSTILE: group}}, "notes": [HOSTILE], "warnings": [finding]}


# --- verdicts -------------------------------------------------------------------------------------------------------


def test_a_strong_leak_names_attacker_number_and_basis() -> None:
    said = verdict(evaluation())
    assert said.level == "exposed"
    assert said.headline.startswith(
        "An attacker who uses the same anonymizer and retrains on its output, asked which of two recordings is the person's and "
        "which a stranger's, is right 96 of 100 times"
    )
    assert "Basis: exchange of enrollments of the semi-informed attacker; 300 target and 3,000" in said.basis
    assert any("% of the evidence that unprotected speech gives" in s for s in said.sentences)


def test_small_leak_is_a_leak() -> None:
    assert verdict(evaluation(semi=0.5, lazy=0.3)).level == "leaking"


def test_chance_without_a_ceiling_is_no_privacy() -> None:
    said = verdict(scores_of(0.0).to_dict())
    assert said.level == "unclear"
    assert "There is no control on original data" in said.headline


def test_chance_of_all_attackers_with_a_ceiling() -> None:
    said = verdict(evaluation(semi=0.0, lazy=0.0))
    assert said.level == "quiet"
    assert said.headline == "No leak beyond EER 40 % seen, with 3 attackers on 30 people."


def test_chance_of_a_weak_attacker_is_not_enough() -> None:
    original, weak = (simulated(s, attacker=a) for s, a in ((3.5, "original"), (0.0, "ignorant")))
    said = verdict(Evaluation("B1", (weak,), original).to_dict())
    assert said.level == "unclear"
    assert "An attacker who retrains on anonymized speech was not tried" in said.headline


def test_attackers_who_fail_on_originals_show_nothing() -> None:
    said = verdict(evaluation(semi=0.0, lazy=0.0, original=0.0))
    assert said.level == "unclear"
    assert said.headline.startswith("The attackers hardly recognize unprotected speech")


@pytest.mark.parametrize(
    "scores", [(np.full(200, 3.0), np.full(200, 3.0)), (np.arange(300.0) - 400, np.arange(3000.0))]
)
def test_constant_and_swapped_scores_get_no_verdict(scores: Any) -> None:
    result = assess(*scores).to_dict()
    said = verdict(result)
    assert said.level == "invalid"
    assert "must not be read as privacy" in said.headline
    page = render_html(result)
    assert page.index('class="finding serious"') < page.index('class="verdict invalid"')
    assert 'class="gauge"' not in page
    text = render_text(result)
    assert text.index("Serious:") < text.index("No verdict")


def test_too_few_trials() -> None:
    said = verdict(assess([1.0, 2.0], [0.0, 0.5]).to_dict())
    assert said.level == "unclear"
    assert said.headline.startswith("Nobody is named and the trials are few")


def test_few_trials_that_leak_still_leak() -> None:
    rng = np.random.default_rng(0)
    said = verdict(assess(rng.normal(4, 1, 60), rng.normal(0, 1, 90)).to_dict())
    assert said.level == "leaking"
    assert said.headline.startswith("The attacker behind these scores, asked which of two recordings is the person's")


def test_a_broken_attacker_cannot_hide_behind_the_others() -> None:
    broken = assess(np.full(300, 1.0), np.full(3000, 1.0)).to_dict() | {"attacker": "semi-informed"}
    leaking = evaluation()
    leaking["attackers"][2] = broken
    leaking["strongest"] = "lazy-informed"
    said = verdict(leaking)
    assert said.level == "exposed"
    assert any("The numbers of another attacker are broken" in s for s in said.sentences)
    silent = evaluation(lazy=0.0)
    silent["attackers"][2] = broken
    silent["strongest"] = "ignorant"
    assert verdict(silent).level == "invalid"


def test_an_uncalibrated_score_does_not_forbid_the_verdict() -> None:
    finding = {"code": "not_llr", "severity": "serious", "message": "Cllr ..."}
    assert verdict({**scores_of(2.0).to_dict(), "warnings": [finding]}).level in ("exposed", "leaking")


def test_comparison_ranks_only_what_intervals_tell_apart() -> None:
    far = compare_verdict([scores_of(0.5), {**scores_of(3.0).to_dict(), "name": "B3"}])
    assert far.headline == 'Of these 2, "B2" gives away least and "B3" most.'
    near = compare_verdict([simulated(1.0, name="x"), simulated(1.02, seed=5, name="y")])
    assert near.level == "unclear"
    assert isinstance(near, Verdict)


def paired(p_values: dict[str, float], more_private: int = 1) -> dict[str, Any]:
    """Three results whose intervals overlap, with paired differences of these p-values."""
    results = [
        {**simulated(s, seed=int(100 * s), name=n).to_dict(), "name": n}
        for s, n in ((1.0, "a"), (1.05, "b"), (1.1, "c"))
    ]
    difference = {
        "first": 0.1, "second": 0.12, "difference": -0.02, "low": -0.03, "high": -0.01, "more_private": more_private,
        "unit": "speakers",
    }  # fmt: skip
    whole = compare_results(results).to_dict()
    return {
        **whole,
        "warnings": [],
        "differences": {k: {"d_ece": {**difference, "measure": "d_ece", "p_value": p}} for k, p in p_values.items()},
    }


def test_paired_differences_decide_the_comparison_after_holm() -> None:
    result = paired({"a - b": 0.04, "a - c": 0.01})
    order = sorted("abc", key=lambda n: result["results"]["abc".index(n)]["measures"]["d_ece"]["value"])
    assert (order[0], order[-1]) == ("a", "c")
    assert compare_verdict(result).level == "compared"
    weak = compare_verdict(paired({"a - b": 0.04, "a - c": 0.03}))  # 0.06 once corrected
    assert weak.level == "unclear"
    assert any("Holm" in sentence for sentence in weak.sentences)
    same = compare_verdict(paired({"a - b": 0.9, "a - c": 0.8}, more_private=0))
    assert same.level == "unclear"
    assert not any("can tell more" in sentence for sentence in same.sentences)


def test_two_that_were_both_compared_with_one_between_them() -> None:
    """The first file given is the middle one, so that no paired test is of the two at the ends."""

    def through_b(p_value: float) -> Any:
        result = paired({"b - a": p_value, "b - c": p_value})
        result["differences"]["b - a"]["d_ece"]["more_private"] = 2
        result["differences"]["b - c"]["d_ece"]["more_private"] = 1
        for one in result["results"]:  # intervals that overlap, so that only the paired tests can tell
            one["measures"]["d_ece"].update(low=0.0, high=0.7)
        return result

    sure = compare_verdict(through_b(0.01))
    assert sure.level == "compared"
    assert any('put "b" between the two' in sentence for sentence in sure.sentences)
    unsure = compare_verdict(through_b(0.4))
    assert unsure.level == "unclear"
    assert any("name one of the two first" in sentence for sentence in unsure.sentences)
    against = through_b(0.01)
    against["differences"]["b - a"]["d_ece"]["more_private"] = 1
    assert compare_verdict(against).level == "unclear"


def test_the_same_file_twice_is_no_comparison() -> None:
    twins = compare_results([scores_of(1.5).to_dict(), scores_of(1.5).to_dict()]).to_dict()
    assert compare_verdict(twins).level == "invalid"
    assert "Serious" in render_text(twins)


# --- HTML -----------------------------------------------------------------------------------------------------------


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
        "is right 96 of 100 times (guessing: 50)",
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


@pytest.mark.parametrize("render", [render_html, render_markdown, render_text, render_latex])
def test_every_format_takes_every_kind(render: Any) -> None:
    one = scores_of(1.5).to_dict()
    ceiling = simulated(3.5, attacker="original").to_dict()
    for results in (
        one,
        evaluation(),
        [one, evaluation()],
        compare_results([one, evaluation()]).to_dict(),
        {**one, "original": ceiling},
        {**one, "curves": {}},
        [one],
        scores_of(1.5),
    ):
        assert render(results)
    for wrong in ({"kind": "ranks"}, {}, 7, []):
        with pytest.raises(InputError):
            render(wrong)


def test_paired_differences_are_shown() -> None:
    d = {
        "measure": "eer",
        "first": 0.3,
        "second": 0.2,
        "difference": 0.1,
        "low": 0.05,
        "high": 0.15,
        "p_value": 0.004,
        "more_private": 1,
        "unit": "speakers",
    }
    result = compare_results([scores_of(0.5).to_dict(), scores_of(1.5).to_dict()]).to_dict()
    text = render_text({**result, "differences": {"x/a.txt - x/b.txt": {"eer": d}}})
    assert "a.txt minus b.txt" in text
    row = next(line for line in text.splitlines() if line.startswith("  EER"))
    assert " ".join(row.split()) == "EER 10.0 points (5.0 to 15.0 points) 0.004 a.txt"


def test_names_that_share_a_folder_show_what_differs() -> None:
    results = [{**scores_of(1.5).to_dict(), "name": f"/a/very/long/folder/{name}"} for name in ("b1/f.txt", "b2/f.txt")]
    assert [one.label for one in view_of(results).series] == ["b1/f.txt", "b2/f.txt"]


# --- text, Markdown, LaTeX ------------------------------------------------------------------------------------------


def test_text_fits_eighty_columns_and_is_aligned() -> None:
    wide = {**scores_of(1.5).to_dict(), "name": "語" * 60 + "e\u0301" * 30}
    for result in (wide, evaluation(), hostile(), [wide, evaluation()], assess([1.0], [0.0]).to_dict()):
        lines = render_text(result).splitlines()
        assert max(map(width, lines)) <= 80
    lines = render_text(scores_of(1.5).to_dict()).splitlines()
    head = next(k for k, line in enumerate(lines) if line.startswith("measure"))
    end = {width(line) for line in lines[head : head + 8]}
    assert end == {width(lines[head + 1])}


def test_text_says_value_interval_chance_and_reason() -> None:
    result = scores_of(1.5).to_dict()
    eer = result["measures"]["eer"]
    row = next(line for line in render_text(result).splitlines() if line.startswith("Equal error rate"))
    interval = f"{100 * eer['low']:.1f} to {100 * eer['high']:.1f} %"
    assert row.split("  ")[0] == "Equal error rate"
    assert f"{100 * eer['value']:.1f} %" in row
    assert interval in row
    assert row.endswith("50.0 %    0.0 %")
    assert "3000 nontarget trials are too few; 10000" in " ".join(render_text(result).split())


def test_terminal_controls_never_reach_the_terminal() -> None:
    result = {**scores_of(1.5).to_dict(), "name": "a\x1b[31mred\u202e\nb", "notes": ["x\x1b]0;t\x07"]}
    text = render_text([result, result])
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x1b" not in render_text(result)


def test_markdown_keeps_its_columns() -> None:
    for result in (hostile(), evaluation()):
        text = render_markdown(result)
        assert "<script" not in text
        for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
            columns = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(columns) == 1


def test_latex_is_escaped_and_rectangular() -> None:
    text = render_latex([hostile(), {**scores_of(0.5).to_dict(), "name": "A_1 & 50 %"}])
    assert r"A\_1 \& 50 \%" in text
    assert r"\textless{}script\textgreater{}" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {4}
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert len(re.findall(r"(?<!\\)[%]", text)) == 1  # the comment on top
    assert r"\textbf{" in text


def test_best_values_leave_out_cllr_and_broken_results() -> None:
    swapped = assess(np.arange(300.0) - 400, np.arange(3000.0), name="swapped").to_dict()
    rows = {row.name: row for row in view_of([scores_of(0.5), scores_of(1.5), swapped]).rows}
    assert [cell.best for cell in rows["eer"].cells] == [True, False, False]
    assert not any(cell.best for cell in rows["cllr"].cells)


def test_real_scores_give_the_published_legend(librispeech: Any) -> None:
    """Paper 1, Fig. 3: the unprotected system is (0.58, 3.98, C)."""
    from stripeless.plots.ece import evidence
    from stripeless.scores.files import read_scores

    scores = read_scores(librispeech / "scores/original/oo_f.txt", librispeech / "trials_f/trials")
    assert evidence(assess(scores.target, scores.nontarget)) == "(0.58, 3.98, C)"


def test_groups_are_printed() -> None:
    rng = np.random.default_rng(0)
    sex = Factor(("female", "male"), (np.arange(100) % 2).astype(np.int32), (np.arange(300) % 2).astype(np.int32))
    scores = TrialScores(rng.normal(1, 1, 100), rng.normal(0, 1, 300), columns={"sex": sex})
    result = replace(assess_scores(scores), groups={"sex": assess_groups(scores, "sex")}).to_dict()
    text = render_text(result)
    assert "By sex, the worst protected first" in text
    assert "female" in text
    assert max(map(len, text.splitlines())) <= 80
