"""How many workers: one meaning, and wrong numbers refused before anything starts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stripeless.anonymizers.mcadams import McAdams
from stripeless.anonymizers.run import anonymize_corpus
from stripeless.audio.synthetic_voice import synthetic_corpus
from stripeless.errors import InputError
from stripeless.parallel.executors import open_workers
from stripeless.parallel.items import each
from stripeless.parallel.workers import usable_cores, worker_count


def test_none_and_zero_are_one_per_usable_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 3, 5}, raising=False)
    assert usable_cores() == 3
    assert [worker_count(n) for n in (None, 0, 1, 7, np.int64(2))] == [3, 3, 1, 7, 2]


@pytest.mark.parametrize("wrong", [-1, True, 2.5, "3", ""])
def test_what_is_no_number_of_workers_is_refused(wrong: object) -> None:
    with pytest.raises(InputError, match="workers: expected a whole number from 1, or 0 for one per core, got"):
        worker_count(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [-1, 2.5, [2]])
def test_nothing_is_begun_with_wrong_workers(wrong: object, tmp_path: Path) -> None:
    worked_on: list[int] = []
    with pytest.raises(InputError, match="workers: expected"):
        each(worked_on.append, [1, 2], workers=wrong)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="workers: expected"), open_workers(wrong):  # type: ignore[arg-type]
        worked_on.append(3)
    corpus = synthetic_corpus(tmp_path / "in", speakers=4, utterances=2, digits=1)
    with pytest.raises(InputError, match="workers: expected"):
        anonymize_corpus(corpus, tmp_path / "out", McAdams(), workers=wrong)  # type: ignore[arg-type]
    assert worked_on == []
    assert not (tmp_path / "out").exists()
