"""Disclosure of streams: how it grows with the length of what the attacker hears and of what is on file.

Each speaker is a row of K consecutive observations (30-second histograms, utterance embeddings, ..). A probe
takes T of them, a template D others of the same speaker, as far apart as the recording allows. Eq. 6 and Figure 8 of
Baeckstroem et al.; the gap printed there, (K - S - T)/2, must read (K - T - D)/2, or segments would overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stripeless.errors import InputError, NotANumber
from stripeless.ranks.beta_binomial import fit_beta_binomial
from stripeless.ranks.counts import RankCounts, count_ranks
from stripeless.ranks.disclosure import RankDisclosure, rank_disclosure
from stripeless.ranks.space import Compare
from stripeless.results.codec import placed, record_to_plain
from stripeless.scores.check import FloatArray, IntArray


def segments(start: int, probe_length: int, template_length: int, count: int) -> tuple[IntArray, IntArray]:
    """Eq. 6: which of `count` observations form the probe that begins at `start`, and which the template.

    The recording is taken as a ring; the two segments are disjoint, with gaps as equal as whole numbers allow.

    >>> segments(0, 2, 3, 10)
    (array([0, 1]), array([4, 5, 6]))
    """
    if probe_length < 1 or template_length < 1:
        raise InputError(f"lengths: expected at least 1, got {probe_length} and {template_length}")
    if probe_length + template_length > count:
        raise InputError(
            f"lengths: {probe_length} + {template_length} observations do not fit into {count} without overlap; "
            "shorten one of them"
        )
    gap = (count - probe_length - template_length) // 2
    probe = (start + np.arange(probe_length)) % count
    template = (start + probe_length + gap + np.arange(template_length)) % count
    return probe, template


def check_observations(observations: ArrayLike) -> NDArray[Any]:
    """Speakers by observations by numbers, all finite."""
    array = np.asarray(observations)
    if array.ndim != 3 or not array.size or array.dtype.kind not in "fiu":
        raise InputError(
            f"observations: expected speakers x observations x numbers, got an array of shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise NotANumber("observations: NaN or infinity; leave those speakers out")
    return array


def stream_ranks(
    observations: ArrayLike,
    probe_length: int = 1,
    template_length: int = 1,
    *,
    metric: str | Compare = "cosine",
    starts: Sequence[int] | None = None,
    executor: Any = None,
) -> tuple[RankCounts, IntArray]:
    """True ranks of all speakers with probes and templates of given lengths, and whose probe each one is.

    The mean over a segment stands for it (for histograms: their sum). Every start gives one probe per speaker.

    Parameters:
        observations: speakers x observations x numbers; observations of a speaker in their order in time.
        probe_length, template_length: how many observations a probe and a template take; they never overlap.
        metric: how rows are compared, as for `true_ranks`.
        starts: at which observations probes begin; None takes each, as in cross-validation.
        executor: who does the work, as for `true_ranks`.
    Returns:
        The counts of all probes, and for each of them the number of its speaker.

    >>> voices = np.eye(3)[:, None, :] + np.zeros((3, 4, 1))
    >>> counts, speaker = stream_ranks(voices, 1, 2)
    >>> float(counts.ranks.max()), speaker.size
    (1.0, 12)
    """
    array = check_observations(observations)
    people, count = array.shape[:2]
    above, tied = [], []
    used = list(range(count)) if starts is None else list(starts)
    for start in used:
        probe, template = segments(start, probe_length, template_length, count)
        counts = count_ranks(
            array[:, probe].mean(axis=1), array[:, template].mean(axis=1), metric=metric, executor=executor
        )
        above.append(counts.above)
        tied.append(counts.tied)
    return RankCounts(np.concatenate(above), np.concatenate(tied), people), np.tile(np.arange(people), len(used))


@dataclass(frozen=True, eq=False)
class StreamDisclosure:
    """Mean disclosure for each template length (rows) and probe length (columns), beside the bounds of composition.

    By the composition theorems disclosure cannot grow faster than the probe length T, and by advanced composition not
    much faster than sqrt(T) (Kairouz et al. 2015).

    Attributes:
        probe_lengths: observations in a probe: the columns.
        template_lengths: observations in a template: the rows.
        model: bits by the beta-binomial model (CLL), rows x columns; NaN where the lengths do not fit.
        histogram: the same by the raw histogram, far above 0 by chance where probes are few.
        speakers: how many people were ranked.
        linear: the bound that grows with T, in bits for each probe length, drawn from the shortest probe and template.
        square_root: the bound that grows with sqrt(T), likewise.
    """

    GENERIC: ClassVar[bool] = True

    probe_lengths: tuple[int, ...]
    template_lengths: tuple[int, ...]
    model: FloatArray = placed("mean_disclosure_model")
    histogram: FloatArray = placed("mean_disclosure_histogram")
    speakers: int = placed("speakers")
    linear: FloatArray = placed("linear_bound")
    square_root: FloatArray = placed("square_root_bound")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; null where lengths do not fit."""
        return record_to_plain(self)


def stream_disclosure(
    observations: ArrayLike,
    probe_lengths: Sequence[int],
    template_lengths: Sequence[int],
    *,
    metric: str | Compare = "cosine",
    starts: Sequence[int] | None = None,
    executor: Any = None,
) -> StreamDisclosure:
    """Figure 8: mean disclosure against the lengths of probe and template, with the T and sqrt(T) bounds.

    Parameters:
        observations: speakers x observations x numbers; observations of a speaker in their order in time.
        probe_lengths, template_lengths: the lengths to try, in observations; pairs that do not fit become NaN.
        metric: how rows are compared, as for `true_ranks`.
        starts: at which observations probes begin; None takes each, as in cross-validation.
        executor: who does the work, as for `true_ranks`.
    Returns:
        A `StreamDisclosure`: bits for each template length (rows) and probe length (columns), by model and by
        histogram, and both bounds.

    >>> voices = np.random.default_rng(0).normal(size=(20, 1, 5)) + np.random.default_rng(1).normal(size=(20, 8, 5))
    >>> result = stream_disclosure(voices, [1, 4], [4])
    >>> bool(result.model[0, 1] > result.model[0, 0])
    True
    """
    array = check_observations(observations)
    shape = (len(template_lengths), len(probe_lengths))
    model, histogram = np.full(shape, np.nan), np.full(shape, np.nan)
    for row, d in enumerate(template_lengths):
        for column, t in enumerate(probe_lengths):
            if t + d > array.shape[1]:
                continue
            result = _disclosure(array, t, d, metric, starts, executor)
            histogram[row, column] = result.mean_disclosure
            model[row, column] = fit_beta_binomial(result.histogram, "cll").mean_disclosure
    if np.isnan(model).all():
        raise InputError(f"lengths: none fits; {array.shape[1]} observations must hold a probe and a template")
    ratio = np.asarray(probe_lengths) / min(probe_lengths)
    base = model[int(np.argmin(template_lengths)), int(np.argmin(probe_lengths))]
    lengths = tuple(int(t) for t in probe_lengths), tuple(int(d) for d in template_lengths)
    return StreamDisclosure(*lengths, model, histogram, array.shape[0], base * ratio, base * np.sqrt(ratio))


def _disclosure(
    array: NDArray[Any], t: int, d: int, metric: str | Compare, starts: Sequence[int] | None, executor: Any
) -> RankDisclosure:
    counts, speaker = stream_ranks(array, t, d, metric=metric, starts=starts, executor=executor)
    return rank_disclosure(counts, speakers=speaker.tolist())
