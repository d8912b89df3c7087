"""stripeless rank: how many bits the similarity rank of the true speaker gives away."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from stripeless.cli.shared.checks import check_dask, check_device
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.messages import ProgressLine, in_time, say
from stripeless.cli.shared.options import (
    FILE,
    LENGTHS,
    output_options,
    resamples_option,
    workers_option,
)
from stripeless.cli.shared.show import Output

if TYPE_CHECKING:
    from stripeless.results.ranks import RankReport
    from stripeless.studies.rank import RankSettings

LENGTH = click.IntRange(min=1)
METRICS = ("cosine", "euclidean", "hellinger", "cityblock", "wasserstein", "jensen-shannon")


@click.command("rank", cls=Command)
@click.argument("probes", type=FILE)
@click.argument("templates", type=FILE, required=False)
@click.option("--utt2spk", type=FILE, help="Who speaks in each utterance (or a Kaldi data directory), for PROBES.")
@click.option("--template-utt2spk", type=FILE, help="The same for TEMPLATES.")
@click.option(
    "--allow-missing", is_flag=True, help="Go on without probes whose speaker has no template; the result says so."
)
@click.option(
    "--feature",
    "features",
    multiple=True,
    type=click.Choice(["f0", "units", "style"]),
    help="PROBES is a Kaldi data directory: rank by pitch, phone-like units or wording. May be repeated; bits are added up.",
)
@click.option(
    "--pieces",
    type=click.IntRange(min=2),
    help="With --feature: observations per speaker. Default: as many as utterances, up to 16.",
)
@click.option("--metric", type=click.Choice(METRICS), default="cosine", show_default=True, help="What similar means.")
@click.option(
    "--probe-length", type=LENGTH, default=1, show_default=True, help="Utterances per probe, without TEMPLATES."
)
@click.option("--template-length", type=LENGTH, default=1, show_default=True, help="Utterances per template.")
@click.option(
    "--lengths",
    type=LENGTHS,
    default=(),
    help="Disclosure against these lengths of probe and template, such as 1,2,4,8 (Figure 8).",
)
@resamples_option(200)
@workers_option("Tiles worked on at a time; 0 for one per core. Default: one.", "--threads")
@click.option("--dask", metavar="ADDRESS", help="Compute on the Dask cluster whose scheduler is at this address.")
@click.option("--device", help="Compute by torch on this device: cuda, cuda:1, cpu.")
@click.option(
    "--resume", type=click.Path(file_okay=False), help="Keep finished tiles here; a killed run goes on from them."
)
@click.option("--name", default="", help="Name of the feature in tables and figures.")
@output_options
def command(
    probes: str,
    templates: str | None,
    utt2spk: str | None,
    template_utt2spk: str | None,
    features: tuple[str, ...],
    pieces: int | None,
    allow_missing: bool,
    metric: str,
    probe_length: int,
    template_length: int,
    lengths: tuple[int, ...],
    resamples: int,
    workers: int | None,
    dask: str | None,
    device: str | None,
    resume: str | None,
    name: str,
    output: Output,
    seed: int,
) -> None:
    """Rank every probe's own speaker among all speakers and say what that discloses.

    PROBES and TEMPLATES are embedding files (Kaldi ark/scp, npz, parquet, safetensors, HDF5) with known speakers. Each speaker's
    template is the mean of the vectors in TEMPLATES. Without TEMPLATES, probe and template are different utterances of
    PROBES, as far apart as the list allows.

    \b
    Examples:
      stripeless rank trials.scp enrolls.scp --html report.html
      stripeless rank xvectors.npz --lengths 1,2,4 --figures figures/
      stripeless rank probes.npz templates.npz --device cuda --resume tiles/
      stripeless rank data/test --feature f0 --feature units --feature style
    """
    from stripeless.embeddings.files import read_embeddings
    from stripeless.parallel.workers import worker_count
    from stripeless.studies.rank import RankSettings, rank_embeddings

    if sum(given is not None for given in (workers, dask, device)) > 1:
        raise click.UsageError("--workers, --dask and --device: give one of them.")
    output.check(folders=(resume,))
    check_device(device)
    check_dask(dask)
    executor = dask if dask is not None else None if workers is None else worker_count(workers)
    settings = RankSettings(metric, executor, device, resume, None, resamples, seed)
    if features:
        if templates is not None or device is not None or resume is not None:
            raise click.UsageError(
                "--feature takes probes and templates from one folder, without --device and --resume."
            )
        report = _by_features(probes, features, pieces, settings, name, probe_length, template_length, lengths)
    else:
        if templates is not None and (lengths or probe_length != 1 or template_length != 1):
            raise click.UsageError(
                "--lengths, --probe-length and --template-length compare utterances of PROBES alone."
            )
        enrolled = None if templates is None else read_embeddings(templates, utt2spk=template_utt2spk or utt2spk)
        with ProgressLine() as line:
            report = rank_embeddings(
                read_embeddings(probes, utt2spk=utt2spk), enrolled, replace(settings, progress=line.update), name=name,
                allow_missing=allow_missing, probe_length=probe_length, template_length=template_length, lengths=lengths,
                expect=tell_what_it_takes,
            )  # fmt: skip
    output.show(report)


def tell_what_it_takes(probes: int, templates: int, seconds: float) -> None:
    """Say before a long ranking how long it will take."""
    say(f"{probes:,} probes x {templates:,} templates: about {in_time(seconds)} on this machine.")


def _by_features(
    folder: str,
    features: tuple[str, ...],
    pieces: int | None,
    settings: RankSettings,
    name: str,
    probe_length: int,
    template_length: int,
    lengths: tuple[int, ...],
) -> RankReport:
    from stripeless.parallel.executors import open_workers
    from stripeless.ranks.folder import folder_observations, read_voice_folder
    from stripeless.studies.rank import study_features

    voices = read_voice_folder(folder)
    with open_workers(settings.executor) as workers:
        made, speakers = folder_observations(voices, features, workers.run, pieces=pieces, seed=settings.seed)
    count = next(iter(made.values()))[0].shape[1]
    notes = [f"{count} observations of each of {len(speakers)} speakers, from {folder}."]
    if "units" in features:
        notes.append("Phone-like units were learned from these recordings: an attacker who has the corpus.")
    return study_features(
        made,
        speakers,
        settings,
        probe_length=probe_length,
        template_length=template_length,
        lengths=lengths,
        name=name or folder,
        notes=notes,
    )
