"""Utterances without a usable anonymized copy: refused, or counted, named and held against chance.

What failed is often one kind of speech. People who are left out because their outputs failed look protected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stripeless.audio.corpus import Corpus
from stripeless.errors import InputError
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.leak import SURE

NO_COPY, SILENT, UNREADABLE = "without an anonymized copy", "silent or shorter than 0.1 s", "that cannot be read"
DRAWS = 9999  # of who is missing, by chance
SHOWN = 5  # names that a message holds


@dataclass(frozen=True)
class Lost:
    """Utterances that are left out.

    Attributes:
        why: for each name one of the reasons above.
        said: what a reader said of those that cannot be read.
    """

    why: Mapping[str, str]
    said: tuple[str, ...] = ()

    def told(self) -> str:
        """How many for each reason, with the first names."""
        parts = []
        for reason in (NO_COPY, SILENT, UNREADABLE):
            names = [name for name, why in self.why.items() if why == reason]
            if names:
                more = "" if len(names) <= SHOWN else f" and {len(names) - SHOWN} more"
                parts.append(f"{len(names)} {reason} ({', '.join(names[:SHOWN])}{more})")
        return ", ".join(parts)


def check_nothing_lost(whole: Corpus, lost: Lost, allowed: Sequence[str]) -> None:
    """Refuse to go on where an utterance is missing for a reason that nobody allowed."""
    refused = Lost({name: why for name, why in lost.why.items() if why not in allowed})
    if refused.why:
        raise InputError(
            f"{whole.folder}: {len(refused.why)} of {len(whole.utterances)} utterances cannot be judged: {refused.told()}. "
            "Make these again, or leave them out with --allow-missing (allow_missing=True), which counts and tests them"
        )


def examine_lost(whole: Corpus, lost: Lost, kept: Corpus) -> list[Finding]:
    """What it means that these utterances of a corpus are not judged; serious where chance does not explain which."""
    if not lost.why:
        return []
    utterances = [one for one in whole.utterances if whole.role(one.name) == "enrollment" or one.name in tried(whole)]
    gone = np.array([one.name in lost.why for one in utterances])
    enrolls = set(whole.enrollment)
    labels = {
        "some people's": [one.speaker for one in utterances],
        "those of one sex": [one.sex for one in utterances],
        "those of enrollment or of trials": ["enrollment" if one.name in enrolls else "trial" for one in utterances],
    }
    p = {kind: chance_of(values, gone) for kind, values in labels.items()}
    uneven = [kind for kind, value in p.items() if value * len(p) < SURE]
    what = f"{lost.told()}, of {len(whole.utterances)} utterances, are left out. {people_left(whole, lost, kept)}"
    if uneven:
        smallest = min(p[kind] for kind in uneven)
        return [
            Finding(
                "missing_unbalanced",
                "serious",
                f"{what} Missing more often than chance explains are {' and '.join(uneven)} (p = {smallest:.1g}): what failed is "
                "related to who speaks, so the result is about the others. Make these recordings before believing it.",
            )
        ]
    return [Finding("missing", "caution", f"{what} Chance explains which ones; they were left out on request.")]


def tried(corpus: Corpus) -> set[str]:
    """Names of the utterances of trials."""
    return {trial.utterance for trial in corpus.trials}


def people_left(whole: Corpus, lost: Lost, kept: Corpus) -> str:
    """How many people are still judged, and who is hit hardest."""
    before, after = judged_people(whole), judged_people(kept)
    count = dict.fromkeys(whole.speakers, 0)
    for utterance in whole.utterances:
        count[utterance.speaker] += utterance.name in lost.why
    worst = sorted((name for name in count if count[name]), key=lambda name: (-count[name], name))
    told = ", ".join(f"{name} ({count[name]})" for name in worst[:SHOWN])
    more = f" and {len(worst) - SHOWN} more people" if len(worst) > SHOWN else ""
    return f"{len(after)} of {len(before)} people are still judged; lost most: {told}{more}."


def judged_people(corpus: Corpus) -> set[str]:
    """Who is both enrolled and tried."""
    speakers = {one.name: one.speaker for one in corpus.utterances}
    return {speakers[name] for name in corpus.enrollment} & {speakers[name] for name in tried(corpus)}


def chance_of(labels: Sequence[str], gone: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    """Chance that what is missing falls so unevenly on these labels; 1 where there is one label only."""
    names, codes = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
    sizes, lost = np.bincount(codes), np.bincount(codes[gone], minlength=len(names))
    if len(names) < 2 or not gone.any() or gone.all():
        return 1.0
    drawn = np.random.default_rng(0).multivariate_hypergeometric(sizes, int(lost.sum()), size=DRAWS, method="marginals")
    seen, chance = (np.asarray((part**2 / sizes).sum(axis=-1)) for part in (lost, drawn))
    return float((1 + np.count_nonzero(chance >= seen - 1e-9)) / (1 + DRAWS))
