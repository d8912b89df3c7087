"""Tables in the layout of the VoicePrivacy 2020 supplement: data sets and sexes down, systems across, best values marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from stripeless.measures.catalog import MEASURES, SIMILARITY_MEASURES, info_of
from stripeless.measures.more_private import best_places
from stripeless.measures.shown import NO_VALUE, shown
from stripeless.report.latex import escape as tex
from stripeless.report.latex import table_of
from stripeless.report.markdown import escape as md
from stripeless.report.markdown import pipe_table
from stripeless.report.simple import rows_csv
from stripeless.results.systems import ORIGINAL, Cell, Systems, names_of
from stripeless.studies.systems import attackers_of

SETUP = {"ignorant": "oa", "lazy-informed": "aa", "semi-informed": "aa, retrained"}


@dataclass(frozen=True)
class Grid:
    """One table: a measure against one attacker on one split. `best` holds the columns of the best systems per row."""

    measure: str
    attacker: str
    split: str
    systems: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]
    values: tuple[tuple[float | None, ...], ...]
    best: tuple[frozenset[int], ...]

    @property
    def title(self) -> str:
        who = self.attacker.capitalize() + (f" ({SETUP[self.attacker]})" if self.attacker in SETUP else "")
        free = self.measure in SIMILARITY_MEASURES  # which know no attacker
        return " \u2013 ".join(part for part in (label_of(self.measure), "" if free else who, self.split) if part)


def label_of(measure: str) -> str:
    """How a measure is called in a heading."""
    info = info_of(measure)
    if info is None:
        return measure
    return f"{info.label} ({info.unit})" if measure in SIMILARITY_MEASURES and not info.rate else info.label


def grids_of(result: Systems) -> list[Grid]:
    """Every table that the cells of a `systems` result fill, in the order of the paper."""
    cells = result.cells
    known = list(dict.fromkeys(cell.measure for cell in cells))
    listed = [m for m in (*MEASURES, *SIMILARITY_MEASURES) if m in known]
    grids = []
    for measure in (*listed, *(m for m in known if m not in listed)):
        for attacker in attackers_of(cells, measure):
            splits = dict.fromkeys(c.split for c in cells if c.measure == measure and c.attacker == attacker)
            grids += [_grid(cells, measure, attacker, split) for split in splits]
    return grids


def _grid(cells: Sequence[Cell], measure: str, attacker: str, split: str) -> Grid:
    own = [c for c in cells if c.measure == measure and c.split == split and c.attacker in (attacker, "original")]
    systems = names_of(own)
    rows = list(dict.fromkeys((c.dataset, c.sex) for c in own if c.attacker == attacker))
    datasets = list(dict.fromkeys(row[0] for row in rows))
    rows.sort(key=lambda row: (datasets.index(row[0]), row[1] == "all", row[1]))
    table = {(c.system, c.dataset, c.sex): c.value for c in own}
    values = tuple(tuple(table.get((name, *row)) for name in systems) for row in rows)
    return Grid(
        measure, attacker, split, tuple(systems), tuple(rows), values, tuple(_best(measure, systems, v) for v in values)
    )


def _best(measure: str, systems: Sequence[str], values: Sequence[float | None]) -> frozenset[int]:
    """Columns of the best value; original speech does not compete."""
    usable = {k: v for k, v in enumerate(values) if v is not None and systems[k] != ORIGINAL}
    if len(usable) < 2:
        return frozenset()
    return best_places(measure, [usable.get(k) for k in range(len(values))])


def cell_text(measure: str, value: float | None) -> str:
    """A value as the paper prints it: rates in percent without the sign."""
    if value is None:
        return NO_VALUE
    info = info_of(measure)
    if info is None:
        return shown(measure, value)
    return f"{(100 if info.rate else 1) * value:.{info.table_digits}f}"


def as_markdown(grids: Sequence[Grid]) -> str:
    parts = []
    for grid in grids:
        lines = [list(map(md, ("Data", "Sex", *grid.systems)))]
        for row, values, best in zip(grid.rows, grid.values, grid.best, strict=True):
            cells = [
                f"**{cell_text(grid.measure, v)}**" if k in best else cell_text(grid.measure, v)
                for k, v in enumerate(values)
            ]
            lines.append([md(row[0]), md(row[1]), *cells])
        parts.append(f"### {md(grid.title)}\n\n{pipe_table(*lines)}")
    return "\n\n".join(parts) + "\n"


def as_latex(grids: Sequence[Grid]) -> str:
    """One table per grid; the best value of each row in bold. Needs booktabs."""
    parts = ["% Needs \\usepackage{booktabs}."]
    for grid in grids:
        lines: list[list[str]] = []
        last = None
        for row, values, best in zip(grid.rows, grid.values, grid.best, strict=True):
            cells = [tex(cell_text(grid.measure, v)) for v in values]
            cells = [rf"\textbf{{{cell}}}" if k in best else cell for k, cell in enumerate(cells)]
            lines.append([tex(row[0]) if row[0] != last else "", tex(row[1]), *cells])
            last = row[0]
        head, columns = ["Data", "Sex", *map(tex, grid.systems)], f"ll{'r' * len(grid.systems)}"
        parts.append("\n".join(table_of(tex(grid.title), columns, head, lines, r"\footnotesize")))
    return "\n\n".join(parts) + "\n"


def as_csv(cells: Iterable[Cell]) -> str:
    """Every cell in one long table, full precision."""
    head = [each.name for each in fields(Cell)]
    return rows_csv(head, [[getattr(cell, name) for name in head] for cell in cells])
