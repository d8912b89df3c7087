"""stripeless evaluate: recordings before and after -> what every attacker learns, and what is left to use."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stripeless.cli.common import write_whole
from stripeless.cli.shared.checks import check_outputs
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.messages import progress_line, say
from stripeless.cli.shared.options import (
    Pair,
    cache_option,
    corpus_options,
    epochs_option,
    margin_option,
    output_options,
    resamples_option,
    set_option,
    state_option,
    trust_weights_option,
)
from stripeless.cli.shared.show import Output

if TYPE_CHECKING:
    from stripeless.results.voices import VoiceEvaluation


@click.command("evaluate", cls=Command)
@click.argument("original", metavar="ORIGINAL", type=click.Path(), required=False)
@click.option(
    "--anonymizer", help="Anonymize with this method first: mcadams, b1, crowd, ... (see stripeless anonymize --help)."
)
@set_option("A setting of the anonymizer, such as alpha=0.7.")
@click.option("--anonymized", type=click.Path(), help="The anonymized corpus, where you have made it yourself.")
@click.option(
    "--out", type=click.Path(file_okay=False), help="Folder for recordings, scores and result. Default: none kept."
)
@click.option(
    "--training",
    type=click.Path(),
    help="Corpus of other people (original speech with --anonymizer, anonymized "
    "otherwise) on which the semi-informed attacker retrains. Default: learns fold by fold from ORIGINAL's other speakers.",
)
@click.option(
    "--retrain",
    type=click.Choice(["backend", "network"]),
    default="backend",
    show_default=True,
    help="What the semi-informed attacker relearns: the comparison, or also a whole network (needs --training).",
)
@epochs_option("--retrain network")
@click.option(
    "--encoder", "encoders", multiple=True, help="Encoder of the attackers; may be repeated. Default: all installed."
)
@click.option(
    "--asr", default="", help="Recognizer for the word error rate: sphinx-digits, sphinx, whisper, whisper:PATH."
)
@click.option(
    "--transcripts",
    type=Pair("CONDITION=FILE", "asr_eval=hyp.txt"),
    multiple=True,
    metavar="CONDITION=FILE",
    help="Your recognizer's transcripts (Kaldi text), such as asr_eval=hyp.txt or asr_eval_anon=hyp2.txt.",
)
@click.option(
    "--speakers",
    type=click.IntRange(min=0),
    default=0,
    help="Evaluate only the first N speakers of each sex, for a quick look.",
)
@click.option(
    "--asr-limit", type=click.IntRange(min=0), default=0, help="Transcribe at most N trial utterances. Default: all."
)
@click.option(
    "--allow-missing",
    is_flag=True,
    help="Go on without utterances whose anonymized copy is missing, silent or unreadable; the result counts and tests them.",
)
@click.option("--no-utility", is_flag=True, help="Leave out words, melody and quality.")
@resamples_option(200, "Draws of speakers for the intervals.")
@margin_option
@cache_option
@click.option(
    "--embed-audio",
    is_flag=True,
    help="Put recordings of three speakers, before and after, into the JSON too; who gets it can hear them.",
)
@click.option(
    "--no-audio",
    is_flag=True,
    help="Leave the recordings of three speakers, before and after, out of the report; with them, who gets it can hear them.",
)
@click.option("--template", type=click.Path(dir_okay=False), help="Write an example list of recordings (CSV) and stop.")
@state_option
@trust_weights_option
@output_options
@corpus_options
def command(original: str | None, template: str | None, output: Output, **options: Any) -> None:
    """Play every attacker against anonymized voices and say who is still recognizable.

    ORIGINAL is a corpus: a Kaldi data directory (wav.scp, utt2spk, spk2gender; also text, enrolls, trials), a CSV list
    (columns path and speaker; also utterance, sex, text, role), or a folder with one folder of recordings per speaker.
    Give --anonymizer to anonymize it here, or --anonymized with your own output: the same utterance names, any form, or
    recordings alone, named after the utterances, such as wav/UTT.wav.
    """
    if template:
        write_template(template)
        return
    if original is None or bool(options["anonymizer"]) == bool(options["anonymized"]):
        raise click.UsageError(
            "give ORIGINAL and either --anonymizer NAME or --anonymized DIR. The files needed are listed by --help; "
            "--template FILE writes an example list."
        )
    if options["retrain"] == "network" and not options["training"]:
        raise click.UsageError("--retrain network needs --training, a corpus of other people than those of ORIGINAL")
    folder, embed = options["out"], options["embed_audio"]
    inside = output.html is None or (folder and Path(output.html).resolve().is_relative_to(Path(folder).resolve()))
    (replace(output, html=None) if inside else output).check(folders=(folder, options["cache"]))
    page = output.html or (str(Path(folder) / "report.html") if folder else None)
    result = evaluated(original, options, heard=embed or (page is not None and not options["no_audio"]))
    replace(output, html=page).show(result if embed else replace(result, listen=()), page=result)


def evaluated(original: str, options: dict[str, Any], *, heard: bool) -> VoiceEvaluation:
    """The evaluation that the options ask for; with `heard`, recordings of a few speakers in it."""
    from stripeless.anonymizers.catalog import parse_options
    from stripeless.studies.evaluate_folder import evaluate_folder

    pairs = (pair.partition("=") for pair in options["transcripts"])
    return evaluate_folder(
        original,
        anonymizer=options["anonymizer"] or "",
        settings=parse_options(options["pairs"]),
        anonymized=options["anonymized"],
        out=options["out"],
        state=options["state"],
        training=options["training"],
        retrain=options["retrain"],
        epochs=options["epochs"],
        encoders=options["encoders"],
        recognizer=options["asr"],
        transcripts={condition: path for condition, _, path in pairs},
        speakers=options["speakers"],
        margin=options["margin"],
        limit=options["asr_limit"],
        utility=not options["no_utility"],
        resamples=options["resamples"],
        cache=options["cache"],
        workers=options["workers"],
        on_error=options["on_error"],
        allow_missing=options["allow_missing"],
        allow_pipes=options["allow_pipes"],
        samples=heard,
        store_samples=options["embed_audio"],
        trust_weights=options["trust_weights"],
        say=say,
        progress=progress_line,
        seed=options["seed"],
    )


def write_template(path: str) -> None:
    """An example list of recordings."""
    from stripeless.audio.corpus_files import TEMPLATE

    check_outputs(path)
    write_whole(path, TEMPLATE)
    say(f"An example list of recordings: {path}. Fill in your own, then: stripeless evaluate {path} ...")
