"""Tables 1 to 4 of Noe et al. 2022 for other vectors than theirs, and what helps when speakers are few.

    python benchmarks/attribute_tables.py simulated [--only flow]
    python benchmarks/attribute_tables.py VECTORS... [--balance] [--each 12] [--splits 2] [--first 0] [--main] [--only flow]

VECTORS are files or folders that `read_embeddings` reads, with speakers and sex; FILE=FOLDER takes these from a Kaldi data
directory. All speakers are judged in rotation, protected by maps that never saw them (`judge_in_rotation`), by all
classifiers, the strongest counting; each split cuts the speakers anew. --balance keeps as many women as men of each file, so
that whoever recognizes the recording does not know the sex. --first: the seed of the first split. --main: the principal rows
only, and those with zeros filled where vectors are full of them.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from attribute_variants import variants

from stripeless.attributes.classifiers import CLASSIFIERS
from stripeless.attributes.proof import judge_protection
from stripeless.attributes.rotation import judge_in_rotation
from stripeless.embeddings.files import read_embeddings
from stripeless.protections.lda import fit_lda_protection
from stripeless.protections.settings import FlowSettings
from stripeless.protections.train_flow import fit_flow_protection
from stripeless.results.attribute import AttributeResult
from stripeless.worlds.attribute_population import simulate_attribute

Fit = Callable[[Any, Any, Any], Any]
TAGS = "0ABCDEF"
PRINCIPAL = (
    "original",
    "LDA (Eq. 8)",
    "adversarial",
    "LDA, oblique",
    "flow",
    "flow after PCA 32",
    "moments 32, 8",
    "zeros filled, moments 32, 8",
)
Found = dict[str, list[AttributeResult]]


def read(paths: list[str], each: int | None, balance: bool) -> tuple[Any, Any, Any]:
    """Vectors, sex and speakers of all files; at most `each` utterances of a speaker."""
    parts = []
    for path, _, labels in (path.partition("=") for path in paths):
        part = read_embeddings(path, utt2spk=labels or None)
        sex, speakers = np.array(part.sex), np.array(part.speakers)
        rows = balanced(sex, speakers) if balance else np.arange(len(part))
        parts.append((part.vectors[rows].astype(np.float64), sex[rows], speakers[rows]))
    vectors, sex, speakers = (np.concatenate(column) for column in zip(*parts, strict=True))
    if each is None:
        return vectors, sex, speakers
    rng = np.random.default_rng(0)
    rows = np.sort(
        np.concatenate([rng.permutation(np.flatnonzero(speakers == who))[:each] for who in np.unique(speakers)])
    )
    return vectors[rows], sex[rows], speakers[rows]


def balanced(sex: Any, speakers: Any) -> Any:
    """Rows of as many speakers of each sex as there are of the rarer one."""
    rng = np.random.default_rng(0)
    people = [rng.permutation(np.unique(speakers[sex == kind])) for kind in np.unique(sex)]
    fewest = min(len(names) for names in people)
    return np.flatnonzero(np.isin(speakers, np.concatenate([names[:fewest] for names in people])))


def compare(asked: argparse.Namespace) -> None:
    """One row per way of protecting, as it is found; then Tables 1 to 4 for the principal ones."""
    vectors, sex, speakers = read(asked.vectors, asked.each, asked.balance)
    rectified = bool((vectors == 0).mean() > 0.1)
    seeds = range(asked.first, asked.first + asked.splits)
    people = {str(kind): len(set(speakers[sex == kind])) for kind in np.unique(sex)}
    print(f"{len(vectors)} vectors of {vectors.shape[1]} dimensions, speakers {people}, ", end="")
    print(f"{asked.rotations} parts in rotation, splits {[*seeds]}\n")
    print("| | D_ECE, strongest: mean (range) | 95 % over speakers | by chance: mean, 95 % | splits p < 0.05 ", end="")
    print(f"| {' / '.join(CLASSIFIERS)} | cosine EER, % | 95 % | PLDA EER, % | 95 % |\n|{'---|' * 10}")
    found: Found = {}
    for name in variants(0, rectified):
        if (asked.only and name not in asked.only) or (asked.main and name not in PRINCIPAL):
            continue
        found[name] = [
            judge_in_rotation(
                variants(seed, rectified)[name],
                vectors,
                sex,
                speakers,
                rotations=asked.rotations,
                resamples=asked.resamples,
                retrained=asked.retrained,
                seed=seed,
            )
            for seed in seeds
        ]
        print(f"| {name} | {' | '.join(row(found[name]))} |", flush=True)
    tables({name: results for name, results in found.items() if name in PRINCIPAL})


def row(found: list[AttributeResult]) -> list[str]:
    best = [result.strongest.tested.measures["d_ece"] for result in found]
    each = [np.mean([r.classifiers[i].tested["d_ece"] for r in found]) for i in range(len(found[0].classifiers))]
    return [
        span([measure.value for measure in best]),
        interval(best),
        f"{np.mean([r.chance.mean for r in found]):.3f}, {np.mean([r.chance.high for r in found]):.3f}",
        f"{sum(r.chance.p_value < 0.05 for r in found)} of {len(found)}",
        " / ".join(f"{value:.3f}" for value in each),
        *(cell for how in ("cosine", "plda") for cell in rate(found, how)),
    ]


def rate(found: list[AttributeResult], how: str) -> list[str]:
    """EER in percent, and its interval over speakers."""
    rates = [result.verification[how].measures["eer"] for result in found]
    return [f"{100 * np.mean([m.value for m in rates]):.2f}", interval(rates, 100, 1)]


def interval(measures: list[Any], factor: float = 1.0, digits: int = 3) -> str:
    """Mean of the bounds over the splits."""
    low, high = (factor * np.mean([getattr(m, end) for m in measures]) for end in ("low", "high"))
    return f"{low:.{digits}f} to {high:.{digits}f}"


def tables(found: Found) -> None:
    """Tables 1 to 4: means over the splits, samples per category summed."""
    print("\n| | strongest | train Cllr_min | train D_ECE | test Cllr_min | 95 % | test D_ECE | 95 % |")
    print("|" + "---|" * 8)
    for name, results in found.items():
        best = [result.strongest for result in results]
        cost, leak = ([one.tested.measures[key] for one in best] for key in ("cllr_min", "d_ece"))
        cells = [
            ", ".join(sorted({one.classifier for one in best})),
            f"{np.mean([one.train_cllr_min for one in best]):.3f}",
            f"{np.mean([one.train_d_ece for one in best]):.3f}",
            *(cell for m in (cost, leak) for cell in (f"{np.mean([x.value for x in m]):.3f}", interval(m))),
        ]
        print(f"| {name} | {' | '.join(cells)} |")
    print(
        f"\n| | {' | '.join(TAGS)} | MI, 10^-2 bit per dimension | by chance | cosine EER, % | 95 % | cosine Cllr_min ",
        end="",
    )
    print("| PLDA EER, % | 95 % | PLDA Cllr_min |\n|" + "---|" * (10 + 6))
    for name, results in found.items():
        counts = [str(sum(r.strongest.tested.category_counts[tag] for r in results)) for tag in TAGS]
        information = f"{100 * np.mean([r.mutual_information.mean() for r in results]):.2f}"
        by_chance = f"{100 * np.mean([r.information_by_chance for r in results]):.2f}"
        use = [
            cell
            for how in ("cosine", "plda")
            for cell in (*rate(results, how), f"{np.mean([r.verification[how]['cllr_min'] for r in results]):.3f}")
        ]
        print(f"| {name} | {' | '.join([*counts, information, by_chance, *use])} |")


def span(values: list[Any], digits: int = 3) -> str:
    """The mean, and the range where there is one."""
    numbers = [float(value) for value in values]
    mean = f"{np.mean(numbers):.{digits}f}"
    return mean if len(numbers) == 1 else f"{mean} ({min(numbers):.{digits}f}-{max(numbers):.{digits}f})"


def simulated(only: list[str] | None) -> None:
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
        if only and name not in only:
            continue
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
    parser.add_argument("--balance", action="store_true", help="as many women as men of each file")
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--each", type=int, help="at most so many utterances of a speaker")
    parser.add_argument("--rotations", type=int, default=2)
    parser.add_argument("--resamples", type=int, default=200)
    parser.add_argument("--retrained", type=int, default=0, help="chance by attackers trained anew, so many times")
    parser.add_argument("--main", action="store_true", help="the principal rows only")
    parser.add_argument("--only", action="append", help="this row only; may be repeated")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.vectors == ["simulated"]:
        simulated(asked.only)
    else:
        compare(asked)


if __name__ == "__main__":
    main()
