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
    from stripeless.audio.corpus_files import read_corpus as read_corpus
    from stripeless.audio.recordings import Recording as Recording
    from stripeless.audio.recordings import read_recording as read_recording
    from stripeless.audio.recordings import write_recording as write_recording
    from stripeless.embeddings.embeddings import Embeddings as Embeddings
    from stripeless.errors import (
        InputError as InputError,
    )
    from stripeless.errors import (
        MissingExtra as MissingExtra,
    )
    from stripeless.errors import (
        StripelessError as StripelessError,
    )
    from stripeless.metrics.assessment import Assessment as Assessment
    from stripeless.metrics.assessment import assess as assess
    from stripeless.metrics.assessment import assess_scores as assess_scores
    from stripeless.metrics.cllr import cllr as cllr
    from stripeless.metrics.cllr import cllr_min as cllr_min
    from stripeless.metrics.compare import compare_scores as compare_scores
    from stripeless.metrics.ece import ece_profile as ece_profile
    from stripeless.metrics.eer import eer as eer
    from stripeless.metrics.eer import eer_kaldi as eer_kaldi
    from stripeless.metrics.eer import eer_rocch as eer_rocch
    from stripeless.metrics.groups import assess_groups as assess_groups
    from stripeless.metrics.key_length import key_length as key_length
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
    from stripeless.metrics.other_tools import eer_by_tool as eer_by_tool
    from stripeless.metrics.roc import roc as roc
    from stripeless.metrics.roc import roc_hull as roc_hull
    from stripeless.metrics.zebra import Zebra as Zebra
    from stripeless.metrics.zebra import zebra as zebra
    from stripeless.plots import plot_calibration as plot_calibration
    from stripeless.plots import plot_det as plot_det
    from stripeless.plots import plot_ece as plot_ece
    from stripeless.plots import plot_measures as plot_measures
    from stripeless.plots import plot_scores as plot_scores
    from stripeless.plots import save_figure as save_figure
    from stripeless.protocols.evaluation import Evaluation as Evaluation
    from stripeless.protocols.voice_evaluation import evaluate_voices as evaluate_voices
    from stripeless.report import render_html as render_html
    from stripeless.scores.calibration import fit_logistic_calibration as fit_logistic_calibration
    from stripeless.scores.calibration import fit_pav as fit_pav
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
    "metrics.compare": ("compare_scores",),
    "protocols.evaluation": ("Evaluation",),
    "plots": ("plot_calibration", "plot_det", "plot_ece", "plot_measures", "plot_scores", "save_figure"),
    "report": ("render_html",),
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
