"""What tests of commands share: a call, and a pair of Kaldi files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from stripeless.cli import group

Invoke = Callable[..., Result]


@pytest.fixture
def invoke() -> Invoke:
    def call(*arguments: str | Path) -> Result:
        return CliRunner().invoke(group, [str(a) for a in arguments])

    return call


@pytest.fixture
def kaldi(tmp_path: Path) -> tuple[Path, Path]:
    """A Kaldi pair: 12 speakers, 8 utterances each, everybody against everybody."""
    rng = np.random.default_rng(0)
    scores, trials = [], []
    for model in range(12):
        for talker in range(12):
            for utterance in range(8):
                key = f"s{model:02d} s{talker:02d}-{utterance}"
                scores.append(f"{key} {rng.normal(2.0 * (model == talker)):.5f}")
                trials.append(f"{key} {'target' if model == talker else 'nontarget'}")
    paths = tmp_path / "scores.txt", tmp_path / "trials.txt"
    for path, lines in zip(paths, (scores, trials), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return paths


@pytest.fixture
def systems(kaldi: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path, Path]:
    """Three systems on the same trials: the second a little and the third much more private than the first."""
    rng = np.random.default_rng(1)
    rows = [line.split() for line in kaldi[0].read_text().splitlines()]
    paths = kaldi[0], tmp_path / "near.txt", tmp_path / "far.txt"
    for path, noise in zip(paths[1:], (0.7, 5.0), strict=True):
        path.write_text("".join(f"{a} {b} {float(x) + noise * rng.normal():.5f}\n" for a, b, x in rows))
    return paths
