"""Findings about ranks, from `analyze_ranks`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from finding_cases.case import case
from stripeless.ranks.analysis import analyze_ranks
from stripeless.ranks.counts import count_ranks
from stripeless.verdicts.finding import Finding

VOICES = np.random.default_rng(0).normal(size=(40, 8))


def ranked(*, probes: int = 400, sign: float = 1.0, rounded: float = 0.0) -> Iterable[Finding]:
    """Probes of forty people; this share of the people have one and the same template."""
    rng = np.random.default_rng(1)
    templates = VOICES.copy()
    templates[: round(40 * rounded)] = VOICES[0]
    who = np.arange(probes) % 40
    heard = sign * templates[who] + 0.5 * rng.normal(size=(probes, 8))
    names = [f"s{k}" for k in range(40)]
    counts = count_ranks(heard, templates, probe_speakers=[names[k] for k in who], template_speakers=names)
    return analyze_ranks(counts, resamples=0).warnings


CASES = {
    "sparse_ranks": case(lambda: ranked(probes=20), ranked),
    "ties": case((lambda: ranked(rounded=0.2), lambda: ranked(rounded=0.8)), ranked),
    "reversed": case(lambda: ranked(sign=-1.0), ranked),
}
