"""Every measure, in the order in which it is shown: one entry each, from which everything else follows.

A new measure is a file of this folder and an entry here. The entry says how it is computed from one sorted pass, what it can
be, how it is shown, and where besides the table of all measures it appears (`MeasureInfo`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from stripeless.measures.cllr import hull_cllr
from stripeless.measures.eer import crossing, kaldi_crossing
from stripeless.measures.key_length import hull_key_length
from stripeless.measures.linkability import binned_sorted, hull_linkability
from stripeless.measures.low_false_alarm import hit_rate_of, proven_epsilon
from stripeless.measures.measure import MeasureInfo
from stripeless.measures.one_pass import ScorePass, cllr_of, of_hull, of_sorted, of_stairs
from stripeless.measures.similarity import SimilarityMatrix, de_identification, gain_of_voice_distinctiveness
from stripeless.measures.zebra import D_ECE_MAX, category_of, hull_d_ece, hull_log10_lr, log10_lr_limit


def _hit_rate(name: str, percent: str, rate: float, meaning: str, *, headline: int = 0, short: str = "") -> MeasureInfo:
    """A hit rate: by chance as many targets as strangers pass the threshold."""
    return MeasureInfo(
        name, f"Hit rate at {percent} false alarms", "", "low", rate, 1.0, meaning, "after VoxGuard",
        lowest=0.0, highest=1.0, rate=True, table_digits=2, compute=partial(hit_rate_of, rate), false_alarm_rate=rate,
        headline=headline, short=short,
    )  # fmt: skip


def _epsilon(scores: ScorePass) -> float:
    return proven_epsilon(scores.stairs, FALSE_ALARM_RATES.values(), scores.nontarget.size)


def _reach_of_worst_case(scores: ScorePass) -> float:
    return log10_lr_limit(scores.hull.n_target, scores.hull.n_nontarget)


_OF_SCORES = (
    MeasureInfo(
        "eer", "Equal error rate", "", "high", 0.5, 0.0,
        "How often the attacker is wrong when as many matches are missed as wrongly claimed. 50 % is guessing.",
        "ROC with straight lines between corners, ties pooled, never folded",
        lowest=0.0, highest=1.0, rate=True, table_digits=2, compute=of_stairs(crossing), headline=1, by_group=True,
    ),
    MeasureInfo(
        "eer_rocch", "EER on the convex hull", "", "high", 0.5, 0.0,
        "The same for an attacker who makes the best of the scores, even of reversed ones over part of their range.",
        "Brummer 2010",
        lowest=0.0, highest=0.5, rate=True, table_digits=2, compute=of_hull(crossing),
    ),
    MeasureInfo(
        "eer_kaldi", "EER as Kaldi prints it", "", "high", 0.5, 0.0,
        "The EER of the VoicePrivacy tables, for comparison with them.",
        "Kaldi compute-eer",
        lowest=0.0, highest=1.0, rate=True, table_digits=2, compute=of_sorted(kaldi_crossing),
    ),
    MeasureInfo(
        "cllr", "Cllr", "bit", "high", 1.0, 0.0,
        "What it costs to believe the scores as log-likelihood ratios. Above 1 they mislead: a sign of scores that were "
        "never calibrated, not of privacy.",
        "Brummer & du Preez 2006",
        lowest=0.0, digits=3, table_digits=1, compute=cllr_of,
    ),
    MeasureInfo(
        "cllr_min", "Cllr_min", "bit", "high", 1.0, 0.0,
        "The same after the best recalibration: the uncertainty, out of 1 bit, that is left to the attacker.",
        "Brummer & du Preez 2006",
        lowest=0.0, highest=1.0, digits=3, compute=of_hull(hull_cllr), by_group=True,
    ),
    MeasureInfo(
        "d_ece", "Expected disclosure D_ECE", "bit", "low", 0.0, D_ECE_MAX,
        "What the attacker learns on average, whatever they believed before. 0 is perfect privacy, 0.72 none.",
        "ZEBRA, Eq. 6 (Nautsch et al. 2020)",
        lowest=0.0, highest=D_ECE_MAX, digits=3, compute=of_hull(hull_d_ece), headline=3, by_group=True, short="D_ECE (bit)",
    ),
    MeasureInfo(
        "log10_lr", "Worst-case disclosure", "log10 LR", "low", 0.0, None,
        "The strongest single piece of evidence seen: 2 means 100 to 1 for or against a match. It grows with the number "
        "of trials, up to its reach.",
        "ZEBRA, Eq. 8",
        lowest=0.0, interval="percentiles", compute=of_hull(hull_log10_lr), reach=_reach_of_worst_case,
        headline=5, by_group=True, short="Worst case, log10 LR",
    ),
    MeasureInfo(
        "category", "ZEBRA category", "", "low", None, None,
        "The worst case in words: 0 no evidence, A below 10 to 1, B below 100, C below 10,000, D, E, F beyond.",
        "ZEBRA, Table 1",
        reads="log10_lr", in_words=category_of, headline=6, by_group=True,
    ),
    MeasureInfo(
        "linkability", "Linkability", "", "low", 0.0, 1.0,
        "How surely a matching pair gives itself away, on average. 0 is private, 1 is certain.",
        "Gomez-Barrero et al. 2018; VoicePrivacy 2020, Eq. 2-3, likelihood ratios by PAV",
        lowest=0.0, highest=1.0, digits=3, compute=of_hull(hull_linkability), headline=4, by_group=True,
    ),
    MeasureInfo(
        "linkability_binned", "Linkability as in the tables", "", "low", 0.0, 1.0,
        "The histogram estimate of the VoicePrivacy tables, for comparison with them. Of few trials it can lie far below the "
        "linkability without bins: 0.5 where 100 matches all give themselves away.",
        "VoicePrivacy 2020, Tables 6 and 7",
        lowest=0.0, highest=1.0, digits=3, compute=of_sorted(binned_sorted),
    ),
    _hit_rate(
        "hit_rate_1pct", "1 %", 1e-2,
        "The share of matches found by an attacker who may be wrong about one stranger in a hundred.",
        headline=2, short="Hits at 1 % false alarms",
    ),
    _hit_rate("hit_rate_0_1pct", "0.1 %", 1e-3, "The same with one stranger in a thousand."),
    _hit_rate("hit_rate_0_01pct", "0.01 %", 1e-4, "The same with one stranger in ten thousand."),
    MeasureInfo(
        "epsilon", "Proven privacy loss", "nat", "low", 0.0, None,
        "A lower limit (95 %), no measured value: a promise of differential privacy with a smaller epsilon is not kept. Found "
        "from the hit rates, by drawing people; where nobody is named, trials pass for independent. 0 proves nothing.",
        "ln(hit rate / false-alarm rate) with the lower limit over speakers, else with Clopper-Pearson limits",
        lowest=0.0, interval="none", compute=_epsilon,
    ),
    MeasureInfo(
        "key_length", "Key length", "bit", "low", 0.0, None,
        "How many bits a match tells about who speaks.",
        "after Veldhuis 2015, on the convex hull",
        lowest=0.0, compute=of_hull(hull_key_length),
    ),
)  # fmt: skip


def _de_identification(matrices: Mapping[str, SimilarityMatrix]) -> float:
    return de_identification(matrices["oa"], matrices["oo"])


def _gain(matrices: Mapping[str, SimilarityMatrix]) -> float:
    return gain_of_voice_distinctiveness(matrices["aa"], matrices["oo"])


_OF_VOICES = (
    MeasureInfo(
        "de_identification", "De-identification", "share", "high", None, None,
        "How much of what tied voices to speakers is gone for an attacker who compares them as they stand.",
        "VoicePrivacy 2020, Eq. 8 (Noe et al. 2020)",
        highest=1.0, rate=True, table_digits=1, compute=_de_identification,
    ),
    MeasureInfo(
        "gain_of_voice_distinctiveness", "Gain of voice distinctiveness", "dB", "none", None, None,
        "How much better anonymized voices can be told apart than the original ones; below 0 is a loss of use.",
        "VoicePrivacy 2020, Eq. 7 (Noe et al. 2020)",
        table_digits=2, compute=_gain,
    ),
)  # fmt: skip

_RANKS = "Baeckstroem et al., Privacy disclosure of similarity rank, section IV-C"
_OF_RANKS = (  # computed by `ranks.disclosure`
    MeasureInfo(
        "mean_disclosure", "Mean disclosure (MeanD)", "bit", "low", 0.0, None,
        "bits that one observation gives away on average", _RANKS, lowest=0.0, short="MeanD (bit)",
    ),
    MeasureInfo(
        "id_rate", "Identification rate (IdR)", "share", "low", None, None,
        "how often the most similar template is the right one", _RANKS, lowest=0.0, highest=1.0, rate=True, short="IdR (%)",
    ),
    MeasureInfo(
        "max_disclosure", "Maximum disclosure (MaxD)", "bit", "low", 0.0, None,
        "bits given away at the most telling rank", _RANKS, lowest=0.0, short="MaxD (bit)",
    ),
    MeasureInfo(
        "std_disclosure", "Deviation of disclosure (StDD)", "bit", "low", 0.0, None,
        "how much disclosure differs between observations", _RANKS, lowest=0.0, short="StDD (bit)",
    ),
    MeasureInfo(
        "spread", "Rank spread (Spread)", "share", "low", None, None,
        "share of ranks that an observation makes more likely", _RANKS, lowest=0.0, highest=1.0, rate=True,
        short="Spread (%)",
    ),
)  # fmt: skip

MEASURES: dict[str, MeasureInfo] = {info.name: info for info in _OF_SCORES}
SIMILARITY_MEASURES: dict[str, MeasureInfo] = {info.name: info for info in _OF_VOICES}
RANK_MEASURES: dict[str, MeasureInfo] = {info.name: info for info in _OF_RANKS}
FALSE_ALARM_RATES: dict[str, float] = {
    info.name: info.false_alarm_rate for info in _OF_SCORES if info.false_alarm_rate is not None
}


def info_of(name: str) -> MeasureInfo | None:
    """The entry of a measure of scores, of the similarity of voices or of ranks; None where nobody listed it.

    >>> info_of("eer").label, info_of("de_identification").unit, info_of("made up")
    ('Equal error rate', 'share', None)
    """
    return MEASURES.get(name) or SIMILARITY_MEASURES.get(name) or RANK_MEASURES.get(name)


def numbers_of_scores() -> tuple[str, ...]:
    """The measures that are computed from scores: all but those that another one is read for."""
    return tuple(info.name for info in MEASURES.values() if info.compute is not None)


def headlines() -> tuple[str, ...]:
    """The key numbers that open a report, in their order."""
    return tuple(sorted((n for n, info in MEASURES.items() if info.headline), key=lambda n: MEASURES[n].headline))


def headlines_on_a_scale() -> tuple[str, ...]:
    """Those that lie between chance and full exposure, so that a figure can place them; in the order of the catalog."""
    return tuple(name for name, info in MEASURES.items() if info.headline and info.exposed is not None)
