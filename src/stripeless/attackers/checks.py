"""Is this attacker to be trusted? A weak attacker makes any system look private.

The signs that privacy is overestimated because an attacker was badly trained, or the data leak. After the idea of arXiv
2507.22534; the checks themselves are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from stripeless.assessment.assess import assess_scores
from stripeless.attackers.embedded_data import examine_embedded
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.plda import fit_plda
from stripeless.embeddings.vectors import length_normalized, speaker_codes, take
from stripeless.errors import InputError
from stripeless.results.assessment import Assessment
from stripeless.scores.comparison import compare_embeddings
from stripeless.verdicts.codes import serious_first
from stripeless.verdicts.finding import Finding

if TYPE_CHECKING:
    from stripeless.attackers.embedded import Embedded, Training

SEPARABLE = 0.6  # AUC above which training and evaluation data look different
CLEARLY = 0.1  # and by how much more than the originals do
UNCHANGED = 0.999  # cosine of an "anonymized" vector with its original above which nothing was done to it


def check_attackers(
    original: Embedded,
    anonymized: Embedded,
    results: Sequence[Assessment],
    training: Training,
    seed: int,
) -> tuple[Finding, ...]:
    """Every finding, the serious ones first."""
    by_name = {result.attacker: result for result in results}
    findings = [
        *_weaker_though_better_informed(by_name),
        *_beyond_chance(results),
        *_not_anonymized(original, anonymized),
        *_overlap(anonymized, training),
        *_manifests(training),
        *examine_embedded(original, anonymized, training),
    ]
    if training.anonymized is not None:
        findings += _own_training_speakers(training.anonymized, by_name, seed)
        findings += _mismatch(training, original, anonymized)
    return serious_first(findings)


def _bounds(result: Assessment) -> tuple[float, float, float]:
    """EER with its interval; without one, the value thrice."""
    measure = result.measures["eer"]
    value = float(measure.value)  # type: ignore[arg-type]
    low = float(measure.low) if isinstance(measure.low, float) else value
    return value, low, float(measure.high) if isinstance(measure.high, float) else value


def _weaker_though_better_informed(results: dict[str, Assessment]) -> list[Finding]:
    if "semi-informed" not in results:
        return []
    value, low, _ = _bounds(results["semi-informed"])
    found = []
    for other in ("lazy-informed", "ignorant"):
        weaker, _, high = _bounds(results[other])
        if low > high:
            found.append(
                Finding(
                    "weaker-though-better-informed",
                    "caution",
                    f"The semi-informed attacker errs more (EER {100 * value:.1f} %) than the {other} one "
                    f"({100 * weaker:.1f} %), beyond chance. Either there was too little to learn from, or every recording is "
                    "hidden by noise of its own, which spoils what is learned; the strongest attacker counts.",
                )
            )
    return found


def _beyond_chance(results: Sequence[Assessment]) -> list[Finding]:
    """EER above one half: scores point the wrong way, and an attacker who notices turns them round."""
    return [
        Finding(
            "above-chance",
            "caution",
            f"The {result.attacker} attacker's EER is {100 * _bounds(result)[0]:.1f} %, above one half beyond chance: a better "
            "attacker would turn the decisions round.",
        )
        for result in results
        if _bounds(result)[1] > 0.5
    ]


def _not_anonymized(original: Embedded, anonymized: Embedded) -> list[Finding]:
    found = []
    for name in ("enrollment", "trials"):
        before, after = getattr(original, name), getattr(anonymized, name)
        row = {utterance: i for i, utterance in enumerate(before.utterances)}
        shared = [(row[u], i) for i, u in enumerate(after.utterances) if u in row]
        if not shared or before.dimension != after.dimension:
            continue
        i, j = np.array(shared).T
        cosines = (length_normalized(before.vectors[i]) * length_normalized(after.vectors[j])).sum(axis=1)
        share = float((cosines > UNCHANGED).mean())
        if share > 0.05:
            found.append(
                Finding(
                    "not-anonymized",
                    "serious",
                    f"{100 * share:.0f} % of the anonymized {name} vectors equal their originals: this {name} was left "
                    "un-anonymized, so the informed attackers were not played as named.",
                )
            )
    return found


def _overlap(anonymized: Embedded, training: Training) -> list[Finding]:
    judged = set(anonymized.enrollment.speakers or ()) | set(anonymized.trials.speakers or ())
    found = []
    for name in ("original", "anonymized"):
        data: Embeddings | None = getattr(training, name)
        shared = judged & set(data.speakers or ()) if data is not None else set()
        if shared:
            found.append(
                Finding(
                    "training-overlap",
                    "serious",
                    f"{len(shared)} speakers of the {name} training data are also judged, such as {sorted(shared)[0]!r}: "
                    "the attacker knows them already.",
                )
            )
    return found


def _manifests(training: Training) -> list[Finding]:
    if training.manifests is None:
        return []
    first, second = training.manifests
    keys = sorted(k for k in {*first, *second} if first.get(k) != second.get(k))
    if not keys:
        return []
    text = (
        f"Training and evaluation data were not anonymized alike: {', '.join(keys)} differ; the attacker is mismatched."
    )
    return [Finding("manifests-differ", "serious", text)]


def _own_training_speakers(training: Embeddings, results: dict[str, Assessment], seed: int) -> list[Finding]:
    """Hold out a fifth of the training speakers: an attacker who knows them much better is over-trained or mismatched."""
    names, codes = speaker_codes(training.speakers or ())
    held = np.isin(codes, np.random.default_rng(seed).permutation(len(names))[: max(4, len(names) // 5)])
    if len(set(codes[~held])) < 3 or "semi-informed" not in results:
        return []
    inside, outside = take(training, ~held), take(training, held)
    odd = np.array([sum(outside.speakers[k] == s for k in range(i)) % 2 == 1 for i, s in enumerate(outside.speakers)])  # type: ignore[index, arg-type]
    if odd.all() or not odd.any():
        return []
    model = fit_plda(inside.vectors, inside.speakers)  # type: ignore[arg-type]
    try:
        scores = compare_embeddings(take(outside, odd), take(outside, ~odd), plda=model, same_sex=False)
    except InputError:
        return []
    own = assess_scores(scores, resamples=200, seed=seed, curves=False)
    (value, _, high), (judged, low, _) = _bounds(own), _bounds(results["semi-informed"])
    findings = []
    if high < low:
        text = (
            f"On held-out speakers of the attacker's own training data the semi-informed attacker's EER is {100 * value:.1f} %, "
            f"on the evaluation {100 * judged:.1f} %, beyond chance: training and evaluation data do not match."
        )
        findings.append(Finding("training-mismatch", "caution", text))
    if value > 0.4 and high >= 0.5:
        near = f"near chance (EER {100 * value:.1f} %)"
        text = (
            f"Even on its own training data the semi-informed attacker is {near}: either nothing is left to learn, or the "
            "training was bad, for example with wrong names. The controls of the verdict tell these apart only in part."
        )
        findings.append(Finding("untrained", "remark", text))
    return findings


def _mismatch(training: Training, original: Embedded, anonymized: Embedded) -> list[Finding]:
    if training.anonymized is None or training.original is None:
        return []
    after = separability(training.anonymized.vectors, anonymized.trials.vectors)
    before = separability(training.original.vectors, original.trials.vectors)
    if after > SEPARABLE and after > before + CLEARLY:
        text = (
            f"Anonymized training and evaluation data can be told apart (AUC {after:.2f}) better than their originals can "
            f"({before:.2f}): they were not anonymized alike, so the attacker is mismatched."
        )
        return [Finding("told-apart", "caution", text)]
    return []


def separability(first: NDArray[Any], second: NDArray[Any]) -> float:
    """AUC of a linear classifier (ridge, two-fold) between two sets of vectors; 0.5 where they cannot be told apart."""
    data = np.vstack([first, second]).astype(np.float64)
    labels = np.repeat([1.0, -1.0], [len(first), len(second)])
    fold = np.concatenate([np.arange(len(first)) % 2, np.arange(len(second)) % 2])
    areas = []
    for part in (0, 1):
        inside = fold != part
        mean = data[inside].mean(axis=0)
        centered, wanted = data[inside] - mean, labels[inside] - labels[inside].mean()
        gram = centered.T @ centered
        weights = np.linalg.solve(gram + np.trace(gram) / len(gram) * np.eye(len(gram)), centered.T @ wanted)
        scores = (data[~inside] - mean) @ weights
        high, low = scores[labels[~inside] > 0], np.sort(scores[labels[~inside] < 0])
        below = np.searchsorted(low, high, side="left") + np.searchsorted(low, high, side="right")
        areas.append(float(below.mean()) / (2 * len(low)))
    return float(np.mean(areas))
