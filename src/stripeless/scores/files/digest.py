"""A fingerprint of a list of trials."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from stripeless.scores.files.rows import Ids

ROWS_ONLY = "rows:"  # begins the digest of a list whose trials have no ids: equal digests do not prove equal trials


def trial_digest(
    enrollment: Ids | None, trial: Ids | None, labels: NDArray[np.bool_], others: Iterable[Ids] = ()
) -> str:
    """SHA-256 over the ordered trials: both ids where they are known, else all other labels (speakers, columns).

    Ids enter once, as the list of names in order of first appearance; rows enter as numbers into it. That fixes the
    list of pairs as surely as spelling them out, at a few bytes a trial.
    """
    digest = hashlib.sha256(b"stripeless trials 1\n")
    named = enrollment is not None and trial is not None
    for ids in (enrollment, trial) if named else others:
        if ids is not None:
            digest.update(f"{len(ids.names)} {ids.codes.size}\n".encode())
            digest.update("\n".join(ids.names).encode("utf-8", "surrogatepass") + b"\n")
            digest.update(ids.codes.astype("<i4").data)
    digest.update(f"{labels.size}\n".encode())
    digest.update(np.packbits(labels).data)
    return digest.hexdigest() if named else ROWS_ONLY + digest.hexdigest()
