"""The measures of real score files against the published programs.

Recipe: `golden.csv` in librispeech-b1 was made by running Kaldi's compute-eer, the ZEBRA reference program, and the
linkability and Cllr scripts of the VoicePrivacy challenge on the same files, at full precision. The ZEBRA program adds a
ramp of 1e-6 to the ranks of the scores, hence 2e-6 for what rests on it.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import stripeless as s

FILES = [f"{kind}/{pair}_{sex}" for kind in ("original", "retrained") for pair in ("aa", "oa", "oo") for sex in "fm"]


def classes(folder: Path, scores: str, trials: str) -> tuple[np.ndarray, np.ndarray]:
    """Read here by hand, so that these tests do not lean on the readers."""
    label = {tuple(line.split()[:2]): line.split()[2] for line in (folder / trials).read_text().splitlines()}
    rows = [line.split() for line in (folder / scores).read_text().splitlines()]
    values = np.array([float(row[2]) for row in rows])
    is_target = np.array([label[row[0], row[1]] == "target" for row in rows])
    return values[is_target], values[~is_target]


@pytest.mark.parametrize("name", FILES)
def test_equal_to_the_published_programs(librispeech: Path, name: str) -> None:
    rows = {row["scores"]: row for row in csv.DictReader((librispeech / "golden.csv").read_text().splitlines())}
    golden = rows[f"scores/{name}.txt"]
    target, nontarget = classes(librispeech, golden["scores"], golden["trials"])
    z = s.zebra(target, nontarget)
    tools = s.eer_by_tool(target, nontarget)
    assert (target.size, nontarget.size) == (int(golden["n_target"]), int(golden["n_nontarget"]))
    assert s.eer_kaldi(target, nontarget) == pytest.approx(float(golden["eer_kaldi"]), abs=1e-6)
    assert s.eer_rocch(target, nontarget) == pytest.approx(float(golden["eer_rocch"]), abs=1e-6)
    assert s.cllr(target, nontarget) == pytest.approx(float(golden["cllr"]), abs=1e-6)
    assert s.linkability_binned(target, nontarget) == pytest.approx(float(golden["linkability"]), abs=1e-6)
    assert s.cllr_min(target, nontarget) == pytest.approx(float(golden["cllr_min"]), abs=2e-6)
    assert z.d_ece == pytest.approx(float(golden["d_ece"]), abs=2e-6)
    assert z.log10_lr == pytest.approx(float(golden["log10_lr"]), abs=2e-6)
    assert z.category == golden["category"]
    assert tools["scikit_learn_folded"] == pytest.approx(float(golden["eer_sklearn_folded"]), abs=1e-9)
