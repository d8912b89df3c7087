"""The docs tell the truth: generated pages are fresh, links lead somewhere, every command and measure has its place."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stripeless.cli import COMMANDS
from stripeless.metrics.catalog import MEASURES

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


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        assert str(page.relative_to(ROOT / "docs")) in menu, page


def test_every_command_and_measure_has_a_place_in_the_docs() -> None:
    commands = (ROOT / "docs/reference/commands.md").read_text()
    measures = (ROOT / "docs/reference/measures.md").read_text()
    assert all(f"## stripeless {name}" in commands for name in COMMANDS)
    assert all(f"`{name}`" in measures for name in MEASURES)


def test_the_readme_python_runs(tmp_path: Path) -> None:
    """The README's Python lines, as printed, in an empty folder."""
    text = (ROOT / "README.md").read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, flags=re.S))
    assert "import" in code
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
