"""What an error may say: printable signs, at most 600 of them, and of a file no more than one short field at a time."""

from __future__ import annotations

import pickle

import pytest

from stripeless.errors import (
    FileError,
    InputError,
    MissingExtra,
    NotANumber,
    StripelessError,
    TrialMismatch,
    WorkerLost,
    check_choice,
    check_one_each,
    escaped,
)

KINDS = [StripelessError, InputError, NotANumber, MissingExtra, WorkerLost]
OBEYED = "\x1b[2J\x00\x07\x08\r\n\x7f\x9b31m\u202e\u2028\udc80"


@pytest.mark.parametrize("kind", KINDS)
def test_control_characters_are_spelled_out(kind: type[StripelessError]) -> None:
    assert str(kind(f"a{OBEYED}b")).isprintable()
    assert str(FileError(f"{OBEYED}.txt", OBEYED, 3)).isprintable()
    assert str(kind("naïve 東京 'x' \\")) == "naïve 東京 'x' \\"


def test_a_message_is_at_most_600_characters_and_keeps_its_ends() -> None:
    for size in (599, 600, 601, 5_000_000):
        message = str(InputError("begin " + "x" * (size - 10) + " end"))
        assert len(message) == min(size, 600)
        assert message.startswith("begin x")
        assert message.endswith("x end")


@pytest.mark.parametrize("value", ["7" * 1000, b"7" * 1000, "7'" * 500, "7\n" * 500, "7" * 100_000])
def test_what_is_quoted_is_short(value: object) -> None:
    message = str(InputError(f"the file's score: expected a number, got {value!r}; it's a pity, isn't it?"))
    assert message.count("7") < 61
    assert message.startswith("the file's score: expected a number, got ")


def test_a_plain_sentence_is_left_alone() -> None:
    plain = "'a' and the speakers' names, which are the owner's, aren't quoted although there are many words between the marks"
    assert str(InputError(plain)) == plain


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(FileError("\x1b.txt", "7" * 2000, 3)))
    assert (error.path, error.line, len(str(error))) == ("\x1b.txt", 3, 600)


def test_escaped_text_stays_json() -> None:
    assert escaped('{"a": "\x9b"}\n', keep="\n") == '{"a": "\\u009b"}\n'


def test_a_choice_that_is_none_names_those_there_are() -> None:
    check_choice("metric", "cosine", {"cosine": 1, "euclidean": 2})
    with pytest.raises(InputError, match=r"^metric: expected one of cosine, euclidean, got 'cosin'$"):
        check_choice("metric", "cosin", {"cosine": 1, "euclidean": 2})
    with pytest.raises(InputError, match=r"got \['cosine'\]$"):
        check_choice("metric", ["cosine"], ("cosine", "euclidean"))


@pytest.mark.parametrize("labels", [2, 4])
def test_one_label_for_each_row(labels: int) -> None:
    check_one_each("speakers", 3, 3)
    with pytest.raises(TrialMismatch, match=f"^speakers: {labels} labels for 3 ranks; there must be one per probe$"):
        check_one_each("speakers", labels, 3, of="ranks", each="probe", kind=TrialMismatch)
