"""stripeless protect --method b1 and its kin: give each speaker in a file of vectors a pseudo-speaker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stripeless.cli.shared.files import read_speakers
from stripeless.cli.shared.messages import say
from stripeless.cli.shared.options import F, add_options, set_option

if TYPE_CHECKING:
    from stripeless.embeddings.embeddings import Embeddings
    from stripeless.protections.pseudo.system import PseudoSpeakers

# those of protections.pseudo.catalog, listed here so that --help need not import it
PSEUDO_METHODS = ("b1", "a1", "a2", "k2", "o1", "o1c1", "s1c1", "s2c1", "s1", "s2", "apart")


def pseudo_options(function: F) -> F:
    """What pseudo-speakers need beside the options of every protection."""
    return add_options(
        click.option("--pool", type=click.Path(), help="Pseudo-speakers: vectors of other people to make them from."),
        click.option("--pool-utt2spk", type=click.Path(), help="The same as --utt2spk, for --pool."),
        set_option("Pseudo-speakers: a setting, such as farthest=20, epsilon=10, per=utterance."),
        click.option(
            "--role",
            type=click.Choice(["trial", "enrollment"]),
            default="trial",
            show_default=True,
            help="Pseudo-speakers: what VECTORS are; each role gets draws of its own.",
        ),
    )(function)


def run_pseudo(asked: dict[str, Any]) -> dict[str, Any]:
    """Learn or load, apply, write; what was done, without the seed."""
    from stripeless.embeddings.files import read_embeddings, write_embeddings
    from stripeless.embeddings.vectors import read_beside
    from stripeless.protections.pseudo.files import save_pseudo_speakers

    if asked["out"] is None and asked["save"] is None:
        raise click.UsageError(
            f"--method {asked['method']} writes vectors: give --out, or --save to keep what it learned."
        )
    if (asked["pool"] is None) == (asked["model"] is None):
        raise click.UsageError(f"--method {asked['method']}: give either --pool or --model.")
    if asked["model"] is not None and asked["pairs"]:
        raise click.UsageError("--set: a saved system keeps its settings; make it anew from --pool.")
    settings = check_settings(asked["method"], asked["pairs"])
    given = read_speakers(asked["vectors"], asked["utt2spk"])
    pool = None if asked["pool"] is None else read_embeddings(asked["pool"], utt2spk=asked["pool_utt2spk"])
    system = obtain_pseudo(asked, pool, settings)
    if asked["seed"] == 0:
        say("Warning: seed 0 is the default, so anybody can repeat these draws; choose a secret one with --seed.")
    if asked["out"]:
        write_embeddings(asked["out"], system.apply(given, role=asked["role"]))
        say(f"Pseudo-speakers: {asked['out']}")
    if asked["save"]:
        save_pseudo_speakers(asked["save"], system)
        say(f"What was learned, without the seed: {asked['save']}")
    public = {key: value for key, value in system.settings().items() if key not in ("seed", "roster")}
    notes = read_beside(given, pool)
    for note in notes:
        say(note)
    counts = {"utterances": len(given), "speakers": len(set(given.speakers or ()))}
    return {
        "kind": "pseudo-speakers",
        "file": asked["out"],
        "role": asked["role"],
        **counts,
        "settings": public,
        "notes": [*notes],
    }


def check_settings(method: str, pairs: tuple[str, ...]) -> dict[str, Any]:
    """The settings asked for, each one that this method has."""
    from stripeless.anonymizers.catalog import parse_options
    from stripeless.protections.pseudo.catalog import PSEUDO_SPEAKERS

    settings, known = parse_options(pairs), PSEUDO_SPEAKERS[method].options
    for name in settings:
        if name not in known:
            raise click.UsageError(f"--set {name}: {method} has no such setting; it has {', '.join(known)}.")
    return settings


def obtain_pseudo(asked: dict[str, Any], pool: Embeddings | None, settings: dict[str, Any]) -> PseudoSpeakers:
    """From a pool, or as it was saved."""
    from stripeless.errors import FileError
    from stripeless.protections.pseudo.catalog import make_pseudo_speakers
    from stripeless.protections.pseudo.files import load_pseudo_speakers
    from stripeless.protections.pseudo.pool import Pool

    if pool is None:
        system = load_pseudo_speakers(asked["model"], seed=asked["seed"])
        if system.name != asked["method"]:
            raise FileError(asked["model"], f"holds {system.name}; give --method {system.name}")
        return system
    return make_pseudo_speakers(asked["method"], Pool.of(pool), settings, seed=asked["seed"])


def told(result: dict[str, Any]) -> str:
    """One line for people, and what to do next."""
    if result["file"] is None:
        return f"{result['settings']['system']}: learned, nothing written"
    return (
        f"{result['utterances']} vectors of {result['speakers']} speakers, as {result['role']} data: {result['file']}\n"
        "Next: stripeless attack OUT VECTORS, stripeless similarity OUT VECTORS"
    )
