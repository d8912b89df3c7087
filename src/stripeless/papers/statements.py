"""What the VoicePrivacy 2020 supplement says about its own tables, held against those tables.

Each line gives the statement in our words, where it stands, the figure that decides, and a verdict: "holds", "holds in
part" (the figure says where not), "does not hold", or
"not claimed" (a figure shows it, the text says nothing). A statement about a figure is checked on the numbers behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import numpy as np

from stripeless.measures.uncertainty.rank_tests import spearman
from stripeless.papers.published import (
    B1_RELATED,
    COPY_SYNTHESIS,
    SIGNAL_PROCESSING,
    SYSTEMS,
    X_VECTOR,
    Published,
    of_same_systems,
    read_published_tests,
    select,
)

Held = Literal["holds", "holds in part", "does not hold", "not claimed"]
WITH_ORIGINAL = (*SYSTEMS, "Orig")
ATTACKERS = ("ignorant", "lazy-informed", "semi-informed")


def reproduce_statements() -> list[dict[str, Any]]:
    """Every checked statement as {"line", "what", "published", "ours", "difference", "verdict"}.

    `published` is what the paper claims, as a number where it is one; `difference` is ours minus it, or None.

    >>> lines = reproduce_statements()
    >>> [line["verdict"] for line in lines if line["line"] == "Fig. 21, ignorant"]
    ['holds']
    """
    return [line for check in _CHECKS for line in check()]


def lines(data: Path | None = None) -> list[dict[str, Any]]:
    """The same as lines of `reproduce`: a statement agrees where it holds throughout; one that is not made is not judged."""
    return [
        {**line, "what": f"{line['line']}: {line['what']}", "agrees": _AGREES[line["verdict"]]}
        for line in reproduce_statements()
    ]


_AGREES = {"holds": True, "holds in part": False, "does not hold": False, "not claimed": None}


def _correlation(x: Iterable[float], y: Iterable[float]) -> float:
    return spearman(list(x), list(y))[0]


def _line(
    line: str, what: str, published: float | str, ours: float | str, verdict: Held, note: str = ""
) -> dict[str, Any]:
    both = isinstance(published, float) and isinstance(ours, float)
    difference = float(ours) - float(published) if both else None
    return {
        "line": line, "what": what, "published": published, "ours": ours, "difference": difference, "verdict": verdict,
        "note": note,
    }  # fmt: skip


def _grade(part: float) -> Held:
    """All, most or fewer of the cases a statement speaks of."""
    return "holds" if part == 1 else "holds in part" if part >= 0.5 else "does not hold"


def _mean(rows: Iterable[Published]) -> float:
    return fmean(row.value for row in rows)


def _original_is_shared() -> list[dict[str, Any]]:
    worst = 0.0
    for measure in ("eer_kaldi", "cllr", "cllr_min", "d_ece", "log10_lr", "linkability_binned"):
        values: dict[tuple[str, str, str], set[float]] = {}
        for row in select(measure=measure, system="Orig", evaluation="objective"):
            if row.table != "18":
                values.setdefault((row.dataset, row.split, row.sex), set()).add(row.value)
        worst = max(worst, max(max(v) - min(v) for v in values.values()))
    what = "the column Orig is the same whatever the attacker (largest difference over Tables 2-7 and 10-15)"
    return [_line("Tables 2-15", what, 0.0, worst, "holds" if worst == 0 else "does not hold")]


def _correlations() -> list[dict[str, Any]]:
    pairs = (
        ("Fig. 17", "eer_kaldi", "cllr_min"),
        ("Fig. 18", "linkability_binned", "cllr_min"),
        ("Fig. 20", "eer_kaldi", "linkability_binned"),
    )
    lines = []
    for figure, first, second in pairs:
        strength = {a: abs(_correlation(*of_same_systems(first, second, a, WITH_ORIGINAL))) for a in ATTACKERS}
        for attacker, value in strength.items():
            what = f"{first} and {second} correlate consistently (Spearman, absolute)"
            lines.append(_line(f"{figure}, {attacker}", what, "consistent", value, _grade(float(value > 0.7))))
        more = min(strength["lazy-informed"], strength["semi-informed"]) - strength["ignorant"]
        what = f"{first} and {second} correlate most against the lazy- and semi-informed attacker (gain over ignorant)"
        lines.append(_line(figure, what, "more", more, "holds" if more > 0 else "does not hold"))
    return lines


def _eer_and_cllr() -> list[dict[str, Any]]:
    lines = []
    for attacker in ATTACKERS:
        value = _correlation(*of_same_systems("eer_kaldi", "cllr", attacker, WITH_ORIGINAL))
        note = "Cllr of raw PLDA scores is mostly calibration loss, so it ranks systems differently"
        what = "EER and Cllr correlate (Spearman)"
        lines.append(_line(f"Fig. 19, {attacker}", what, "no claim", value, "not claimed", note))
    plain = tuple(name for name in X_VECTOR if name not in COPY_SYNTHESIS)
    for label, systems in (("all x-vector systems", X_VECTOR), ("those without M1c2 and M1c4", plain)):
        gap = _cluster_gap(SIGNAL_PROCESSING, systems)
        what = f"signal processing and x-vector systems form two clusters: least EER and Cllr of {label} both above the rest"
        verdict: Held = "holds" if gap > 0 else "does not hold"
        lines.append(
            _line("Fig. 19a", what, "two separate clusters", gap, verdict, "smallest gap, in spreads of the axis")
        )
    return lines


def _cluster_gap(lower: Iterable[str], upper: Iterable[str]) -> float:
    """By how much the upper cluster clears the lower one on the better of both axes, in standard deviations."""
    gaps = []
    low, high = (
        of_same_systems("eer_kaldi", "cllr", "ignorant", lower),
        of_same_systems("eer_kaldi", "cllr", "ignorant", upper),
    )
    for axis in (0, 1):
        spread = float(np.std(low[axis] + high[axis]))
        gaps.append((min(high[axis]) - max(low[axis])) / spread)
    return max(gaps)


def _linear() -> list[dict[str, Any]]:
    lines = []
    for attacker in ATTACKERS:
        x, y = (np.array(v) for v in of_same_systems("cllr_min", "d_ece", attacker, WITH_ORIGINAL))
        r = float(np.corrcoef(x, y)[0, 1])
        slope, offset = np.polyfit(x, y, 1)
        worst = float(np.abs(y - slope * x - offset).max())
        # A perfect and a useless attacker lie on the line through (0, 1/(2 ln 2)) and (1, 0); what lies between does not.
        ends = float(np.abs(y - (1 - x) / (2 * np.log(2))).max())
        note = (
            f"D_ECE = {offset:.4f} {slope:+.4f} Cllr_min, largest residual {worst:.4f} bit; "
            f"the line through the two extremes is missed by up to {ends:.4f} bit, so linear to the eye, not exactly"
        )
        what = "D_ECE depends linearly on Cllr_min (Pearson)"
        lines.append(_line(f"Fig. 21, {attacker}", what, -1.0, r, "holds" if r < -0.999 else "holds in part", note))
    return lines


def _worst_case() -> list[dict[str, Any]]:
    lines = []
    others = ("eer_kaldi", "cllr_min", "d_ece", "linkability_binned")
    for attacker in ATTACKERS:
        strength = [abs(_correlation(*of_same_systems("log10_lr", other, attacker, WITH_ORIGINAL))) for other in others]
        among = abs(_correlation(*of_same_systems("eer_kaldi", "cllr_min", attacker, WITH_ORIGINAL)))
        note = f"EER and Cllr_min among themselves: {among:.3f}"
        what = "the worst case differs from all other measures (its strongest Spearman correlation with one, absolute)"
        verdict: Held = "holds" if max(strength) < among else "does not hold"
        lines.append(_line(f"Fig. 22, {attacker}", what, "differs", max(strength), verdict, note))
    return lines


def _above_half() -> list[dict[str, Any]]:
    eer, link = of_same_systems("eer_kaldi", "linkability_binned", "ignorant", SYSTEMS)
    above = [value for rate, value in zip(eer, link, strict=True) if rate > 0.5]
    share = sum(value > 0 for value in above) / len(above)
    note = f"{len(above)} cases, linkability up to {max(above):.3f}; the binned estimator gives about 0.1 for equal distributions"
    what = "where the EER is above 50 %, linkability is still above 0 (share of these cases)"
    return [_line("Sec. 3.7", what, 1.0, share, _grade(share), note)]


def _distinctiveness() -> list[dict[str, Any]]:
    means = {name: _mean(select(measure="gain_of_voice_distinctiveness", system=name)) for name in SYSTEMS}
    lost = [row.value < 0 for row in select(measure="gain_of_voice_distinctiveness") if row.system != "K2"]
    best = sorted(means, key=lambda name: -means[name])[:2]
    signal = min(means[name] for name in SIGNAL_PROCESSING)
    related = {name: means[name] for name in B1_RELATED}
    beaten = [name for name, value in related.items() if value < signal]
    lines = [
        _line("Sec. 3.5", "every system except K2 loses distinctiveness (share of G_VD below 0)", 1.0, fmean(lost),
              _grade(fmean(lost))),
        _line("Sec. 3.5", "K2 and I1 keep distinctiveness best (mean G_VD)", "K2, I1", ", ".join(best),
              "holds" if set(best) == {"K2", "I1"} else "does not hold"),
        _line("Sec. 3.5", "signal processing keeps distinctiveness better than systems related to B1 (share of these beaten)",
              1.0, len(beaten) / len(related), _grade(len(beaten) / len(related)),
              "not beaten: " + (", ".join(sorted(set(related) - set(beaten))) or "none")),
    ]  # fmt: skip
    return lines + _distinctiveness_by_sex()


def _distinctiveness_by_sex() -> list[dict[str, Any]]:
    lines = []
    for system, sign in (("S2", 1), ("S2c1", 1), ("A2", -1)):
        rows = select(measure="gain_of_voice_distinctiveness", system=system)
        female = [row.value for row in rows if row.sex == "female"]
        male = [row.value for row in rows if row.sex == "male"]
        share = fmean(sign * (f - m) > 0 for f, m in zip(female, male, strict=True))
        word = "higher" if sign > 0 else "lower"
        what = f"G_VD of {system} is {word} for women than for men (share of the six data sets)"
        lines.append(_line("Sec. 3.5", what, 1.0, share, _grade(share)))
    return lines


def _de_identification() -> list[dict[str, Any]]:
    full = {name: min(r.value for r in select(measure="de_identification", system=name)) for name in X_VECTOR}
    share = fmean(value >= 0.9 for value in full.values())
    weak = ", ".join(name for name, value in full.items() if value < 0.9)
    signal = max(_mean(select(measure="de_identification", system=name)) for name in SIGNAL_PROCESSING)
    others = [name for name in X_VECTOR if _mean(select(measure="de_identification", system=name)) <= signal]
    plain = [name for name in B1_RELATED if name not in COPY_SYNTHESIS]
    least = min(full[name] for name in plain)
    return [
        _line("Fig. 14", "most x-vector systems de-identify almost fully (share with DeID of at least 90 % everywhere)",
              "most", share, "holds" if share > 0.5 else "does not hold", f"below somewhere: {weak}"),
        _line("Fig. 14", "signal processing de-identifies less than every x-vector system (x-vector systems below it)",
              "none", ", ".join(others) or "none", "holds" if not others else "holds in part",
              f"best signal-processing mean {signal:.3f}; M1c2 and M1c4 keep original x-vectors"),
        _line("Fig. 23a", "systems derived from B1, copy synthesis aside, de-identify nearly perfectly (least DeID)",
              "near to perfect", least, "holds" if least > 0.9 else "holds in part"),
    ]  # fmt: skip


def _trade_off() -> list[dict[str, Any]]:
    points = {
        name: (
            _mean(select(measure="de_identification", system=name)),
            _mean(select(measure="gain_of_voice_distinctiveness", system=name)),
        )
        for name in SYSTEMS
    }
    good = [name for name, (deid, gain) in points.items() if deid > 0.9 and gain > -3]
    what = "K2 alone reaches a good trade-off (mean DeID above 90 % with mean G_VD above -3 dB)"
    return [_line("Fig. 23a", what, "K2", ", ".join(good), "holds" if good == ["K2"] else "does not hold")]


def _semi_informed() -> list[dict[str, Any]]:
    def mean_eer(system: str, **where: str) -> float:
        return _mean(select(measure="eer_kaldi", attacker="semi-informed", system=system, **where))

    lines = []
    for dataset, claimed in (("librispeech", True), ("vctk-different", True), ("vctk-common", False)):
        gap = mean_eer("K2", dataset=dataset, split="test") - mean_eer("Orig", dataset=dataset, split="test")
        by_sex = {
            sex: mean_eer("K2", dataset=dataset, split="test", sex=sex)
            < mean_eer("Orig", dataset=dataset, split="test", sex=sex)
            for sex in ("female", "male")
        }
        what = (
            f"K2's semi-informed EER on {dataset} test is {'below' if claimed else 'not below'} that of original speech"
        )
        split = all(by_sex.values()) == claimed and any(by_sex.values()) == claimed
        verdict: Held = "does not hold" if (gap < 0) != claimed else "holds" if split else "holds in part"
        note = "; ".join(f"{sex}: {'below' if below else 'not below'}" for sex, below in by_sex.items())
        published = "below" if claimed else "not below"
        lines.append(_line("Fig. 15", what + " (mean difference over the sexes)", published, gap, verdict, note))
    means = {name: mean_eer(name) for name in ("B1", "B2", "O1", "M1", "S2", "K2")}
    clear = min(means[name] for name in ("O1", "M1", "S2")) - max(means["B2"], means["K2"])
    best = sorted(means, key=lambda name: -means[name])[:2]
    lines.append(_line("Sec. 3.6", "O1, M1, S2 have a higher semi-informed EER than B2 and K2 (least gap of the means)",
                       "higher", clear, "holds" if clear > 0 else "does not hold"))  # fmt: skip
    lines.append(_line("Sec. 3.6", "M1 and O1 do best against the semi-informed attacker (mean EER)", "M1, O1",
                       ", ".join(best), "holds" if set(best) == {"M1", "O1"} else "does not hold"))  # fmt: skip
    return lines


def _sexes() -> list[dict[str, Any]]:
    lines = []
    for system, better, worse in (("M1", "male", "female"), ("B2", "female", "male")):
        for attacker in ATTACKERS:
            gap = _mean(select(measure="eer_kaldi", system=system, attacker=attacker, sex=better)) - _mean(
                select(measure="eer_kaldi", system=system, attacker=attacker, sex=worse)
            )
            what = f"{system} protects {better} speakers better than {worse} ones (difference of the mean EER)"
            verdict: Held = "holds" if gap > 0 else "does not hold"
            lines.append(_line(f"Fig. 16, {attacker}", what, "better", gap, verdict))
    return lines


def _listening_tests() -> list[dict[str, Any]]:
    tests = read_published_tests()
    named = ("Tar", "Non-tar")
    lines = []
    for table, rows, what in (
        ("16a", ("Tar",), "anonymized target speech differs in similarity from original target speech, every system"),
        ("17a", named, "anonymized speech differs in naturalness from both kinds of original speech, every system"),
        ("17b", named, "anonymized speech differs in intelligibility from both kinds of original speech, every system"),
    ):
        worst = max(t.p for t in tests if t.table == table and t.first in rows and t.second not in named)
        lines.append(
            _line(
                f"Table {table}", what + " (largest p)", "<< 0.01", worst, "holds" if worst < 0.01 else "does not hold"
            )
        )
    for table, question in (("17a", "naturalness"), ("17b", "intelligibility")):
        p = next(t.p for t in tests if (t.table, t.first, t.second) == (table, "Tar", "Non-tar"))
        what = f"original targets and nontargets sound alike in {question} (Sec. 4.3), yet the table's p"
        note = "the two sections contradict each other; the sample is large, so a small difference is enough"
        lines.append(_line(f"Table {table}", what, "alike", p, "holds" if p > 0.01 else "does not hold", note))
    mirror = {(t.table, t.first, t.second): t.p for t in tests}
    worst = max(abs(p - mirror[(table, b, a)]) for (table, a, b), p in mirror.items())
    lines.append(_line("Tables 16-17", "p-values are symmetric (largest difference)", 0.0, worst,
                       "holds" if worst == 0 else "does not hold"))  # fmt: skip
    return lines


def _objective_and_subjective() -> list[dict[str, Any]]:
    lines = []
    names = {"eer": "EER", "eer_rocch": "ROCCH-EER", "cllr": "Cllr", "cllr_min": "Cllr_min"}
    for figure, measure in zip(("27", "28", "29", "30"), names, strict=True):
        cells = {
            kind: {(r.system, r.dataset, r.sex): r.value for r in select(table="18", measure=measure, evaluation=kind)}
            for kind in ("objective", "subjective")
        }
        for label, keys in (
            ("with original speech", list(cells["objective"])),
            ("anonymized speech only", [key for key in cells["objective"] if key[0] != "Orig"]),
        ):
            value = _correlation(*([cells[kind][key] for key in keys] for kind in ("objective", "subjective")))
            what = f"objective and subjective {names[measure]} correlate positively ({label}; Spearman)"
            verdict: Held = "holds" if value > 0.3 else "holds in part" if value > 0 else "does not hold"
            lines.append(_line(f"Fig. {figure}", what, "positive", value, verdict))
        for kind in ("objective", "subjective"):
            base = {key[1:]: value for key, value in cells[kind].items() if key[0] == "Orig"}
            share = fmean(value > base[key[1:]] for key, value in cells[kind].items() if key[0] != "Orig")
            what = f"{kind} {names[measure]} rises with anonymization (share of cases)"
            lines.append(_line(f"Fig. {figure}", what, 1.0, share, _grade(share)))
    return lines


_CHECKS: tuple[Callable[[], list[dict[str, Any]]], ...] = (
    _original_is_shared,
    _correlations,
    _eer_and_cllr,
    _linear,
    _worst_case,
    _above_half,
    _distinctiveness,
    _de_identification,
    _trade_off,
    _semi_informed,
    _sexes,
    _listening_tests,
    _objective_and_subjective,
)
