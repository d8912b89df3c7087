"""From embeddings, or any observations of known people, to a report on rank disclosure."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.vectors import read_beside, speaker_means, take
from stripeless.errors import InputError, TooFewTrials, TrialMismatch
from stripeless.parallel.engine import TimedProgress
from stripeless.parallel.executors import Who
from stripeless.ranks.analysis import RankAnalysis, analyze_ranks, sampled_eer
from stripeless.ranks.counts import RankCounts, estimate_seconds, ranking_job
from stripeless.ranks.run import RankJob, count_all
from stripeless.ranks.stream import segments, stream_disclosure
from stripeless.ranks.sum import LEAST_PROBES, add_disclosures
from stripeless.results.codec import record_of
from stripeless.results.ranks import FeatureSum, RankFeature, RankGrowth, RankReport

LONG = 50_000_000  # pairs from which a ranking takes long enough to be told of


@dataclass(frozen=True)
class RankSettings:
    """How to compare and compute: the metric, who does the work, how many resamples.

    Attributes:
        metric: what similar means: cosine, euclidean, hellinger, cityblock, wasserstein or jensen-shannon.
        executor: who does the work: None for this process, a number of threads, an executor, or a Dask address.
        device: a torch device such as "cuda" in their place.
        resume: a folder in which finished parts are kept, so that a stopped ranking goes on.
        progress: told calls done, calls in all and seconds.
        resamples: draws of speakers behind the 95 % intervals; 0 for none.
        seed: start of the random draws.
    """

    metric: str = "cosine"
    executor: Who = None
    device: str | None = None
    resume: str | os.PathLike[str] | None = None
    progress: TimedProgress | None = None
    resamples: int = 200
    seed: int = 0

    def _count(self, job: RankJob) -> RankCounts:
        """The true ranks of a job, counted as these settings say."""
        above, tied = count_all(job, self.executor, self.device, self.resume, self.progress)
        return RankCounts(above, tied, len(job.templates))


def rank_embeddings(
    probes: Embeddings,
    templates: Embeddings | None = None,
    settings: RankSettings | None = None,
    *,
    name: str = "",
    allow_missing: bool = False,
    probe_length: int = 1,
    template_length: int = 1,
    lengths: Sequence[int] = (),
    expect: Callable[[int, int, float], None] | None = None,
) -> RankReport:
    """All that `stripeless rank` says of vectors: true ranks, what they disclose, and how that grows with length.

    Parameters:
        probes: vectors of known speakers.
        templates: vectors of the same speakers, whose means are the templates; without them probe and template are
            different utterances of `probes`.
        settings: what similar means, who does the work, how many resamples; None for the cosine on this process.
        name: what the feature is called in reports.
        allow_missing: leave out probes whose speaker has no template, and say so, instead of refusing them.
        probe_length, template_length: utterances averaged into each, without `templates`.
        lengths: utterances per probe at which to show the growth, without `templates`.
        expect: told probes, templates and seconds before a long ranking begins.
    Returns:
        The report, with the files that the vectors were read from.
    """
    settings = settings or RankSettings()
    if templates is not None:
        return _against_templates(probes, templates, settings, name, allow_missing, expect)
    beside = read_beside(probes, labels=("speakers",))
    observations, speakers = observations_of(probes, least=probe_length + template_length)
    everyone, notes = len(set(probes.speakers or ())), []
    if len(speakers) < everyone:
        few = probe_length + template_length
        notes.append(
            f"{everyone - len(speakers)} of {everyone} speakers have fewer than {few} utterances and were left out."
        )
    notes.append(
        f"{observations.shape[1]} utterances of each of {len(speakers)} speakers, probe and template never the same."
    )
    report = study_features(
        {name: (observations, settings.metric)},
        speakers,
        replace(settings, resume=None),
        probe_length=probe_length,
        template_length=template_length,
        lengths=lengths,
        name=name,
        notes=[*notes, *beside],
    )
    return replace(report, inputs=probes.inputs)


def _against_templates(
    probes: Embeddings,
    templates: Embeddings,
    settings: RankSettings,
    name: str,
    allow_missing: bool,
    expect: Callable[[int, int, float], None] | None,
) -> RankReport:
    notes = [*read_beside(probes, templates, labels=("speakers",))]
    if allow_missing and probes.speakers and templates.speakers:
        every, probes = len(probes), with_template(probes, templates)
        if len(probes) < every:
            notes.append(f"{every - len(probes)} of {every} probes were left out: their speakers have no template.")
    elif probes.speakers and templates.speakers:
        check_enrolled(probes.speakers, templates.speakers)
    enrolled = len(set(templates.speakers or ()))
    long = len(probes) * enrolled > LONG and settings.device is None and probes.speakers
    if expect is not None and long and templates.speakers:
        workers = settings.executor if isinstance(settings.executor, int) else 1
        job = ranking_job(probes, speaker_means(templates), settings.metric)
        expect(len(probes), enrolled, estimate_seconds(job, workers))
    analysis, _ = rank_against(probes, templates, settings, name)
    return RankReport(
        (record_of(RankFeature, analysis),),
        name=name,
        seed=settings.seed,
        inputs=(*probes.inputs, *templates.inputs),
        notes=tuple(notes),
    )


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
    counts = settings._count(job)
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


def check_enrolled(probes: Sequence[str], templates: Sequence[str]) -> None:
    """Everybody who is tried has a template, or whoever asked is told what to do."""
    known = set(templates)
    absent = [speaker for speaker in probes if speaker not in known]
    if absent:
        raise TrialMismatch(
            f"probes: {absent[0]!r} has no template ({len(absent)} of {len(probes)} probes have none); give templates of "
            "those speakers, or leave their probes out with --allow-missing (allow_missing=True)"
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
        counts = settings._count(job)
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
