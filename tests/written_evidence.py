"""Evidence written down by hand, and results that hold it: what verdicts are tried on."""

from __future__ import annotations

from dataclasses import replace

from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.results.assessment import Assessment, IntervalMethod
from stripeless.verdicts.evidence import Evidence, Planted, Reached
from stripeless.verdicts.finding import Finding

Given = float | tuple[float, float | None, float | None] | str | None


CONTROL = Reached("x", "original", 0.99, 0.95, 1.0, 0.001)


FOUND = Planted(5, 5, 20.0)


def result(
    attacker: str = "", codes: tuple[str, ...] = (), evidence: Evidence | None = None, **given: Given
) -> Assessment:
    """An assessment of 1,000 target and 10,000 nontarget trials of 40 people with these values (and intervals)."""
    measures = {}
    for name, value in {"d_ece": 0.0, **given}.items():
        measures[name] = Measure(MEASURES[name], *(value if isinstance(value, tuple) else (value,)))
    findings = tuple(Finding(code.rstrip("!"), "serious" if "!" in code else "caution", "") for code in codes)
    return Assessment(
        measures,
        1000,
        10_000,
        40,
        attacker=attacker,
        intervals=IntervalMethod("speakers", 40, 200),
        warnings=findings,
        evidence=evidence,
    )


def shown(
    p: float = 0.4,
    auc: float = 0.5,
    reach: float = 0.05,
    attacker: str = "semi-informed",
    by: str = "rank",
    **more: object,
) -> Evidence:
    """What a test of one attacker on 40 people shows."""
    reached = Reached("", attacker, auc, auc - reach, auc + reach, p, by, auc)
    return replace(Evidence("exchange", p, (reached,), 40, {"f": 20, "m": 20}, 999), **more)  # type: ignore[arg-type]


QUIET = shown(original=CONTROL, planted=FOUND)


LEAKS = shown(0.001, 0.69, 0.05)


def at_chance(evidence: Evidence | None, attacker: str = "semi-informed") -> Assessment:
    return result(attacker, evidence=evidence, eer=(0.49, 0.46, 0.51), d_ece=0.001)


def leaking(evidence: Evidence = LEAKS, attacker: str = "semi-informed", **given: Given) -> Assessment:
    return result(attacker, evidence=evidence, **{"eer": (0.36, 0.33, 0.4), "d_ece": 0.1, **given})  # type: ignore[arg-type]


CEILING = result("original", eer=(0.02, 0.01, 0.03), d_ece=0.6)
