"""`stripeless attack`: invert an anonymizer in the embedding space by every attack there is, and say what follows.

Learned on some people, judged on others, so that a table of pseudonyms does not pass for an inversion. Whether
pseudonyms return, for an attacker who has pairs of the people judged, is a question of its own: the pseudonym lookup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from stripeless.attackers.inversion.attacks import Learned, attackers_half_or_any, half_of_people
from stripeless.attackers.inversion.people import Part, other_people, same_people
from stripeless.attackers.inversion.protocol import Sets
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import check_same_dimension, need_speakers, paired, read_beside, take
from stripeless.errors import InputError
from stripeless.results.attack import OTHER_PEOPLE, AttackRow, AttackStudy, Conclusions
from stripeless.studies.attack_beside import chance_of, curve_of, identification_by
from stripeless.studies.attack_data import examine_attacked
from stripeless.studies.attack_played import (
    Played,
    inverted_evidence,
    linked_test,
    planted_controls,
    play_attacks,
)
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.leak import leaks
from stripeless.verdicts.margins import check_margin
from stripeless.verdicts.verdict import Verdict


def attack_study(
    anonymized: Embeddings,
    original: Embeddings,
    *,
    resamples: int = 300,
    seed: int = 0,
    name: str = "",
    enrollment: Embeddings | None = None,
    training_anonymized: Embeddings | None = None,
    training_original: Embeddings | None = None,
    margin: float | None = None,
) -> AttackStudy:
    """Play every attack on two files that list the same utterances, before and after anonymization.

    Everybody is judged by attackers who learned from other people only: people are dealt into groups, up to four, and
    each group is attacked with what the others teach. Beside it stands the pseudonym lookup, whose attacker learns from
    half of the utterances of the very people who are judged.

    Parameters:
        anonymized: embeddings after anonymization.
        original: embeddings of the same utterances before, with speakers.
        resamples: how often speakers are drawn for 95 % intervals: 100 or more, or 0 for no intervals.
        seed: start of the random draws; the same seed gives the same result.
        name: what the system is called in reports.
        enrollment: original embeddings that the judged people are enrolled with; None enrolls half of each speaker's
            utterances and judges the other half.
        training_anonymized: anonymized embeddings that the attacker learns from, of other people or of those judged; None
            learns from the people of the other groups.
        training_original: the same utterances before, with speakers; None takes `enrollment`, which also plays the
            protocol of Champion et al. 2021.
        margin: EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen"; None takes 40, or 35 with fewer
            than 20 people.
    Returns:
        An `AttackStudy`: one row per attack, chance and ceiling beside them, the pseudonym lookup, and what follows
        (`verdicts()`, and `conclusions()` as text).
    """
    check_margin(margin)
    several = (anonymized, original, enrollment, training_anonymized, training_original)
    inputs = tuple(dict.fromkeys(file for one in several if one is not None for file in one.inputs))
    training = _training(enrollment, training_anonymized, training_original)
    enrollment = None if enrollment is None else _in_order(enrollment)
    anonymized, original = _pairs(anonymized, original, "original")
    _check_enrollment(enrollment, original)
    warnings = examine_attacked((anonymized, original), enrollment, training, training_original is None)
    parts = other_people(anonymized, original, enrollment=enrollment, training=training, seed=seed)
    learned = [Learned.of(part, half_of_people(_taught(part), seed + 1), seed) for part in parts]
    played = play_attacks(learned, margin=margin, resamples=resamples, seed=seed)
    lookup = _of_part(same_people(anonymized, original, seed), margin, resamples, seed)
    inverted, matched = inverted_evidence(played, margin, seed)
    evidence = _controlled({"unlinkability": played.linked, "non_invertibility": inverted}, played, seed)
    judged = {name for part in parts for name in part.people}
    teachers = set() if training is None or enrollment is None else set(need_speakers(training[1], "training"))
    best = linked_test(played)
    chosen = tuple(one.dimensions for one in learned)
    study = AttackStudy(
        rows=played.rows,
        chance=chance_of(learned, seed),
        curve=tuple(curve_of(learned, seed)),
        identification=identification_by(learned, played.attacks, best.attack, seed),
        concluded=Conclusions("", ""),
        dimensions=chosen[0] if len(set(chosen)) == 1 else None,
        dimensions_by_group=chosen,
        training=min(len(part.training[0]) for part in parts),
        judged=sum(len(part.sets.original_trials) for part in parts),
        speakers=len(judged),
        groups=len(parts),
        known=0,
        taught=len(judged & teachers),
        seed=seed,
        name=name,
        inputs=inputs,
        protocol=OTHER_PEOPLE,
        lookup=lookup.rows,
        paper=_paper(anonymized, original, enrollment, training, resamples, seed) if judged & teachers else (),
        tests={"unlinkability": best, "non_invertibility": matched, "pseudonym_lookup": linked_test(lookup)},
        evidence={**evidence, "pseudonym_lookup": lookup.linked},
        warnings=warnings,
        notes=(*_left_out(original, judged), *read_beside(original, enrollment, training_original)),
    )
    return replace(study, concluded=Conclusions(**{name: _text(said) for name, said in study.verdicts().items()}))


def _controlled(evidence: Mapping[str, Evidence], played: Played, seed: int) -> dict[str, Evidence]:
    """With planted leaks beside them, where no leak was found: only then it matters whether one could have been."""
    if all(leaks(one) for one in evidence.values()):
        return dict(evidence)
    planted = planted_controls(played, seed)
    return {
        name: one if leaks(one) else replace(one, planted=control)
        for (name, one), control in zip(evidence.items(), planted, strict=True)
    }


def _text(said: Verdict) -> str:
    return " ".join((f"{said.label}.", said.headline, *said.sentences))


# What is given


def _pairs(anonymized: Embeddings, original: Embeddings, name: str) -> tuple[Embeddings, Embeddings]:
    """The two sides of the same utterances in one order, that of their names, with the speakers and sexes of the originals."""
    anonymized, original = paired(anonymized, _in_order(original))
    check_same_dimension(anonymized.vectors, original.vectors, ("anonymized", name))
    return Embeddings(anonymized.vectors, original.utterances, need_speakers(original, name), original.sex), original


def _check_enrollment(enrollment: Embeddings | None, original: Embeddings) -> None:
    """A recording is always recognized as itself."""
    if enrollment is None:
        return
    check_same_dimension(enrollment.vectors, original.vectors, ("enrollment", "original"))
    need_speakers(enrollment, "enrollment")
    both = sorted(set(enrollment.utterances) & set(original.utterances))
    if both:
        raise InputError(
            f"enrollment: {len(both)} of its utterances are judged as well, such as {both[0]!r}; enroll other recordings, or "
            "leave it out, and half of the utterances of each speaker enroll"
        )


def _in_order(embeddings: Embeddings) -> Embeddings:
    """Sorted by the names of the utterances, so that the order of rows cannot act."""
    return take(embeddings, np.array(sorted(range(len(embeddings)), key=lambda row: embeddings.utterances[row])))


def _training(
    enrollment: Embeddings | None, anonymized: Embeddings | None, original: Embeddings | None
) -> tuple[Embeddings, Embeddings] | None:
    if anonymized is None:
        if original is not None:
            raise InputError("training_original: the attacker learns from pairs; give training_anonymized too")
        return None
    original = enrollment if original is None else original
    if original is None:
        raise InputError("training_anonymized: the attacker learns from pairs; give training_original or enrollment")
    return _pairs(anonymized, original, "training_original")


def _taught(part: Part) -> tuple[str, ...]:
    return need_speakers(part.training[1], "training")


def _left_out(original: Embeddings, judged: set[str]) -> tuple[str, ...]:
    others = sorted(set(need_speakers(original, "original")) - judged)
    if not others:
        return ()
    listed = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
    return (
        f"{len(others)} people were not judged, because nobody of their sex could be compared with them: {listed}.",
    )


# The attacks


def _of_part(part: Part, margin: float | None, resamples: int, seed: int) -> Played:
    """Every attack on the people it learned from."""
    learned = [Learned.of(part, attackers_half_or_any(_taught(part), seed + 1), seed)]
    return play_attacks(learned, margin=margin, resamples=resamples, seed=seed)


def _paper(
    anonymized: Embeddings,
    original: Embeddings,
    enrollment: Embeddings | None,
    training: tuple[Embeddings, Embeddings] | None,
    resamples: int,
    seed: int,
) -> tuple[AttackRow, ...]:
    """The protocol of Champion et al. 2021: learn from the pairs of enrollment, whoever they are, and judge all trials."""
    assert enrollment is not None
    assert training is not None
    return _of_part(Part(training, Sets.of(enrollment, anonymized, original)), None, resamples, seed).rows
