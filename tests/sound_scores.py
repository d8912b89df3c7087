"""Score files with nothing wrong, and the same with one thing wrong at three strengths: how often does the doctor speak?

Four shapes of scores, 20 to 2,000 targets, 5 to 100 nontargets for each, people named or not, leaking or not, two sexes that
differ in nothing. `python tests/sound_scores.py` prints the table of docs/reference/findings.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stripeless.assessment.assess import assess_scores
from stripeless.scores.trials import Factor, TrialScores

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
SHAPES = ("normal", "skewed", "cosine", "plda")
ROUNDED = (None, 2, 3, 4)  # digits after the point
FRESH = 1000  # the first seed of the published table; limits were chosen on seeds below


def shaped(shape: str, plain: Floats) -> Floats:
    """Standard normal scores in the shape that a kind of recognizer gives; the order stays."""
    if shape == "skewed":
        return np.asarray(np.exp(plain / 2))
    if shape == "cosine":
        return np.asarray(np.tanh(0.12 * plain + 0.1))
    if shape == "plda":  # of log-likelihood ratios the low ones lie far below
        return np.asarray(8 * plain - 0.8 * plain**2 * (plain < 0) - 12)
    return plain


def sound(
    seed: int,
    *,
    digits: int | None = None,
    shape: str | None = None,
    targets: int | None = None,
    leak: float | None = None,
    named: bool | None = None,
) -> TrialScores:
    """One file; what is not given is drawn. `digits`: as many as a tool prints."""
    rng = np.random.default_rng([13, seed])
    drawn = int(np.exp(rng.uniform(np.log(20), np.log(2000))))
    targets = drawn if targets is None else targets
    nontargets = min(targets * int(rng.integers(5, 101)), 60_000)
    people, strength = 2 * int(rng.integers(4, 30)), float(rng.choice([0.0, 0.0, 0.5, 1.5, 3.0]))
    who = (np.arange(targets) % people).astype(np.int32)
    first, second = two_people(rng, people, nontargets, same_sex=bool(rng.random() < 0.5))
    ease = rng.choice([0.0, 0.2]) * rng.normal(size=(2, people))  # trials of one person are a little alike
    target = (strength if leak is None else leak) + ease[0, who] + ease[1, who] + rng.normal(size=targets)
    nontarget = ease[0, first] + ease[1, second] + rng.normal(size=nontargets)
    scores = [shaped(SHAPES[seed % 4] if shape is None else shape, part) for part in (target, nontarget)]
    if digits is not None:
        scores = [np.round(part, digits) for part in scores]
    if not (seed % 3 if named is None else named):
        return TrialScores(*scores)
    names = tuple(f"s{k:02d}" for k in range(people))
    sex = Factor(("f", "m"), who % np.int32(2), second % np.int32(2))
    return TrialScores(*scores, Factor(names, who, first), Factor(names, who, second), {"sex": sex})


def two_people(rng: np.random.Generator, people: int, size: int, same_sex: bool) -> tuple[Codes, Codes]:
    """Two different people for each nontarget; even numbers are women."""
    step = 2 if same_sex else 1
    first = rng.integers(0, people, size)
    second = (first + step * rng.integers(1, people // step, size)) % people
    return first.astype(np.int32), second.astype(np.int32)


# --- one thing wrong ------------------------------------------------------------------------------------------------


def filled(seed: int, share: float) -> TrialScores:
    """The middle score in this share of all trials."""
    scores = sound(seed, targets=400)
    return with_values(scores, seed, float(np.median(scores.nontarget)), share, share)


def failed(seed: int, share: float) -> TrialScores:
    """-999 in this share of the targets."""
    return with_values(sound(seed, targets=400), seed, -999.0, share, 0.0)


def infinite(seed: int, share: float) -> TrialScores:
    """Minus infinity in this share of the targets."""
    return with_values(sound(seed, targets=400), seed, -np.inf, share, 0.0)


def themselves(seed: int, share: float) -> TrialScores:
    """This share of the targets compares a recording with itself; a cosine comes out as one, nearly."""
    return with_values(sound(seed, targets=400, shape="cosine"), seed, 1.0, share, 0.0, off=1e-7)


def with_values(
    scores: TrialScores, seed: int, value: float, targets: float, nontargets: float, off: float = 0.0
) -> TrialScores:
    rng = np.random.default_rng([14, seed])
    parts = []
    for part, share in ((scores.target, targets), (scores.nontarget, nontargets)):
        hit = rng.permutation(part.size) < round(share * part.size)
        parts.append(np.where(hit, value - off * rng.integers(0, 3, part.size), part))
    return replace(scores, target=parts[0], nontarget=parts[1])


def decided(seed: int, values: int) -> TrialScores:
    """So many different values in place of the scores."""
    scores = sound(seed, targets=400)
    limits = np.quantile(scores.nontarget, np.linspace(0, 1, values + 1)[1:-1])
    target, nontarget = (np.searchsorted(limits, part).astype(float) for part in (scores.target, scores.nontarget))
    return replace(scores, target=target, nontarget=nontarget)


def repeated(seed: int, times: int) -> TrialScores:
    """Every trial so many times, in the order of a list that was joined with itself; with four digits in every second file."""
    scores = sound(seed, targets=400, digits=4 if seed % 2 else None)

    def tiled(factor: Factor | None) -> Factor | None:
        return (
            None
            if factor is None
            else Factor(factor.names, *(np.tile(p, times) for p in (factor.target, factor.nontarget)))
        )

    return TrialScores(
        np.tile(scores.target, times), np.tile(scores.nontarget, times),
        tiled(scores.enrollment_speakers), tiled(scores.trial_speakers),
    )  # fmt: skip


def narrow(seed: int, spread: float) -> TrialScores:
    """Targets around the middle of the nontargets with this share of their spread."""
    scores = sound(seed, targets=400, leak=0.0)
    middle = float(np.median(scores.nontarget))
    return replace(scores, target=middle + spread * (scores.target - middle))


def across(seed: int, share: float) -> TrialScores:
    """This share of the nontargets is of two sexes."""
    scores = sound(seed, targets=400, named=True)
    assert scores.trial_speakers is not None
    rng, names = np.random.default_rng([14, seed]), scores.trial_speakers.names
    first = rng.integers(0, len(names), scores.nontarget.size)
    other = np.where(rng.random(first.size) < share, 1, 2)
    second = ((first + other) % len(names)).astype(np.int32)
    sides = [Factor(names, scores.trial_speakers.target, side.astype(np.int32)) for side in (first, second)]
    sex = Factor(("f", "m"), scores.columns["sex"].target, second % np.int32(2))
    return replace(scores, enrollment_speakers=sides[0], trial_speakers=sides[1], columns={"sex": sex})


def offset(seed: int, deviations: float) -> TrialScores:
    """Eight women and 32 men, each against all: scores of women lie higher, those across the sexes lower. No identity."""
    rng = np.random.default_rng([14, seed])
    who = np.repeat(np.arange(40), 20)
    first, second = (side.ravel() for side in np.meshgrid(np.arange(40), who))
    women = np.arange(40) < 8
    shift = np.where(women[first] & women[second], 1.0, np.where(women[first] == women[second], 0.0, -1.0))
    scores = rng.normal(size=first.size) + deviations * shift
    same = first == second
    names = tuple(f"s{k:02d}" for k in range(40))
    codes = [side.astype(np.int32) for side in (first, second, women[second])]
    sides = [
        Factor(known, code[same], code[~same]) for known, code in zip((names, names, ("m", "f")), codes, strict=True)
    ]
    return TrialScores(scores[same], scores[~same], sides[0], sides[1], {"sex": sides[2]})


def in_sets(seed: int, share: float) -> TrialScores:
    """Two data sets: this share of the targets is of the first, and of the nontargets of the second."""
    scores, rng = sound(seed, targets=400), np.random.default_rng([14, seed])
    sides = rng.random(scores.target.size) >= share, rng.random(scores.nontarget.size) < share
    target, nontarget = (side.astype(np.int32) for side in sides)
    return replace(scores, columns={"data set": Factor(("read", "free"), target, nontarget)})


def clustered(seed: int, spread: float) -> TrialScores:
    """Nobody is named, and trials of one person stand together; persons differ by so many deviations."""
    rng, who = np.random.default_rng([14, seed]), np.repeat(np.arange(40), 10)
    ease = spread * rng.normal(size=(2, 40))
    target, nontarget = rng.normal(size=who.size), rng.normal(size=10 * who.size)
    return TrialScores(target + ease[0, who], nontarget + ease[1, np.repeat(np.arange(40), 100)])


Spoil = Callable[[int, float], TrialScores]
SPOILED: dict[str, tuple[str, Spoil, tuple[float, ...]]] = {
    "clustered_trials": ("persons differ by {number} deviations", clustered, (0.7, 1, 2)),
    "cross_sex_nontargets": ("{share} of the nontargets across the sexes", across, (0.75, 0.85, 0.95)),
    "failed_scores": ("-999 in {share} of the targets", failed, (0.02, 0.1, 0.4)),
    "few_distinct_scores": ("{number} values", decided, (8, 4, 2)),
    "filler_score": ("{share} of the trials", filled, (0.15, 0.3, 0.6)),
    "infinite_scores": ("minus infinity in {share} of the targets", infinite, (0.01, 0.1, 0.4)),
    "narrow_targets": ("{share} of the spread", narrow, (0.5, 0.3, 0.1)),
    "pooled_groups": ("an offset of {number} deviations", offset, (0.5, 1, 2)),
    "repeated_trials": ("each trial {number} times", repeated, (2, 5, 20)),
    "uneven_composition": ("{share} of each class in another data set", in_sets, (0.8, 0.9, 1.0)),
    "self_comparison": ("{share} of the targets", themselves, (0.05, 0.1, 0.6)),
}  # fmt: skip
FAULTS = (*SPOILED, "constant", "missing", "missing_unbalanced", "signs_swapped", "tail_leak")


# --- how often ------------------------------------------------------------------------------------------------------


def told(files: Iterable[TrialScores]) -> Counter[str]:
    """In how many files each code was found."""
    return Counter(
        code for one in files for code in {f.code for f in assess_scores(one, curves=False, permutations=0).warnings}
    )


def false_alarms(files: int, start: int) -> dict[str, list[int]]:
    """For each code in how many sound files it was found: all digits, then 2, 3 and 4."""
    found = [told(sound(start + k, digits=digits) for k in range(files)) for digits in ROUNDED]
    return {code: [one[code] for one in found] for code in FAULTS}


def caught(files: int, start: int) -> dict[str, list[int]]:
    """For each code in how many spoiled files it was found, the weakest first."""
    return {
        code: [told(spoil(start + k, strength) for k in range(files))[code] for strength in strengths]
        for code, (_, spoil, strengths) in SPOILED.items()
    }


def table(files: int = 200, bad: int = 40) -> list[str]:
    """The rows of the table in docs/reference/findings.md."""
    alarms, found = false_alarms(files, FRESH), caught(bad, FRESH)
    rows = []
    for code in FAULTS:
        wrong = ", ".join(map(str, alarms[code]))
        if code not in SPOILED:
            rows.append(f"| [`{code}`](#{code}) | {wrong} | | |")
            continue
        what, _, strengths = SPOILED[code]
        sizes = [f"{100 * x:g} %" if "{share}" in what else f"{x:g}" for x in strengths]
        built = what.format(share=" / ".join(sizes), number=" / ".join(sizes))
        rows.append(f"| [`{code}`](#{code}) | {wrong} | {built} | {', '.join(map(str, found[code]))} |")
    return rows


if __name__ == "__main__":
    print("\n".join(table()))
