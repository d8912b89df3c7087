"""The steps of the study of pseudo-speakers, each against an answer worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pseudo_population import SMALL, population

from stripeless.attackers.inversion.linear_map import LinearMap
from stripeless.attackers.pseudonyms import (
    ATTACKERS,
    Known,
    PseudoData,
    centered_cosines,
    halves_of,
    learn,
    original_backend,
    score_matrices,
    sources,
    stacked,
)
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import length_normalized, speaker_means, take
from stripeless.measures.linkability import linkability
from stripeless.protections.pseudo.catalog import make_pseudo_speakers
from stripeless.protections.pseudo.pool import Pool
from stripeless.ranks.beta_binomial import fit_beta_binomial
from stripeless.ranks.disclosure import rank_disclosure
from stripeless.scores.trials import Factor, TrialScores
from stripeless.studies.pseudonyms import (
    as_heard,
    as_trials,
    ceiling,
    how_heard,
    inversion_chance,
    joined,
    linked,
    nearest_angle,
    pseudo_study,
    rank_bits,
    rank_counts,
    top_1,
)


def people(names: str, each: int, vectors: Any = None, prefix: str = "", role: str = "") -> Embeddings:
    """Speakers named by letters: small letters are women, capitals men."""
    who = [name for name in names for _ in range(each)]
    if vectors is None:
        vectors = np.random.default_rng(len(names)).normal(size=(len(who), 16))
    rows = tuple(f"{prefix}{role}{name}{k}" for k, name in enumerate(who))
    return Embeddings(
        np.asarray(vectors, dtype=float),
        rows,
        tuple(prefix + name for name in who),
        tuple("f" if n.islower() else "m" for n in who),
    )


JUDGED = population(12, 4, seed=5, prefix="j")
ODD = np.arange(len(JUDGED)) % 4 < 2
DATA = PseudoData(
    "simulated", take(JUDGED, ODD), take(JUDGED, ~ODD), population(14, 4, seed=6, prefix="t"), Pool.of(population())
)


# What the attackers do


def test_every_other_utterance_of_each_speaker_is_taken_for_enrollment() -> None:
    mixed = people("aba", 3)
    first, second = halves_of(take(mixed, np.arange(9)))
    assert first.utterances == ("a0", "a2", "b3", "b5", "a7")
    assert second.utterances == ("a1", "b4", "a6", "a8")


def test_sources_are_speakers_or_utterances() -> None:
    said = people("ab", 2)
    assert sources(said, "utterance") is said
    assert np.allclose(sources(said, "speaker").vectors, said.vectors.reshape(2, 2, -1).mean(axis=1))
    vectors, names, sexes = stacked([said, people("C", 1)])
    assert (vectors.shape, names, sexes) == ((5, 16), ("a", "a", "b", "b", "C"), ("f", "f", "f", "f", "m"))


def test_cosines_are_around_the_attackers_own_people() -> None:
    training = people("ab", 1, [[2.0, 0.0], [0.0, 3.0]])  # center (0.5, 0.5)
    found = centered_cosines(np.array([[5.0, 0.0]]), np.array([[1.5, 0.5], [0.5, 1.5], [0.5, 0.5]]), training)
    np.testing.assert_allclose(found, [[np.sqrt(0.5), -np.sqrt(0.5), 0.0]], atol=1e-9)


@pytest.fixture(scope="module")
def system() -> Any:
    return make_pseudo_speakers("k2", DATA.pool, {"epsilon": 8.0}, seed=3)


@pytest.fixture(scope="module")
def known(system: Any) -> Known:
    return learn(DATA, system, original_backend(DATA), repeats=2)


def test_each_attacker_compares_what_its_name_says(system: Any, known: Known) -> None:
    found = score_matrices(DATA, system, known)
    assert tuple(found) == ATTACKERS
    models = speaker_means(DATA.enrollment).vectors
    hidden = system.apply(DATA.trials, role="trial").vectors
    enrolled = speaker_means(system.apply(DATA.enrollment, role="enrollment")).vectors
    twos, ones = np.full(12, 2.0), np.ones(12)
    np.testing.assert_allclose(found["ignorant"], known.on_original.scores(models, hidden, twos))
    np.testing.assert_allclose(found["lazy-informed"], known.on_original.scores(enrolled, hidden, ones))
    np.testing.assert_allclose(found["semi-informed"], known.on_pseudo.scores(enrolled, hidden, ones))
    np.testing.assert_allclose(found["repeating"], known.on_pseudo.scores(known.repeated, hidden, ones))
    inverted = known.inversions["ridge"].apply(length_normalized(hidden))
    np.testing.assert_allclose(found["inverting"], centered_cosines(models, inverted, DATA.training))


def test_pseudo_speakers_of_utterances_are_enrolled_as_means_of_several() -> None:
    counted: list[Any] = []

    class Counting:
        def scores(self, models: np.ndarray, trials: np.ndarray, counts: np.ndarray) -> np.ndarray:
            counted.append(counts.tolist())
            return np.zeros((len(models), len(trials)))

    each = make_pseudo_speakers("k2", DATA.pool, {"epsilon": 8.0, "per": "utterance"}, seed=3)
    blind = LinearMap(np.eye(16))
    means = speaker_means(DATA.enrollment).vectors
    score_matrices(DATA, each, Known(Counting(), Counting(), means, {"ridge": blind}, ("", "")))
    assert counted == [[2.0] * 12, [2.0] * 12, [2.0] * 12, [1.0] * 12]


def test_who_draws_is_repeated_with_seeds_of_the_attackers_own(system: Any, known: Known) -> None:
    from stripeless.attackers import pseudonyms

    mine = [replace(system, seed=pseudonyms.OWN_SEED + number) for number in range(2)]
    runs = [
        speaker_means(one.apply(DATA.enrollment, role=role)).vectors for one in mine for role in ("enrollment", "trial")
    ]
    np.testing.assert_allclose(known.repeated, np.mean(runs, axis=0))
    assert set(known.inversions) == {"ridge", "procrustes"}
    assert len(known.names) == 2
    undrawn = make_pseudo_speakers("a2", DATA.pool, SMALL["a2"])
    once = learn(DATA, undrawn, original_backend(DATA), repeats=5)
    both = [speaker_means(undrawn.apply(DATA.enrollment, role=role)).vectors for role in ("enrollment", "trial")]
    np.testing.assert_allclose(once.repeated, np.mean(both, axis=0))


# What the study makes of scores


def test_scores_become_trials_of_one_sex() -> None:
    enrolled, tried = people("abC", 2, prefix="x"), people("aCb", 1, prefix="x", role="trial ")
    data = replace(DATA, enrollment=enrolled, trials=tried)
    scores = as_trials(data, np.array([[1.0, 9.0, 2.0], [3.0, 9.0, 4.0], [9.0, 5.0, 9.0]]))
    assert sorted(scores.target) == [1.0, 4.0, 5.0]
    assert sorted(scores.nontarget) == [2.0, 3.0]


def test_people_keep_their_names_when_scores_are_joined() -> None:
    def part(names: tuple[str, ...], target: float) -> TrialScores:
        codes = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)
        return TrialScores(
            [target], [-target], enrollment_speakers=Factor(names, *codes), trial_speakers=Factor(names, *codes[::-1])
        )  # type: ignore[arg-type]

    both = joined([part(("a", "b"), 1.0), part(("b", "c"), 2.0)])
    assert (both.target.tolist(), both.nontarget.tolist()) == ([1.0, 2.0], [-1.0, -2.0])
    sides = {name: getattr(both, f"{name}_speakers") for name in ("enrollment", "trial")}
    spoken = {
        (name, kind): [side.names[code] for code in getattr(side, kind)]
        for name, side in sides.items()
        for kind in ("target", "nontarget")
    }
    assert spoken == {
        ("enrollment", "target"): ["a", "b"], ("enrollment", "nontarget"): ["b", "c"],
        ("trial", "target"): ["b", "c"], ("trial", "nontarget"): ["a", "b"],
    }  # fmt: skip


def test_ranks_are_among_the_enrolled_of_one_sex_by_the_first_trial_of_each() -> None:
    enrolled, tried = people("abcD", 1, prefix="x"), people("bacaD", 1, prefix="x")
    data = replace(DATA, enrollment=enrolled, trials=tried)
    scores = np.array(
        [  # trials  b    a    c    a    D
            [0.9, 0.5, 0.1, 9.0, 9.0],  # a
            [0.4, 0.7, 0.2, 9.0, 9.0],  # b
            [0.1, 0.6, 0.3, 9.0, 9.0],  # c
            [9.0, 9.0, 9.0, 9.0, 0.0],  # D, the only man: no rank
        ]
    )
    found = rank_counts(data, np.array([scores, scores]))
    assert list(found) == ["f"]
    ((counts, number),) = found["f"]
    assert number == 6, "three women, two seeds"
    assert rank_disclosure(counts).histogram.tolist() == [2.0, 2.0, 2.0], "c is first, b second, a third"


def test_bits_are_averaged_over_probes() -> None:
    enrolled = people("abcdef", 1, prefix="x")
    data = replace(DATA, enrollment=enrolled, trials=people("abcdef", 1, prefix="x"))
    ((sure, number),) = rank_counts(data, np.eye(6)[None])["f"]
    rng = np.random.default_rng(0)
    ((vague, more),) = rank_counts(data, np.eye(6) + rng.normal(size=(9, 6, 6)))["f"]
    bits = [fit_beta_binomial(rank_disclosure(counts).histogram).mean_disclosure for counts in (sure, vague)]
    found, chance = rank_bits([{"f": [(sure, number)]}, {"f": [(vague, more)]}])
    assert (number, more) == (6, 54)
    assert found == pytest.approx((6 * bits[0] + 54 * bits[1]) / 60)
    assert bits[0] > 2
    assert 0 < chance < 0.5
    assert rank_bits([{"f": [(sure, number)], "m": [(vague, more)]}])[0] == pytest.approx(found)


# What is heard


def test_pairs_of_one_sex_show_whether_trials_are_of_one_person() -> None:
    rng = np.random.default_rng(2)
    said = people("abCD", 3, np.repeat(rng.normal(size=(4, 3)), 3, axis=0) + 0.4 * rng.normal(size=(12, 3)))
    same, other = [], []
    for i in range(12):
        for j in range(i + 1, 12):
            if (said.sex or ())[i] == (said.sex or ())[j]:
                a, b = said.vectors[i], said.vectors[j]
                (same if i // 3 == j // 3 else other).append(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    assert linked(said) == pytest.approx(linkability(same, other))


def test_nearest_of_the_same_sex_and_nobody_where_there_is_one() -> None:
    corner = people("abcD", 1, [[1.0, 0.0], [1.0, 1.0], [-1.0, 1.0], [1.0, 0.01]])
    assert nearest_angle(corner) == pytest.approx((45 + 45 + 90) / 3)


def test_utterances_vary_around_a_pseudo_speaker_as_those_of_the_pool_do() -> None:
    rng = np.random.default_rng(0)
    pool = Pool.of(
        people(
            "abcdefgh", 5, np.repeat(rng.normal(size=(8, 2)), 5, axis=0) + rng.normal(size=(40, 2)) * [0.5, 2.0], "p"
        )
    )
    shown = people("xy", 2000, np.full((4000, 2), 7.0))
    off = as_heard(shown, pool).vectors - 7.0
    inner = (pool.utterances.vectors - pool.vectors[np.repeat(np.arange(8), 5)]) * np.sqrt(5 / 4)  # type: ignore[union-attr]
    assert {tuple(row) for row in off.round(9)} == {tuple(row) for row in inner.round(9)}
    np.testing.assert_allclose(off.std(axis=0), [0.5, 2.0], rtol=0.25)
    assert np.array_equal(as_heard(shown, pool).vectors - 7.0, off), "the same utterance is always said alike"


def test_a_blind_pick_knows_the_sex() -> None:
    data = replace(DATA, trials=people("aabC", 2, prefix="x"), enrollment=people("abC", 1, prefix="x"))
    women = (4 * 4 / 6 + 2 * 2 / 6) / 6
    assert inversion_chance(data) == pytest.approx((6 * women + 2 * 1.0) / 8)


def test_the_nearest_original_of_an_inverted_trial(system: Any, known: Known) -> None:
    class Same:
        def apply(self, embeddings: Embeddings, role: str) -> Embeddings:
            assert role == "trial"
            return embeddings

    found = top_1(
        DATA, Same(), replace(known, inversions={"none": LinearMap(np.eye(16)), "away": LinearMap(-np.eye(16))})
    )  # type: ignore[arg-type]
    assert found["none"] == 1.0
    assert found["away"] < 0.5


def test_what_is_heard_of_a_system_that_hides_nothing() -> None:
    class Nothing:
        def apply(self, embeddings: Embeddings, role: str) -> Embeddings:
            return embeddings

    deid, gain, link, near = how_heard(DATA, Nothing())  # type: ignore[arg-type]
    assert deid < 0.2
    assert abs(gain) < 3
    assert link > 0.5
    assert near == pytest.approx(nearest_angle(DATA.trials))


# The whole


def test_the_study_says_what_it_played_and_hides_the_seed(system: Any) -> None:
    found = pseudo_study([(DATA, system)], seeds=2, resamples=0, seed=4)
    assert tuple(found.attackers) == ATTACKERS
    assert all(name == one.attacker for name, one in found.attackers.items())
    assert found.attackers["ignorant"].seed == 4
    assert found.attackers["ignorant"].n_target == 2 * len(DATA.trials)
    plain = found.to_dict()
    assert set(plain["attackers"]) == set(ATTACKERS)
    assert plain["attackers"]["ignorant"]["eer"]["value"] == found.attackers["ignorant"]["eer"]
    assert plain["settings"]["epsilon"] == 8.0
    assert not {"seed", "roster"} & set(plain["settings"])
    assert plain["backends"] == list(found.backends)
    assert set(plain) == set(vars(found))
    assert found.inversion_chance == pytest.approx(1 / 6)
    assert set(found.inversions) == {"ridge", "procrustes"}
    assert found.rank_bits is not None
    assert found.rank_chance is not None
    twice = pseudo_study([(DATA, system), (DATA, system)], seeds=2, resamples=0, seed=4)
    assert twice.rank_bits is None, "bits of different crowds are not averaged"
    assert twice.rank_chance is None
    assert twice.attackers["ignorant"].n_target == 2 * found.attackers["ignorant"].n_target


def test_the_ceiling_is_the_same_comparison_of_originals() -> None:
    found = ceiling([DATA], resamples=0, seed=2)
    assert (found.attacker, found.seed) == ("original", 2)
    assert found["eer"] < 0.05  # type: ignore[operator]
    assert found.n_target == len(DATA.trials)
    assert ceiling([DATA, DATA], resamples=0).n_target == 2 * len(DATA.trials)
