"""Table 2 of Champion et al. 2021: its lines, its figures, and the data each line is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from stripeless.attackers.inversion.protocol import Sets
from stripeless.embeddings.embeddings import Embeddings
from stripeless.embeddings.files import read_embeddings
from stripeless.embeddings.vectors import of_sex
from stripeless.scores.pairs import TrialList, read_trials

SEXES = ("f", "m")
WORDS = {"f": "female", "m": "male"}
PCA_DIMENSIONS = 70


@dataclass(frozen=True)
class TableLine:
    """One line of the table. `eer` and `top1` are the printed percentages, female and male, where there are any."""

    line: int
    method: str
    extractor: str
    eer: tuple[float, float] | None = None
    top1: tuple[float, float] | None = None
    pca: bool = False
    by_sex: bool = False
    oracle: bool = False

    @property
    def what(self) -> str:
        """The line in words."""
        parts = [self.method, *(["PCA"] if self.pca else []), *(["by sex"] if self.by_sex else [])]
        return f"{self.line} {', '.join(parts)}, {self.extractor} extractor"

    @property
    def subsets(self) -> tuple[str, ...]:
        """What the attack is learned on: each sex by itself, or all at once."""
        return SEXES if self.by_sex else ("both",)

    @property
    def unpaired(self) -> bool:
        return self.method.startswith("Wasserstein")


_P, _WP = "Procrustes", "Wasserstein-Procrustes"
_O, _R = "original", "retrained"
ROWS: tuple[TableLine, ...] = (
    TableLine(1, "Original speech", _O, (10.3, 2.9)),
    TableLine(2, "Ignorant", _O, (49.0, 42.6)),
    TableLine(3, "Lazy-informed", _O, (29.4, 29.1)),
    TableLine(4, "Semi-informed", _R, (17.1, 14.1)),
    TableLine(5, _P, _O, (41.9, 30.6), (25.5, 36.6)),
    TableLine(6, _P, _O, (40.1, 31.0), (26.6, 45.8), by_sex=True),
    TableLine(7, _P, _O, (32.6, 32.7), (27.1, 40.8), pca=True),
    TableLine(8, _P, _O, (25.4, 24.4), (30.5, 50.0), pca=True, by_sex=True),
    TableLine(9, _P, _R, (29.0, 23.6), (58.7, 59.2)),
    TableLine(10, _P, _R, (27.0, 21.1), (54.8, 56.6), by_sex=True),
    TableLine(11, _P, _R, (21.5, 23.1), (51.9, 57.0), pca=True),
    TableLine(12, _P, _R, (14.6, 13.1), (59.8, 60.0), pca=True, by_sex=True),
    TableLine(13, _WP, _O, (43.6, 33.4), (25.2, 22.1)),
    TableLine(14, _WP, _O, (40.7, 35.9), (26.6, 20.9), by_sex=True),
    TableLine(15, _WP, _O, (36.3, 35.4), (24.1, 38.6), pca=True),
    TableLine(16, _WP, _O, (26.4, 25.2), (24.1, 39.4), pca=True, by_sex=True),
    TableLine(17, _WP, _R, (31.4, 24.2), (57.2, 60.2)),
    TableLine(18, _WP, _R, (28.6, 24.0), (48.6, 47.1), by_sex=True),
    TableLine(19, _WP, _R, (21.6, 23.6), (48.5, 62.1), pca=True),
    TableLine(20, _WP, _R, (14.0, 13.2), (57.4, 61.4), pca=True, by_sex=True),
    TableLine(21, f"{_P} oracle", _R, (12.1, 8.7), (98.8, 98.0), pca=True, by_sex=True, oracle=True),
    TableLine(22, f"{_WP} oracle", _R, (13.1, 10.0), (99.0, 98.4), pca=True, by_sex=True, oracle=True),
)
# Beyond the paper: attacks with pairs that are no rotations, and one whose two sets share no utterance.
MORE: tuple[TableLine, ...] = (
    TableLine(23, "Affine", _R, pca=True, by_sex=True),
    TableLine(24, "Ridge", _R, pca=True, by_sex=True),
    TableLine(25, "CCA", _R, pca=True, by_sex=True),
    TableLine(26, "Unpaired trials against enrollment", _R, pca=True, by_sex=True),
)
BY_LINE = {row.line: row for row in (*ROWS, *MORE)}


@dataclass(frozen=True, eq=False)
class InvertibilityData:
    """The x-vectors of librispeech-b1, read once."""

    folder: Path

    @cache  # noqa: B019, one corpus lives as long as the program
    def read(self, extractor: str, part: str, anonymized: bool) -> Embeddings:
        name = f"{part}_anon.scp" if anonymized else f"{part}.scp"
        return read_embeddings(self.folder / "xvectors" / extractor / name, utt2spk=self.folder / part)

    @cache  # noqa: B019
    def trials(self, sex: str) -> TrialList:
        return read_trials(self.folder / f"trials_{sex}" / "trials")

    def sets(self, extractor: str, sex: str) -> Sets:
        """Enrollment and original trials come from the original extractor, whatever made the anonymized vectors."""
        part = f"trials_{sex}"
        return Sets.of(
            self.read("original", "enrolls", False),
            self.read(extractor, part, True),
            self.read("original", part, False),
            self.trials(sex),
        )

    def training(self, row: TableLine, subset: str) -> tuple[Embeddings, Embeddings]:
        """Anonymized and original rows the attack is learned on, in file order."""
        if row.line == 26:
            return self.read(row.extractor, f"trials_{subset}", True), of_sex(self.read(_O, "enrolls", False), subset)
        if row.oracle:
            return self.read(row.extractor, f"trials_{subset}", True), self.read("original", f"trials_{subset}", False)
        pair = self.read(row.extractor, "enrolls", True), self.read("original", "enrolls", False)
        return pair if subset == "both" else (of_sex(pair[0], subset), of_sex(pair[1], subset))
