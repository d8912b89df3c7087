"""Lists of trials: who is compared with what, from a file or made from the embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import need_speakers, speaker_means
from stripeless.errors import FileError, OneClassOnly, TrialMismatch


@dataclass(frozen=True, eq=False)
class TrialList:
    """Who is compared with what: trial k holds the model of `models[enrollment[k]]` against `utterances[trial[k]]`.

    Attributes:
        models: names of the enrolled speakers.
        utterances: names of the utterances that are tried.
        enrollment: for each trial the place of its model in `models`.
        trial: for each trial the place of its utterance in `utterances`.
        target: for each trial whether the enrolled speaker speaks in the utterance.
        notes: sentences about the list that a reader of results should see.
    """

    models: tuple[str, ...]
    utterances: tuple[str, ...]
    enrollment: NDArray[np.int64]
    trial: NDArray[np.int64]
    target: NDArray[np.bool_]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.target.size)


def read_trials(path: str | PathLike[str]) -> TrialList:
    """A list of trials in any format that `assess` takes: model, utterance, target or nontarget."""
    from stripeless.scores.files.join import check_unique, last_of_each
    from stripeless.scores.files.read import read_rows
    from stripeless.scores.files.source import open_source

    rows = read_rows(open_source(path), "trials")
    if rows.enrollment is None or rows.trial is None or rows.labels is None:
        raise FileError(
            path, "is no list of trials; expected lines with a model, an utterance, and target or nontarget"
        )
    counting, contradiction = last_of_each(rows)
    if counting is None:
        check_unique(rows, "trial")
        counting = np.ones(rows.labels.size, dtype=bool)
    enrollment, trial = (ids.codes.astype(np.int64)[counting] for ids in (rows.enrollment, rows.trial))
    notes = (contradiction,) if contradiction else ()
    return TrialList(rows.enrollment.names, rows.trial.names, enrollment, trial, rows.labels[counting], notes)


def generate_trials(enrollment: Embeddings, trials: Embeddings, *, same_sex: bool = True) -> TrialList:
    """Every enrolled speaker against every trial utterance, within one sex where sex is known.

    An utterance that is part of a model is never compared with that model.

    >>> data = Embeddings([[1.0]] * 4, ("a1", "a2", "b1", "b2"), ("a", "a", "b", "b"))
    >>> trials = generate_trials(Embeddings([[1.0]] * 2, ("a1", "b1"), ("a", "b")), data)
    >>> len(trials), int(trials.target.sum())
    (6, 2)
    """
    models = speaker_means(enrollment)
    spoken_by = np.array(need_speakers(trials, "trials"))
    allowed = np.ones((len(models), len(trials)), dtype=bool)
    if same_sex and models.sex is not None and trials.sex is not None:
        allowed &= np.array(models.sex)[:, None] == np.array(trials.sex)[None, :]
    number = {name: i for i, name in enumerate(models.utterances)}
    column = {name: i for i, name in enumerate(trials.utterances)}
    shared = 0
    for utterance, speaker in zip(enrollment.utterances, need_speakers(enrollment, "enrollment"), strict=True):
        if utterance in column:
            allowed[number[speaker], column[utterance]] = False
            shared += 1
    i, j = np.nonzero(allowed)
    target = np.array(models.utterances)[i] == spoken_by[j]
    if not target.any() or target.all():
        missing = "target" if not target.any() else "nontarget"
        raise OneClassOnly(f"these embeddings give no {missing} trials; enrollment and trials must share speakers")
    note = f"{shared} utterances are enrolled and are trials too; they were not compared with their own model"
    return TrialList(models.utterances, trials.utterances, i, j, target, (note,) if shared else ())


def rows_of(wanted: Sequence[str], present: Sequence[str], what: str) -> NDArray[np.int64]:
    """The row of each wanted name, or a sentence that names the first one missing."""
    row: Mapping[str, int] = {name: i for i, name in enumerate(present)}
    missing = [name for name in wanted if name not in row]
    if missing:
        raise TrialMismatch(
            f"{len(missing)} of {len(wanted)} {what} in the trial list have no embedding, the first is {missing[0]!r}; "
            "check that list and embeddings belong together"
        )
    return np.array([row[name] for name in wanted], dtype=np.int64)
