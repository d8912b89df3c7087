"""The anonymizers by name: what each changes, where it comes from, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from stripeless._extras import need
from stripeless.anonymizers.anonymizer import Anonymizer
from stripeless.anonymizers.formants import Formants
from stripeless.anonymizers.mcadams import McAdams
from stripeless.anonymizers.pole_radius import PoleRadius
from stripeless.anonymizers.world_shift import WorldShift
from stripeless.anonymizers.xvector_systems import SYSTEMS
from stripeless.errors import InputError, check_choice

UNDRAWN = ("a1", "a2", "s1c1", "s2c1", "m1c2")  # nothing is drawn: per utterance would only be another map
ATTACKERS_SEED = 7_919_000  # added to the user's: any other number would do


@dataclass(frozen=True)
class AnonymizerInfo:
    """A row of the table of anonymizers."""

    name: str
    system: str
    changes: str
    source: str
    make: Callable[..., Anonymizer]

    @property
    def options(self) -> tuple[str, ...]:
        """Names of what can be set, beside the seed."""
        kind: Any = self.make
        if isinstance(kind, Rebuilt):
            return kind.options
        return tuple(f.name for f in fields(kind) if f.name not in ("seed", "profiles"))


@dataclass(frozen=True)
class Rebuilt:
    """Makes a system of the x-vector family; networks and pool are imported and read only then."""

    system: str

    @property
    def options(self) -> tuple[str, ...]:
        """Those of the family, and those of the system's pseudo-speakers."""
        from stripeless.protections.pseudo.catalog import PSEUDO_SPEAKERS

        plan = SYSTEMS[self.system]
        own = tuple(n for n in PSEUDO_SPEAKERS[plan.pseudo].options if n != "per") if plan.pseudo else ()
        return ("content", "pitch", "tempo", "level", "pool", "per", *own)

    def __call__(self, *, seed: int = 0, **options: Any) -> Anonymizer:
        from stripeless.anonymizers.xvector import RebuiltVoice

        family = {
            name: options.pop(name) for name in ("content", "pitch", "tempo", "level", "pool", "per") if name in options
        }
        return RebuiltVoice(self.system, seed=seed, pseudo_options=options, **family)


ANONYMIZERS: dict[str, AnonymizerInfo] = {
    info.name: info
    for info in (
        AnonymizerInfo("mcadams", "B2", "formant frequencies (poles turn)", "Patino et al. 2021, VoicePrivacy 2020 baseline",
                       McAdams),
        AnonymizerInfo("pole-radius", "D1", "formant frequencies and bandwidths (poles turn and shrink)", "Gupta et al. 2020",
                       PoleRadius),
        AnonymizerInfo("formants", "I1", "vocal tract, each formant, pitch, speaking rate", "Dubagunta et al. 2020", Formants),
        AnonymizerInfo("world", "", "pitch and spectral envelope (WORLD vocoder)", "Morise et al. 2016", WorldShift),
        *(AnonymizerInfo(name, plan.system, plan.changes, plan.source, Rebuilt(name)) for name, plan in SYSTEMS.items()),
    )
}  # fmt: skip


def make_anonymizer(name: str, options: Mapping[str, Any] | None = None, *, seed: int = 0) -> Anonymizer:
    """The anonymizer called `name`.

    >>> make_anonymizer("mcadams", {"alpha": 0.7}).settings()["alpha"]
    0.7
    """
    check_choice("anonymizer", name, ANONYMIZERS)
    info = ANONYMIZERS[name]
    for option in options or {}:
        if option not in info.options:
            raise InputError(f"{name} has no option {option!r}; it has {', '.join(info.options)}")
    if name == "world":
        need("pyworld", "world", "The WORLD shift")  # now, not after the recordings have been read
    return info.make(seed=seed, **(options or {}))


def attackers_copy(name: str, options: Mapping[str, Any] | None = None, *, seed: int = 0) -> Anonymizer:
    """The anonymizer in the hands of an attacker who retrains on what it makes: everything is known but the secret seed.

    Where a voice is drawn per speaker the attacker draws one per utterance: so that what the training speakers have in
    common before and after is the person, not the voice they were given.
    """
    own = dict(options or {})
    if name in ANONYMIZERS and "per" in ANONYMIZERS[name].options and name not in UNDRAWN:
        own["per"] = "utterance"
    return make_anonymizer(name, own, seed=seed + ATTACKERS_SEED)


def parse_options(pairs: tuple[str, ...]) -> dict[str, Any]:
    """`alpha=0.7`, `alphas=0.5,0.9`, `per=utterance`, `alpha=none` from the command line.

    >>> parse_options(("alphas=0.5,0.9", "per=speaker", "alpha=none"))
    {'alphas': (0.5, 0.9), 'per': 'speaker', 'alpha': None}
    """
    return dict(parse_option(pair) for pair in pairs)


def parse_option(pair: str) -> tuple[str, Any]:
    """One NAME=VALUE."""
    name, separator, text = pair.partition("=")
    if not separator or not name:
        raise InputError(f"option: expected NAME=VALUE such as alpha=0.7, got {pair!r}")
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return name, words[text.lower()]
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        return name, text
    return name, values if len(values) > 1 else values[0]
