"""stripeless info: what runs here, to be pasted into a question."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import click

from stripeless.cli.common import echo_json
from stripeless.cli.shared.command import Command
from stripeless.cli.shared.options import json_option

# extra -> the packages that it brings, as pyproject.toml says; those for work on stripeless itself are left out
EXTRAS: dict[str, tuple[str, ...]] = {
    "plots": ("matplotlib",),
    "hdf5": ("h5py",),
    "parquet": ("duckdb",),
    "audio": ("soundfile", "soxr"),
    "world": ("pyworld-prebuilt",),
    "asr": ("jiwer", "pocketsphinx"),
    "onnx": ("onnxruntime",),
    "whisper": ("openai-whisper",),
    "speechbrain": ("speechbrain",),
    "dask": ("distributed",),
    "torch": ("torch", "safetensors"),
    "classifiers": ("scikit-learn",),
    "maps": ("umap-learn",),
    "web": ("fastapi", "starlette", "uvicorn", "python-multipart"),
}


@click.command("info", cls=Command)
@json_option("the same")
def command(as_json: bool) -> None:
    """Print what runs here: versions, extras, encoders and their weights, BLAS and devices.

    Paste it into a question. It names no file, no folder and no person.

    \b
    Example:
      stripeless info
    """
    facts = gather()
    echo_json(facts) if as_json else click.echo(as_text(facts))


def gather() -> dict[str, Any]:
    """Everything that can be found out without failing, as plain values."""
    import platform

    from stripeless.results.versions import versions

    return {
        "kind": "info",
        "versions": {**versions(), "click": version("click"), "jinja2": version("jinja2")},
        "platform": platform.platform(),
        "extras": {name: {package: installed(package) for package in packages} for name, packages in EXTRAS.items()},
        "encoders": encoders(),
        "blas": blas(),
        "devices": devices(),
    }


def installed(package: str) -> str | None:
    """Its version, or None where it is missing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def encoders() -> dict[str, dict[str, str | None]]:
    """Every encoder by name: what it is, the digest of its weights, and why it cannot be used here."""
    import hashlib

    from stripeless.embeddings.encoders.catalog import ENCODERS
    from stripeless.errors import MissingExtra, StripelessError

    found: dict[str, dict[str, str | None]] = {}
    for name, (make, _) in ENCODERS.items():
        entry: dict[str, str | None] = {"identity": None, "sha256": None, "missing": None}
        try:
            encoder = make()
            entry["identity"] = encoder.identity
            path = getattr(encoder, "path", None)
            if path is not None:
                with open(path, "rb") as file:
                    entry["sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
            if name in ("campplus", "ge2e") and installed("torch") is None:
                entry["missing"] = "needs torch: pip install 'stripeless[torch]'"
        except MissingExtra as error:
            entry["missing"] = str(error)
        except (StripelessError, OSError):
            entry["missing"] = (
                "its weights cannot be read, or are not the ones on record"  # the message would name a folder
            )
        found[name] = entry
    return found


def blas() -> list[dict[str, Any]]:
    """The libraries that multiply matrices, and with how many threads."""
    import scipy.linalg  # noqa: F401  (loads SciPy's own beside NumPy's)
    from threadpoolctl import threadpool_info

    kept = ("internal_api", "version", "architecture", "threading_layer", "num_threads")
    return [{key: one[key] for key in kept if key in one} for one in threadpool_info() if one["user_api"] == "blas"]


def devices() -> dict[str, Any]:
    """Cores of this machine and those that this process may use; GPUs where torch is there to ask."""
    import os

    from stripeless.parallel.workers import usable_cores

    return {"cores": os.cpu_count(), "usable_cores": usable_cores(), "cuda": cuda()}


def cuda() -> list[str] | None:
    """The names of the GPUs that torch sees; None where torch cannot tell."""
    if find_spec("torch") is None:
        return None
    try:
        import torch

        return [torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())]
    except Exception:  # a broken torch is a thing to report, not to fail of
        return None


def as_text(facts: dict[str, Any]) -> str:
    """For people."""
    lines = [f"{name} {number}" for name, number in facts["versions"].items()]
    blocks = [("Versions", lines), ("Platform", [facts["platform"]])]
    blocks.append(("Extras", [extra_line(name, packages) for name, packages in facts["extras"].items()]))
    blocks.append(("Encoders", [encoder_line(name, entry) for name, entry in facts["encoders"].items()]))
    blocks.append(
        ("BLAS", [" ".join(f"{key}={value}" for key, value in one.items()) for one in facts["blas"]] or ["none"])
    )
    blocks.append(("Devices", device_lines(facts["devices"])))
    return "\n\n".join("\n".join([title, *(f"  {line}" for line in part)]) for title, part in blocks)


def extra_line(name: str, packages: dict[str, str | None]) -> str:
    """What is there of an extra, or how to get it."""
    if all(packages.values()):
        return f"{name}: {', '.join(f'{package} {number}' for package, number in packages.items())}"
    gone = [package for package, number in packages.items() if number is None]
    return f"{name}: {', '.join(gone)} missing; pip install 'stripeless[{name}]'"


def encoder_line(name: str, entry: dict[str, str | None]) -> str:
    """An encoder, ready or not."""
    weights = f"weights sha256 {entry['sha256']}" if entry["sha256"] else "no weights"
    if entry["missing"]:
        return f"{name}: missing; {entry['missing']}" + (f" ({weights})" if entry["sha256"] else "")
    return f"{name}: {entry['identity']}, {weights}"


def device_lines(found: dict[str, Any]) -> list[str]:
    """Cores and GPUs."""
    gpus = "torch is not there to ask" if found["cuda"] is None else ", ".join(found["cuda"]) or "none"
    return [f"CPU cores: {found['usable_cores']} usable of {found['cores']}", f"CUDA: {gpus}"]
