"""Every code that a finding can carry: how serious it can be, what it is called, and which part of the package gives it.

docs/reference/findings.md explains each. New codes are in snake_case; those of 0.1 with hyphens keep their names, because
results on disk and scripts of users name them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stripeless.verdicts.finding import Finding, Severity

SEVERITIES: tuple[Severity, ...] = ("serious", "caution", "remark")


@dataclass(frozen=True)
class Code:
    """A code, the severities it can come with, a short title, and the commands or functions that give it."""

    code: str
    severities: tuple[Severity, ...]
    title: str
    given_by: tuple[str, ...]


SCORES = ("assess", "compare", "evaluate")  # whatever hands back an assessment of scores
SCORES_AND_VECTORS = (*SCORES, "play_attackers")
VOICES = ("evaluate",)
EMBEDDED = ("play_attackers",)
COPIED = (*EMBEDDED, *VOICES, "attack")
CEILING = ("assess",)  # with --original
BELOW = ("assess", "evaluate")
RANKS = ("rank",)
RATINGS = ("listen",)
SYSTEMS = ("compare",)  # with --rank or --among
ATTRIBUTE = ("protect",)

CODES: dict[str, Code] = {
    code.code: code
    for code in (
        # scores: assessment/doctor/scores.py
        Code("constant", ("serious",), "Every score is the same", SCORES),
        Code("signs_swapped", ("serious", "caution"), "Targets score lower than nontargets", SCORES),
        Code("tail_leak", ("caution",), "The EER hides people who are recognized", SCORES),
        Code("chance", ("caution",), "The attacker guesses", SCORES),
        Code("category_at_reach", ("caution", "remark"), "The worst case is as bad as these trials can show", SCORES),
        # what is no score: assessment/doctor/fillers.py, themselves.py, listed.py
        Code("infinite_scores", ("caution", "remark"), "Some scores are infinite", SCORES),
        Code("failed_scores", ("serious", "caution"), "Failed comparisons have a score", SCORES),
        Code("filler_score", ("caution",), "One value fills many trials", SCORES),
        Code("self_comparison", ("serious",), "Recordings are compared with themselves", SCORES),
        Code("few_distinct_scores", ("caution",), "Decisions in place of scores", SCORES),
        Code("repeated_trials", ("caution",), "Trials are listed several times", SCORES),
        # what no threshold on all scores shows: assessment/doctor/middle.py, pooled.py
        Code("narrow_targets", ("caution",), "The distance from the middle tells more than the score", SCORES),
        Code("cross_sex_nontargets", ("caution",), "Most nontargets are of the other sex", SCORES),
        Code("pooled_groups", ("caution",), "Pooled groups give another result than each by itself", SCORES),
        Code("uneven_composition", ("caution",), "Targets and nontargets are of other groups", SCORES),
        Code(
            "exposed_group",
            ("caution",),
            "A group of people is recognized, though the average is not",
            SCORES_AND_VECTORS,
        ),
        Code("clustered_trials", ("caution",), "Neighboring trials are alike, and nobody is named", SCORES),
        # trials: assessment/doctor/trials.py; recordings without a copy: studies/missing.py
        Code("missing", ("caution",), "Trials without a score were left out", SCORES),
        Code("missing_unbalanced", ("serious",), "One kind of trial is missing more often", SCORES),
        Code("few_trials", ("caution",), "Too few trials for a claim", SCORES),
        Code("few_errors", ("remark",), "Too few errors for the size of the EER", SCORES),
        # people: assessment/doctor/people.py
        Code("speakers_unknown", ("remark",), "No speakers are named", SCORES),
        Code("few_speakers", ("caution",), "Too few speakers to speak for others", (*SCORES, *ATTRIBUTE)),
        # calibration: assessment/doctor/calibration.py
        Code("not_llr", ("serious", "remark"), "Scores that are no log-likelihood ratios", SCORES),
        # two results side by side: assessment/doctor/twins.py, studies/comparison.py, assessment/ceiling.py
        Code("identical", ("serious",), "Two results are one", ("compare", "assess")),
        Code("not_paired", ("remark",), "No paired comparison", ("compare",)),
        Code("other_trials", ("caution",), "The original was scored on other trials", CEILING),
        Code("ceiling_below", ("caution",), "The original discloses less than the result", BELOW),
        # attackers on embeddings: attackers/checks.py, attackers/play.py
        Code("weaker-though-better-informed", ("caution",), "Who knows more finds less", EMBEDDED),
        Code("above-chance", ("caution",), "An attacker is wrong more often than a guess", EMBEDDED),
        Code("not-anonymized", ("serious",), "Anonymized data equal their originals", COPIED),
        Code("training-overlap", ("serious",), "The attacker trained on people who are judged", EMBEDDED),
        Code("manifests-differ", ("serious",), "Training data were anonymized otherwise", EMBEDDED),
        Code("training-mismatch", ("caution",), "The attacker works on its own training data alone", EMBEDDED),
        Code("untrained", ("remark",), "The attacker learned nothing", EMBEDDED),
        Code("told-apart", ("caution",), "Training and evaluation data look different", EMBEDDED),
        Code("no-semi-informed", ("caution",), "The strongest attacker was not played", (*EMBEDDED, *VOICES)),
        # content of recordings and vectors: attackers/data_findings.py
        Code("copies", ("serious",), "Enrollment is tried as well", COPIED),
        Code("shared_content", ("serious", "caution"), "One content under two names", COPIED),
        Code("training_copies", ("serious",), "Judged people teach the attacker under other names", COPIED),
        Code(
            "training_unprotected", ("serious",), "The attacker learned from unprotected speech", (*EMBEDDED, *VOICES)
        ),
        # attackers on recordings
        Code("room", ("caution",), "The room identifies the speakers", VOICES),
        Code("same_output", ("serious", "caution"), "Different recordings became one", VOICES),
        Code("exchanged_recordings", ("serious",), "Outputs belong to somebody else", VOICES),
        Code("weak-retraining", ("caution",), "Retraining made the attacker weaker", VOICES),
        Code("weak-encoder", ("caution",), "Only small encoders listened", VOICES),
        Code("deaf_encoder", ("caution",), "An encoder does not recognize the originals, though another does", VOICES),
        Code("weights_not_on_record", ("caution",), "A network was not the one on record", (*VOICES, "embed")),
        # ranks: ranks/analysis.py
        Code("sparse_ranks", ("caution",), "Too few probes for the histogram of ranks", RANKS),
        Code("ties", ("caution", "serious"), "Templates exactly as similar as the own one", RANKS),
        Code("reversed", ("serious",), "The own template ranks last", RANKS),
        # people who rate: listening/study.py
        Code("listener-alike", ("caution",), "A listener gives one and the same score", RATINGS),
        Code("listener-against", ("caution",), "A listener rates against everybody else", RATINGS),
        Code("few-listeners", ("caution",), "Too few listeners", RATINGS),
        Code("no-original", ("serious",), "No original speech was rated", RATINGS),
        Code("repeated", ("remark",), "Stimuli rated twice", RATINGS),
        # a hidden attribute: protections/labels.py, protections/train_flow.py, attributes/proof.py, studies/protect.py
        Code("trained_on_original", ("serious",), "Classifiers never saw protected vectors", ("judge_protection",)),
        Code("constant_dimensions", ("remark",), "Dimensions that never change", ATTRIBUTE),
        Code("exact_zeros", ("caution",), "Exact zeros show what was taken away", ATTRIBUTE),
        Code("fitting_speakers_unknown", ("caution",), "Nobody knows whom the protection was fitted on", ATTRIBUTE),
        Code("other_attribute", ("caution",), "The protection hides something else", ATTRIBUTE),
        Code("uncoded", ("caution",), "A sentence of version 0.1", ATTRIBUTE),
        # many systems: studies/systems.py
        Code("no-shared-condition", ("serious",), "Nothing to compare cell by cell", SYSTEMS),
        Code("printed-values", ("remark",), "Published values are as printed", SYSTEMS),
        Code("unknown-measures", ("remark",), "Measures not known here", SYSTEMS),
    )
}


def serious_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The same findings, serious ones first, otherwise in the order given.

    >>> [f.code for f in serious_first([Finding("chance", "caution", ""), Finding("constant", "serious", "")])]
    ['constant', 'chance']
    """
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))
