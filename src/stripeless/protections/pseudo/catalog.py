"""The systems of pseudo-speakers by name: the idea of each, where it comes from, and how it is made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from stripeless.errors import InputError, check_choice
from stripeless.protections.pseudo.pool import Pool
from stripeless.protections.pseudo.system import PseudoSpeakers

COMMON = ("per", "roles")


@dataclass(frozen=True)
class PseudoInfo:
    """A row of the table of systems. `home` is the module and function that makes it, imported when it is first used."""

    name: str
    system: str
    idea: str
    source: str
    home: tuple[str, str]
    also: tuple[str, ...] = ()

    @property
    def make(self) -> Callable[..., PseudoSpeakers]:
        """The function that learns from a pool."""
        made: Callable[..., PseudoSpeakers] = getattr(
            import_module(f"stripeless.protections.pseudo.{self.home[0]}"), self.home[1]
        )
        return made

    @property
    def options(self) -> tuple[str, ...]:
        """Names of what can be set, beside the seed."""
        own = (p.name for p in inspect.signature(self.make).parameters.values() if p.kind == p.KEYWORD_ONLY)
        return (*(name for name in own if name != "seed"), *self.also, *COMMON)


_TRAINING = ("code", "speaker_weight", "sex_weight", "epochs", "batch", "learning_rate", "training_seed")
_SEARCHED = ("sex_weight", "epochs", "batch", "learning_rate", "training_seed")
_B1 = ("farthest", "draw", "affinity", "cross_sex")
_MAWALIM, _TURNER, _ESPINOZA = "Mawalim et al. 2020", "Turner et al. 2020", "Espinoza-Cuadros et al. 2020"

PSEUDO_SPEAKERS: dict[str, PseudoInfo] = {
    name: PseudoInfo(name, *row)  # type: ignore[arg-type]
    for name, row in {
        "b1": ("B1", "mean of 100 drawn from the 200 people least like the speaker", "Srivastava et al. 2020",
               ("farthest", "fit_farthest")),
        "a1": ("A1", "regressions onto the least similar cluster of people", _MAWALIM, ("regression", "fit_regression")),
        "a2": ("A2", "small singular values of unlike people cut off", _MAWALIM, ("singular", "fit_singular")),
        "k2": ("K2", "one person of the pool, likelier the more alike: epsilon", "Han et al. 2020",
               ("indistinguishable", "fit_indistinguishable")),
        "o1": ("O1", "drawn from the distribution of speakers", _TURNER, ("sampled", "fit_sampled")),
        "o1c1": ("O1c1", "the same, drawn until unlike the speaker", _TURNER, ("sampled", "fit_sampled_unlike")),
        "s1c1": ("S1c1", "auto-encoder against recognizers of speaker and sex", _ESPINOZA,
                 ("train_autoencoder", "fit_autoencoded"), _TRAINING),
        "s2c1": ("S2c1", "the same with searched settings", _ESPINOZA,
                 ("train_autoencoder", "fit_autoencoded_tuned"), _SEARCHED),
        "s1": ("S1", "S1c1 on top of B1", _ESPINOZA,
               ("train_autoencoder", "fit_farthest_autoencoded"), (*_TRAINING, *_B1)),
        "s2": ("S2", "S2c1 on top of B1", _ESPINOZA,
               ("train_autoencoder", "fit_farthest_autoencoded_tuned"), (*_SEARCHED, *_B1)),
        "apart": ("", "drawn without looking at the speaker, and kept away from each other", "this project",
                  ("apart", "fit_apart")),
    }.items()
}  # fmt: skip


def make_pseudo_speakers(
    name: str, pool: Pool, options: Mapping[str, Any] | None = None, *, seed: int = 0
) -> PseudoSpeakers:
    """A system of pseudo-speakers, having learned from its pool.

    Parameters:
        name: one of the systems in the reference of pseudo-speakers, such as "b1" or "apart".
        pool: the people from whom it learns and draws.
        options: settings of that system by their names; what is left out keeps its default.
        seed: the secret behind every draw: who knows it can repeat the pseudo-speakers.
    Returns:
        A system: `apply(embeddings)` gives every speaker a pseudo-speaker, `pseudo(vector, ...)` one vector.

    >>> import numpy as np
    >>> pool = Pool(np.random.default_rng(0).normal(size=(8, 4)), tuple("abcdefgh"), ("f", "m") * 4)
    >>> system = make_pseudo_speakers("b1", pool, {"farthest": 2, "draw": 1, "affinity": "cosine"}, seed=7)
    >>> system.pseudo([1.0, 0.0, 0.0, 0.0], speaker="x", sex="f").shape
    (4,)
    """
    check_choice("pseudo-speakers", name, PSEUDO_SPEAKERS)
    info = PSEUDO_SPEAKERS[name]
    for option in options or {}:
        if option not in info.options:
            raise InputError(f"{name} has no option {option!r}; it has {', '.join(info.options)}")
    return info.make(pool, seed=seed, **(options or {}))
