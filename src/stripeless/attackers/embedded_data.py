"""Faults of the data that vectors show: copies across roles and names, people who are judged and taught under other names.

A copy is a vector that lies far nearer to another one than vectors of one person do. On the originals every copy counts.
On anonymized vectors it counts only where different people have different vectors: an anonymizer may give many the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from stripeless.attackers.data_findings import (
    copied_into_trials,
    one_person_two_names,
    taught_the_judged,
    taught_unprotected,
)
from stripeless.attackers.unprotected import share_unprotected
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import take
from stripeless.verdicts.codes import serious_first
from stripeless.verdicts.finding import Finding

if TYPE_CHECKING:
    from stripeless.attackers.embedded import Embedded, Training

Matrix = NDArray[np.float64]
COPY = 0.05  # of the median distance from a vector to its nearest: a copy, whatever was lost in between
SAMPLE = 1000  # vectors whose nearest is looked for, to learn that distance
BLOCK = 1024  # vectors compared at a time
SAME = 0.999  # cosine with the unprotected vector of the same name above which nothing was done
SOME = 0.05  # share of the training vectors of which that may be true by accident


@dataclass(frozen=True, eq=False)
class Rows:
    """Directions of vectors with the names of the people and utterances, and which of them enroll."""

    directions: Matrix
    speakers: tuple[str, ...]
    utterances: tuple[str, ...]
    enrolls: NDArray[np.bool_]


def examine_embedded(original: Embedded, anonymized: Embedded, training: Training) -> list[Finding]:
    """What is wrong with the data of attackers on embeddings, as far as vectors show it; the serious findings first.

    Parameters:
        original: enrollment and trials before anonymization.
        anonymized: the same after it.
        training: what the attackers learn from.
    Returns:
        The findings; none where there is nothing to beware of.
    """
    if any(side.enrollment.dimension != side.trials.dimension for side in (original, anonymized)):
        return []  # not vectors of one encoder
    before, after = rows_of(original.enrollment, original.trials), rows_of(anonymized.enrollment, anonymized.trials)
    findings = [
        *among_themselves(before),
        *taught(before, after, training),
        *unprotected(original, anonymized, training),
    ]
    return list(serious_first(findings))


def rows_of(*parts: Embeddings) -> Rows:
    """Several sets of vectors as one; the first enrolls. Vectors of zeros have no direction and are left out."""
    vectors = np.concatenate([part.vectors.astype(np.float64) for part in parts])
    length = np.linalg.norm(vectors, axis=1)
    speakers = tuple(name for part in parts for name in (part.speakers or ("",) * len(part)))
    utterances = tuple(name for part in parts for name in part.utterances)
    known = np.flatnonzero(length > 0)
    enrolls = np.repeat([k == 0 for k in range(len(parts))], [len(part) for part in parts])
    return Rows(
        vectors[known] / length[known, None],
        tuple(speakers[k] for k in known),
        tuple(utterances[k] for k in known),
        enrolls[known],
    )


def among_themselves(rows: Rows) -> Iterator[Finding]:
    """Copies among the originals: a person under two names, an enrollment that is tried."""
    reach = copy_distance(rows.directions)
    pairs = [(i, j) for i, j in near(rows.directions, rows.directions, reach) if i < j] if reach else []
    named = [(i, j) for i, j in pairs if rows.speakers[i] and rows.speakers[j]]
    yield from one_person_two_names(
        [(rows.speakers[i], rows.speakers[j]) for i, j in named if rows.speakers[i] != rows.speakers[j]],
        len(set(rows.speakers)),
        "vectors",
    )
    tried = [
        min((i, j), key=lambda k: not rows.enrolls[k])
        for i, j in named
        if rows.speakers[i] == rows.speakers[j]
        and rows.enrolls[i] != rows.enrolls[j]
        and rows.utterances[i] != rows.utterances[j]  # never compared with its own model
    ]
    yield from copied_into_trials([rows.utterances[k] for k in tried], int(rows.enrolls.sum()), "vectors")


def taught(before: Rows, after: Rows, training: Training) -> Iterator[Finding]:
    """Vectors of the people who are judged among those that the attacker learns from, whatever the names."""
    found: list[tuple[str, str]] = []
    for data in (training.original, training.anonymized):
        if data is None:
            continue
        lessons = rows_of(data)
        for judged in (before, after):
            if judged.directions.shape[1] == lessons.directions.shape[1]:
                found += shared_people(judged, lessons)
    yield from taught_the_judged(found, len(set(before.speakers)), "vectors")


def shared_people(judged: Rows, lessons: Rows) -> list[tuple[str, str]]:
    """Who is judged and taught under another name: both names of each, where people differ in their vectors at all."""
    reach = copy_distance(judged.directions)
    if not reach:
        return []
    own = near(judged.directions, judged.directions, reach)
    if any(judged.speakers[i] != judged.speakers[j] for i, j in own):
        return []  # people share vectors by design, so a shared one does not show who somebody is
    pairs = near(judged.directions, lessons.directions, reach)
    names = ((judged.speakers[i], lessons.speakers[j]) for i, j in pairs)
    return [(one, other) for one, other in names if one != other]  # the same name is told of by its own finding


def copy_distance(directions: Matrix) -> float:
    """How near a vector must lie to be a copy; 0 where vectors have nothing of their own."""
    if len(directions) < 3:
        return 0.0
    step = max(1, len(directions) // SAMPLE)
    nearest = []
    for start in range(0, len(directions[::step]), BLOCK):
        block = directions[::step][start : start + BLOCK]
        place = (start + np.arange(len(block))) * step
        products = block @ directions.T
        products[np.arange(len(block)), place] = -np.inf
        nearest.append(2 - 2 * products.max(axis=1))
    typical = float(np.sqrt(max(0.0, np.median(np.concatenate(nearest)))))
    return COPY * typical if typical > 1e-6 else 0.0


def near(first: Matrix, second: Matrix, reach: float) -> list[tuple[int, int]]:
    """Every row of the first with every row of the second that lies within reach; of one set with itself, not each row."""
    same = first is second
    pairs: list[tuple[int, int]] = []
    for start in range(0, len(first), BLOCK):
        block = first[start : start + BLOCK]
        # Rounding alone puts equal directions 1e-8 apart.
        close = 2 - 2 * (block @ second.T) <= max(reach**2, 1e-14)
        for i, j in zip(*np.nonzero(close), strict=True):
            if not (same and start + i == j):
                pairs.append((int(start + i), int(j)))
    return pairs


def unprotected(original: Embedded, anonymized: Embedded, training: Training) -> Iterator[Finding]:
    """Training vectors that were to be anonymized, and are not."""
    if training.anonymized is None:
        return
    share = unchanged_share(training.original, training.anonymized)
    if share > SOME:
        yield from taught_unprotected(share, "equal the vectors of the unprotected training speech")
        return
    whole = [(part.enrollment, part.trials) for part in (original, anonymized)]
    if len({side.dimension for pair in whole for side in pair} | {training.anonymized.dimension}) > 1:
        return
    vectors = [np.concatenate([one.vectors, other.vectors]) for one, other in whole]
    people = [[*(one.speakers or ()), *(other.speakers or ())] for one, other in whole]
    found = share_unprotected(vectors[0], people[0], vectors[1], people[1], training.anonymized.vectors)
    if found is not None:
        yield from taught_unprotected(found, "look like the vectors before anonymization, not like those after it")


def unchanged_share(before: Embeddings | None, after: Embeddings) -> float:
    """Share of vectors that are nearly what the vector of the same utterance was, or any other, before."""
    if before is None or before.dimension != after.dimension:
        return 0.0
    place = {name: k for k, name in enumerate(before.utterances)}
    rows = [k for k, name in enumerate(after.utterances) if name in place]
    share = 0.0
    if rows:
        old, new = rows_of(take(before, [place[after.utterances[k]] for k in rows])), rows_of(take(after, rows))
        if len(old.directions) == len(new.directions):
            share = float(((old.directions * new.directions).sum(axis=1) > SAME).mean())
    first, second = rows_of(before).directions, rows_of(after).directions
    reach = copy_distance(first)
    twins = {j for _, j in near(first, second, reach)} if reach else set()
    return max(share, len(twins) / len(second))
