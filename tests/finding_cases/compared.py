"""Findings about results side by side: two that are one, pairs, ceilings, and systems among published ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from sample_results import simulated
from simulated_trials import corpus

from finding_cases.case import case
from stripeless.assessment.assess import assess, assess_scores
from stripeless.assessment.ceiling import examine_ceiling
from stripeless.measures.measure import Measure, MeasureInfo
from stripeless.results.assessment import Assessment
from stripeless.scores.trials import Factor, TrialScores
from stripeless.studies.comparison import compare_pairs, compare_results
from stripeless.studies.systems import compare_systems
from stripeless.verdicts.finding import Finding


def of_files(first: str, second: str) -> Iterable[Finding]:
    """Two results read from files with these digests."""
    results = [replace(simulated(shift, resamples=0), name=f"B{shift:g}") for shift in (1.0, 2.0)]
    inputs = [replace(results[0].inputs[0], sha256=digest * 64) for digest in (first, second)]
    return compare_results([replace(r, inputs=(i,)) for r, i in zip(results, inputs, strict=True)]).warnings


def of_pair(resamples: int, other: str = "corpus") -> Iterable[Finding]:
    systems = {"B1": corpus(shift=1.0), "B2": replace(corpus(shift=2.0), trial_digest=other)}
    return compare_pairs(systems, resamples=resamples).findings


def held_against(shift: float, ceiling: float, *, targets: int = 300) -> Iterable[Finding]:
    """A result and the original that it is held against."""
    result = replace(simulated(shift, resamples=0), inputs=())
    original = replace(simulated(ceiling, resamples=0, seed=2, targets=targets, attacker="original"), inputs=())
    return examine_ceiling(result, original)


def everybody_met(shift: float, ceiling: float) -> Iterable[Finding]:
    """The same where everybody is compared with everybody, so that people are tested."""
    results = []
    for distance, seed in ((shift, 1), (ceiling, 2)):
        rng, who = np.random.default_rng(seed), np.repeat(np.arange(20), 8)
        models, tried = (side.ravel().astype(np.int32) for side in np.meshgrid(np.arange(20), who, indexing="ij"))
        values, same = rng.normal(size=models.size) + distance * (models == tried), models == tried
        names = tuple(f"s{k:02d}" for k in range(20))
        sides = (Factor(names, side[same], side[~same]) for side in (models, tried))
        results.append(assess_scores(TrialScores(values[same], values[~same], *sides)))
    return examine_ceiling(*results)


def unnamed(shift: float, ceiling: float) -> Iterable[Finding]:
    """The same where nobody is named."""
    rng = np.random.default_rng(3)
    drawn = (assess(rng.normal(distance, 1, 300), rng.normal(size=3000)) for distance in (shift, ceiling))
    return examine_ceiling(*drawn)


def labeled(**labels: str) -> Assessment:
    return replace(simulated(1.0, resamples=0, name="mine", attacker="ignorant"), labels=labels)


def among_published(**labels: str) -> Iterable[Finding]:
    return compare_systems([labeled(**labels)], among="voiceprivacy2020", split="test").warnings


def measured(name: str) -> Iterable[Finding]:
    """A result that carries a measure of this name."""
    result = labeled(dataset="d")
    info = MeasureInfo(**{**vars(result.measures["eer"].info), "name": name})
    return compare_systems([replace(result, measures={**result.measures, name: Measure(info, 0.3)})]).warnings


PUBLISHED = {"dataset": "librispeech", "split": "test", "sex": "female"}
CASES = {
    "identical": case(lambda: of_files("a", "a"), lambda: of_files("a", "b")),
    "not_paired": case((lambda: of_pair(0), lambda: of_pair(100, other="other")), lambda: of_pair(100)),
    "other_trials": case(lambda: held_against(1.0, 3.0, targets=200), lambda: held_against(1.0, 3.0)),
    "ceiling_below": case(
        (lambda: held_against(3.0, 1.0), lambda: everybody_met(3.0, 1.0), lambda: unnamed(3.0, 1.0)),
        (
            lambda: held_against(1.0, 3.0),
            lambda: held_against(1.05, 1.0),
            lambda: everybody_met(1.0, 3.0),
            lambda: everybody_met(1.05, 1.0),
            lambda: unnamed(1.05, 1.0),
        ),
    ),
    "no-shared-condition": case(lambda: among_published(), lambda: among_published(**PUBLISHED)),
    "printed-values": case(
        lambda: among_published(**PUBLISHED), lambda: compare_systems([labeled(**PUBLISHED)]).warnings
    ),
    "unknown-measures": case(lambda: measured("magic"), lambda: measured("eer")),
}
