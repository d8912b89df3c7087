"""Turn the tables of the VoicePrivacy 2020 supplement (hal-03335126v2, machine-read text) into the CSV files we ship.

    python scripts/extract_voiceprivacy2020.py 2-voiceprivacy-2020-supplement.txt src/stripeless/data

Numbers stay as printed. Where the second row of a data set is labeled female again (row 4 of Tables 13 to 15) it is
male: rows always come in the order female, male.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

Row = tuple[str, ...]
OBJECTIVE = ("table", "measure", "attacker", "evaluation", "dataset", "split", "sex", "system", "value", "unit")
SIGNIFICANCE = ("table", "question", "speech", "first", "second", "p")
EXPECTED_ROWS = {
    "2": 684, "3": 684, "4": 456, "5": 456, "6": 228, "7": 228, "8": 216, "9": 216,
    "10": 126, "11": 126, "12": 84, "13": 84, "14": 42, "15": 42, "18": 480,
}  # fmt: skip

MEASURES = (  # the first that occurs in the heading decides; our name, printed unit
    (r"^ROCCH-EER", "eer_rocch", "%"),
    (r"^EER", "eer_kaldi", "%"),
    (r"^\$?C.*min", "cllr_min", "bit"),
    (r"^\$?C", "cllr", "bit"),
    (r"^ZEBRA: Expected", "d_ece", "bit"),
    (r"^ZEBRA: worst", "log10_lr", "log10 LR"),
    (r"^Linkability", "linkability_binned", ""),
    (r"^Gain of voice", "gain_of_voice_distinctiveness", "dB"),
    (r"^De-identification", "de_identification", "%"),
)
TITLE = re.compile(
    r"^(ROCCH-EER|EER|C <sub>|\$C_|ZEBRA: |Linkability|Gain of voice distinctiveness \(|De-identification \()"
)


def measure_of(heading: str) -> tuple[str, str]:
    for pattern, name, unit in MEASURES:
        if re.search(pattern, heading.replace("C <sub>", "C<sub>")):
            return name, unit
    raise SystemExit(f"no measure in the heading {heading!r}")


def attacker_of(heading: str, measure: str, evaluation: str) -> str:
    lowered = heading.lower()
    for attacker in ("lazy-informed", "semi-informed", "ignorant"):
        if attacker in lowered:
            return attacker
    if measure == "gain_of_voice_distinctiveness":
        return "lazy-informed"  # M_aa against M_oo, both with the extractor trained on original speech
    if evaluation == "objective":
        return "ignorant"  # DeID compares M_oa with M_oo; Table 18 says so in its caption
    return "listener"


def split_of(table: str) -> str:
    return "dev" if table in {"2", "4", "6", "8", "10", "12", "14"} else "test"


def dataset_of(cell: str) -> str:
    plain = re.sub(r"[()]", "", cell)
    return {"LibriSpeech": "librispeech", "VCTK different": "vctk-different", "VCTK common": "vctk-common"}[plain]


def objective_rows(lines: list[str]) -> Iterator[Row]:
    table, heading, systems, dataset, place = "", "", [], "", 0
    for line in lines:
        if caption := re.match(r"Table (\d+):", line):
            table = caption.group(1)
        elif "\t" in line and TITLE.match(line):
            heading = line.split("\t")[0]
        elif line.startswith("Data\tGender"):
            systems = [name for name in line.split("\t")[2:] if name.strip()]
        elif systems and re.match(r"^[^\t]*\t(female|male)\t", line):
            first, sex, *values = [cell.strip() for cell in line.split("\t")]
            if first:
                dataset, place = dataset_of(first), 0
            sex = ("female", "male")[place]
            place += 1
            values = [value for value in values if value]
            if len(values) != len(systems):
                raise SystemExit(f"Table {table}, {heading}: {len(values)} values for {len(systems)} systems: {line!r}")
            measure, unit = measure_of(heading)
            if table == "18" and measure == "eer_kaldi":
                measure = "eer"  # B2 on LibriSpeech, women: 26.090 here, 25.91 in Table 3, so this is not Kaldi's EER
            evaluation = "subjective" if "subjective" in heading else "objective"
            attacker = attacker_of(heading, measure, evaluation)
            for system, value in zip(systems, values, strict=True):
                float(value)
                yield (table, measure, attacker, evaluation, dataset, split_of(table), sex, system, value, unit)


QUESTIONS = {"16a": ("similarity", "target"), "16b": ("similarity", "nontarget"), "17a": ("naturalness", "both"),
             "17b": ("intelligibility", "both")}  # fmt: skip


def significance_rows(lines: list[str]) -> Iterator[Row]:
    table, part, systems = "", "", []
    for line in lines:
        if caption := re.match(r"Table (\d+):", line):
            table = caption.group(1)
        elif table in {"16", "17"} and (letter := re.match(r"\(([ab])\) ", line)):
            part = table + letter.group(1)
        elif table in {"16", "17"} and "\t" in line:
            cells = [re.sub(r"</?b>", "", cell).strip() for cell in line.split("\t")]
            if not cells[0]:
                systems = cells[1:]
                continue
            for system, cell in zip(systems, cells[1:], strict=True):
                if cell:
                    p = "<<0.01" if "ll 0.01" in cell else f"{cell}"
                    yield (part, *QUESTIONS[part], cells[0], system, p)


def as_csv(header: Row, rows: list[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def extract(text: str) -> tuple[str, str]:
    """Both CSV files as text; stops where a table has not the number of cells it must have."""
    lines = text.splitlines()
    rows = list(objective_rows(lines))
    counts: dict[str, int] = {}
    for row in rows:
        counts[row[0]] = counts.get(row[0], 0) + 1
    if counts != EXPECTED_ROWS:
        raise SystemExit(f"cells per table {counts}, expected {EXPECTED_ROWS}")
    tests = list(significance_rows(lines))
    if len(tests) != 4 * 110:
        raise SystemExit(f"{len(tests)} cells in Tables 16 and 17, expected 440")
    return as_csv(OBJECTIVE, rows), as_csv(SIGNIFICANCE, tests)


def main() -> None:
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    values, tests = extract(source.read_text(encoding="utf-8"))
    (folder / "voiceprivacy2020.csv").write_text(values, encoding="utf-8")
    (folder / "voiceprivacy2020_significance.csv").write_text(tests, encoding="utf-8")


if __name__ == "__main__":
    main()
