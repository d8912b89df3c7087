"""stripeless embed: recordings -> embeddings."""

from __future__ import annotations

from typing import Any

import click

from stripeless.cli.common import echo_json
from stripeless.cli.shared.checks import check_outputs, check_training, check_vectors_file
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.messages import progress_line, say
from stripeless.cli.shared.options import (
    cache_option,
    corpus_options,
    epochs_option,
    json_option,
    seed_option,
    trust_weights_option,
)


@click.command("embed", cls=Command)
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("out", metavar="OUT", type=click.Path())
@click.option(
    "--encoder",
    default="",
    help="campplus, ge2e, compact, statistics, noise-floor, or the path of an .onnx, .safetensors or SpeechBrain model. "
    "Default: the strongest one installed.",
)
@click.option("--train", is_flag=True, help="Train a network on IN instead and write it to OUT (.safetensors).")
@epochs_option("--train")
@cache_option
@click.option("--no-cache", is_flag=True, help="Compute everything anew and keep nothing.")
@trust_weights_option
@seed_option
@json_option("what was done")
@corpus_options
def command(
    source: str,
    out: str,
    encoder: str,
    train: bool,
    epochs: int,
    cache: str | None,
    no_cache: bool,
    trust_weights: bool,
    seed: int,
    as_json: bool,
    workers: int | None,
    on_error: str,
    allow_pipes: bool,
) -> None:
    """Turn the voices in IN (Kaldi data directory, CSV list, folder of speakers) into one vector per utterance.

    OUT is .npz, .ark, .parquet, .safetensors or .h5. Vectors are cached by content: a second run, or another command on
    the same recordings, computes only what is new.
    """
    from stripeless._weights import trusting_weights
    from stripeless.audio.corpus_files import read_corpus
    from stripeless.embeddings.encoders.catalog import best_encoder, make_encoder
    from stripeless.embeddings.extract import cache_folder, extract_embeddings
    from stripeless.embeddings.files import write_embeddings
    from stripeless.parallel.workers import worker_count
    from stripeless.studies.weights import weights_findings, weights_notes

    check_outputs(out, folders=(cache,))
    if train:
        check_training(out)
        trained = train_network(read_corpus(source, allow_pipes=allow_pipes), out, epochs, seed)
        if as_json:
            echo_json(trained)
            return
        share = f"{100 * trained['accuracy']:.0f} % of training pieces recognized in the last epoch"
        click.echo(f"{share}, on {trained['device']}: {out}")
        click.echo(f"Next: stripeless embed IN OUT --encoder {out}")
        return
    check_vectors_file(out)
    with trusting_weights(trust_weights):
        chosen = make_encoder(encoder or best_encoder())
    doubts, own = weights_findings([chosen]), weights_notes([chosen])
    for sentence in (*(doubt.message for doubt in doubts), *own):
        say(f"{sentence[:1].upper()}{sentence[1:]}")
    corpus = read_corpus(source, allow_pipes=allow_pipes)
    say(f"{chosen.name}: {len(corpus.utterances)} recordings")
    result = extract_embeddings(
        corpus,
        chosen,
        cache=None if no_cache else cache or cache_folder(),
        workers=worker_count(workers),
        on_error="skip" if on_error == "skip" else "stop",
        progress=progress_line,
    )
    for error in result.skipped:
        say(f"Left out: {error}")
    write_embeddings(out, result.embeddings)
    summary = {"kind": "embedded", "file": out, "encoder": chosen.name, "identity": chosen.identity}
    counts = {"utterances": len(result.embeddings), "dimension": result.embeddings.dimension}
    if as_json:
        said = {"findings": [doubt.to_dict() for doubt in doubts], "notes": list(own)}
        echo_json({**summary, **counts, "skipped": list(result.skipped), **said})
        return
    click.echo(
        f"{counts['utterances']} vectors of {counts['dimension']} numbers: {out} ({result.cached} from the cache)"
    )


def train_network(corpus: object, out: str, epochs: int, seed: int) -> dict[str, Any]:
    """Train an encoder on a corpus and write it; what came of it."""
    from stripeless.audio.corpus import Corpus
    from stripeless.audio.recordings import RATE
    from stripeless.embeddings.encoders.xvector import fit_xvector, usual_training, write_xvector

    assert isinstance(corpus, Corpus)
    say(f"Training on {len(corpus.utterances)} recordings of {len(corpus.speakers)} speakers")
    recordings = [utterance.read(RATE).samples for utterance in corpus.utterances]
    speakers = [utterance.speaker for utterance in corpus.utterances]
    encoder, run = fit_xvector(recordings, speakers, usual_training(epochs=epochs, seed=seed), progress=progress_line)
    write_xvector(out, encoder)
    about = {"file": out, "identity": encoder.identity, "device": run.device}
    return {"kind": "trained", **about, "accuracy": run.accuracy[-1], "loss": run.loss[-1]}
