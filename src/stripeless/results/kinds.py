"""Every kind of result and its type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from stripeless.errors import InputError, check_choice
from stripeless.results.assessment import Assessment
from stripeless.results.attack import AttackStudy
from stripeless.results.attribute import AttributeProof
from stripeless.results.codec import Result
from stripeless.results.comparison import Comparison
from stripeless.results.evaluation import Evaluation
from stripeless.results.listening import ListeningStudy
from stripeless.results.ranks import RankReport
from stripeless.results.reproduction import Reproduction
from stripeless.results.similarity import SimilarityStudy
from stripeless.results.summary import Summary
from stripeless.results.systems import Systems
from stripeless.results.voices import VoiceEvaluation

TYPES: dict[str, type[Result]] = {
    kind.KIND: kind
    for kind in (
        Assessment,
        Evaluation,
        Comparison,
        Systems,
        ListeningStudy,
        AttackStudy,
        SimilarityStudy,
        RankReport,
        AttributeProof,
        Reproduction,
        Summary,
    )
}


ResultLike: TypeAlias = Result | Mapping[str, Any]  # an object, or the dict that was stored


def type_of(data: Mapping[str, Any]) -> type[Result]:
    """The type that a dict says it is of."""
    kind = str(data.get("kind"))
    check_choice("kind", kind, TYPES)
    return VoiceEvaluation if kind == "evaluation" and data.get("voices") is not None else TYPES[kind]


def result_from_dict(data: Mapping[str, Any]) -> Result:
    """The result that these plain values stand for, whatever its kind."""
    return type_of(data).from_dict(data)


def as_stored(result: object) -> Result:
    """The result as its file holds it, which is what is shown: infinity is None with a reason, arrays are lists.

    Takes the dict of a result, a result, or anything else that has `to_dict()`.
    """
    if isinstance(result, Result) and result.as_stored:
        return result
    plain = result.to_dict() if hasattr(result, "to_dict") else result
    if not isinstance(plain, Mapping) or "kind" not in plain:
        raise InputError(
            f"result: expected the dict of an assessment or evaluation, or a list of them, got {type(result).__name__}"
        )
    stored = result_from_dict(plain)
    object.__setattr__(stored, "as_stored", True)
    return stored


def as_results(results: Iterable[ResultLike]) -> list[Result]:
    """Results as objects, where dicts of stored results may stand among them."""
    return [result_from_dict(one) if isinstance(one, Mapping) else one for one in results]
