"""stripeless anonymize: recordings in, recordings out."""

from __future__ import annotations

from pathlib import Path

import click

from stripeless._extras import need
from stripeless.anonymizers.xvector_systems import SYSTEMS
from stripeless.cli.common import echo_json
from stripeless.cli.shared.checks import check_outputs
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.messages import progress_line, say
from stripeless.cli.shared.options import corpus_options, json_option, seed_option, set_option, state_option


@click.command("anonymize", cls=Command)
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("out", metavar="OUT", type=click.Path())
@click.option(
    "--method",
    type=click.Choice(["mcadams", "pole-radius", "formants", "world", *SYSTEMS]),
    default="mcadams",
    show_default=True,
    help="Signal processing (mcadams is B2, pole-radius D1, formants I1, world a pitch-and-envelope shift), a system of the "
    "x-vector family of VoicePrivacy 2020 by its name there (b1 ... s2c1), or crowd, which hides most.",
)
@set_option("A setting of the method, such as alpha=0.7.")
@click.option(
    "--format", "suffix", type=click.Choice(["wav", "flac", "ogg"]), default="wav", help="Of the files written."
)
@click.option(
    "--rate",
    type=click.IntRange(8000, 192000),
    default=16000,
    show_default=True,
    help="Samples per second of the output.",
)
@state_option
@seed_option
@json_option("what was done")
@corpus_options
def command(
    source: str,
    out: str,
    method: str,
    pairs: tuple[str, ...],
    suffix: str,
    rate: int,
    state: str | None,
    seed: int,
    as_json: bool,
    workers: int | None,
    on_error: str,
    allow_pipes: bool,
) -> None:
    """Hide the voices in IN: one sound file, or a corpus (Kaldi data directory, CSV list, folder of speakers).

    A file is written to the file OUT, a corpus into the folder OUT, which becomes a Kaldi data directory. A run that was
    interrupted goes on where it stopped; what is done is noted elsewhere (--state), so that OUT can be handed over.

    Settings: mcadams alpha, alphas, per, whole (alpha=none draws one per speaker);
    pole-radius alpha, kappa; formants phi, pitch, syllable_rate; world semitones, percent, per; b1 and its kin content
    (frames, sequence, adversarial, or any of them with -bottleneck), pitch (keep, move, smooth), tempo (keep, move), per, pool
    (embeddings of other people: `stripeless embed POOL pool.npz --encoder compact`; default: 800 artificial voices), and those
    of their pseudo-speakers (b1 farthest, draw; k2 epsilon; ...).
    """
    from stripeless.anonymizers.catalog import make_anonymizer, parse_options
    from stripeless.anonymizers.run import anonymize_corpus, manifest_of
    from stripeless.audio.corpus_files import read_corpus
    from stripeless.audio.recordings import SOUND_FILES
    from stripeless.errors import shown
    from stripeless.parallel.workers import worker_count

    single = Path(source).suffix.lower() in SOUND_FILES
    check_outputs(out if single else None, folders=() if single else (out, state))
    if suffix != "wav" and not single:
        need("soundfile", "audio", f"--format {suffix}")
    if method == "world":
        need("pyworld", "world", "--method world")
    if method in ("a1", "s1", "s1c1", "s2", "s2c1"):
        say(f"{method}: learning from the pool, which takes seconds (s2 and s2c1: a minute)")
    anonymizer = make_anonymizer(method, parse_options(pairs), seed=seed)
    if seed < 2**64 and method not in ("mcadams", "pole-radius", "m1c2"):
        say(
            f"The voices are drawn with --seed {seed}, which can be guessed, and with it who got which voice; before publishing, "
            "give a random number of twenty digits or more and keep it secret."
        )
    if single:
        anonymize_file(Path(source), Path(out), anonymizer, rate)
        say(f"{source} -> {out}")
        if as_json:
            settings = manifest_of(anonymizer.settings())
            echo_json({"kind": "anonymized", "file": out, "made": 1, "kept": 0, "skipped": [], "anonymizer": settings})
        return
    check_outside(Path(source), Path(out))
    corpus = read_corpus(source, allow_pipes=allow_pipes)
    say(f"{method}: {len(corpus.utterances)} recordings of {len(corpus.speakers)} speakers")
    result = anonymize_corpus(
        corpus,
        out,
        anonymizer,
        rate=rate,
        suffix=f".{suffix}",
        workers=worker_count(workers),
        on_error="skip" if on_error == "skip" else "stop",
        progress=progress_line,
        state=state,
    )
    for error in result.skipped:
        say(f"Left out: {error}")
    if result.strays:
        more = f" and {len(result.strays) - 1} more" if len(result.strays) > 1 else ""
        stray = f"{out}/wav/{shown(result.strays[0])}{more}"
        say(f"On no list, from an earlier run or from elsewhere: {stray}. Look at it before you hand {out} over.")
    if as_json:
        echo_json(
            {
                "kind": "anonymized",
                "folder": out,
                "made": result.made,
                "kept": result.kept,
                "skipped": list(result.skipped),
                "strays": list(result.strays),
                "anonymizer": manifest_of(anonymizer.settings()),
            }
        )
        return
    click.echo(f"{result.made} made, {result.kept} were there already, {len(result.skipped)} left out: {out}")
    if corpus.enrollment:
        click.echo(f"Next: stripeless evaluate {source} --anonymized {out} --html report.html")
    else:  # one voice for all recordings of a person: an evaluation would take the voice for the person
        given = "".join(f" --set {pair}" for pair in pairs)
        click.echo(
            "No list says which recordings enroll, so all recordings of a person were given one voice. To judge the method, let "
            f"evaluate divide them first: stripeless evaluate {source} --anonymizer {method}{given} --html report.html"
        )


def check_outside(source: Path, out: Path) -> None:
    """A folder of speakers must not come to hold its own anonymized copy: the next run would take it for a speaker."""
    from stripeless.errors import FileError

    listed = (source / "wav.scp").is_file()
    if source.is_dir() and not listed and out.resolve().is_relative_to(source.resolve()):
        raise FileError(out, f"lies inside {source}, where each folder is a speaker; choose a folder outside")


def anonymize_file(source: Path, out: Path, anonymizer: object, rate: int) -> None:
    """One sound file to another."""
    from stripeless.anonymizers.anonymizer import SourceVoice
    from stripeless.audio.recordings import Recording, read_recording, write_recording
    from stripeless.errors import FileError, InputError

    if out.exists() and out.resolve() == source.resolve():
        raise FileError(out, "is the original; choose another name for the anonymized recording")
    recording = read_recording(source, rate)
    try:
        samples = anonymizer.apply(recording.samples, rate, SourceVoice(source.stem, source.stem))  # type: ignore[attr-defined]
    except InputError as error:
        raise FileError(source, f"cannot be anonymized: {error}") from error
    write_recording(out, Recording(samples, rate))
