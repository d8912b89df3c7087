"""stripeless protect: hide an attribute in embeddings, and prove that it is gone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stripeless.cli.common import check_outputs, echo_json, output_options, say
from stripeless.cli.pseudo import PSEUDO_METHODS, pseudo_options, run_pseudo, told
from stripeless.cli.show import figure_options, show

if TYPE_CHECKING:
    from stripeless.embeddings.embeddings import Embeddings
    from stripeless.protections.load import Protection
    from stripeless.protections.settings import Progress

FILE = click.Path()
UNKNOWN_SPEAKERS = (
    "Nothing here tells on which speakers the protection was fitted. If some of them are judged here, it looks better than "
    "it is."
)


@click.command("protect")
@click.argument("vectors", type=FILE)
@click.option("--labels", type=FILE, help="The attribute: a table of utterance or speaker and label. Default: the sex.")
@click.option("--bins", type=int, help="The labels are numbers, such as ages: cut them into so many classes.")
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
    "--pca", type=int, help="Flow, moments: first project on so many components; for few speakers, or many zeros."
)
@click.option("--directions", type=int, default=8, show_default=True, help="Moments: how many directions to take out.")
@click.option("--epochs", type=int, help="Flow and adversarial: how long to train.")
@click.option("--paper", is_flag=True, help="Flow: the settings of the paper.")
@click.option("--model", type=FILE, help="Apply this saved protection instead of fitting one.")
@click.option("--protected", type=FILE, help="Judge these vectors, protected by anything, instead of protecting.")
@click.option("--save", type=FILE, help="Save the fitted protection (safetensors).")
@click.option("--out", type=FILE, help="Write the protected vectors; the name gives the format.")
@click.option("--judge/--no-judge", default=True, show_default=True, help="Attack the protected vectors.")
@click.option("--classifier", multiple=True, help="Only this classifier; may be repeated. Default: all five.")
@click.option("--folds", type=int, default=5, show_default=True, help="Parts into which the judged speakers are split.")
@click.option("--resamples", type=int, default=200, show_default=True, help="Resamples behind the 95 % intervals.")
@click.option("--device", default="cpu", show_default=True, help="Where to train: cpu, cuda.")
@pseudo_options
@figure_options
@output_options
def command(as_json: bool, html: str | None, figures: str | None, figure_format: str, **asked: Any) -> None:
    """Hide an attribute in VECTORS, such as the sex of the speakers, and attack the result.

    Without --fit-on, --model or --protected, half of the speakers of each class fit the protection and the other half
    judge it; --out then writes all of them. Judging is by classifiers trained on protected vectors, tried on speakers
    they never met.

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
    check_outputs(html, asked["save"], asked["out"], folders=(figures,))
    if asked["method"] in PSEUDO_METHODS:
        if html or figures:
            raise click.UsageError(f"--method {asked['method']} judges nothing, so there is no report and no figure.")
        done = run_pseudo(asked)
        echo_json(done) if as_json else click.echo(told(done))
        return
    with spoken_warnings() as said:
        result = run_protect(asked, figures=html is not None or figures is not None)
    if result:
        # what was said while fitting belongs to the proof too
        result["warnings"] = list(dict.fromkeys([*result["warnings"], *said]))
        show(result, as_json=as_json, html=html, figures=figures, figure_format=figure_format)
    elif as_json:
        echo_json(result)


def run_protect(asked: dict[str, Any], *, figures: bool) -> dict[str, Any]:
    """Fit or load, apply, write, judge; the dict of the proof, empty where none was asked for."""
    import numpy as np

    from stripeless.embeddings.files import read_embeddings, write_embeddings

    given = with_speakers(read_embeddings(asked["vectors"], utt2spk=asked["utt2spk"]), asked["vectors"])
    labels = labels_of(given, asked)
    fitting = np.zeros(len(given), dtype=bool)
    protection: Protection | None = None
    background = None
    if asked["protected"] is not None:
        shown = aligned(read_embeddings(asked["protected"]), given, asked["protected"])
    else:
        protection, fitting, background = obtain(given, labels, asked)
        shown = np.asarray(protection.apply(given.vectors))
    if asked["save"] and protection is not None:
        protection.save(asked["save"])
        say(f"Protection: {asked['save']}")
    if asked["out"]:
        write_embeddings(asked["out"], replace(given, vectors=shown))
        say(f"Protected vectors: {asked['out']}")
    if not asked["judge"]:
        return {}
    return judged(given, labels, shown, ~fitting, protection, background, asked, figures)


def judged(
    given: Embeddings,
    labels: Any,
    shown: Any,
    rows: Any,
    protection: Protection | None,
    background: Any,
    asked: dict[str, Any],
    figures: bool,
) -> dict[str, Any]:
    """The proof on the rows that did not fit the protection."""
    import numpy as np

    from stripeless.attributes.proof import judge_protection

    say(f"Judging {int(rows.sum())} vectors ...")
    speakers = np.array(given.speakers)[rows]
    proof = judge_protection(
        shown[rows],
        labels[rows],
        speakers,
        original=given.vectors[rows],
        background=background,
        classifiers=asked["classifier"] or None,
        folds=asked["folds"],
        resamples=asked["resamples"],
        progress=lambda p: say(f"  classifier {p.done} of {p.total}, about {p.seconds_left:.0f} s left"),
        seed=asked["seed"],
        name=Path(asked["vectors"]).name,
    )
    result = proof.to_dict() | {"method": method_of(protection), "figures": {}}
    if background is None:
        result["warnings"] += [UNKNOWN_SPEAKERS]
    if protection is not None and hasattr(protection, "evidence") and set(protection.classes) == set(proof.classes):
        if len(protection.classes) == 2:
            from stripeless.attributes.calibration import llr_calibration

            result["llr"] = llr_calibration(protection, given.vectors[rows], labels[rows]).to_dict()
    elif protection is not None and set(protection.classes) != set(proof.classes):
        result["warnings"] += [
            f"The protection hides {', '.join(protection.classes)}; judged here is {', '.join(proof.classes)}."
        ]
    if figures:
        drawn = drawings(given.vectors[rows], shown[rows], labels[rows], protection, asked["seed"])
        result |= {"map_method": drawn.pop("map_method"), "figures": drawn}
    return result


def method_of(protection: Protection | None) -> str:
    """How the vectors were protected, where that is known."""
    return "" if protection is None else " ".join([protection.kind, getattr(protection, "projection", "")]).strip()


def obtain(given: Embeddings, labels: Any, asked: dict[str, Any]) -> tuple[Protection, Any, Any]:
    """The protection, the rows of VECTORS that fitted it, and the unprotected vectors that teach the verifier."""
    import numpy as np

    from stripeless.embeddings.files import read_embeddings
    from stripeless.protections.load import load_protection

    none = np.zeros(len(given), dtype=bool)
    if asked["model"] is not None:
        return load_protection(asked["model"]), none, None
    if asked["fit_on"] is not None:
        other = with_speakers(read_embeddings(asked["fit_on"], utt2spk=asked["fit_utt2spk"]), asked["fit_on"])
        check_disjoint(other, given)
        taught = labels_of(other, asked, beside=given)
        return fit(other.vectors, taught, other.speakers, asked), none, (other.vectors, other.speakers)
    rows = first_half(np.array(given.speakers), labels, asked["seed"])
    people = np.array(given.speakers)[rows]
    return fit(given.vectors[rows], labels[rows], people, asked), rows, (given.vectors[rows], people)


def fit(vectors: Any, labels: Any, speakers: Any, asked: dict[str, Any]) -> Protection:
    """The protection asked for, with progress on standard error."""
    from stripeless.protections.settings import AdversarialSettings, FlowSettings

    say(f"Fitting {asked['method']} on {len(vectors)} vectors ...")
    if asked["method"] in ("lda", "oblique"):
        from stripeless.protections.lda import fit_lda_protection

        shrinkage: Any = 0.0 if len(vectors) > 2 * vectors.shape[1] else "auto"
        projection: Any = "orthogonal" if asked["method"] == "lda" else "oblique"
        return fit_lda_protection(vectors, labels, speakers=speakers, shrinkage=shrinkage, projection=projection)
    if asked["method"] == "moments":
        from stripeless.protections.moments import fit_moment_protection

        few = {} if asked["pca"] is None else {"pca": asked["pca"]}
        return fit_moment_protection(vectors, labels, speakers=speakers, directions=asked["directions"], **few)
    common = {"speakers": speakers, "device": asked["device"], "progress": tell, "seed": asked["seed"]}
    if asked["method"] == "adversarial":
        from stripeless.protections.train_adversarial import fit_adversarial_protection

        longer = {} if asked["epochs"] is None else {"epochs": asked["epochs"]}
        return fit_adversarial_protection(vectors, labels, settings=AdversarialSettings(**longer), **common)
    from stripeless.protections.train_flow import fit_flow_protection

    settings = replace(FlowSettings.paper() if asked["paper"] else FlowSettings(), pca=asked["pca"])
    if asked["epochs"] is not None:
        settings = replace(settings, epochs=asked["epochs"])
    return fit_flow_protection(vectors, labels, settings=settings, **common)


def tell(progress: Progress) -> None:
    """Every tenth epoch: how far, and how long still."""
    if progress.done % max(1, progress.total // 10) == 0:
        say(f"  epoch {progress.done} of {progress.total}, about {progress.seconds_left:.0f} s left")


def first_half(speakers: Any, labels: Any, seed: int) -> Any:
    """Rows of half the speakers of each class."""
    import numpy as np

    rng = np.random.default_rng(seed)
    rows = np.zeros(len(speakers), dtype=bool)
    for label in np.unique(labels):
        people = rng.permutation(np.unique(speakers[labels == label]))
        rows |= np.isin(speakers, people[: len(people) // 2])
    return rows


def labels_of(embeddings: Embeddings, asked: dict[str, Any], *, beside: Embeddings | None = None) -> Any:
    """The attribute of each row; numbers are cut into classes where those of `beside`, if given, would be cut."""
    from stripeless.protections.labels import bin_attribute

    values = values_of(embeddings, asked)
    if asked["bins"] is None:
        return values
    return bin_attribute(values, asked["bins"], like=None if beside is None else values_of(beside, asked))


def values_of(embeddings: Embeddings, asked: dict[str, Any]) -> Any:
    """The attribute of each row: from the table given, by utterance or by speaker, or the sex."""
    import numpy as np

    from stripeless.errors import FileError, InputError

    if asked["labels"] is None:
        if embeddings.sex is None:
            raise InputError("labels: the vectors come without sex; give --labels, or --utt2spk with a data directory")
        return np.array(embeddings.sex)
    table = read_table(asked["labels"])
    people = embeddings.speakers or embeddings.utterances
    keys = [u if u in table else s for u, s in zip(embeddings.utterances, people, strict=True)]
    missing = [key for key in keys if key not in table]
    if missing:
        raise FileError(asked["labels"], f"has no label for {missing[0]} and {len(missing) - 1} others")
    return np.array([table[key] for key in keys])


def read_table(path: str) -> dict[str, str]:
    """Two columns: utterance or speaker, and label."""
    from stripeless.errors import FileError

    table: dict[str, str] = {}
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(path, f"cannot be read ({error})") from error
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split(maxsplit=1)
        if not fields:
            continue
        if len(fields) != 2:
            raise FileError(path, f"expected a name and a label, got {line!r}", number)
        table[fields[0]] = fields[1].strip()
    return table


def with_speakers(embeddings: Embeddings, path: str) -> Embeddings:
    from stripeless.errors import FileError

    if embeddings.speakers is None:
        raise FileError(path, "names no speakers; give --utt2spk, so that nobody is in training and test")
    return embeddings


def aligned(protected: Embeddings, given: Embeddings, path: str) -> Any:
    """The protected vectors in the order of the given ones."""
    from stripeless.errors import FileError

    place = {utterance: row for row, utterance in enumerate(protected.utterances)}
    missing = [utterance for utterance in given.utterances if utterance not in place]
    if missing:
        raise FileError(path, f"lacks {missing[0]} and {len(missing) - 1} other utterances of the unprotected vectors")
    return protected.vectors[[place[utterance] for utterance in given.utterances]]


def check_disjoint(fitted: Embeddings, given: Embeddings) -> None:
    """A protection must not be judged on speakers that it was fitted on."""
    from stripeless.errors import InputError

    both = sorted(set(fitted.speakers or ()) & set(given.speakers or ()))
    if both:
        raise InputError(
            f"--fit-on: speaker {both[0]} and {len(both) - 1} others are in VECTORS too; a protection judged on those it was "
            "fitted on looks better than it is, so leave them out of one of the two"
        )


def drawings(before: Any, after: Any, labels: Any, protection: Protection | None, seed: int) -> dict[str, Any]:
    """Points for the figures, of at most 1000 vectors."""
    import numpy as np

    from stripeless.attributes.maps import map_method, neighbor_map
    from stripeless.protections.flow import FlowProtection

    rows = np.sort(np.random.default_rng(seed).permutation(len(before))[:1000])
    points: dict[str, Any] = {
        "labels": labels[rows].tolist(),
        "map_method": map_method(),
        "map_original": np.round(neighbor_map(before[rows], seed=seed), 2).tolist(),
        "map_protected": np.round(neighbor_map(after[rows], seed=seed), 2).tolist(),
    }
    if isinstance(protection, FlowProtection):
        points["latent"] = np.round(protection.latent(before[rows])[:, :2].astype(float), 3).tolist()
    return points


@contextmanager
def spoken_warnings() -> Iterator[list[str]]:
    """Warnings about the data as one sentence each on standard error, and afterwards in the list."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield said
        finally:
            found = [str(warning.message) for warning in caught if "Protection" in warning.category.__name__]
            said += dict.fromkeys(found)
            for message in said:
                say(f"Warning: {message}")
