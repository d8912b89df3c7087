"""Every attacker on voices, played against one anonymizer: enrollment and trials, before and after.

For each encoder: the original (ceiling), the ignorant attacker (original enrollment, anonymized trials), the lazy-informed
(both anonymized), the semi-informed (both anonymized, comparison or whole network relearned on anonymized speech: of other
people, or fold by fold). The strongest encoder and comparison of each attacker goes into the evaluation; all of them stand
in the table and are tested together.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stripeless.assessment.assess import assess_scores
from stripeless.assessment.doctor.exposed import with_exposed
from stripeless.assessment.groups import assess_groups
from stripeless.attackers.backends import Backend, fit_backend
from stripeless.attackers.battery import CONDITIONS, Battery, Scored
from stripeless.attackers.embedded import Embedded
from stripeless.attackers.joint import Played as Tried
from stripeless.attackers.joint import Say, joint_evidence, of_attacker
from stripeless.audio.corpus import Corpus
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import need_speakers, take
from stripeless.results.assessment import Assessment
from stripeless.scores.pairs import TrialList
from stripeless.scores.trials import TrialScores
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.strongest import strongest_of

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Encoded:
    """What one encoder made of the corpus before and after, and of training speech where there is some."""

    encoder: str
    original: Embeddings
    anonymized: Embeddings
    training: Embeddings | None = None
    standardize: bool = False
    retrained: bool = False  # the encoder itself was trained on anonymized speech


@dataclass(frozen=True, eq=False)
class Played:
    """One encoder in the hands of one attacker: the scores and what they give away, and how they came about."""

    encoder: str
    attacker: str
    backend: str
    scores: TrialScores
    assessment: Assessment
    battery: Battery
    scored: Scored


def trial_list(corpus: Corpus) -> TrialList:
    """The corpus' trials in the form that comparison takes."""
    models = tuple(dict.fromkeys(trial.enrolled for trial in corpus.trials))
    utterances = tuple(dict.fromkeys(trial.utterance for trial in corpus.trials))
    model_number, number = ({name: k for k, name in enumerate(names)} for names in (models, utterances))
    return TrialList(
        models,
        utterances,
        np.array([model_number[trial.enrolled] for trial in corpus.trials], dtype=np.int64),
        np.array([number[trial.utterance] for trial in corpus.trials], dtype=np.int64),
        np.array([trial.target for trial in corpus.trials]),
        corpus.notes,
    )


def battery_of(encoded: Encoded, corpus: Corpus, seed: int = 0) -> Battery:
    """The attackers that can be played with one encoder."""
    enrolls, wanted = set(corpus.enrollment), {trial.utterance for trial in corpus.trials}
    sexes = {utterance.speaker: utterance.sex for utterance in corpus.utterances}

    def sides(data: Embeddings) -> Embedded:
        if any(sexes.values()):
            data = replace(data, sex=tuple(sexes.get(name, "") for name in need_speakers(data, "corpus")))
        rows = [[k for k, name in enumerate(data.utterances) if name in some] for some in (enrolls, wanted)]
        return Embedded(take(data, rows[0]), take(data, rows[1]))

    original, anonymized = sides(encoded.original), sides(encoded.anonymized)

    def learn(others: Embeddings) -> Mapping[str, Backend]:
        backend, name = fit_backend(
            others.vectors.astype(np.float64), need_speakers(others, "training"), others.sex, seed
        )
        return {name: backend}

    return Battery(
        encoded.encoder,
        original,
        anonymized,
        trial_list(corpus),
        seed,
        heard=anonymized if encoded.retrained else None,
        others=None if encoded.retrained else encoded.training,
        learn=learn,
        standardize=encoded.standardize,
    )


def play_encoder(
    encoded: Encoded, corpus: Corpus, conditions: Sequence[str] = CONDITIONS, *, resamples: int = 0, seed: int = 0
) -> list[Played]:
    """Play these attackers with one encoder; one that was itself retrained is semi-informed and nothing else."""
    asked = ("semi-informed",) if encoded.retrained else CONDITIONS
    battery = replace(battery_of(encoded, corpus, seed), conditions=tuple(one for one in asked if one in conditions))
    return [played(battery, scored, encoded, resamples, seed) for scored in battery.play()]


def played(battery: Battery, scored: Scored, encoded: Encoded, resamples: int, seed: int) -> Played:
    """One attacker with its measures; the test of all of them together comes later (`judged_together`)."""
    result = assess_scores(
        scored.scores, resamples=resamples, seed=seed, name=encoded.encoder, attacker=scored.attacker, permutations=0
    )
    known = f"{encoded.encoder}, {'network retrained' if encoded.retrained else scored.backend}"
    return Played(
        encoded.encoder, scored.attacker, scored.backend, scored.scores, replace(result, backend=known), battery, scored
    )


def judged_together(
    several: Sequence[Played], *, margin: float | None = None, seed: int = 0, say: Say = LOG.info
) -> tuple[list[Played], Evidence]:
    """All attackers with all encoders tested at once; each of them with what the test says of it."""
    batteries = list({id(one.battery): one.battery for one in several}.values())
    tried = [Tried(one.battery, one.scored) for one in several]
    evidence = joint_evidence(batteries, tried, margin=margin, seed=seed, say=say)
    told = [
        one
        if one.attacker == "original"
        else replace(
            one,
            assessment=with_exposed(
                replace(one.assessment, evidence=of_attacker(evidence, one.attacker, each.row.name)),
                one.scores,
                evidence,
            ),
        )
        for one, each in zip(several, tried, strict=True)
    ]
    return told, evidence


def score_files(several: Sequence[Played]) -> dict[str, Played]:
    """Each attacker under the name of its score file: encoder and attacker; of several back-ends the strongest has that name,
    and the others theirs behind it.
    """
    found: dict[str, Played] = {}
    for encoder, attacker in dict.fromkeys((one.encoder, one.attacker) for one in several):
        rivals = [one for one in several if (one.encoder, one.attacker) == (encoder, attacker)]
        best = rivals[strongest_of([one.assessment for one in rivals])]
        found[f"{encoder}-{attacker}"] = best
        for one in rivals:
            if one is not best:
                kind = one.backend.removesuffix(", cross-fitted").lower().replace(" ", "-")
                found[f"{encoder}-{attacker}-{kind}"] = one
    return found


def with_groups(one: Played, *, resamples: int = 0, seed: int = 0) -> Assessment:
    """The assessment with results by sex and by speaker: who is worst protected."""
    groups: dict[str, Any] = {}
    if "sex" in one.scores.columns:
        groups["sex"] = assess_groups(one.scores, "sex", resamples=resamples, seed=seed)
    groups["speaker"] = assess_groups(one.scores, "speaker")
    return replace(one.assessment, groups=groups)


def strongest_encoder(played: Sequence[Played], attacker: str) -> Played | None:
    """The encoder and comparison with which this attacker learns most, by the one rule for it."""
    rivals = [one for one in played if one.attacker == attacker]
    return rivals[strongest_of([one.assessment for one in rivals])] if rivals else None
