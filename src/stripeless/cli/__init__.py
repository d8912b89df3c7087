"""A door: the command line. Each command lives in its own file and is imported only when it is called.

Belongs here: parsing, calling a study, showing its result.
Not here: splitting, pairing, judging, or anything else that somebody would want from Python (`studies`).
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from stripeless.cli.shared.command import talk_options

# name -> (module, one line for --help); the module holds a click command called `command`
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("stripeless.cli.demo", "The main job on a simulated corpus, a report at the end."),
    "assess": ("stripeless.cli.assess", "A score file -> what an attacker learns from it."),
    "anonymize": ("stripeless.cli.anonymize", "Recordings -> recordings in which the voices are hidden."),
    "embed": ("stripeless.cli.embed", "Recordings -> one vector per utterance."),
    "evaluate": ("stripeless.cli.evaluate", "Recordings before and after -> what every attacker learns."),
    "protect": ("stripeless.cli.protect", "Hide an attribute in embeddings, and prove that it is gone."),
    "compare": ("stripeless.cli.compare", "Several results or score files side by side."),
    "attack": ("stripeless.cli.attack", "Embeddings -> can the anonymization be undone, with pairs or without?"),
    "similarity": ("stripeless.cli.similarity", "Embeddings -> who sounds like whom, before and after."),
    "rank": ("stripeless.cli.rank", "Embeddings -> how many bits the rank of the true speaker gives away."),
    "listen": ("stripeless.cli.listen", "A listening test -> who hears what, and which differences are real."),
    "summary": ("stripeless.cli.summary", "Results of one system -> one sheet for a data-protection review."),
    "serve": ("stripeless.cli.serve", "A local page to drop scores and results into."),
    "reproduce": ("stripeless.cli.reproduce", "The papers' tables from data, cell by cell."),
    "info": ("stripeless.cli.info", "What runs here, to be pasted into a question."),
}


class LazyGroup(click.Group):
    """Lists commands without importing them, so that --help answers at once."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.params += talk_options()  # the command that follows looks here for what it was not told itself

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, or what may have been meant by a name that is none."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = get_close_matches(name, COMMANDS, n=1) or [known for known in COMMANDS if known.startswith(name)]
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: stripeless demo. Then: stripeless assess SCORES --trials TRIALS --html report.html",
)
@click.version_option(package_name="stripeless")
def group(**talk: object) -> None:
    """How much of a person still shows in data meant to hide them.

    Reads scores, embeddings or voices, plays the attackers, and says in numbers and plain words what they learn.
    """


def main() -> None:
    """Entry point. Exit 0: done. 1: the input is at fault, said in one sentence. 2: the call is."""
    from stripeless.cli.common import run

    run(group)
