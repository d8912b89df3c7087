"""Reading a saved protection, of whichever kind."""

from __future__ import annotations

import os
from typing import TypeAlias

from stripeless.errors import FileError
from stripeless.protections.adversarial import AdversarialProtection
from stripeless.protections.flow import FlowProtection
from stripeless.protections.lda import LdaProtection
from stripeless.protections.moments import MomentProtection
from stripeless.protections.tensors import read_tensors

Protection: TypeAlias = LdaProtection | MomentProtection | AdversarialProtection | FlowProtection


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
    try:
        if about["kind"] == LdaProtection.kind:
            return LdaProtection.restore(tensors, about)
        if about["kind"] == MomentProtection.kind:
            return MomentProtection.restore(tensors, about)
        if about["kind"] == AdversarialProtection.kind:
            return AdversarialProtection.restore(tensors, about)
        if about["kind"] == FlowProtection.kind:
            return FlowProtection.restore(tensors, about)
    except KeyError as error:
        raise FileError(path, f"lacks {error}, so the protection cannot be restored") from error
    raise FileError(path, f"holds a {about['kind']!r}, which this program does not know")
