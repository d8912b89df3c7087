"""stripeless attack: can the anonymization be undone in the embedding space?"""

from __future__ import annotations

import click

from stripeless.cli.shared.checks import check_outputs
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.options import FILE, figure_options, output_options, resamples_option


@click.command("attack", cls=Command)
@click.argument("anonymized", type=FILE)
@click.argument("original", type=FILE)
@click.option("--utt2spk", type=FILE, help="Who speaks in each utterance, or a Kaldi data directory.")
@resamples_option(300)
@click.option("--name", default="", help="Name of the system in tables and figures.")
@figure_options
@output_options
def command(
    anonymized: str,
    original: str,
    utt2spk: str | None,
    resamples: int,
    name: str,
    figures: str | None,
    figure_format: str,
    as_json: bool,
    html: str | None,
    seed: int,
) -> None:
    """Try to undo an anonymization: rotations, affine maps, ridge and CCA with known pairs, and attacks without any.

    ANONYMIZED and ORIGINAL are embedding files (Kaldi ark/scp, npz, parquet, safetensors, HDF5, a VoicePrivacy folder) of
    the same utterances. Half of each speaker's utterances are the attacker's, the other half are judged. Says what the
    two criteria of ISO/IEC 24745, unlinkability and non-invertibility, allow to conclude.

    \b
    Examples:
      stripeless attack trials_anon.scp trials.scp --utt2spk data/trials
      stripeless attack anon.npz orig.npz --html report.html --figures figures/
    """
    from stripeless.cli.shared.show import show
    from stripeless.embeddings.files import read_embeddings
    from stripeless.studies.attack import attack_study

    check_outputs(html, figures=figures)
    study = attack_study(
        read_embeddings(anonymized, utt2spk=utt2spk),
        read_embeddings(original, utt2spk=utt2spk),
        resamples=resamples,
        seed=seed,
        name=name,
    )
    show(study, as_json=as_json, html=html, figures=figures, figure_format=figure_format)
