"""Reading a saved protection, of whichever kind."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stripeless.errors import FileError, shown
from stripeless.protections.adversarial import AdversarialProtection
from stripeless.protections.flow import FlowProtection
from stripeless.protections.labels import MOST_CLASSES
from stripeless.protections.lda import LdaProtection
from stripeless.protections.moments import MomentProtection
from stripeless.protections.tensors import BROKEN, read_tensors

Protection: TypeAlias = LdaProtection | MomentProtection | AdversarialProtection | FlowProtection
_KINDS: dict[str, Any] = {
    kind.kind: kind for kind in (LdaProtection, MomentProtection, AdversarialProtection, FlowProtection)
}


def load_protection(path: str | os.PathLike[str]) -> Protection:
    """What `save` wrote. Needs no torch; nothing in the file can run code.

    Parameters:
        path: a safetensors file that the `save` of a protection wrote.
    Returns:
        The protection, of whichever kind it was.
    """
    tensors, about = read_tensors(path)
    if about.get("version") != 1:
        raise FileError(
            path, f"was saved in version {about.get('version')!r} of the format, this program reads version 1"
        )
    kind = about.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise FileError(path, f"holds a {kind!r}, which this program does not know")
    try:
        protection: Protection = _KINDS[kind].restore(tensors, about)
        _try_once(protection, tensors)
    except KeyError as error:
        raise FileError(path, f"lacks {shown(error)}, so the protection cannot be restored") from error
    except BROKEN as error:
        raise FileError(path, f"holds parts that do not fit together ({shown(error)}); save it again") from error
    return protection


def _try_once(protection: Protection, tensors: dict[str, NDArray[Any]]) -> None:
    """Parts that do not fit together are found here, and not in the middle of somebody's work."""
    if not 2 <= len(protection.classes) <= MOST_CLASSES or not all(
        isinstance(name, str) for name in protection.classes
    ):
        raise ValueError("its classes are no names")
    if not all(np.isfinite(tensor).all() for tensor in tensors.values()):
        raise ValueError("NaN or infinity among its numbers")
    first = next(tensors[name] for name in ("shift", "center", "weights") if name in tensors)
    if isinstance(protection, LdaProtection) and protection.directions.ndim != 2:
        raise ValueError("its directions are no matrix")
    rows = np.stack([np.zeros(len(first), dtype=np.float32), np.ones(len(first), dtype=np.float32)])
    with np.errstate(all="ignore"):
        mapped = [protection.apply(rows)]
        if not isinstance(protection, AdversarialProtection):
            mapped += [protection.evidence(rows), protection.log_likelihoods(rows)]
    count = len(protection.classes)
    if [part.shape for part in mapped] not in ([rows.shape], [rows.shape, (2, count - 1), (2, count)]):
        raise ValueError("its arrays are of other sizes than its classes ask for")
    if not all(np.isfinite(part).all() for part in mapped):
        raise ValueError("it makes NaN or infinity of plain vectors")
