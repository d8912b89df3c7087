"""Reading and writing corpora: Kaldi data directories, CSV lists, plain folders `speaker/utterance.wav`."""

from __future__ import annotations

import logging
import os
import re
from collections import Counter
from dataclasses import replace
from os import PathLike
from pathlib import Path

from stripeless._files import refuse_stream, write_whole
from stripeless.audio.corpus import Corpus, Trial, Utterance
from stripeless.audio.recordings import SOUND_FILES
from stripeless.errors import FileError, listed, shown
from stripeless.tables.delimited import read_csv
from stripeless.tables.two_columns import read_rows, read_two_columns, write_two_columns

LOG = logging.getLogger(__name__)
SEX = {"f": "f", "female": "f", "w": "f", "m": "m", "male": "m", "": ""}

SECONDS = re.compile(r"-?[0-9]{1,9}(\.[0-9]*)?(e-[0-9]{1,2})?", re.ASCII)

TEMPLATE = """path,speaker,utterance,sex,text,role
anna/one.wav,anna,anna-one,f,what is said in it (optional),enrollment
anna/two.wav,anna,anna-two,f,,trial
boris/one.wav,boris,boris-one,m,,enrollment
boris/two.wav,boris,boris-two,m,,trial
"""

HELP = (
    "a corpus is one of: a Kaldi data directory (wav.scp, utt2spk, spk2gender; also text, enrolls, trials); a CSV file with "
    "the columns path and speaker (also utterance, sex, text, role); or a folder with one folder of recordings per speaker"
)


def read_corpus(path: str | PathLike[str], *, allow_pipes: bool = False) -> Corpus:
    """The corpus at `path`, whichever of the three forms it has.

    Parameters:
        path: a Kaldi data directory, a CSV file with the columns path and speaker, or a folder with one folder of
            recordings per speaker.
        allow_pipes: run the commands in a `wav.scp`; otherwise they are an error, because a list of files should not
            run programs.
    Returns:
        A `Corpus`: its utterances with speaker and, where known, sex and text; what enrolls; and the trials.
    """
    path = Path(path)
    if not path.exists():
        raise FileError(path, f"does not exist; {HELP}")
    refuse_stream(path)
    if path.is_file():
        corpus = read_csv_corpus(path)
    elif (path / "wav.scp").is_file():
        corpus = read_kaldi_corpus(path, allow_pipes=allow_pipes)
    else:
        corpus = read_folder_corpus(path)
    LOG.info("read the lists of %s: %d recordings of %d speakers", path, len(corpus.utterances), len(corpus.speakers))
    return corpus


def checked_sex(value: str, path: Path) -> str:
    """f, m or empty (unknown)."""
    try:
        return SEX[value.strip().lower()]
    except KeyError:
        raise FileError(path, f"sex: expected f or m, got {value!r}") from None


def read_kaldi_corpus(folder: Path, *, allow_pipes: bool = False) -> Corpus:
    """wav.scp, utt2spk, and where present segments, spk2gender, text, enrolls and trials*."""

    def table(name: str, **options: bool) -> dict[str, str]:
        path = folder / name
        return read_two_columns(path, **options) if path.is_file() else {}

    wav, segments, text = table("wav.scp"), table("segments"), table("text", may_be_empty=True)
    speakers = table("utt2spk", one_word=True)
    sex = {
        speaker: checked_sex(value, folder / "spk2gender")
        for speaker, value in table("spk2gender", one_word=True).items()
    }
    utterances = []
    for name, source in (segments or {name: name for name in wav}).items():
        recording, *times = source.split()
        if recording not in wav:
            raise FileError(folder / "segments", f"the recording {recording!r} is not in wav.scp")
        if speakers and name not in speakers:
            raise FileError(folder / "utt2spk", f"utterance {name!r} of wav.scp has no speaker here")
        speaker = speakers.get(name, name)
        path, command = locate(folder, wav[recording], allow_pipes)
        start, end = cut_of(folder / "segments", name, times)
        utterances.append(Utterance(name, path, speaker, sex.get(speaker, ""), text.get(name), command, start, end))
    known = {utterance.name for utterance in utterances}
    enrolls = read_rows(folder / "enrolls", 2) if (folder / "enrolls").is_file() else ()
    enrollment = tuple(dict.fromkeys(name for _, (name, *_) in enrolls if name in known or not segments))
    trials, notes = read_trial_lists(folder)
    return Corpus(folder, tuple(utterances), enrollment, trials, notes)


def cut_of(segments: Path, name: str, times: list[str]) -> tuple[float, float | None]:
    """Where an utterance starts and ends in its recording, in seconds; -1 is the end of the recording."""
    if not times:
        return 0.0, None
    seconds = [float(text) if SECONDS.fullmatch(text) else -2.0 for text in times[:2]]
    if len(seconds) < 2 or seconds[0] < 0 or (seconds[1] != -1 and seconds[1] <= seconds[0]):
        raise FileError(segments, f"utterance {name!r}: expected its start and end in seconds, got {' '.join(times)!r}")
    return seconds[0], None if seconds[1] == -1 else seconds[1]


def locate(folder: Path, value: str, allow_pipes: bool) -> tuple[Path, str]:
    """Path and, for a pipe, command of an entry of wav.scp. Relative paths start at the folder of the list."""
    if value.endswith("|"):
        if not allow_pipes:
            raise FileError(
                folder / "wav.scp",
                f"holds the command {value[:60]!r}, which would be run in a shell; give --allow-pipes if you trust it",
            )
        return folder / "wav.scp", value[:-1].strip()
    path = Path(value)
    try:
        if path.is_absolute() or (folder / path).exists() or not path.exists():
            return folder / path, ""
    except OSError as error:
        raise FileError(folder / "wav.scp", f"names {value!r}, which is no path ({error.strerror})") from None
    return path, ""


def read_trial_lists(folder: Path) -> tuple[tuple[Trial, ...], tuple[str, ...]]:
    """All files whose name starts with `trials`, `speaker utterance target|nontarget` per line, and what to know of them.

    A pair counts once, as its last line says: as in the challenges, one of whose lists repeats pairs and contradicts itself.
    """
    trials: dict[tuple[str, str], bool] = {}
    torn: dict[tuple[str, str], None] = {}
    lines = 0
    for path in sorted(folder.glob("trials*")):
        for number, cells in read_rows(path, 3):
            if len(cells) < 3 or cells[2] not in ("target", "nontarget"):
                got = f"{len(cells)} columns" if len(cells) < 3 else repr(shown((cells[2].split() or cells[2:])[0]))
                raise FileError(path, f"expected `speaker utterance target|nontarget`, got {got}", number)
            pair, target = (cells[0], cells[1]), cells[2] == "target"
            if trials.get(pair, target) != target:
                torn[pair] = None
            trials[pair] = target
            lines += 1
    notes = []
    if torn:
        example = " ".join(map(shown, next(iter(torn))))
        notes.append(
            f"{len(torn)} pairs are listed as target and as nontarget among the trials, such as {example}; the last line "
            "of each pair counts"
        )
    if lines > len(trials):
        notes.append(
            f"{lines - len(trials)} of {lines} lines of the lists of trials repeat a pair; each pair is tried once"
        )
    return tuple(Trial(*pair, target) for pair, target in trials.items()), tuple(notes)


def read_csv_corpus(path: Path) -> Corpus:
    """A CSV list; paths are relative to the folder of the list."""
    table = read_csv(path)
    absent = [name for name in ("path", "speaker") if name not in table.names]
    if absent:
        raise FileError(
            path, f"has no column {' and no column '.join(absent)}; it has {listed(table.names)}; {HELP}", 1
        )
    if not table.rows:
        raise FileError(path, f"has a header and no recordings; {HELP}")
    utterances, enrollment = [], []
    for number, row in table.records():
        if not row["path"] or not row["speaker"]:
            raise FileError(path, "path and speaker must not be empty", number)
        name = row.get("utterance") or f"{row['speaker']}-{Path(row['path']).stem}"
        sex = checked_sex(row.get("sex") or row.get("gender", ""), path)
        utterances.append(Utterance(name, path.parent / row["path"], row["speaker"], sex, row.get("text") or None))
        role = row.get("role", "").lower()
        if role not in ("", "trial", "enrollment"):
            raise FileError(path, f"role: expected enrollment or trial, got {role!r}", number)
        if role == "enrollment":
            enrollment.append(name)
    return Corpus(path, told_once(utterances), tuple(enrollment))


def told_once(utterances: list[Utterance]) -> tuple[Utterance, ...]:
    """The sex of a speaker holds for all recordings, also for those where the cell is empty."""
    known = {utterance.speaker: utterance.sex for utterance in utterances if utterance.sex}
    return tuple(one if one.sex else replace(one, sex=known.get(one.speaker, "")) for one in utterances)


def read_folder_corpus(folder: Path) -> Corpus:
    """speaker/utterance.wav; the speaker is the first folder, files lie at any depth below it."""
    utterances = []
    for speaker in sorted(entry for entry in folder.iterdir() if entry.is_dir()):
        for path in sorted(path for path in speaker.rglob("*") if path.suffix.lower() in SOUND_FILES):
            inner = "-".join(path.relative_to(speaker).with_suffix("").parts)
            utterances.append(Utterance(f"{speaker.name}-{inner}", path, speaker.name))
    if not utterances:
        loose = sum(path.suffix.lower() in SOUND_FILES for path in folder.iterdir())
        what = (
            f"holds {loose} recordings, but no folder of a speaker with recordings" if loose else "holds no recordings"
        )
        raise FileError(folder, f"{what}; {HELP}")
    return Corpus(folder, tuple(utterances))


def read_copies(path: str | PathLike[str], original: Corpus, *, allow_pipes: bool = False) -> Corpus:
    """Anonymized copies of a corpus: in any form of a corpus, or files named after utterances or originals.

    Such files lie in one folder or at any depth below it, as in `wav/UTT.wav` of the VoicePrivacy Challenge.
    """
    path = Path(path)
    if not path.is_dir() or (path / "wav.scp").is_file():
        return read_corpus(path, allow_pipes=allow_pipes)
    known = original.by_name()
    files = [file for file in sorted(path.iterdir()) if file.suffix.lower() in SOUND_FILES]
    if not files:
        by_speaker = read_corpus(path, allow_pipes=allow_pipes)
        if any(one.name in known for one in by_speaker.utterances):
            return by_speaker
        files = [one.path for one in by_speaker.utterances]
    return Corpus(path, named_after(original, path, files))


def named_after(original: Corpus, folder: Path, files: list[Path]) -> tuple[Utterance, ...]:
    """The utterances whose copy is among `files`, known by the name of the utterance or of its recording."""
    places: dict[str, list[Path]] = {}
    for file in files:
        places.setdefault(file.stem, []).append(file)
    stems = Counter(utterance.path.stem for utterance in original.utterances)
    copies = []
    for utterance in original.utterances:
        stem = utterance.path.stem
        found = places.get(utterance.name) or (places.get(stem, []) if stems[stem] == 1 else [])
        if len(found) > 1:
            first, second = (file.relative_to(folder).as_posix() for file in found[:2])
            raise FileError(
                folder, f"{utterance.name!r} has two copies, {first!r} and {second!r}; take one of them away"
            )
        copies += [replace(utterance, path=file, command="", start=0.0, end=None) for file in found]
    if not copies:
        raise FileError(
            folder,
            f"holds {len(files)} recordings, such as {files[0].relative_to(folder).as_posix()!r}, none named after an "
            f"utterance of {original.folder}, such as {original.utterances[0].name + '.wav'!r}",
        )
    return tuple(copies)


def write_kaldi_corpus(folder: str | PathLike[str], corpus: Corpus) -> None:
    """The lists of a corpus as a Kaldi data directory; recordings below `folder` are named relative to it."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tables: dict[str, dict[str, str]] = {name: {} for name in ("wav.scp", "utt2spk", "spk2gender", "text")}
    for utterance in corpus.utterances:
        relative = os.path.relpath(utterance.path, folder)
        tables["wav.scp"][utterance.name] = str(utterance.path.resolve()) if relative.startswith("..") else relative
        tables["utt2spk"][utterance.name] = utterance.speaker
        if utterance.text is not None:
            tables["text"][utterance.name] = utterance.text
        if utterance.sex:
            tables["spk2gender"][utterance.speaker] = utterance.sex
    for name, table in tables.items():
        if table:
            write_two_columns(folder / name, table)
    trials = [f"{t.enrolled} {t.utterance} {'target' if t.target else 'nontarget'}" for t in corpus.trials]
    for name, rows in (("enrolls", corpus.enrollment), ("trials", trials)):
        if rows:
            write_whole(folder / name, "\n".join(rows) + "\n")
