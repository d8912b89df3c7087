"""What a command checks before it starts to work: places to write to, packages and devices that the call will need."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from stripeless._extras import need
from stripeless._files import check_writable
from stripeless.errors import FileError, InputError


def check_outputs(*files: str | None, folders: tuple[str | None, ...] = (), figures: str | None = None) -> None:
    """Refuse before anything is read or written where one of the destinations cannot be written, or is an input.

    Figures need matplotlib besides.
    """
    if figures:
        need("matplotlib", "plots", "--figures")
    for file in filter(None, files):
        check_writable(file)
        if same_file(file, _values_of_this_call()) > 1:
            raise FileError(file, "is named twice in this call, once as a place to write to; choose another name")
    for folder in filter(None, (*folders, figures)):
        check_writable(folder, folder=True)
        if Path(folder).is_file():
            raise FileError(folder, "is a file, and a folder is needed; choose another name")


def _values_of_this_call() -> Iterable[object]:
    """The values of all arguments and options of the running command."""
    context = click.get_current_context(silent=True)
    return () if context is None else context.params.values()


def same_file(path: str, values: Iterable[object]) -> int:
    """How many of these values, of arguments and options, name this file."""
    flat = [v for value in values for v in (value if isinstance(value, tuple) else (value,))]
    return sum(isinstance(v, str) and os.path.realpath(v) == os.path.realpath(path) for v in flat)


def check_inputs(*paths: str | None) -> None:
    """Refuse files that are not there, where they would be missed only after a long time of work."""
    for path in filter(None, paths):
        if not Path(path).exists():
            raise FileError(path, "does not exist; check the name")


def check_vectors_file(path: str | None) -> None:
    """Refuse a name to write vectors to whose ending no format has, or whose format needs what is not installed."""
    if path is None:
        return
    from stripeless.embeddings.files import WRITERS

    ending = Path(path).suffix.lower()
    if ending not in (".ark", ".scp", *WRITERS):
        raise FileError(path, f"unknown format; the name must end in .ark, .scp, {', '.join(WRITERS)}")
    extras = {".parquet": ("duckdb", "parquet"), ".h5": ("h5py", "hdf5"), ".hdf5": ("h5py", "hdf5")}
    if ending in extras:
        need(*extras[ending], f"writing {path}")


def check_training(out: str | None = None) -> None:
    """Refuse to train a network where torch or safetensors is missing, or the name of its file is not its format's."""
    if out is not None and Path(out).suffix.lower() != ".safetensors":
        raise FileError(out, "is no name for a network; it must end in .safetensors")
    for module in ("torch", "safetensors"):
        need(module, "torch", "training a network")


def check_device(device: str | None, extra: str = "torch") -> None:
    """Refuse a device that torch does not know or this machine does not have."""
    if device is None:
        return
    torch: Any = need("torch", extra, f"--device {device}")
    try:
        torch.zeros(1, device=torch.device(device))
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"--device: {device!r} cannot be used here ({reason}); leave it out") from error


def check_dask(address: str | None) -> None:
    """Refuse an address that is none, or where nobody answers."""
    if address is None:
        return
    need("distributed", "dask", "--dask")
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or port is None:
        raise click.UsageError(f"--dask: expected the address of a scheduler, such as tcp://host:8786, got {address!r}")
    if parts.scheme not in ("tcp", "tls"):
        return  # other ways to reach one are the cluster's own matter
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError as error:
        raise InputError(
            f"--dask: no scheduler answers at {address} ({error.strerror or error}); start one there"
        ) from error
