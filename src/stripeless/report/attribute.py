"""The report on a protection: is the attribute gone, and what did that cost?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stripeless.measures.zebra import CATEGORIES
from stripeless.plots.attribute import plot_attribute_map, plot_latent
from stripeless.report.cells import number_with_interval
from stripeless.report.figures import HOW_TO_GET, check_figure, pictured
from stripeless.report.page import render_page
from stripeless.report.simple import Sheet, Table, measures_csv, plain_sheet, rows_csv
from stripeless.report.text import aligned
from stripeless.results.attribute import AttributeProof, AttributeResult, Calibrated, Chance, ClassifierResult
from stripeless.results.attribute_rules import judge_attribute
from stripeless.verdicts.evidence import Reached

TITLE = "Protection of an attribute"
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


def attribute_tables(proof: AttributeProof) -> list[Table]:
    """Caption, head and rows of each table, after Tables 1 to 4 of the paper."""
    sets = _sets(proof)
    tables: list[Table] = [
        *whole_tables(sets, proof.evidence.attackers if proof.evidence else ()),
        ("What the strongest classifier learns from a single utterance",
         ["Vectors", "Strongest", "D_ECE, bit", "By chance", "Cllr_min, bit", "Worst case"],
         [_strongest_row(one) for one in sets]),
        ("Every classifier: trained on some speakers, tried on others",
         ["Vectors", "Classifier", "About", "Train D_ECE", "Test D_ECE", "Train Cllr_min", "Test Cllr_min"],
         [[one.name, *_classifier_row(result)] for one in sets for result in one.classifiers]),
        ("Vectors per category of evidence, 0 none, A weak, F overwhelming", ["Vectors", *CATEGORIES],
         [[one.name, *(str(one.category_counts[tag]) for tag in CATEGORIES)] for one in sets]),
        ("Mutual information of single dimensions with the attribute, bit", ["Vectors", "Mean", "Mean by chance", "Largest"],
         [[one.name, *(f"{bits:.4f}" for bits in (about.mean, about.chance, about.max))]
          for one in sets for about in (one.mutual_information,)]),
    ]  # fmt: skip
    use = [[one.name, how, number_with_interval(r.eer, 2, 100), number_with_interval(r.cllr_min)]
           for one in sets for how, r in one.verification.items()]  # fmt: skip
    if use:
        tables.append(("What is left to verify speakers by", ["Vectors", "Verifier", "EER, %", "Cllr_min, bit"], use))
    if proof.llr is not None:
        tables.append(calibration_table(proof.llr, proof.classes))
    return tables


def _sets(proof: AttributeProof) -> list[AttributeResult]:
    return [one for one in (proof.original, proof.protected) if one is not None]


def whole_tables(sets: Sequence[AttributeResult], reached: Sequence[Reached]) -> list[Table]:
    """What an attacker learns who holds all utterances of a speaker; nothing in results of earlier versions."""
    rows = [
        [one.name, whole.classifier, HOLDS[whole.level], f"{whole.d_ece:.3f}", _chance(whole.chance)]
        for one in sets
        if (whole := one.everything)
    ]
    tried = [
        [one.name, HOLDS[one.by], *_rights(one), "" if one.p is None else f"{one.p:.3f}"]
        for one in sorted(reached, key=lambda one: (1.0 if one.p is None else one.p, -(one.low or 0.0)))
    ]
    tables: list[Table] = []
    if rows:
        head = ["Vectors", "Strongest", "Holds", "D_ECE, bit", "By chance"]
        tables.append(("What the strongest classifier learns from all utterances of a speaker", head, rows))
    if tried:
        head = ["Classifier", "Holds", "AUC, speakers", "95 % limits", "p, among all"]
        tables.append(
            ("Every attacker on protected vectors: are two speakers of different classes told apart?", head, tried)
        )
    return tables


def calibration_table(llr: Calibrated, classes: Sequence[str]) -> Table:
    """Are the LLRs that the protection reads, and sets to zero, what they claim to be?"""
    caption = "The log-likelihood ratio that the protection reads off unprotected vectors, and whether it is calibrated"
    head = ["Cllr, bit", "Cllr_min, bit", "Lost, bit"]
    head += [f"{what}, {name}" for what in ("Mean", "Variance") for name in classes]
    spread = [f"{number:.2f}" for number in (*llr.means, *llr.variances)]
    return caption, head, [[f"{number:.3f}" for number in (llr.cllr, llr.cllr_min, llr.loss)] + spread]


def price_of(proof: AttributeProof) -> str:
    """What the protection costs those who want to verify speakers; nothing where that was not measured."""
    before = proof.original.verification if proof.original else {}
    after = proof.protected.verification
    told = [
        f"{how} {100 * one.eer.number:.1f} % before, {100 * after[how].eer.number:.1f} % after"
        for how, one in before.items()
        if how in after
    ]
    return f"The price, as errors of verifying speakers (EER): {'; '.join(told)}." if told else ""


def protected_by(proof: AttributeProof) -> str:
    """How the vectors were protected, in words."""
    return METHODS.get(proof.method, proof.method or "not known here")


def _words(proof: AttributeProof) -> list[str]:
    verdict = judge_attribute(proof)
    return [f"{verdict.label}. {verdict.headline}", *verdict.sentences, verdict.basis]


def text(proof: AttributeProof) -> str:
    """For the terminal: the verdict first, then the tables and the warnings."""
    lines = [*_words(proof), "", proof.name or TITLE, f"Protected by: {protected_by(proof)}."]
    for caption, head, rows in attribute_tables(proof):
        lines += ["", caption, *aligned(head, rows, right=False)]
    lines += [f"\n{finding.severity.capitalize()}: {finding.message}" for finding in proof.warnings]
    lines += [f"\n{note}" for note in proof.notes]
    return "\n".join(lines)


def html(proof: AttributeProof) -> str:
    """The page: one file, offline, without script. Same result, same bytes."""
    return render_page(
        "attribute.html.j2",
        title=proof.name or TITLE,
        verdict=judge_attribute(proof),
        protected_by=protected_by(proof),
        price=price_of(proof),
        tables=attribute_tables(proof),
        figures=pictured(figures, proof, FIGURES.__getitem__, data),
        how_to_get_figures=HOW_TO_GET,
        findings=proof.warnings,
        limits=(*LIMITS, CALIBRATED) if proof.llr else LIMITS,
        proof=proof,
    )


def figures(proof: AttributeProof) -> dict[str, Any]:
    """Every figure that this result holds points for, by its name; needs matplotlib."""
    points, how = proof.figures, f" ({proof.map_method})" if proof.map_method else ""
    drawn = {}
    for name, (title, _) in FIGURES.items():
        if points.get(name):
            draw, more = (plot_latent, "") if name == "latent" else (plot_attribute_map, how)
            drawn[name] = draw(points[name], points["labels"], title=title + more).figure
    return drawn


def data(proof: AttributeProof, name: str) -> str:
    """The points of one figure as CSV."""
    check_figure(name, [known for known in FIGURES if proof.figures.get(known)])
    rows = zip(proof.figures["labels"], proof.figures[name], strict=True)
    return rows_csv(("label", "x", "y"), ((str(label), *point[:2]) for label, point in rows))


def sheet(proof: AttributeProof) -> Sheet:
    """Verdict and tables as they stand in Markdown and LaTeX."""
    return plain_sheet(proof.name or TITLE, _words(proof), attribute_tables(proof))


def numbers(proof: AttributeProof) -> str:
    """Every measure before and after as CSV."""
    return measures_csv((one.name, one.measures) for one in _sets(proof))


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


def _rights(one: Reached) -> tuple[str, str]:
    return ("", "") if one.auc is None else (f"{one.auc:.2f}", f"{one.low:.2f} to {one.high:.2f}")


def _chance(chance: Chance) -> str:
    return f"{chance.mean:.3f}, 95 % below {chance.high:.3f}, p = {chance.p_value:.3f}"


def _strongest_row(one: AttributeResult) -> list[str]:
    measures = one.measures
    worst = f"{measures['category'].value} (log10 LR {measures['log10_lr'].number:.2f})"
    average, cost = number_with_interval(measures["d_ece"]), number_with_interval(measures["cllr_min"])
    return [one.name, one.strongest_name, average, _chance(one.chance), cost, worst]


def _classifier_row(result: ClassifierResult) -> Sequence[str]:
    train, test = result.train, result.measures
    numbers = (train.d_ece, test["d_ece"].value, train.cllr_min, test["cllr_min"].value)
    return [result.classifier, result.about, *(f"{number:.3f}" for number in numbers)]
