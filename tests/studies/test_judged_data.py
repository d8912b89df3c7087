"""What of two corpora can be judged: what is missing is refused, or counted, named and held against chance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from encoded_voices import CORPUS

from stripeless.audio.corpus import Corpus, Utterance, with_trials
from stripeless.audio.recordings import RATE, Recording, write_recording
from stripeless.errors import FileError, InputError
from stripeless.parallel.items import OnError, nothing
from stripeless.studies.judged_data import JudgedData, Reading, check_training, judged_data, matched
from stripeless.studies.missing import NO_COPY, SILENT, Lost, chance_of, examine_lost


def copies(*left_out: str) -> Corpus:
    """The corpus under another folder, without some utterances; speakers are not known there."""
    kept = tuple(
        replace(u, speaker="?", sex="", text=None, path=Path("y") / u.name)
        for u in CORPUS.utterances
        if u.name not in left_out
    )
    return Corpus(Path("y"), kept)


def test_utterances_are_paired_by_name_and_speakers_are_those_of_the_originals() -> None:
    before, after, notes = matched(CORPUS, copies())
    assert (before.utterances, before.enrollment) == (CORPUS.utterances, CORPUS.enrollment)
    assert before.trials == CORPUS.trials
    assert after.folder == Path("y")
    assert [u.speaker for u in after.utterances] == [u.speaker for u in CORPUS.utterances]
    assert after.utterances[3].path == Path("y") / CORPUS.utterances[3].name
    assert notes == CORPUS.notes
    with pytest.raises(InputError, match="y: holds no utterance of x, such as 's00-0'; names must agree"):
        matched(CORPUS, Corpus(Path("y"), (Utterance("other", Path("o"), "o"),)))


def test_what_has_no_copy_is_left_out_on_both_sides() -> None:
    names = [u.name for u in CORPUS.utterances]
    five = [*names[:4], names[6]]  # everything of the first speaker, one trial of the second
    before, after, _ = matched(CORPUS, copies(*five))
    assert {u.name for u in before.utterances} == {u.name for u in after.utterances} == set(names) - set(five)
    assert not set(five) & set(before.enrollment)
    assert all(trial.enrolled != "s00" and trial.utterance not in five for trial in before.trials)
    assert len(before.trials) == sum(t.enrolled != "s00" and t.utterance not in five for t in CORPUS.trials)


def test_who_is_judged_does_not_teach() -> None:
    check_training(CORPUS, None)
    others = Corpus(Path("z"), tuple(replace(u, speaker=f"other {u.speaker}") for u in CORPUS.utterances))
    check_training(CORPUS, others)
    shared = replace(others, utterances=(*others.utterances[:8], *CORPUS.utterances[20:28]))
    with pytest.raises(InputError, match=r"z: 2 training speakers also speak in the trials, such as 's05'"):
        check_training(CORPUS, shared)


# What is missing


def people_lost(*people: str, reason: str = NO_COPY) -> list[Any]:
    """What is said where every utterance of these people is lost."""
    why = {u.name: reason for u in CORPUS.utterances if u.speaker in people}
    kept, _, _ = matched(CORPUS, copies(*why))
    return examine_lost(CORPUS, Lost(why), kept)


def test_people_who_are_missing_are_counted_named_and_serious() -> None:
    (found,) = people_lost("s03", "s07", "s08", "s11", "s12")
    assert (found.code, found.severity) == ("missing_unbalanced", "serious")
    assert "20 without an anonymized copy (s03-0, s03-1, s03-2, s03-3, s07-0 and 15 more), of 64" in found.message
    assert "11 of 16 people are still judged; lost most: s03 (4), s07 (4), s08 (4), s11 (4), s12 (4)." in found.message
    assert "chance explains are some people's (p = " in found.message


def test_what_is_lost_here_and_there_is_a_caution() -> None:
    why = {u.name: SILENT for u in CORPUS.utterances[3::9]}
    (found,) = examine_lost(CORPUS, Lost(why), matched(CORPUS, copies(*why))[0])
    assert (found.code, found.severity) == ("missing", "caution")
    assert found.message.startswith("7 silent or shorter than 0.1 s (")
    assert examine_lost(CORPUS, Lost({}), CORPUS) == []


def test_one_role_or_one_sex_that_is_missing_is_no_chance() -> None:
    sexed = replace(CORPUS, utterances=tuple(replace(u, sex="fm"[int(u.speaker[1:]) % 2]) for u in CORPUS.utterances))
    women = {u.name: SILENT for u in sexed.utterances if u.sex == "f" and u.name.endswith(("0", "2", "3"))}
    (found,) = examine_lost(sexed, Lost(women), sexed)
    assert found.code == "missing_unbalanced"
    assert "those of one sex" in found.message
    enrolls = dict.fromkeys(CORPUS.enrollment[::2], SILENT)
    (found,) = examine_lost(CORPUS, Lost(enrolls), CORPUS)
    assert "those of enrollment or of trials" in found.message


def test_the_chance_is_right_where_nothing_is_unbalanced() -> None:
    rng, labels = np.random.default_rng(1), [f"s{k % 20}" for k in range(160)]
    p = np.array([chance_of(labels, rng.permutation(160) < 24) for _ in range(200)])
    assert 0.02 <= (p <= 0.1).mean() <= 0.17
    assert chance_of(["a"] * 5, np.arange(5) < 2) == 1.0
    assert chance_of(labels, np.zeros(160, bool)) == 1.0


# With recordings


def spoken(folder: Path, prefix: str, silent: tuple[str, ...] = (), broken: tuple[str, ...] = ()) -> Corpus:
    """Four people with three noises each."""
    utterances = []
    folder.mkdir(exist_ok=True)
    for k in range(12):
        name = f"{prefix}{k // 3}-{k % 3}"
        path, rng = folder / f"{name}.wav", np.random.default_rng([k, *folder.name.encode()])
        noise = 0.1 * rng.normal(size=RATE // 2)
        write_recording(path, Recording(0 * noise if name in silent else noise, RATE))
        if name in broken:
            path.write_bytes(b"RIFF")
        utterances.append(Utterance(name, path, name.split("-")[0], "f"))
    return Corpus(folder, tuple(utterances))


def judged(
    before: Corpus,
    after: Corpus,
    training: Corpus | None = None,
    *,
    skip: bool = False,
    allow: bool = False,
    cache: Path | None = None,
) -> JudgedData:
    on_error: OnError = "skip" if skip else "stop"
    reading = Reading(cache, 1, on_error, allow, lambda message: None, nothing)
    return judged_data(with_trials(before), after, training, None, reading)


def test_silence_and_broken_files_stop_the_run_or_are_left_out(tmp_path: Path) -> None:
    original = spoken(tmp_path / "in", "s")
    hidden = spoken(tmp_path / "hidden", "s", silent=("s2-2", "s3-0"), broken=("s1-0",))
    others = spoken(tmp_path / "others", "t", silent=("t3-1",))
    with pytest.raises(FileError, match=r"s1-0\.wav"):
        judged(original, hidden)
    quiet = spoken(tmp_path / "quiet", "s", silent=("s2-2", "s3-0"))
    with pytest.raises(
        InputError, match=r"2 of 12 utterances cannot be judged: 2 silent .*\(s2-2, s3-0\)\. .* --allow-missing"
    ):
        judged(original, quiet)
    with pytest.raises(InputError, match=r"1 training recordings are silent or shorter than 0\.1 s, such as 't3-1'"):
        judged(original, spoken(tmp_path / "sound", "s"), others)
    for how in ({"skip": True}, {"allow": True}):
        data = judged(original, hidden, others, **how)
        assert {u.name for u in data.original.utterances} == {u.name for u in original.utterances} - {
            "s1-0",
            "s2-2",
            "s3-0",
        }
        assert [u.name for u in data.anonymized.utterances] == [u.name for u in data.original.utterances]
        assert data.training is not None
        assert len(data.training.utterances) == 11
        assert [f.code for f in data.findings] == ["missing"]
        told = " ".join(data.notes)
        assert "2 silent or shorter than 0.1 s (s2-2, s3-0), 1 that cannot be read (s1-0)" in told
        assert "s1-0.wav" in told
        assert "t3-1" in told


def test_sound_data_bring_no_finding_and_a_cache_saves_the_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, hidden = spoken(tmp_path / "in", "s"), spoken(tmp_path / "hidden", "s")
    cache = tmp_path / "cache"
    first = judged(original, hidden, cache=cache)
    assert first.findings == ()
    monkeypatch.setattr("stripeless.audio.fingerprints.fingerprint", None)
    monkeypatch.setattr("stripeless.audio.fingerprints.near_copies", None)
    assert judged(original, hidden, cache=cache).original == first.original
    for kept in cache.rglob("*.npz"):
        kept.write_bytes(b"damaged")
    with pytest.raises(TypeError):
        judged(original, hidden, cache=cache)
