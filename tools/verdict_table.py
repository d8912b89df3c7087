"""What the labels of all draws say: rates with limits, what was wanted, as text and as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from verdict_kinds import CHAPTERS, LEAKS, OVERALL, QUIET, REDRAWN, Kind, limits, most_of
from verdict_runs import Journal

AGAIN = 10_000  # where the numbers of draws begin that are made once more
MANY = 100  # draws from which on a rate of one kind is worth a word
COLUMNS = ("leak", "no leak seen", "cannot tell", "no verdict")
START, END = "<!-- rates: begin -->", "<!-- rates: end -->"


@dataclass(frozen=True)
class Tally:
    """How often each label came in one kind of world.

    Attributes:
        kind: what was drawn.
        labels: how often each label came.
        again: the same of the draws that were made once more, where luck was to be told from a fault; else empty.
    """

    kind: Kind
    labels: Counter[str]
    again: Counter[str]

    @property
    def draws(self) -> int:
        """How many, without those made once more."""
        return self.labels.total()

    def count(self, labels: Sequence[str]) -> int:
        """How often one of these came."""
        return sum(self.labels[label] for label in labels)

    def doubtful(self) -> bool:
        """Whether it has to be drawn again."""
        return any(rule.doubtful(self.count(rule.labels), self.draws) for rule in self.kind.wanted)

    def broken(self) -> list[str]:
        """What was wanted and is not so."""
        faults = [f"{self.labels['Error']} draws ended in an error"] if self.labels["Error"] else []
        for rule in self.kind.wanted:
            count = self.count(rule.labels)
            if not rule.kept(count, self.draws):
                faults.append(f"{rule.text()}, and it is {count} of {self.draws}")
            several = sum(self.again[label] for label in rule.labels)
            if self.again and not rule.kept(several, self.again.total(), redrawn=True):
                faults.append(f"{rule.text()}, and it is {several} of {self.again.total()} when drawn again")
        return faults

    def shown(self) -> Counter[str]:
        """The draws that rates are read off: those made once more where there are any, because chance did not choose them."""
        return self.again or self.labels


def tally(kind: Kind, seeds: str, journal: Journal, draws: int) -> Tally:
    """Count the labels of one kind."""
    first = Counter(label for k in range(draws) if (label := journal.found.get((seeds, kind.name, k))))
    again = Counter(label for k in range(REDRAWN) if (label := journal.found.get((seeds, kind.name, AGAIN + k))))
    return Tally(kind, first, again if again.total() == REDRAWN else Counter())


def overall(tallies: Sequence[Tally]) -> tuple[int, int]:
    """Leaks that were claimed where there is none, over all such kinds that are held to the nominal rate."""
    held = [one for one in tallies if one.kind.truth == "no leak"]
    return sum(one.count(LEAKS) for one in held), sum(one.draws for one in held)


def faults_of(tallies: Sequence[Tally], sample: bool = False) -> list[str]:
    """Everything that is not as wanted. A sample is too small to hold the rate over all against 6 %."""
    faults = [f"{one.kind.name}: {fault}" for one in tallies for fault in one.broken()]
    claimed, draws = overall(tallies)
    most = most_of(draws) if sample else int(OVERALL * draws)
    if draws and claimed > most:
        faults.append(f"over all: leak claimed in {claimed} of {draws} draws without one, at most {most} wanted")
    return faults


def line(one: Tally) -> str:
    """One kind, for the terminal."""
    several = one.shown()
    shares = "  ".join(f"{name} {100 * share:5.1f} %" for name, (share, _, _) in _shares(several).items())
    return f"{one.kind.name:28} {several.total():5}  {shares}" + ("  BROKEN" if one.broken() else "")


def _shares(labels: Counter[str]) -> dict[str, tuple[float, float, float]]:
    """The share of each group of labels, with limits."""
    draws = labels.total()
    leak, quiet = (sum(labels[label] for label in some) for some in (LEAKS, QUIET))
    counts = (leak, quiet, labels["Cannot tell"], draws - leak - quiet - labels["Cannot tell"])
    return {name: (count / draws, *limits(count, draws)) for name, count in zip(COLUMNS, counts, strict=True)}


def page(tallies: Sequence[Tally]) -> str:
    """The tables of the page, chapter by chapter."""
    parts = [_summary(tallies)]
    for letter, chapter in CHAPTERS.items():
        some = [one for one in tallies if one.kind.group == letter and one.draws]
        if not some:
            continue
        rows = [
            f"## {chapter}",
            "",
            "| world | draws | leak claimed | no leak seen | cannot tell | no verdict | wanted |",
        ]
        rows.append("|---|--:|--:|--:|--:|--:|---|")
        rows += [_row(one) for one in some]
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def _row(one: Tally) -> str:
    several = one.shown()
    cells = [_cell(*share) for share in _shares(several).values()]
    wrong = {"no leak": 0, "leak": 1}.get(one.kind.truth)
    if wrong is not None:
        cells[wrong] = f"**{cells[wrong]}**"
    wanted = "; ".join(rule.text() for rule in one.kind.wanted) or "-"
    if one.broken():
        wanted += " (**not reached**)"
    elif one.again:
        wanted += f" (first {one.count(LEAKS if one.kind.truth == 'no leak' else QUIET)} of {one.draws})"
    return f"| {one.kind.what} (`{one.kind.name}`) | {several.total():,} | {' | '.join(cells)} | {wanted} |"


def _cell(share: float, low: float, high: float) -> str:
    return f"{_percent(share)} ({_percent(low)}-{_percent(high)})"


def _percent(share: float) -> str:
    """
    >>> _percent(0.0), _percent(0.0449), _percent(1.0)
    ('0', '4.5', '100')
    """
    return f"{100 * share:.1f}".removesuffix(".0")


def _summary(tallies: Sequence[Tally]) -> str:
    claimed, draws = overall(tallies)
    share, low, high = claimed / max(draws, 1), *limits(claimed, max(draws, 1))
    without = [one for one in tallies if one.kind.truth == "no leak" and one.draws >= MANY]
    highest = max((one.count(LEAKS) / one.draws for one in without), default=0.0)
    drawn = sum(one.draws + one.again.total() for one in tallies)
    return (
        f"{len(tallies)} kinds of worlds, {drawn:,} verdicts. Where there is nothing to find, a leak was claimed in "
        f"{claimed:,} of {draws:,} draws: {_cell(share, low, high)} %; of kinds with {MANY} draws or more, the highest rate was "
        f"{100 * highest:.1f} %. Wanted: 5 %, at most 6 %."
    )


def with_tables(text: str, tables: str) -> str:
    """A page whose tables are renewed; everything around them stays.

    >>> with_tables(f"a {START}old{END} b", "new").splitlines()
    ['a <!-- rates: begin -->', '', 'new', '', '<!-- rates: end --> b']
    """
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{tables}\n\n{END}{after}"
