"""Matrix products by one thread: several add up in another order, and the last bits must not depend on how many."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from threadpoolctl import threadpool_limits


def one_blas_thread() -> AbstractContextManager[Any]:
    """BLAS has one thread from now on: to the end of the `with`, or for good where there is none."""
    load_blas()
    limit: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limit


def load_blas() -> None:
    """SciPy brings a BLAS of its own, and one that is loaded after a limit was set does not know of it."""
    import scipy.linalg  # noqa: F401


def call_on_one_blas_thread(caller: int, function: Callable[..., Any], /, *args: Any) -> Any:
    """`function(*args)` for the process `caller`.

    In another process the limit stays: its threads may work on several calls at a time, and none may lift it for the rest.
    """
    limit = one_blas_thread()
    if os.getpid() != caller:
        return function(*args)
    with limit:
        return function(*args)
