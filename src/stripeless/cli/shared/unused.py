"""Options that would change nothing in a call: named and refused, before anything is read.

Somebody who gives an option expects something of it. What is only about how the work is done (--seed, --workers, --resamples) may
always be given, so that scripts can give it to all commands alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.core import ParameterSource

Call: TypeAlias = Mapping[str, Any]

_PSEUDO = ("pool", "pool_utt2spk", "pairs", "role")
_HIDING = ("labels", "bins", "fit_on", "fit_utt2spk", "pca", "directions", "epochs", "paper", "protected", "judge", "classifier",
           "folds", "device", "margin")  # fmt: skip
_EVALUATING = ("anonymizer", "pairs", "anonymized", "out", "training", "retrain", "encoders", "asr", "transcripts", "speakers",
               "asr_limit", "allow_missing", "no_utility", "margin", "cache", "embed_audio", "no_audio", "state", "trust_weights",
               "figures", "as_json", "html", "on_error", "allow_pipes")  # fmt: skip
# what each way to hide an attribute has no setting for
_LACKS = {
    "flow": ("directions",),
    "lda": ("pca", "directions", "epochs", "paper", "device"),
    "oblique": ("pca", "directions", "epochs", "paper", "device"),
    "moments": ("epochs", "paper", "device"),
    "adversarial": ("pca", "directions", "paper"),
}


@dataclass(frozen=True)
class Rule:
    """Parameters that mean nothing in some calls, which these are, and how that is said: "without --figures"."""

    unused: tuple[str, ...]
    when: Callable[[Call], bool]
    why: str


def _one_sound_file(call: Call) -> bool:
    from stripeless.audio.recordings import SOUND_FILES

    return Path(call["source"]).suffix.lower() in SOUND_FILES


def _no_scores(call: Call) -> bool:
    """Are all of these results, or folders of results?"""
    return all(Path(path).is_dir() or Path(path).suffix == ".json" for path in call["results"])


def _has_folder(call: Call) -> bool:
    return any(Path(path).is_dir() for path in call["results"])


def _hides(call: Call) -> bool:
    return call["method"] in _LACKS


def _fits(call: Call) -> bool:
    return _hides(call) and call["model"] is None and call["protected"] is None


def _lacks(method: str) -> Rule:
    return Rule(_LACKS[method], lambda call: _fits(call) and call["method"] == method, f"with --method {method}")


RULES: dict[str, tuple[Rule, ...]] = {
    "anonymize": (
        Rule(("suffix",), _one_sound_file, "for one sound file, whose name gives the format"),
        Rule(("on_error", "allow_pipes", "state"), _one_sound_file, "for one sound file"),
    ),
    "embed": (
        Rule(("encoder", "cache", "no_cache", "on_error", "trust_weights"), lambda call: call["train"], "with --train"),
        Rule(("epochs",), lambda call: not call["train"], "without --train"),
        Rule(("cache",), lambda call: call["no_cache"], "with --no-cache"),
    ),
    "evaluate": (
        Rule(_EVALUATING, lambda call: call["template"] is not None, "with --template, which writes an example and stops"),
        Rule(("epochs",), lambda call: call["retrain"] != "network", "without --retrain network"),
        Rule(("pairs", "state"), lambda call: not call["anonymizer"], "without --anonymizer"),
        Rule(("state",), lambda call: not call["out"], "without --out"),
        Rule(("asr", "asr_limit", "transcripts"), lambda call: call["no_utility"], "with --no-utility"),
        Rule(("no_audio",), lambda call: not (call["html"] or call["out"]), "without a report, --html or --out"),
        Rule(("embed_audio",), lambda call: not (call["as_json"] or call["out"]), "without --json or --out"),
    ),
    "protect": (
        Rule(_PSEUDO, _hides, "with a method that hides an attribute"),
        Rule(_HIDING, lambda call: not _hides(call), "with a method that makes pseudo-speakers"),
        *map(_lacks, _LACKS),
        Rule(("fit_utt2spk",), lambda call: _hides(call) and call["fit_on"] is None, "without --fit-on"),
        Rule(("method", "pca", "directions", "epochs", "paper", "device"),
             lambda call: _hides(call) and call["model"] is not None, "with --model, which was fitted before"),
        Rule(("method", "pca", "directions", "epochs", "paper", "device", "save"),
             lambda call: call["protected"] is not None, "with --protected, which something else made"),
        Rule(("classifier", "folds", "margin", "html", "figures"), lambda call: not call["judge"], "with --no-judge"),
    ),
    "assess": (Rule(("allow_missing",), lambda call: not (call["trials"] or call["on_disk"]), "without --trials"),),
    "compare": (
        Rule(("trials", "utt2spk", "spk2gender", "allow_missing"), _no_scores, "without a score file"),
        Rule(("allow_missing",), lambda call: not call["trials"], "without --trials"),
        Rule(("measure", "utility"),
             lambda call: not (call["among"] or call["rank"] or call["tables"] or _has_folder(call)),
             "without --rank, --among, --table or a folder"),
    ),
    "rank": (
        Rule(("template_utt2spk", "allow_missing"), lambda call: call["templates"] is None, "without TEMPLATES"),
        Rule(("pieces",), lambda call: not call["features"], "without --feature"),
        Rule(("utt2spk", "template_utt2spk", "allow_missing"), lambda call: bool(call["features"]), "with --feature"),
    ),
    "demo": (Rule(("strength", "speakers"), lambda call: call["voices"], "with --voices"),),
    "reproduce": (
        Rule(("as_json", "html"), lambda call: call["table"] is None and call["data"] is None, "without TABLE or --data"),
    ),
}  # fmt: skip
FOR_ALL = (Rule(("figure_format",), lambda call: not call["figures"], "without --figures"),)


def refuse_unused(context: click.Context) -> None:
    """Refuse what was given on the command line and would change nothing."""
    for rule in (*FOR_ALL, *RULES.get(str(context.command.name), ())):
        given = [name for name in rule.unused if _was_given(context, name)]
        if given and rule.when(context.params):
            spelled = ", ".join(_spelled(context, name) for name in given)
            raise click.UsageError(f"{spelled}: changes nothing {rule.why}; leave it out.")


def _was_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def _spelled(context: click.Context, name: str) -> str:
    """The option as people write it."""
    option = next(param for param in context.command.params if param.name == name)
    return (option.secondary_opts or option.opts)[0] if context.params[name] is False else option.opts[0]
