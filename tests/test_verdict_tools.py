"""`make verdicts`: counts are right, limits are those of the book, interrupted runs go on, and a broken rule turns it red."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from stripeless.assessment.assess import assess_scores
from stripeless.results.judged import verdict
from stripeless.verdicts.evidence import unnamed
from stripeless.worlds.score_world import ScoreWorld
from stripeless.worlds.scores import simulate_scores

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / "tools"


@pytest.fixture(scope="module")
def tool() -> SimpleNamespace:
    if not TOOLS.is_dir():
        pytest.skip("the tools are not part of this package")
    sys.path.insert(0, str(TOOLS))
    try:
        import verdict_kinds
        import verdict_runs
        import verdict_table
        import verdicts
    finally:
        sys.path.remove(str(TOOLS))
    return SimpleNamespace(kinds=verdict_kinds, runs=verdict_runs, table=verdict_table, main=verdicts)


@pytest.fixture
def on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))


def kind(tool: SimpleNamespace, labels: str = "Q", truth: str = "no leak", **changes: Any) -> Any:
    """A kind whose draws have these labels in turn, by the order of the calls: L leak, Q no leak seen, ? cannot tell, E error."""
    words = {"L": "Leak", "Q": "No leak seen", "?": "Cannot tell", "N": "No verdict"}
    calls = iter(labels * 3000)

    def play(seed: int) -> str:
        letter = next(calls)
        if letter == "E":
            raise ValueError("a fault of the door")
        return words[letter]

    rules = changes.pop("wanted", (tool.kinds.FALSE_ALARM,))
    return replace(tool.kinds.Kind("made", "a", "made up", truth, play, rules), **changes)


def found(tool: SimpleNamespace, one: Any, draws: int = 200) -> Any:
    journal = tool.runs.Journal()
    tool.runs.play_all([(one, 0, draws)], "first", journal, 1)
    return tool.table.tally(one, "first", journal, draws)


@pytest.mark.parametrize(
    ("count", "draws", "low", "high"),
    [
        (0, 200, 0.0, 0.0183),
        (10, 200, 0.0242, 0.0900),
        (21, 200, 0.0662, 0.1560),
        (200, 200, 0.9817, 1.0),
        (1, 2, 0.0126, 0.9874),
    ],
)
def test_limits_are_those_of_clopper_and_pearson(
    tool: SimpleNamespace, count: int, draws: int, low: float, high: float
) -> None:
    assert tool.kinds.limits(count, draws) == pytest.approx((low, high), abs=1e-4)


def test_21_of_200_false_alarms_are_borne_and_22_are_not(tool: SimpleNamespace) -> None:
    rule = tool.kinds.FALSE_ALARM
    assert tool.kinds.most_of(200) == 21
    assert rule.kept(21, 200)
    assert not rule.kept(22, 200)
    assert not rule.doubtful(17, 200)
    assert rule.doubtful(18, 200)
    assert rule.kept(70, 1000, redrawn=True)
    assert not rule.kept(71, 1000, redrawn=True)


def test_other_rules_are_broken_where_luck_is_excluded(tool: SimpleNamespace) -> None:
    assert tool.kinds.PASSES.kept(150, 200)  # 68.4 to 80.8 %
    assert not tool.kinds.PASSES.kept(148, 200)
    assert tool.kinds.NEVER_PASSES.kept(0, 200)
    assert not tool.kinds.NEVER_PASSES.kept(1, 200)
    assert not tool.kinds.found(0.95).kept(170, 200)
    assert not tool.kinds.PASSES.kept(0, 0)


def test_labels_are_counted(tool: SimpleNamespace) -> None:
    one = found(tool, kind(tool, "LQ?N"), 8)
    assert one.labels == Counter({"Leak": 2, "No leak seen": 2, "Cannot tell": 2, "No verdict": 2})
    assert tool.table.overall([one]) == (2, 8)


def test_a_fault_of_a_door_is_counted_shown_and_red(tool: SimpleNamespace) -> None:
    one = found(tool, kind(tool, "QQQE"), 8)
    assert one.labels["Error"] == 2
    assert "2 draws ended in an error" in one.broken()


def test_every_draw_has_a_seed_of_its_own(tool: SimpleNamespace) -> None:
    seeds = {tool.runs.seed_of(s, k, d) for s in ("first", "second") for k in ("a-x", "a-y") for d in range(50)}
    assert len(seeds) == 200


def test_an_interrupted_run_goes_on(tool: SimpleNamespace, tmp_path: Path) -> None:
    path, played = tmp_path / "journal.jsonl", []
    one = replace(kind(tool), play=lambda seed: played.append(seed) or "Cannot tell")
    tool.runs.play_all([(one, 0, 25)], "first", tool.runs.Journal(path), 1)
    assert len(played) == 25
    path.write_text(path.read_text() + '{"seeds": "first", "ki')  # ended while it wrote
    again = tool.runs.Journal(path)
    tool.runs.play_all([(one, 0, 35)], "first", again, 1)
    assert len(played) == len(set(played)) == 35
    assert tool.table.tally(one, "first", again, 35).labels == {"Cannot tell": 35}
    assert not tool.table.tally(one, "second", again, 35).labels


def test_faults_outlive_an_interruption(tool: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    tool.runs.play_all([(kind(tool, "QE"), 0, 4)], "first", tool.runs.Journal(path), 1)
    assert "a fault of the door" in tool.runs.Journal(path).errors["first", "made", 1]


def test_changed_code_begins_anew(tool: SimpleNamespace, tmp_path: Path) -> None:
    for name in ("verdicts/leak.py", "report/html.py"):
        path = tmp_path / "src" / "stripeless" / name
        path.parent.mkdir(parents=True)
        path.write_text("a = 1\n")
    before = tool.runs.code_digest(tmp_path)
    (tmp_path / "src/stripeless/report/html.py").write_text("a = 2\n")
    assert tool.runs.code_digest(tmp_path) == before
    (tmp_path / "src/stripeless/verdicts/leak.py").write_text("a = 2\n")
    assert tool.runs.code_digest(tmp_path) != before


def run(tool: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kinds: list[Any], *more: str) -> int:
    monkeypatch.setattr(tool.main, "all_kinds", lambda: iter(kinds))
    return int(tool.main.main(["--workers", "1", "--folder", str(tmp_path), *more]))


def test_too_many_false_alarms_are_red(tool: SimpleNamespace, monkeypatch: Any, tmp_path: Path, capsys: Any) -> None:
    assert run(tool, monkeypatch, tmp_path, [kind(tool, "L" + 24 * "Q")]) == 0
    assert "Everything is as wanted" in capsys.readouterr().out
    assert run(tool, monkeypatch, tmp_path / "b", [kind(tool, "L" + 7 * "Q")]) == 1
    assert "made: leak claimed: at most 5 %, and it is 25 of 200" in capsys.readouterr().out


def test_18_of_200_are_drawn_again_and_these_count(
    tool: SimpleNamespace, monkeypatch: Any, tmp_path: Path, capsys: Any
) -> None:
    quiet = [kind(tool, "Q", name=f"quiet {k}") for k in range(3)]
    unlucky = kind(tool, 19 * "L" + 181 * "Q" + 30 * "L" + 970 * "Q")
    assert run(tool, monkeypatch, tmp_path, [unlucky, *quiet]) == 0
    assert re.search(r"^made +1000  leak +3\.0 %", capsys.readouterr().out, flags=re.M)
    unsound = kind(tool, 19 * "L" + 181 * "Q" + 80 * "L" + 920 * "Q")
    assert run(tool, monkeypatch, tmp_path / "b", [unsound, *quiet]) == 1
    assert "it is 80 of 1000 when drawn again" in capsys.readouterr().out


def test_more_than_6_percent_over_all_are_red(
    tool: SimpleNamespace, monkeypatch: Any, tmp_path: Path, capsys: Any
) -> None:
    kinds = [kind(tool, 14 * "L" + 186 * "Q", name=f"k{number}") for number in range(3)]
    assert run(tool, monkeypatch, tmp_path, kinds) == 1
    assert "over all: leak claimed in 42 of 600 draws without one, at most 36 wanted" in capsys.readouterr().out


def test_a_kind_is_chosen_by_its_name_or_a_part(
    tool: SimpleNamespace, monkeypatch: Any, tmp_path: Path, capsys: Any
) -> None:
    kinds = [kind(tool, name=name) for name in ("a-one", "a-one-more", "b-two")]
    assert run(tool, monkeypatch, tmp_path, kinds, "--list", "--only", "a-one") == 0
    assert capsys.readouterr().out.count("made up") == 1
    assert run(tool, monkeypatch, tmp_path, kinds, "--list", "--only", "a-") == 0
    assert capsys.readouterr().out.count("made up") == 2
    assert run(tool, monkeypatch, tmp_path, kinds, "--only", "nothing") == 1


def test_absent_data_are_named_and_left_out(
    tool: SimpleNamespace, monkeypatch: Any, tmp_path: Path, capsys: Any
) -> None:
    kinds = [kind(tool), kind(tool, name="real", available=lambda: False)]
    assert run(tool, monkeypatch, tmp_path, kinds) == 0
    assert "left out, because their data are not here: real" in capsys.readouterr().out


def test_the_page_is_renewed_between_its_marks(tool: SimpleNamespace, monkeypatch: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A\n\n{tool.table.START}\nold\n{tool.table.END}\n\nmore\n")
    monkeypatch.setattr(tool.main, "PAGE", page)
    monkeypatch.setattr(tool.main, "ROOT", tmp_path)
    assert run(tool, monkeypatch, tmp_path, [kind(tool, "LQQQQQQQQQQQQQQQQQQQ")], "--write") == 0
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("# A\n\n")
    assert text.endswith("\n\nmore\n")
    assert (
        "| made up (`made`) | 200 | **5 (2.4-9)** | 95 (91-97.6) | 0 (0-1.8) | 0 (0-1.8) | leak claimed: at most 5 % |"
        in text
    )


# The whole way: worlds, doors, rules.

BROKEN = {
    "the level": ("stripeless.verdicts.leak", "LEVEL", 0.3, "a-pairs-.3"),
    "groups": ("stripeless.verdicts.strata", "_rare", lambda values, least: values > -2, "a-sexes-8-32-2"),
    "fewer own trials": ("stripeless.verdicts.cells", "UNEVEN", 1e9, "a-fewer-own"),
    "hits": ("stripeless.verdicts.exchange", "WEIGHTS", {"rank": 1.0, "top": 1e-9, "spread": 1e-9}, "c-half-spread"),
    "power": ("stripeless.verdicts.leak", "LEVEL", 0.0, "c-eer-40"),
    "unnamed people": (
        "stripeless.verdicts.evidence",
        "unnamed",
        lambda rows, people: unnamed(rows, 5000),
        "b-8-known",
    ),
    "serious findings": ("stripeless.verdicts.verdict", "broken", lambda findings: False, "f-swapped"),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_turns_the_sample_red(
    tool: SimpleNamespace, on_path: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rule: str
) -> None:
    module, name, value, world = BROKEN[rule]
    asked = ["--sample", "--workers", "1", "--folder", str(tmp_path), "--only", world]
    assert tool.main.main(asked) == 0
    holder: ModuleType = __import__(module, fromlist=[name])
    monkeypatch.setattr(holder, name, value)
    assert tool.main.main(asked) == 1


def test_worlds_have_names_of_their_own_and_a_chapter(tool: SimpleNamespace, on_path: None) -> None:
    kinds = list(tool.kinds.all_kinds())
    assert len({one.name for one in kinds}) == len(kinds) >= 40
    assert {one.group for one in kinds} <= set(tool.kinds.CHAPTERS)
    assert {one.truth for one in kinds} == {"no leak", "leak", "wrong data"}
    assert all(one.wanted for one in kinds if one.truth == "no leak")


def test_the_page_shows_worlds_that_there_are(tool: SimpleNamespace, on_path: None) -> None:
    shown = re.findall(r"\(`([\w.-]+)`\) \|", (ROOT / "docs/reference/verdict-error-rates.md").read_text())
    names = [one.name for one in tool.kinds.all_kinds()]
    assert set(shown) <= set(names)
    assert len(shown) >= 40


def test_the_page_for_readers_quotes_what_reports_say() -> None:
    text = (ROOT / "docs/explanation/verdicts.md").read_text()
    quoted = " ".join(line[2:] for line in text.splitlines() if line.startswith("> "))
    hidden, shown = simulate_scores(seed=1), simulate_scores(ScoreWorld(eer=0.35), seed=2)
    for drawn, original in ((hidden, hidden.original), (hidden, None), (shown, shown.original)):
        said = verdict(assess_scores(drawn.scores, attacker="semi-informed", original=original, curves=False))
        assert said.headline in quoted, said.label
        assert f"**{said.label}**" in text


def test_kinds_of_one_family_are_played_draw_by_draw_with_the_same_seeds(tool: SimpleNamespace) -> None:
    seen: list[tuple[str, int]] = []
    link, lookup = (
        replace(kind(tool), name=f"g-{name}", family="g", play=lambda seed, n=name: seen.append((n, seed)) or "Leak")
        for name in ("link", "lookup")
    )
    journal = tool.runs.Journal()
    tool.runs.play_all([(link, 0, 3), (lookup, 0, 3)], "first", journal, 1)
    assert [name for name, _ in seen] == ["link", "lookup"] * 3, "so that a study that both ask is played once"
    assert len({seed for _, seed in seen}) == 3
    assert tool.table.tally(lookup, "first", journal, 3).labels == {"Leak": 3}
