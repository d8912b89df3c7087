"""stripeless evaluate: recordings before and after -> what every attacker learns, and what is left to use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stripeless.cli.common import check_outputs, echo_json, output_options, say, write_whole
from stripeless.cli.show import figure_options, write_figures
from stripeless.cli.voice_options import cores, corpus_options, progress_line


@click.command("evaluate")
@click.argument("original", metavar="ORIGINAL", type=click.Path(), required=False)
@click.option(
    "--anonymizer", help="Anonymize with this method first: mcadams, b1, crowd, ... (see stripeless anonymize --help)."
)
@click.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="A setting of the anonymizer, such as alpha=0.7."
)
@click.option("--anonymized", type=click.Path(), help="The anonymized corpus, where you have made it yourself.")
@click.option(
    "--out", type=click.Path(file_okay=False), help="Folder for recordings, scores and result. Default: none kept."
)
@click.option(
    "--training",
    type=click.Path(),
    help="Corpus of other people (original speech with --anonymizer, anonymized "
    "otherwise) on which the semi-informed attacker retrains. Default: cross-fitting on ORIGINAL's speakers.",
)
@click.option(
    "--retrain",
    type=click.Choice(["backend", "network"]),
    default="backend",
    show_default=True,
    help="What the semi-informed attacker relearns: the comparison, or also a whole network (needs --training).",
)
@click.option(
    "--epochs", default=40, show_default=True, help="With --retrain network: how often it goes over the recordings."
)
@click.option(
    "--encoder", "encoders", multiple=True, help="Encoder of the attackers; may be repeated. Default: all installed."
)
@click.option(
    "--asr", default="", help="Recognizer for the word error rate: sphinx-digits, sphinx, whisper, whisper:PATH."
)
@click.option(
    "--transcripts",
    multiple=True,
    metavar="CONDITION=FILE",
    help="Your recognizer's transcripts (Kaldi text), such as asr_eval=hyp.txt or asr_eval_anon=hyp2.txt.",
)
@click.option("--speakers", default=0, help="Evaluate only the first N speakers of each sex, for a quick look.")
@click.option("--asr-limit", default=0, help="Transcribe at most N trial utterances. Default: all.")
@click.option("--no-utility", is_flag=True, help="Leave out words, melody and quality.")
@click.option("--resamples", default=200, show_default=True, help="Draws of speakers for the intervals; 0: none.")
@click.option(
    "--cache", type=click.Path(file_okay=False), help="Folder of the cache. Default: the user's cache folder."
)
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
@figure_options
@output_options
@corpus_options
def command(original: str | None, template: str | None, as_json: bool, html: str | None, **options: Any) -> None:
    """Play every attacker against anonymized voices and say who is still recognizable.

    ORIGINAL is a corpus: a Kaldi data directory (wav.scp, utt2spk, spk2gender; also text, enrolls, trials), a CSV list
    (columns path and speaker; also utterance, sex, text, role), or a folder with one folder of recordings per speaker.
    Give --anonymizer to anonymize it here, or --anonymized with your own output: the same utterance names, any form.
    """
    from stripeless.audio.corpus_files import TEMPLATE

    if template:
        write_whole(template, TEMPLATE)
        say(f"An example list of recordings: {template}. Fill in your own, then: stripeless evaluate {template} ...")
        return
    if original is None or bool(options["anonymizer"]) == bool(options["anonymized"]):
        raise click.UsageError(
            "give ORIGINAL and either --anonymizer NAME or --anonymized DIR. The files needed are listed by --help; "
            "--template FILE writes an example list."
        )
    if options["retrain"] == "network" and not options["training"]:
        raise click.UsageError("--retrain network needs --training, a corpus of other people than those of ORIGINAL")
    inside = html is None or (options["out"] and Path(html).resolve().is_relative_to(Path(options["out"]).resolve()))
    check_outputs(None if inside else html, folders=(options["out"], options["figures"]))
    if options["out"] is None:
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="stripeless-") as folder:
            evaluate(original, Path(folder), as_json, html, keep=False, **options)
    else:
        evaluate(original, Path(options["out"]), as_json, html, keep=True, **options)


def evaluate(original: str, folder: Path, as_json: bool, html: str | None, *, keep: bool, **options: Any) -> None:
    """Run the evaluation in `folder` and show it."""
    import json

    from stripeless.report import render_html, render_text
    from stripeless.studies.samples import before_and_after

    evaluation, corpora = evaluated(original, folder, options)
    result = evaluation.to_dict()
    page = html or (str(folder / "report.html") if keep else None)
    wanted = options["embed_audio"] or (page and not options["no_audio"])
    heard = before_and_after(*corpora, result) if wanted else []
    if options["embed_audio"]:
        result["listen"] = heard
    if keep:
        from stripeless.scores.files import write_scores

        (folder / "scores").mkdir(parents=True, exist_ok=True)
        for one in evaluation.listeners:
            write_scores(folder / "scores" / f"{one.encoder}-{one.attacker}.csv", one.scores)
        write_whole(folder / "result.json", json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    if page:
        write_whole(page, render_html({**result, "listen": heard}))
        say(f"The report: {page}")
    if options["figures"]:
        from stripeless.report.kinds import figure_data_of, figures_of

        drawn = figures_of(result)
        points = {name: figure_data_of(result, name) for name in drawn}
        write_figures(drawn, points, Path(options["figures"]), options["figure_format"])
    if as_json:
        echo_json(result)
    else:
        click.echo(render_text(result))
        click.echo(listener_table(result["voices"]))


def evaluated(original: str, folder: Path, options: dict[str, Any]) -> tuple[Any, tuple[Any, Any]]:
    """The evaluation, and the two corpora."""
    from stripeless.anonymizers.catalog import attackers_copy, make_anonymizer, parse_options
    from stripeless.anonymizers.run import anonymize_corpus, manifest_of
    from stripeless.audio.corpus import with_trials
    from stripeless.audio.corpus_files import read_copies, read_corpus
    from stripeless.embeddings.encoders.catalog import installed_encoders, make_encoder
    from stripeless.embeddings.extract import cache_folder
    from stripeless.recognizers.transcribe import Transcriber
    from stripeless.studies.evaluate import Options, evaluate_voices

    encoders = [make_encoder(name) for name in options["encoders"] or installed_encoders()]  # wrong names show at once
    transcripts = read_transcripts(options["transcripts"])
    if options["asr"]:
        Transcriber(options["asr"])
    workers, on_error = cores(options["jobs"]), options["on_error"]
    pipes = {"allow_pipes": options["allow_pipes"]}
    before = with_trials(few_speakers(read_corpus(original, **pipes), options["speakers"]))
    training = read_corpus(options["training"], **pipes) if options["training"] else None
    settings: dict[str, Any] = {}
    if options["anonymizer"]:
        chosen_settings = parse_options(options["pairs"])
        anonymizer = make_anonymizer(options["anonymizer"], chosen_settings, seed=options["seed"])
        settings = manifest_of(anonymizer.settings())  # a report tells no secrets
        common = {"workers": workers, "on_error": on_error, "progress": progress_line}
        say(f"{anonymizer.name}: anonymizing {len(before.utterances)} recordings")
        made = anonymize_corpus(before, folder / "anonymized", anonymizer, **common)
        after, left_out = made.corpus, made.skipped
        if training is not None:
            attackers = attackers_copy(options["anonymizer"], chosen_settings, seed=options["seed"])
            say(f"The semi-informed attacker anonymizes {len(training.utterances)} recordings of other people")
            made = anonymize_corpus(training, folder / "training", attackers, **common)
            training, left_out = made.corpus, (*left_out, *made.skipped)
        for error in left_out:
            say(f"Left out: {error}")
    else:
        after = read_copies(options["anonymized"], before, **pipes)
    network = None
    if options["retrain"] == "network":
        from stripeless.embeddings.encoders.xvector import usual_training

        network = usual_training(epochs=options["epochs"], seed=options["seed"])
    chosen = Options(
        cache=options["cache"] or cache_folder(),
        workers=workers,
        on_error=on_error,
        resamples=options["resamples"],
        seed=0 if options["anonymizer"] else options["seed"],
        recognizer=options["asr"],
        transcripts=transcripts,
        utility=not options["no_utility"],
        limit=options["asr_limit"],
        network=network,
    )
    name = f"{Path(original).name}, {options['anonymizer'] or Path(options['anonymized']).name}"
    evaluation = evaluate_voices(
        before,
        after,
        encoders,
        chosen,
        training=training,
        name=name,
        settings=settings,
        say=say,
        progress=progress_line,
    )
    return evaluation, (before, after)


def few_speakers(corpus: Any, count: int) -> Any:
    """The first `count` speakers of each sex."""
    if not count:
        return corpus
    sexes = {utterance.speaker: utterance.sex for utterance in corpus.utterances}
    chosen = [s for sex in sorted(set(sexes.values())) for s in [k for k, v in sexes.items() if v == sex][:count]]
    return corpus.subset(chosen)


def read_transcripts(pairs: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """CONDITION=FILE -> the transcripts in FILE by utterance."""
    from stripeless.errors import FileError, InputError
    from stripeless.tables.two_columns import read_two_columns

    result = {}
    for pair in pairs:
        condition, separator, path = pair.partition("=")
        if not separator:
            raise InputError(f"--transcripts: expected CONDITION=FILE such as asr_eval=hyp.txt, got {pair!r}")
        if not Path(path).is_file():
            raise FileError(path, "does not exist; expected one line per utterance: its name, then the words")
        result[condition] = read_two_columns(path, may_be_empty=True)
    return result


def listener_table(voices: dict[str, Any]) -> str:
    """Every encoder in the hands of every attacker, as text."""
    lines = [
        "",
        "encoder       attacker        comparison            sex   EER %  Cllr_min  D_ECE  worst case  linkability",
    ]
    for row in voices["listeners"]:
        numbers = [row["eer"], row["cllr_min"], row["d_ece"], row["log10_lr"], row["linkability"]]
        shown = ["-" if value is None else f"{value:.3f}" for value in numbers]
        eer = "-" if numbers[0] is None else f"{100 * numbers[0]:.2f}"
        worst = f"{shown[3]} {row['category'] or ''}"
        lines.append(
            f"{row['encoder']:<13} {row['attacker']:<15} {row['backend']:<21} {row['sex']:<4} {eer:>6}  {shown[1]:>8}  "
            f"{shown[2]:>5}  {worst:>10}  {shown[4]:>11}"
        )
    return "\n".join([*lines, *utility_lines(voices)])


def utility_lines(voices: dict[str, Any]) -> list[str]:
    """Words, melody, quality and similarity in one line each."""
    lines = []
    for sex, values in voices["similarity"].items():
        if "reason" not in values:
            lines.append(
                f"{sex}: de-identification {100 * values['de_identification']:.1f} %, gain of voice distinctiveness "
                f"{values['gain_of_voice_distinctiveness']:.2f} dB"
            )
    utility = voices.get("utility", {})
    words = {k: v for k, v in utility.get("words", {}).items() if isinstance(v, dict)}
    if words:
        lines.append("WER: " + ", ".join(f"{name} {100 * value['wer']:.1f} %" for name, value in words.items()))
    if "mean" in utility.get("pitch_correlation", {}):
        melody = utility["pitch_correlation"]
        lost = f" ({melody['without_voice']} recordings have no melody left)" if "without_voice" in melody else ""
        lines.append(f"Pitch correlation: {melody['mean']:.2f}{lost}")
    if "anonymized" in utility.get("dnsmos", {}):
        rated = utility["dnsmos"]
        lines.append(f"DNSMOS overall: {rated['original']['overall']:.2f} -> {rated['anonymized']['overall']:.2f}")
    reasons = [part["reason"] for part in utility.values() if isinstance(part, dict) and "reason" in part]
    return ["", *lines, *(f"Not measured: {reason}" for reason in reasons)]
