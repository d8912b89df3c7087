"""stripeless similarity: who sounds like whom, before and after anonymization."""

from __future__ import annotations

import click

from stripeless.cli.shared.command import Command
from stripeless.cli.shared.options import FILE, output_options
from stripeless.cli.shared.show import Output


@click.command("similarity", cls=Command)
@click.argument("anonymized", type=FILE)
@click.argument("original", type=FILE)
@click.option("--utt2spk", type=FILE, help="Who speaks in each utterance, or a Kaldi data directory.")
@click.option("--name", default="", help="Name of the system in tables and figures.")
@output_options
def command(
    anonymized: str,
    original: str,
    utt2spk: str | None,
    name: str,
    output: Output,
    seed: int,
) -> None:
    """Voice similarity matrices, de-identification and gain of voice distinctiveness, for each sex by itself.

    ANONYMIZED and ORIGINAL are embedding files of the same utterances with known speakers; each needs two utterances.

    \b
    Example:
      stripeless similarity trials_f_anon.scp trials_f.scp --utt2spk data/trials_f --figures figures/
    """
    from stripeless.embeddings.files import read_embeddings
    from stripeless.studies.similarity import similarity_study

    output.check()
    result = similarity_study(
        read_embeddings(anonymized, utt2spk=utt2spk),
        read_embeddings(original, utt2spk=utt2spk),
        name=name,
        seed=seed,
    )
    output.show(result)
