"""Options and progress that the commands on voices share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def corpus_options(function: F) -> F:
    """--jobs, --on-error and --allow-pipes."""
    for option in (
        click.option(
            "--allow-pipes", is_flag=True, help="Run the commands in wav.scp. Only for lists from people you trust."
        ),
        click.option(
            "--on-error",
            type=click.Choice(["stop", "skip"]),
            default="stop",
            show_default=True,
            help="What a recording that cannot be read does: stop the run, or be named and left out.",
        ),
        click.option("--jobs", default=0, help="Recordings worked on at a time. Default: one per core."),
    ):
        function = option(function)
    return function


def cores(jobs: int) -> int:
    """The number of processes: as asked, or one per core that this process may use."""
    return (
        jobs if jobs > 0 else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )


def progress_line(done: int, total: int) -> None:
    """A bar on standard error where a person is watching, nothing in a log file."""
    if not sys.stderr.isatty():
        return
    filled = 30 * done // total
    end = "\n" if done == total else ""
    click.echo(f"\r[{'#' * filled}{'.' * (30 - filled)}] {done}/{total}{end}", nl=False, err=True)
