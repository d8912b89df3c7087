"""Who was enrolled and who speaks, from what the files say; where they do not say, -1, or a guess with a note."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import InputError
from stripeless.scores.files.models import owners, taken_for_people
from stripeless.scores.files.people import check_targets
from stripeless.scores.files.rows import Ids, Rows
from stripeless.scores.trials import Codes

Mapping = dict[str, str]


@dataclass(frozen=True, eq=False)
class Speakers:
    """Per row the enrollment and the trial speaker, both as numbers into `names`."""

    names: tuple[str, ...]
    enrollment: Codes | None
    trial: Codes | None
    notes: tuple[str, ...]


class _People:
    """Names in the order in which they were met."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}

    def codes(self, names: tuple[str, ...]) -> Codes:
        return np.array([self.number.setdefault(name, len(self.number)) for name in names], dtype=np.int32)


def speakers_of(rows: Rows, labels: NDArray[np.bool_], utt2spk: Mapping | None) -> Speakers:
    """The speakers of every row: named by the file, by `utt2spk`, or found from the target trials."""
    people = _People()
    notes: list[str] = []
    if utt2spk is None and _enrolled_by_utterance(rows, labels):
        return _from_utterances(rows, labels)
    enrollment = _enrolled(rows, people, utt2spk)
    if rows.trial_speaker is not None:
        trial: Codes | None = people.codes(rows.trial_speaker.names)[rows.trial_speaker.codes]
    elif rows.trial is not None:
        speaker = _speaker_of_utterance(rows.trial, enrollment, labels, utt2spk, people, notes)
        trial = speaker[rows.trial.codes]
        if utt2spk is not None and enrollment is not None:
            _check_labels(rows, labels, enrollment, trial, utt2spk)
    else:
        trial = None
    if rows.enrollment is not None and rows.enrollment_speaker is None and enrollment is not None and trial is not None:
        heard = np.where(trial == people.number.get("", -1), np.int32(-1), trial)  # an empty cell names nobody
        enrollment = owners(rows, labels, enrollment, heard, notes)
    if utt2spk is None and rows.trial_speaker is None and rows.enrollment_speaker is None:
        notes += taken_for_people(rows)
    return Speakers(tuple(people.number), enrollment, trial, tuple(notes))


def _check_labels(rows: Rows, labels: NDArray[np.bool_], enrollment: Codes, trial: Codes, utt2spk: Mapping) -> None:
    """What the list of speakers says of a trial, held against its label; models that it does not know may be anybody."""
    ids = rows.enrollment_speaker or rows.enrollment
    assert ids is not None
    people = set(utt2spk.values())
    listed = np.array([name in people or name in utt2spk for name in ids.names], dtype=bool)[ids.codes]
    check_targets(rows, labels, enrollment == trial, listed & (trial >= 0))


def _enrolled_by_utterance(rows: Rows, labels: NDArray[np.bool_]) -> bool:
    """Are enrollment ids names of recordings, not of people?

    They are where one also stands in the other column, as in the VoxCeleb lists, or where one trial utterance is a
    target of two of them.
    """
    if rows.enrollment is None or rows.trial is None or rows.enrollment_speaker or rows.trial_speaker:
        return False
    if set(rows.enrollment.names) & set(rows.trial.names):
        return True
    said, whose = rows.trial.codes[labels], rows.enrollment.codes[labels]
    last = np.full(len(rows.trial.names), -1, dtype=np.int32)
    last[said] = whose
    return bool((last[said] != whose).any())


def _from_utterances(rows: Rows, labels: NDArray[np.bool_]) -> Speakers:
    """People from the beginnings of both ids, if those agree in every target and in no nontarget trial; else nobody."""
    assert rows.enrollment is not None
    assert rows.trial is not None
    for mark in "-_/":
        people = _People()
        sides = [
            people.codes(tuple(name.partition(mark)[0] for name in ids.names)) for ids in (rows.enrollment, rows.trial)
        ]
        enrollment, trial = sides[0][rows.enrollment.codes], sides[1][rows.trial.codes]
        if ((enrollment == trial) == labels).all():
            note = f"enrollment ids name recordings; speakers were read from what stands before {mark!r} in both ids"
            return Speakers(tuple(people.number), enrollment, trial, (f"{note}, which fits the label of every trial",))
    note = "enrollment ids name recordings, not people, so the speakers are not known; give utt2spk to name them"
    return Speakers((), None, None, (note,))


def _enrolled(rows: Rows, people: _People, utt2spk: Mapping | None) -> Codes | None:
    ids = rows.enrollment_speaker or rows.enrollment
    if ids is None:
        return None
    names = ids.names
    if rows.enrollment_speaker is None and utt2spk is not None:
        speakers = set(utt2spk.values())
        # A model named by an utterance of its speaker, as in the VoxCeleb lists.
        names = tuple(name if name in speakers else utt2spk.get(name, name) for name in names)
    return people.codes(names)[ids.codes]


def _speaker_of_utterance(
    utterances: Ids,
    enrollment: Codes | None,
    labels: NDArray[np.bool_],
    utt2spk: Mapping | None,
    people: _People,
    notes: list[str],
) -> Codes:
    if utt2spk is not None:
        return _from_list(utterances, utt2spk, people, notes)
    speaker = np.full(len(utterances.names), -1, dtype=np.int32)
    if enrollment is None:
        return speaker
    said, whose = utterances.codes[labels], enrollment[labels]
    speaker[said] = whose
    _from_prefix(utterances.names, speaker, people, notes)
    return speaker


def _from_list(utterances: Ids, utt2spk: Mapping, people: _People, notes: list[str]) -> Codes:
    known = [utt2spk.get(name) for name in utterances.names]
    codes = [-1 if name is None else people.number.setdefault(name, len(people.number)) for name in known]
    absent = [utterance for utterance, name in zip(utterances.names, known, strict=True) if name is None]
    if len(absent) == len(known):
        raise InputError(
            f"utt2spk names none of the {len(known)} trial utterances (the first: {absent[0]}); give the list that belongs to "
            "these trials: utterance, then speaker"
        )
    if absent:
        notes.append(
            f"{len(absent)} of {len(known)} trial utterances are not in utt2spk (the first: {absent[0]}); "
            "their speakers are left open"
        )
    return np.array(codes, dtype=np.int32)


def _from_prefix(names: tuple[str, ...], speaker: Codes, people: _People, notes: list[str]) -> None:
    """Kaldi utterance ids begin with the speaker's. Believed only where it holds for every utterance that is known."""
    open_ = np.flatnonzero(speaker < 0)
    if not open_.size:
        return
    known = tuple(people.number)
    holds = all(
        names[i].startswith((f"{known[speaker[i]]}-", f"{known[speaker[i]]}_")) for i in np.flatnonzero(speaker >= 0)
    )
    if not holds or open_.size == speaker.size:
        notes.append(f"{open_.size} trial utterances have no target trial; their speakers are left open (give utt2spk)")
        return
    for i in open_:
        prefix = _prefix(names[i], people.number)
        if prefix:
            speaker[i] = people.number.setdefault(prefix, len(people.number))
    notes.append(
        f"{open_.size} trial utterances have no target trial; their speakers were read from the beginning of their "
        "ids, which names the right speaker for every utterance that has one"
    )


def _prefix(utterance: str, known: dict[str, int]) -> str:
    """The longest beginning that is a known speaker, else all before the first hyphen or underscore."""
    ends = [at for at, letter in enumerate(utterance) if letter in "-_"]
    for at in reversed(ends):
        if utterance[:at] in known:
            return utterance[:at]
    return utterance[: ends[0]] if ends else ""


def sex_of(speakers: Speakers, spk2gender: Mapping) -> Ids:
    """The sex of each trial's speaker, `mixed` where the enrollment speaker's differs; -1 where it is not known."""
    names = (*dict.fromkeys(spk2gender.values()), "mixed")
    number = {name: code for code, name in enumerate(names)}
    by_speaker = np.array([number.get(spk2gender.get(name, ""), -1) for name in (*speakers.names, "")], dtype=np.int32)
    sides = [by_speaker[codes] for codes in (speakers.trial, speakers.enrollment) if codes is not None]
    sex = sides[0]
    if len(sides) == 2:
        sex[(sides[0] >= 0) & (sides[1] >= 0) & (sides[0] != sides[1])] = len(names) - 1
    return Ids(names, sex)
