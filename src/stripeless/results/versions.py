"""What computed a result, and which edition of its form it has."""

from __future__ import annotations

from functools import cache

SCHEMA = 1  # of to_dict(); raised when a key changes its meaning


@cache
def versions() -> dict[str, str]:
    """Versions of what computed a result."""
    from importlib.metadata import version
    from platform import python_version

    return {"python": python_version(), **{name: version(name) for name in ("stripeless", "numpy", "scipy")}}
