"""Optional packages: imported where they are used, missed with the pip line that brings them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from stripeless.errors import MissingExtra


def need(module: str, extra: str, purpose: str) -> ModuleType:
    """Import `module`, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtra(
            f"{purpose} needs {package}, which is not installed: pip install 'stripeless[{extra}]'"
        ) from error
