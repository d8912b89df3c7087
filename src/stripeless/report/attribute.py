"""The report on a protection: is the attribute gone, and what did that cost? From the dict of a proof alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stripeless.measures.zebra import CATEGORIES
from stripeless.report.cells import number_with_interval
from stripeless.report.columns import aligned
from stripeless.report.figures import HOW_TO_GET, Picture, have_matplotlib, picture
from stripeless.report.html import render_page
from stripeless.results.attribute import AttributeProof
from stripeless.results.attribute_rules import judge_attribute
from stripeless.verdicts.verdict import Verdict

Rows = list[list[str]]
LIMITS = (
    "D_ECE: what an attacker learns on average, whatever they believed before; 0 is private, 0.72 bit is everything. "
    "Cllr_min says the same from the other end: 1 bit is private, 0 is everything.",
    "Worst case: the strongest evidence that any single vector gives. A log10 LR of 2 makes one class a hundred times likelier.",
    "Numbers in brackets are 95 % intervals: what they would be with other speakers of the same kind.",
    "The classifiers were trained on protected vectors of other speakers. The strongest one counts; a stronger one than these "
    "may exist, so a small number is no proof that nothing is left.",
    "By chance: the same scores with the labels exchanged among speakers. Anything up to there may be no evidence at all.",
    "AUC, speakers: how often the one of two speakers of different classes is told from the other, by all of their utterances; "
    "guessing gives 0.50. Its limits hold for other speakers of the same kind, and allow for training on few.",
    "Mutual information looks at one dimension at a time; classifiers see dimensions together. With few vectors it is above 0 "
    "even where there is nothing, as its value by chance shows.",
    "EER: how often a verifier takes one speaker for another, and as often fails to know a speaker again. Verification "
    "compares utterances of one class only, by someone who does not know that the vectors are protected.",
    "If women and men were recorded differently, in other rooms or corpora, whoever knows the recording knows the sex. Such "
    "vectors show too much before protection, and hiding the sex then hides the recording.",
)
CALIBRATED = (
    "A log-likelihood ratio that is what it claims to be has mean m in one class, -m in the other, and variance 2 m in both. "
    "'Lost' is what wrong scale or zero cost: 0 is calibrated."
)


METHODS = {
    "flow": "a normalizing flow, evidence set to zero",
    "lda orthogonal": "linear discriminant analysis, Eq. 8",
    "lda oblique": "linear discriminant analysis, classes moved to one mean",
    "moments": "one mean for all classes, and directions left out in which their spread differs",
    "adversarial": "an adversarial auto-encoder",
}


def verdict_of(proof: Mapping[str, Any]) -> Verdict:
    """The verdict, by the one rule for it; of results of earlier versions it says that they hold no test."""
    return judge_attribute(AttributeProof.from_dict(proof))


def attribute_tables(proof: Mapping[str, Any]) -> list[tuple[str, list[str], Rows]]:
    """Caption, head and rows of each table, after Tables 1 to 4 of the paper."""
    sets = [proof[key] for key in ("original", "protected") if proof.get(key)]
    tables = [
        *whole_tables(sets, (proof.get("evidence") or {}).get("attackers") or ()),
        ("What the strongest classifier learns from a single utterance",
         ["Vectors", "Strongest", "D_ECE, bit", "By chance", "Cllr_min, bit", "Worst case"],
         [_strongest_row(one) for one in sets]),
        ("Every classifier: trained on some speakers, tried on others",
         ["Vectors", "Classifier", "About", "Train D_ECE", "Test D_ECE", "Train Cllr_min", "Test Cllr_min"],
         [[one["name"], *_classifier_row(result)] for one in sets for result in one["classifiers"]]),
        ("Vectors per category of evidence, 0 none, A weak, F overwhelming", ["Vectors", *CATEGORIES],
         [[one["name"], *(str(one["category_counts"][tag]) for tag in CATEGORIES)] for one in sets]),
        ("Mutual information of single dimensions with the attribute, bit", ["Vectors", "Mean", "Mean by chance", "Largest"],
         [[one["name"], *(_bits(one["mutual_information"].get(key)) for key in ("mean", "chance", "max"))] for one in sets]),
    ]  # fmt: skip
    use = [[one["name"], how, number_with_interval(r["eer"], 2, 100), number_with_interval(r["cllr_min"])]
           for one in sets for how, r in one["verification"].items()]  # fmt: skip
    if use:
        tables.append(("What is left to verify speakers by", ["Vectors", "Verifier", "EER, %", "Cllr_min, bit"], use))
    if proof.get("llr"):
        tables.append(calibration_table(proof["llr"], proof["classes"]))
    return tables


def whole_tables(
    sets: Sequence[Mapping[str, Any]], reached: Sequence[Mapping[str, Any]]
) -> list[tuple[str, list[str], Rows]]:
    """What an attacker learns who holds all utterances of a speaker; nothing in results of earlier versions."""
    rows = [
        [one["name"], whole["classifier"], HOLDS[whole["level"]], f"{whole['d_ece']:.3f}", _chance(whole["chance"])]
        for one in sets
        if (whole := one.get("everything"))
    ]
    tried = [
        [one["name"], HOLDS[one["by"]], *_rights(one), f"{one['p']:.3f}"]
        for one in sorted(reached, key=lambda one: (one["p"], -(one["low"] or 0.0)))
    ]
    tables = []
    if rows:
        head = ["Vectors", "Strongest", "Holds", "D_ECE, bit", "By chance"]
        tables.append(("What the strongest classifier learns from all utterances of a speaker", head, rows))
    if tried:
        head = ["Classifier", "Holds", "AUC, speakers", "95 % limits", "p, among all"]
        tables.append(
            ("Every attacker on protected vectors: are two speakers of different classes told apart?", head, tried)
        )
    return tables


def calibration_table(llr: Mapping[str, Any], classes: Sequence[str]) -> tuple[str, list[str], Rows]:
    """Are the LLRs that the protection reads, and sets to zero, what they claim to be?"""
    caption = "The log-likelihood ratio that the protection reads off unprotected vectors, and whether it is calibrated"
    head = ["Cllr, bit", "Cllr_min, bit", "Lost, bit"]
    head += [f"{what}, {name}" for what in ("Mean", "Variance") for name in classes]
    numbers = [llr["cllr"], llr["cllr_min"], llr["loss"]]
    spread = [f"{number:.2f}" for number in (*llr["means"], *llr["variances"])]
    return caption, head, [[f"{number:.3f}" for number in numbers] + spread]


def price_of(proof: Mapping[str, Any]) -> str:
    """What the protection costs those who want to verify speakers; nothing where that was not measured."""
    before, after = ((proof.get(key) or {}).get("verification", {}) for key in ("original", "protected"))
    told = [
        f"{how} {100 * before[how]['eer']['value']:.1f} % before, {100 * after[how]['eer']['value']:.1f} % after"
        for how in before
        if how in after
    ]
    return f"The price, as errors of verifying speakers (EER): {'; '.join(told)}." if told else ""


def protected_by(proof: Mapping[str, Any]) -> str:
    """How the vectors were protected, in words."""
    return METHODS.get(proof.get("method") or "", proof.get("method") or "not known here")


def render_attribute_text(proof: Mapping[str, Any]) -> str:
    """For the terminal: the verdict first, then the tables and the warnings."""
    verdict = verdict_of(proof)
    lines = [
        f"{verdict.label}. {verdict.headline}",
        *verdict.sentences,
        verdict.basis,
        "",
        proof["name"] or "Protection of an attribute",
        f"Protected by: {protected_by(proof)}.",
    ]
    for caption, head, rows in attribute_tables(proof):
        lines += ["", caption, *aligned(head, rows, right=False)]
    lines += [f"\n{finding['severity'].capitalize()}: {finding['message']}" for finding in findings_in(proof)]
    return "\n".join(lines)


def findings_in(proof: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The findings of a proof; version 0.1 wrote bare sentences."""
    return [
        {"code": "", "severity": "caution", "message": said} if isinstance(said, str) else said
        for said in proof["warnings"]
    ]


def render_attribute_html(proof: Mapping[str, Any]) -> str:
    """The page: one file, offline, without script. Same dict, same bytes."""
    return render_page(
        "attribute.html.j2",
        title=proof["name"] or "Protection of an attribute",
        verdict=verdict_of(proof),
        protected_by=protected_by(proof),
        price=price_of(proof),
        tables=attribute_tables(proof),
        figures=attribute_pictures(proof),
        how_to_get_figures=HOW_TO_GET,
        findings=[{**finding, "who": ""} for finding in findings_in(proof)],
        limits=(*LIMITS, CALIBRATED) if proof.get("llr") else LIMITS,
        proof=proof,
    )


def attribute_pictures(proof: Mapping[str, Any]) -> list[Picture]:
    """Every figure with its data; none where matplotlib or the data for it are absent."""
    if not have_matplotlib():
        return []
    drawn = figures(proof)
    return [picture(figure, name, *FIGURES[name], csv=data(proof, name)) for name, figure in drawn.items()]


def figures(proof: Mapping[str, Any]) -> dict[str, Any]:
    """Every figure that this result holds points for, by its name; needs matplotlib."""
    from stripeless.plots.attribute import plot_attribute_map, plot_latent

    points = proof.get("figures") or {}
    drawn = {}
    for name, (title, _) in FIGURES.items():
        if points.get(name):
            draw = plot_latent if name.startswith("latent") else plot_attribute_map
            how = f" ({proof['map_method']})" if name.startswith("map") and proof.get("map_method") else ""
            drawn[name] = draw(points[name], points["labels"], title=title + how).figure
    return drawn


def data(proof: Mapping[str, Any], name: str) -> str:
    """The points of one figure as CSV."""
    from stripeless.errors import InputError
    from stripeless.report.simple import rows_csv

    points = proof.get("figures") or {}
    if name not in FIGURES or not points.get(name):
        raise InputError(f"This result has no figure {name!r}.")
    rows = zip(points["labels"], points[name], strict=True)
    return rows_csv(("label", "x", "y"), ((str(label), *point[:2]) for label, point in rows))


def _tables(proof: Mapping[str, Any]) -> list[Any]:
    from stripeless.report.simple import plain_tables

    return plain_tables(attribute_tables(proof))


def markdown(proof: Mapping[str, Any]) -> str:
    """Verdict and tables as Markdown."""
    from stripeless.report.simple import tables_markdown

    verdict = verdict_of(proof)
    said = [f"{verdict.label}. {verdict.headline}", *verdict.sentences, verdict.basis]
    return tables_markdown(proof["name"] or "Protection of an attribute", said, _tables(proof))


def latex(proof: Mapping[str, Any]) -> str:
    """The tables as LaTeX."""
    from stripeless.report.simple import tables_latex

    return tables_latex(_tables(proof))


def numbers(proof: Mapping[str, Any]) -> str:
    """Every measure before and after as CSV."""
    from stripeless.report.simple import measures_csv

    return measures_csv(
        (proof[key]["name"], proof[key]["measures"]) for key in ("original", "protected") if proof.get(key)
    )


# What every kind of result has; see report/kinds.py.
html, text = render_attribute_html, render_attribute_text
FIGURES = {
    "map_original": ("Before", "Neighbors of the unprotected vectors; the labels were not looked at."),
    "map_protected": ("After", "Where the classes mix, the eye finds nothing to tell them apart by."),
    "latent": ("Latent space of the flow", "Only the first coordinate should tell the classes apart."),
}


HOLDS = {
    "utterance": "single utterances",
    "evidence": "all: mean of what each says",
    "vectors": "all: mean vector",
    "spread": "all: how they differ",
}


def _rights(one: Mapping[str, Any]) -> tuple[str, str]:
    if one["auc"] is None:
        return "", ""
    return f"{one['auc']:.2f}", f"{one['low']:.2f} to {one['high']:.2f}"


def _chance(chance: Mapping[str, Any]) -> str:
    return f"{chance['d_ece_mean']:.3f}, 95 % below {chance['d_ece_high']:.3f}, p = {chance['p_value']:.3f}"


def _strongest_row(one: Mapping[str, Any]) -> list[str]:
    measures, chance = one["measures"], one["chance"]
    worst = f"{measures['category']['value']} (log10 LR {measures['log10_lr']['value']:.2f})"
    by_chance = f"{chance['d_ece_mean']:.3f}, 95 % below {chance['d_ece_high']:.3f}"
    if chance.get("p_value"):
        by_chance += f", p = {chance['p_value']:.3f}"
    average, cost = number_with_interval(measures["d_ece"]), number_with_interval(measures["cllr_min"])
    return [one["name"], one["strongest"], average, by_chance, cost, worst]


def _classifier_row(result: Mapping[str, Any]) -> Sequence[str]:
    train, test = result["train"], result["test"]
    numbers = (train["d_ece"], test["d_ece"]["value"], train["cllr_min"], test["cllr_min"]["value"])
    return [result["classifier"], result["about"], *(f"{number:.3f}" for number in numbers)]


def _bits(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
