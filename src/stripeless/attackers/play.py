"""The three attackers of VoicePrivacy 2020 played on embeddings, and whether each can be trusted.

    result = play_attackers(Embedded(enrollment, trials), Embedded(anonymized_enrollment, anonymized_trials),
                            training=Training(original=..., anonymized=...))

*Ignorant* compares original enrollment with anonymized trials. *Lazy-informed* anonymizes the enrollment too, but keeps the
recognizer trained on original speech. *Semi-informed* retrains it on anonymized speech: of other people, or, where there
is none, on the people who are not in the fold that is judged. Beside them stands what the same trials give away before
anonymization. All of them are tested together for a leak.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from stripeless.assessment.assess import assess_scores
from stripeless.assessment.doctor.exposed import with_exposed
from stripeless.attackers.backends import Backend, fit_whitened_cosine
from stripeless.attackers.battery import CONDITIONS, Battery
from stripeless.attackers.checks import check_attackers
from stripeless.attackers.embedded import Embedded, Training
from stripeless.attackers.joint import ATTACKERS, Played, joint_evidence, of_attacker, played_by
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.plda import Plda, fit_plda
from stripeless.embeddings.vectors import need_speakers, speaker_codes, speaker_means
from stripeless.errors import InputError
from stripeless.measures.lid import Lid, fit_lid_slope, lid
from stripeless.results.assessment import Assessment
from stripeless.results.evaluation import Evaluation
from stripeless.scores.check import FloatArray
from stripeless.scores.comparison import cosine_scores
from stripeless.scores.pairs import TrialList, generate_trials
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.margins import check_margin
from stripeless.verdicts.strongest import strongest_of

PUBLISHED = "PLDA"  # back-end of the challenge's attackers, where there is speech to train it on
WHITENED = 0.3  # shrinkage of the back-end that is tried beside it


def play_attackers(
    original: Embedded,
    anonymized: Embedded,
    *,
    training: Training | None = None,
    retrained: Embedded | None = None,
    trial_list: TrialList | None = None,
    name: str = "",
    resamples: int = 300,
    seed: int = 0,
    margin: float | None = None,
) -> Evaluation:
    """Every attacker the data allow, each with all measures, beside the original ceiling; told where not to trust them.

    The semi-informed attacker retrains the back-end on `training.anonymized` or uses the extractor behind `retrained`, and in
    any case learns from the judged people themselves, fold by fold, where they are eight of one sex or more.

    Parameters:
        original: enrollment and trials before anonymization, as one extractor sees them (`Embedded`).
        anonymized: the same utterances after it.
        training: embeddings of other people to train back-ends on, and how they were anonymized; None compares by
            cosine, and lets the semi-informed attacker learn fold by fold alone.
        retrained: the anonymized embeddings of an extractor that was itself retrained on anonymized speech.
        trial_list: which model meets which utterance; None takes all pairs within one sex.
        name: what the system is called in reports.
        resamples: how often people (or, where nobody is named, trials) are drawn for 95 % intervals: 100 or more, or 0
            for no intervals.
        seed: start of the random draws; the same seed gives the same result.
        margin: the EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen"; None takes 40, or 35 with
            fewer than 20 people.
    Returns:
        An `Evaluation`: one assessment per attacker, the ceiling as `original`, the findings, and under `evidence` what all
        attackers together show.
    """
    training = training or Training()
    check_margin(margin)
    trial_list = trial_list or generate_trials(original.enrollment, original.trials)
    for name_of, data in (("original", training.original), ("anonymized", training.anonymized)):
        _refuse_enrolled(name_of, data, trial_list)
    battery = Battery(
        "",
        original,
        anonymized,
        trial_list,
        seed,
        heard=retrained,
        taught=None if training.original is None else {PUBLISHED: _plda(training.original)},
        others=training.anonymized,
        learn=_back_ends,
    )
    played = played_by([battery], CONDITIONS)
    evidence = joint_evidence([battery], played, margin=margin, seed=seed)
    results = {}
    for who in ("original", *ATTACKERS):
        rivals = [_assessed(one, resamples, seed, evidence) for one in played if one.scored.attacker == who]
        if rivals:
            # the first one is the published design; among those who learned fold by fold, the strongest counts
            fixed = who == "original" or not played_of(played, who)[0].scored.learned
            results[who] = rivals[0 if fixed else strongest_of(rivals)]
    ceiling = results.pop("original")
    attackers = tuple(results.values())
    findings = check_attackers(original, anonymized, attackers, training, seed)
    if "semi-informed" not in results:
        findings = (*findings, _no_semi_informed())
    return Evaluation(
        name=name,
        attackers=attackers,
        original=ceiling,
        warnings=findings,
        notes=trial_list.notes,
        evidence=evidence,
        seed=seed,
    )


def played_of(played: list[Played], attacker: str) -> list[Played]:
    """What this attacker played."""
    return [one for one in played if one.scored.attacker == attacker]


def _refuse_enrolled(name: str, training: Embeddings | None, trials: TrialList) -> None:
    overlap = set() if training is None else set(need_speakers(training, "training")) & set(trials.models)
    if overlap:
        raise InputError(
            f"training.{name}: {len(overlap)} of its training speakers are enrolled, such as {sorted(overlap)[0]!r}; scores of "
            "people that a back-end was trained on say nothing about others"
        )


def _no_semi_informed() -> Finding:
    return Finding(
        "no-semi-informed",
        "caution",
        "The semi-informed attacker was not played: there are too few people to learn from. Give training speakers that were "
        "anonymized, or embeddings of an extractor retrained on anonymized speech. Without the strongest attacker privacy is "
        "overestimated.",
    )


def _plda(training: Embeddings) -> Plda:
    return fit_plda(training.vectors, need_speakers(training, "training"))


def _back_ends(training: Embeddings) -> Mapping[str, Backend]:
    """The published back-end, and one that finds more where training people are few."""
    whitened = fit_whitened_cosine(
        np.asarray(training.vectors, dtype=np.float64), need_speakers(training, "training"), WHITENED
    )
    return {PUBLISHED: _plda(training), f"WCCN {WHITENED:g}": whitened}


def _assessed(one: Played, resamples: int, seed: int, evidence: Evidence) -> Assessment:
    who, backend = one.scored.attacker, one.scored.backend
    test = None if who == "original" else of_attacker(evidence, who, one.row.name)
    result = assess_scores(
        one.scored.scores,
        resamples=resamples,
        seed=seed,
        name=who,
        attacker=who,
        llr=backend == PUBLISHED,
        evidence=test,
    )
    if who != "original":
        result = with_exposed(result, one.scored.scores, evidence)
    return replace(result, backend=backend)


def bits_per_trial(sets: Embedded, development: Embedded, *, plda: Plda | None = None) -> Lid:
    """ALID and its company for one attacker; the slope is learned on `development`, whose speakers must be others."""
    shared = set(need_speakers(sets.enrollment, "enrollment")) & set(
        need_speakers(development.enrollment, "development")
    )
    if shared:
        raise InputError(f"development: {len(shared)} of its speakers are judged too, such as {sorted(shared)[0]!r}")
    slope = fit_lid_slope(*_score_table(development, plda))
    return lid(*_score_table(sets, plda), slope)


def _score_table(sets: Embedded, plda: Plda | None) -> tuple[FloatArray, FloatArray]:
    """Trials against all enrolled speakers, and the column of the true one; speakers not enrolled are left out."""
    models = speaker_means(sets.enrollment)
    column = {name: i for i, name in enumerate(models.utterances)}
    speakers = need_speakers(sets.trials, "trials")
    rows = [i for i, speaker in enumerate(speakers) if speaker in column]
    if not rows:
        raise InputError("no trial speaker is enrolled; enrollment and trials must share speakers")
    tests = sets.trials.vectors[rows]
    if plda is None:
        scores = cosine_scores(tests, models.vectors)
    else:
        counts = np.bincount(speaker_codes(need_speakers(sets.enrollment, "enrollment"))[1])
        scores = plda.scores(models.vectors, tests, counts).T
    return scores, np.array([column[speakers[i]] for i in rows])
