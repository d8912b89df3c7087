"""For every code of `verdicts/codes.py`: data about which it must speak up, and data about which it must not."""

from __future__ import annotations

from finding_cases import attacked, compared, hidden, ranked, rated, recorded, scores, voices
from finding_cases.case import Case

FAMILIES = (scores, compared, attacked, voices, recorded, ranked, rated, hidden)

CASES: dict[str, Case] = {}
for _family in FAMILIES:
    for _code, _case in _family.CASES.items():
        _known = CASES.get(_code, Case((), ()))
        CASES[_code] = Case(_known.fires + _case.fires, _known.silent + _case.silent)
