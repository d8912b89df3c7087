"""`verdict`: the verdict on a result, as the object that a study handed back or as the dict that was stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stripeless.errors import InputError
from stripeless.results.assessment import Assessment
from stripeless.results.attribute import AttributeProof
from stripeless.results.attribute_rules import judge_attribute
from stripeless.results.codec import Result
from stripeless.results.evaluation import Evaluation
from stripeless.results.kinds import result_from_dict
from stripeless.verdicts.verdict import Verdict, judge, judge_together


def verdict(
    result: Assessment | Evaluation | AttributeProof | Mapping[str, Any], *, margin: float | None = None
) -> Verdict:
    """The verdict on one assessment, evaluation or attribute proof: a label, one sentence, and what it stands on.

    Parameters:
        result: an assessment, an evaluation or an attribute proof, or the dict of one.
        margin: the EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen"; None takes that of the
            result, else 40, or 35 with fewer than 20 people.
    Returns:
        A `Verdict`: its `label`, one sentence (`headline`), the evidence (`sentences`), and what it stands on
        (`basis`).

    >>> from stripeless import assess
    >>> verdict(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5])).label
    'Cannot tell'
    """
    known = result_from_dict(result) if isinstance(result, Mapping) else result
    if isinstance(known, AttributeProof):
        return judge_attribute(known, margin)
    judged = typed(known)
    return judge_together(judged, margin) if isinstance(judged, Evaluation) else judge(judged, margin)


def typed(result: Result | Mapping[str, Any]) -> Assessment | Evaluation:
    """The object behind a dict; an object is handed back as it is."""
    known = result_from_dict(result) if isinstance(result, Mapping) else result
    if not isinstance(known, (Assessment, Evaluation)):
        raise InputError(f"result: expected an assessment or an evaluation, got {type(known).__name__}")
    return known
