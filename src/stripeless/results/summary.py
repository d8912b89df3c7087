"""One sheet: the three criteria of the data-protection authorities, answered from all results of one system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from stripeless.errors import InputError
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result, fail, optional
from stripeless.results.evaluation import Evaluation
from stripeless.results.versions import versions
from stripeless.results.voices import VoiceEvaluation
from stripeless.tables.inputs import InputFile


@dataclass(frozen=True)
class Criterion:
    """One criterion of the data-protection authorities (Article 29 Working Party, Opinion 05/2014), answered.

    Attributes:
        criterion: "singling out", "linkability" or "inference".
        answer: "possible", "unclear" or "not shown"; never "impossible".
        ground: what the answer rests on, in one sentence.
        source: the command that it comes from.
    """

    criterion: Literal["singling out", "linkability", "inference"]
    answer: Literal["possible", "unclear", "not shown"]
    ground: str
    source: str


@dataclass(frozen=True)
class Joined:
    """Another result that the sheet rests on.

    Attributes:
        kind: "attack", "rank" or "attribute", as results call themselves.
        name: what that result is called.
    """

    kind: Literal["attack", "rank", "attribute"]
    name: str


@dataclass(frozen=True, eq=False)
class Summary(Result):
    """The three criteria of the data-protection authorities, answered from all results of one system.

    Attributes:
        name: what the system is called.
        result: the main result: an `Assessment` or an `Evaluation`.
        criteria: the answers, several to a criterion where several results speak to it.
        joined: the other results that the sheet rests on.
        notes: what speaks against all these results being of one system, as far as they tell.
        inputs: the files that were read, with their SHA-256.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
    """

    KIND: ClassVar[str] = "summary"

    name: str
    result: Any = field(metadata={"one_of": (Assessment, VoiceEvaluation)})
    criteria: tuple[Criterion, ...]
    joined: tuple[Joined, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)
    notes: tuple[str, ...] = optional(default=())

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, the main result inside."""
        return {**super().to_dict(), "result": self.result.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Summary:
        """The summary that `data`, plain values, stands for."""
        main = data.get("result")
        kinds: dict[str, type[Result]] = {"assessment": Assessment, "evaluation": Evaluation}
        found = main.get("kind") if isinstance(main, dict) else main
        if not isinstance(main, dict) or not isinstance(found, str) or found not in kinds:
            fail("result.kind", "one of assessment, evaluation", found)
        kind = VoiceEvaluation if main.get("voices") is not None else kinds[main["kind"]]
        try:
            inner = kind.from_dict(main)
        except InputError as error:
            raise InputError(f"result.{error}") from error
        read = super().from_dict({**data, "result": None})
        return cls(read.name, inner, read.criteria, read.joined, read.inputs, read.versions, read.notes)
