"""Who teaches an inversion and who is judged: other people, the same people, or as Champion et al. 2021 had it.

A map that was learned on somebody's pairs knows that person's pseudonym, even where the pseudonym has nothing to do with the
person: that is a lookup table, no inversion. So whatever is said about inverting is learned and judged on different
people, in groups: each group is judged by attackers who learned from all others, and compared only within itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from stripeless.attackers.inversion.protocol import Sets
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import need_speakers, speaker_codes, take
from stripeless.errors import TooFewTrials

MOST_GROUPS = 4
LEAST = 4  # people of one sex in a group, where there are enough
FEWEST = 100  # exchanges: of fewer, hardly any sign could be clear enough
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Part:
    """People who are judged together, and the pairs (anonymized, original) that their attacker learns from."""

    training: tuple[Embeddings, Embeddings]
    sets: Sets

    @property
    def people(self) -> tuple[str, ...]:
        """Who is judged."""
        return speaker_codes(need_speakers(self.sets.original_trials, "original"))[0]


def group_of_people(people: Sequence[str], sexes: Sequence[str], enrolled: Sequence[bool], seed: int) -> dict[str, int]:
    """The group in which each person is judged; -1 for whom nobody of the same sex could be compared with.

    As many groups, up to 4, as leave 4 enrolled people of each sex in each, but two where there are fewer. Where these
    hold too few people to be exchanged, each sex is a group, judged by attackers who learned from the other. People
    are dealt in the order of their names, so that the order of rows cannot act.
    """
    rng = np.random.default_rng([seed, 17])
    by_sex = {
        sex: sorted((name, known) for name, of, known in zip(people, sexes, enrolled, strict=True) if of == sex)
        for sex in sorted(set(sexes))
    }
    counts = {sex: sum(known for _, known in those) for sex, those in by_sex.items()}
    large = [count // LEAST for count in counts.values() if count >= 2 * LEAST]
    groups = min([MOST_GROUPS, *large]) if large else 2
    if (
        not large
        and _exchanges([part for count in counts.values() for part in (count // 2, count - count // 2)]) < FEWEST
    ):
        whole = [sex for sex, count in counts.items() if count > 1]
        if len(whole) > 1:
            return {
                name: whole.index(sex) if sex in whole else -1
                for name, sex in zip(people, sexes, strict=True)
            }  # fmt: skip
    found: dict[str, int] = {}
    for first, (sex, those) in enumerate(by_sex.items()):
        several = min(groups, counts[sex] // 2)
        mixed = [those[k] for k in rng.permutation(len(those)).tolist()]
        mixed.sort(key=lambda one: not one[1])  # whoever is enrolled is dealt first, so that groups are alike
        for number, (name, _) in enumerate(mixed):
            found[name] = (first + number % several) % groups if several else -1
    return found


def _exchanges(sizes: Sequence[int]) -> int:
    """In how many ways people can be exchanged within groups of these sizes."""
    return prod(factorial(size) for size in sizes)


def attackers_half(speakers: Sequence[str], seed: int) -> Mask:
    """True for the half of each speaker's utterances that the attacker holds."""
    names, codes = speaker_codes(speakers)
    rng = np.random.default_rng(seed)
    mine = np.zeros(len(codes), dtype=bool)
    for code, who in enumerate(names):
        rows = rng.permutation(np.flatnonzero(codes == code))
        if len(rows) < 2:
            raise TooFewTrials(f"speaker {who!r} has one utterance; each needs two, one to enroll and one to judge")
        mine[rows[: len(rows) // 2]] = True
    return mine


def same_people(anonymized: Embeddings, original: Embeddings, seed: int) -> Part:
    """Half of each speaker's utterances teach and enroll, the other half is judged: a lookup of pseudonyms."""
    mine = attackers_half(need_speakers(original, "original"), seed)
    training = take(anonymized, mine), take(original, mine)
    return Part(training, Sets.of(training[1], take(anonymized, ~mine), take(original, ~mine)))


def other_people(
    anonymized: Embeddings,
    original: Embeddings,
    *,
    enrollment: Embeddings | None = None,
    training: tuple[Embeddings, Embeddings] | None = None,
    seed: int = 0,
) -> list[Part]:
    """Everybody is judged by attackers who learned from other people only.

    Without `enrollment`, half of each speaker's original utterances enroll, and the other half is judged. Without
    `training`, the attacker learns from the pairs of the people of the other groups.
    """
    speakers = need_speakers(original, "original")
    judged = np.ones(len(speakers), dtype=bool)
    if enrollment is None:
        judged = ~attackers_half(speakers, seed)
        enrollment = take(original, ~judged)
    pairs = (anonymized, original) if training is None else training
    teachers = set(need_speakers(pairs[1], "training"))
    if teachers & set(speakers):
        group = _groups(original, enrollment, seed)
    else:
        group = dict.fromkeys(speakers, 0)
    of_row = np.array([group[name] for name in speakers])
    parts = []
    for number in sorted(set(of_row[of_row >= 0].tolist())):
        members = {name for name, of in group.items() if of == number}
        learned = ~_spoken_by(pairs[1], members)
        if len(teachers - members) < 2:
            raise TooFewTrials(
                f"{len(set(speakers))} people are too few to learn on some and judge others: at least two are needed on "
                "each side; give pairs of other people to learn from"
            )
        enrolls = take(enrollment, _spoken_by(enrollment, members))
        rows = judged & (of_row == number)
        sets = Sets.of(enrolls, take(anonymized, rows), take(original, rows))
        parts.append(Part((take(pairs[0], learned), take(pairs[1], learned)), sets))
    if not parts:
        raise TooFewTrials("nobody can be judged: of no sex are two people both enrolled and judged")
    return parts


def _groups(original: Embeddings, enrollment: Embeddings, seed: int) -> dict[str, int]:
    names, codes = speaker_codes(need_speakers(original, "original"))
    first = np.unique(codes, return_index=True)[1].tolist()
    sexes = ["" if original.sex is None else original.sex[row] for row in first]
    enrolled = set(need_speakers(enrollment, "enrollment"))
    return group_of_people(names, sexes, [name in enrolled for name in names], seed)


def _spoken_by(embeddings: Embeddings, people: set[str]) -> Mask:
    return np.array([name in people for name in need_speakers(embeddings, "training")])
