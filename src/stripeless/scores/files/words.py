"""The words that score files use: for the two classes, and for the columns of a table."""

from __future__ import annotations

from stripeless.errors import FileError, listed

_TARGET = "target tgt tar true genuine mated match same 1 1.0 +1"
_NONTARGET = (
    "nontarget non-target non_target nontgt non imp impostor imposter false nonmated non-mated non_mated "
    "nonmatch different 0 0.0 -1"
)
TARGET, NONTARGET = frozenset(_TARGET.split()), frozenset(_NONTARGET.split())

MODEL_SIDE = "enrollment enrolment enroll enrol enrolled model reference ref template claimed target"
TRIAL_SIDE = "trial test probe segment utterance utt"
PERSON = "speaker speaker_id spk spk_id spkid"


def people_at(sides: str) -> str:
    """Names of a column that says who is at one of these sides, such as test_speaker and spk_test."""
    return " ".join(
        name for side in sides.split() for word in PERSON.split() for name in (f"{side}_{word}", f"{word}_{side}")
    )


# Column names by role, the most telling first; compared in small letters, blanks and hyphens as underscores.
ROLES = {
    "score": "score scores llr log_likelihood_ratio plda_score plda cosine_score cosine similarity similarity_score",
    "label": "label labels is_target key class trial_type ground_truth truth y_true y same_speaker target mated "
    "genuine",
    "enrollment": "enrollment enrollment_id enroll enroll_id enrol enrol_id enrolment model model_id modelid model_name "
    "reference reference_id template template_id enrollment_model enrollment_model_id enroll_model enroll_model_id "
    "enrollment_utterance enroll_utterance enroll_utt utt1",
    "trial": "trial trial_id utterance utterance_id utt utt_id uttid test test_id segment segment_id segmentid probe "
    "probe_id trial_utterance trial_utt test_utterance test_utt test_utt_id test_segment test_segment_id utt2",
    "enrollment_speaker": f"{people_at(MODEL_SIDE)} speaker1 speaker_1 spk1 spkid1 speaker_a",
    "trial_speaker": f"{people_at(TRIAL_SIDE)} speaker2 speaker_2 spk2 spkid2 speaker_b {PERSON}",
}


def is_target(word: str) -> bool | None:
    """True for a target, False for a nontarget, None for a word that is neither.

    >>> is_target("Genuine"), is_target("imp"), is_target("maybe")
    (True, False, None)
    """
    word = word.strip().lower()
    return True if word in TARGET else False if word in NONTARGET else None


def roles_by_name(names: list[str]) -> dict[str, int]:
    """Which column plays which role, by its name.

    >>> roles_by_name(["Model ID", "segment", "LLR", "sex"])
    {'score': 2, 'enrollment': 0, 'trial': 1}
    """
    plain = [name.strip().lower().replace(" ", "_").replace("-", "_") for name in names]
    found = {}
    for role, synonyms in ROLES.items():
        places = [plain.index(synonym) for synonym in synonyms.split() if synonym in plain]
        if places:
            found[role] = places[0]
    return found


def check_names(path: str, names: list[str]) -> dict[str, int]:
    """The roles of the columns; a table without scores or labels is refused with the names that it has."""
    roles = roles_by_name(names)
    if "score" not in roles and "label" not in roles:
        raise FileError(path, no_score(names))
    return roles


def no_score(names: list[str]) -> str:
    seen = listed(repr(name) for name in names)
    return f"no column is named score or llr; the columns are {seen}: rename the one that holds the scores"
