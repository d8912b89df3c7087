"""A million speakers against a million on one GPU: seconds, and the same counts as the processor on a smaller set.

    PYTHONPATH=src python benchmarks/bench_rank_gpu.py [speakers] [dimension] [device]

Needs torch, NumPy and this source tree; installs nothing. The vectors are simulated: templates are Gaussian, a probe is
its template plus noise of a strength that puts ranks everywhere between 1 and N (the hard case: many near-ties).
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import torch

from stripeless.ranks.counts import count_ranks

NOISE = 4.0


def voices(n: int, dimension: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    templates = rng.standard_normal((n, dimension), dtype=np.float32)
    return templates + np.float32(NOISE) * rng.standard_normal((n, dimension), dtype=np.float32), templates


def check(dimension: int, device: str) -> dict[str, object]:
    """The device against the processor's exact code, with ties, three metrics."""
    probes, templates = voices(12_000, dimension, 1)
    templates[9_000:] = templates[:3_000] * 2  # ties by angle
    templates[8_000:8_500] = templates[7_000:7_500]  # ties by any measure
    differing: dict[str, object] = {}
    for metric in ("cosine", "euclidean", "hellinger"):
        p, t = (np.abs(probes), np.abs(templates)) if metric == "hellinger" else (probes, templates)
        here, there = count_ranks(p, t, metric=metric), count_ranks(p, t, metric=metric, device=device)
        wrong = int(((here.above != there.above) | (here.tied != there.tied)).sum())
        differing[metric] = {"probes": len(p), "differing": wrong, "tied": int((here.tied > 0).sum())}
    return differing


def bare_products(n: int, dimension: int, device: str) -> float:
    """Seconds for the float32 products alone, in blocks of the same size, from a sample of them."""
    from stripeless.ranks.gpu import PROBE_BLOCK, TEMPLATE_BLOCK

    a = torch.randn(PROBE_BLOCK, dimension, device=device)
    b = torch.randn(TEMPLATE_BLOCK, dimension, device=device)
    for _ in range(5):
        c = a @ b.T
    synchronize(device)
    started = time.perf_counter()
    repeats = 50 if device.startswith("cuda") else 1
    for _ in range(repeats):
        c = a @ b.T
    synchronize(device)
    del c
    return (time.perf_counter() - started) / repeats * (n / PROBE_BLOCK) * (n / TEMPLATE_BLOCK)


def synchronize(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def main() -> None:
    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    dimension = int(sys.argv[2]) if len(sys.argv) > 2 else 192
    device = sys.argv[3] if len(sys.argv) > 3 else "cuda"
    result: dict[str, object] = {"speakers": n, "dimension": dimension, "torch": torch.__version__}
    if device.startswith("cuda"):
        result["device"] = torch.cuda.get_device_name()
    result["check"] = check(dimension, device)
    print(json.dumps(result["check"]), flush=True)
    result["products_alone_s"] = round(bare_products(n, dimension, device), 2)
    probes, templates = voices(n, dimension, 0)
    count_ranks(probes[:4096], templates[:4096], device=device)  # wakes the device up
    started = time.perf_counter()
    counts = count_ranks(probes, templates, device=device)
    result["seconds"] = round(time.perf_counter() - started, 2)
    ranks = counts.ranks
    result["rank_1"] = float((ranks == 1).mean())
    result["median_rank"] = float(np.median(ranks))
    sample = np.random.default_rng(2).choice(n, min(n, 200), replace=False)
    speakers = list(range(n))
    again = count_ranks(probes[sample], templates, probe_speakers=sample.tolist(), template_speakers=speakers)
    result["sample_differing"] = int((again.above != counts.above[sample]).sum())
    if device.startswith("cuda"):
        result["peak_gpu_GB"] = round(torch.cuda.max_memory_allocated() / 1e9, 2)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
