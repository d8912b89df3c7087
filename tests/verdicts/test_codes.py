"""Every code that a finding can carry is listed, documented, fired once and silent once."""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from finding_cases import CASES
from finding_cases.case import Producer

import stripeless
from stripeless.cli import COMMANDS
from stripeless.verdicts.codes import CODES, SEVERITIES, serious_first
from stripeless.verdicts.finding import Finding

ROOT = Path(stripeless.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "findings.md"
HYPHENS = {  # names of 0.1, kept; every code since then is in snake_case
    "above-chance", "few-listeners", "listener-against", "listener-alike", "manifests-differ", "no-original",
    "no-semi-informed", "no-shared-condition", "not-anonymized", "printed-values", "told-apart", "training-mismatch",
    "training-overlap", "unknown-measures", "weak-encoder", "weak-retraining", "weaker-though-better-informed",
}  # fmt: skip
CARRIED = {"doubt.code"}  # a finding made of a warning, whose own code is listed below


def literals(node: ast.expr) -> list[str] | None:
    """The texts that an expression can be, where they stand in the source; None where they do not."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        both = literals(node.body), literals(node.orelse)
        return None if both[0] is None or both[1] is None else both[0] + both[1]
    return None


def given_in_source() -> Iterator[tuple[str, str, list[str] | None]]:
    """Every code in the source with its place and severities; None for a warning, which has none of its own."""
    places = {"Finding": 0, "ProtectionWarning": 1}  # where the code stands among the arguments
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in places):
                continue
            where = f"{path.relative_to(ROOT)}:{node.lineno}"
            assert len(node.args) > places[node.func.id], f"{where}: the code must be the argument in its place"
            code = node.args[places[node.func.id]]
            if ast.unparse(code) in CARRIED:
                continue
            names = literals(code)
            assert names is not None, f"{where}: {ast.unparse(code)} is no literal, so nothing holds it to the list"
            severities = literals(node.args[1]) if node.func.id == "Finding" else None
            yield from ((name, where, severities) for name in names)


@cache
def told_by(producer: Producer) -> dict[str, str]:
    """What a case says: codes with their severities."""
    return {finding.code: finding.severity for finding in producer()}


def test_every_code_in_the_source_is_listed_and_every_listed_code_is_in_the_source() -> None:
    found = defaultdict(list)
    for code, where, _ in given_in_source():
        found[code].append(where)
    assert len(found) > 40  # the scan sees something
    assert {code: found[code] for code in found if code not in CODES} == {}
    assert set(CODES) - set(found) == set()


def test_severities_are_those_listed() -> None:
    for code, where, severities in given_in_source():
        assert set(severities or ()) <= set(CODES[code].severities), f"{where}: {code}"


def test_new_codes_are_in_snake_case() -> None:
    assert {code for code in CODES if not re.fullmatch(r"[a-z]+(_[a-z]+)*", code)} == HYPHENS


def test_entries_are_whole() -> None:
    for name, code in CODES.items():
        assert name == code.code
        assert code.title
        assert not code.title.endswith(".")
        assert code.severities
        assert set(code.severities) <= set(SEVERITIES)
        assert code.given_by
        assert {giver for giver in code.given_by if giver not in COMMANDS and not hasattr(stripeless, giver)} == set()


def test_serious_first_keeps_the_order_otherwise() -> None:
    findings = [Finding(code, severity, "") for code, severity in
                (("a", "remark"), ("b", "caution"), ("c", "serious"), ("d", "caution"), ("e", "serious"))]  # fmt: skip
    assert "".join(finding.code for finding in serious_first(findings)) == "cebda"


# --- fired once, silent once ----------------------------------------------------------------------------------------


def test_every_code_has_a_case_that_fires_it_and_one_that_does_not() -> None:
    assert set(CASES) == set(CODES)
    assert [code for code, case in CASES.items() if not case.fires or not case.silent] == []


def cases(kind: str) -> list[object]:
    return [
        pytest.param(code, producer, id=f"{code}-{k}")
        for code, case in CASES.items()
        for k, producer in enumerate(getattr(case, kind))
    ]


@pytest.mark.parametrize(("code", "producer"), cases("fires"))
def test_fires(code: str, producer: Producer) -> None:
    found = told_by(producer)
    assert code in found
    assert found[code] in CODES[code].severities


@pytest.mark.parametrize(("code", "producer"), cases("silent"))
def test_is_silent(code: str, producer: Producer) -> None:
    assert code not in told_by(producer)


@pytest.mark.parametrize("code", CODES)
def test_every_severity_of_a_code_is_fired(code: str) -> None:
    assert {told_by(producer)[code] for producer in CASES[code].fires} == set(CODES[code].severities)


# --- documented -----------------------------------------------------------------------------------------------------


def sections() -> dict[str, str]:
    """Text of each section of the page by its code."""
    parts = re.split(r"^## `(.+?)`$", PAGE.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def blocks(text: str) -> list[str]:
    """Python of a text."""
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.M | re.S)


def test_every_code_has_its_section_and_every_section_its_code() -> None:
    assert list(sections()) == sorted(CODES)


def test_every_code_is_linked_from_the_top() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| about | codes |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"\[`(.+?)`\]\(#\1\)", table)) == sorted(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_section_says_what_it_is_where_it_comes_from_and_what_to_do(code: str) -> None:
    text, entry = sections()[code], CODES[code]
    head = text.strip().splitlines()[0]
    assert (
        head
        == f"**{entry.title}.** {' or '.join(entry.severities)}; given by {', '.join(f'`{g}`' for g in entry.given_by)}."
    )
    assert "\nWhat to do: " in text
    assert blocks(text) or "\n    stripeless " in text


@pytest.mark.parametrize("code", [code for code in CODES if blocks(sections().get(code, ""))])
def test_the_example_of_a_section_fires_its_code(code: str, tmp_path: Path) -> None:
    shared = blocks(PAGE.read_text(encoding="utf-8"))[0]  # the lines that every example begins with
    for block in blocks(sections()[code]):
        if "fit_flow_protection" in block:
            pytest.importorskip("torch", reason="the flow needs pip install 'stripeless[flow]'")
        if "classifiers=" in block:
            pytest.importorskip("sklearn", reason="classifiers need pip install 'stripeless[classifiers]'")
        assert len(block.splitlines()) <= 10
        said = StringIO()
        with redirect_stdout(said), chdir(tmp_path), warnings.catch_warnings():
            exec(compile(shared + block, f"{PAGE.name}, {code}", "exec"), {})
        assert f"'{code}'" in said.getvalue()


def test_sentences_are_short() -> None:
    prose = re.sub(r"^```.*?^```$|^ {4}.*$|^\|.*$|^#.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S)
    for sentence in re.split(r"(?<=[.:?!])\s+", prose):
        assert len(sentence.split()) <= 25, sentence
