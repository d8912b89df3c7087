"""How much of a person still shows in data meant to hide them.

    >>> import stripeless
    >>> stripeless.eer([2.0, 3.0, 4.0], [-1.0, 0.0, 2.5])
    0.3333333333333333

The public names are below; each is imported when it is first used, so that `import stripeless` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stripeless.anonymizers.mcadams import mcadams as mcadams
    from stripeless.anonymizers.pole_radius import pole_radius as pole_radius
    from stripeless.attacks.linear import fit_affine as fit_affine
    from stripeless.attacks.linear import fit_cca as fit_cca
    from stripeless.attacks.linear import fit_ridge as fit_ridge
    from stripeless.attacks.linear_map import LinearMap as LinearMap
    from stripeless.attacks.procrustes import fit_procrustes as fit_procrustes
    from stripeless.attacks.wasserstein import fit_wasserstein_procrustes as fit_wasserstein_procrustes
    from stripeless.audio.corpus_files import read_corpus as read_corpus
    from stripeless.audio.f0 import f0_histogram as f0_histogram
    from stripeless.audio.f0 import yin as yin
    from stripeless.audio.pitch import pitch_track as pitch_track
    from stripeless.audio.recordings import Recording as Recording
    from stripeless.audio.recordings import read_recording as read_recording
    from stripeless.audio.recordings import write_recording as write_recording
    from stripeless.audio.units import fit_units as fit_units
    from stripeless.embeddings.embeddings import Embeddings as Embeddings
    from stripeless.embeddings.files import read_embeddings as read_embeddings
    from stripeless.embeddings.files import write_embeddings as write_embeddings
    from stripeless.embeddings.plda import fit_plda as fit_plda
    from stripeless.embeddings.style import style_vector as style_vector
    from stripeless.errors import (
        InputError as InputError,
    )
    from stripeless.errors import (
        MissingExtra as MissingExtra,
    )
    from stripeless.errors import (
        StripelessError as StripelessError,
    )
    from stripeless.listening.ranks import normalized_ranks as normalized_ranks
    from stripeless.listening.ratings import Ratings as Ratings
    from stripeless.listening.ratings import read_ratings as read_ratings
    from stripeless.listening.study import ListeningStudy as ListeningStudy
    from stripeless.listening.study import listening_study as listening_study
    from stripeless.metrics.assess_files import assess_files as assess_files
    from stripeless.metrics.assessment import Assessment as Assessment
    from stripeless.metrics.assessment import assess as assess
    from stripeless.metrics.assessment import assess_scores as assess_scores
    from stripeless.metrics.beta_binomial import BetaBinomial as BetaBinomial
    from stripeless.metrics.beta_binomial import fit_beta_binomial as fit_beta_binomial
    from stripeless.metrics.beta_binomial import goodness_of_fit as goodness_of_fit
    from stripeless.metrics.cllr import cllr as cllr
    from stripeless.metrics.cllr import cllr_min as cllr_min
    from stripeless.metrics.compare import compare_scores as compare_scores
    from stripeless.metrics.ece import ece_profile as ece_profile
    from stripeless.metrics.eer import eer as eer
    from stripeless.metrics.eer import eer_kaldi as eer_kaldi
    from stripeless.metrics.eer import eer_rocch as eer_rocch
    from stripeless.metrics.groups import assess_groups as assess_groups
    from stripeless.metrics.key_length import key_length as key_length
    from stripeless.metrics.lid import lid as lid
    from stripeless.metrics.linkability import (
        linkability as linkability,
    )
    from stripeless.metrics.linkability import (
        linkability_binned as linkability_binned,
    )
    from stripeless.metrics.linkability import (
        local_linkability as local_linkability,
    )
    from stripeless.metrics.low_false_alarm import hit_rate as hit_rate
    from stripeless.metrics.low_false_alarm import low_false_alarm as low_false_alarm
    from stripeless.metrics.measure import Measure as Measure
    from stripeless.metrics.mutual_information import mutual_information as mutual_information
    from stripeless.metrics.other_tools import eer_by_tool as eer_by_tool
    from stripeless.metrics.rank import RankCounts as RankCounts
    from stripeless.metrics.rank import count_ranks as count_ranks
    from stripeless.metrics.rank import count_score_ranks as count_score_ranks
    from stripeless.metrics.rank import true_ranks as true_ranks
    from stripeless.metrics.rank_analysis import RankReport as RankReport
    from stripeless.metrics.rank_analysis import analyze_ranks as analyze_ranks
    from stripeless.metrics.rank_disclosure import RankDisclosure as RankDisclosure
    from stripeless.metrics.rank_disclosure import cumulative_match as cumulative_match
    from stripeless.metrics.rank_disclosure import individual_disclosure as individual_disclosure
    from stripeless.metrics.rank_disclosure import k_anonymity as k_anonymity
    from stripeless.metrics.rank_disclosure import rank_disclosure as rank_disclosure
    from stripeless.metrics.rank_speakers import speaker_disclosure as speaker_disclosure
    from stripeless.metrics.rank_stream import stream_disclosure as stream_disclosure
    from stripeless.metrics.rank_stream import stream_ranks as stream_ranks
    from stripeless.metrics.rank_sum import add_disclosures as add_disclosures
    from stripeless.metrics.rank_sum import rank_independence as rank_independence
    from stripeless.metrics.ranking import rank_systems as rank_systems
    from stripeless.metrics.roc import roc as roc
    from stripeless.metrics.roc import roc_hull as roc_hull
    from stripeless.metrics.similarity import de_identification as de_identification
    from stripeless.metrics.similarity import gain_of_voice_distinctiveness as gain_of_voice_distinctiveness
    from stripeless.metrics.similarity import similarity_matrix as similarity_matrix
    from stripeless.metrics.singling_out import one_to_n_linkability as one_to_n_linkability
    from stripeless.metrics.singling_out import singling_out as singling_out
    from stripeless.metrics.top_k import top_k_accuracy as top_k_accuracy
    from stripeless.metrics.zebra import Zebra as Zebra
    from stripeless.metrics.zebra import zebra as zebra
    from stripeless.plots import plot_calibration as plot_calibration
    from stripeless.plots import plot_det as plot_det
    from stripeless.plots import plot_ece as plot_ece
    from stripeless.plots import plot_measures as plot_measures
    from stripeless.plots import plot_scores as plot_scores
    from stripeless.plots import save_figure as save_figure
    from stripeless.protections.labels import bin_attribute as bin_attribute
    from stripeless.protections.lda import LdaProtection as LdaProtection
    from stripeless.protections.lda import fit_lda_protection as fit_lda_protection
    from stripeless.protections.load import load_protection as load_protection
    from stripeless.protections.moments import MomentProtection as MomentProtection
    from stripeless.protections.moments import fit_moment_protection as fit_moment_protection
    from stripeless.protections.pseudo.catalog import make_pseudo_speakers as make_pseudo_speakers
    from stripeless.protections.pseudo.pool import Pool as Pool
    from stripeless.protections.settings import AdversarialSettings as AdversarialSettings
    from stripeless.protections.settings import FlowSettings as FlowSettings
    from stripeless.protections.train_adversarial import fit_adversarial_protection as fit_adversarial_protection
    from stripeless.protections.train_flow import fit_flow_protection as fit_flow_protection
    from stripeless.protocols.attack_study import attack_study as attack_study
    from stripeless.protocols.attackers import play_attackers as play_attackers
    from stripeless.protocols.attribute import AttributeProof as AttributeProof
    from stripeless.protocols.attribute import judge_protection as judge_protection
    from stripeless.protocols.attribute_calibration import llr_calibration as llr_calibration
    from stripeless.protocols.attribute_rotation import judge_in_rotation as judge_in_rotation
    from stripeless.protocols.evaluation import Evaluation as Evaluation
    from stripeless.protocols.published import read_published as read_published
    from stripeless.protocols.systems import compare_systems as compare_systems
    from stripeless.protocols.voice_evaluation import evaluate_voices as evaluate_voices
    from stripeless.report import render_html as render_html
    from stripeless.scores.calibration import fit_logistic_calibration as fit_logistic_calibration
    from stripeless.scores.calibration import fit_pav as fit_pav
    from stripeless.scores.comparison import compare_embeddings as compare_embeddings
    from stripeless.scores.files import read_scores as read_scores
    from stripeless.scores.files import write_scores as write_scores
    from stripeless.scores.trials import TrialScores as TrialScores

_HOME = {
    "protocols.voice_evaluation": ("evaluate_voices",),
    "audio.corpus_files": ("read_corpus",),
    "audio.recordings": (
        "Recording",
        "read_recording",
        "write_recording",
    ),
    "anonymizers.pole_radius": ("pole_radius",),
    "anonymizers.mcadams": ("mcadams",),
    "errors": ("InputError", "MissingExtra", "StripelessError"),
    "embeddings.embeddings": ("Embeddings",),
    "protections.lda": ("LdaProtection", "fit_lda_protection"),
    "protections.moments": ("MomentProtection", "fit_moment_protection"),
    "protections.train_adversarial": ("fit_adversarial_protection",),
    "protections.train_flow": ("fit_flow_protection",),
    "protections.settings": ("AdversarialSettings", "FlowSettings"),
    "protections.load": ("load_protection",),
    "protections.labels": ("bin_attribute",),
    "protections.pseudo.catalog": ("make_pseudo_speakers",),
    "protections.pseudo.pool": ("Pool",),
    "scores.trials": ("TrialScores",),
    "scores.files": ("read_scores", "write_scores"),
    "scores.calibration": ("fit_logistic_calibration", "fit_pav"),
    "metrics.measure": ("Measure",),
    "metrics.eer": ("eer", "eer_kaldi", "eer_rocch"),
    "metrics.cllr": ("cllr", "cllr_min"),
    "metrics.zebra": ("Zebra", "zebra"),
    "metrics.linkability": ("linkability", "linkability_binned", "local_linkability"),
    "metrics.ece": ("ece_profile",),
    "metrics.roc": ("roc", "roc_hull"),
    "metrics.low_false_alarm": ("hit_rate", "low_false_alarm"),
    "metrics.key_length": ("key_length",),
    "metrics.other_tools": ("eer_by_tool",),
    "metrics.assessment": ("Assessment", "assess", "assess_scores"),
    "metrics.groups": ("assess_groups",),
    "metrics.assess_files": ("assess_files",),
    "metrics.rank": ("RankCounts", "count_ranks", "count_score_ranks", "true_ranks"),
    "metrics.rank_disclosure": (
        "RankDisclosure",
        "cumulative_match",
        "individual_disclosure",
        "k_anonymity",
        "rank_disclosure",
    ),
    "metrics.beta_binomial": ("BetaBinomial", "fit_beta_binomial", "goodness_of_fit"),
    "metrics.rank_speakers": ("speaker_disclosure",),
    "metrics.rank_sum": ("add_disclosures", "rank_independence"),
    "metrics.rank_stream": ("stream_disclosure", "stream_ranks"),
    "metrics.rank_analysis": ("RankReport", "analyze_ranks"),
    "audio.f0": ("f0_histogram", "yin"),
    "audio.pitch": ("pitch_track",),
    "audio.units": ("fit_units",),
    "embeddings.style": ("style_vector",),
    "metrics.compare": ("compare_scores",),
    "metrics.mutual_information": ("mutual_information",),
    "protocols.attribute": ("AttributeProof", "judge_protection"),
    "protocols.attribute_calibration": ("llr_calibration",),
    "protocols.attribute_rotation": ("judge_in_rotation",),
    "protocols.evaluation": ("Evaluation",),
    "protocols.published": ("read_published",),
    "protocols.systems": ("compare_systems",),
    "metrics.ranking": ("rank_systems",),
    "listening.ratings": ("Ratings", "read_ratings"),
    "listening.ranks": ("normalized_ranks",),
    "listening.study": ("ListeningStudy", "listening_study"),
    "plots": ("plot_calibration", "plot_det", "plot_ece", "plot_measures", "plot_scores", "save_figure"),
    "report": ("render_html",),
    "embeddings.files": (
        "read_embeddings",
        "write_embeddings",
    ),
    "attacks.procrustes": ("fit_procrustes",),
    "attacks.wasserstein": ("fit_wasserstein_procrustes",),
    "attacks.linear": (
        "fit_affine",
        "fit_cca",
        "fit_ridge",
    ),
    "attacks.linear_map": ("LinearMap",),
    "scores.comparison": ("compare_embeddings",),
    "embeddings.plda": ("fit_plda",),
    "metrics.similarity": (
        "de_identification",
        "gain_of_voice_distinctiveness",
        "similarity_matrix",
    ),
    "metrics.singling_out": (
        "one_to_n_linkability",
        "singling_out",
    ),
    "metrics.lid": ("lid",),
    "metrics.top_k": ("top_k_accuracy",),
    "protocols.attackers": ("play_attackers",),
    "protocols.attack_study": ("attack_study",),
}
_WHERE = {name: f"stripeless.{module}" for module, names in _HOME.items() for name in names}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'stripeless' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
