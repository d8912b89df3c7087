"""A finding: something to know before believing a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["serious", "caution", "remark"]


@dataclass(frozen=True)
class Finding:
    """Something to know before believing a number.

    Attributes:
        code: names it for programs, such as "few_trials".
        severity: "serious": do not read the numbers as privacy; "caution"; "remark".
        message: one or two sentences for people: what was seen, and what to do.
    """

    code: str
    severity: Severity
    message: str

    def to_dict(self) -> dict[str, str]:
        """The three fields by name."""
        return {"code": self.code, "severity": self.severity, "message": self.message}
