"""Speed and memory of `assess`, as ratios within one run: against np.sort of the same scores, and against llreval."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

TARGETS, NONTARGETS = 1_000_000, 9_000_000


def scores() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(1, 1, TARGETS), rng.normal(-1, 1, NONTARGETS)


def best_of(function: Callable[[], object], times: int = 3) -> float:
    """Least wall time in seconds: the run that was disturbed least."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def timing() -> dict[str, float]:
    from stripeless.assessment.assess import assess

    target, nontarget = scores()
    everything = np.concatenate([target, nontarget])
    np.random.default_rng(1).shuffle(everything)
    assess(target[:1000], nontarget[:1000])  # imports
    return {
        "np.sort": best_of(lambda: np.sort(everything)),
        "assess": best_of(lambda: assess(target, nontarget)),
    }


def leak_test() -> dict[str, float]:
    """What the test for a leak adds where everybody is named: 200 people of two sexes, 4 million trials."""
    from stripeless.scores.trials import Factor, TrialScores
    from stripeless.verdicts.evidence import Row, evidence_of

    people, recordings, rng = 200, 200, np.random.default_rng(0)
    enrolled, judged = np.divmod(rng.permutation(people * people * recordings) // recordings, people)
    within = enrolled % 2 == judged % 2
    enrolled, judged = enrolled[within].astype(np.int32), judged[within].astype(np.int32)
    values = rng.standard_normal(enrolled.size) + rng.standard_normal((people, people))[enrolled, judged]
    own = enrolled == judged
    names = tuple(f"p{k}" for k in range(people))
    trials = TrialScores(
        values[own],
        values[~own],
        enrollment_speakers=Factor(names, enrolled[own], enrolled[~own]),
        trial_speakers=Factor(names, judged[own], judged[~own]),
        columns={"sex": Factor(("f", "m"), judged[own] % 2, judged[~own] % 2)},
    )
    evidence_of([Row("", "", trials)])  # imports
    return {
        "np.sort": best_of(lambda: np.sort(values)),
        "np.argsort": best_of(lambda: np.argsort(values)),
        "test": best_of(lambda: evidence_of([Row("", "", trials)])),
    }


def memory() -> dict[str, float]:
    from stripeless.assessment.assess import assess

    target, nontarget = scores()
    assess(target[:1000], nontarget[:1000])
    before = peak()
    assess(target, nontarget)
    return {"extra": peak() - before, "input": target.nbytes + nontarget.nbytes}


def llreval() -> dict[str, float]:
    """EER, Cllr and Cllr_min by llreval, and everything by assess."""
    from llreval import quick_eval

    from stripeless.assessment.assess import assess

    target, nontarget = scores()
    assess(target[:1000], nontarget[:1000])
    return {
        "llreval": best_of(lambda: quick_eval.tarnon_2_eer_cllr_mincllr(target, nontarget), 2),
        "assess": best_of(lambda: assess(target, nontarget)),
    }


def bootstrap() -> dict[str, float]:
    """Seconds for 1,000 clustered resamples of all measures: a challenge-sized test, and a million scores."""
    from stripeless.measures.catalog import numbers_of_scores
    from stripeless.measures.uncertainty.bootstrap import People, Resampler, resampled_values

    rng = np.random.default_rng(0)
    found = {}
    for n_t, n_n, speakers in ((548, 11_196, 29), (100_000, 900_000, 1000)):
        own = rng.integers(0, speakers, n_t)
        pairs = rng.integers(0, speakers, n_n), rng.integers(0, speakers, n_n)
        resampler = Resampler(rng.normal(1, 1, n_t), rng.normal(-1, 1, n_n), People(speakers, (own, own), pairs))
        resampled_values(resampler, numbers_of_scores(), 1, 0)
        found[f"{n_t + n_n:,} trials"] = best_of(
            lambda r=resampler: resampled_values(r, numbers_of_scores(), 1000, 0), 1
        )
    return found


def in_own_process(name: str) -> dict[str, float]:
    """Each part in a fresh process, so that peak memory is its own."""
    out = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True).stdout
    return dict(json.loads(out))


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(globals()[sys.argv[1]]()))
        return
    t = in_own_process("timing")
    print(f"assess of {TARGETS:,} + {NONTARGETS:,} scores, without intervals")
    print(
        f"  np.sort {t['np.sort']:.2f} s, assess {t['assess']:.2f} s: {t['assess'] / t['np.sort']:.2f} times np.sort (at most 4)"
    )
    e = in_own_process("leak_test")
    print(
        f"the test for a leak, 4 M trials, 200 people of two sexes: {e['test']:.2f} s, {e['test'] / e['np.sort']:.2f} np.sort, "
        f"{e['test'] / e['np.argsort']:.2f} times a sort with its index (at most 1)"
    )
    m = in_own_process("memory")
    print(f"  extra memory {m['extra'] / m['input']:.2f} times the input (at most 4)")
    v = in_own_process("llreval")
    print(
        f"  llreval, three measures of the same scores: {v['llreval'] / v['assess']:.1f} times as long as assess (at least 5)"
    )
    for what, seconds in in_own_process("bootstrap").items():
        print(f"1,000 clustered resamples of all measures, {what}: {seconds:.1f} s")


if __name__ == "__main__":
    main()
