"""Findings about a hidden attribute, from `judge_protection`, from fitting, and from what `protect` knows of both."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from finding_cases.case import Producer, case
from stripeless.attributes.proof import findings_of, judge_protection
from stripeless.embeddings.embeddings import Embeddings
from stripeless.protections.labels import ProtectionWarning, check_labeled
from stripeless.protections.lda import fit_lda_protection
from stripeless.protections.settings import FlowSettings
from stripeless.protections.train_flow import warn_of_zeros
from stripeless.results.attribute import AttributeProof
from stripeless.studies.protect import HiddenAttribute, doubts_about, warned
from stripeless.verdicts.finding import Finding


def vectors_of(people: int, *, constant: int = 0, zeros: int = 0) -> tuple[np.ndarray, list[str], list[int]]:
    """Five vectors of each person, with their sex and who they are; some dimensions constant, some values exactly zero."""
    vectors = np.random.default_rng(4).normal(size=(5 * people, 4))
    vectors[:, :constant] = 1.0
    vectors[:, 4 - zeros :] = np.maximum(vectors[:, 4 - zeros :], 0.0)
    who = np.repeat(np.arange(people), 5).tolist()
    return vectors, ["fm"[k % 2] for k in who], who


def judged(people: int = 40, *, constant: int = 0, trained_on: str = "protected") -> Iterable[Finding]:
    pytest.importorskip("sklearn", reason="classifiers need pip install 'stripeless[classifiers]'")
    vectors, labels, who = vectors_of(people, constant=constant)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtectionWarning)
        proof = judge_protection(
            vectors, labels, who, original=vectors, classifiers=["logistic"], trained_on=trained_on  # type: ignore[arg-type]
        )  # fmt: skip
    return proof.warnings


def fitted_as_a_flow(zeros: int) -> Producer:
    def produce() -> Iterable[Finding]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ProtectionWarning)
            with warned() as doubts:
                warn_of_zeros(check_labeled(*vectors_of(40, zeros=zeros)), FlowSettings())
        return findings_of(doubts)

    return produce


def hidden(judged_classes: str = "fm", *, known: bool = True) -> Iterable[Finding]:
    vectors, labels, who = vectors_of(40)
    names = tuple(f"u{k}" for k in range(len(who)))
    data = Embeddings(vectors, names, tuple(f"s{k}" for k in who))
    protection = fit_lda_protection(vectors, labels, speakers=who)
    everybody = np.ones(len(who), dtype=bool)
    told = HiddenAttribute(data, data, np.array(labels), everybody, protection)
    if known:
        told = replace(told, background=(vectors, data.speakers or ()))
    return doubts_about(told, tuple(judged_classes))


def read_again(warning: object) -> Iterable[Finding]:
    """A stored proof whose only warning is this one."""
    vectors, labels, who = vectors_of(40)
    proof = judge_protection(vectors, labels, who, classifiers=["logistic"]).to_dict()
    return AttributeProof.from_dict({**proof, "warnings": [warning]}).warnings


CASES = {
    "trained_on_original": case(lambda: judged(trained_on="original"), judged),
    "few_speakers": case(lambda: judged(people=38), judged),
    "constant_dimensions": case(lambda: judged(constant=1), judged),
    "exact_zeros": case(fitted_as_a_flow(2), fitted_as_a_flow(0)),
    "fitting_speakers_unknown": case(lambda: hidden(known=False), hidden),
    "other_attribute": case(lambda: hidden("ab"), hidden),
    "uncoded": case(
        lambda: read_again("Few speakers."),
        lambda: read_again({"code": "few_speakers", "severity": "caution", "message": "Few speakers."}),
    ),
}
