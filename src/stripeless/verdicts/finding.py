"""A finding: something to know before believing a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["serious", "caution", "remark"]


@dataclass(frozen=True)
class Finding:
    """Something to know before believing a number. `code` names it for programs, `message` for people."""

    code: str
    severity: Severity
    message: str

    def to_dict(self) -> dict[str, str]:
        return {"code": self.code, "severity": self.severity, "message": self.message}
