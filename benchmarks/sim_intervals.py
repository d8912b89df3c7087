"""How often a 95 % interval covers the truth: ours against plain percentiles, on simulated tests of 30 speakers.

    python benchmarks/sim_intervals.py [tests] [resamples]

Speakers differ in how well they can be recognized, so trials of one speaker are alike: the case that intervals over trials miss.
"""

from __future__ import annotations

import sys

import numpy as np

from stripeless.measures.catalog import MEASURES
from stripeless.measures.one_pass import score_pass
from stripeless.measures.uncertainty.bootstrap import People, Resampler, resampled_values
from stripeless.measures.uncertainty.interval import interval

NAMES = ("eer", "eer_rocch", "cllr_min", "d_ece", "linkability", "hit_rate_1pct", "key_length")
SPEAKERS, UTTERANCES, DIMENSION = 30, 18, 16


def simulated_test(speakers: int, strength: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, People]:
    """Cosine scores of every enrolled speaker against every utterance; strength 0 hides everything."""
    voices = rng.normal(size=(speakers, DIMENSION)) * strength * rng.gamma(4, 0.25, size=(speakers, 1))
    enrolled = voices + rng.normal(size=voices.shape) / 3
    spoken_by = np.repeat(np.arange(speakers), UTTERANCES)
    spoken = voices[spoken_by] + rng.normal(size=(spoken_by.size, DIMENSION))
    enrolled /= np.linalg.norm(enrolled, axis=1, keepdims=True)
    spoken /= np.linalg.norm(spoken, axis=1, keepdims=True)
    scores = (enrolled @ spoken.T).ravel()
    model, talker = np.repeat(np.arange(speakers), spoken_by.size), np.tile(spoken_by, speakers)
    same = model == talker
    people = People(speakers, (model[same], talker[same]), (model[~same], talker[~same]))
    return scores[same], scores[~same], people


def main() -> None:
    tests, resamples = (int(a) for a in [*sys.argv[1:], "200", "300"][:2])
    print(
        f"{tests} tests of {SPEAKERS} speakers x {UTTERANCES} utterances, {resamples} resamples; share that covers the truth"
    )
    for strength in (0.0, 0.3, 0.8):
        large = score_pass(*simulated_test(1500, strength, np.random.default_rng(99))[:2])
        truth = {name: MEASURES[name].of(large) for name in NAMES}
        covered = {name: np.zeros(3) for name in NAMES}
        for k in range(tests):
            target, nontarget, people = simulated_test(SPEAKERS, strength, np.random.default_rng(k))
            one = score_pass(target, nontarget)
            by_speaker = resampled_values(Resampler(target, nontarget, people), NAMES, resamples, k)
            by_trial = resampled_values(Resampler(target, nontarget, None), NAMES, resamples, k)
            for name in NAMES:
                value = MEASURES[name].of(one)
                ours = interval(name, value, by_speaker[name], SPEAKERS)
                trials = interval(name, value, by_trial[name], target.size)
                percentiles = np.quantile(by_speaker[name], [0.025, 0.975])
                for j, ends in enumerate((ours, percentiles, trials)):
                    covered[name][j] += ends is not None and ends[0] <= truth[name] <= ends[1]
        print(f"\nstrength {strength}: true EER {truth['eer']:.3f}")
        print(f"{'measure':16} {'truth':>8} {'ours':>8} {'percentiles':>12} {'over trials':>12}")
        for name in NAMES:
            shares = covered[name] / tests
            print(f"{name:16} {truth[name]:8.4f} {shares[0]:8.2f} {shares[1]:12.2f} {shares[2]:12.2f}")


if __name__ == "__main__":
    main()
