"""What is said of faults in the data, the same for recordings and vectors: who and what, how many, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stripeless.measures.shown import percent
from stripeless.verdicts.finding import Finding

MANY = 0.05  # share of the people from which names that share content decide figures
SHOWN = 3  # names that a message holds
HALF = 0.5  # of the outputs: then the figures are about them
FEWEST = 2  # outputs that were exchanged; a single one may be chance


def one_person_two_names(pairs: Sequence[tuple[str, str]], people: int, what: str) -> Iterator[Finding]:
    """Content that two names share, as pairs of names."""
    named = names_of(pairs)
    if not named:
        return
    involved = {name for pair in named for name in pair}
    serious = len(named) > MANY * people or len(involved) > 2 * MANY * people
    yield Finding(
        "shared_content",
        "serious" if serious else "caution",
        f"{len(pairs):,} pairs of {what} hold the same content under two names: {shown(named)} ({len(involved)} of {people} "
        "people). One person under two names looks like two people who cannot be told apart: errors are too many, before "
        "anonymization most of all. Give each person one name, or take the copies out.",
    )


def copied_into_trials(copies: Sequence[str], enrolling: int, what: str) -> Iterator[Finding]:
    """Enrollment that is tried as well, under another name."""
    different = sorted(set(copies))
    if not different:
        return
    yield Finding(
        "copies",
        "serious",
        f"{len(different)} of {enrolling} enrollment {what} are copies of trial {what}, such as {different[0]!r}: a recording is "
        "always recognized as itself, so the figures say too little of privacy. Take the copies out.",
    )


def taught_the_judged(pairs: Sequence[tuple[str, str]], people: int, what: str) -> Iterator[Finding]:
    """Judged people in the training data: their name, and the one they have there."""
    named = sorted(set(pairs))
    if not named:
        return
    judged = {one for one, _ in named}
    yield Finding(
        "training_copies",
        "serious",
        f"{what.capitalize()} of {len(judged)} of {people} judged people are among the training data under another name, such as "
        f"{named[0][0]!r} as {named[0][1]!r}: the attacker knows them already, and the figures say nothing of others. "
        "Train on other people.",
    )


def taught_unprotected(share: float, how: str) -> Iterator[Finding]:
    """Training data that were to be anonymized."""
    yield Finding(
        "training_unprotected",
        "serious",
        f"{percent(share)} of the training data that should be anonymized {how}. An attacker who learned from unprotected "
        "speech is no semi-informed one, and privacy is overestimated. Anonymize the training data like the rest.",
    )


def names_of(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Every pair of names once, in order."""
    return sorted({(min(pair), max(pair)) for pair in pairs})


def shown(pairs: Sequence[tuple[str, str]]) -> str:
    """The first pairs of names, and how many more there are."""
    told = ", ".join(f"{one!r} and {other!r}" for one, other in pairs[:SHOWN])
    return told + (f", and {len(pairs) - SHOWN} more" if len(pairs) > SHOWN else "")


def one_sound(names: Sequence[str], recordings: int) -> Iterator[Finding]:
    """Anonymized recordings that hold the same sound as another one."""
    if not names:
        return
    share = len(names) / recordings
    yield Finding(
        "same_output",
        "serious" if share >= HALF else "caution",
        f"{len(names)} of {recordings} anonymized recordings hold the same sound as another one, such as {names[0]!r}, although "
        "the originals differ: nothing of what was said is left there, or one file was written several times. That they "
        "cannot be told apart is no anonymization of speech.",
    )


def exchanged_outputs(pairs: Sequence[tuple[str, str]], recordings: int) -> Iterator[Finding]:
    """Anonymized recordings that fit the original of somebody else: the name of the output, and that of the original."""
    if len(pairs) < FEWEST:
        return
    yield Finding(
        "exchanged_recordings",
        "serious",
        f"{len(pairs)} of {recordings} anonymized recordings follow the timing of another person's original, such as "
        f"{pairs[0][0]!r}, which fits {pairs[0][1]!r}: outputs were exchanged. Then the attackers look for the wrong person, and "
        "find nobody. Give every output the name of its original.",
    )


def still_the_original(names: Sequence[str], recordings: int) -> Iterator[Finding]:
    """Outputs that hold the sound of their original."""
    if names:
        yield Finding(
            "not-anonymized",
            "serious",
            f"{len(names)} of {recordings} anonymized recordings hold the sound of their originals, such as {names[0]!r}. At "
            "most louder, later, cut or coarser, they were not anonymized.",
        )
