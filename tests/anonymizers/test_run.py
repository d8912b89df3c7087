"""Anonymizing a corpus: what lies in the folder that is handed over, what lies elsewhere, and going on after a stop."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from stripeless.anonymizers.journal import read_journal
from stripeless.anonymizers.mcadams import McAdams
from stripeless.anonymizers.run import anonymize_corpus, file_names
from stripeless.audio.corpus import Corpus, Utterance
from stripeless.audio.corpus_files import read_corpus, write_kaldi_corpus
from stripeless.audio.recordings import Recording, read_recording, write_recording
from stripeless.audio.synthetic_voice import synthetic_corpus
from stripeless.cli import group
from stripeless.errors import FileError, InputError
from stripeless.parallel.items import nothing
from stripeless.studies.evaluate_folder import anonymize_both, anonymizers_of

LISTS = {"wav.scp", "utt2spk", "spk2gender", "text", "enrolls", "trials"}


@pytest.fixture(scope="module")
def voices(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return synthetic_corpus(tmp_path_factory.mktemp("in"), speakers=4, utterances=2, digits=1)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def journals(state: Path) -> list[Path]:
    return sorted(state.rglob("*.tsv"))


def test_what_is_handed_over_is_recordings_lists_and_settings(voices: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out"
    anonymize_corpus(voices, out, McAdams(), state=tmp_path / "state", workers=2)
    top = {path.name for path in out.iterdir()}
    assert top <= LISTS | {"wav", "anonymizer.json"}
    assert {path.name for path in (out / "wav").iterdir()} == {f"{u.name}.wav" for u in voices.utterances}
    assert not [path for path in out.rglob("*") if path.is_symlink()]


def test_nothing_in_it_is_computed_from_an_original(voices: Corpus, tmp_path: Path) -> None:
    """Digests in any form, of samples or of files, would let whoever has candidates confirm who is in the data."""
    out = tmp_path / "out"
    anonymize_corpus(voices, out, McAdams(), state=tmp_path / "state")
    told = b"".join(content for name, content in contents(out).items() if not name.startswith("wav/")).lower()
    for utterance in voices.utterances:
        for content in (utterance.path.read_bytes(), utterance.read(16000).samples.tobytes()):
            for kind in ("sha256", "sha1", "md5", "blake2b"):
                assert hashlib.new(kind, content).hexdigest()[:12].encode() not in told
    assert str(voices.folder).encode() not in told
    described = json.loads((out / "anonymizer.json").read_text())
    assert not {"seed", "profiles", "heard", "common", "roster", "pool", "fingerprint"} & set(described)
    assert not re.search(r"[0-9a-f]{16}", (out / "anonymizer.json").read_text())


def test_times_are_equal_and_lists_in_the_order_of_names(voices: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out"
    mixed = replace(voices, utterances=tuple(reversed(voices.utterances)), trials=tuple(reversed(voices.trials)))
    anonymize_corpus(mixed, out, McAdams(), state=tmp_path / "state", workers=2)
    assert len({path.stat().st_mtime_ns for path in [out / "wav", *out.rglob("*")]}) == 1
    for name in LISTS:
        lines = (out / name).read_text().splitlines() if (out / name).is_file() else []
        assert lines == sorted(lines), name


def test_the_folder_is_the_same_after_any_number_of_runs_and_on_any_number_of_processes(
    voices: Corpus, tmp_path: Path
) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        anonymize_corpus(voices, tmp_path / name, McAdams(), state=tmp_path / "state", workers=workers)
    (tmp_path / "two" / "wav" / "voice00-00.wav").unlink()
    anonymize_corpus(voices, tmp_path / "two", McAdams(), state=tmp_path / "state")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert len({path.stat().st_mtime_ns for path in (tmp_path / "two").rglob("*")}) == 1


def test_the_journal_lies_elsewhere_and_is_for_this_user_alone(voices: Corpus, tmp_path: Path) -> None:
    anonymize_corpus(voices, tmp_path / "out", McAdams(), state=tmp_path / "state")
    anonymize_corpus(voices, tmp_path / "other", McAdams(), state=tmp_path / "state")
    first, second = journals(tmp_path / "state")
    assert {first.stem, second.stem} == {
        hashlib.sha256(os.fsencode((tmp_path / name).resolve())).hexdigest()[:32] for name in ("out", "other")
    }
    for path in (first, first.parent, tmp_path / "state"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    names = [line.split("\t")[0] for line in first.read_text().splitlines()[1:]]
    assert names == sorted(u.name for u in voices.utterances)


def test_without_a_place_it_is_this_users_state_folder(
    voices: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    anonymize_corpus(voices, tmp_path / "out", McAdams())
    assert len(journals(tmp_path / "home" / "stripeless" / "anonymize")) == 1


def test_one_folder_has_one_journal_however_it_is_spelled(
    voices: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "out")
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    made = [anonymize_corpus(voices, p, McAdams(), state="state").made for p in ("out", tmp_path / "link", "./link/.")]
    assert made == [len(voices.utterances), 0, 0]
    assert len(journals(tmp_path / "state")) == 1


def test_a_journal_in_the_folder_itself_is_refused(voices: Corpus, tmp_path: Path) -> None:
    for place in (tmp_path / "out", tmp_path / "out" / "deep"):
        with pytest.raises(FileError, match="handed over; choose a folder outside with --state"):
            anonymize_corpus(voices, tmp_path / "out", McAdams(), state=place)


def test_a_journal_that_cannot_be_kept_is_refused_before_any_recording(voices: Corpus, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="choose another folder with --state"):
        anonymize_corpus(voices, tmp_path / "out", McAdams(), state=tmp_path / "file")


def test_what_evaluate_hands_over_is_such_a_folder_too(voices: Corpus, tmp_path: Path) -> None:
    common = {"workers": 1, "on_error": "stop", "progress": nothing, "state": tmp_path / "state"}
    methods = anonymizers_of("mcadams", None, 1)
    assert methods is not None
    anonymize_both(voices, None, methods, tmp_path / "run", lambda said: None, **common)
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["anonymized"]
    anonymize_corpus(voices, tmp_path / "alone", methods.mine, state=tmp_path / "state")
    assert contents(tmp_path / "run" / "anonymized") == contents(tmp_path / "alone")


def test_an_old_journal_beside_the_recordings_is_read_once_and_removed(voices: Corpus, tmp_path: Path) -> None:
    """As version 0.1 left it: name and digest of the samples, and a fingerprint in the settings."""
    out, state = tmp_path / "out", tmp_path / "state"
    anonymize_corpus(voices, out, McAdams(), state=state)
    (path,) = journals(state)
    rows = [line.split("\t") for line in path.read_text().splitlines()[1:]]
    (out / "done.tsv").write_text("".join(f"{name}\t{source}\n" for name, source, _ in rows))
    path.unlink()
    again = anonymize_corpus(voices, out, McAdams(), state=state)
    assert (again.made, again.kept) == (0, len(voices.utterances))
    assert not (out / "done.tsv").exists()
    assert len(journals(state)) == 1
    assert again.strays == ()


def test_a_recording_that_was_changed_or_cut_short_is_made_again(voices: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out"
    anonymize_corpus(voices, out, McAdams(), state=tmp_path / "state")
    whole = contents(out)
    (out / "wav" / "voice00-00.wav").write_bytes(whole["wav/voice00-00.wav"][:100])
    assert anonymize_corpus(voices, out, McAdams(), state=tmp_path / "state").made == 1
    assert contents(out) == whole


def test_what_is_remembered_of_a_folder_that_was_removed_is_forgotten(voices: Corpus, tmp_path: Path) -> None:
    import shutil

    anonymize_corpus(voices, tmp_path / "out", McAdams(), state=tmp_path / "state")
    shutil.rmtree(tmp_path / "out")
    read_journal(tmp_path / "other", tmp_path / "state")
    assert journals(tmp_path / "state") == []


def test_what_is_on_no_list_is_named(voices: Corpus, tmp_path: Path) -> None:
    anonymize_corpus(voices, tmp_path / "out", McAdams(), state=tmp_path / "state")
    fewer = voices.subset(voices.speakers[:3])
    assert fewer.speakers != voices.speakers
    left = anonymize_corpus(fewer, tmp_path / "out", McAdams(), state=tmp_path / "state")
    gone = sorted(f"{u.name}.wav" for u in voices.utterances if u.speaker == voices.speakers[3])
    assert list(left.strays) == gone


def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(voices: Corpus, tmp_path: Path) -> None:
    listed, state = tmp_path / "listed", tmp_path / "state"
    write_kaldi_corpus(listed, voices)
    call = [sys.executable, "-m", "stripeless.cli", "anonymize", str(listed)]
    options = ["--state", str(state), "--workers", "1", "--quiet"]
    subprocess.run([*call, str(tmp_path / "whole"), *options], check=True)
    for _ in range(2):
        process = subprocess.Popen([*call, str(tmp_path / "out"), *options])
        wav, start = tmp_path / "out" / "wav", time.monotonic()
        seen = len(list(wav.iterdir())) if wav.is_dir() else 0
        while process.poll() is None and time.monotonic() - start < 60:
            if wav.is_dir() and len([p for p in wav.iterdir() if p.suffix == ".wav" and p.name[0] != "."]) > seen:
                break
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for path in (tmp_path / "out").rglob(".stripeless-*"):
            os.utime(path, (0, 0))  # as after a minute
    done = subprocess.run(
        [*call, str(tmp_path / "out"), *options, "--json"], check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout)["kept"] >= 1
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_the_command_takes_the_place(voices: Corpus, tmp_path: Path) -> None:
    write_kaldi_corpus(tmp_path / "listed", voices)
    call = [
        "anonymize",
        str(tmp_path / "listed"),
        str(tmp_path / "out"),
        "--state",
        str(tmp_path / "s"),
        "--workers",
        "1",
    ]
    CliRunner().invoke(group, call, catch_exceptions=False)
    assert len(journals(tmp_path / "s")) == 1
    assert {u.name for u in read_corpus(tmp_path / "out").utterances} == {u.name for u in voices.utterances}
    one = CliRunner().invoke(group, ["anonymize", "a.wav", "b.wav", "--state", str(tmp_path / "s")])
    assert "--state: changes nothing for one sound file" in one.output


# --- names of files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ("a/b", "a_b", "a\\b"),
        (".c", "c", "..c"),
        ("Anna", "anna", "ANNA"),
        ("stra\u00dfe", "strasse"),
        ("\u00e9", "e\u0301"),
        ("con", "CON.1", "nul"),
        ("a.", "a"),
        ("a:b", "a*b", "a?b"),
        ("../../etc/x", "/etc/x"),
    ],
)
def test_no_two_utterances_are_one_file_on_any_disk(names: tuple[str, ...]) -> None:
    found = file_names(names)
    assert list(found) == list(names)
    assert len({file.casefold() for file in found.values()}) == len(names)
    for file in found.values():
        assert re.fullmatch(r"[^/\\<>:\"|?*\x00-\x1f.][^/\\<>:\"|?*\x00-\x1f]*", file)
        assert not re.fullmatch(r"(?i)(con|nul)(\..*)?", file)
    assert file_names(reversed(names)) == found


def test_a_plain_name_stays_and_one_that_mimics_another_is_refused() -> None:
    assert file_names(["anna-1", "b_2.x"]) == {"anna-1": "anna-1", "b_2.x": "b_2.x"}
    mimic = file_names(["a/b"])["a/b"]
    with pytest.raises(InputError, match="would be written to one file"):
        file_names(["a/b", mimic])


def test_recordings_of_such_names_keep_their_own_sound(tmp_path: Path) -> None:
    utterances = []
    for pitch, name in enumerate(("Anna", "anna", "a/b", "a_b"), 1):
        write_recording(tmp_path / f"{pitch}.wav", Recording(0.3 * np.sin(np.arange(4000) * pitch / 20), 16000))
        utterances.append(Utterance(name, tmp_path / f"{pitch}.wav", f"s{pitch}"))
    made = anonymize_corpus(Corpus(tmp_path, tuple(utterances)), tmp_path / "out", McAdams(), state=tmp_path / "state")
    assert len({read_recording(u.path).samples.tobytes() for u in made.corpus.utterances}) == 4
