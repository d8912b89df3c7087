"""From embeddings, or any observations of known people, to a report on rank disclosure."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import speaker_means, take
from stripeless.errors import InputError, TooFewTrials
from stripeless.parallel.engine import TimedProgress
from stripeless.parallel.executors import Who
from stripeless.ranks.analysis import RankAnalysis, analyze_ranks, sampled_eer
from stripeless.ranks.counts import RankCounts, ranking_job
from stripeless.ranks.run import RankJob, count_all
from stripeless.ranks.stream import segments, stream_disclosure
from stripeless.ranks.sum import LEAST_PROBES, add_disclosures
from stripeless.results.codec import record_of
from stripeless.results.ranks import FeatureSum, RankFeature, RankGrowth, RankReport


@dataclass(frozen=True)
class RankSettings:
    """How to compare and compute: the metric, who does the work, how many resamples."""

    metric: str = "cosine"
    executor: Who = None
    device: str | None = None
    resume: str | os.PathLike[str] | None = None
    progress: TimedProgress | None = None
    resamples: int = 200
    seed: int = 0

    def count(self, job: RankJob) -> RankCounts:
        above, tied = count_all(job, self.executor, self.device, self.resume, self.progress)
        return RankCounts(above, tied, len(job.templates))


def rank_against(
    probes: Embeddings, templates: Embeddings, settings: RankSettings, name: str = ""
) -> tuple[RankAnalysis, RankCounts]:
    """Every probe utterance against one template per speaker: the mean of the speaker's vectors in `templates`."""
    if probes.speakers is None or templates.speakers is None:
        side = "probes" if probes.speakers is None else "templates"
        raise InputError(f"{side}: the speakers are not known; add an utt2spk file beside the vectors")
    by_name = np.argsort(np.asarray(templates.speakers), kind="stable")  # the order that a sampled EER draws from
    enrolled = speaker_means(take(templates, by_name))
    job = ranking_job(probes, enrolled, settings.metric)
    counts = settings.count(job)
    return (
        analyze_ranks(
            counts,
            name=name,
            speakers=probes.speakers,
            resamples=settings.resamples,
            seed=settings.seed,
            eer=sampled_eer(job, settings.seed) if len(job.templates) > 1 else None,
            metric=settings.metric,
        ),
        counts,
    )


def with_template(probes: Embeddings, templates: Embeddings) -> Embeddings:
    """The probes whose speaker has a template."""
    known = set(templates.speakers or ())
    rows = [row for row, speaker in enumerate(probes.speakers or ()) if speaker in known]
    if not rows:
        raise InputError("probes: not one speaker has a template; are these files of the same people?")
    return take(probes, rows)


def observations_of(
    embeddings: Embeddings, least: int = 2, most: int | None = None
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Speakers x K x dimension in the order of the file; K as many as all speakers have (of those with `least` or more)."""
    if embeddings.speakers is None:
        raise InputError("embeddings: the speakers are not known; add an utt2spk file beside the vectors")
    rows: dict[str, list[int]] = {}
    for row, speaker in enumerate(embeddings.speakers):
        rows.setdefault(speaker, []).append(row)
    kept = {speaker: found for speaker, found in rows.items() if len(found) >= least}
    if len(kept) < 2:
        raise TooFewTrials(
            f"embeddings: {len(kept)} of {len(rows)} speakers have {least} or more utterances; ranking needs two such speakers"
        )
    count = min(len(found) for found in kept.values())
    count = count if most is None else min(count, most)
    picked = np.array([found[:count] for found in kept.values()])
    return embeddings.vectors[picked], tuple(kept)


def rank_within(
    observations: NDArray[Any],
    speakers: Sequence[str],
    settings: RankSettings,
    *,
    name: str = "",
    probe_length: int = 1,
    template_length: int = 1,
) -> tuple[RankAnalysis, RankCounts]:
    """Eq. 6: every start gives one probe and one template per speaker, from the same recordings, never overlapping."""
    count = observations.shape[1]
    above, tied, first = [], [], None
    for start in range(count):
        probe, template = segments(start, probe_length, template_length, count)
        job = ranking_job(observations[:, probe].mean(axis=1), observations[:, template].mean(axis=1), settings.metric)
        first = first or job
        counts = settings.count(job)
        above.append(counts.above)
        tied.append(counts.tied)
    assert first is not None
    pooled = RankCounts(np.concatenate(above), np.concatenate(tied), len(observations))
    analysis = analyze_ranks(
        pooled,
        name=name,
        speakers=list(speakers) * count,
        resamples=settings.resamples,
        seed=settings.seed,
        eer=sampled_eer(first, settings.seed),
        metric=settings.metric,
    )
    return analysis, pooled


def study_features(
    features: Mapping[str, tuple[NDArray[Any], str]],
    speakers: Sequence[str],
    settings: RankSettings,
    *,
    probe_length: int = 1,
    template_length: int = 1,
    lengths: Sequence[int] = (),
    name: str = "",
    notes: Sequence[str] = (),
) -> RankReport:
    """Several features of the same people: each ranked by itself, their bits added after a test of independence.

    `features` maps a name to (speakers x K x numbers, metric). With `lengths`, the first feature's growth with length.
    """
    import warnings
    from dataclasses import replace

    analyses, ranks = [], {}
    for feature, (observations, metric) in features.items():
        own = replace(settings, metric=metric)
        analysis, counts = rank_within(
            observations, speakers, own, name=feature, probe_length=probe_length, template_length=template_length
        )
        analyses.append(analysis)
        ranks[feature] = counts.ranks
    total, said = None, list(notes)
    if len(analyses) > 1 and analyses[0].disclosure.probes < LEAST_PROBES:
        said.append(
            f"Bits were not added up: {LEAST_PROBES} probes at least must show that features are independent; too few."
        )
    elif len(analyses) > 1:
        count = next(iter(features.values()))[0].shape[1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the report says it in its own words
            bits = {a.name: a.model.mean_disclosure for a in analyses}
            total = add_disclosures(bits, ranks, len(speakers), speakers=list(speakers) * count, seed=settings.seed)
    first, metric = next(iter(features.values()))
    stream = None
    if lengths:
        stream = stream_disclosure(first, list(lengths), list(lengths), metric=metric)
    return RankReport(
        tuple(record_of(RankFeature, analysis) for analysis in analyses),
        record_of(FeatureSum, total),
        record_of(RankGrowth, stream),
        name,
        settings.seed,
        notes=tuple(said),
    )
