"""Writes docs/reference/pseudo-speakers.md: every system of pseudo-speakers against every attacker, on real embeddings.

python docs/pseudo_speakers.py DATA [--encoder NAME] [--seeds N] [--work DIR]      DATA holds libri251, digits, librispeech-b1
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click
import numpy as np

from stripeless._files import write_whole
from stripeless.attackers.pseudonyms import ATTACKERS, PseudoData
from stripeless.audio.corpus_files import read_corpus
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.encoders.catalog import make_encoder
from stripeless.embeddings.extract import extract_embeddings
from stripeless.embeddings.files import read_embeddings
from stripeless.embeddings.vectors import take
from stripeless.protections.pseudo.catalog import PSEUDO_SPEAKERS, make_pseudo_speakers
from stripeless.protections.pseudo.pool import Pool
from stripeless.studies.pseudonyms import ceiling, nearest_angle, pseudo_study

PAGE = Path(__file__).parent / "reference" / "pseudo-speakers.md"
JUDGED, LEARNED = 20, 12  # people of each sex in libri251; the rest are the pool
VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((name, {}) for name in PSEUDO_SPEAKERS),
    ("k2", {"epsilon": 100.0}),
    ("k2", {"roles": "shared"}),
    *((name, {"per": "utterance"}) for name in ("b1", "k2", "o1", "apart")),
)

LEFT_OUT = {"librispeech-b1": ("s2c1", "s2", "per=utterance")}  # a dozen networks, and 1500 utterances, for each pool


def by_sex(embeddings: Embeddings, counts: tuple[int, ...], seed: int = 0) -> list[set[str]]:
    """People dealt into groups of so many of each sex, and one group of those who are left."""
    sex = dict(zip(embeddings.speakers or (), embeddings.sex or (), strict=True))
    groups: list[set[str]] = [set() for _ in range(len(counts) + 1)]
    random = np.random.default_rng(seed)
    for one in sorted(set(sex.values())):
        names = random.permutation(sorted(name for name in sex if sex[name] == one))
        for group, part in zip(groups, np.split(names, np.cumsum(counts)), strict=True):
            group |= {str(name) for name in part}
    return groups


def of_people(embeddings: Embeddings, people: set[str]) -> Embeddings:
    return take(embeddings, np.array([name in people for name in embeddings.speakers or ()]))


def enrolled(embeddings: Embeddings, names: set[str], wanted: bool) -> Embeddings:
    return take(embeddings, np.array([(name in names) == wanted for name in embeddings.utterances]))


def together(*parts: Embeddings) -> Embeddings:
    """One list of all."""
    vectors = np.concatenate([one.vectors for one in parts])
    labels = [tuple(x for one in parts for x in getattr(one, n) or ()) for n in ("utterances", "speakers", "sex")]
    return Embeddings(vectors, labels[0], labels[1], labels[2])


def voices(data: Path, encoder: str, work: Path) -> dict[str, list[PseudoData]]:
    """libri251 by itself, and digits with libri251 as attackers' people and pool."""
    found, names = {}, {}
    for name in ("libri251", "digits"):
        corpus = read_corpus(data / name)
        found[name] = extract_embeddings(corpus, make_encoder(encoder), cache=work / "cache").embeddings
        names[name] = set(corpus.enrollment)
    judged, learned, rest = by_sex(found["libri251"], (JUDGED, LEARNED))
    people = of_people(found["libri251"], judged)
    sets = {
        "libri251": [
            PseudoData(
                "libri251",
                enrolled(people, names["libri251"], True),
                enrolled(people, names["libri251"], False),
                of_people(found["libri251"], learned),
                Pool.of(of_people(found["libri251"], rest)),
            )
        ]
    }
    spoken = found["digits"]
    sets["digits"] = [
        PseudoData(
            "digits",
            enrolled(spoken, names["digits"], True),
            enrolled(spoken, names["digits"], False),
            of_people(found["libri251"], learned),
            Pool.of(of_people(found["libri251"], rest | judged)),
        )
    ]
    return sets


def x_vectors(data: Path) -> list[PseudoData]:
    """librispeech-b1, original x-vectors: 40 people in four groups, each judged once, with two groups as the pool."""
    folder = data / "librispeech-b1"
    enrollment, *trials = (
        read_embeddings(folder / "xvectors" / "original" / f"{name}.scp", utt2spk=folder / name)
        for name in ("enrolls", "trials_f", "trials_m")
    )
    everything = together(enrollment, *trials)
    groups = by_sex(everything, (5, 5, 5))
    said = set(enrollment.utterances)
    sets = []
    for number in range(4):
        judged, learned, *rest = (groups[(number + shift) % 4] for shift in range(4))
        people = of_people(everything, judged)
        pool = Pool.of(of_people(everything, set().union(*rest)))
        sets.append(
            PseudoData(
                "librispeech-b1",
                enrolled(people, said, True),
                enrolled(people, said, False),
                of_people(everything, learned),
                pool,
            )
        )
    return sets


def scaled(name: str, pool: Pool) -> dict[str, Any]:
    """Published sizes, or as much of them as the pool allows: the share of B1's candidates, people per cluster."""
    least = min(len(pool.rows(sex)) for sex in pool.sexes)
    farthest = max(2, min(200, round(least * 200 / 580)))
    sizes = {
        "farthest": farthest,
        "draw": max(1, farthest // 2),
        "clusters": max(2, min(20, least // 5)),
        "dimensions": min(20, least // 2),
        "components": max(1, min(3, least // 10)),
    }
    return {key: value for key, value in sizes.items() if key in PSEUDO_SPEAKERS[name].options}


def cell(measure: dict[str, Any], factor: float, digits: int) -> str:
    """Value and interval."""
    if measure["value"] is None:
        return "-"
    text = f"{factor * measure['value']:.{digits}f}"
    if measure["low"] is None or isinstance(measure["low"], str):
        return text
    return f"{text} ({factor * measure['low']:.{digits}f} to {factor * measure['high']:.{digits}f})"


def label(name: str, extra: dict[str, Any]) -> str:
    """`k2, epsilon=100`"""
    said = (f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}" for key, value in extra.items())
    return ", ".join((name, *said))


def privacy_row(name: str, result: dict[str, Any]) -> str:
    """What each attacker reaches, and all measures of the strongest."""
    eers = [f"{100 * result['attackers'][who]['eer']['value']:.1f}" for who in ATTACKERS]
    best = result["attackers"][result["strongest"]]
    bits = "-" if result["rank_bits"] is None else f"{result['rank_bits']:.2f} ({result['rank_chance']:.2f})"
    cells = [
        f"`{name}`",
        *eers,
        f"{result['strongest']} {cell(best['eer'], 100, 1)}",
        cell(best["cllr_min"], 1, 2),
        cell(best["d_ece"], 1, 3),
        f"{best['log10_lr']['value']:.2f} {best['category']['value']}",
        cell(best["linkability"], 1, 2),
        bits,
    ]
    return "| " + " | ".join(cells) + " |"


def use_row(name: str, result: dict[str, Any]) -> str:
    """What is left to use, and what inversion finds."""
    top = {key: f"{100 * value:.0f}" for key, value in result["inversions"].items()}
    gain = result["distinctiveness"]
    cells = [
        f"`{name}`",
        f"{100 * result['de_identification']:.0f}",
        f"{gain:.2f}" if np.isfinite(gain) else "-inf",
        f"{result['nearest']:.0f}",
        f"{result['linked_trials']:.2f}",
        top["ridge"],
        top["procrustes"],
        f"{100 * result['inversion_chance']:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"


def section(title: str, sets: list[PseudoData], rows: list[tuple[str, dict[str, Any]]]) -> str:
    """The two tables of one data set."""
    top = ceiling(sets)
    pool = sets[0].pool
    counts = {sex: len(pool.rows(sex)) for sex in pool.sexes}
    people = sum(len(set(one.trials.speakers or ())) for one in sets)
    chosen = {"b1": scaled("b1", pool), "o1": scaled("o1", pool), "a1": scaled("a1", pool)}
    settings = ", ".join(f"{key} {value}" for one in chosen.values() for key, value in one.items())
    nearest = float(np.mean([nearest_angle(one.trials) for one in sets]))
    lines = [
        f"## {title}",
        "",
        f"{people} people judged; pool of {counts.get('f', 0)} women and {counts.get('m', 0)} men; the attacker learns from "
        f"{len(set(sets[0].training.speakers or ()))} others"
        + (f"; {len(sets)} such groups, scores standardized within each and pooled." if len(sets) > 1 else ".")
        + f" Settings for this pool: {settings}. Original vectors: EER {100 * float(top.measures['eer'].value or 0):.1f}, "
        f"D_ECE {float(top.measures['d_ece'].value or 0):.3f}, "
        f"{nearest:.0f} degrees to the nearest other person."
        + (f" Left out, for their time: {', '.join(LEFT_OUT[sets[0].name])}." if sets[0].name in LEFT_OUT else ""),
        "",
        "| system | "
        + " | ".join(ATTACKERS)
        + " | strongest: EER | Cllr_min | D_ECE | worst case | linkability | rank, bits (chance) |",
        "|---" * (len(ATTACKERS) + 7) + "|",
        *(privacy_row(name, result) for name, result in rows),
        "",
        "| system | DeID | G_VD | nearest other | trials linked | top-1 ridge | top-1 Procrustes | chance |",
        "|---" * 8 + "|",
        *(use_row(name, result) for name, result in rows),
        "",
    ]
    return "\n".join(lines)


def judged(title: str, sets: list[PseudoData], seeds: int, work: Path) -> list[tuple[str, dict[str, Any]]]:
    """Every system on one data set; results are kept in the work folder, so that a run that broke off goes on."""
    rows = []
    for name, extra in VARIANTS:
        if any(word in label(name, extra).split(", ") for word in LEFT_OUT.get(title, ())):
            continue
        file = work / f"{title} {label(name, extra)} {seeds}.json"
        if not file.is_file():
            started = time.perf_counter()
            parts = [(one, make_pseudo_speakers(name, one.pool, scaled(name, one.pool) | extra)) for one in sets]
            write_whole(file, json.dumps(pseudo_study(parts, seeds=seeds).to_dict()))
            click.echo(f"{title} {label(name, extra)}: {time.perf_counter() - started:.0f} s", err=True)
        rows.append((label(name, extra), json.loads(file.read_text())))
    return rows


@click.command()
@click.argument("data", type=click.Path(exists=True, path_type=Path))
@click.option("--encoder", default="campplus")
@click.option("--seeds", default=10, help="Secret seeds; scores of all are pooled.")
@click.option("--work", type=click.Path(path_type=Path), default="pseudo-work", help="Folder for results and cache.")
def main(data: Path, encoder: str, seeds: int, work: Path) -> None:
    """Judge every system and write the page."""
    work.mkdir(parents=True, exist_ok=True)
    sets = voices(data, encoder, work) | {"librispeech-b1": x_vectors(data)}
    titles = {
        "libri251": f"Read sentences: `libri251`, {encoder}",
        "digits": f"Spoken digits: `digits`, {encoder}, pool from `libri251`",
        "librispeech-b1": "x-vectors: `librispeech-b1`, original extractor",
    }
    sections = [section(titles[name], sets[name], judged(name, sets[name], seeds, work)) for name in titles]
    ideas = "\n".join(
        f"| `{i.name}` | {i.system} | {i.idea} | {', '.join(f'`{o}`' for o in i.options)} | {i.source} |"
        for i in PSEUDO_SPEAKERS.values()
    )
    command = f"python docs/pseudo_speakers.py DATA --encoder {encoder} --seeds {seeds}"
    write_whole(PAGE, HEAD.format(ideas=ideas, command=command, seeds=seeds) + "\n".join(sections) + TAIL)


HEAD = """<!-- Generated by docs/pseudo_speakers.py; do not edit. -->
# Pseudo-speakers

One speaker's vector in, the vector of somebody who does not exist out. How to use them:
[Make pseudo-speakers](../how-to/pseudo-speakers.md); what they prove and what not:
[Pseudo-speakers](../explanation/pseudo-speakers.md).

| name | system | idea | settings | after |
|---|---|---|---|---|
{ideas}

What the papers do not say of `a1`, `a2`, the threshold of `o1c1` and the sizes of `s1` to `s2c1` is our choice: a row here is
our reading of a system, not the authors' result.

## How to read the tables

    {command}

Everything here is measured on vectors, not on voices: what a synthesis leaves of melody and pronunciation comes on top.
EER in percent: 50 hides everything, 0 nothing; above 50 the scores point away from the speaker, which also tells who it
is. The attackers are those of [Attackers](../explanation/attackers.md), each with the back-end that does best on people
of the attacker's own, and two that know more. *Repeating* makes pseudo-speakers of every enrolled person with other
seeds and compares with their mean; *inverting* makes up people, sends them through the system and learns to go back.
The judged people, the attacker's people and the pool share nobody. Scores of {seeds} secret seeds are pooled (of one
where nothing is drawn). Intervals (95 %) are over people; the luck of the draws comes on top. *Strongest* is the lowest
EER of five, chosen after the fact, so around 50 it lies a little below the truth. *Rank*: mean disclosure, in bits, of
the rank of the true speaker among the enrolled of the same sex (with 20 of them 4.3 bits would identify everybody), by
a beta-binomial model; in brackets what that model finds in as many blind ranks.

DeID (percent) and G_VD (dB) by the VoicePrivacy definitions, on vectors *as heard*: each utterance of a pseudo-speaker
is moved as an utterance of somebody in the pool stands off that person's mean. Without that, all trials of a speaker
are equal to the last digit and the cosine within a speaker is 1, which says nothing. *Nearest other*: mean angle in
degrees from a pseudo-speaker to the most similar other one of the same sex, without that variation. *Trials linked*:
linkability of two trials with each other, as heard. One pseudo-speaker per speaker links them by design, and so does
everything that keeps voices distinct; `per=utterance` cuts that tie, and the distinction (G_VD) with it. *Top-1*,
percent: how often the original trial nearest to an inverted one is of the same speaker; a regression and a rotation,
both learned from made-up people. *Chance* knows the sex, which all systems keep.

"""
TAIL = """
## What follows

See [Pseudo-speakers](../explanation/pseudo-speakers.md#what-the-tables-say).
"""


if __name__ == "__main__":
    main()
