"""Calls of commands as a terminal makes them."""

from __future__ import annotations

from typing import Any

from click.testing import CliRunner, Result

from stripeless.cli import group


class Stop(Exception):
    """The call has come as far as the test looks."""


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments], catch_exceptions=False)


def refused(*arguments: Any) -> str:
    done = CliRunner().invoke(group, [str(argument) for argument in arguments])
    assert done.exit_code != 0
    return str(done.exception) if done.exit_code == 1 else done.stderr
