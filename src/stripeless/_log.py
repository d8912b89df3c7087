"""What the library tells those who listen: module `logging`, one logger per module below "stripeless".

Silent by itself: nothing is printed unless a program adds a handler, as the command line does. INFO says which stage is done and
how many seconds it took.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import perf_counter

LIBRARY = logging.getLogger("stripeless")
LIBRARY.addHandler(logging.NullHandler())


def clock() -> Callable[[], float]:
    """A watch that starts now; called, it gives the seconds since.

    >>> seconds = clock()
    >>> seconds() >= 0
    True
    """
    start = perf_counter()
    return lambda: perf_counter() - start
