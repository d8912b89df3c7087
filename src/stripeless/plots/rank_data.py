"""The data behind the figures of rank disclosure: columns and rows, one row per point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from stripeless.errors import check_choice
from stripeless.plots.rank import shapes
from stripeless.results.ranks import RankFeature, RankGrowth, RankReport

HEADS: dict[str, tuple[str, ...]] = {
    "rank_histogram": ("feature", "rank", "probability", "model_cll", "chance"),
    "cmc": ("feature", "rank", "share", "chance"),
    "speaker_disclosure": ("feature", "from_bits", "to_bits", "share_of_speakers"),
    "example_speaker": ("curve", "rank", "cumulative_share"),
    "stream": ("template_length", "probe_length", "mean_disclosure", "linear_bound", "square_root_bound"),
    "rank_shapes": ("shape", "rank", "probability"),
}


def rank_points(result: RankReport, name: str) -> tuple[Sequence[str], Iterator[Sequence[Any]]]:
    """Columns and rows of one figure of a rank result."""
    check_choice("figure", name, HEADS)
    if name == "rank_shapes":
        return HEADS[name], ((shape, k, p) for shape, values in shapes().items() for k, p in enumerate(values, start=1))
    if name == "stream":
        return HEADS[name], _stream(result.stream)
    if name == "example_speaker":
        return HEADS[name], _example(result.features[0].curves.get("example"))
    return HEADS[name], (row for feature in result.features for row in _feature(feature, name))


def _feature(feature: RankFeature, name: str) -> Iterator[Sequence[Any]]:
    curves, who, n = feature.curves, feature.name or "ranks", feature.n
    if name == "rank_histogram":
        for rank, seen, model in zip(curves["rank"], curves["probability"], curves["models"]["cll"], strict=True):
            yield who, rank, seen, model, 1 / n
    elif name == "cmc":
        for rank, share in zip(curves["cmc_rank"], curves["cmc"], strict=True):
            yield who, rank, share, rank / n
    elif feature.per_speaker is not None:
        bits = curves["speaker_bits"]
        for (low, high), share in zip(pairwise(bits["edges"]), bits["share"], strict=True):
            yield who, low, high, share


def _example(example: Mapping[str, Any] | None) -> Iterator[Sequence[Any]]:
    if example is None:
        return
    ranks = example["ranks"]
    for k, rank in enumerate(ranks, start=1):
        yield f"probes of {example['speaker']}", rank, k / len(ranks)
    for loss, values in example["cumulative"].items():
        for rank, value in zip(example["rank"], values, strict=True):
            yield f"model_{loss}", rank, value


def _stream(stream: RankGrowth | None) -> Iterator[Sequence[Any]]:
    if stream is None:
        return
    for length, row in zip(stream.template_lengths, stream.mean_disclosure_model, strict=True):
        bounds = zip(stream.probe_lengths, row, stream.linear_bound, stream.square_root_bound, strict=True)
        for probe, bits, linear, root in bounds:
            yield length, probe, bits, linear, root
