"""stripeless protect: hide an attribute in embeddings, and prove that it is gone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stripeless._extras import need
from stripeless.cli.common import echo_json
from stripeless.cli.pseudo import PSEUDO_METHODS, pseudo_options, run_pseudo, told
from stripeless.cli.shared.checks import check_device, check_inputs, check_vectors_file
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.files import labels_for, read_speakers
from stripeless.cli.shared.messages import say
from stripeless.cli.shared.options import (
    FILE,
    margin_option,
    output_options,
    resamples_option,
    workers_option,
)
from stripeless.cli.shared.show import Output

if TYPE_CHECKING:
    from stripeless.protections.settings import Progress
    from stripeless.studies.protect import HiddenAttribute

# those of attributes.classifiers, listed here so that --help need not import it
CLASSIFIERS = ("perceptron", "logistic", "neighbors", "angles", "boosting", "svm")
TRAINED = ("flow", "adversarial")


@click.command("protect", cls=Command)
@click.argument("vectors", type=FILE)
@click.option(
    "--labels",
    type=FILE,
    help="The attribute: a table of utterance or speaker and label, parted by blanks, tab or comma. Default: the sex.",
)
@click.option(
    "--bins", type=click.IntRange(2, 20), help="The labels are numbers, such as ages: cut them into so many classes."
)
@click.option("--utt2spk", type=FILE, help="Who speaks in each utterance, or a Kaldi data directory, for VECTORS.")
@click.option(
    "--method",
    type=click.Choice(["flow", "lda", "oblique", "moments", "adversarial", *PSEUDO_METHODS]),
    default="flow",
    show_default=True,
    help="lda: Eq. 8. oblique: equal means. moments: equal means and spread, for few speakers.",
)
@click.option("--fit-on", type=FILE, help="Fit on these vectors of other speakers; VECTORS are then all judged.")
@click.option("--fit-utt2spk", type=FILE, help="The same as --utt2spk, for --fit-on.")
@click.option(
    "--pca",
    type=click.IntRange(min=2),
    help="Flow, moments: first project on so many components; for few speakers, or many zeros.",
)
@click.option(
    "--directions",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="Moments: how many directions to take out.",
)
@click.option("--epochs", type=click.IntRange(min=1), help="Flow and adversarial: how long to train.")
@click.option("--paper", is_flag=True, help="Flow: the settings of the paper.")
@click.option("--model", type=FILE, help="Apply this saved protection instead of fitting one.")
@click.option("--protected", type=FILE, help="Judge these vectors, protected by anything, instead of protecting.")
@click.option("--save", type=FILE, help="Save the fitted protection (safetensors).")
@click.option("--out", type=FILE, help="Write the protected vectors; the name gives the format.")
@click.option("--judge/--no-judge", default=True, show_default=True, help="Attack the protected vectors.")
@click.option(
    "--classifier",
    type=click.Choice(CLASSIFIERS),
    multiple=True,
    help="Only this classifier; may be repeated. Default: all six.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Parts into which the judged speakers are split.",
)
@resamples_option(200)
@margin_option
@workers_option(
    "Processes that train classifiers anew where the first test is not clear. Default, and 0: one per core."
)
@click.option("--device", default="cpu", show_default=True, help="Where to train: cpu, cuda.")
@pseudo_options
@output_options
def command(output: Output, **asked: Any) -> None:
    """Hide an attribute in VECTORS, such as the sex of the speakers, and attack the result.

    Without --fit-on, --model or --protected, half of the speakers of each class fit the protection and the other half
    judge it; --out then writes all of them. Judging is by classifiers trained on protected vectors, tried on speakers
    they never met. The verdict rests on all utterances of a speaker together.

    \b
    Examples:
      stripeless protect xvectors.npz --out hidden.npz --save sex.safetensors --html report.html
      stripeless protect test.scp --fit-on train.scp --method moments --json
      stripeless protect before.npz --protected after.npz --html report.html
      stripeless protect trials.npz --method apart --pool others.npz --seed 20260711 --out pseudo.npz

    With --method b1, a1, a2, k2, o1, o1c1, s1c1, s2c1, s1, s2 or apart each speaker gets a pseudo-speaker made from --pool (or
    as saved before, --model); nothing is judged then, and --seed is a secret.
    """
    if sum(asked[name] is not None for name in ("fit_on", "model", "protected")) > 1:
        raise click.UsageError("--fit-on, --model and --protected exclude each other.")
    output.check(asked["save"], asked["out"])
    check_vectors_file(asked["out"])
    check_inputs(*(asked[name] for name in ("labels", "fit_on", "model", "protected")))
    if asked["method"] in PSEUDO_METHODS:
        if output.html or output.figures:
            raise click.UsageError(f"--method {asked['method']} judges nothing, so there is no report and no figure.")
        done = run_pseudo(asked)
        echo_json(done) if output.as_json else click.echo(told(done))
        return
    check_needs(asked)
    from stripeless.studies.protect import judge_hidden

    with spoken_warnings():
        hidden = hide(asked)
        write(hidden, asked["save"], asked["out"])  # before judging, which takes longer than some have patience
        if not asked["judge"]:
            for note in hidden.notes:
                say(note)
            if output.as_json:
                echo_json({})
            return
        proof = judge_hidden(
            hidden,
            classifiers=asked["classifier"] or None,
            folds=asked["folds"],
            resamples=asked["resamples"],
            margin=asked["margin"],
            workers=asked["workers"] or 0,
            maps=output.html is not None or output.figures is not None,
            progress=tell_classifiers,
            say=say,
            seed=asked["seed"],
            name=Path(asked["vectors"]).name,
        )
    output.show(proof)


def check_needs(asked: dict[str, Any]) -> None:
    """What this call will need at its end, looked for at its beginning."""
    if asked["judge"]:
        need("sklearn", "classifiers", "Judging an attribute")
    if asked["method"] in TRAINED and asked["model"] is None and asked["protected"] is None:
        need("torch", "flow", f"--method {asked['method']}")
        check_device(asked["device"], "flow")


def hide(asked: dict[str, Any]) -> HiddenAttribute:
    """Read what is named, then fit or load, and apply."""
    from stripeless.embeddings.files import read_embeddings
    from stripeless.protections.fitter import protection_fitter
    from stripeless.protections.load import load_protection
    from stripeless.studies.protect import hide_attribute

    settings = {name: asked[name] for name in ("pca", "directions", "epochs", "paper", "device", "seed")}
    fit = protection_fitter(asked["method"], progress=tell_epochs, **settings)
    given = read_speakers(asked["vectors"], asked["utt2spk"])
    other = None if asked["fit_on"] is None else read_speakers(asked["fit_on"], asked["fit_utt2spk"], "--fit-utt2spk")
    return hide_attribute(
        given,
        labels_for(given, asked["labels"]),
        method=fit,
        fit_on=other,
        fit_labels=None if other is None else labels_for(other, asked["labels"]),
        protected=None if asked["protected"] is None else read_embeddings(asked["protected"]),
        protection=None if asked["model"] is None else load_protection(asked["model"]),
        bins=asked["bins"],
        say=say,
        seed=asked["seed"],
    )


def write(hidden: HiddenAttribute, save: str | None, out: str | None) -> None:
    """The protection and the protected vectors, where they are asked for."""
    from stripeless.embeddings.files import write_embeddings

    if save and hidden.protection is not None:
        hidden.protection.save(save)
        say(f"Protection: {save}")
    if out:
        write_embeddings(out, hidden.after)
        say(f"Protected vectors: {out}")


def tell_epochs(progress: Progress) -> None:
    """Every tenth epoch: how far, and how long still."""
    if progress.done % max(1, progress.total // 10) == 0:
        say(f"  epoch {progress.done} of {progress.total}, about {progress.seconds_left:.0f} s left")


def tell_classifiers(progress: Progress) -> None:
    """After each classifier: how far, and how long still."""
    say(f"  classifier {progress.done} of {progress.total}, about {progress.seconds_left:.0f} s left")


@contextmanager
def spoken_warnings() -> Iterator[None]:
    """Warnings about the data as one sentence each on standard error."""
    from stripeless.protections.labels import ProtectionWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            found = [str(warning.message) for warning in caught if isinstance(warning.message, ProtectionWarning)]
            for message in dict.fromkeys(found):
                say(f"Warning: {message}")
