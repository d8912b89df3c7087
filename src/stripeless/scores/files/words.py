"""The words that score files use: for the two classes, and for the columns of a table."""

from __future__ import annotations

from stripeless.errors import FileError, listed

_TARGET = "target tgt tar true genuine mated match same 1 1.0 +1"
_NONTARGET = (
    "nontarget non-target non_target nontgt non imp impostor imposter false nonmated non-mated non_mated "
    "nonmatch different 0 0.0 -1"
)
TARGET, NONTARGET = frozenset(_TARGET.split()), frozenset(_NONTARGET.split())

# Column names by role, the most telling first; compared in small letters, blanks and hyphens as underscores.
ROLES = {
    "score": "score scores llr log_likelihood_ratio plda_score plda cosine_score cosine similarity similarity_score",
    "label": "label labels is_target key class trial_type ground_truth truth y_true y same_speaker target mated "
    "genuine",
    "enrollment": "enrollment enrollment_id enroll enroll_id enrol enrol_id enrolment model model_id modelid reference "
    "reference_id template template_id enrollment_utterance utt1",
    "trial": "trial trial_id utterance utterance_id utt utt_id uttid test test_id segment segment_id segmentid probe "
    "probe_id trial_utterance test_utterance utt2",
    "enrollment_speaker": "enrollment_speaker enroll_speaker enrol_speaker enrollment_spk enroll_spk model_speaker "
    "reference_speaker speaker1 speaker_1 spk1",
    "trial_speaker": "trial_speaker test_speaker probe_speaker trial_spk test_spk speaker2 speaker_2 spk2 speaker spk",
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
