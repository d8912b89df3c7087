"""Tables 1 to 4 of Noe et al. 2022 for other vectors than theirs: sex hidden by each protection, judged on other speakers.

    python benchmarks/attribute_tables.py simulated
    python benchmarks/attribute_tables.py helps VECTORS... [--rotations 2] [--splits 3] [--each 12] [--only flow]
    python benchmarks/attribute_tables.py VECTORS... [--pca 16] [--splits 3] [--each 4] [--classifier perceptron]

VECTORS are files or folders that `read_embeddings` reads, with speakers and sex; FILE=FOLDER takes these from a Kaldi data
directory. Half of the speakers of each sex fit the protections, the other half judge them; each split draws the halves
anew. Cells are means over the splits, with the range. `helps` compares what might help when speakers are few: all of them
are judged in rotation, on maps that never saw them (`judge_in_rotation`), with intervals over speakers and chance.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from attribute_variants import variants

from stripeless.embeddings.files import read_embeddings
from stripeless.protections.lda import fit_lda_protection
from stripeless.protections.settings import AdversarialSettings, FlowSettings
from stripeless.protections.train_adversarial import fit_adversarial_protection
from stripeless.protections.train_flow import fit_flow_protection
from stripeless.protocols.attribute import AttributeResult, judge_protection
from stripeless.protocols.attribute_rotation import judge_in_rotation
from stripeless.protocols.simulate_attribute import simulate_attribute

Fit = Callable[[Any, Any, Any], Any]
TAGS = "ABCDEF"


def protections(pca: int | None, seed: int) -> dict[str, Fit | None]:
    """The rows of the tables; None is the vectors as they are."""
    flow = FlowSettings(pca=pca, batch=64, components=None if pca else 64)
    return {
        "original": None,
        "LDA (Eq. 8)": lambda x, y, s: fit_lda_protection(x, y, shrinkage="auto"),
        "LDA, oblique": lambda x, y, s: fit_lda_protection(x, y, shrinkage="auto", projection="oblique"),
        "adversarial": lambda x, y, s: fit_adversarial_protection(
            x, y, settings=AdversarialSettings(code=pca or 128), seed=seed
        ),
        "flow, not trained": lambda x, y, s: fit_flow_protection(
            x, y, settings=replace(flow, epochs=1, learning_rate=1e-12), seed=seed
        ),
        "flow": lambda x, y, s: fit_flow_protection(x, y, speakers=s, settings=flow, seed=seed),
    }


def read(paths: list[str], each: int | None) -> tuple[Any, Any, Any]:
    """Vectors, sex and speakers of all files; at most `each` utterances of a speaker."""
    split = [path.partition("=") for path in paths]
    parts = [read_embeddings(path, utt2spk=labels or None) for path, _, labels in split]
    vectors = np.concatenate([part.vectors for part in parts]).astype(np.float64)
    sex = np.array([sex for part in parts for sex in part.sex or ()])
    speakers = np.array([who for part in parts for who in part.speakers or ()])
    if each is not None:
        order = np.random.default_rng(0).permutation(len(speakers))
        seen: dict[str, int] = {}
        kept = []
        for row in order:
            seen[speakers[row]] = seen.get(speakers[row], 0) + 1
            kept += [row] if seen[speakers[row]] <= each else []
        rows = np.sort(kept)
        vectors, sex, speakers = vectors[rows], sex[rows], speakers[rows]
    return vectors, sex, speakers


def halves(sex: Any, speakers: Any, seed: int) -> Any:
    """True for the rows of speakers that fit the protections."""
    rng = np.random.default_rng(seed)
    fitting = np.zeros(len(sex), dtype=bool)
    for kind in np.unique(sex):
        people = rng.permutation(np.unique(speakers[sex == kind]))
        fitting |= np.isin(speakers, people[: len(people) // 2])
    return fitting


def tables(paths: list[str], pca: int | None, splits: int, each: int | None, classifiers: list[str] | None) -> None:
    vectors, sex, speakers = read(paths, each)
    print(f"{len(vectors)} vectors of {vectors.shape[1]} dimensions, {len(set(speakers))} speakers, {splits} splits\n")
    results: dict[str, list[tuple[AttributeResult, float]]] = {}
    for seed in range(splits):
        fitting = halves(sex, speakers, seed)
        background = (vectors[fitting], speakers[fitting])
        for name, fit in protections(pca, seed).items():
            start = time.monotonic()
            shown = vectors[~fitting]
            if fit is not None:
                shown = fit(vectors[fitting], sex[fitting], speakers[fitting]).apply(shown)
            seconds = time.monotonic() - start
            proof = judge_protection(
                shown, sex[~fitting], speakers[~fitting], background=background, classifiers=classifiers, seed=seed
            )
            results.setdefault(name, []).append((proof.protected, seconds))
            print(f"split {seed}, {name}: D_ECE {proof.protected['d_ece']:.3f}", file=sys.stderr, flush=True)
    print(
        "| | strongest | train Cllr_min | train D_ECE | test Cllr_min | test D_ECE | by chance: mean, 95 % | fit, s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, found in results.items():
        best = [result.strongest for result, _ in found]
        cells = [
            "/".join(sorted({one.classifier for one in best})),
            span([one.train_cllr_min for one in best]),
            span([one.train_d_ece for one in best]),
            span([result["cllr_min"] for result, _ in found]),
            span([result["d_ece"] for result, _ in found]),
            f"{np.mean([r.chance.mean for r, _ in found]):.3f}, {np.mean([r.chance.high for r, _ in found]):.3f}",
            f"{np.mean([seconds for _, seconds in found]):.1f}",
        ]
        print(f"| {name} | {' | '.join(cells)} |")
    print("\n| | 0 | A | B | C | D | E | F | MI, 10^-2 bit per dimension", end="")
    print(" | cosine EER, % | cosine Cllr_min | PLDA EER, % | PLDA Cllr_min |")
    print("|" + "---|" * 13)
    for name, found in results.items():
        counts = [str(sum(r.strongest.tested.category_counts[tag] for r, _ in found)) for tag in "0" + TAGS]
        information = span([100 * float(r.mutual_information.mean()) for r, _ in found], 2)
        use = [
            cell
            for how in ("cosine", "plda")
            for cell in (
                span([100 * float(r.verification[how]["eer"]) for r, _ in found], 2),
                span([r.verification[how]["cllr_min"] for r, _ in found]),
            )
        ]
        print(f"| {name} | {' | '.join([*counts, information, *use])} |")


def helps(paths: list[str], asked: argparse.Namespace) -> None:
    """One row per way of protecting: D_ECE over the splits, its interval over speakers, chance, verification."""
    vectors, sex, speakers = read(paths, asked.each)
    rectified = bool((vectors == 0).mean() > 0.1)
    names = [n for n in variants(0, rectified) if not asked.only or n in asked.only]
    print(f"{len(vectors)} vectors of {vectors.shape[1]} dimensions, {len(set(speakers))} speakers, ", end="")
    print(f"{asked.rotations} parts in rotation, {asked.splits} splits\n")
    print(
        "| | D_ECE, strongest: mean (range over splits) | 95 % over speakers | by chance: mean, 95 % | splits p < 0.05",
        end="",
    )
    print(" | perceptron / logistic / neighbors / boosting | cosine EER, % | 95 % over speakers |")
    print("|" + "---|" * 8)
    for name in names:
        found = [
            judge_in_rotation(
                variants(seed, rectified)[name],
                vectors,
                sex,
                speakers,
                rotations=asked.rotations,
                classifiers=asked.classifier,
                resamples=asked.resamples,
                retrained=asked.retrained,
                seed=seed,
            )
            for seed in range(asked.splits)
        ]
        print(f"| {name} | {' | '.join(helps_cells(found))} |", flush=True)


def helps_cells(found: list[AttributeResult]) -> list[str]:
    best = [result.strongest.tested.measures["d_ece"] for result in found]
    rates = [result.verification["cosine"].measures["eer"] for result in found]
    each = [
        f"{np.mean([r.classifiers[i].tested['d_ece'] for r in found]):.3f}" for i in range(len(found[0].classifiers))
    ]
    return [
        span([measure.value for measure in best]),
        f"{np.mean([m.low for m in best]):.3f} to {np.mean([m.high for m in best]):.3f}",
        f"{np.mean([r.chance.mean for r in found]):.3f}, {np.mean([r.chance.high for r in found]):.3f}",
        f"{sum(r.chance.p_value < 0.05 for r in found)} of {len(found)}",
        " / ".join(each),
        f"{100 * np.mean([m.value for m in rates]):.2f}",
        f"{100 * np.mean([m.low for m in rates]):.1f} to {100 * np.mean([m.high for m in rates]):.1f}",
    ]


def span(values: list[Any], digits: int = 3) -> str:
    """The mean, and the range where there is one."""
    numbers = [float(value) for value in values]
    mean = f"{np.mean(numbers):.{digits}f}"
    return mean if len(numbers) == 1 else f"{mean} ({min(numbers):.{digits}f}-{max(numbers):.{digits}f})"


def simulated() -> None:
    """A population whose LLR is known and not linear: who finds it, and what is left after hiding it."""
    fitted = simulate_attribute(3000, 10, speaker_share=0.2, seed=1)
    judged = simulate_attribute(400, 10, speaker_share=0.2, seed=2)
    settings = FlowSettings(hidden=64, epochs=25, noise=0.02, learning_rate=3e-3)
    fits: dict[str, Fit] = {
        "LDA (Eq. 8)": lambda x, y, s: fit_lda_protection(x, y),
        "LDA, oblique": lambda x, y, s: fit_lda_protection(x, y, projection="oblique"),
        "flow": lambda x, y, s: fit_flow_protection(x, y, speakers=s, settings=settings),
    }
    print(
        "| | correlation of the LLR with the truth | D_ECE of the strongest classifier | by chance: mean, 95 % | strongest |"
    )
    print("|---|---|---|---|---|")
    rows = [("original", None), *fits.items()]
    for name, fit in rows:
        shown, correlation = judged.vectors, ""
        if fit is not None:
            protection = fit(fitted.vectors, fitted.labels, fitted.speakers)
            shown = protection.apply(judged.vectors)
            correlation = f"{np.corrcoef(protection.evidence(judged.vectors)[:, 0], judged.llr)[0, 1]:.4f}"
        result = judge_protection(shown, judged.labels, judged.speakers).protected
        chance = f"{result.chance.mean:.4f}, {result.chance.high:.4f}"
        print(f"| {name} | {correlation} | {result['d_ece']:.4f} | {chance} | {result.strongest.classifier} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", nargs="+", help="'simulated', or files of vectors")
    parser.add_argument("--pca", type=int)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--each", type=int, help="at most so many utterances of a speaker")
    parser.add_argument("--classifier", action="append")
    parser.add_argument("--rotations", type=int, default=2)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--retrained", type=int, default=0, help="chance by attackers trained anew, so many times")
    parser.add_argument("--only", action="append", help="this row of `helps` only")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.vectors == ["simulated"]:
        simulated()
    elif chosen.vectors[0] == "helps":
        helps(chosen.vectors[1:], chosen)
    else:
        tables(chosen.vectors, chosen.pca, chosen.splits, chosen.each, chosen.classifier)


if __name__ == "__main__":
    main()
