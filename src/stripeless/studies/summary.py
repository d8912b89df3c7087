"""The three criteria of the data-protection authorities, answered from every result that bears on them.

Article 29 Working Party, Opinion 05/2014: data are anonymous only if nobody can be singled out, linked, or have something
inferred about them. Scores answer linkability, `attack` and `rank` singling out, `protect` inference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stripeless.errors import InputError
from stripeless.results.versions import SCHEMA, versions

MAIN = ("assessment", "evaluation")
MORE = ("attack", "rank", "attribute")


def summarize_results(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One result of scores and any number of attacks, rankings and attribute proofs, as one result of kind "summary".

    >>> from stripeless.assessment.assess import assess
    >>> summary = summarize_results([assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5], name="X").to_dict()])
    >>> summary["name"], [c["answer"] for c in summary["criteria"] if c["criterion"] == "inference"]
    ('X', [])
    """
    main = [result for result in results if result.get("kind") in MAIN]
    others = [result for result in results if result.get("kind") in MORE]
    strange = [result.get("kind") for result in results if result.get("kind") not in (*MAIN, *MORE)]
    if strange:
        raise InputError(f"a result of kind {strange[0]!r} answers none of the three criteria; leave it out")
    if len(main) != 1:
        named = ", ".join(repr(str(result.get("name") or "")) for result in main)
        raise InputError(
            f"a summary is of one system: give exactly one assessment or evaluation, got {len(main)}"
            + (f" ({named})" if main else "")
        )
    return {
        "kind": "summary",
        "schema": SCHEMA,
        "name": str(main[0].get("name") or ""),
        "result": dict(main[0]),
        "criteria": criteria_of(main[0], others),
        "joined": [{"kind": other["kind"], "name": str(other.get("name") or "")} for other in others],
        "inputs": [dict(file) for other in others for file in other.get("inputs", ())],
        "versions": versions(),
    }


def criteria_of(main: Mapping[str, Any], others: Sequence[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """What the results say to each criterion: dicts of criterion, answer (possible, not shown, unclear), ground, source."""
    found = _voice_ranks(main)
    for other in others:
        found += {"attack": _attack, "rank": _rank, "attribute": _attribute}[other["kind"]](other)
    return found


def _answer(criterion: str, answer: str, ground: str, source: str) -> dict[str, Any]:
    return {"criterion": criterion, "answer": answer, "ground": ground, "source": source}


def _attack(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rates among as many people as there were, at the number of utterances that helps the attacker most."""
    said = []
    words = {
        "singling_out": ("singling out", "exactly one of {n:,} people is picked out"),
        "one_to_n_linkability": ("linkability", "a recording is linked to the right one of {n:,} people"),
    }
    for name, (criterion, what) in words.items():
        rates = [rate for rate in result["identification"]["rates"] if rate["name"] == name]
        most = max((rate["speakers"] for rate in rates), default=0)
        rates = [rate for rate in rates if rate["speakers"] == most]
        if not rates:
            continue
        best = max(rates, key=lambda rate: (rate["low"] - rate["chance"], -rate["utterances"]))
        heard = "one utterance" if best["utterances"] == 1 else f"{best['utterances']} utterances"
        heard += f" (the most telling of {len(rates)} lengths)" if len(rates) > 1 else ""
        ground = (
            f"From {heard}, {what.format(n=most)} in {_percent(best['rate'])} of the tries "
            f"({_between(best['low'], best['high'])}; guessing: {_percent(best['chance'])}), "
            f"with the attack {result['identification']['attack']}."
        )
        said.append(_answer(criterion, "possible" if best["low"] > best["chance"] else "not shown", ground, "attack"))
    return said


def _rank(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = []
    for feature in result["features"]:
        rate, n = feature["measures"]["id_rate"], feature["n"]
        by = f" by {feature['name']}" if feature["name"] else ""
        known = rate["low"] is not None
        between = f"{_between(rate['low'], rate['high'])}; " if known else "no interval; "
        ground = (
            f"Ranked{by}, the most similar of {n:,} people is the right one in {_percent(rate['value'])} of the cases "
            f"({between}guessing: {_percent(1 / n)}); {feature['model']['mean_disclosure']:.1f} bit on average."
        )
        answer = "unclear" if not known else "possible" if rate["low"] > 1 / n else "not shown"
        said.append(_answer("singling out", answer, ground, "rank"))
    return said


def _attribute(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    value, most = result["protected"]["measures"]["d_ece"]["value"], result["protected"]["chance"]["d_ece_high"]
    what = " or ".join(str(name) for name in result["classes"])
    ground = (
        f"Whether a person is {what}: the strongest classifier ({result['protected']['strongest']}) learns {value:.3f} of at "
        f"most 0.72 bit (chance: up to {most:.3f})."
    )
    if result["trained_on"] == "original":
        return [
            _answer("inference", "unclear", ground + " It never saw protected data, so a better one may.", "protect")
        ]
    return [_answer("inference", "possible" if value > most else "not shown", ground, "protect")]


def _voice_ranks(main: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rates that an evaluation of recordings holds itself; they come without interval."""
    ranks = (main.get("voices") or {}).get("ranks") or {}
    hidden = {attacker: found for attacker, found in ranks.items() if attacker != "original"}
    if not hidden:
        return []
    attacker, best = max(hidden.items(), key=lambda pair: float(pair[1]["id_rate"]))
    ground = (
        f"The {attacker} attacker ranks the right one of {best['templates']:,} people first in {_percent(best['id_rate'])} "
        f"of the cases (guessing: {_percent(1 / best['templates'])}; no interval, run stripeless rank for one)."
    )
    return [_answer("singling out", "unclear", ground, "evaluate")]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _between(low: float, high: float) -> str:
    return f"95 %: {100 * low:.1f} to {100 * high:.1f}"
