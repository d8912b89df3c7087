"""What the criteria of ISO/IEC 24745 allow to conclude from attacks: in words, from tests over all attacks at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stripeless.measures.shown import percent
from stripeless.results.attack import AttackRow, Conclusions, Spread, Tested
from stripeless.verdicts.leak import LEVEL

OF_WAY = {
    "top1_inverted_to_original": "of the inverted utterances are nearest to an original of their own speaker",
    "top1_original_to_inverted": "of the originals are nearest to an inverted utterance of their own speaker",
}


def conclude(
    rows: Sequence[AttackRow], lookup: Sequence[AttackRow], tests: Mapping[str, Tested], chance: Mapping[str, Spread]
) -> Conclusions:
    """A failed attack proves nothing; a success does. Non-invertibility is never judged by people who taught the attacker."""
    returned = tests["pseudonym_lookup"]
    return Conclusions(
        unlinkability=_unlinkability(rows, tests["unlinkability"], returns=broken(returned)),
        non_invertibility=_non_invertibility(tests["non_invertibility"], chance),
        pseudonym_lookup=_lookup(lookup, returned),
    )


def broken(tested: Tested) -> bool:
    """Whether chance is ruled out."""
    return tested.p is not None and tested.p <= LEVEL


def _unlinkability(rows: Sequence[AttackRow], tested: Tested, *, returns: bool) -> str:
    told = f"{tested.attack} reaches an EER of {_eer(rows, tested)} on people it did not learn from"
    if tested.p is None:
        return f"Cannot tell: {told}, but it could not be tested. {tested.reason}"
    if broken(tested):
        return f"Broken: {told} ({_paid(tested)}); anonymized and original data can be linked."
    more = " Pseudonyms return, though (see the pseudonym lookup)." if returns else ""
    return (
        f"Not broken by these attacks: {told} ({_paid(tested)}). That is no proof of unlinkability; a stronger attacker may "
        f"exist.{more}"
    )


def _non_invertibility(tested: Tested, chance: Mapping[str, Spread]) -> str:
    if tested.p is None:
        return f"Cannot tell: {tested.reason}"
    found = (
        f"with {tested.attack}, {percent(tested.value)} {OF_WAY[tested.measure]}, on people it did not learn from "
        f"({percent(tested.corrected)} corrected for choosing among {tested.tried} attacks, by chance {percent(tested.chance)}, "
        f"by random rotations {percent(chance[tested.measure].mean)}; p = {_p(tested)} over all)"
    )
    if broken(tested):
        return f"Broken in the embedding space: {found}. The recordings themselves were not reconstructed."
    return f"Not broken by these attacks: {found}. That is no proof of non-invertibility: only linear maps were tried."


def _lookup(rows: Sequence[AttackRow], tested: Tested) -> str:
    told = f"an attacker who has pairs of these very people reaches an EER of {_eer(rows, tested)} with {tested.attack}"
    if tested.p is None:
        return f"Cannot tell: {told}, but it could not be tested. {tested.reason}"
    if broken(tested):
        return (
            f"Pseudonyms return: {told} on other utterances of theirs ({_paid(tested)}). A table of pseudonyms is enough for "
            "that; it says nothing about inverting."
        )
    return f"Pseudonyms were not seen to return: {told} on other utterances of theirs ({_paid(tested)})."


def _paid(tested: Tested) -> str:
    """The AUC as it is and corrected, and the p over all attacks."""
    value, corrected = (f"{x:.2f}" if x is not None else "-" for x in (tested.value, tested.corrected))
    return f"AUC {value}, {corrected} corrected for choosing among {tested.tried} attacks; p = {_p(tested)} over all"


def _p(tested: Tested) -> str:
    return f"{tested.p:.3f}"


def _eer(rows: Sequence[AttackRow], tested: Tested) -> str:
    row = next(row for row in rows if row.name == tested.attack)
    return percent(row.measures["eer"].value)
