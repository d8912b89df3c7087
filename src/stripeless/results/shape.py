"""The shape of a stored result: every place that tables, figures and verdicts rely on, checked once, named where it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from stripeless.errors import InputError

Shape: TypeAlias = "Callable[[Any, str], None]"
SEVERITIES = ("serious", "caution", "remark")


def check_shape(result: Mapping[str, Any]) -> None:
    """Refuse a result of which something is missing or of the wrong kind."""
    _KINDS[result["kind"]](result, "")


def _fail(place: str, expected: str, got: Any) -> None:
    shown = "nothing" if got is _MISSING else type(got).__name__ if isinstance(got, (dict, list)) else repr(got)[:40]
    raise InputError(f"{place or 'the result'}: expected {expected}, got {shown}")


_MISSING = object()


def _is(expected: str, *types: type, null: bool = False) -> Shape:
    def check(value: Any, place: str) -> None:
        wrong_bool = isinstance(value, bool) and bool not in types
        if not (null and value is None) and (wrong_bool or not isinstance(value, types)):
            _fail(place, expected, value)

    return check


def _fields(**shapes: Shape) -> Shape:
    """A record; names that end in _ may be absent."""

    def check(value: Any, place: str) -> None:
        _is("an object", dict)(value, place)
        for name, shape in shapes.items():
            key = name.removesuffix("_")
            if key in value:
                shape(value[key], f"{place}.{key}".lstrip("."))
            elif not name.endswith("_"):
                _fail(f"{place}.{key}".lstrip("."), "a value", _MISSING)

    return check


def _each(shape: Shape, *, at_least: int = 0) -> Shape:
    def check(value: Any, place: str) -> None:
        _is("a list", list)(value, place)
        if len(value) < at_least:
            _fail(place, f"at least {at_least}", value)
        for k, part in enumerate(value):
            shape(part, f"{place}[{k}]")

    return check


def _named(shape: Shape) -> Shape:
    def check(value: Any, place: str) -> None:
        _is("an object", dict)(value, place)
        for name, part in value.items():
            shape(part, f"{place}.{name}")

    return check


def _or_null(shape: Shape) -> Shape:
    return lambda value, place: None if value is None else shape(value, place)


def _one_of(*allowed: Any) -> Shape:
    def check(value: Any, place: str) -> None:
        if value not in allowed:
            _fail(place, f"one of {', '.join(map(str, allowed))}", value)

    return check


TEXT, FLAG_OR_TEXT = _is("a text", str), _is("a text", str, null=True)
NUMBER, COUNT = _is("a number", int, float), _is("a whole number", int)
ANY_VALUE = _is("a number, a text or null", int, float, str, null=True)
ANY_VALUE_OR_FLAG = _is("a number, a text, true, false or null", int, float, str, bool, null=True)
MAYBE_NUMBER, MAYBE_COUNT = (
    _is("a number or null", int, float, null=True),
    _is("a whole number or null", int, null=True),
)

MEASURE = _fields(
    value=ANY_VALUE, low_=ANY_VALUE, high_=ANY_VALUE, chance_=MAYBE_NUMBER, exposed_=MAYBE_NUMBER, reach_=MAYBE_NUMBER,
    label_=FLAG_OR_TEXT, unit_=FLAG_OR_TEXT, reason_=FLAG_OR_TEXT, private_end_=_one_of("low", "high"),
)  # fmt: skip
SURE_NUMBER = _fields(value=NUMBER, low_=MAYBE_NUMBER, high_=MAYBE_NUMBER)
FINDING = _fields(code=TEXT, severity=_one_of(*SEVERITIES), message=TEXT)
COUNTS = _fields(target=COUNT, nontarget=COUNT, speakers_=MAYBE_COUNT)
INTERVALS = _fields(unit=TEXT, units=COUNT, resamples=COUNT, level=NUMBER)
INPUT = _fields(path=TEXT, sha256=TEXT)
GROUP = _fields(counts_=_fields(target_=COUNT, nontarget_=COUNT), measures_=_named(MEASURE), reason_=FLAG_OR_TEXT)
CURVE = _named(_each(MAYBE_NUMBER))
DIFFERENCE = _fields(
    difference=NUMBER, low=NUMBER, high=NUMBER, p_value=NUMBER, more_private=_one_of(0, 1, 2), unit_=TEXT,
    resamples_=COUNT,
)  # fmt: skip
VOICES = _fields(
    listeners=_each(_fields(attacker=TEXT, encoder=TEXT, backend=TEXT, sex=TEXT, eer=MAYBE_NUMBER, category=FLAG_OR_TEXT)),
    ranks=_named(_fields(id_rate=NUMBER, templates=COUNT, mean_disclosure=NUMBER, max_disclosure=NUMBER)),
    similarity=_named(_is("an object", dict)), encoder=TEXT, utility_=_named(_is("an object", dict)),
)  # fmt: skip
SAMPLE = _fields(speaker=TEXT, text_=TEXT, before=TEXT, after=TEXT)
PLAIN_MEASURE = _fields(value=MAYBE_NUMBER, low=MAYBE_NUMBER, high=MAYBE_NUMBER, unit_=TEXT, reason_=TEXT)


def _measures(value: Any, place: str) -> None:
    _named(MEASURE)(value, place)
    _fields(eer=SURE_NUMBER, d_ece=SURE_NUMBER)(value, place)
    for name, measure in value.items():
        if name != "category":
            _fields(value=MAYBE_NUMBER, low_=MAYBE_NUMBER, high_=MAYBE_NUMBER)(measure, f"{place}.{name}")


def _assessment(value: Any, place: str) -> None:
    _fields(
        kind=_one_of("assessment"), name=TEXT, attacker_=TEXT, measures=_measures, counts=COUNTS,
        inputs=_each(INPUT), warnings_=_each(FINDING), notes_=_each(TEXT), intervals_=_or_null(INTERVALS),
        groups_=_named(_named(GROUP)), category_counts_=_named(COUNT), eer_by_tool_=_named(MAYBE_NUMBER),
        curves_=_named(CURVE), labels_=_named(TEXT), versions_=_named(TEXT), original_=_or_null(_assessment),
        trial_digest_=TEXT,
    )(value, place)  # fmt: skip


def _evaluation(value: Any, place: str) -> None:
    _fields(
        name=TEXT, attackers=_each(_assessment, at_least=1), original=_or_null(_assessment), strongest_=TEXT,
        description_=TEXT, warnings_=_each(FINDING), notes_=_each(TEXT), versions_=_named(TEXT),
        voices_=VOICES, listen_=_each(SAMPLE),
    )(value, place)  # fmt: skip


def _comparison(value: Any, place: str) -> None:
    _fields(
        results=_each(_any_kind, at_least=1), differences_=_named(_named(DIFFERENCE)), warnings_=_each(FINDING),
        notes_=_each(TEXT), versions_=_named(TEXT),
    )(value, place)  # fmt: skip


RANK_MEASURES = ("mean_disclosure", "id_rate", "max_disclosure", "std_disclosure", "spread")
FEATURE = _fields(
    name=TEXT, n=COUNT, probes=COUNT, speakers=COUNT, chance=_named(NUMBER),
    measures=_fields(**dict.fromkeys(RANK_MEASURES, SURE_NUMBER)),
    model=_fields(mean_disclosure=NUMBER, id_rate=NUMBER, max_disclosure=NUMBER, std_disclosure=NUMBER, spread=NUMBER),
    fits=_named(_named(ANY_VALUE_OR_FLAG)), anonymity=_fields(within=_fields(**{"0.5": COUNT})), eer=MAYBE_NUMBER,
    per_speaker=_or_null(_fields(max=NUMBER, most_exposed=_each(_fields(speaker=TEXT, bits=NUMBER)))),
    curves=_fields(rank=_each(NUMBER), probability=_each(NUMBER), models=_named(_each(NUMBER)), cmc=_each(NUMBER)),
    warnings=_each(FINDING),
)  # fmt: skip
RANK = _fields(
    name=TEXT, features=_each(FEATURE, at_least=1), sum=_or_null(_is("an object", dict)),
    stream=_or_null(_is("an object", dict)), notes=_each(TEXT), seed=COUNT, versions=_named(TEXT), inputs=_each(INPUT),
)  # fmt: skip
RATE = _fields(name=TEXT, rate=NUMBER, low=NUMBER, high=NUMBER, chance=NUMBER, speakers=COUNT, utterances=COUNT)
ATTACK = _fields(
    name=TEXT, attacks=_each(_fields(name=TEXT, knows=TEXT, measures=_named(PLAIN_MEASURE), chosen=_named(NUMBER),
                                     notes=_each(TEXT)), at_least=1),
    chance=_named(_fields(mean=NUMBER, deviation=NUMBER)), pairs_curve=_each(_named(NUMBER)),
    identification=_fields(attack=TEXT, rates=_each(RATE)), conclusions=_fields(unlinkability=TEXT, non_invertibility=TEXT),
    counts=_fields(training=COUNT, judged=COUNT, speakers=COUNT), pca_dimensions=MAYBE_COUNT, inputs=_each(INPUT),
)  # fmt: skip
GROUP_OF_VOICES = _fields(
    name=TEXT, speakers=COUNT,
    measures=_fields(de_identification=PLAIN_MEASURE, gain_of_voice_distinctiveness=PLAIN_MEASURE),
)  # fmt: skip
SIMILARITY = _fields(
    name=TEXT, groups=_each(GROUP_OF_VOICES, at_least=1), speakers=_each(TEXT), matrices=_named(_each(_each(NUMBER))),
    inputs=_each(INPUT),
)  # fmt: skip
VECTORS = _fields(
    name=TEXT, strongest=TEXT, measures=_fields(d_ece=SURE_NUMBER, cllr_min=SURE_NUMBER, log10_lr=MEASURE, category=MEASURE),
    category_counts=_named(COUNT), classifiers=_each(_fields(classifier=TEXT, about=TEXT, train=_named(NUMBER))),
    chance=_fields(d_ece_mean=NUMBER, d_ece_high=NUMBER), mutual_information=_fields(mean=NUMBER, max=NUMBER, chance_=NUMBER),
    verification=_named(_fields(eer=SURE_NUMBER, cllr_min=SURE_NUMBER)),
)  # fmt: skip
ATTRIBUTE = _fields(
    name=TEXT, classes=_each(TEXT, at_least=2), speakers=_named(COUNT), folds=COUNT, trained_on=TEXT, protected=VECTORS,
    original=_or_null(VECTORS), warnings=_each(TEXT), seed=COUNT, figures_=_named(_is("a list", list)),
    method_=TEXT, map_method_=TEXT,
    llr_=_fields(cllr=NUMBER, cllr_min=NUMBER, loss=NUMBER, means=_each(NUMBER), variances=_each(NUMBER)),
)  # fmt: skip
LINE = _fields(table=TEXT, what=TEXT, published=ANY_VALUE_OR_FLAG, ours=ANY_VALUE_OR_FLAG, agrees_=ANY_VALUE_OR_FLAG)
REPRODUCTION = _fields(lines=_each(LINE))
CRITERION = _fields(
    criterion=_one_of("singling out", "linkability", "inference"), answer=_one_of("possible", "unclear", "not shown"),
    ground=TEXT, source=TEXT,
)  # fmt: skip


def _summary(value: Any, place: str) -> None:
    _fields(
        name=TEXT, result=_judged, criteria=_each(CRITERION),
        joined=_each(_fields(kind=_one_of("attack", "rank", "attribute"), name=TEXT)), inputs=_each(INPUT),
    )(value, place)  # fmt: skip


def _judged(value: Any, place: str) -> None:
    _fields(kind=_one_of("assessment", "evaluation"))(value, place)
    _KINDS[value["kind"]](value, place)


def _any_kind(value: Any, place: str) -> None:
    _fields(kind=_one_of("assessment", "evaluation", "comparison"))(value, place)
    _KINDS[value["kind"]](value, place)


_KINDS: dict[str, Shape] = {
    "assessment": _assessment, "evaluation": _evaluation, "comparison": _comparison, "rank": RANK, "attack": ATTACK,
    "similarity": SIMILARITY, "attribute": ATTRIBUTE, "reproduction": REPRODUCTION, "summary": _summary,
}  # fmt: skip
