"""The tables of the VoicePrivacy 2020 supplement (Tomashenko et al. 2021, hal-03335126v2), Tables 2 to 18, as data.

Values are those printed, in our units: percentages become shares of 1. A user's system can thus stand among B1, B2,
... S2c1. The second row of VCTK different in Tables 13 to 15, printed female twice, is male.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

from stripeless.measures.catalog import SIMILARITY_MEASURES
from stripeless.tables.delimited import read_csv

SOURCE = "Tomashenko et al. 2021, supplement to The VoicePrivacy 2020 Challenge, hal-03335126v2"
SIGNAL_PROCESSING = ("B2", "D1", "I1")
COPY_SYNTHESIS = ("M1c2", "M1c4")  # the acoustic model sees original x-vectors
SYSTEMS = (
    "A1", "A2", "B1", "B2", "D1", "I1", "K2", "M1", "M1c1", "M1c2", "M1c3", "M1c4", "O1", "O1c1", "S2", "S1", "S1c1",
    "S2c1",
)  # fmt: skip
X_VECTOR = tuple(name for name in SYSTEMS if name not in SIGNAL_PROCESSING)
B1_RELATED = tuple(name for name in X_VECTOR if name != "K2")


@dataclass(frozen=True)
class Published:
    """One printed number of the VoicePrivacy 2020 supplement.

    Attributes:
        table: number of the table, "2" to "18".
        measure: name of the measure, as in the catalog where it stands there.
        attacker: who attacks: "ignorant", "lazy-informed", "semi-informed", or "listener".
        evaluation: "objective" by machine, or "subjective" by listeners.
        dataset: "librispeech", "vctk-different" or "vctk-common".
        split: "dev" or "test", the part of the data set.
        sex: "female" or "male" speakers only.
        system: the anonymizer as in the paper, such as "B1"; "Orig" for original speech.
        value: the number in our unit: percentages are shares of 1.
        printed: the number as it is printed.
    """

    table: str
    measure: str
    attacker: str
    evaluation: str
    dataset: str
    split: str
    sex: str
    system: str
    value: float
    printed: str


@dataclass(frozen=True)
class PublishedTest:
    """One cell of Tables 16 and 17. `p` is an upper limit of 0.0001 where the paper prints only that p << 0.01."""

    table: str
    question: str
    speech: str
    first: str
    second: str
    p: float
    printed: str


def _rows(name: str) -> list[dict[str, str]]:
    with as_file(files("stripeless").joinpath("data", name)) as path:
        return [row for _, row in read_csv(path).records()]


@cache
def read_published() -> tuple[Published, ...]:
    """Every number of Tables 2 to 15 and 18.

    Returns:
        One `Published` per number: table, measure, attacker, data set, sex, system, `value` (shares as 0 to 1), and the
        text that is `printed`.

    >>> rows = select(system="B1", measure="eer_kaldi", attacker="lazy-informed", dataset="librispeech", split="test")
    >>> [(row.sex, round(row.value, 4), row.table) for row in rows]
    [('female', 0.3212, '3'), ('male', 0.3675, '3')]
    """
    keys = ("table", "measure", "attacker", "evaluation", "dataset", "split", "sex", "system")
    published = []
    for row in _rows("voiceprivacy2020.csv"):
        value = float(row["value"]) / 100 if row["unit"] == "%" else float(row["value"])
        published.append(Published(**{key: row[key] for key in keys}, value=value, printed=row["value"]))
    return tuple(published)


@cache
def read_published_tests() -> tuple[PublishedTest, ...]:
    """Every p-value of Tables 16 and 17: both halves of each square, as printed."""
    rows = []
    for row in _rows("voiceprivacy2020_significance.csv"):
        p = 1e-4 if row["p"].startswith("<<") else float(row["p"])
        keys = ("table", "question", "speech", "first", "second")
        rows.append(PublishedTest(**{key: row[key] for key in keys}, p=p, printed=row["p"]))
    return tuple(rows)


def select(**wanted: str) -> tuple[Published, ...]:
    """The rows whose fields have these values, in the order of the tables."""
    return tuple(row for row in read_published() if all(getattr(row, key) == value for key, value in wanted.items()))


def of_same_systems(first: str, second: str, attacker: str, systems: Iterable[str]) -> tuple[list[float], list[float]]:
    """Two measures of the same systems on the same 12 data sets against one attacker, point by point.

    De-identification and distinctiveness belong to no attacker and go with any.
    """
    cells: list[dict[tuple[str, ...], float]] = []
    for measure in (first, second):
        free = measure in SIMILARITY_MEASURES
        cells.append(
            {
                (row.system, row.dataset, row.split, row.sex): row.value
                for row in select(measure=measure, evaluation="objective")
                if row.table != "18" and (free or row.attacker == attacker)
            }
        )
    wanted = set(systems)
    common = [key for key in cells[0] if key in cells[1] and key[0] in wanted]
    return [cells[0][key] for key in common], [cells[1][key] for key in common]
