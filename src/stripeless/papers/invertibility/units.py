"""The parts of Table 2 that can be computed by themselves, so that processes can share them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from stripeless.attackers.inversion.linear import fit_affine, fit_cca, fit_ridge
from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.attackers.inversion.matching import match_unpaired
from stripeless.attackers.inversion.procrustes import fit_procrustes
from stripeless.attackers.inversion.protocol import FrontEnd, evaluate_inversion, fit_front_end, random_attacks
from stripeless.attackers.inversion.wasserstein import fit_wasserstein_procrustes
from stripeless.attackers.inversion.wasserstein_published import fit_wasserstein_procrustes_published
from stripeless.embeddings.embeddings import EmbeddingMap
from stripeless.measures.other_tools import eer_by_tool
from stripeless.papers.invertibility.table import BY_LINE, PCA_DIMENSIONS, ROWS, SEXES, InvertibilityData, TableLine
from stripeless.parallel.items import each
from stripeless.scores.comparison import compare_embeddings

PUBLISHED_SEED = 1111
CHANCE_ROTATIONS = 10

Unit = dict[str, Any]
Result = dict[str, Any]


def all_units(seeds: Sequence[int]) -> list[Unit]:
    """Every unit of the table; those that take longest first, so that processes end together."""
    units: list[Unit] = [{"kind": "paired", "lines": [row.line for row in ROWS if not row.unpaired], "cost": 6.0}]
    for row in (row for row in ROWS if row.unpaired):
        for subset in row.subsets:
            cost = 5.0 if row.oracle else {"both": 9.0, "f": 3.0, "m": 2.0}[subset] * (0.2 if row.pca else 1.0)
            units.append({"kind": "published", "line": row.line, "subset": subset, "cost": cost})
    for lines, subset in _shared_matches():
        for seed in seeds:
            cost = 2.0 if subset == "m" and not BY_LINE[lines[0]].oracle else 3.0
            units.append({"kind": "honest", "lines": lines, "subset": subset, "seed": seed, "cost": cost})
    units += [
        {"kind": "honest", "lines": [26], "subset": sex, "seed": seed, "cost": 2.5} for sex in SEXES for seed in seeds
    ]
    units.append({"kind": "chance", "lines": [26, *(row.line for row in ROWS if row.unpaired)], "cost": 6.0})
    units.append({"kind": "more", "lines": [23, 24, 25], "cost": 2.0})
    return sorted(units, key=lambda unit: -float(unit["cost"]))


def _shared_matches() -> list[tuple[list[int], str]]:
    """Lines that are learned on the same rows: their match is found once and used in each line's space."""
    shared: dict[tuple[str, str, bool], list[int]] = {}
    for row in (row for row in ROWS if row.unpaired):
        for subset in row.subsets:
            shared.setdefault((row.extractor, subset, row.oracle), []).append(row.line)
    return [(lines, subset) for (_, subset, _), lines in shared.items()]


def run_unit(corpus: InvertibilityData, unit: Unit) -> list[Result]:
    """The results of one unit: a dict per line and sex with the figures of both measures, as shares."""
    kind = unit["kind"]
    if kind == "paired":
        return [result for line in unit["lines"] for result in _paired(corpus, BY_LINE[line])]
    if kind == "more":
        return [result for line in unit["lines"] for result in _more(corpus, BY_LINE[line])]
    if kind == "published":
        return _published(corpus, BY_LINE[unit["line"]], unit["subset"])
    if kind == "honest":
        return _honest(corpus, [BY_LINE[line] for line in unit["lines"]], unit["subset"], int(unit["seed"]))
    return [result for line in unit["lines"] for result in _chance(corpus, BY_LINE[line])]


def _paired(corpus: InvertibilityData, row: TableLine) -> list[Result]:
    if row.line <= 4:
        return [_compared(corpus, row, sex) for sex in SEXES]
    results = []
    for subset in row.subsets:
        front, source, target = _spaces(corpus, row, subset)
        results += _judged(corpus, row, subset, front, fit_procrustes(source, target), kind="paired")
    return results


def _compared(corpus: InvertibilityData, row: TableLine, sex: str) -> Result:
    """Lines 1-4: cosine scores, nothing inverted."""
    anonymized_enrollment, anonymized_trials = row.line in (3, 4), row.line > 1
    scores = compare_embeddings(
        corpus.read(row.extractor, "enrolls", anonymized_enrollment),
        corpus.read(row.extractor, f"trials_{sex}", anonymized_trials),
        corpus.trials(sex),
    )
    return {"line": row.line, "sex": sex, "kind": "paired", **_eers(scores.target, scores.nontarget)}


def _more(corpus: InvertibilityData, row: TableLine) -> list[Result]:
    results = []
    for subset in row.subsets:
        front, source, target = _spaces(corpus, row, subset)
        who = corpus.training(row, subset)[1].speakers
        fits = {23: lambda a, b, _: fit_affine(a, b), 24: fit_ridge, 25: fit_cca}
        attack = fits[row.line](source, target, who)
        results += _judged(corpus, row, subset, front, attack, kind="paired", chosen=attack.chosen)
    return results


def _published(corpus: InvertibilityData, row: TableLine, subset: str) -> list[Result]:
    front, source, target = _spaces(corpus, row, subset)
    attack = fit_wasserstein_procrustes_published(source, target, seed=PUBLISHED_SEED)
    return _judged(corpus, row, subset, front, attack, kind="published")


def _honest(corpus: InvertibilityData, rows: list[TableLine], subset: str, seed: int) -> list[Result]:
    anonymized, original = corpus.training(rows[0], subset)
    match = match_unpaired(anonymized.vectors.astype(np.float64), original.vectors.astype(np.float64), seed=seed)
    results = []
    for row in rows:
        front, source, target = _spaces(corpus, row, subset)
        attack = fit_wasserstein_procrustes(source, target, match=match)
        more = {"seed": seed, "agreement": attack.agreement, "converged": attack.converged}
        results += _judged(corpus, row, subset, front, attack, kind="honest", **more)
    return results


def _chance(corpus: InvertibilityData, row: TableLine) -> list[Result]:
    results = []
    for subset in row.subsets:
        front, source, _ = _spaces(corpus, row, subset)
        for seed, attack in enumerate(random_attacks(source.shape[1], CHANCE_ROTATIONS, row.line)):
            results += _judged(corpus, row, subset, front, attack, kind="chance", seed=seed)
    return results


def _spaces(corpus: InvertibilityData, row: TableLine, subset: str) -> tuple[FrontEnd, Any, Any]:
    anonymized, original = corpus.training(row, subset)
    front = fit_front_end(anonymized, original, PCA_DIMENSIONS if row.pca else None)
    return front, front.anonymized.apply(anonymized.vectors), front.original.apply(original.vectors)


def _judged(
    corpus: InvertibilityData,
    row: TableLine,
    subset: str,
    front: FrontEnd,
    attack: EmbeddingMap | LinearMap,
    **labels: Any,
) -> list[Result]:
    results = []
    for sex in SEXES if subset == "both" else (subset,):
        found = evaluate_inversion(front, attack, corpus.sets(row.extractor, sex))
        eers = _eers(found.scores.target, found.scores.nontarget)
        there, back = found.top_k[1]
        results.append(
            {
                "line": row.line,
                "sex": sex,
                **labels,
                **eers,
                "top1": there,
                "top1_inverted": back,
                "blind": found.chance_top_k[1],
            }
        )
    return results


def _eers(target: Any, nontarget: Any) -> dict[str, float]:
    by_tool = eer_by_tool(target, nontarget)
    return {"eer_folded": by_tool["scikit_learn_folded"], "eer": by_tool["stripeless"]}


def run_units(folder: Path, units: Sequence[Unit], workers: int | None = None) -> list[Result]:
    """All results, from as many processes as there are cores; their number does not change a digit."""
    outcomes = each(partial(run_unit, InvertibilityData(folder)), units, workers=workers)
    return [result for outcome in outcomes for result in outcome.result or []]
