"""`rank_embeddings`: all that `stripeless rank` says of vectors, from Python."""

from __future__ import annotations

from pathlib import Path

from study_results import embeddings

import stripeless as s
from stripeless.studies.similarity import similarity_study

QUICK = s.RankSettings(resamples=0)


def test_probe_and_template_are_one_utterance_each_unless_told_otherwise() -> None:
    voices = embeddings(False, 2.0, 2)
    plain = s.rank_embeddings(voices, settings=QUICK, name="voice")
    assert plain == s.rank_embeddings(voices, settings=QUICK, name="voice", probe_length=1, template_length=1)
    assert plain != s.rank_embeddings(voices, settings=QUICK, name="voice", template_length=2)


def test_results_name_the_files_that_vectors_were_read_from(tmp_path: Path) -> None:
    for name, turned in (("anon.npz", True), ("orig.npz", False)):
        s.write_embeddings(tmp_path / name, embeddings(turned, 0.5, 1))
    hidden, voices = (s.read_embeddings(tmp_path / name) for name in ("anon.npz", "orig.npz"))
    assert [Path(file.path).name for file in similarity_study(hidden, voices).inputs] == ["anon.npz", "orig.npz"]
    assert [Path(file.path).name for file in s.rank_embeddings(hidden, voices, QUICK).inputs] == [
        "anon.npz",
        "orig.npz",
    ]
    assert [len(file.sha256) for file in s.rank_embeddings(voices, settings=QUICK).inputs] == [64]
    assert similarity_study(hidden, voices).seed == 0
