"""The verdict on several results side by side: which gives least away, and whether that is more than luck."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stripeless.metrics.evidence import broken
from stripeless.plots.series import Series, series_of
from stripeless.report.verdict import Verdict, known, value_of, with_interval


def compare_verdict(results: Any) -> Verdict:
    """Which of several gives least away, by expected disclosure, and whether the intervals can tell."""
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
    apart = _apart(least, most)
    text = f'"{least.label}" gives away least and "{most.label}" most'
    if not apart:
        text = f'"{least.label}" and "{most.label}" differ most, but not clearly'
    numbers = (
        f"Expected disclosure: {with_interval(least.result, 'd_ece')} bit against "
        f"{with_interval(most.result, 'd_ece')} bit.",
    )
    digests = {one.result.get("trial_digest") for one in usable}
    unequal = (
        ()
        if len(digests) == 1 and "" not in digests
        else (
            "The trials are not known to be the same, so part of the difference may lie in the test and not in the systems.",
        )
    )
    same = (
        ()
        if apart
        else ("Their intervals overlap or are missing: a paired comparison on the same trials can tell more.",)
    )
    return Verdict(
        "compared" if apart else "unclear",
        f"Of these {len(usable)}, {text}.",
        numbers + same + unequal + dropped,
        basis,
    )


def _apart(least: Series, most: Series) -> bool:
    high, low = least.result["measures"]["d_ece"].get("high"), most.result["measures"]["d_ece"].get("low")
    return high is not None and low is not None and high < low
