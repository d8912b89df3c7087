"""All attackers of an evaluation tested at once: for a leak, for its limits, and whether the test could have found one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from stripeless._log import clock
from stripeless.attackers.battery import Battery, Scored, exchange_order, exchanged
from stripeless.attackers.planted import IDEAL_EER, nothing_planted, voices_of, with_plant
from stripeless.errors import InputError
from stripeless.verdicts.conditions import beyond_margin, no_original, too_few
from stripeless.verdicts.evidence import Evidence, Planted, Reached, Refit, Row, best_of, evidence_of
from stripeless.verdicts.exchange import PERMUTATIONS
from stripeless.verdicts.leak import LEVEL, leaks
from stripeless.verdicts.margins import LOOSEST
from stripeless.verdicts.verdict import strong_low

LOG = logging.getLogger(__name__)
Say = Callable[[str], None]
ATTACKERS = ("ignorant", "lazy-informed", "semi-informed")
REFITS = 99
CLEAR, UNLIKELY = 0.005, 0.10  # between them attackers who learned from the judged learn anew
PLANTS = 5


@dataclass(frozen=True, eq=False)
class Played:
    """One attacker with one encoder."""

    battery: Battery
    scored: Scored

    @property
    def row(self) -> Row:
        """The attacker as the test takes it."""
        name = ", ".join(filter(None, (self.battery.encoder, self.scored.backend)))
        return Row(name, self.scored.attacker, self.scored.scores)


def played_by(batteries: Sequence[Battery], conditions: tuple[str, ...]) -> list[Played]:
    """Every attacker with every encoder."""
    return [Played(battery, scored) for battery in batteries for scored in battery.play(conditions)]


def joint_evidence(
    batteries: Sequence[Battery],
    played: Sequence[Played],
    *,
    margin: float | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    say: Say = LOG.info,
) -> Evidence:
    """What all these attackers show together; `played` holds their scores, those of the control on original data among them.

    Parameters:
        batteries: the attackers, encoder by encoder.
        played: what they scored.
        margin: the EER in percent beyond which no leak may be left for "No leak seen"; None for the usual one.
        permutations: how often enrollments are exchanged.
        seed: start of the random draws.
        say: called with a sentence before what takes long.
    """
    control = [one.row for one in played if one.scored.attacker == "original"]
    attackers = [one for one in played if one.scored.attacker != "original"]
    seconds = clock()
    evidence = evidence_of([one.row for one in attackers], permutations=permutations, margin=margin, seed=seed)
    said = tuple(dict.fromkeys(filter(None, (battery.unjudged() for battery in batteries))))
    evidence = replace(evidence, said=(*evidence.said, *said), original=_control(control, permutations, seed))
    once = seconds()
    learned = any(one.scored.learned for one in attackers)
    if learned and evidence.p is not None and CLEAR < evidence.p <= UNLIKELY:
        evidence = replace(evidence, refit=_refit(batteries, evidence.p, permutations, seed, once, say))
    if leaks(evidence) or evidence.p is None:
        return evidence
    return replace(evidence, planted=_plants(batteries, evidence, permutations, seed, say))


def _control(rows: Sequence[Row], permutations: int, seed: int) -> Reached | None:
    """What the strongest attacker reaches on original data, its limit less what the choice gains by luck."""
    best = best_of(evidence_of(rows, permutations=permutations, seed=seed)) if rows else None
    return None if best is None else replace(best, low=max(0.0, strong_low(best)))


def _p_of(batteries: Sequence[Battery], permutations: int, seed: int) -> float | None:
    rows = [one.row for one in played_by(batteries, ATTACKERS)]
    return evidence_of(rows, permutations=permutations, seed=seed).p


def _refit(batteries: Sequence[Battery], p: float, permutations: int, seed: int, once: float, say: Say) -> Refit:
    """How often exchanged enrollments, with everything learned anew, show as clear a sign.

    Ends when p cannot be .05 or less any more (Besag and Clifford 1991): p = hits / draws then, else (1 + hits) / (1 + draws).
    """
    say(f"The sign of a leak is close to the limit (p = {p:.2g}): enrollments are exchanged and attackers learn anew, at most "
        f"{REFITS} times; {max(1, round(3 * once * REFITS / 60))} minutes or so")  # fmt: skip
    rng = np.random.default_rng([seed, 23])
    people, both = batteries[0].people, sorted(batteries[0].both)
    most = round(LEVEL * (1 + REFITS))
    hits = 0
    for draw in range(1, REFITS + 1):
        order = exchange_order(people, both, rng)
        found = _p_of([exchanged(battery, order) for battery in batteries], permutations, seed)
        hits += found is not None and found <= p * (1 + 1e-9)
        if hits == most:
            return Refit(hits / draw, draw)
    return Refit((1 + hits) / (1 + REFITS), REFITS)


def _plants(batteries: Sequence[Battery], evidence: Evidence, permutations: int, seed: int, say: Say) -> Planted:
    """Whether leaks of known size are found, where everything else would allow "No leak seen" at the loosest margin."""
    if too_few(evidence) or no_original(evidence, None) or beyond_margin(replace(evidence, margin=LOOSEST)):
        return nothing_planted("other conditions fail already")
    say(f"{PLANTS} leaks of known size are planted, to see whether these attackers find them")
    rng = np.random.default_rng([seed, 29])
    found = 0
    try:
        voices = [voices_of(battery) for battery in batteries]
        for _ in range(PLANTS):
            several = [with_plant(battery, own, rng) for battery, own in zip(batteries, voices, strict=True)]
            p = _p_of(several, permutations, seed)
            found += p is not None and p <= LEVEL
    except InputError as error:
        return nothing_planted(str(error))
    return Planted(PLANTS, found, 100 * IDEAL_EER)


def of_attacker(evidence: Evidence, attacker: str, name: str) -> Evidence:
    """The evidence about one of the attackers; the choice among all of them stays paid for."""
    rows = tuple(one for one in evidence.attackers if one.attacker == attacker and one.name == name)
    known = [one.p for one in rows if one.p is not None]
    p = min(known, default=None)
    # the refit is about all attackers together: where it found no leak, none of them shows one
    if evidence.refit is not None and p is not None:
        p = max(p, evidence.refit.p)
    planted = evidence.planted
    if planted is None:
        planted = nothing_planted("all attackers together show a leak, or were not tested")
    return replace(evidence, p=p, refit=None, attackers=rows, planted=planted, joint=True)
