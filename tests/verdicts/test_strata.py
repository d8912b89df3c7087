"""Labels of trials: which make groups of people, which groups of trials, and which make none."""

from __future__ import annotations

import numpy as np
import pytest
from verdict_trials import square_trials, trial_scores

from stripeless.verdicts.strata import Strata, crossed, strata_of

PEOPLE = 10


def strata(columns: dict[str, list[str]], recordings: int = 4, people: int = PEOPLE) -> Strata:
    """Everybody against everybody; a column is a value for each person, or for each recording of each person."""
    trials = square_trials(np.zeros((people, people)), recordings)
    spread = {
        name: [
            values[int(trial[1][1:])]
            if len(values) == people
            else values[int(trial[1][1:]) * recordings + k % recordings]
            for k, trial in enumerate(trials)
        ]
        for name, values in columns.items()
    }
    return strata_of(trial_scores(trials, spread))


def test_without_labels_all_are_one_group() -> None:
    found = strata({})
    assert found.labels == ("",)
    assert found.group.tolist() == [0] * PEOPLE
    assert set(found.trial_group.tolist()) == {0}
    assert not found.said


def test_people_come_in_alphabetical_order() -> None:
    found = strata_of(trial_scores([("b", "b", 1.0), ("a", "a", 1.0), ("b", "a", 0.0), ("c", "b", 0.0)]))
    assert found.names == ("a", "b", "c")
    assert found.place[:3].tolist() == [1, 0, 2]


def test_sexes_make_groups_however_few_they_are() -> None:
    found = strata({"sex": ["f"] + ["m"] * 9})
    assert found.labels == ("f", "m")
    assert found.group.tolist() == [0] + [1] * 9 or found.group.tolist() == [1] + [0] * 9
    assert not found.said


def test_three_of_each_sex_are_still_two_groups() -> None:
    assert strata({"sex": ["f"] * 3 + ["m"] * 3}, people=6).labels == ("f", "m")
    assert strata({"accent": ["f"] * 3 + ["m"] * 3}, people=6).labels == ("",)


@pytest.mark.parametrize("label", ["data set", "accent"])
def test_other_labels_need_four_people_for_a_value(label: str) -> None:
    assert len(strata({label: ["x"] * 5 + ["y"] * 5}).labels) == 2
    few = strata({label: [f"{k // 3}" for k in range(PEOPLE)]})
    assert few.labels == ("",)
    assert len(few.said) == 1
    assert label in few.said[0]


def test_a_label_that_everybody_shares_says_nothing() -> None:
    found = strata({"data set": ["x"] * PEOPLE})
    assert not found.said
    assert set(found.group.tolist()) == {0}


def test_two_labels_of_people_are_crossed() -> None:
    found = strata({"sex": ["f"] * 8 + ["m"] * 8, "set": (["x"] * 4 + ["y"] * 4) * 2}, people=16)
    assert sorted(found.labels) == ["f x", "f y", "m x", "m y"]
    assert np.bincount(found.group).tolist() == [4, 4, 4, 4]


def test_sessions_make_groups_of_trials() -> None:
    found = strata({"session": ["one", "one", "two", "two"] * PEOPLE})
    assert set(found.group.tolist()) == {0}
    assert np.bincount(found.trial_group).tolist().count(2 * PEOPLE**2) == 2
    assert not found.said


def test_rooms_that_belong_to_one_person_make_none_and_the_reader_is_told() -> None:
    found = strata({"room": [f"r{k}" for k in range(2 * PEOPLE) for _ in range(2)]})
    assert set(found.trial_group.tolist()) == {0}
    assert found.said == (
        "The values of 'room' belong to too few people each to compare within them, so what comes from 'room' cannot be told "
        "from what comes from the person.",
    )


def test_trials_of_a_rare_session_are_a_group_of_their_own() -> None:
    sessions = ["one", "one", "two", "two"] * PEOPLE
    sessions[0] = "odd"
    found = strata({"session": sessions})
    assert (found.trial_group >= 0).all(), "nobody's trials are left out"
    assert np.bincount(found.trial_group).min(where=np.bincount(found.trial_group) > 0, initial=10**6) == PEOPLE
    assert not found.said


def test_people_without_target_trials_have_the_value_of_all_their_trials() -> None:
    trials = [
        one
        for one in square_trials(np.zeros((8, 8)))
        if (one[:2] != ("p07", "p07") and one[0] < "p04") or one[1] >= "p04"
    ]
    within = [one for one in trials if (one[0] < "p04") == (one[1] < "p04") and one[:2] != ("p07", "p07")]
    found = strata_of(trial_scores(within, {"sex": ["f" if one[1] < "p04" else "m" for one in within]}))
    assert found.group[found.names.index("p07")] == found.group[found.names.index("p06")]


def test_the_order_of_names_in_a_column_does_not_act() -> None:
    one = strata({"sex": ["f", "m"] * 5})
    other = strata({"sex": ["m", "f"] * 5})
    assert sorted(np.bincount(one.group).tolist()) == sorted(np.bincount(other.group).tolist()) == [5, 5]


def test_groups_that_agree_stay_and_unknown_is_unknown() -> None:
    assert crossed([np.array([0, 0, 1, 1]), np.array([0, 1, 1, -1])]).tolist()[3] == -1
    found = crossed([np.array([0, 0, 1, 1, 0]), np.array([0, 1, 1, 1, 0])])
    assert found[0] == found[4] != found[1] != found[2] == found[3]
