"""Labels of people that contradict each other are refused: whichever counted, somebody would be taken for somebody else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, InputError, shown
from stripeless.scores.files.rows import Ids, Rows
from stripeless.scores.trials import Codes

SEXES = ("sex", "gender")


def check_people(rows: Rows, labels: NDArray[np.bool_]) -> None:
    """One speaker for each id, one sex for each person of target trials, and targets of one person only, as the columns say."""
    for ids, people, what in (
        (rows.trial, rows.trial_speaker, "utterance"),
        (rows.enrollment, rows.enrollment_speaker, "enrollment"),
    ):
        if ids is not None and people is not None:
            _check_one(rows, ids.codes, people, f"{what} {{}}", ids.names, "speakers")
    if rows.trial_speaker is not None and rows.enrollment_speaker is not None:
        names = {name: code for code, name in enumerate(rows.enrollment_speaker.names)}
        same = np.array([names.get(name, -1) for name in rows.trial_speaker.names], dtype=np.int32)
        known = _known(rows.trial_speaker) & _known(rows.enrollment_speaker)
        check_targets(rows, labels, same[rows.trial_speaker.codes] == rows.enrollment_speaker.codes, known)
    people = rows.trial_speaker or rows.enrollment_speaker or rows.trial
    sexes = next((ids for name, ids in rows.columns.items() if name.lower() in SEXES), None)
    if people is not None and sexes is not None:
        _check_one(rows, people.codes, sexes, "{}", people.names, "sexes in target trials", labels)


def check_targets(rows: Rows, labels: NDArray[np.bool_], same: NDArray[np.bool_], known: NDArray[np.bool_]) -> None:
    """A target trial is of one person, a nontarget trial of two, wherever both are `known`."""
    wrong = known & (labels != same)
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    said = "target, but of two speakers" if labels[row] else "nontarget, but of one speaker"
    more = f" (the first of {int(wrong.sum())} such trials)" if wrong.sum() > 1 else ""
    raise FileError(rows.path, f"a trial is labeled {said}{more}; mend the label or the speakers", rows.line(row))


def check_used(rows: Rows, utt2spk: dict[str, str] | None, spk2gender: dict[str, str] | None) -> None:
    """Tables that would say nothing about these trials."""
    named = rows.trial_speaker is not None and rows.enrollment_speaker is not None
    if utt2spk is not None and named:
        raise InputError(f"utt2spk: {rows.path} names the speakers of every trial itself; leave it out")
    if utt2spk is not None and rows.trial is None and rows.trial_speaker is None:
        raise InputError(
            f"utt2spk: {rows.path} names no utterances, so nobody's speaker can be looked up; leave it out"
        )
    nobody = (
        rows.trial is None
        and rows.trial_speaker is None
        and rows.enrollment is None
        and rows.enrollment_speaker is None
    )
    if spk2gender is not None and nobody:
        raise InputError(f"spk2gender: {rows.path} names nobody whose sex could be looked up; leave it out")


def check_sexes(names: tuple[str, ...], spk2gender: dict[str, str]) -> None:
    """A table of other people says nothing."""
    if not any(name in spk2gender for name in names):
        example = f" (the first: {shown(names[0])})" if names else ""
        raise InputError(
            f"spk2gender names none of the {len(names)} speakers of these trials{example}; give the list that belongs to them, "
            "or utt2spk too"
        )


def _check_one(
    rows: Rows,
    codes: Codes,
    people: Ids,
    who: str,
    names: tuple[str, ...],
    what: str,
    among: NDArray[np.bool_] | None = None,
) -> None:
    """Each of these has one value in `people` wherever it is known."""
    told = _known(people) if among is None else _known(people) & among
    last = np.full(len(names), -1, dtype=np.int32)
    last[codes[told]] = people.codes[told]
    torn = told & (last[codes] != people.codes)
    if not torn.any():
        return
    row = int(np.argmax(torn))
    both = " and ".join(repr(shown(people.names[code])) for code in (people.codes[row], last[codes[row]]))
    whom = who.format(repr(shown(names[codes[row]])))
    raise FileError(rows.path, f"{whom} has two {what}, {both}; keep one", rows.line(row))


def _known(ids: Ids) -> NDArray[np.bool_]:
    """Where a cell holds anything; a trial that is mixed says so and is nobody's sex."""
    return np.array([name not in ("", "mixed") for name in ids.names], dtype=bool)[ids.codes]
