"""Faults of the files that an attack is given: copies, people under two names, vectors that were not anonymized."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stripeless.attackers.data_findings import copied_into_trials, taught_the_judged
from stripeless.attackers.embedded_data import SAME, SOME, among_themselves, copy_distance, near, rows_of, shared_people
from stripeless.embeddings.embeddings import Embeddings
from stripeless.measures.shown import percent
from stripeless.verdicts.codes import serious_first
from stripeless.verdicts.finding import Finding

Pairs = tuple[Embeddings, Embeddings]


def examine_attacked(
    judged: Pairs, enrollment: Embeddings | None, training: Pairs | None, training_is_enrollment: bool = False
) -> tuple[Finding, ...]:
    """What is wrong with the files, as far as vectors show it; the serious findings first.

    Parameters:
        judged: the anonymized and the original trials, row by row of the same utterance.
        enrollment: original vectors of other utterances; None where the trials enroll.
        training: the pairs that the attacker learns from; None where these are of the judged people.
        training_is_enrollment: that the training pairs are those of the enrollment, so that who is judged may be in them.
    """
    before = rows_of(judged[1]) if enrollment is None else rows_of(enrollment, judged[1])
    found = [*_not_anonymized(judged), *(one for one in among_themselves(before) if one.code != "copies")]
    if enrollment is not None:
        found += _tried_again(enrollment, judged[1])
    if training is not None and not training_is_enrollment:
        renamed = shared_people(before, rows_of(training[1]))
        found += taught_the_judged(renamed, len(set(before.speakers)), "vectors")
    return serious_first(found)


def _tried_again(enrollment: Embeddings, trials: Embeddings) -> Iterator[Finding]:
    """Enrollment that is judged under another name; how near a copy lies is learned from the trials alone."""
    enrolled, tried = rows_of(enrollment), rows_of(trials)
    reach = copy_distance(tried.directions)
    if reach:
        copies = [enrolled.utterances[i] for i, _ in near(enrolled.directions, tried.directions, reach)]
        yield from copied_into_trials(copies, len(enrollment), "vectors")


def _not_anonymized(judged: Pairs) -> Iterator[Finding]:
    lengths = [np.linalg.norm(side.vectors.astype(np.float64), axis=1) for side in judged]
    products = np.einsum("nd,nd->n", *(side.vectors.astype(np.float64) for side in judged))
    share = float((products > SAME * lengths[0] * lengths[1]).mean())
    if share > SOME:
        yield Finding(
            "not-anonymized",
            "serious",
            f"{percent(share)} of the anonymized vectors equal their originals: these were not anonymized, or one file was given "
            "twice. Give the vectors of anonymized speech.",
        )
