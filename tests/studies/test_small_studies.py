"""Ranks, similarity, recordings to listen to, and results side by side: known answers for the steps of each."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stripeless.assessment.assess import assess, assess_scores
from stripeless.audio.corpus import Corpus, Utterance, with_trials
from stripeless.audio.recordings import RATE, Recording, decode_wav, write_recording
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import speaker_means, take
from stripeless.errors import InputError, TooFewTrials
from stripeless.measures.catalog import MEASURES
from stripeless.measures.measure import Measure
from stripeless.measures.similarity import similarity_matrices
from stripeless.ranks.counts import ranking_job
from stripeless.ranks.sum import LEAST_PROBES
from stripeless.results.assessment import Assessment, Group
from stripeless.results.comparison import Comparison
from stripeless.results.evaluation import Evaluation
from stripeless.scores.trials import Factor, TrialScores
from stripeless.studies.comparison import compare_pairs, compare_results, flatten
from stripeless.studies.rank import (
    RankSettings,
    observations_of,
    rank_against,
    rank_within,
    study_features,
    with_template,
)
from stripeless.studies.samples import before_and_after, by_exposure
from stripeless.studies.similarity import similarity_study

RNG = np.random.default_rng(4)
BARE = RankSettings(resamples=0)


def said(counts: dict[str, int], prefix: str = "u") -> Embeddings:
    """So many utterances of each speaker, in turns."""
    who = [name for k in range(max(counts.values())) for name, count in counts.items() if k < count]
    return Embeddings(RNG.normal(size=(len(who), 4)), tuple(f"{prefix}{k}" for k in range(len(who))), tuple(who))


# Ranks


def test_observations_are_the_first_of_each_in_the_order_of_the_file() -> None:
    file = said({"b": 4, "a": 3, "c": 1})
    found, speakers = observations_of(file)
    assert speakers == ("b", "a")
    assert found.shape == (2, 3, 4)
    rows = [[k for k, name in enumerate(file.speakers or ()) if name == who][:3] for who in "ba"]
    np.testing.assert_array_equal(found, file.vectors[np.array(rows)])
    assert observations_of(file, most=2)[0].shape == (2, 2, 4)
    assert observations_of(file, least=1)[0].shape == (3, 1, 4)
    with pytest.raises(TooFewTrials, match="1 of 3 speakers have 4 or more utterances"):
        observations_of(file, least=4)


def test_probes_without_template_are_left_out() -> None:
    probes, templates = said({"a": 2, "b": 1, "x": 1}), said({"a": 1, "b": 1})
    assert with_template(probes, templates).utterances == tuple(
        u for u, s in zip(probes.utterances, probes.speakers or (), strict=True) if s != "x"
    )
    with pytest.raises(InputError, match="not one speaker has a template"):
        with_template(take(probes, [2]), templates)


def test_probes_are_ranked_against_means_of_templates() -> None:
    probes, templates = said({"a": 2, "b": 2, "c": 2}), said({"c": 3, "a": 2, "b": 1}, "t")
    analysis, counts = rank_against(probes, templates, BARE, "mine")
    means = speaker_means(templates)
    unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (probes.vectors, means.vectors)]
    scores = unit[0] @ unit[1].T
    own = [means.utterances.index(name) for name in probes.speakers or ()]
    ranks = [1 + int((row > row[k]).sum()) for row, k in zip(scores, own, strict=True)]
    assert counts.ranks.tolist() == ranks
    assert (analysis.name, counts.n) == ("mine", 3)
    assert analysis.eer is not None
    alone, _ = rank_against(
        take(probes, [0, 3]), take(templates, np.flatnonzero(np.array(templates.speakers) == "a")), BARE
    )
    assert alone.eer is None, "one template has nobody to be mistaken for"
    for side, first, second in (
        ("probes", Embeddings(probes.vectors, probes.utterances), templates),
        ("templates", probes, Embeddings(templates.vectors, templates.utterances)),
    ):
        with pytest.raises(InputError, match=f"{side}: the speakers are not known"):
            rank_against(first, second, BARE)


@pytest.mark.parametrize(("probe", "template"), [(1, 1), (2, 1), (1, 3)])
def test_every_start_gives_a_probe_and_a_template_of_each_speaker(probe: int, template: int) -> None:
    voices = RNG.normal(size=(7, 1, 5)) + 0.8 * RNG.normal(size=(7, 4, 5))
    analysis, counts = rank_within(
        voices, [str(k) for k in range(7)], BARE, probe_length=probe, template_length=template
    )
    wanted = []
    for start in range(4):
        gap = (4 - probe - template) // 2
        places = [(start + k + (gap if k >= probe else 0)) % 4 for k in range(probe + template)]
        p, t = voices[:, places[:probe]].mean(axis=1), voices[:, places[probe:]].mean(axis=1)
        scores = (p / np.linalg.norm(p, axis=1, keepdims=True)) @ (t / np.linalg.norm(t, axis=1, keepdims=True)).T
        wanted += [1 + int((row > row[k]).sum()) for k, row in enumerate(scores)]
    assert counts.ranks.tolist() == wanted
    assert counts.n == 7
    assert analysis.disclosure.probes == 28


def test_one_observation_each_unless_told() -> None:
    voices = RNG.normal(size=(7, 1, 5)) + 0.8 * RNG.normal(size=(7, 4, 5))
    people = [str(k) for k in range(7)]
    plain, told = (
        rank_within(voices, people, BARE, **more)[1] for more in ({}, {"probe_length": 1, "template_length": 1})
    )
    assert plain.ranks.tolist() == told.ranks.tolist()
    report, asked = (
        study_features({"x": (voices, "cosine")}, people, BARE, **more)
        for more in ({}, {"probe_length": 1, "template_length": 1})
    )  # type: ignore[arg-type]
    assert report.features == asked.features
    longer = rank_within(voices, people, BARE, template_length=2)[1]
    assert longer.ranks.tolist() != plain.ranks.tolist()


@pytest.mark.parametrize(("people", "added"), [(LEAST_PROBES // 4 - 1, False), (LEAST_PROBES // 4, True)])
def test_bits_are_added_up_where_probes_are_enough(people: int, added: bool) -> None:
    features = {name: (RNG.normal(size=(people, 4, 3)), "cosine") for name in ("voice", "words")}
    report = study_features(features, [str(k) for k in range(people)], BARE, name="both", notes=["a note"])
    assert (report.total is not None) == added
    assert report.notes[0] == "a note"
    assert (len(report.notes) == 1) == added
    assert [one.name for one in report.features] == ["voice", "words"]
    assert (report.name, report.stream) == ("both", None)
    one = study_features({"voice": features["voice"]}, [str(k) for k in range(people)], BARE)
    assert (one.total, one.notes) == (None, ())


def test_growth_is_that_of_the_first_feature() -> None:
    features = {
        "voice": (RNG.normal(size=(12, 1, 3)) + RNG.normal(size=(12, 4, 3)), "cosine"),
        "words": (RNG.uniform(size=(12, 4, 3)), "hellinger"),
    }
    report = study_features(features, [str(k) for k in range(12)], BARE, lengths=[1, 2])
    alone = study_features({"voice": features["voice"]}, [str(k) for k in range(12)], BARE, lengths=[1, 2])
    assert report.stream is not None
    assert report.stream == alone.stream
    assert [one.metric for one in report.features] == ["cosine", "hellinger"]


def test_settings_count_with_what_they_were_given(tmp_path: Path) -> None:
    job = ranking_job(RNG.normal(size=(6, 3)), RNG.normal(size=(6, 3)))
    plain = RankSettings()._count(job)
    kept = RankSettings(resume=tmp_path / "tiles", executor=2)._count(job)
    assert plain.ranks.tolist() == kept.ranks.tolist()
    assert list((tmp_path / "tiles").iterdir())


# Similarity


def voices(sexes: str, each: int = 3, seed: int = 0) -> Embeddings:
    rng = np.random.default_rng(seed)
    who = tuple(f"{sex}{k}" for k, sex in enumerate(sexes) for _ in range(each))
    vectors = np.repeat(np.random.default_rng(1).normal(size=(len(sexes), 6)), each, axis=0) + 0.4 * rng.normal(
        size=(len(who), 6)
    )
    return Embeddings(vectors, tuple(f"{name}-{k}" for k, name in enumerate(who)), who, tuple(name[0] for name in who))


def test_each_sex_is_judged_by_itself_and_matrices_are_of_all() -> None:
    before, after = voices("ffmmf"), voices("ffmmf", seed=5)
    study = similarity_study(Embeddings(after.vectors[::-1], after.utterances[::-1]), before, name="X", seed=3)
    assert [group.name for group in study.groups] == ["women", "men"]
    assert [group.speakers for group in study.groups] == [3, 2]
    assert (study.name, study.seed, len(study.speakers)) == ("X", 3, 5)
    women = np.array([sex == "f" for sex in before.sex or ()])
    wanted = similarity_matrices(take(before, women), take(after, women))
    for name, measure in study.groups[0].measures.items():
        assert measure.value == measure.info.of(wanted), name
    everyone = similarity_matrices(before, after)
    assert set(study.matrices) == {"oo", "aa", "oa"}
    for kind, rows in study.matrices.items():
        assert np.array_equal(np.array(rows), everyone[kind].values)


@pytest.mark.parametrize(("sexes", "name"), [("fff", "women"), ("mm", "men"), ("xx", "all")])
def test_one_sex_is_one_group(sexes: str, name: str) -> None:
    before = voices(sexes)
    assert [group.name for group in similarity_study(voices(sexes, seed=2), before).groups] == [name]
    unknown = Embeddings(before.vectors, before.utterances, before.speakers)
    assert [group.name for group in similarity_study(voices(sexes, seed=2), unknown).groups] == ["all"]


# Recordings to listen to


@pytest.fixture
def corpora(tmp_path: Path) -> tuple[Corpus, Corpus]:
    """Five speakers of four utterances, six seconds each, and copies of all but those of one speaker."""
    sides = []
    for side, level in (("before", 0.1), ("after", 0.2)):
        utterances = []
        for k in range(20):
            path = tmp_path / side / f"s{k // 4}-{k}.wav"
            path.parent.mkdir(exist_ok=True)
            write_recording(path, Recording(np.full(6 * RATE, level + k / 1000), RATE))
            utterances.append(Utterance(path.stem, path, f"s{k // 4}", "f", "words" if k % 2 else None))
        sides.append(Corpus(tmp_path / side, tuple(utterances)))
    after = replace(sides[1], utterances=tuple(u for u in sides[1].utterances if u.speaker != "s2"))
    return with_trials(sides[0]), after


def exposed(**eers: float | None) -> Evaluation:
    groups = {
        name: Group(measures={} if eer is None else {"eer": Measure(MEASURES["eer"], eer)})
        for name, eer in eers.items()
    }
    nobody, everybody = (Assessment({}, 1, 1, groups=by) for by in ({}, {"speaker": groups}))
    return Evaluation("X", (nobody, everybody))


def test_speakers_are_ordered_from_the_worst_protected() -> None:
    assert by_exposure(exposed(a=0.4, b=0.1, c=None, d=0.4)) == ["b", "a", "d"]
    assert by_exposure(exposed()) == []


def test_the_worst_the_middle_and_the_best_protected_are_heard(corpora: tuple[Corpus, Corpus]) -> None:
    before, after = corpora
    trials = {utterance.name for utterance in before.utterances} - set(before.enrollment)
    heard = before_and_after(before, after, exposed(s0=0.5, s1=0.1, s2=0.0, s3=0.3, s4=0.2))
    assert [one.speaker for one in heard] == ["s1", "s3", "s0"], "s2 has no copy"
    for one in heard:
        first = min(
            (name for name in trials if name.startswith(f"{one.speaker}-")), key=lambda name: int(name.split("-")[1])
        )
        number = int(first.split("-")[1])
        assert one.sex == "f"
        assert one.text == ("words" if number % 2 else "")
        for side, level in ((one.before, 0.1), (one.after, 0.2)):
            head, data = side.split(",")
            assert head == "data:audio/wav;base64"
            samples, rate = decode_wav(b64decode(data))
            assert (len(samples), rate) == (5 * RATE, RATE)
            assert float(samples.mean()) == pytest.approx(level + number / 1000, abs=1e-4)
    some = before_and_after(before, after, Evaluation("X", ()))
    assert [one.speaker for one in some] == ["s0", "s3", "s4"]
    renamed = replace(after, utterances=tuple(replace(u, name=f"new {u.name}") for u in after.utterances))
    assert before_and_after(before, renamed, Evaluation("X", ())) == ()


# Side by side


def scored(shift: float, seed: int, digest: str = "same") -> TrialScores:
    rng = np.random.default_rng(seed)
    people = np.repeat(np.arange(20), 5).astype(np.int32)
    who = Factor(tuple(f"s{k}" for k in range(20)), people, people)
    return TrialScores(rng.normal(shift, 1, 100), rng.normal(0, 1, 100), who, who, trial_digest=digest)


def test_the_first_is_compared_with_each_other_one() -> None:
    systems = {"a": scored(3.0, 0), "b": scored(1.0, 1), "c": scored(1.0, 2, "other")}
    found = compare_pairs(systems, resamples=100, seed=2)
    assert list(found.differences) == ["a - b"]
    difference = found.differences["a - b"]["eer"]
    assert difference.difference < 0
    assert (difference.more_private, difference.resamples) == (2, 100)
    (finding,) = found.findings
    assert (finding.code, finding.severity) == ("not_paired", "remark")
    assert finding.message.startswith("a and c could not be compared pair by pair: ")
    none = compare_pairs(systems, resamples=0)
    assert (dict(none.differences), [one.code for one in none.findings]) == ({}, ["not_paired"])
    assert "--resamples 1000" in none.findings[0].message
    assert compare_pairs({"a": systems["a"]}, resamples=0).findings == ()


def test_results_are_flattened_under_names_that_say_where_they_come_from() -> None:
    one = assess_scores(scored(1.0, 0), name="one", attacker="lazy")
    whole = Evaluation("B1", (one, replace(one, attacker="semi")), replace(one, name="orig"))
    assert [part.name for part in flatten(whole)] == ["B1: original", "B1: lazy", "B1: semi"]
    assert [part.name for part in flatten(Evaluation("B1", (one,), None))] == ["B1: lazy"]
    assert flatten(Comparison((one,), {})) == [one]
    assert flatten(one) == [one]
    with pytest.raises(InputError, match="kind 'similarity' cannot stand beside scores"):
        flatten(similarity_study(voices("ff"), voices("ff")))
    other = assess([1.0, 2.0, 5.0], [0.0, 1.5, 1.0], name="other")
    both = compare_results([one, other], {"a - b": {}}, ())
    assert [part.name for part in both.results] == ["one", "other"]
    assert dict(both.differences) == {"a - b": {}}
    assert [finding.code for finding in compare_results([one, one]).warnings] == ["identical"]
