"""Worlds of embeddings before and after an anonymizer, through `attack_study`: pseudonyms, noise, maps, faults of the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from verdict_doors import refusal
from verdict_kinds import FALSE_ALARM, HARDLY_PASSES, NO_PASS, NO_VERDICT, PASSES, Kind, Rule, found
from verdict_real import both_sexes, there

from stripeless import Embeddings, attack_study
from stripeless.embeddings.vectors import take

Matrix = NDArray[np.float64]
Pair = tuple[Embeddings, Embeddings]
Hides = Literal["pseudonym", "session", "noise", "turn", "affine"]
Draw = Callable[[int], tuple[Pair, dict[str, Any]]]
LINK, INVERT, LOOKUP = "unlinkability", "non_invertibility", "pseudonym_lookup"


@dataclass(frozen=True)
class AttackWorld:
    """People, their recordings, and what an anonymizer makes of them.

    Attributes:
        people: how many are judged.
        recordings: how many utterances each has.
        size: dimensions.
        hides: what is put in place of a vector: one drawn for each person ("pseudonym"), one for each person and half of the
            recordings ("session"), one for each recording ("noise"), the vector itself turned ("turn"), or stretched,
            turned and shifted ("affine").
        noise: deviation of what is added afterwards; voices have 1, recordings of a voice 0.5.
        keeps: how much of the person's turned voice is added to what is put in its place.
        women: how many of the people are women; None alternates, 0 and `people` are one sex.
        by_sex: that what is put in place differs between the sexes, by this much.
        others: how many other people the attacker learns from; 0 learns from those of other groups.
        enrolled: enrollment is of other recordings, of this share of the people; 0 takes half of the recordings.
        shuffled: that the rows of each file stand in an order of their own.
    """

    people: int = 20
    recordings: int = 4
    size: int = 8
    hides: Hides = "pseudonym"
    noise: float = 0.5
    keeps: float = 0.0
    women: int | None = None
    by_sex: float = 0.0
    others: int = 0
    enrolled: float = 0.0
    shuffled: bool = False


def draw(world: AttackWorld, seed: int) -> tuple[Pair, dict[str, Any]]:
    """Both files, and what else `attack_study` is given."""
    rng = np.random.default_rng([41, seed])
    turn = np.linalg.qr(rng.normal(size=(world.size, world.size)))[0]
    stretch, shift = np.exp(0.7 * rng.normal(size=world.size)), rng.normal(size=world.size)
    voices = rng.normal(size=(world.people + world.others, world.size))

    def hidden(original: Matrix, who: NDArray[np.int64], number: NDArray[np.int64], sexes: Matrix) -> Matrix:
        made = {
            "pseudonym": lambda: rng.normal(size=voices.shape)[who],
            "session": lambda: rng.normal(size=(2, *voices.shape))[number % 2, who],
            "noise": lambda: np.zeros(original.shape),
            "turn": lambda: original @ turn,
            "affine": lambda: (original @ turn) * stretch + shift,
        }[world.hides]()
        made = made + world.keeps * voices[who] @ turn + world.noise * rng.normal(size=original.shape)
        return np.asarray(made + world.by_sex * sexes[who, None] * shift)

    def files(people: range, prefix: str, recordings: int) -> Pair:
        who, number = (
            np.repeat(np.arange(people.start, people.stop), recordings),
            np.tile(np.arange(recordings), len(people)),
        )
        sex = [is_woman(world, one) for one in range(world.people + world.others)]
        original = voices[who] + 0.5 * rng.normal(size=(who.size, world.size))
        original += world.by_sex * np.array(sex, dtype=float)[who, None]
        after = hidden(original, who, number, np.array(sex, dtype=float))
        names = tuple(f"p{p:03d}-{prefix}{n}" for p, n in zip(who.tolist(), number.tolist(), strict=True))
        speakers, sexes = tuple(f"p{p:03d}" for p in who.tolist()), tuple("mf"[sex[p]] for p in who.tolist())
        pair = Embeddings(after, names), Embeddings(original, names, speakers, sexes)
        return (reordered(pair[0], rng), reordered(pair[1], rng)) if world.shuffled else pair

    judged = files(range(world.people), "t", world.recordings)
    more: dict[str, Any] = {}
    if world.others:
        taught = files(range(world.people, world.people + world.others), "o", world.recordings)
        more |= {"training_anonymized": taught[0], "training_original": taught[1]}
    if world.enrolled:
        last = max(2, round(world.enrolled * world.people))
        more["enrollment"] = files(range(last), "e", world.recordings)[1]
    return judged, more


def is_woman(world: AttackWorld, person: int) -> bool:
    """The first people of a world are its women; those who only teach alternate, as all do where no number is given."""
    if world.women is None or person >= world.people:
        return person % 2 == 0 if world.women not in (0, world.people) else bool(world.women)
    return person < world.women


def reordered(embeddings: Embeddings, rng: np.random.Generator) -> Embeddings:
    """The same rows in another order."""
    return take(embeddings, rng.permutation(len(embeddings)))


@lru_cache(maxsize=8192)
def labels(drawn: Draw, seed: int, margin: float | None = None) -> dict[str, str]:
    """The label of each question; one study answers all three."""
    pair, more = drawn(seed)
    study = attack_study(*pair, resamples=0, seed=seed % 2**31, margin=margin, **more)
    return {question: said.label for question, said in study.verdicts().items()}


def asked(drawn: Draw, question: str, seed: int) -> str:
    """The label of one question, or that the files were refused."""
    return refusal(lambda: labels(drawn, seed)[question])


def kinds_of(
    name: str, what: str, drawn: Draw, truth: str, wanted: Mapping[str, tuple[Rule, ...]], *, draws: int = 200, sample: int = 0,
    **more: Any,
) -> Iterator[Kind]:  # fmt: skip
    """A kind for each question of which something is wanted."""
    family = f"g-{name}"
    for question, rules in wanted.items():
        short = {LINK: "link", INVERT: "invert", LOOKUP: "lookup"}[question]
        play, of_question = partial(asked, drawn, question), f"{what}: {question.replace('_', '-')}"
        few = sample if question == INVERT else 0
        yield Kind(f"{family}-{short}", "g", of_question, truth, play, rules, draws, few, family=family, **more)


NOTHING = {LINK: (FALSE_ALARM,), INVERT: (FALSE_ALARM,)}
PERFECT = {LINK: (FALSE_ALARM,), INVERT: (FALSE_ALARM,), LOOKUP: (FALSE_ALARM,)}


def world(**settings: Any) -> Draw:
    """What draws this world; equal worlds share what was played."""
    return _drawing(AttackWorld(**settings))


@lru_cache
def _drawing(made: AttackWorld) -> Draw:
    return partial(draw, made)


def attack_kinds() -> Iterator[Kind]:
    """Everything through `attack_study`."""
    yield from nothing_to_invert()
    yield from people_and_files()
    yield from inverted()
    yield from wrong_files()
    yield from real_vectors()


def nothing_to_invert() -> Iterator[Kind]:
    """Pseudonyms that have nothing to do with anybody, and noise."""
    for name, what, settings in (
        ("pseudonym", "20 x 4, a random pseudonym per person", {}),
        ("pseudonym-loud", "20 x 4, pseudonyms with hardly any noise", {"noise": 0.05}),
        ("pseudonym-sexed", "20 x 4, pseudonyms of the own sex", {"by_sex": 3.0}),
        ("pseudonym-wide", "20 x 4, 24 dimensions: more than people who teach", {"size": 24}),
        ("pseudonym-40", "40 x 4, a random pseudonym per person", {"people": 40}),
        ("session", "20 x 4, a pseudonym for each half of the recordings", {"hides": "session"}),
    ):  # fmt: skip
        many = 100 if "people" in settings else 200
        yield from kinds_of(
            name, what, world(**settings), "no leak", NOTHING, draws=many, sample=8 if name == "pseudonym" else 0
        )
    yield from kinds_of("pseudonym", "20 x 4, a random pseudonym per person", world(), "leak", {LOOKUP: (found(0.95),)})
    yield from kinds_of("noise", "20 x 4, noise per utterance", world(hides="noise"), "no leak", PERFECT, sample=5)
    passes = {LINK: (FALSE_ALARM, PASSES), INVERT: (FALSE_ALARM, PASSES), LOOKUP: (FALSE_ALARM, PASSES)}
    yield from kinds_of(
        "noise-40",
        "40 x 8, noise per utterance",
        world(people=40, recordings=8, hides="noise"),
        "no leak",
        passes,
        draws=100,
    )


def people_and_files() -> Iterator[Kind]:
    """Few people, unequal sexes, files of other forms; pseudonyms unrelated to anybody in each."""
    for name, what, settings in (
        ("8-people", "8 people", {"people": 8}),
        ("12-people", "12 people", {"people": 12}),
        ("sexes-4-16", "4 women + 16 men", {"women": 4, "by_sex": 3.0}),
        ("one-sex", "20 women", {"women": 20}),
        ("shuffled", "rows of both files in orders of their own", {"shuffled": True}),
        ("enrolled", "enrollment from other recordings", {"enrolled": 1.0, "recordings": 3}),
        ("partly-enrolled", "14 of 20 people are enrolled", {"enrolled": 0.7, "recordings": 3}),
        ("taught-by-others", "the attacker learns from 30 other people", {"others": 30}),
    ):
        yield from kinds_of(name, f"pseudonyms, {what}", world(**settings), "no leak", NOTHING)


def inverted() -> Iterator[Kind]:
    """Maps that can be undone, and noise after them."""
    turn: dict[str, Any] = {"hides": "turn", "noise": 0.0}
    others: dict[str, Any] = {"others": 30, "enrolled": 1.0, "recordings": 3}
    for name, what, settings, power in (
        ("turn", "an orthogonal map", turn, 0.98),
        ("turn-12", "an orthogonal map, 12 people", {**turn, "people": 12}, 0.95),
        ("turn-8", "an orthogonal map, 8 people", {**turn, "people": 8}, 0.9),
        ("turn-shuffled", "an orthogonal map, rows in orders of their own", {**turn, "shuffled": True}, 0.98),
        ("turn-4-16", "an orthogonal map, 4 women + 16 men", {**turn, "women": 4}, 0.98),
        ("turn-others", "an orthogonal map, noise 0.5, 30 other people teach", {**turn, "noise": 0.5, **others}, 0.98),
        ("affine-0.5", "an affine map, noise 0.5", {"hides": "affine"}, 0.98),
        ("affine-1", "an affine map, noise 1", {"hides": "affine", "noise": 1.0}, 0.95),
        ("affine-2", "an affine map, noise 2", {"hides": "affine", "noise": 2.0}, 0.5),
        ("kept", "pseudonyms that keep half of the voice, turned; 40 people", {"keeps": 0.5, "people": 40}, 0.3),
    ):
        rules = (found(power), NO_PASS if power < 0.9 else HARDLY_PASSES)
        few = 5 if name == "turn" else 0
        yield from kinds_of(name, what, world(**settings), "leak", {LINK: rules, INVERT: rules}, draws=100, sample=few)


# Wrong files


def wrong_files() -> Iterator[Kind]:
    """The same file twice, and judged people who teach under other names."""
    for name, what, change in (
        ("same-file", "one file given twice", unprotected), ("renamed", "judged people teach under other names", renamed),
        ("two-names", "one person under two names", two_names),
    ):  # fmt: skip
        drawn = partial(spoiled, change)
        yield from kinds_of(name, what, drawn, "wrong data", {INVERT: (NO_VERDICT,)}, draws=40)


def spoiled(
    change: Callable[[Pair, dict[str, Any]], tuple[Pair, dict[str, Any]]], seed: int
) -> tuple[Pair, dict[str, Any]]:
    return change(*draw(AttackWorld(), seed))


def unprotected(pair: Pair, more: dict[str, Any]) -> tuple[Pair, dict[str, Any]]:
    """The originals as if they were anonymized."""
    return (pair[1], pair[1]), more


def renamed(pair: Pair, more: dict[str, Any]) -> tuple[Pair, dict[str, Any]]:
    """The judged pairs as training, under other names."""
    anonymized, original = pair
    names = tuple(f"x{name}" for name in original.utterances)
    speakers = tuple(f"x{name}" for name in original.speakers or ())
    taught = replace(anonymized, utterances=names), replace(original, utterances=names, speakers=speakers)
    return pair, {**more, "training_anonymized": taught[0], "training_original": taught[1]}


def two_names(pair: Pair, more: dict[str, Any]) -> tuple[Pair, dict[str, Any]]:
    """Three people stand in the files a second time."""

    def twice(side: Embeddings) -> Embeddings:
        rows = [row for row, name in enumerate(side.utterances) if name[:4] in ("p000", "p001", "p002")]
        return Embeddings(
            np.concatenate([side.vectors, side.vectors[rows]]),
            (*side.utterances, *(f"z{side.utterances[row]}" for row in rows)),
            None if side.speakers is None else (*side.speakers, *(f"z{side.speakers[row]}" for row in rows)),
            None if side.sex is None else (*side.sex, *(side.sex[row] for row in rows)),
        )

    return (twice(pair[0]), twice(pair[1])), more


# Real vectors


def real_vectors() -> Iterator[Kind]:
    """X-vectors after B1: as they are, and with the people of the anonymized side exchanged within a sex."""
    for extractor in ("original", "retrained"):
        what = f"x-vectors after B1 ({extractor} extractor)"
        yield from kinds_of(
            f"real-exchanged-{extractor}", f"{what}, people exchanged within sex", partial(exchanged, extractor),
            "no leak", NOTHING, draws=20, available=there,
        )  # fmt: skip
        found_back = {LOOKUP: (found(0.95),)}
        yield from kinds_of(
            f"real-{extractor}", what, partial(as_they_are, extractor), "leak", found_back, draws=5, available=there
        )


def as_they_are(extractor: str, seed: int) -> tuple[Pair, dict[str, Any]]:
    """The trial utterances of women and men, the first ten of each person."""
    original = first_ten(both_sexes("original", ""))
    return (first_ten(both_sexes(extractor, "_anon")), original), {}


def exchanged(extractor: str, seed: int) -> tuple[Pair, dict[str, Any]]:
    """What was made of one person stands under the name of another of the same sex: pseudonyms unrelated to anybody."""
    (anonymized, original), more = as_they_are(extractor, seed)
    rng = np.random.default_rng([42, seed])
    speakers, sexes = np.array(original.speakers), np.array(original.sex)
    rows = np.arange(len(original))
    taken = rows.copy()
    for sex in "fm":
        people = np.unique(speakers[sexes == sex])
        for one, other in zip(people, people[rng.permutation(len(people))], strict=True):
            taken[speakers == one] = np.resize(rows[speakers == other], np.count_nonzero(speakers == one))
    place = {name: row for row, name in enumerate(anonymized.utterances)}
    source = [place[original.utterances[row]] for row in taken]
    return (Embeddings(anonymized.vectors[source], original.utterances), original), more


def first_ten(embeddings: Embeddings) -> Embeddings:
    """The first ten utterances of each person, in the order of their names."""
    seen: dict[str, int] = {}
    rows = []
    for row in sorted(range(len(embeddings)), key=lambda k: embeddings.utterances[k]):
        name = (embeddings.speakers or ())[row]
        seen[name] = seen.get(name, 0) + 1
        if seen[name] <= 10:
            rows.append(row)
    return take(embeddings, rows)
