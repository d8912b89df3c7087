"""stripeless attack: can the anonymization be undone in the embedding space?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stripeless.cli.shared.checks import check_inputs
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.options import FILE, margin_option, output_options, resamples_option
from stripeless.cli.shared.show import Output

if TYPE_CHECKING:
    from stripeless.embeddings.embeddings import Embeddings


@click.command("attack", cls=Command)
@click.argument("anonymized", type=FILE)
@click.argument("original", type=FILE)
@click.option("--utt2spk", type=FILE, help="Who speaks in each utterance, or a Kaldi data directory.")
@click.option(
    "--enrollment", type=FILE, help="Original embeddings of other recordings to enroll; then all of ORIGINAL is judged."
)
@click.option("--enrollment-utt2spk", type=FILE, help="Who speaks in --enrollment. Default: as --utt2spk.")
@click.option(
    "--training-anonymized",
    type=FILE,
    help="Anonymized embeddings that the attacker learns from, with --training-original or the utterances of --enrollment.",
)
@click.option("--training-original", type=FILE, help="The same utterances before. Default: --enrollment.")
@click.option("--training-utt2spk", type=FILE, help="Who speaks in --training-original. Default: as --utt2spk.")
@resamples_option(300)
@margin_option
@click.option("--name", default="", help="Name of the system in tables and figures.")
@output_options
def command(
    anonymized: str,
    original: str,
    utt2spk: str | None,
    enrollment: str | None,
    enrollment_utt2spk: str | None,
    training_anonymized: str | None,
    training_original: str | None,
    training_utt2spk: str | None,
    resamples: int,
    margin: float | None,
    name: str,
    output: Output,
    seed: int,
) -> None:
    """Try to undo an anonymization: rotations, affine maps, ridge and CCA with known pairs, and attacks without any.

    ANONYMIZED and ORIGINAL are embedding files (Kaldi ark/scp, npz, parquet, safetensors, HDF5, a VoicePrivacy folder) of
    the same utterances. Who is judged is attacked by somebody who learned from other people, so that a table of
    pseudonyms does not pass for an inversion; whether pseudonyms return is asked by itself. Says what the two criteria of
    ISO/IEC 24745, unlinkability and non-invertibility, allow to conclude.

    \b
    Examples:
      stripeless attack trials_anon.scp trials.scp --utt2spk data/trials
      stripeless attack anon.npz orig.npz --html report.html --figures figures/
      stripeless attack trials_anon.scp trials.scp --enrollment enrolls.scp --training-anonymized enrolls_anon.scp
    """
    from stripeless.embeddings.files import read_embeddings
    from stripeless.studies.attack import attack_study

    if training_anonymized is None and training_original is not None:
        raise click.UsageError("--training-original: the attacker learns from pairs; give --training-anonymized too.")
    if training_anonymized is not None and training_original is None and enrollment is None:
        raise click.UsageError(
            "--training-anonymized: the attacker learns from pairs; give --training-original or --enrollment."
        )
    for name_, file, of in (
        ("--enrollment-utt2spk", enrollment_utt2spk, enrollment),
        ("--training-utt2spk", training_utt2spk, training_original),
    ):
        if file is not None and of is None:
            raise click.UsageError(f"{name_}: there is no file whose speakers it could name; leave it out.")
    output.check()
    check_inputs(enrollment, training_anonymized, training_original)

    def read(path: str | None, speakers: str | None = None) -> Embeddings | None:
        return None if path is None else read_embeddings(path, utt2spk=speakers)

    study = attack_study(
        read_embeddings(anonymized, utt2spk=utt2spk),
        read_embeddings(original, utt2spk=utt2spk),
        resamples=resamples,
        seed=seed,
        name=name,
        enrollment=read(enrollment, enrollment_utt2spk or utt2spk),
        training_anonymized=read(training_anonymized),
        training_original=read(training_original, training_utt2spk or utt2spk),
        margin=margin,
    )
    output.show(study)
