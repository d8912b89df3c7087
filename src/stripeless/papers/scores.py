"""The "Orig" LibriSpeech-test cells of VoicePrivacy 2020 (Tables 3, 5, 7) and of ZEBRA (Fig. 3), from the PLDA scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stripeless.assessment.assess import assess_scores
from stripeless.papers.reproduce import as_printed, find_folder
from stripeless.scores.files import read_scores

# (where, measure, factor, digits printed, women, men); EER is printed in percent
_CELLS: tuple[tuple[str, str, float, int, float, float], ...] = (
    ("Table 3, EER [%]", "eer_kaldi", 100, 2, 7.66, 1.11),
    ("Table 3, Cllr", "cllr", 1, 1, 26.8, 15.3),
    ("Table 3, Cllr_min", "cllr_min", 1, 3, 0.183, 0.041),
    ("Table 5, expected disclosure [bit]", "d_ece", 1, 3, 0.584, 0.690),
    ("Table 5, worst case [log10 LR]", "log10_lr", 1, 3, 3.979, 3.924),
    ("Table 7, linkability", "linkability_binned", 1, 3, 0.898, 0.958),
)
_FIGURE_3: tuple[tuple[str, str, int, float | str], ...] = (
    ("ZEBRA Fig. 3, original, D_ECE [bit]", "d_ece", 2, 0.58),
    ("ZEBRA Fig. 3, original, log10 l", "log10_lr", 2, 3.98),
    ("ZEBRA Fig. 3, original, category", "category", 0, "C"),
)


def lines(data: Path | None) -> list[dict[str, Any]]:
    """One line per printed cell. A cell agrees when ours, rounded or cut off at the digits printed, is the number printed.

    Cut off: Table 3 prints 0.183 where the published program itself computes 0.18350 on these scores.
    """
    assert data is not None
    folder = find_folder(data, "librispeech-b1")
    results = {
        sex: assess_scores(
            read_scores(folder / "scores" / "original" / f"oo_{sex}.txt", folder / f"trials_{sex}" / "trials"),
            curves=False,
        )
        for sex in "fm"
    }
    found = []
    for where, measure, factor, digits, female, male in _CELLS:
        for sex, word, published in (("f", "female", female), ("m", "male", male)):
            value = results[sex][measure]
            assert isinstance(value, float)
            found.append(_line(f"{where}, {word}", measure, published, factor * value, digits))
    for where, measure, digits, printed in _FIGURE_3:
        ours = results["f"][measure]
        assert ours is not None
        found.append(_line(f"{where}, female", measure, printed, ours, digits))
    return found


def _line(what: str, measure: str, published: float | str, ours: float | str, digits: int) -> dict[str, Any]:
    if isinstance(published, str) or isinstance(ours, str):
        return {"what": what, "measure": measure, "published": published, "ours": ours, "difference": None,
                "agrees": published == ours}  # fmt: skip
    return {
        "what": what,
        "measure": measure,
        "published": published,
        "ours": ours,
        "difference": ours - published,
        "agrees": as_printed(ours, published, digits),
    }
