"""The verdict on several results side by side: which gives least away, and whether that is more than luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stripeless.measures.uncertainty.holm import holm
from stripeless.measures.uncertainty.interval import LEVEL
from stripeless.plots.series import Series, series_of, shared_folder, shown_results, tidy
from stripeless.results.comparison import Comparison
from stripeless.verdicts.judged import limits
from stripeless.verdicts.leak import broken
from stripeless.verdicts.sentences import known, value_of, with_interval
from stripeless.verdicts.verdict import Verdict


def compare_verdict(results: Any) -> Verdict:
    """Which of several gives least away, by expected disclosure, and whether the paired test, or else the intervals, can tell."""
    results = shown_results(results)
    compared = results if isinstance(results, Comparison) else None
    series = [one for one in series_of(results) if not one.ceiling]
    usable = [one for one in series if not broken(one.assessment.warnings) and known(one.assessment, "d_ece")]
    basis = "Basis: expected disclosure D_ECE with its 95 % interval."
    dropped = tuple(
        f"{one.label} is left out of this sentence: its numbers need attention first."
        for one in series
        if one not in usable
    )
    if compared is not None and any(f.severity == "serious" for f in compared.warnings):
        return Verdict(
            "invalid", "These results cannot be compared until the problem named above is solved.", dropped, basis
        )
    if len(usable) < 2:
        return Verdict("unclear", "There are not two results here that can be compared.", dropped, basis)
    order = sorted(usable, key=lambda one: value_of(one.assessment, "d_ece"))
    least, most = order[0], order[-1]
    test = None if compared is None else _paired(compared, least, most)
    if test is not None and test.between and not test.told_apart and _apart(least, most):
        test = None  # a detour that settles nothing does not take back what the intervals show
    apart = _apart(least, most) if test is None else test.told_apart
    text = f'"{least.label}" gives away least and "{most.label}" most'
    if not apart:
        text = f'"{least.label}" and "{most.label}" differ most, but not clearly'
    numbers = (
        f"Expected disclosure: {with_interval(least.assessment, 'd_ece')} bit against "
        f"{with_interval(most.assessment, 'd_ece')} bit.",
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
    between: str = ""  # the system with which both were compared, where they were not compared with each other

    @property
    def sentence(self) -> str:
        if self.between:
            return self._chained()
        among = f", corrected for {self.pairs} pairs after Holm" if self.pairs > 1 else ""
        drawn = f"the same {self.unit} were drawn for both"
        end = "more than luck" if self.told_apart else "luck can explain the difference"
        return f"Paired comparison ({drawn}): p = {self.p_value:.2g}{among}, {end}."

    def _chained(self) -> str:
        if self.told_apart:
            return (
                f'Paired comparisons put "{self.between}" between the two: both differences are more than luck '
                f"(p = {self.p_value:.2g} at most, corrected for {self.pairs} pairs after Holm)."
            )
        return (
            f'The paired comparisons are with "{self.between}" and do not settle this; name one of the two first to have '
            "them compared directly."
        )


def _paired(compared: Comparison, least: Series, most: Series) -> PairedTest | None:
    """The paired test of these two on D_ECE, or None where none was made."""
    tests = {pair: rows["d_ece"] for pair, rows in compared.differences.items() if "d_ece" in rows}
    hubs = [result.name for result in compared.results]
    folder = shared_folder(hubs)
    names = [folder + one.assessment.name for one in (least, most)]
    corrected = dict(zip(tests, holm([test.p_value for test in tests.values()]).tolist(), strict=True))

    def test_of(private: str, exposed: str) -> tuple[float, bool, str] | None:
        """p, whether the first is told to be the more private, and what was drawn; None where the pair was not tested."""
        for place, pair in ((1, f"{private} - {exposed}"), (2, f"{exposed} - {private}")):
            if pair in tests:
                told = tests[pair].more_private == place and corrected[pair] < 1 - LEVEL
                return corrected[pair], told, tests[pair].unit
        return None

    direct = test_of(*names)
    if direct is not None:
        return PairedTest(direct[0], direct[1], len(tests), direct[2])
    for hub in hubs:
        lower, upper = test_of(names[0], hub), test_of(hub, names[1])
        if lower is not None and upper is not None:
            worst = max(lower[0], upper[0])
            return PairedTest(worst, lower[1] and upper[1], len(tests), lower[2], between=tidy(hub[len(folder) :]))
    return None


def _unequal(usable: Sequence[Series]) -> tuple[str, ...]:
    digests = {one.assessment.trial_digest for one in usable}
    if len(digests) == 1 and "" not in digests:
        return ()
    return (
        "The trials are not known to be the same, so part of the difference may lie in the test and not in the systems.",
    )


def _apart(least: Series, most: Series) -> bool:
    high, low = limits(least.assessment, "d_ece")[1], limits(most.assessment, "d_ece")[0]
    return high is not None and low is not None and high < low
