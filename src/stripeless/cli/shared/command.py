"""The kind of command that all are: with --verbose, --quiet and --log, and with old spellings of options."""

from __future__ import annotations

from typing import Any

import click

from stripeless.cli.shared.messages import note_crash, note_error, speaking, warn
from stripeless.cli.shared.unused import refuse_unused
from stripeless.cli.shared.wording import in_options
from stripeless.errors import FileError, StripelessError

TALK = ("verbose", "quiet", "log")


def talk_options() -> list[click.Option]:
    """How much is said, and where."""
    return [
        click.Option(["--verbose"], is_flag=True, help="Say more: stages, files read, seconds."),
        click.Option(["--quiet"], is_flag=True, help="Say nothing but errors."),
        click.Option(
            ["--log"],
            type=click.Path(dir_okay=False),
            metavar="FILE",
            help="Add everything that is said, with the time, to this file.",
        ),
    ]


class OldSpelling(click.Option):
    """An option that has a better name now: it works, --help does not list it, and a warning names the new one."""

    def __init__(self, *names: Any, new: str, **more: Any) -> None:
        super().__init__(*names, **{**more, "hidden": True})
        self.new = new


def old_spelling(name: str, new: str, kind: click.ParamType[Any]) -> Any:
    """A decorator: `name` still means `new`."""
    return click.option(name, f"old_{name.strip('-')}", cls=OldSpelling, new=new, type=kind)


class Command(click.Command):
    """A command of ours."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.params += talk_options()

    def invoke(self, ctx: click.Context) -> Any:
        """Set up what is said where, then run."""
        talk = talk_of(ctx)
        if talk["quiet"] and talk["verbose"]:
            raise click.UsageError("--quiet and --verbose exclude each other.")
        refuse_as_log(talk["log"], ctx)
        with speaking(**talk):
            try:
                self.take_old_spellings(ctx)
                refuse_unused(ctx)
                return super().invoke(ctx)
            except (StripelessError, click.ClickException) as error:
                if isinstance(error, StripelessError):
                    self.say_in_options(error)
                note_error(error.format_message() if isinstance(error, click.ClickException) else str(error))
                raise
            except (click.exceptions.Exit, click.Abort, BrokenPipeError):
                raise
            except Exception:
                note_crash()
                raise

    def say_in_options(self, error: StripelessError) -> None:
        """The message names what was given by its option; what Python calls it helps nobody here."""
        flags = {flag for one in self.params if isinstance(one, click.Option) for flag in one.opts}
        names = {flag.removeprefix("--").replace("-", "_") for flag in flags if flag.startswith("--")}
        error.args = (in_options(str(error), names, begins_with_path=isinstance(error, FileError)),)

    def take_old_spellings(self, ctx: click.Context) -> None:
        """What was given under an old name becomes the value of the new one."""
        for option in self.params:
            if not isinstance(option, OldSpelling) or option.name is None:
                continue
            value = ctx.params.pop(option.name, None)
            if value is None:
                continue
            new = option.new.strip("-").replace("-", "_")
            if ctx.params[new] is not None:
                raise click.UsageError(f"{option.opts[0]} is the old name of {option.new}: give one of them.")
            warn(f"{option.opts[0]} is now called {option.new}; the old name will go with version 0.4.")
            ctx.params[new] = value


def talk_of(ctx: click.Context) -> dict[str, Any]:
    """--verbose, --quiet and --log, given after the name of the command or before it; the command itself gets none."""
    before = ctx.find_root().params if ctx.parent else {}
    return {name: ctx.params.pop(name, None) or before.get(name) or (None if name == "log" else False) for name in TALK}


def refuse_as_log(path: str | None, ctx: click.Context) -> None:
    """A log must not be written into a file that the call reads or writes."""
    from stripeless.cli.shared.checks import same_file

    if path is not None and same_file(path, ctx.params.values()):
        raise FileError(path, "is named twice in this call, once as the log; choose another name")
