"""The verdict on several results side by side: which gives least away, and whether that is more than luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from stripeless.measures.uncertainty.holm import holm
from stripeless.measures.uncertainty.interval import LEVEL
from stripeless.measures.uncertainty.paired import Difference
from stripeless.plots.series import series_of, shared_folder, shown_results, tidy
from stripeless.results.assessment import Assessment
from stripeless.results.comparison import Comparison, Stated
from stripeless.results.judged import typed
from stripeless.studies.comparison import stated
from stripeless.verdicts.judged import limits
from stripeless.verdicts.leak import broken
from stripeless.verdicts.sentences import known, value_of, with_interval
from stripeless.verdicts.strongest import strongest_of
from stripeless.verdicts.verdict import LABELS, Verdict
from stripeless.verdicts.words import WHO, known_attacker


@dataclass(frozen=True)
class Competitor:
    """One of the compared systems: its strongest attacker stands for it, and its verdict beside it."""

    label: str
    assessment: Assessment
    said: Stated
    place: int = 0  # where it stands among the results

    @property
    def usable(self) -> bool:
        """Whether its numbers may be ranked at all."""
        return (
            self.said.label != LABELS["invalid"]
            and not broken(self.assessment.warnings)
            and known(self.assessment, "d_ece")
        )


def compare_verdict(results: Any) -> Verdict:
    """Which of several gives least away, by expected disclosure, and whether the paired test, or else the intervals, can tell."""
    results = shown_results(results)
    compared = results if isinstance(results, Comparison) else None
    everybody = competitors(results)
    usable = [one for one in everybody if one.usable]
    basis = "Basis: expected disclosure D_ECE with its 95 % interval."
    verdicts = tuple(_stated_sentence(one) for one in everybody)
    dropped = tuple(
        f"{one.label} is left out of this sentence: its numbers need attention first."
        for one in everybody
        if not one.usable
    )
    if compared is not None and any(f.severity == "serious" for f in compared.warnings):
        return Verdict(
            "invalid", "These results cannot be compared until the problem named above is solved.", dropped, basis
        )
    if len(usable) < 2:
        none = "There are not two results here that can be compared."
        return Verdict("unclear", none, (*verdicts, *dropped), basis)
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
    what = ""
    if attackers_compared(everybody):
        what = " attackers"
        text = f'"{most.label}" finds most and "{least.label}" least'
        if not apart:
            text = f'"{most.label}" and "{least.label}" differ most, but not clearly'
    how = ((() if apart else (overlap,)) + _unequal(usable)) if test is None else (test.sentence,)
    if test is not None:
        basis = "Basis: paired comparison of expected disclosure D_ECE on the same trials."
    return Verdict(
        "compared" if apart else "unclear",
        f"Of these {len(usable)}{what}, {text}.",
        (*verdicts, *numbers, *how, *dropped),
        basis,
    )


def competitors(results: Any) -> list[Competitor]:
    """The compared systems; unprotected speech is none."""
    shown = shown_results(results)
    series = series_of(shown)
    if isinstance(shown, Comparison) and shown.verdicts:
        told = list(shown.verdicts)
    else:
        parts = shown.results if isinstance(shown, Comparison) else shown if isinstance(shown, list) else [shown]
        told = [replace(stated(typed(part)), places=(k,)) for k, part in enumerate(parts)]
    found = []
    for one in told:
        own = [k for k in one.places if not series[k].ceiling]
        if not own:
            continue
        place = own[strongest_of([series[k].assessment for k in own])]
        lead = series[place]
        several = len(own) > 1 and lead.assessment.attacker
        label = tidy(f"{one.system}, {lead.assessment.attacker}") if several and one.system else lead.label
        found.append(Competitor(label, lead.assessment, one, place))
    return found


def attackers_compared(everybody: Sequence[Competitor]) -> bool:
    """Whether these are different attackers on the same trials, and not systems: an attacker is not more or less private."""
    names = [_attacker(one) for one in everybody]
    digests = {one.assessment.trial_digest for one in everybody}
    systems = {one.assessment.labels.get("system", "") for one in everybody}
    different = len(names) > 1 and len({*names} - {"", "original"}) == len(names)
    return different and len(systems) == len(digests) == 1 and "" not in digests


def _attacker(one: Competitor) -> str:
    """The attacker of a single result, as it or its file is named; empty for an evaluation, which is a system."""
    mine = one.assessment
    if one.said.system not in (mine.name, mine.labels.get("system")):
        return ""
    called = known_attacker(PurePath(mine.name).stem)
    return mine.attacker or (called if called in WHO else "")


def _stated_sentence(one: Competitor) -> str:
    """The verdict of one system for itself, with the margin and the people that it rests on."""
    said = one.said
    people = f"{said.people} people" if said.people else ""
    margin = f"margin EER {said.margin:g} %" if said.margin is not None else ""
    rests = ", ".join(filter(None, (margin, people)))
    name = tidy(said.system) if len(said.places) > 1 and said.system else one.label
    return f'"{name}" by itself: {said.label}{f" ({rests})" if rests else ""}.'


@dataclass(frozen=True)
class PairedTest:
    """What the paired comparison of two systems says; p is corrected for looking at several pairs."""

    p_value: float
    told_apart: bool
    pairs: int
    unit: str
    drawn: bool = True  # resamples were drawn; else p comes from signed ranks of values per speaker
    against: str = ""  # what speaks against telling them apart where p is small
    between: str = ""  # the system with which both were compared, where they were not compared with each other

    @property
    def sentence(self) -> str:
        if self.between:
            return self._chained()
        among = f", corrected for {self.pairs} pairs after Holm" if self.pairs > 1 else ""
        drawn = (
            f"the same {self.unit} were drawn for both" if self.drawn else f"over the values of the same {self.unit}"
        )
        end = "more than luck" if self.told_apart else "luck can explain the difference"
        if self.against:
            end = f"but {self.against}, so this does not tell them apart"
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


def _paired(compared: Comparison, least: Competitor, most: Competitor) -> PairedTest | None:
    """The paired test of these two on D_ECE, or None where none was made."""
    tests = {pair: rows["d_ece"] for pair, rows in compared.differences.items() if "d_ece" in rows}
    hubs = compared.names
    folder = shared_folder(hubs)
    names = [hubs[one.place] for one in (least, most)]
    corrected = dict(zip(tests, holm([test.p_value for test in tests.values()]).tolist(), strict=True))

    def test_of(private: str, exposed: str) -> tuple[float, bool, str, bool, str] | None:
        """p, whether the first is told to be the more private, of what, whether drawn, what speaks against; None without test."""
        for place, pair in ((1, f"{private} - {exposed}"), (2, f"{exposed} - {private}")):
            if pair in tests:
                small = corrected[pair] < 1 - LEVEL
                told = tests[pair].more_private == place and small
                against = _against(tests[pair]) if small and not told else ""
                return corrected[pair], told, tests[pair].unit, tests[pair].resamples > 0, against
        return None

    direct = test_of(*names)
    if direct is not None:
        return PairedTest(direct[0], direct[1], len(tests), *direct[2:])
    for hub in hubs:
        lower, upper = test_of(names[0], hub), test_of(hub, names[1])
        if lower is not None and upper is not None:
            worst = max(lower[0], upper[0])
            told = lower[1] and upper[1]
            return PairedTest(worst, told, len(tests), *lower[2:4], between=tidy(hub[len(folder) :]))
    return None


def _against(test: Difference) -> str:
    """Why two systems are not told apart, though p is small."""
    if test.more_private:
        return "it finds the other one of them the more private"
    if test.low <= 0 <= test.high:
        return "the interval of the mean difference holds 0"
    return "the mean points one way and the ranks the other"


def _unequal(usable: Sequence[Competitor]) -> tuple[str, ...]:
    digests = {one.assessment.trial_digest for one in usable}
    if len(digests) == 1 and "" not in digests:
        return ()
    return (
        "The trials are not known to be the same, so part of the difference may lie in the test and not in the systems.",
    )


def _apart(least: Competitor, most: Competitor) -> bool:
    high, low = limits(least.assessment, "d_ece")[1], limits(most.assessment, "d_ece")[0]
    return high is not None and low is not None and high < low
