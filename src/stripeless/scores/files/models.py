"""Whose model is enrolled, where the ids of models are names of models and not of people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, shown
from stripeless.scores.files.people import check_targets
from stripeless.scores.files.rows import Rows
from stripeless.scores.files.words import roles_by_name
from stripeless.scores.trials import Codes

MODELS = ("model", "template")  # in the title of a column
MOST_AGREE = (
    0.5  # share of the targets that name one person on both sides, from which on ids are people and the rest mistakes
)


def owners(rows: Rows, labels: NDArray[np.bool_], claimed: Codes, trial: Codes, notes: list[str]) -> Codes:
    """The person of each row's model, held against who speaks in its target trials; `claimed` is what its id says.

    Where most targets name one person on both sides, ids are names of people, and a target of two is a mistake that is
    refused. Else ids are names of models: each belongs to the person of its target trials, and one without any to nobody.
    """
    known = labels & (trial >= 0)
    agree = claimed[known] == trial[known]
    if agree.all():
        return claimed
    if agree.mean() >= MOST_AGREE:
        check_targets(rows, labels, claimed == trial, known)
    assert rows.enrollment is not None
    models, codes = rows.enrollment.names, rows.enrollment.codes
    whose = np.full(len(models), -1, dtype=np.int32)
    whose[codes[known]] = trial[known]
    torn = known & (whose[codes] != trial)
    if torn.any():
        row = int(np.argmax(torn))
        name = repr(shown(models[codes[row]]))
        raise FileError(
            rows.path, f"the model {name} has target trials of two speakers; name its speaker", rows.line(row)
        )
    enrolled = whose[codes]
    check_targets(rows, labels, enrolled == trial, (enrolled >= 0) & (trial >= 0))
    people = np.unique(whose[whose >= 0]).size
    said = (
        f"enrollment ids name models, not people, so the person of each was read from its target trials: {len(models)} models "
        f"of {people} people (an enrollment_speaker column would name them)"
    )
    open_ = int(np.count_nonzero(whose < 0))
    notes.append(said + (f"; {open_} models have no target trial, and are of nobody known" if open_ else ""))
    return enrolled


def taken_for_people(rows: Rows) -> list[str]:
    """That ids of models count as people, where the file calls them models and names nobody."""
    place = roles_by_name(list(rows.titles)).get("enrollment")
    title = "" if place is None else rows.titles[place]
    if rows.enrollment is None or not any(word in title.lower() for word in MODELS):
        return []
    return [
        f"the {len(rows.enrollment.names)} ids in {shown(title)!r} are taken for as many people, since nobody is named; several "
        "models of one person would count as several people (an enrollment_speaker column, or utt2spk, says who they are)"
    ]
