"""What every command shares: where output goes, how errors end."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from typing import Any

import click

from stripeless._files import write_whole as write_whole
from stripeless.cli.shared.messages import put
from stripeless.errors import MOST, FileError, StripelessError, one_line

NO_MEMORY = "there is not enough memory for these data; give fewer at a time, or take a machine with more"

NO_SPACE = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))


def run(group: click.Group) -> None:
    """Run the command line; errors of the data are one sentence on standard error, never a traceback."""
    try:
        group.main(standalone_mode=False)
    except click.exceptions.Exit as exit_:
        sys.exit(exit_.exit_code)
    except click.Abort:
        sys.exit("Interrupted; nothing was left half-written.")
    except click.ClickException as error:
        said = io.StringIO()
        error.show(file=said)
        put("\n".join(map(_short, said.getvalue().rstrip("\n").split("\n"))), err=True)
        sys.exit(error.exit_code)
    except StripelessError as error:
        put(f"Error: {error}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        _say_no_more()
        sys.exit(0)
    except OSError as error:
        if (
            error.errno in NO_SPACE and error.filename is None
        ):  # standard output goes to a file, or a temporary one is full
            _say_no_more()
            put(f"Error: what comes out cannot be kept ({error.strerror}); make room on the disk", err=True)
            sys.exit(1)
        if error.filename is None:  # of the program, not of a file
            raise
        place, reason = str(error.filename), error.strerror or type(error).__name__
        put(f"Error: {FileError(place, f'cannot be used ({reason}); check the path and the disk')}", err=True)
        sys.exit(1)
    except MemoryError:
        put(f"Error: {NO_MEMORY}", err=True)
        sys.exit(1)


def _say_no_more() -> None:
    """What is still to be printed goes nowhere, so that the end of the program does not fall over it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _short(line: str) -> str:
    """What a call quotes of itself is cut as what it quotes of files."""
    return line if len(line) <= MOST else one_line(line)


def echo_json(result: dict[str, Any]) -> None:
    """The result, alone, on standard output."""
    put(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))
