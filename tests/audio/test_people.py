"""Lists of a corpus that say two things of one person, or of one trial."""

from __future__ import annotations

from pathlib import Path

import pytest

from stripeless.audio.corpus_files import read_corpus
from stripeless.errors import FileError


def listed(path: Path, *rows: str, head: str = "path,speaker,utterance,sex") -> Path:
    path.write_text("\n".join((head, *rows)) + "\n")
    return path


@pytest.fixture
def kaldi(tmp_path: Path) -> Path:
    names = ("a1", "a2", "b1", "b2")
    (tmp_path / "wav.scp").write_text("".join(f"{name} {name}.wav\n" for name in names))
    (tmp_path / "utt2spk").write_text("a1 a\na2 a\nb1 b\nb2 b\n")
    (tmp_path / "enrolls").write_text("a1\nb1\n")
    (tmp_path / "trials").write_text("a a2 target\nb a2 nontarget\nb b2 target\na b2 nontarget\n")
    return tmp_path


def test_a_speaker_of_two_sexes_is_refused(tmp_path: Path) -> None:
    path = listed(tmp_path / "l.csv", "1.wav,anna,u1,f", "2.wav,anna,u2,m")
    with pytest.raises(FileError, match="speaker 'anna' is both 'f' and 'm'"):
        read_corpus(path)


@pytest.mark.parametrize("name", ["sex", "gender"])
def test_the_sex_of_a_speaker_is_said_once(tmp_path: Path, name: str) -> None:
    rows = ("1.wav,anna,u1,", "2.wav,anna,u2,female", "3.wav,boris,u3,")
    corpus = read_corpus(listed(tmp_path / "l.csv", *rows, head=f"path,speaker,utterance,{name}"))
    assert [one.sex for one in corpus.utterances] == ["f", "f", ""]


def test_one_recording_of_two_people_is_refused(tmp_path: Path, kaldi: Path) -> None:
    path = listed(tmp_path / "l.csv", "1.wav,anna,u1,f", "1.wav,bea,u2,f")
    with pytest.raises(FileError, match=r"'1.wav' is of 'anna' and of 'bea'"):
        read_corpus(path)
    (kaldi / "wav.scp").write_text("a1 x.wav\na2 a2.wav\nb1 x.wav\nb2 b2.wav\n")
    with pytest.raises(FileError, match=r"'x.wav' is of 'a' and of 'b'"):
        read_corpus(kaldi)
    (kaldi / "wav.scp").write_text("r r.wav\n")
    (kaldi / "segments").write_text("a1 r 0 1\na2 r 1 2\nb1 r 2 3\nb2 r 3 4\n")
    assert len(read_corpus(kaldi).utterances) == 4  # a conversation


def test_the_last_line_of_a_pair_counts_is_counted_and_named(kaldi: Path) -> None:
    """As one list of the challenges is: women and men pooled, then drawn again, some 1,400 pairs against the list itself."""
    clean = read_corpus(kaldi)
    assert clean.notes == ()
    (kaldi / "trials").write_text(
        "a a2 nontarget\nb b2 nontarget\n" + (kaldi / "trials").read_text() + "a b2 nontarget\n"
    )
    read = read_corpus(kaldi)
    assert set(read.trials) == set(clean.trials)
    assert len(read.trials) == 4
    assert "2 pairs are listed as target and as nontarget among the trials, such as a a2" in read.notes[0]
    assert "3 of 7 lines of the lists of trials repeat a pair" in read.notes[1]


def test_a_list_whose_last_word_is_wrong_is_refused(kaldi: Path) -> None:
    (kaldi / "trials").write_text((kaldi / "trials").read_text() + "a a2 nontarget\n")
    with pytest.raises(FileError, match="'a' 'a2' is labeled nontarget, but 'a' speaks"):
        read_corpus(kaldi)
