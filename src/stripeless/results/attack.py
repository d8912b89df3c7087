"""Every attack on one system of embeddings, chance and ceiling beside them, and what was tested of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from stripeless.measures.measure import Measure
from stripeless.measures.singling_out import Rate
from stripeless.results.assessment import Assessment
from stripeless.results.codec import Result, placed, unwritten
from stripeless.results.versions import versions
from stripeless.tables.inputs import InputFile
from stripeless.verdicts.evidence import Evidence
from stripeless.verdicts.finding import Finding
from stripeless.verdicts.verdict import Verdict

OTHER_PEOPLE, LOOKUP = "other people", "pseudonym lookup"


@dataclass(frozen=True)
class AttackRow:
    """One attack: what it knows, what it reached on those who are judged, what it chose for itself.

    Attributes:
        name: the attack, such as "procrustes"; "original" is the ceiling.
        knows: what the attacker knows, in words.
        measures: what it reached, by name of the measure.
        chosen: what the attack chose for itself, such as the strength of a ridge; the median over groups of people.
        notes: how it went, in sentences.
        assessment: all measures of its scores; None in a result that was read from a file.
        top_k: for each k both shares (0 to 1) of vectors whose own person is among the k nearest: inverted ones seen from
            the originals, and the other way round; empty in a result that was read from a file.
        auc: chance that a recording of the person scores above one of a stranger of the same group; None where not found.
        low, high: its 95 % limits, each one-sided; None where there are too few people.
        corrected: the AUC less what the best of so many attacks gains by luck; None where not tested.
        p: chance of so clear a link without any, all attacks that were tried paid for; None where not tested.
    """

    name: str
    knows: str
    measures: Mapping[str, Measure]
    chosen: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    assessment: Assessment | None = unwritten(default=None)
    top_k: Mapping[int, tuple[float, float]] = unwritten(default_factory=dict)
    auc: float | None = None
    low: float | None = None
    high: float | None = None
    corrected: float | None = None
    p: float | None = None


@dataclass(frozen=True)
class Spread:
    """What blind attackers (random rotations) reach in one figure.

    Attributes:
        mean: mean over the rotations.
        deviation: standard deviation over the rotations.
    """

    mean: float
    deviation: float


@dataclass(frozen=True)
class Identification:
    """Singling out and 1:N linkability with one attack, for several numbers of people and of utterances.

    Attributes:
        attack: name of the attack.
        rates: one `Rate` for each criterion, number of people, and number of utterances.
        tried: of how many attacks it is the strongest; a p below 0.05 / `tried` holds whichever it is.
    """

    attack: str
    rates: tuple[Rate, ...]
    tried: int = 1


@dataclass(frozen=True)
class Tested:
    """One question that was put to all attacks at once, by exchanging people.

    Attributes:
        p: chance of so clear an answer by luck, all attacks paid for; None where it could not be tested.
        attack: the attack that shows it best.
        measure: what was tested: "auc", or "top1_original_to_inverted" or "top1_inverted_to_original".
        value: what that attack reached.
        corrected: the same less what the best of so many gains by luck.
        chance: what is reached after exchanges, on average.
        tried: how many attacks were tried.
        exchanges: how many exchanges.
        reason: why it could not be tested, in one sentence; empty otherwise.
    """

    p: float | None = None
    attack: str = ""
    measure: str = "auc"
    value: float | None = None
    corrected: float | None = None
    chance: float | None = None
    tried: int = 0
    exchanges: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Conclusions:
    """What the two criteria of ISO/IEC 24745 allow to conclude, each as label and sentences; a failed attack proves nothing.

    Attributes:
        unlinkability: whether anonymized and original data could be linked.
        non_invertibility: whether original embeddings could be found again.
        pseudonym_lookup: whether the same pseudonym returns; empty in results of 0.1.
    """

    unlinkability: str
    non_invertibility: str
    pseudonym_lookup: str = ""


@dataclass(frozen=True, eq=False)
class AttackStudy(Result):
    """Every attack on one system, chance and ceiling beside them.

    Whatever is said about inverting was learned and judged on different people (`protocol` is "other people"). `lookup`
    asks something else: whether the pseudonym of a person returns, for an attacker who has pairs of that very person.

    Attributes:
        chance: what random rotations reach, by the name of the figure ("eer", "top1_original_to_inverted", ..).
        identification: singling out and 1:N linkability with the strongest attack, among the people of one group.
        rows: one row per attack, the ceiling ("original") first.
        curve: what Procrustes reaches for growing numbers of known pairs: `pairs`, `eer` and both top-1 shares.
        concluded: what follows for unlinkability and non-invertibility.
        training: how many utterances the attacker learns from; of several groups, the fewest.
        judged: how many utterances are attacked.
        speakers: how many people are judged.
        groups: in how many groups of people, each judged by attackers who learned from other people.
        known: how many of the judged people the attacker of `rows` learned from.
        taught: how many of the judged people are among the pairs that `paper` learned from.
        dimensions: to how many dimensions PCA reduced the vectors; None for no PCA, or where groups chose differently.
        dimensions_by_group: the same for each group.
        seed: start of the random draws.
        name: what the system is called in reports.
        inputs: the files that were read, with their SHA-256.
        versions: what computed the result: stripeless, Python, NumPy, SciPy.
        protocol: "other people"; "pseudonym lookup" in results of 0.1, whose rows learned from the people they judged.
        lookup: the same attacks, learned from half of the utterances of the people who are judged.
        paper: the same attacks in the protocol of Champion et al. 2021, learned from the pairs of enrollment; empty where
            these were not given.
        tests: what was tested, by name: "unlinkability", "non_invertibility", "pseudonym_lookup".
        evidence: what the verdicts rest on, under the same names: tests, limits over people, controls.
        warnings: what to know before believing the verdicts.
        notes: sentences on who was left out.
    """

    KIND: ClassVar[str] = "attack"

    chance: Mapping[str, Spread]
    identification: Identification
    rows: tuple[AttackRow, ...] = field(metadata={"key": "attacks", "at_least": 1})
    curve: tuple[Mapping[str, float], ...] = placed("pairs_curve")
    concluded: Conclusions = placed("conclusions")
    training: int = placed("counts.training")
    judged: int = placed("counts.judged")
    speakers: int = placed("counts.speakers")
    groups: int = placed("counts.groups", default=1)
    known: int | None = placed("counts.known", default=None)
    taught: int = placed("counts.taught", default=0)
    dimensions: int | None = placed("pca_dimensions", default=None)
    dimensions_by_group: tuple[int | None, ...] = placed("pca_dimensions_by_group", default=())
    seed: int = 0
    name: str = ""
    inputs: tuple[InputFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)
    protocol: str = LOOKUP
    lookup: tuple[AttackRow, ...] = placed("pseudonym_lookup", default=())
    paper: tuple[AttackRow, ...] = placed("champion_2021", default=())
    tests: Mapping[str, Tested] = field(default_factory=dict)
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    warnings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def verdicts(self, margin: float | None = None) -> dict[str, Verdict]:
        """The verdict on each question, by name: "unlinkability", "non_invertibility", "pseudonym_lookup".

        `margin` is the EER in percent, 30 to 45, beyond which no leak may be left for "No leak seen"; None takes that of the
        result, else 40, or 35 with fewer than 20 people. A result of 0.1 holds no test, and so no verdict.
        """
        from stripeless.results.attack_verdicts import verdicts_of

        return verdicts_of(self, margin)

    def conclusions(self) -> dict[str, Any]:
        """What the two criteria allow to conclude, by name, and whether pseudonyms return: each verdict as a text."""
        return dict(vars(self.concluded))
