"""How many workers: one meaning of the number everywhere."""

from __future__ import annotations

import os
from operator import index
from typing import SupportsIndex

from stripeless.errors import InputError


def usable_cores() -> int:
    """Cores that this process may use; a batch system or a container often allows fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_count(workers: SupportsIndex | None) -> int:
    """That many workers; None or 0: one per usable core. Anything else is refused, before work starts.

    >>> worker_count(3), worker_count(None) == worker_count(0) == usable_cores()
    (3, True)
    """
    try:
        count = -1 if isinstance(workers, bool) else index(0 if workers is None else workers)
    except TypeError:
        count = -1
    if count < 0:
        raise InputError(f"workers: expected a whole number from 1, or 0 for one per core, got {workers!r}")
    return count or usable_cores()
