"""The docs tell the truth: generated pages are fresh, links lead somewhere, every command and measure has its place."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner
from sample_results import evaluation
from study_results import embeddings, rank
from web_server import serving

from stripeless.audio.synthetic_voice import synthetic_corpus
from stripeless.cli import COMMANDS, group
from stripeless.embeddings.files import write_embeddings
from stripeless.errors import MissingExtra
from stripeless.listening.ratings import write_ratings
from stripeless.listening.simulate import SYSTEMS, simulate_ratings
from stripeless.measures.catalog import MEASURES

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_reference_pages_are_what_the_code_says() -> None:
    generate = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(generate, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if not link.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / link).exists(), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_and_files_that_are_named_exist(page: Path) -> None:
    """Except in decisions, which also tell of what was there before."""
    text = "" if page.name == "decisions.md" else page.read_text()
    for name in set(re.findall(r"`((?:src/|tests/)?(?:\w+/)+\w+\.(?:py|pyi|csv|json))`", text)):
        homes = (ROOT, ROOT / "src", ROOT / "src/stripeless", ROOT / "tests")
        assert any((home / name).exists() for home in homes), f"{name} is not there"
    for name in set(re.findall(r"\bstripeless((?:\.\w+)+)", text)):
        assert resolves("stripeless", *name.split(".")[1:]), f"stripeless{name} is not there"


def resolves(*parts: str) -> bool:
    """Whether these parts lead to a module, or to something inside one."""
    thing: object = importlib.import_module(parts[0])
    for k, part in enumerate(parts[1:], 1):
        if not hasattr(thing, part):
            try:
                importlib.import_module(".".join(parts[: k + 1]))
            except ModuleNotFoundError:
                return False
        thing = getattr(thing, part)
    return True


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        assert str(page.relative_to(ROOT / "docs")) in menu, page


def test_every_command_and_measure_has_a_place_in_the_docs() -> None:
    commands = (ROOT / "docs/reference/commands.md").read_text()
    measures = (ROOT / "docs/reference/measures.md").read_text()
    assert all(f"## stripeless {name}" in commands for name in COMMANDS)
    assert all(f"`{name}`" in measures for name in MEASURES)


def python_in(page: Path) -> str:
    """The Python blocks of a page, one after the other; examples with prompts run as doctests where they are written."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.S | re.M)
    return "\n".join(block for block in blocks if not block.startswith(">>>"))


# The reference and the recipe of CONTRIBUTING.md have tests of their own.
GUIDES = [page for page in PAGES if page.name != "CONTRIBUTING.md" and "reference" not in page.parts]
PAGES_WITH_PYTHON = [page for page in GUIDES if python_in(page)]


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_of_the_docs_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As printed, in a folder that holds small files of the names that the pages use."""
    _write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    try:
        exec(compile(python_in(page), str(page), "exec"), {"__name__": "page"})
    except MissingExtra as error:
        pytest.skip(str(error))


def test_the_pages_with_python_are_run() -> None:
    """A page whose blocks are no longer recognized would pass without a word."""
    assert len(PAGES_WITH_PYTHON) >= 9
    assert {"README.md", "docs/tutorial/first-report.md"} <= {str(page.relative_to(ROOT)) for page in PAGES_WITH_PYTHON}
    marked = [page for page in GUIDES if re.search(r"^ *```python\n(?!>>>)", page.read_text(), flags=re.M)]
    assert marked == PAGES_WITH_PYTHON


def commands_in(page: Path) -> list[list[str]]:
    """Every line of a page that calls stripeless, as words; what follows a hash or a redirection is left out."""
    found = []
    for line in page.read_text().splitlines():
        inline = re.findall(r"`(stripeless [a-z]+ [^`]*)`", line)
        block = [line.strip()] if re.match(r"(    |\$ )?stripeless [a-z]", line) else []
        for call in (*inline, *block):
            words = shlex.split(re.split(r"\s[#>|]", call)[0].rstrip("\\"))[1:]
            if words and words[0] in COMMANDS and "..." not in words:
                found.append(words)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_the_docs_have_the_options_they_are_given(page: Path) -> None:
    for words in commands_in(page):
        command = group.get_command(click.Context(group), words[0])
        assert command is not None
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        used = {word.partition("=")[0] for word in words[1:] if word.startswith("--")} - {"--help"}
        assert used <= known, f"{' '.join(words)}: {used - known}"


def test_the_pages_with_commands_are_looked_at() -> None:
    assert len(commands_in(ROOT / "README.md")) >= 10
    assert ["serve", "--open"] in commands_in(ROOT / "docs/how-to/the-page.md")


def test_the_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As printed, on small files of the names that they are given."""
    _write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    slow = {"demo", "evaluate", "protect", "serve", "reproduce"}  # tested where they are at home
    ran = set()
    for words in commands_in(ROOT / "README.md"):
        if words[0] in slow:
            continue
        done = CliRunner().invoke(group, words)
        assert done.exit_code == 0, f"{' '.join(words)}: {done.output}"
        ran.add(words[0])
    assert ran == {"assess", "anonymize", "compare", "attack", "rank", "listen", "summary"}
    assert len(list((tmp_path / "hidden" / "wav").iterdir())) == 8
    assert (tmp_path / "summary.html").exists()


def _write_inputs(folder: Path) -> None:
    rng = np.random.default_rng(0)
    trials = [(f"s{k:02d}", f"s{(k + j) % 12:02d}-u{j}") for k in range(12) for j in range(12)]
    kinds = ["target" if a == b[:3] else "nontarget" for a, b in trials]
    for name in ("trials.txt", "dev-trials.txt"):
        (folder / name).write_text("".join(f"{a} {b} {kind}\n" for (a, b), kind in zip(trials, kinds, strict=True)))
    for name in ("scores.txt", "dev-scores.txt", "b1.txt", "b2.txt"):
        scores = rng.normal(size=len(trials)) + 2 * np.array([kind == "target" for kind in kinds])
        rows = (f"{a} {b} {score:.5f}\n" for (a, b), score in zip(trials, scores, strict=True))
        (folder / name).write_text("".join(rows))
    rows = ["score,label,sex,enroll_speaker,trial_speaker"]
    for k in range(400):
        kind, other = ("target", k % 10) if k % 4 == 0 else ("nontarget", (k + 2 + 2 * (k // 10 % 4)) % 10)
        rows.append(f"{rng.normal() + 2 * (k % 4 == 0):.4f},{kind},{'fm'[k % 2]},s{k % 10},s{other}")
    (folder / "simulated").mkdir()
    for name in ("scores.csv", "simulated/semi-informed.csv"):
        (folder / name).write_text("\n".join(rows) + "\n")
    for name, rotated in (("anonymized.scp", True), ("original.scp", False), ("probes.npz", False)):
        write_embeddings(folder / name, embeddings(rotated, 0.4, 1))
    effects = {"B1": SYSTEMS["better"], "B2": SYSTEMS["worse"]}
    (folder / "ratings.csv").write_text(write_ratings(simulate_ratings(systems=effects, listeners=6, per_group=2)))
    synthetic_corpus(folder / "recordings", speakers=4, utterances=2, digits=2)
    (folder / "results").mkdir()
    for name, result in (("scores", evaluation()), ("rank", rank())):
        (folder / "results" / f"{name}.json").write_text(json.dumps(result))


def test_the_page_starts_as_its_how_to_says() -> None:
    """The calls of docs/how-to/the-page.md, on a port of their own and without opening a browser."""
    pytest.importorskip("fastapi", reason="the page needs pip install 'stripeless[web]'")
    calls = [words for words in commands_in(ROOT / "docs/how-to/the-page.md") if words[0] == "serve"]
    assert len(calls) == 2
    for words in calls:
        options = [word for word in words[1:] if word != "--open"]
        with serving(*options) as address, urllib.request.urlopen(re.sub("0.0.0.0", "127.0.0.1", address)) as page:
            assert b"How much of a person still shows" in page.read()


def test_every_decision_is_dated_and_the_newest_stands_first() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "docs/decisions.md").read_text(), flags=re.M)
    dates = [re.match(r"\d{4}-\d{2}-\d{2}: \S", heading) for heading in headings]
    assert all(dates), headings[dates.index(None)]
    assert headings == sorted(headings, key=lambda heading: heading[:10], reverse=True)


def test_the_citation_names_the_papers_of_the_readme() -> None:
    citation = (ROOT / "CITATION.cff").read_text().partition("references:")[2]
    papers = " ".join((ROOT / "README.md").read_text().partition("## The papers")[2].split())
    titles = re.findall(r"\*(.+?)\*", papers)
    cited = re.findall(r'^    title: "([^"]+)"', citation, flags=re.M)
    assert len(cited) == len(re.findall(r"^  - type:", citation, flags=re.M)) == len(titles) == 5
    for title in titles:
        assert any(title.lower() in one.lower() for one in cited), title
