"""`read_scores`: recognize, read, match, name the speakers, split by class."""

from __future__ import annotations

import logging
import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from stripeless._log import clock
from stripeless.errors import FileError, OneClassOnly, listed
from stripeless.scores.files.digest import trial_digest
from stripeless.scores.files.hdf5 import read_hdf5
from stripeless.scores.files.join import JoinedRows, check_unique, last_of_each, match
from stripeless.scores.files.npz import read_npz
from stripeless.scores.files.parquet import read_parquet
from stripeless.scores.files.people import check_people, check_sexes, check_used
from stripeless.scores.files.rows import Ids, Rows, compact
from stripeless.scores.files.source import Source, open_source
from stripeless.scores.files.speakers import Speakers, sex_of, speakers_of
from stripeless.scores.files.text import read_text
from stripeless.scores.files.words import no_score
from stripeless.scores.trials import Codes, Factor, MissingTrials, TrialScores
from stripeless.tables.inputs import InputFile, sha256_of
from stripeless.tables.two_columns import read_two_columns

Path = str | PathLike[str]
Pairs = dict[str, str]
READERS = {"npz": read_npz, "hdf5": read_hdf5, "parquet": read_parquet}
LOG = logging.getLogger(__name__)


def read_scores(
    path: Path,
    trials: Path | None = None,
    *,
    utt2spk: Path | None = None,
    spk2gender: Path | None = None,
    allow_missing: bool = False,
) -> TrialScores:
    """Target and nontarget scores from a file, with the speakers where the file names them.

    Formats are recognized by content: Kaldi `scores` with a `trials` list, `score label` lines, CSV and TSV with a
    header, parquet, npz, and BOSARIS HDF5; text may be gzipped. Enrollment ids are taken as speakers.

    Parameters:
        path: the file of scores, or of scores and labels.
        trials: the list that says which pairs are targets, where `path` does not.
        utt2spk: table of utterances and speakers; without it trial speakers come from the target trials.
        spk2gender: table of speakers and their sex, which becomes the column `sex`.
        allow_missing: leave out trials without a score and scores without a trial, and count them in `missing`;
            otherwise they are an error.
    Returns:
        The scores in the order of the trial list, with the digests of all files.

    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "scores.txt")
    >>> with open(path, "w") as file:
    ...     _ = file.write("anna anna-1 2.5 target\\nanna bert-1 -1.0 nontarget\\n")
    >>> scores = read_scores(path)
    >>> scores.target, scores.nontarget, scores.enrollment_speakers.names
    (array([2.5]), array([-1.]), ('anna', 'bert'))
    >>> folder.cleanup()
    """
    seconds = clock()
    paths = [os.fspath(given) for given in (path, trials, utt2spk, spk2gender) if given is not None]
    _check_different(path, trials)
    sources = [open_source(given) for given in paths]
    with ThreadPoolExecutor(max_workers=4) as pool:
        digests = [pool.submit(sha256_of, given) for given in paths]
        listed = pool.submit(read_rows, sources[1], "trials") if trials is not None else None
        scores = read_rows(sources[0], "both" if trials is None else "scores")
        rows, missing, notes = _joined(scores, listed, allow_missing)
        del scores, listed
        result = _split(rows, missing, notes, _pairs(utt2spk), _pairs(spk2gender))
        inputs = tuple(InputFile(name, digest.result()) for name, digest in zip(paths, digests, strict=True))
    sizes = result.target.size, result.nontarget.size
    LOG.info("read %s: %d target and %d nontarget scores in %.1f s", ", ".join(paths), *sizes, seconds())
    return replace(result, inputs=inputs)


def _check_different(path: Path, trials: Path | None) -> None:
    if trials is None:
        return
    same = os.path.abspath(os.fspath(path)) == os.path.abspath(os.fspath(trials))
    if same or (os.path.exists(path) and os.path.exists(trials) and os.path.samefile(path, trials)):
        raise FileError(path, "given both as scores and as trials; name the trial list, or leave `trials` out")


def read_rows(source: Source, expected: str = "both") -> Rows:
    """The rows of one file of any kind, given as `scores`, as `trials`, or as `both` in one."""
    return READERS[source.kind](source) if source.kind in READERS else read_text(source, expected)


def _pairs(given: Path | None) -> Pairs | None:
    """`utt2spk` or `spk2gender` as a dict; None where it was not given."""
    return None if given is None else read_two_columns(given, one_word=True)


def _joined(scores: Rows, listed: Future[Rows] | None, allow_missing: bool) -> tuple[Rows, MissingTrials, list[str]]:
    """The rows of the trial list with their scores, in the order of the trial list."""
    if listed is None:
        _check_alone(scores)
        check_unique(scores, "score")
        return scores, MissingTrials(), []
    trials = listed.result()
    _check_pair(scores, trials)
    counting, contradiction = last_of_each(trials)
    if counting is not None:
        trials = replace(_kept(trials, counting, {}), first_line=None)
    found = match(trials, scores, allow_missing)
    merged = _merged(trials, scores, found)
    notes = [contradiction] if contradiction else []
    if found.missing.any:
        gone = found.missing
        notes.append(
            f"left out on request: {gone.targets} target and {gone.nontargets} nontarget trials without a score, "
            f"and {gone.scores} scores without a trial"
        )
    return merged, found.missing, notes


def _check_alone(scores: Rows) -> None:
    if scores.scores is None and any(scores.titles):
        raise FileError(scores.path, no_score(list(scores.titles)))
    if scores.scores is None and scores.labels is not None:
        raise FileError(scores.path, "a trial list without scores; give the scores, and this list as `trials`")
    if scores.scores is None:
        raise FileError(scores.path, "no score in it: no column or array holds numbers; give the score file")
    if scores.labels is None:
        seen = f" (its columns: {listed(scores.titles)})" if any(scores.titles) else ""
        way_out = "give the trial list as `trials`, or add a column called label, of target and nontarget"
        raise FileError(scores.path, f"scores without labels{seen}; {way_out}")


def _check_pair(scores: Rows, trials: Rows) -> None:
    if scores.scores is None and any(scores.titles):
        raise FileError(scores.path, no_score(list(scores.titles)))
    if scores.scores is None:
        raise FileError(scores.path, "no score in it, yet it was given as scores; were scores and trials swapped?")
    if trials.labels is None:
        raise FileError(
            trials.path, "no labels in it, yet it was given as trials; expected `enrollment utterance target`"
        )
    if scores.labels is not None:
        raise FileError(scores.path, "it has labels of its own; leave `trials` out, or take the label column out")
    for rows in (scores, trials):
        if rows.enrollment is None or rows.trial is None:
            raise FileError(
                rows.path, "no enrollment and trial ids to match scores with trials by; add both columns to it"
            )


def _merged(trials: Rows, scores: Rows, found: JoinedRows) -> Rows:
    assert scores.scores is not None
    assert trials.labels is not None
    columns = trials.columns | {name: ids for name, ids in scores.columns.items() if name not in trials.columns}
    both = replace(trials, scores=scores.scores, columns=columns)
    if found.rows is None:
        return both
    keep = found.rows >= 0
    if not keep.any():
        raise FileError(
            scores.path, f"not one score belongs to a trial in {trials.path}; give the lists that belong together"
        )
    rows = found.rows if keep.all() else found.rows[keep]
    both = replace(both, scores=scores.scores[rows])
    own = {name: Ids(ids.names, ids.codes[rows]) for name, ids in scores.columns.items() if name not in trials.columns}
    return replace(both, columns=trials.columns | own) if keep.all() else _kept(both, keep, own)


def _kept(both: Rows, keep: NDArray[np.bool_], own: dict[str, Ids]) -> Rows:
    assert both.labels is not None

    def only(ids: Ids | None) -> Ids | None:
        # Numbered anew, so that what is left is the same as if it had been read alone.
        return None if ids is None else compact(Ids(ids.names, ids.codes[keep]))

    columns = {name: Ids(ids.names, ids.codes[keep]) for name, ids in both.columns.items() if name not in own}
    return replace(
        both,
        labels=both.labels[keep],
        enrollment=only(both.enrollment),
        trial=only(both.trial),
        enrollment_speaker=only(both.enrollment_speaker),
        trial_speaker=only(both.trial_speaker),
        columns=columns | own,
    )


def _split(
    rows: Rows, missing: MissingTrials, notes: list[str], utt2spk: Pairs | None, spk2gender: Pairs | None
) -> TrialScores:
    assert rows.scores is not None
    assert rows.labels is not None
    labels = rows.labels
    _check_classes(rows.path, labels)
    check_used(rows, utt2spk, spk2gender)
    check_people(rows, labels)
    speakers = speakers_of(rows, labels, utt2spk)
    columns = {name: _factor(ids.names, ids.codes, labels) for name, ids in rows.columns.items()}
    if spk2gender is not None and (speakers.trial is not None or speakers.enrollment is not None):
        check_sexes(speakers.names, spk2gender)
        sex = sex_of(speakers, spk2gender)
        columns["sex"] = _factor(sex.names, sex.codes, labels)
    return TrialScores(
        rows.scores[labels],
        rows.scores[~labels],
        _speaker_factor(speakers, speakers.enrollment, labels),
        _speaker_factor(speakers, speakers.trial, labels),
        columns,
        missing=missing,
        notes=(*notes, *speakers.notes),
        trial_digest=trial_digest(rows.enrollment, rows.trial, labels, _other_labels(rows)),
    )


def _other_labels(rows: Rows) -> list[Ids]:
    """What else tells trials apart where they have no ids."""
    sides = (rows.enrollment, rows.trial, rows.enrollment_speaker, rows.trial_speaker)
    return [ids for ids in sides if ids is not None] + [rows.columns[name] for name in sorted(rows.columns)]


def _check_classes(path: str, labels: NDArray[np.bool_]) -> None:
    targets = int(np.count_nonzero(labels))
    if not targets or targets == labels.size:
        name, other = ("target", "nontarget") if targets else ("nontarget", "target")
        raise OneClassOnly(
            f"{path}: all {labels.size} trials are {name}, none is {other}; check the labels, or add trials"
        )


def _factor(names: tuple[str, ...], codes: Codes, labels: NDArray[np.bool_]) -> Factor:
    if "" in names:  # an empty cell says that the label is not known
        known = tuple(name for name in names if name)
        number = {name: code for code, name in enumerate(known)}
        names, codes = known, np.array([number.get(name, -1) for name in names], dtype=np.int32)[codes]
    return Factor(names, codes[labels], codes[~labels])


def _speaker_factor(speakers: Speakers, codes: Codes | None, labels: NDArray[np.bool_]) -> Factor | None:
    return None if codes is None else _factor(speakers.names, codes, labels)
