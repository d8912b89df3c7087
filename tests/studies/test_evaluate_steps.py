"""The steps of an evaluation of voices, on vectors instead of recordings where recordings do not matter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from encoded_voices import ANONYMIZED, CORPUS, EACH, ENROLLS, ORIGINAL, PEOPLE

from stripeless.attackers.battery import on_scale_of
from stripeless.attackers.voices import Encoded, play_encoder
from stripeless.audio.corpus import Corpus, Utterance, with_trials
from stripeless.audio.recordings import RATE, Recording, write_recording
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import speaker_means, take
from stripeless.errors import InputError
from stripeless.parallel.items import nothing
from stripeless.ranks.counts import count_ranks
from stripeless.ranks.disclosure import rank_disclosure
from stripeless.studies import evaluate as module
from stripeless.studies.evaluate import (
    TABLE,
    VoiceOptions,
    counts_of,
    encode,
    encode_retrained,
    evaluate_voices,
    ranks_of,
    rows_of_played,
    trained_network,
    trial_part,
    utility_of,
)
from stripeless.studies.judged_data import JudgedData, Reading, check_training, matched

QUIET = VoiceOptions(utility=False)


def silent(message: str) -> None:
    """Nobody listens."""


def test_the_defaults_are_thorough_and_take_the_least() -> None:
    default = VoiceOptions()
    assert (default.cache, default.workers, default.on_error, default.resamples, default.seed) == (
        None,
        1,
        "stop",
        0,
        0,
    )
    assert (default.recognizer, dict(default.transcripts), default.limit, default.network) == ("", {}, 0, None)
    assert default.utility
    assert default.quality


def copies(*left_out: str) -> Corpus:
    """The corpus under another folder, without some utterances; speakers are not known there."""
    kept = tuple(
        replace(u, speaker="?", sex="", text=None, path=Path("y") / u.name)
        for u in CORPUS.utterances
        if u.name not in left_out
    )
    return Corpus(Path("y"), kept)


def unheard(
    original: Corpus, anonymized: Corpus, training: Corpus | None, source: Corpus | None, reading: Reading
) -> JudgedData:
    """What can be judged, of recordings that are not there."""
    check_training(original, training)
    before, after, notes = matched(original, anonymized)
    return JudgedData(before, after, training, notes, ())


# Vectors


def test_an_encoder_makes_vectors_of_each_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def extract(corpus: Corpus, encoder: Any, **more: Any) -> Any:
        asked.append((corpus.folder, more["cache"], more["workers"]))
        return SimpleNamespace(embeddings=f"vectors of {corpus.folder}")

    monkeypatch.setattr(module, "extract_embeddings", extract)
    heard: list[str] = []
    options = VoiceOptions(cache="c", workers=3)
    sides = (CORPUS, copies(), Corpus(Path("z"), CORPUS.utterances[:3]))
    for name, scaled in (("statistics", True), ("noise-floor", True), ("compact", False)):
        asked.clear()
        found = encode(SimpleNamespace(name=name), *sides, options, heard.append, nothing)  # type: ignore[arg-type]
        assert found == Encoded(name, "vectors of x", "vectors of y", "vectors of z", scaled) or vars(found) == {
            "encoder": name, "original": "vectors of x", "anonymized": "vectors of y", "training": "vectors of z",
            "standardize": scaled, "retrained": False,
        }  # fmt: skip
        assert {one[0] for one in asked} == {Path("x"), Path("y"), Path("z")}
        assert {one[1:] for one in asked} == {("c", 3)}
    assert "compact: encoding 3 recordings of z" in heard
    assert encode(SimpleNamespace(name="x"), *sides[:2], None, options, silent, nothing).training is None  # type: ignore[arg-type]


def test_a_network_is_retrained_on_other_people_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs --training"):
        encode_retrained(CORPUS, copies(), None, QUIET, silent, nothing)
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    from stripeless.embeddings.encoders import xvector

    fits: list[Any] = []
    fit = xvector.fit_xvector

    def counted(recordings: Any, speakers: Any, training: Any, **more: Any) -> Any:
        fits.append((len(recordings), tuple(speakers), training))
        return fit(recordings, speakers, training, **more)

    monkeypatch.setattr(xvector, "fit_xvector", counted)
    rng = np.random.default_rng(0)
    utterances = []
    for k in range(8):
        path = tmp_path / f"t{k // 2}-{k % 2}.wav"
        write_recording(path, Recording(0.1 * rng.normal(size=RATE // 2), RATE))
        utterances.append(Utterance(path.stem, path, path.stem[:2]))
    training = Corpus(tmp_path, tuple(utterances))
    small = xvector.NetworkTraining(epochs=1, channels=8, dimension=4, batch=4, piece=40, speeds=(1.0,))
    heard: list[str] = []
    options = VoiceOptions(cache=tmp_path / "cache", network=small)
    first = trained_network(training, options, heard.append, nothing)
    assert fits == [(8, tuple(u.speaker for u in utterances), small)]
    assert heard[0] == "Training a network on 8 anonymized recordings of 4 people"
    assert heard[1].endswith("of the last pieces were given to the right one of its people, on cpu")
    (file,) = (tmp_path / "cache" / "networks").iterdir()
    assert file.suffix == ".safetensors"
    again = trained_network(training, options, heard.append, nothing)
    assert (len(fits), again.identity, again.name) == (1, first.identity, "xvector")
    trained_network(training, replace(options, network=replace(small, seed=1)), silent, nothing)
    renamed = replace(training, utterances=tuple(replace(u, speaker=f"{u.speaker}x") for u in utterances))
    trained_network(renamed, options, silent, nothing)
    assert len(fits) == 3, "other settings, or other people, are another network"
    trained_network(training, replace(options, cache=None), silent, nothing)
    assert len(fits) == 4
    monkeypatch.setattr(module, "encode", lambda encoder, *given: Encoded(encoder.name, ORIGINAL, ANONYMIZED, given[2]))
    found = encode_retrained(CORPUS, copies(), training, options, silent, nothing)
    assert (found.encoder, found.retrained, found.training) == ("xvector", True, None)


# Tables


def test_a_row_for_everybody_and_for_each_sex() -> None:
    sexed = Corpus(Path("x"), tuple(replace(u, sex="fm"[int(u.speaker[1:]) % 2]) for u in CORPUS.utterances))
    (one,) = play_encoder(Encoded("e", ORIGINAL, ANONYMIZED), with_trials(sexed), ("lazy-informed",))
    rows = rows_of_played(one)
    assert [row["sex"] for row in rows] == ["all", "f", "m"]
    for row in rows:
        assert (row["encoder"], row["attacker"], row["backend"]) == ("e", "lazy-informed", "cosine")
        assert set(row) == {"encoder", "attacker", "backend", "sex", *TABLE}
    assert rows[0]["eer"] == one.assessment["eer"]
    assert all(rows[0][name] is not None for name in TABLE)
    (bare,) = play_encoder(Encoded("e", ORIGINAL, ANONYMIZED), CORPUS, ("ignorant",))
    assert [row["sex"] for row in rows_of_played(bare)] == ["all"]


def test_counts_are_of_people_and_of_recordings() -> None:
    sexed = Corpus(
        Path("x"), tuple(replace(u, sex="ffm?"[int(u.speaker[1:]) % 4].strip("?")) for u in CORPUS.utterances)
    )
    found = counts_of(with_trials(sexed))
    assert (found["speakers"], found["women"], found["men"]) == (PEOPLE, PEOPLE // 2, PEOPLE // 4)
    assert (found["utterances"], found["enrollment"]) == (PEOPLE * EACH, PEOPLE * EACH // 2)
    assert found["trials"] == len(with_trials(sexed).trials)


def test_trial_utterances_are_those_of_the_list() -> None:
    assert trial_part(ORIGINAL, CORPUS).utterances == tuple(np.array(ORIGINAL.utterances)[~ENROLLS])


@pytest.mark.parametrize("standardize", [False, True])
def test_ranks_are_those_of_trials_among_the_enrolled(standardize: bool) -> None:
    stranger = replace(CORPUS, enrollment=tuple(name for name in CORPUS.enrollment if not name.startswith("s03")))
    found = ranks_of(Encoded("e", ORIGINAL, ANONYMIZED, standardize=standardize), stranger)
    sides = {
        "original": (ORIGINAL, ORIGINAL),
        "ignorant": (ORIGINAL, ANONYMIZED),
        "lazy-informed": (ANONYMIZED, ANONYMIZED),
    }
    assert list(found) == list(sides)
    for name, (enrolled, tried) in sides.items():
        scale = take(enrolled, np.isin(enrolled.utterances, stranger.enrollment))
        known = ~ENROLLS & (np.array(tried.speakers) != "s03")
        models, probes = speaker_means(scale), take(tried, known)
        if standardize:
            models, probes = on_scale_of(models, scale), on_scale_of(probes, scale)
        counts = count_ranks(
            probes.vectors, models.vectors, probe_speakers=probes.speakers, template_speakers=models.utterances
        )
        wanted = rank_disclosure(counts, speakers=probes.speakers)
        assert found[name] == {
            "mean_disclosure": wanted.mean_disclosure, "id_rate": wanted.id_rate, "max_disclosure": wanted.max_disclosure,
            "chance_mean_disclosure": wanted.chance_mean_disclosure, "templates": PEOPLE - 1,
        }  # fmt: skip


@pytest.mark.parametrize("rated", [False, True])
def test_words_melody_and_quality_are_asked_for_as_told(monkeypatch: pytest.MonkeyPatch, rated: bool) -> None:
    asked: list[Any] = []

    def words(before: Corpus, after: Corpus, **more: Any) -> str:
        asked.append((before, after, more))
        return "words"

    monkeypatch.setattr(module, "words", words)
    monkeypatch.setattr(module, "melody", lambda before, after: ("melody", before.folder, after.folder))
    monkeypatch.setattr(module, "quality", lambda before, after, **more: ("quality", after.folder, more))
    options = VoiceOptions(cache="c", workers=2, recognizer="r", transcripts={"a": {}}, limit=7, quality=rated)
    found = utility_of(CORPUS, copies(), options, silent, nothing)
    assert found["pitch_correlation"] == ("melody", Path("x"), Path("y"))
    assert ("dnsmos" in found) == rated
    if rated:
        assert found["dnsmos"] == ("quality", Path("y"), {"workers": 2, "cache": Path("c")})
    ((before, after, more),) = asked
    assert (before, after.folder) == (CORPUS, Path("y"))
    assert more == {
        "recognizer": "r", "transcripts": {"a": {}}, "limit": 7, "workers": 2, "cache": Path("c"), "progress": nothing,
    }  # fmt: skip
    utility_of(CORPUS, copies(), replace(options, cache=None), silent, nothing)
    assert asked[1][2]["cache"] is None


# The whole


def test_the_evaluation_says_who_was_strongest_and_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = replace(ORIGINAL, vectors=np.random.default_rng(3).normal(size=ORIGINAL.vectors.shape))
    made = {
        "strong": Encoded("strong", ORIGINAL, ANONYMIZED),
        "weak": Encoded("weak", noise, noise),
        "noise-floor": Encoded("noise-floor", noise, noise),
    }
    monkeypatch.setattr(module, "encode", lambda encoder, *given: made[encoder.name])
    monkeypatch.setattr(module, "judged_data", unheard)
    encoders: Any = [SimpleNamespace(name=name) for name in ("weak", "strong")]
    found = evaluate_voices(CORPUS, copies(), encoders, replace(QUIET, seed=3), settings={"alpha": 0.8})
    assert found.voices is not None
    best = {who: one.encoder for who, one in found.voices.best.items()}
    assert list(best) == ["original", "ignorant", "lazy-informed", "semi-informed"]
    assert {best[who] for who in ("original", "lazy-informed", "semi-informed")} == {"strong"}
    assert [one.attacker for one in found.attackers] == ["ignorant", "lazy-informed", "semi-informed"]
    assert found.original is not None
    assert found.original.attacker == "original"
    assert (found.name, found.seed) == ("x, anonymized", 3)
    assert found.description == f"16 speakers, {len(CORPUS.trials)} trials, recordings before and after"
    assert found.voices.encoder == "weak", "ranks and similarity are those of the first encoder"
    assert dict(found.voices.anonymizer) == {"alpha": 0.8}
    assert dict(found.voices.utility) == {}
    assert {row.encoder for row in found.voices.listeners} == {"strong", "weak", "noise-floor"}
    assert {one.encoder for one in found.played} == {"strong", "weak"}
    assert "not-anonymized" in {finding.code for finding in found.warnings}, "the first encoder heard no difference"
    named = evaluate_voices(CORPUS, copies(), encoders[1:], QUIET, name="B1")
    assert named.name == "B1"
    assert "not-anonymized" not in {finding.code for finding in named.warnings}
    with pytest.raises(InputError, match="also speak in the trials"):
        evaluate_voices(CORPUS, copies(), encoders, QUIET, training=CORPUS)


def test_utility_is_asked_for_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Encoded("e", ORIGINAL, ANONYMIZED)
    monkeypatch.setattr(module, "encode", lambda encoder, *given: made)
    monkeypatch.setattr(module, "judged_data", unheard)
    heard: list[Embeddings | None] = []
    monkeypatch.setattr(
        module,
        "encode_retrained",
        lambda *given: heard.append(given[2]) or replace(made, encoder="network", retrained=True),
    )
    monkeypatch.setattr(module, "utility_of", lambda *given: {"words": {"reason": "told"}})
    one: Any = SimpleNamespace(name="e")
    found = evaluate_voices(CORPUS, copies(), [one], VoiceOptions(network="training"))
    assert found.voices is not None
    assert dict(found.voices.utility)["words"]["reason"] == "told"
    assert [played.encoder for played in found.played].count("network") == 1
    assert len(heard) == 1
