"""What several commands ask for, spelled once; nonsense is refused while the call is read, before any file is."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import click

from stripeless.cli.shared.command import old_spelling
from stripeless.cli.shared.show import Output

F = TypeVar("F", bound=Callable[..., Any])

FILE = click.Path()
FEWEST_RESAMPLES = 100  # as assess refuses fewer: an interval would be luck


class Resamples(click.ParamType):  # type: ignore[type-arg]
    """0 for none, or enough for an interval."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        count = int(click.INT.convert(value, param, ctx))
        if count != 0 and count < FEWEST_RESAMPLES:
            self.fail(f"expected 0 for no intervals, or at least {FEWEST_RESAMPLES}, got {count}.", param, ctx)
        return count


class Pair(click.ParamType):  # type: ignore[type-arg]
    """NAME=VALUE; the text stays as it is."""

    name = "text"

    def __init__(self, form: str, example: str) -> None:
        self.form, self.example = form, example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name, equals, content = str(value).partition("=")
        if not equals or not name.strip() or not content.strip():
            self.fail(f"expected {self.form}, such as {self.example}, got {value!r}.", param, ctx)
        return str(value)


class Lengths(click.ParamType):  # type: ignore[type-arg]
    """1,2,4: whole numbers from 1."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            numbers = tuple(int(part) for part in str(value).split(","))
        except ValueError:
            numbers = ()
        if not numbers or min(numbers) < 1:
            self.fail(f"expected whole numbers from 1, such as 1,2,4, got {value!r}.", param, ctx)
        return numbers


RESAMPLES = Resamples()
SETTING = Pair("NAME=VALUE", "alpha=0.7")
LENGTHS = Lengths()


def add_options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """These options, listed by --help in this order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def margin_option(function: F) -> F:
    """--margin, for every command that ends in a verdict."""
    return click.option(
        "--margin",
        type=click.FloatRange(30, 45),
        metavar="EER",
        help='EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen". Default: 40; 35 below 20 people.',
    )(function)


def seed_option(function: F) -> F:
    """--seed, the same for everything random."""
    text = "Seed of everything random; same seed, same bytes."
    return click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help=text)(function)


def json_option(what: str = "the result") -> Callable[[F], F]:
    """--json."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print {what} as JSON, alone, on standard output.")


def html_option(text: str = "Write a report in one file, readable offline.") -> Callable[[F], F]:
    """--html FILE."""
    return click.option("--html", type=click.Path(dir_okay=False), help=text)


def output_options(function: F) -> F:
    """--figures DIR, --figure-format, --json, --html FILE and --seed; the command gets the first four as `output`."""

    @wraps(function)
    def told(*, as_json: bool, html: str | None, figures: str | None, figure_format: str, **asked: Any) -> Any:
        return function(output=Output(as_json, html, figures, figure_format), **asked)

    return add_options(
        click.option(
            "--figures",
            type=click.Path(file_okay=False),
            help="Write every figure into this folder, and its data (CSV).",
        ),
        click.option(
            "--figure-format",
            type=click.Choice(["png", "svg", "pdf"]),
            default="png",
            show_default=True,
            help="Format of the figures.",
        ),
        json_option(),
        html_option(),
        seed_option,
    )(cast(F, told))


def resamples_option(default: int | None, text: str = "Resamples behind the 95 % intervals.") -> Callable[[F], F]:
    """--resamples: 0, or 100 and more."""
    text = f"{text} 0 for none, else at least {FEWEST_RESAMPLES}."
    return click.option("--resamples", type=RESAMPLES, default=default, show_default=default is not None, help=text)


def workers_option(text: str, *old: str, most: int | None = None) -> Callable[[F], F]:
    """--workers, and how it was called before."""
    kind = click.IntRange(0, most)
    return add_options(
        click.option("--workers", type=kind, help=text), *(old_spelling(o, "--workers", kind) for o in old)
    )


def corpus_options(function: F) -> F:
    """--workers, --on-error and --allow-pipes, for commands that work on recordings."""
    return add_options(
        workers_option("Recordings worked on at a time. Default, and 0: one per core.", "--jobs"),
        click.option(
            "--on-error",
            type=click.Choice(["stop", "skip"]),
            default="stop",
            show_default=True,
            help="What a recording that cannot be read does: stop the run, or be named and left out.",
        ),
        click.option(
            "--allow-pipes", is_flag=True, help="Run the commands in wav.scp. Only for lists from people you trust."
        ),
    )(function)


def state_option(function: F) -> F:
    """--state DIR, for commands that write recordings and go on where they stopped."""
    return click.option(
        "--state",
        type=click.Path(file_okay=False),
        metavar="DIR",
        help="Where to note which recordings are done, never in the folder that is handed over. Default: your state folder.",
    )(function)


def cache_option(function: F) -> F:
    """--cache FOLDER, for commands that embed recordings."""
    text = "Folder of the cache. Default: the user's cache folder."
    return click.option("--cache", type=click.Path(file_okay=False), help=text)(function)


def epochs_option(when: str) -> Callable[[F], F]:
    """--epochs, for commands that train a network where `when` is given."""
    text = f"With {when}: how often it goes over the recordings."
    return click.option("--epochs", type=click.IntRange(min=1), default=40, show_default=True, help=text)


def trust_weights_option(function: F) -> F:
    """--trust-weights, for commands that load networks by name."""
    return click.option(
        "--trust-weights",
        is_flag=True,
        help="Take weights of a known name (campplus, ge2e, DNSMOS, pocketsphinx) that are not those on record; the result says "
        "so.",
    )(function)


def set_option(text: str) -> Callable[[F], F]:
    """--set NAME=VALUE, as often as there are settings."""
    return click.option("--set", "pairs", type=SETTING, multiple=True, metavar="NAME=VALUE", help=text)
