"""Anonymizing a whole corpus: in parallel, going on where an interrupted run stopped, never leaving half a file.

The output is a Kaldi data directory. `anonymizer.json` in it says how it was made; `done.tsv` grows by one line per
finished recording with the digest of what it was made from, so that a second run redoes only what is missing or whose
source has changed.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from stripeless._files import write_whole
from stripeless._log import clock
from stripeless.anonymizers.anonymizer import Anonymizer, Part, SourceVoice
from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.corpus_files import write_kaldi_corpus
from stripeless.audio.recordings import RATE, Recording, encode
from stripeless.errors import FileError, InputError
from stripeless.parallel.executors import Who, checked_workers
from stripeless.parallel.items import OnError, Outcome, Progress, each, nothing
from stripeless.parallel.kept import claim

LOG = logging.getLogger(__name__)

FORMAT = 2  # raised when the same settings give other samples


@dataclass(frozen=True)
class AnonymizedCorpus:
    """The new corpus, how many recordings were made now, how many were there, and what had to be left out."""

    corpus: Corpus
    made: int
    kept: int
    skipped: tuple[str, ...]
    seconds: float


def anonymize_corpus(
    corpus: Corpus,
    out: str | PathLike[str],
    anonymizer: Anonymizer,
    *,
    rate: int = RATE,
    suffix: str = ".wav",
    workers: Who = 1,
    on_error: OnError = "stop",
    progress: Progress = nothing,
) -> AnonymizedCorpus:
    """Every recording of `corpus` through `anonymizer` into the folder `out`, a Kaldi data directory."""
    workers, out, seconds = checked_workers(workers), Path(out), clock()
    if out.resolve() == corpus.folder.resolve():
        raise FileError(out, "is where the originals lie; choose another folder for the anonymized recordings")
    spaced = next((n for u in corpus.utterances for n in (u.name, u.speaker) if len(n.split()) != 1), None)
    if spaced is not None:
        raise FileError(corpus.folder, f"has a name with a space, {spaced!r}, which Kaldi lists cannot hold; rename it")
    if anonymizer.listens:
        anonymizer = fitted(anonymizer, corpus, rate, on_error)
    done = resume(out, {**anonymizer.settings(), "rate": rate, "suffix": suffix, "format": FORMAT})
    enrolls = set(corpus.enrollment)
    jobs = [
        Anonymization(
            u,
            out / "wav" / f"{safe(u.name)}{suffix}",
            "enrollment" if u.name in enrolls else "trial",
            done.get(u.name, ""),
        )
        for u in corpus.utterances
    ]
    with (out / "done.tsv").open("a", encoding="utf-8") as journal:

        def finish(outcome: Outcome[Anonymization, Done]) -> None:
            if outcome.result is not None and outcome.result.made:
                journal.write(f"{outcome.item.utterance.name}\t{outcome.result.digest}\n")
                journal.flush()

        work = partial(anonymize_one, anonymizer=anonymizer, rate=rate)
        outcomes = each(work, jobs, workers=workers, on_error=on_error, progress=progress, finish=finish)
    results = {o.item.utterance.name: o.result for o in outcomes if o.result is not None}
    new = kept_corpus(corpus, out, {o.item.utterance.name: o.item.path for o in outcomes if o.result is not None})
    write_kaldi_corpus(out, new)
    made = [result for result in results.values() if result.made]
    LOG.info("%s made %d recordings in %s in %.1f s, %d were there", anonymizer.name, len(made), out, seconds(),
             len(results) - len(made))  # fmt: skip
    errors = tuple(outcome.error for outcome in outcomes if outcome.error)
    return AnonymizedCorpus(new, len(made), len(results) - len(made), errors, sum(r.seconds for r in made))


@dataclass(frozen=True)
class Anonymization:
    """One recording to anonymize; `done` is the digest of the source that the file at `path` was made from."""

    utterance: Utterance
    path: Path
    role: str
    done: str

    @property
    def name(self) -> str:
        """The utterance's, for people."""
        return self.utterance.name


@dataclass(frozen=True)
class Done:
    """What became of it: the source's digest, how long it is, and whether it was made now."""

    digest: str
    seconds: float
    made: bool


def anonymize_one(job: Anonymization, anonymizer: Anonymizer, rate: int) -> Done:
    """One recording, unless it is there already, made from the same source."""
    recording = job.utterance.read(rate)
    digest = hashlib.sha256(recording.samples.tobytes()).hexdigest()
    if digest == job.done and job.path.is_file():
        return Done(digest, recording.seconds, False)
    utterance = job.utterance
    source = SourceVoice(utterance.speaker, utterance.name, utterance.sex, job.role)
    try:
        samples = anonymizer.apply(recording.samples, rate, source)
    except InputError as error:
        raise FileError(utterance.path, f"cannot be anonymized: {error}") from error
    write_whole(job.path, encode(Recording(samples, rate), job.path.suffix))
    return Done(digest, recording.seconds, True)


def resume(out: Path, settings: dict[str, Any]) -> dict[str, str]:
    """Utterance -> digest of its source, as far as an earlier run with the same settings came."""
    wanted = json.dumps(manifest_of(settings), indent=2, sort_keys=True) + "\n"
    manifest, journal, wav = out / "anonymizer.json", out / "done.tsv", out / "wav"
    if not manifest.is_file() and wav.is_dir() and any(wav.iterdir()):
        raise FileError(
            out, "holds recordings but no anonymizer.json; choose a new folder so that nothing is overwritten"
        )
    claim(manifest, wanted, "is of recordings anonymized with other settings")
    wav.mkdir(exist_ok=True)
    if not journal.is_file():
        return {}
    lines = (line.split("\t") for line in journal.read_text(encoding="utf-8").splitlines())
    return {parts[0]: parts[1] for parts in lines if len(parts) == 2}  # a line cut short by a crash counts as not done


SECRET = ("seed", "profiles", "heard", "common", "roster")  # the key of the draws, and what was measured of whom


def manifest_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What may lie beside published recordings: settings without secrets, and a fingerprint by which a later run knows them.

    The fingerprint is slow to compute on purpose (scrypt), but a seed of a few digits can be guessed all the same.
    """

    def public(values: Mapping[str, Any]) -> dict[str, Any]:
        return {k: public(v) if isinstance(v, Mapping) else v for k, v in values.items() if k not in SECRET}

    whole = json.dumps(settings, sort_keys=True).encode()
    mark = hashlib.scrypt(whole, salt=b"stripeless manifest", n=2**14, r=8, p=1, dklen=16).hex()
    return {**public(settings), "fingerprint": mark}


def fitted(anonymizer: Anonymizer, corpus: Corpus, rate: int, on_error: OnError) -> Anonymizer:
    """The anonymizer after it has heard every speaker, enrollment data and trials each by themselves."""
    voices: dict[Part, list[Recording]] = {}
    enrolls = set(corpus.enrollment)
    for utterance in sorted(corpus.utterances, key=lambda u: u.name):  # sums do not depend on the list's order
        role = "enrollment" if utterance.name in enrolls else "trial"
        try:
            voices.setdefault((utterance.speaker, role), []).append(utterance.read(rate))
        except InputError:
            if on_error == "stop":
                raise
    return anonymizer.fitted(voices, {u.speaker: u.sex for u in corpus.utterances})


def safe(name: str) -> str:
    """A file name for an utterance: no separators, no hidden files. One that had to change ends in a digest of the name."""
    plain = name.replace("/", "_").replace("\\", "_").lstrip(".")
    return plain if plain == name else f"{plain or '_'}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def kept_corpus(corpus: Corpus, out: Path, paths: Mapping[str, Path]) -> Corpus:
    """The corpus after anonymization: recordings at their new place, those that failed left out of every list."""
    kept = tuple(
        replace(u, path=paths[u.name], command="", start=0.0, end=None) for u in corpus.utterances if u.name in paths
    )
    speakers = {utterance.speaker for utterance in kept}
    trials = tuple(t for t in corpus.trials if t.utterance in paths and t.enrolled in speakers)
    return Corpus(out, kept, tuple(name for name in corpus.enrollment if name in paths), trials, corpus.notes)
