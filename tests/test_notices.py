"""Everything shipped that is not code of ours is named, with its licence and source."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTICES = ROOT / "THIRD_PARTY_NOTICES.md"
SHIPPED = ("src/stripeless/data", "src/stripeless/web/static", "docs/images")


def test_every_shipped_file_is_named() -> None:
    text = NOTICES.read_text(encoding="utf-8")
    files = [path for folder in SHIPPED for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert len(files) > 12
    whole = {"docs/images"}
    missing = [
        path.relative_to(ROOT).as_posix()
        for path in files
        if path.name not in text
        and path.parent.relative_to(ROOT).as_posix() not in {folder for folder in whole if folder in text}
        and path.name != "README.md"
    ]
    assert not missing


def test_every_named_file_is_there() -> None:
    named = re.findall(r"`((?:src|docs)/[\w./-]+)`", NOTICES.read_text(encoding="utf-8"))
    assert named
    assert not [name for name in named if not (ROOT / name).exists()]


def test_weights_lie_nowhere_else() -> None:
    endings = (".safetensors", ".onnx", ".pt", ".npz", ".bin", ".pkl", ".h5")
    found = {path.parent for path in (ROOT / "src").rglob("*") if path.suffix in endings}
    assert found == {ROOT / "src/stripeless/data/voice"}


def test_the_script_is_the_version_that_is_named() -> None:
    script = (ROOT / "src/stripeless/web/static/htmx.min.js").read_text(encoding="utf-8")
    assert "2.0.11" in script
    assert "htmx 2.0.11" in NOTICES.read_text(encoding="utf-8")
