"""Corpora in their three forms, the trials made where none came, and work over many files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stripeless.audio.cached import Cached
from stripeless.audio.corpus import Corpus, Utterance, with_trials
from stripeless.audio.corpus_files import TEMPLATE, read_corpus, write_kaldi_corpus
from stripeless.audio.recordings import Recording, write_recording
from stripeless.audio.synthetic_voice import synthetic_corpus
from stripeless.errors import FileError, InputError
from stripeless.parallel.items import each


def sound(path: Path, seconds: float = 0.2) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_recording(path, Recording(np.linspace(-0.5, 0.5, int(16000 * seconds)), 16000))


@pytest.fixture
def kaldi(tmp_path: Path) -> Path:
    for name in ("a1", "a2", "b1", "b2"):
        sound(tmp_path / "wav" / f"{name}.wav")
    (tmp_path / "wav.scp").write_text("".join(f"{n} wav/{n}.wav\n" for n in ("a1", "a2", "b1", "b2")))
    (tmp_path / "utt2spk").write_text("a1\tanna\na2 anna\nb1 bea\nb2 bea\n")
    (tmp_path / "spk2gender").write_text("anna f\nbea f\n")
    (tmp_path / "text").write_text("a1 hello there\n")
    return tmp_path


def test_kaldi_directory(kaldi: Path) -> None:
    corpus = read_corpus(kaldi)
    assert corpus.speakers == ("anna", "bea")
    assert [u.sex for u in corpus.utterances] == ["f"] * 4
    assert corpus.utterances[0].text == "hello there"
    assert corpus.utterances[1].text is None
    assert corpus.utterances[0].read().seconds == pytest.approx(0.2)


def test_trials_are_made_where_none_came_and_a_note_says_so(kaldi: Path) -> None:
    corpus = with_trials(read_corpus(kaldi))
    assert corpus.enrollment == ("a1", "b1")
    assert {(t.enrolled, t.utterance, t.target) for t in corpus.trials} == {
        ("anna", "a2", True), ("bea", "a2", False), ("anna", "b2", False), ("bea", "b2", True),
    }  # fmt: skip
    assert "no list of trials" in corpus.notes[0]


def test_enrollment_is_never_a_trial(kaldi: Path) -> None:
    corpus = with_trials(read_corpus(kaldi))
    assert not {t.utterance for t in corpus.trials} & set(corpus.enrollment)


def test_one_speaker_makes_no_trials(kaldi: Path) -> None:
    with pytest.raises(InputError, match="two speakers of the same sex"):
        with_trials(read_corpus(kaldi).subset(["anna"]))


def test_commands_are_refused_unless_allowed(kaldi: Path) -> None:
    (kaldi / "wav.scp").write_text(f"a1 cat {kaldi}/wav/a1.wav |\n")
    with pytest.raises(FileError, match="--allow-pipes"):
        read_corpus(kaldi)
    assert read_corpus(kaldi, allow_pipes=True).utterances[0].read().seconds == pytest.approx(0.2)


def test_segments_cut_recordings(kaldi: Path) -> None:
    (kaldi / "segments").write_text("u1 a1 0.05 0.15\nu2 a1 0.15 -1\n")
    (kaldi / "utt2spk").write_text("u1 anna\nu2 anna\n")
    (kaldi / "enrolls").write_text("u1\nu9\n")
    assert read_corpus(kaldi).enrollment == ("u1",)  # recordings that no segment is taken from
    first, second = read_corpus(kaldi).utterances
    assert first.read().seconds == pytest.approx(0.1)
    assert second.read().seconds == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("utt2spk", "a1 anna\n", "has no speaker"),
        ("spk2gender", "anna x\n", "expected f or m"),
        ("wav.scp", "a1 x.wav\na1 y.wav\n", "line 2: 'a1' has two values, 'x.wav' before and 'y.wav'"),
        ("trials", "anna a2 yes\n", "target|nontarget"),
        ("trials", "anna zz target\n", "no such speaker or utterance"),
        ("enrolls", "zz\n", "has no recording"),
    ],
)
def test_faults_of_lists_are_named(kaldi: Path, file: str, content: str, said: str) -> None:
    (kaldi / file).write_text(content)
    with pytest.raises(FileError, match=said.replace("|", r"\|")):
        read_corpus(kaldi)


def test_csv_and_its_template(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(TEMPLATE)
    corpus = read_corpus(tmp_path / "list.csv")
    assert corpus.speakers == ("anna", "boris")
    assert corpus.enrollment == ("anna-one", "boris-one")
    (tmp_path / "bad.csv").write_text("file,who\na,b\n")
    with pytest.raises(
        FileError, match="has no column path and no column speaker; it has file, who; a corpus is one of"
    ):
        read_corpus(tmp_path / "bad.csv")
    (tmp_path / "half.csv").write_text("path,who\na,b\n")
    with pytest.raises(FileError, match="has no column speaker; it has path, who; a corpus"):
        read_corpus(tmp_path / "half.csv")
    (tmp_path / "bare.csv").write_text("path,speaker\n")
    with pytest.raises(FileError, match="has a header and no recordings"):
        read_corpus(tmp_path / "bare.csv")


def test_folders_of_speakers(tmp_path: Path) -> None:
    sound(tmp_path / "anna" / "one.wav")
    sound(tmp_path / "anna" / "day2" / "one.wav")
    assert [u.name for u in read_corpus(tmp_path).utterances] == ["anna-day2-one", "anna-one"]


def test_nothing_there_is_explained(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no recordings; a corpus is one of"):
        read_corpus(tmp_path)
    sound(tmp_path / "one.wav")
    with pytest.raises(FileError, match="holds 1 recordings, but no folder of a speaker with recordings; a corpus"):
        read_corpus(tmp_path)
    with pytest.raises(FileError, match="does not exist"):
        read_corpus(tmp_path / "nowhere")


def test_write_then_read_is_the_same(kaldi: Path) -> None:
    corpus = with_trials(read_corpus(kaldi))
    write_kaldi_corpus(kaldi, corpus)
    again = read_corpus(kaldi)
    assert (again.utterances, again.enrollment, again.trials) == (corpus.utterances, corpus.enrollment, corpus.trials)


def length_of(path: Path) -> int:
    if path.name == "bad":
        raise InputError("bad is bad")
    return len(path.name)


@pytest.mark.parametrize("workers", [1, 2])
def test_each_keeps_order_skips_and_stops(workers: int) -> None:
    items = [Path("a" * k) for k in range(1, 12)] + [Path("bad")]
    seen: list[int] = []
    outcomes = each(length_of, items, workers=workers, on_error="skip", progress=lambda done, _: seen.append(done))
    assert [o.result for o in outcomes] == [*range(1, 12), None]
    assert outcomes[-1].error == "bad is bad"
    assert seen == list(range(1, 13))
    with pytest.raises(InputError, match="bad is bad"):
        each(length_of, items, workers=workers)


def test_synthetic_voices_are_reproducible_and_differ_by_speaker(tmp_path: Path) -> None:
    one = synthetic_corpus(tmp_path / "a", speakers=4, utterances=2, digits=2, seed=1)
    two = synthetic_corpus(tmp_path / "b", speakers=4, utterances=2, digits=2, seed=1)
    for left, right in zip(one.utterances, two.utterances, strict=True):
        assert left.path.read_bytes() == right.path.read_bytes()
    assert len({u.path.read_bytes() for u in one.utterances}) == 8
    assert isinstance(read_corpus(tmp_path / "a"), Corpus)
    assert len(read_corpus(tmp_path / "a").trials) == 8


def test_what_was_computed_is_kept_by_content(tmp_path: Path) -> None:
    corpus = synthetic_corpus(tmp_path / "a", speakers=4, utterances=2, digits=1)
    calls: list[str] = []

    def count(utterance: Utterance) -> str:
        calls.append(utterance.name)
        return utterance.name

    remembered = Cached(count, tmp_path / "cache")
    first, second = corpus.utterances[:2]
    assert [remembered(first), remembered(first)] == [first.name, first.name]
    assert calls == [first.name]
    first.path.write_bytes(second.path.read_bytes())
    assert remembered(first) == first.name
    assert remembered(second) == first.name  # the same sound under another name
    assert calls == [first.name, first.name]
