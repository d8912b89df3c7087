"""What each attacker compares, with which back-end, seed and resamples; and which encoder's result counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from attacked_speech import anonymized, halves, speech
from encoded_voices import ANONYMIZED, CORPUS, EACH, ENROLLS, ORIGINAL, PEOPLE, TRAINING, heard

from stripeless.attackers.backends import fit_backend
from stripeless.attackers.battery import CONDITIONS, with_label
from stripeless.attackers.embedded import Embedded, Training
from stripeless.attackers.play import bits_per_trial, play_attackers
from stripeless.attackers.voices import (
    Encoded,
    Played,
    battery_of,
    play_encoder,
    strongest_encoder,
    trial_list,
    with_groups,
)
from stripeless.audio.corpus import Corpus, Utterance, with_trials
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.plda import fit_plda
from stripeless.embeddings.vectors import speaker_means, take
from stripeless.errors import InputError
from stripeless.measures.lid import fit_lid_slope, lid
from stripeless.scores.comparison import compare_embeddings, cosine_scores
from stripeless.scores.pairs import generate_trials

CLEAR = halves(speech(range(12)))
HIDDEN = Embedded(anonymized(CLEAR.enrollment, seed=3), anonymized(CLEAR.trials))
TRAIN = speech(range(100, 130), seed=5)


# Embeddings


def test_each_attacker_compares_what_its_name_says() -> None:
    taught = Training(TRAIN, anonymized(TRAIN))
    result = play_attackers(CLEAR, HIDDEN, training=taught, resamples=0, seed=4, name="X")
    trials = generate_trials(CLEAR.enrollment, CLEAR.trials)
    before, after = (fit_plda(e.vectors, e.speakers or ()) for e in (TRAIN, anonymized(TRAIN)))
    sides = {
        "ignorant": (CLEAR.enrollment, HIDDEN.trials, before),
        "lazy-informed": (HIDDEN.enrollment, HIDDEN.trials, before),
        "semi-informed": (HIDDEN.enrollment, HIDDEN.trials, after),
    }
    assert [one.attacker for one in result.attackers] == list(sides)
    from stripeless.assessment.assess import assess_scores

    for one in result.attackers:
        enrollment, tests, plda = sides[one.attacker]
        wanted = assess_scores(compare_embeddings(enrollment, tests, trials, plda=plda), llr=True)
        assert one["cllr"] == wanted["cllr"], one.attacker
        assert (one.backend, one.seed, one.intervals, one.name) == ("PLDA", 4, None, one.attacker)
    assert result.original is not None
    assert (
        result.original["cllr"]
        == assess_scores(compare_embeddings(CLEAR.enrollment, CLEAR.trials, trials, plda=before))["cllr"]
    )
    assert (result.original.attacker, result.seed, result.name) == ("original", 4, "X")


def test_without_training_scores_are_cosines_and_three_hundred_resamples_are_drawn() -> None:
    result = play_attackers(CLEAR, HIDDEN)
    assert [one.attacker for one in result.attackers] == ["ignorant", "lazy-informed", "semi-informed"]
    for one in (*result.attackers, result.original):
        assert one is not None
        assert one.backend == "cosine" or (one.attacker == "semi-informed" and one.backend.endswith(", cross-fitted"))
        assert one.intervals is not None
        assert (one.intervals.resamples, one.seed) == (300, 0)
    assert "no-semi-informed" not in {finding.code for finding in result.warnings}
    assert "not_llr" not in {
        finding.code for one in result.attackers for finding in one.warnings if finding.severity == "serious"
    }


def test_an_extractor_that_was_retrained_hears_both_sides() -> None:
    heard_anew = Embedded(
        *(replace(side, vectors=side.vectors[:, ::-1] ** 3) for side in (HIDDEN.enrollment, HIDDEN.trials))
    )
    result = play_attackers(CLEAR, HIDDEN, retrained=heard_anew, resamples=0)
    alone = play_attackers(CLEAR, heard_anew, resamples=0)
    assert result.attackers[2].attacker == "semi-informed"
    assert result.attackers[2]["eer"] == alone.attackers[1]["eer"]
    assert result.attackers[2].backend == "cosine"
    assert result.attackers[1]["eer"] != alone.attackers[1]["eer"]
    assert "no-semi-informed" not in {finding.code for finding in result.warnings}


@pytest.mark.parametrize("back_end", [False, True])
def test_bits_are_those_of_the_table_of_trials_against_everybody(back_end: bool) -> None:
    strangers = speech(range(50, 53), each=2, seed=8)
    judged = Embedded(
        HIDDEN.enrollment,
        Embeddings(
            np.vstack([HIDDEN.trials.vectors, strangers.vectors]),
            (*CLEAR.trials.utterances, *strangers.utterances),
            (*(CLEAR.trials.speakers or ()), *(strangers.speakers or ())),
        ),
    )
    noisy = halves(speech(range(60, 80), each=6, seed=2))
    other = Embedded(anonymized(noisy.enrollment, 6.0), anonymized(noisy.trials, 6.0))
    plda = fit_plda(TRAIN.vectors, TRAIN.speakers or ()) if back_end else None

    def table(sets: Embedded) -> tuple[np.ndarray, np.ndarray]:
        models = speaker_means(sets.enrollment)
        if plda is None:
            scores = cosine_scores(sets.trials.vectors, models.vectors)
        else:
            each = len(sets.enrollment) // len(models)
            scores = plda.scores(models.vectors, sets.trials.vectors, np.full(len(models), each)).T
        return scores, np.array([models.utterances.index(name) for name in sets.trials.speakers or ()])

    wanted = lid(*table(HIDDEN), fit_lid_slope(*table(other)))
    found = bits_per_trial(judged, other, plda=plda)
    assert found.alid == pytest.approx(wanted.alid)
    assert found.n == 12
    with pytest.raises(InputError, match=r"12 of its speakers are judged too, such as 's0'"):
        bits_per_trial(judged, HIDDEN)
    with pytest.raises(InputError, match="no trial speaker is enrolled"):
        bits_per_trial(Embedded(HIDDEN.enrollment, strangers), other)


# Voices


def few(people: int) -> tuple[Corpus, Encoded]:
    """The same with fewer people."""
    rows = np.arange(people * EACH)
    return (
        with_trials(replace(CORPUS, utterances=CORPUS.utterances[: people * EACH], enrollment=(), trials=())),
        Encoded("x", take(ORIGINAL, rows), take(ANONYMIZED, rows)),
    )


def test_the_list_of_trials_is_that_of_the_corpus() -> None:
    listed = trial_list(CORPUS)
    found = {
        (listed.models[e], listed.utterances[t], bool(same))
        for e, t, same in zip(listed.enrollment, listed.trial, listed.target, strict=True)
    }
    assert found == {(trial.enrolled, trial.utterance, trial.target) for trial in CORPUS.trials}
    assert listed.notes == CORPUS.notes


KINDS = ["WCCN 0.05", "WCCN 0.3", "WCCN 1", "PLDA"]
FOLD_BY_FOLD = [f"{kind}, cross-fitted" for kind in KINDS]


def test_an_encoder_is_played_by_every_attacker_and_the_control_learns_too() -> None:
    played = play_encoder(Encoded("x", ORIGINAL, ANONYMIZED, TRAINING), CORPUS, resamples=100, seed=3)
    assert [one.attacker for one in played] == ["original"] * 5 + list(CONDITIONS[1:]) + ["semi-informed"] * 4
    assert [one.backend for one in played[:5]] == ["cosine", *FOLD_BY_FOLD]
    assert [one.backend for one in played[5:7]] == ["cosine", "cosine"]
    assert played[7].backend in KINDS, "chosen on the training people"
    assert [one.backend for one in played[8:]] == FOLD_BY_FOLD, "few training people never hurt"
    for one in played:
        assert (one.encoder, one.assessment.name, one.assessment.attacker) == ("x", "x", one.attacker)
        assert one.assessment.backend == f"x, {one.backend}"
        assert one.assessment.intervals is not None
        assert (one.assessment.intervals.resamples, one.assessment.seed) == (100, 3)
        assert one.scores.target.size == sum(trial.target for trial in CORPUS.trials)
    matrix = cosine_scores(
        speaker_means(take(ORIGINAL, ENROLLS)).vectors, take(ANONYMIZED, ~ENROLLS).vectors
    )  # every model with every trial
    side = played[5].scores
    np.testing.assert_allclose(np.sort(np.r_[side.target, side.nontarget]), np.sort(matrix.ravel()))
    only = play_encoder(Encoded("x", ORIGINAL, ANONYMIZED), CORPUS, ("ignorant",))
    assert [one.attacker for one in only] == ["ignorant"]


def test_without_speech_of_others_every_kind_of_back_end_is_an_attacker_who_learns_fold_by_fold() -> None:
    played = play_encoder(Encoded("x", ORIGINAL, ANONYMIZED), CORPUS, ("semi-informed",))
    assert [one.backend for one in played] == FOLD_BY_FOLD
    for one in played:
        side, fold = one.scores.trial_speakers, one.scores.columns["fold"]
        assert side is not None
        assert one.scores.target.size == sum(trial.target for trial in CORPUS.trials)
        assert one.scores.nontarget.size == PEOPLE * 3 * EACH // 2, "three others of the fold, two recordings of each"
        of = dict(zip(side.nontarget.tolist(), fold.nontarget.tolist(), strict=True))
        enrolled = one.scores.enrollment_speakers
        assert enrolled is not None
        assert [of[k] for k in enrolled.nontarget.tolist()] == fold.nontarget.tolist()


def test_a_retrained_network_is_semi_informed_and_nothing_else() -> None:
    (one,) = play_encoder(Encoded("x", ORIGINAL, ANONYMIZED, TRAINING, retrained=True), CORPUS)
    assert (one.attacker, one.backend, one.assessment.backend) == ("semi-informed", "cosine", "x, network retrained")
    assert [again.attacker for again in one.battery.play()] == ["semi-informed"], "in refits and plants too"


@pytest.mark.parametrize(("people", "relearned"), [(11, False), (12, True)])
def test_twelve_people_are_needed_to_relearn_and_fewer_are_no_error(people: int, relearned: bool) -> None:
    """Of eleven, two folds leave five to learn from."""
    corpus, encoded = few(people)
    attackers = [one.attacker for one in play_encoder(encoded, corpus)]
    assert ("semi-informed" in attackers, attackers.count("original") == 5) == (relearned, relearned)
    taught = replace(encoded, training=TRAINING)
    assert "semi-informed" in [one.attacker for one in play_encoder(taught, corpus)]


def test_an_error_that_is_not_about_relearning_is_told() -> None:
    nobody = take(ORIGINAL, ~ENROLLS)
    with pytest.raises(InputError, match="no row of the embeddings is left"):
        play_encoder(Encoded("x", nobody, ANONYMIZED), CORPUS)


def test_a_back_end_learned_on_others_is_told_how_often_each_enrolled() -> None:
    one_less = replace(CORPUS, enrollment=CORPUS.enrollment[1:])
    found, *_ = battery_of(Encoded("x", ORIGINAL, ANONYMIZED, TRAINING), one_less, 5).play(("semi-informed",))
    backend, wanted = fit_backend(TRAINING.vectors, TRAINING.speakers or (), TRAINING.sex, 5)
    counts = np.array([1.0] + [2.0] * (PEOPLE - 1))
    assert found.backend == wanted
    models = speaker_means(take(ANONYMIZED, np.isin(ANONYMIZED.utterances, one_less.enrollment)))
    matrix = backend.scores(models.vectors, take(ANONYMIZED, ~ENROLLS).vectors, counts)
    every = np.r_[found.scores.target, found.scores.nontarget]
    np.testing.assert_allclose(np.sort(every), np.sort(matrix.ravel()))


def sexed(sexes: str) -> Corpus:
    who = dict(zip(CORPUS.speakers, sexes, strict=True))
    return Corpus(Path("x"), tuple(Utterance(u.name, u.path, u.speaker, who[u.speaker]) for u in CORPUS.utterances))


def test_trials_are_labeled_with_the_sex_of_who_speaks_in_them() -> None:
    (one,) = play_encoder(Encoded("x", ORIGINAL, ANONYMIZED), CORPUS, ("ignorant",))
    assert "sex" not in one.scores.columns
    known = dict(zip(CORPUS.speakers, "fm" * (PEOPLE // 2 - 1) + "f?", strict=True))
    labeled = with_label(one.scores, "sex", {name: sex.strip("?") for name, sex in known.items()})
    column, side = labeled.columns["sex"], labeled.trial_speakers
    assert side is not None
    assert column.names == ("f", "m")
    for kind in ("target", "nontarget"):
        speakers = [side.names[code] for code in getattr(side, kind)]
        codes = getattr(column, kind).tolist()
        assert codes == [{"f": 0, "m": 1, "?": -1}[known[name]] for name in speakers]
    (two,) = play_encoder(Encoded("x", ORIGINAL, ANONYMIZED), with_trials(sexed("fm" * (PEOPLE // 2))), ("ignorant",))
    assert two.scores.columns["sex"].names == ("f", "m")


def test_groups_are_by_sex_where_known_and_by_speaker() -> None:
    (bare,) = play_encoder(Encoded("x", ORIGINAL, ANONYMIZED), CORPUS, ("ignorant",))
    assert set(with_groups(bare).groups) == {"speaker"}
    (one,) = play_encoder(Encoded("x", ORIGINAL, ANONYMIZED), with_trials(sexed("fm" * (PEOPLE // 2))), ("ignorant",))
    found = with_groups(one, resamples=100, seed=2)
    assert set(found.groups) == {"sex", "speaker"}
    assert set(found.groups["sex"]) == {"f", "m"}
    assert found.groups["sex"]["f"].measures["eer"].low is not None
    assert found["eer"] == one.assessment["eer"]


def test_the_encoder_with_which_an_attacker_learns_most_counts() -> None:
    clear = Encoded("good", ORIGINAL, ORIGINAL)
    noise = Encoded(
        "bad",
        ORIGINAL,
        replace(ORIGINAL, vectors=heard(7).vectors * np.random.default_rng(0).normal(size=ORIGINAL.vectors.shape)),
    )
    played: list[Played] = [
        one for e in (noise, clear) for one in play_encoder(e, CORPUS, ("ignorant", "lazy-informed"))
    ]
    best = strongest_encoder(played, "lazy-informed")
    assert best is not None
    assert (best.encoder, best.attacker) == ("good", "lazy-informed")
    assert strongest_encoder(played, "semi-informed") is None
