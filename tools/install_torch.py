"""Installs the torch of constraints.txt into this environment, unless that would bring CUDA packages along.

On some systems a plain `pip install torch` resolves to a build with gigabytes of CUDA packages. This asks pip first what it would
install, and leaves torch out, saying so, where anything of CUDA is among it. Everything but the neural protections works without.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PIN = next(
    line
    for line in (Path(__file__).parents[1] / "constraints.txt").read_text().splitlines()
    if line.startswith("torch==")
)
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
CUDA = ("nvidia", "cuda", "triton", "cupy")


def planned() -> list[str] | None:
    """Names of the packages that pip would install, or None where it finds no such torch."""
    done = subprocess.run(
        [*PIP, "install", "--dry-run", "--report", "-", PIN], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return None
    return [package["metadata"]["name"].lower() for package in json.loads(done.stdout)["install"]]


def main() -> None:
    names = planned()
    if names is None:
        print(f"{PIN} is not to be had here: tests of the neural protections are skipped.")
    elif unwanted := [name for name in names if name.startswith(CUDA)]:
        print(
            f"{PIN} would bring {len(unwanted)} CUDA packages ({unwanted[0]}, ...): left out, tests that need it are skipped."
        )
    elif names:
        subprocess.run([*PIP, "install", PIN], check=True)


if __name__ == "__main__":
    main()
