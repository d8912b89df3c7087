"""`write_scores`: every format that `read_scores` reads, whole files or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.errors import InputError
from stripeless.scores.check import FloatArray, check_class
from stripeless.scores.files.formats import writer_for
from stripeless.scores.trials import Factor, TrialScores


@dataclass(frozen=True, eq=False)
class Written:
    """What goes into a file: one entry per trial."""

    scores: FloatArray
    labels: NDArray[np.bool_]
    enrollment: list[str] | None = None
    trial: list[str] | None = None
    columns: dict[str, list[str]] = field(default_factory=dict)


def write_scores(
    path: str | PathLike[str],
    scores: TrialScores | ArrayLike,
    labels: ArrayLike | None = None,
    *,
    enrollment: Sequence[str] | None = None,
    trial: Sequence[str] | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
    trials: str | PathLike[str] | None = None,
) -> None:
    """Write scores and labels in the format that the extension of `path` names; numbers read back equal.

    `.csv`, `.tsv`, `.parquet`, `.npz`, `.h5` and `.hdf5` are what they say; everything else is text, `score label`, or
    `enrollment utterance score label` where ids are given. `.gz` after a text format compresses it.

    Parameters:
        path: the file to write; it appears whole or not at all.
        scores: one number per trial, or `TrialScores`, which are written targets first, with their speakers.
        labels: true for target, one per score; not needed for `TrialScores`.
        enrollment, trial: names of the model and of the utterance of each trial.
        columns: further labels of the trials by their names, for formats with a header.
        trials: write the trial list to this second file (Kaldi text, or a BOSARIS key where it ends in `.h5`) and only
            scores to `path`.

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "scores.txt")
    >>> write_scores(path, [2.5, -1.0], [True, False])
    >>> print(open(path).read(), end="")  # doctest: +SKIP
    2.5 target
    -1.0 nontarget
    >>> folder.cleanup()
    """
    if isinstance(scores, TrialScores):
        data = _from_trial_scores(scores)
    else:
        data = _checked(scores, labels, enrollment, trial, dict(columns or {}))
    jobs = writer_for(os.fspath(path), None if trials is None else os.fspath(trials), data)
    _write_all(jobs)


def _checked(
    scores: ArrayLike,
    labels: ArrayLike | None,
    enrollment: Sequence[str] | None,
    trial: Sequence[str] | None,
    columns: dict[str, Sequence[str]],
) -> Written:
    values = check_class(scores, "scores")
    if labels is None:
        raise InputError("labels: missing; give one true or false per score")
    truth = np.asarray(labels).astype(bool)
    named = {"labels": truth, "enrollment": enrollment, "trial": trial, **columns}
    for name, given in named.items():
        if given is not None and len(given) != values.size:
            raise InputError(f"{name}: {len(given)} entries for {values.size} scores; give one per score")
    if (enrollment is None) != (trial is None):
        raise InputError("enrollment and trial: only one was given; give the ids of both sides, or none")
    return Written(
        values,
        truth,
        None if enrollment is None else [str(name) for name in enrollment],
        None if trial is None else [str(name) for name in trial],
        {name: [str(value) for value in given] for name, given in columns.items()},
    )


def _from_trial_scores(scores: TrialScores) -> Written:
    factors = {
        "enrollment_speaker": scores.enrollment_speakers,
        "trial_speaker": scores.trial_speakers,
        **scores.columns,
    }
    values = np.concatenate([scores.target, scores.nontarget])
    labels = np.arange(values.size) < scores.target.size
    return Written(values, labels, columns={n: _spelled(f) for n, f in factors.items() if f is not None})


def _spelled(factor: Factor) -> list[str]:
    names = (*factor.names, "")  # -1, not known, is the last: the empty text
    return [names[code] for code in np.concatenate([factor.target, factor.nontarget]).tolist()]


def _write_all(jobs: dict[str, Callable[[str], None]]) -> None:
    """Write each file under another name beside its own, and rename them only when all are whole."""
    done: list[tuple[str, str]] = []
    try:
        for path, write in jobs.items():
            target = Path(path)
            temporary = str(target.with_name(f".{target.name}.{os.getpid()}.part"))
            done.append((temporary, path))
            write(temporary)
        for temporary, path in done:
            os.replace(temporary, path)
    finally:
        for temporary, _ in done:
            Path(temporary).unlink(missing_ok=True)
