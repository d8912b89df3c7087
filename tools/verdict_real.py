"""Real vectors and scores whose people were exchanged: what was known of anybody is gone, everything else is as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
from verdict_doors import of_scores
from verdict_kinds import FALSE_ALARM, Kind, found

from stripeless import Embeddings, TrialScores, compare_embeddings, read_embeddings, read_scores
from stripeless.embeddings.vectors import speaker_means
from stripeless.scores.pairs import generate_trials
from stripeless.scores.trials import Factor

DATA = Path(os.environ.get("STRIPELESS_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
B1 = DATA / "librispeech-b1"


def there() -> bool:
    """Whether the x-vectors are."""
    return (B1 / "xvectors").is_dir()


@cache
def vectors(extractor: str, part: str, end: str) -> Embeddings:
    """X-vectors of one part, before ("") or after ("_anon") anonymization."""
    folder = B1 / part
    return read_embeddings(
        B1 / "xvectors" / extractor / f"{part}{end}.scp", utt2spk=folder / "utt2spk", spk2gender=folder / "spk2gender"
    )


@cache
def both_sexes(extractor: str, end: str) -> Embeddings:
    """The trial utterances of women and men."""
    parts = [vectors(extractor, f"trials_{sex}", end) for sex in "fm"]
    return Embeddings(
        np.concatenate([part.vectors for part in parts]),
        tuple(name for part in parts for name in part.utterances),
        tuple(name for part in parts for name in part.speakers or ()),
        tuple(sex for part in parts for sex in part.sex or ()),
    )


def rows_exchanged(extractor: str, seed: int) -> str:
    """Cosines of anonymized vectors; who speaks in a trial utterance is dealt anew within each sex."""
    tried, rng = both_sexes(extractor, "_anon"), np.random.default_rng([31, seed])
    speakers, sexes = np.array(tried.speakers), np.array(tried.sex)
    for sex in "fm":
        speakers[sexes == sex] = rng.permutation(speakers[sexes == sex])
    dealt = Embeddings(tried.vectors, tried.utterances, tuple(speakers.tolist()), tried.sex)
    return of_scores([cosines(vectors(extractor, "enrolls", "_anon"), dealt)], None, seed=seed % 2**31)


def people_exchanged(extractor: str, seed: int) -> str:
    """Cosines of anonymized vectors; whose model is whose is dealt anew among the enrolled of each sex."""
    rng = np.random.default_rng([32, seed])
    scores = cosines(vectors(extractor, "enrolls", "_anon"), both_sexes(extractor, "_anon"))
    return of_scores([with_models_dealt(scores, rng)], None, seed=seed % 2**31)


def plda_exchanged(extractor: str, sex: str, seed: int) -> str:
    """The published PLDA scores of one sex; whose model is whose is dealt anew."""
    return of_scores(
        [with_models_dealt(published(extractor, sex), np.random.default_rng([33, seed]))], None, seed=seed % 2**31
    )


def as_they_are(extractor: str, seed: int) -> str:
    """The published PLDA scores of women: a leak that everybody agrees on."""
    return of_scores([published(extractor, "f")], None, seed=seed % 2**31)


@cache
def published(extractor: str, sex: str) -> TrialScores:
    """Scores of the lazy-informed (original extractor) or semi-informed attacker (retrained) on one sex."""
    folder = B1 / f"trials_{sex}"
    return read_scores(B1 / "scores" / extractor / f"aa_{sex}.txt", folder / "trials", utt2spk=folder / "utt2spk")


def cosines(enrollment: Embeddings, tried: Embeddings) -> TrialScores:
    """Scores of all trials within a sex, labeled with it."""
    scores = compare_embeddings(enrollment, tried, generate_trials(enrollment, tried))
    of = dict(zip(speaker_means(enrollment).utterances, speaker_means(enrollment).sex or (), strict=True))
    of.update(zip(tried.speakers or (), tried.sex or (), strict=True))
    side = scores.trial_speakers
    assert side is not None
    code = np.array(["fm".index(of[name]) for name in side.names], dtype=np.int32)
    sex = Factor(("f", "m"), code[side.target], code[side.nontarget])
    return TrialScores(scores.target, scores.nontarget, scores.enrollment_speakers, side, {"sex": sex})


def with_models_dealt(scores: TrialScores, rng: np.random.Generator) -> TrialScores:
    """The same scores; enrolled people of one sex have changed their models among themselves."""
    enrolled, judged = scores.enrollment_speakers, scores.trial_speakers
    assert enrolled is not None
    assert judged is not None
    whole = {name: np.concatenate([one.target, one.nontarget]) for name, one in scores.columns.items()}
    model, person = (np.concatenate([one.target, one.nontarget]) for one in (enrolled, judged))
    values, dealt = np.concatenate([scores.target, scores.nontarget]), np.arange(len(enrolled.names))
    sex = whole.get("sex", np.zeros(values.size, dtype=np.int32))
    for one in np.unique(sex):
        some = np.unique(model[sex == one])
        dealt[some] = rng.permutation(some)
    model = dealt[model].astype(np.int32)
    same = model == person

    def factor(names: tuple[str, ...], codes: np.ndarray) -> Factor:
        return Factor(names, codes[same], codes[~same])

    columns = {name: factor(scores.columns[name].names, codes) for name, codes in whole.items()}
    return TrialScores(
        values[same], values[~same], factor(enrolled.names, model), factor(judged.names, person), columns
    )


def real_kinds() -> Iterator[Kind]:
    """Real data of which nothing is left to know."""
    for extractor in ("original", "retrained"):
        yield Kind(f"a-real-rows-{extractor}", "a", f"x-vectors after B1 ({extractor}), recordings dealt anew within sex",
                   "no leak", partial(rows_exchanged, extractor), (FALSE_ALARM,), available=there)  # fmt: skip
        yield Kind(f"a-real-people-{extractor}", "a", f"x-vectors after B1 ({extractor}), models dealt anew within sex",
                   "no leak", partial(people_exchanged, extractor), (FALSE_ALARM,), available=there)  # fmt: skip
    for sex, many in (("f", 16), ("m", 13)):
        yield Kind(f"a-real-plda-{sex}", "a", f"published PLDA scores after B1, {many} models of one sex dealt anew", "no leak",
                   partial(plda_exchanged, "retrained", sex), (FALSE_ALARM,), available=there)  # fmt: skip
    yield Kind("c-real-plda", "c", "published PLDA scores after B1, women, retrained extractor (EER 12 %)", "leak",
               partial(as_they_are, "retrained"), (found(0.95),), draws=20, available=there)  # fmt: skip
