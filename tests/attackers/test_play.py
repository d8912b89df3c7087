"""The attackers on embeddings, and the signs that one of them is not to be trusted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attacked_speech import D, anonymized, halves, speech

from stripeless.attackers.checks import separability
from stripeless.attackers.embedded import Embedded, Training
from stripeless.attackers.play import bits_per_trial, play_attackers
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import read_embeddings
from stripeless.embeddings.vectors import take
from stripeless.errors import InputError
from stripeless.scores.pairs import read_trials


def test_better_informed_attackers_learn_more() -> None:
    original = halves(speech(range(40)))
    hidden = Embedded(anonymized(original.enrollment, seed=3), anonymized(original.trials))
    train = speech(range(100, 200), seed=5)
    result = play_attackers(
        original, hidden, training=Training(train, anonymized(train)), resamples=200, name="squeeze"
    )
    eers = {one.attacker: one["eer"] for one in result.attackers}
    assert list(eers) == ["ignorant", "lazy-informed", "semi-informed"]
    assert result.original is not None
    assert result.original["eer"] < eers["semi-informed"] < eers["lazy-informed"] < eers["ignorant"] + 0.05
    assert result.strongest().attacker == "semi-informed"
    assert not [f for f in result.warnings if f.severity == "serious"]
    assert len({one.trial_digest for one in (*result.attackers, result.original)}) == 1
    assert result.to_dict()["kind"] == "evaluation"


def codes(original: Embedded, hidden: Embedded, **more: object) -> set[str]:
    result = play_attackers(original, hidden, resamples=100, **more)  # type: ignore[arg-type]
    return {finding.code for finding in result.warnings}


def test_missing_strongest_attacker_is_told() -> None:
    """Seven people are too few to learn from four of them and judge the others."""
    original = halves(speech(range(7)))
    assert "no-semi-informed" in codes(original, Embedded(anonymized(original.enrollment), anonymized(original.trials)))


def test_enrollment_left_unanonymized_is_told() -> None:
    original = halves(speech(range(12)))
    assert "not-anonymized" in codes(original, Embedded(original.enrollment, anonymized(original.trials)))


def test_a_badly_trained_attacker_is_told() -> None:
    """Retrained where voices vary within a speaker and noise tells speakers apart: weaker than the lazy one."""
    original = halves(speech(range(40)))
    hidden = Embedded(anonymized(original.enrollment, 0.5), anonymized(original.trials, 0.5))
    rng = np.random.default_rng(0)
    useless = np.repeat([0.0, 1.0], D // 2)
    people = np.repeat(rng.normal(size=(60, D)) * useless, 8, axis=0)
    vectors = people + rng.normal(size=people.shape) * np.repeat([3.0, 0.1], D // 2)
    names = tuple(f"t{i // 8}" for i in range(480))
    bend = np.random.default_rng(42).normal(size=(D, D))
    wrong = Embeddings(vectors @ bend, tuple(f"{n}-{i}" for i, n in enumerate(names)), names)
    assert "weaker-though-better-informed" in codes(original, hidden, training=Training(anonymized=wrong))


def test_an_attacker_who_learned_nothing_is_told() -> None:
    original = halves(speech(range(40)))
    hidden = Embedded(anonymized(original.enrollment, 0.5), anonymized(original.trials, 0.5))
    train = anonymized(speech(range(100, 160), seed=5), 0.5)
    order = np.random.default_rng(0).permutation(len(train))
    mislabeled = Embeddings(train.vectors[order], train.utterances, train.speakers)
    assert "untrained" in codes(original, hidden, training=Training(anonymized=mislabeled))


def test_training_on_another_anonymizer_is_told() -> None:
    original = halves(speech(range(40)))
    hidden = Embedded(anonymized(original.enrollment), anonymized(original.trials))
    train = speech(range(100, 180), seed=5)
    other = Embeddings(train.vectors[:, ::-1] + 4, train.utterances, train.speakers)
    assert "told-apart" in codes(original, hidden, training=Training(train, other))
    manifests = ({"alpha": 0.8}, {"alpha": 0.5})
    assert "manifests-differ" in codes(original, hidden, training=Training(manifests=manifests))


def test_training_on_the_judged_is_refused_or_told() -> None:
    original = halves(speech(range(40)))
    hidden = Embedded(anonymized(original.enrollment), anonymized(original.trials))
    with pytest.raises(InputError, match="training speakers are enrolled"):
        play_attackers(original, hidden, training=Training(speech(range(30, 80), seed=5)), resamples=0)
    few = Embedded(take(original.enrollment, np.arange(80)), original.trials)
    few_hidden = Embedded(take(hidden.enrollment, np.arange(80)), hidden.trials)
    assert "training-overlap" in codes(few, few_hidden, training=Training(speech(range(30, 80), seed=5)))


def test_scores_that_point_the_wrong_way_are_told() -> None:
    original = halves(speech(range(30)))
    flipped = Embedded(
        Embeddings(-original.enrollment.vectors, original.enrollment.utterances, original.enrollment.speakers),
        Embeddings(-original.trials.vectors, original.trials.utterances, original.trials.speakers),
    )
    assert "above-chance" in codes(original, flipped)


def test_separability() -> None:
    rng = np.random.default_rng(0)
    same, other = rng.normal(size=(300, 6)), rng.normal(size=(200, 6))
    assert separability(same, other) == pytest.approx(0.5, abs=0.08)
    assert separability(same, other + 2) > 0.95


def test_bits_per_trial_fall_with_protection() -> None:
    judged, development = halves(speech(range(30))), halves(speech(range(100, 130), seed=2))
    clear = bits_per_trial(judged, development)
    hidden, hidden_development = (
        Embedded(anonymized(one.enrollment, 6.0), anonymized(one.trials, 6.0)) for one in (judged, development)
    )
    assert clear.n == 30
    assert clear.alid > bits_per_trial(hidden, hidden_development).alid + 0.5
    with pytest.raises(InputError, match="judged too"):
        bits_per_trial(judged, judged)


def test_librispeech_attackers(librispeech: Path) -> None:
    """Lines 1-4 of the invertibility table as an evaluation; women. Its 49.0 on line 2 is 51.0, folded."""

    def read(extractor: str, end: str) -> Embedded:
        folder = librispeech / "xvectors" / extractor
        return Embedded(
            read_embeddings(folder / f"enrolls{end}.scp", utt2spk=librispeech / "enrolls"),
            read_embeddings(folder / f"trials_f{end}.scp", utt2spk=librispeech / "trials_f"),
        )

    result = play_attackers(
        read("original", ""),
        read("original", "_anon"),
        retrained=read("retrained", "_anon"),
        trial_list=read_trials(librispeech / "trials_f" / "trials"),
        resamples=0,
    )
    found = [one.eer_by_tool["scikit_learn"] for one in (result.original, *result.attackers)]  # type: ignore[union-attr]
    assert found == pytest.approx([0.1033, 0.5101, 0.2941, 0.1712], abs=1e-3)
