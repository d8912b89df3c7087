"""The kinds of worlds on which verdicts are tried: what is drawn, through which door it goes, and what is wanted of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from math import floor

LEAKS = ("Leak", "Strong leak")
QUIET = ("No leak seen",)
REFUSED = ("No verdict", "Refused")
LABELS = ("Leak", "Strong leak", "No leak seen", "Cannot tell", "No verdict", "Refused", "Error")
NOMINAL = 0.05  # how often a test may be wrong
REDRAWN, MOST_OF_REDRAWN = 1000, 0.07
OVERALL = 0.06


@dataclass(frozen=True)
class Rule:
    """How often one of these labels may, or must, come."""

    name: str
    labels: tuple[str, ...]
    at_most: float | None = None
    at_least: float | None = None

    def text(self) -> str:
        """Such as "leak claimed in at most 5 %"."""
        how = (
            f"at most {100 * (self.at_most or 0):g} %"
            if self.at_least is None
            else f"at least {100 * self.at_least:g} %"
        )
        return f"{self.name}: {how}"

    def kept(self, count: int, draws: int, redrawn: bool = False) -> bool:
        """Whether these draws speak for the rule: surely broken is broken, luck is not."""
        if not draws:
            return False
        if self.at_least is not None:
            return limits(count, draws)[1] >= self.at_least
        if redrawn and self.at_most == NOMINAL:
            return count <= MOST_OF_REDRAWN * draws
        if self.at_most == NOMINAL:
            return count <= most_of(draws)
        return limits(count, draws)[0] <= (self.at_most or 0.0)

    def doubtful(self, count: int, draws: int) -> bool:
        """Whether it has to be drawn again, a thousand times."""
        return self.at_most == NOMINAL and count > floor(17 * draws / 200) and draws >= 100


FALSE_ALARM = Rule("leak claimed", LEAKS, at_most=NOMINAL)
PASSES = Rule("passes", QUIET, at_least=0.8)
NO_PASS = Rule("passes", QUIET, at_most=NOMINAL)
HARDLY_PASSES = Rule("passes", QUIET, at_most=0.005)
NEVER_PASSES = Rule("passes", QUIET, at_most=0.0)
NO_VERDICT = Rule("no verdict", REFUSED, at_least=0.95)
NOT_STOPPED = Rule("no verdict", REFUSED, at_most=0.01)


def found(power: float) -> Rule:
    """A planted leak is found with this power."""
    return Rule("leak found", LEAKS, at_least=power)


@dataclass(frozen=True)
class Kind:
    """One kind of world.

    Attributes:
        name: short and unique; what `--only` looks for.
        group: the letter of its chapter.
        what: what is drawn, in words.
        truth: "no leak", "leak", or "wrong data".
        play: draws one world from a seed and hands back the label of the verdict.
        wanted: what must hold.
        draws: how many are drawn.
        sample: how many of them `--sample` draws; 0 for none.
        available: whether what it needs is there.
        family: the name of kinds that ask the same study different questions: they share their draws, and so its cost.
    """

    name: str
    group: str
    what: str
    truth: str
    play: Callable[[int], str]
    wanted: tuple[Rule, ...]
    draws: int = 200
    sample: int = 0
    available: Callable[[], bool] = lambda: True
    family: str = ""

    @property
    def seeded(self) -> str:
        """What its seeds are named after."""
        return self.family or self.name


def most_of(draws: int) -> int:
    """How many false alarms so many draws may show at most: 21 of 200, and as unlikely for other numbers.

    >>> most_of(200), most_of(1000)
    (21, 72)
    """
    from scipy.stats import binom

    return int(binom.ppf(0.9993, draws, NOMINAL))


def limits(count: int, draws: int) -> tuple[float, float]:
    """95 % limits of a share (Clopper and Pearson 1934).

    >>> [round(limit, 3) for limit in limits(10, 200)]
    [0.024, 0.09]
    """
    from scipy.stats import beta

    low = 0.0 if count == 0 else float(beta.ppf(0.025, count, draws - count + 1))
    return low, 1.0 if count == draws else float(beta.ppf(0.975, count + 1, draws - count))


def all_kinds() -> Iterator[Kind]:
    """Every kind, chapter by chapter."""
    for chapter in ("score", "data", "vector", "voice", "attribute", "attack"):
        module = f"verdict_{chapter}_kinds"
        if find_spec(module) is not None:
            yield from getattr(import_module(module), f"{chapter}_kinds")()


CHAPTERS = {
    "a": "Score files, people named, no information",
    "b": "Score files, nobody named",
    "c": "Planted leaks in score files",
    "d": "Vectors",
    "e": "Recordings",
    "f": "Wrong data",
    "g": "Attributes and inversion",
}
