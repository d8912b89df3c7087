"""The page in a real browser: Debian's Chromium by Playwright. Skips with a reason where there is none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the page needs pip install 'stripeless[web]'")
sync_api = pytest.importorskip("playwright.sync_api", reason="tests in a browser need pip install playwright")

from study_results import study  # noqa: E402
from web_server import WAV, score_text, serving  # noqa: E402

CHROMIUM = os.environ.get("STRIPELESS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
SHOTS = Path(os.environ["STRIPELESS_SCREENSHOTS"]) if "STRIPELESS_SCREENSHOTS" in os.environ else None
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving("--workers", "1") as where:
        yield where


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """A visitor's page; it fails the test where the browser complained or asked for anything from outside."""
    context = browser.new_context(accept_downloads=True, viewport={"width": 1100, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on(
        "request", lambda r: None if r.url.startswith((address, "data:")) else complaints.append(f"outside: {r.url}")
    )
    page.goto(address)
    yield page
    context.close()
    serious = [text for text in complaints if "422" not in text]  # a refused file is told by its status too
    assert not serious


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "B1.txt", tmp_path / "B2.txt"]
    paths[0].write_text(score_text(0.4))
    paths[1].write_text(score_text(2.5, seed=1))
    return paths


def shot(page: Any, name: str) -> None:
    """A screenshot for the docs, where the maker of the docs asked for them."""
    if SHOTS is not None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(SHOTS / f"{name}.png"), full_page=name.startswith("whole"))


def measure(page: Any, *paths: Path, resamples: str = "0") -> None:
    page.set_input_files("#files", [str(path) for path in paths])
    page.select_option("#resamples", resamples)
    page.click("#send")


def test_upload_look_compare_and_take_away(page: Any, files: list[Path]) -> None:
    measure(page, *files)
    page.wait_for_selector("a.name:has-text('B1.txt')")
    page.wait_for_selector("a.name:has-text('B2.txt')")
    shot(page, "page-results")
    page.check(f"label:has-text('Choose B1.txt') input")  # noqa: F541
    page.check("label:has-text('Choose B2.txt') input")
    page.click("text=Put the chosen side by side")
    page.wait_for_selector("a.name:has-text(' / ')")
    page.click("a.name:has-text(' / ')")
    page.wait_for_selector("#figure-det svg", timeout=60_000)
    assert page.locator("section.verdict").count() == 1
    shot(page, "page-comparison")
    with page.expect_download() as taken:
        page.click("text=Result (JSON)")
    assert '"kind": "comparison"' in Path(taken.value.path()).read_text()
    with page.expect_download() as taken:
        page.click("[aria-label='det as PNG']")
    assert Path(taken.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_bad_file_is_answered_with_a_sentence(page: Any, tmp_path: Path) -> None:
    bad = tmp_path / "scores.pkl"
    bad.write_bytes(b"\x80\x04\x95rest")
    measure(page, bad)
    page.wait_for_selector("#messages .finding")
    assert "is a pickle" in page.inner_text("#messages")
    nonsense = tmp_path / "nonsense.txt"
    nonsense.write_text("hello world, no scores here\n")
    measure(page, nonsense)
    page.wait_for_selector(".job.failed .why")
    assert "nonsense.txt" in page.inner_text(".job.failed .why")
    shot(page, "page-bad-file")


def test_long_work_shows_progress_survives_a_reload_and_stops(page: Any, tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    large.write_text(score_text(size=40_000))
    measure(page, large, resamples="1000")
    page.wait_for_selector("progress")
    page.reload()
    page.wait_for_selector("text=large.txt")
    for _ in range(300):  # the page's policy forbids a condition that is a string of script
        if float(page.locator("progress").first.get_attribute("value") or 0) > 0.1:
            break
        page.wait_for_timeout(100)
    assert "drawing intervals" in page.inner_text(".job")
    shot(page, "page-progress")
    page.click("text=Cancel")
    page.wait_for_selector(".job.cancelled")


def test_everything_is_reached_by_keyboard(page: Any, files: list[Path]) -> None:
    measure(page, files[0])
    page.wait_for_selector("a.name:has-text('B1.txt')")
    page.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("(document.activeElement.id || document.activeElement.className) + ''"))
    assert {"files", "attacker", "resamples", "send", "among", "name"} <= {r for r in reached if r}
    assert any(r.startswith("pick-") for r in reached)


def test_a_phone_is_enough_and_dark_is_dark(browser: Any, address: str, files: list[Path]) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark")
    page = context.new_page()
    page.goto(address)
    measure(page, files[1])
    page.click("a.name:has-text('B2.txt')", timeout=60_000)
    page.wait_for_selector("#figure-det svg", timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "wider than the phone"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 22, 28)"
    shot(page, "page-phone-dark")
    page.click("text=What if the attacker suspected someone before?")
    page.fill("#percent", "50")
    page.click("text=Say")
    page.wait_for_selector("#prior-answer p")
    assert "lacks 1.000 bit" in page.inner_text("#prior-answer")
    context.close()


def test_without_script_the_page_still_works(browser: Any, address: str, files: list[Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    measure(page, files[0])
    for _ in range(100):
        if page.locator("a.name").count():
            break
        page.wait_for_timeout(200)
        page.goto(address)
    page.click("a.name")
    assert "B1.txt" in page.title()
    context.close()


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core, from STRIPELESS_AXE or from the npm registry; its licence (MPL-2.0) keeps it out of this repository."""
    known = os.environ.get("STRIPELESS_AXE")
    if known:
        return Path(known).read_text()
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("axe-core is fetched with npm, which is not here; or set STRIPELESS_AXE to axe.min.js")
    folder = tmp_path_factory.mktemp("axe")
    fetched = subprocess.run(
        [npm, "pack", "axe-core@4", "--silent"], cwd=folder, capture_output=True, timeout=120, check=False
    )
    packed = list(folder.glob("*.tgz"))
    if fetched.returncode or not packed:
        pytest.skip("axe-core could not be fetched from the npm registry; set STRIPELESS_AXE to axe.min.js")
    shutil.unpack_archive(packed[0], folder, filter="data")
    return (folder / "package" / "axe.min.js").read_text()


def violations(page: Any, axe: str) -> list[str]:
    page.evaluate(axe)
    found = page.evaluate(
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
    )
    return [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found["violations"]]


def test_before_beside_after_and_one_sheet(
    browser: Any, address: str, files: list[Path], tmp_path: Path, axe: str
) -> None:
    """A folder is dropped with its sides, a ranking joins the scores on one sheet, and a screen reader is told all of it."""
    for side in ("original", "anonymized"):
        (tmp_path / "voices" / side).mkdir(parents=True)
        (tmp_path / "voices" / side / "u1.wav").write_bytes(WAV)
    ranking = tmp_path / "rank.json"
    ranking.write_text(json.dumps(study("rank")))
    context = browser.new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    page.click("summary:has-text('a whole folder')")
    page.set_input_files("#folder", str(tmp_path / "voices"))
    measure(page, files[0], ranking)
    page.wait_for_selector("a.name:has-text('rank.json')", timeout=60_000)
    page.wait_for_selector("a.name:has-text('B1.txt')", timeout=60_000)
    players = page.locator(".recordings .pair audio")
    labels = [players.nth(k).get_attribute("aria-label") for k in range(players.count())]
    assert labels == ["u1.wav before anonymization", "u1.wav after anonymization"]
    assert violations(page, axe) == []
    for box in page.locator(".pick input").all():
        box.check()
    page.click("text=Sum up the chosen on one sheet")
    page.click("a.name:has-text('Summary:')", timeout=60_000)
    page.wait_for_selector("text=the most similar of 40 people", timeout=60_000)
    shot(page, "page-summary")
    assert violations(page, axe) == []
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, address: str, files: list[Path], axe: str, scheme: str) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    assert violations(page, axe) == []
    measure(page, *files)
    page.wait_for_selector("a.name:has-text('B2.txt')", timeout=60_000)
    page.wait_for_selector("a.name:has-text('B1.txt')", timeout=60_000)
    assert violations(page, axe) == []
    page.click("a.name:has-text('B1.txt')")
    page.wait_for_selector("#figure-det svg", timeout=60_000)
    assert violations(page, axe) == []
    context.close()
