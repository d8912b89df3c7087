"""The verdict on several results side by side: which gives least away, and whether that is more than luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stripeless.metrics.evidence import broken
from stripeless.metrics.holm import holm
from stripeless.metrics.interval import LEVEL
from stripeless.plots.series import Series, series_of, shared_folder
from stripeless.report.verdict import Verdict, known, value_of, with_interval


def compare_verdict(results: Any) -> Verdict:
    """Which of several gives least away, by expected disclosure, and whether the paired test, or else the intervals, can tell."""
    series = [one for one in series_of(results) if not one.ceiling]
    usable = [one for one in series if not broken(one.result.get("warnings", ())) and known(one.result, "d_ece")]
    basis = "Basis: expected disclosure D_ECE with its 95 % interval."
    dropped = tuple(
        f"{one.label} is left out of this sentence: its numbers need attention first."
        for one in series
        if one not in usable
    )
    if isinstance(results, Mapping) and broken(results.get("warnings", ())):
        return Verdict(
            "invalid", "These results cannot be compared until the problem named above is solved.", dropped, basis
        )
    if len(usable) < 2:
        return Verdict("unclear", "There are not two results here that can be compared.", dropped, basis)
    order = sorted(usable, key=lambda one: value_of(one.result, "d_ece"))
    least, most = order[0], order[-1]
    test = _paired(results, least, most)
    apart = _apart(least, most) if test is None else test.told_apart
    text = f'"{least.label}" gives away least and "{most.label}" most'
    if not apart:
        text = f'"{least.label}" and "{most.label}" differ most, but not clearly'
    numbers = (
        f"Expected disclosure: {with_interval(least.result, 'd_ece')} bit against "
        f"{with_interval(most.result, 'd_ece')} bit.",
    )
    overlap = "Their intervals overlap or are missing: a paired comparison on the same trials can tell more."
    how = ((() if apart else (overlap,)) + _unequal(usable)) if test is None else (test.sentence,)
    if test is not None:
        basis = "Basis: paired comparison of expected disclosure D_ECE on the same trials."
    return Verdict(
        "compared" if apart else "unclear", f"Of these {len(usable)}, {text}.", numbers + how + dropped, basis
    )


@dataclass(frozen=True)
class PairedTest:
    """What the paired comparison of two systems says; p is corrected for looking at several pairs."""

    p_value: float
    told_apart: bool
    pairs: int
    unit: str

    @property
    def sentence(self) -> str:
        among = f", corrected for {self.pairs} pairs after Holm" if self.pairs > 1 else ""
        drawn = f"the same {self.unit} were drawn for both"
        end = "more than luck" if self.told_apart else "luck can explain the difference"
        return f"Paired comparison ({drawn}): p = {self.p_value:.2g}{among}, {end}."


def _paired(results: Any, least: Series, most: Series) -> PairedTest | None:
    """The paired test of these two on D_ECE, or None where none was made."""
    differences = results.get("differences") if isinstance(results, Mapping) else None
    if not differences:
        return None
    tests = {pair: rows["d_ece"] for pair, rows in differences.items() if "d_ece" in rows}
    folder = shared_folder([str(result.get("name") or "") for result in results["results"]])
    names = [folder + one.result["name"] for one in (least, most)]
    corrected = dict(zip(tests, holm([test["p_value"] for test in tests.values()]).tolist(), strict=True))
    for place, pair in ((1, " - ".join(names)), (2, " - ".join(reversed(names)))):
        if pair in tests:
            p = corrected[pair]
            apart = tests[pair]["more_private"] == place and p < 1 - LEVEL
            return PairedTest(p, apart, len(tests), str(tests[pair].get("unit") or "trials"))
    return None


def _unequal(usable: Sequence[Series]) -> tuple[str, ...]:
    digests = {one.result.get("trial_digest") for one in usable}
    if len(digests) == 1 and "" not in digests:
        return ()
    return (
        "The trials are not known to be the same, so part of the difference may lie in the test and not in the systems.",
    )


def _apart(least: Series, most: Series) -> bool:
    high, low = least.result["measures"]["d_ece"].get("high"), most.result["measures"]["d_ece"].get("low")
    return high is not None and low is not None and high < low
