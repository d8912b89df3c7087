"""How long fitting and applying a protection takes: 5,000 x 512 vectors, one million to apply.

    python benchmarks/bench_protections.py [--device cuda] [--paper] [--only flow]

Prints seconds by the clock and of the processor (all cores together; a busy machine stretches the clock more), and ratios to one
matrix product of the same vectors within the same run.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from stripeless.protections.lda import fit_lda_protection
from stripeless.protections.settings import FlowSettings
from stripeless.protections.train_adversarial import fit_adversarial_protection
from stripeless.protections.train_flow import fit_flow_protection

ROWS, DIMENSION, MANY = 5_000, 512, 1_000_000
PART = 100_000  # of the million at a time, so that memory stays small


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument(
        "--paper", action="store_true", help="the paper's flow too: minutes to fit, far longer to apply"
    )
    parser.add_argument("--only", help="this protection only")
    asked = parser.parse_args()
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, ROWS)
    vectors = rng.normal(size=(ROWS, DIMENSION)).astype(np.float32)
    vectors[:, :8] += labels[:, None]
    part = np.resize(vectors, (PART, DIMENSION))
    square = rng.normal(size=(DIMENSION, DIMENSION)).astype(np.float32)
    clock, product, _ = timed(lambda: part @ square)
    clock, product = clock * MANY / PART, product * MANY / PART
    print(f"one product of 1 M x 512 with 512 x 512: {clock:.1f} s, processor {product:.1f} s")
    fits: dict[str, Any] = {
        "LDA": lambda: fit_lda_protection(vectors, labels),
        "adversarial": lambda: fit_adversarial_protection(vectors, labels, device=asked.device),
        "flow": lambda: fit_flow_protection(vectors, labels, device=asked.device),
    }
    if asked.paper:
        fits["flow, paper"] = lambda: fit_flow_protection(
            vectors, labels, settings=FlowSettings.paper(), device=asked.device
        )
    for name, fit in fits.items():
        if asked.only not in (None, name):
            continue
        clock, processor, protection = timed(fit)
        on = {"device": asked.device} if name.startswith("flow") else {}
        share = PART if name != "flow, paper" or asked.device != "cpu" else PART // 20
        applied, worked, _ = timed(lambda p=protection, o=on, n=share: p.apply(part[:n], **o))
        applied, worked = applied * MANY / share, worked * MANY / share
        print(f"{name}: fit {clock:.1f} s, processor {processor:.1f} s; ", end="")
        print(f"apply to 1 M {applied:.1f} s, processor {worked:.1f} s = {worked / product:.1f} products", flush=True)


def timed(call: Any) -> tuple[float, float, Any]:
    """Seconds by the clock, seconds of the processor, and what came back."""
    start, worked = time.perf_counter(), time.process_time()
    result = call()
    return time.perf_counter() - start, time.process_time() - worked, result


if __name__ == "__main__":
    main()
