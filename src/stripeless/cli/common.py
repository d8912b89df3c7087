"""What every command shares: options, where output goes, how errors end."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from stripeless._files import check_writable
from stripeless._files import write_whole as write_whole
from stripeless.errors import FileError, StripelessError

F = TypeVar("F", bound=Callable[..., Any])


def run(group: click.Group) -> None:
    """Run the command line; errors of the data are one sentence on standard error, never a traceback."""
    try:
        group.main(standalone_mode=False)
    except click.exceptions.Exit as exit_:
        sys.exit(exit_.exit_code)
    except click.Abort:
        sys.exit("Interrupted; nothing was left half-written.")
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except StripelessError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def output_options(function: F) -> F:
    """--json, --html FILE and --seed, the same for every command that computes."""
    for option in (
        click.option(
            "--seed",
            type=click.IntRange(min=0),
            default=0,
            show_default=True,
            help="Seed of everything random; same seed, same bytes.",
        ),
        click.option("--html", type=click.Path(dir_okay=False), help="Write a report in one file, readable offline."),
        click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, alone, on standard output."),
    ):
        function = option(function)
    return function


def echo_json(result: dict[str, Any]) -> None:
    """The result, alone, on standard output."""
    click.echo(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))


def say(message: str) -> None:
    """A message or progress: standard error, so that standard output holds the result alone."""
    click.echo(message, err=True)


def check_outputs(*files: str | None, folders: tuple[str | None, ...] = ()) -> None:
    """Refuse before anything is read or written where one of the destinations cannot be written, or is an input."""
    for file in filter(None, files):
        check_writable(file)
        if _named_in_this_call(file) > 1:
            raise FileError(file, "is named twice in this call, once as a place to write to; choose another name")
    for folder in filter(None, folders):
        check_writable(folder, folder=True)


def _named_in_this_call(path: str) -> int:
    """How many arguments and options of the running command name this file."""
    context = click.get_current_context(silent=True)
    values = [] if context is None else list(context.params.values())
    flat = [v for value in values for v in (value if isinstance(value, tuple) else (value,))]
    return sum(isinstance(v, str) and os.path.realpath(v) == os.path.realpath(path) for v in flat)
