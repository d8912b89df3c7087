"""How often is a verdict wrong? Plays worlds of known truth through the public doors, and counts.

    make verdicts                                     everything, and the page in docs/reference
    make verdicts-sample                              some draws of some kinds, in half a minute
    python tools/verdicts.py --only c- --seeds first  planted leaks in score files, with the seeds for trying things out

The page shows the "second" seeds. Whoever changes a rule looks at the "first" ones while trying, so that what is published
was tuned on nothing. Labels are written down in `build/verdicts`, by the code that they come from: an interrupted run goes
on where it stopped, and changed code starts anew. Exit code 1 where a rate is not as wanted.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # processes share the cores already
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from verdict_kinds import REDRAWN, Kind, all_kinds
from verdict_runs import ROOT, Journal, code_digest, play_all
from verdict_table import AGAIN, Tally, faults_of, line, overall, page, tally, with_tables

PAGE = ROOT / "docs" / "reference" / "verdict-error-rates.md"
EVERY = 30.0  # seconds between two lines about what is left


def main(argv: Sequence[str] | None = None) -> int:
    """Play, count, tell; 1 where a rate is not as wanted."""
    asked = arguments(argv)
    kinds = chosen(asked.only, asked.sample)
    if asked.list:
        for kind in kinds:
            print(
                f"{kind.name:28} {kind.draws:5} {kind.truth:10} {kind.what}{'' if kind.available() else '  (absent)'}"
            )
        return 0
    absent = [kind.name for kind in kinds if not kind.available()]
    kinds = [kind for kind in kinds if kind.available()]
    if absent:
        print(f"left out, because their data are not here: {', '.join(absent)}")
    if not kinds:
        print("no such kind of world")
        return 1
    path = None if asked.sample else asked.folder / f"{code_digest()}.jsonl"
    tallies = played(kinds, asked, Journal(path))
    faults = told(tallies, asked.sample)
    if asked.write:
        written(tallies)
    return int(bool(faults))


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only", action="append", default=[], metavar="PART", help="kinds of this name, or with this in it"
    )
    parser.add_argument("--sample", action="store_true", help="a few draws of the kinds that say most")
    parser.add_argument("--draws", type=int, help="how many of each kind; the page tells what is usual")
    parser.add_argument(
        "--seeds", choices=("first", "second"), default="second", help="first to try, second to publish"
    )
    parser.add_argument("--workers", type=int, default=2, help="how many processes; 1 for this one")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "verdicts", help="where labels are kept")
    parser.add_argument("--list", action="store_true", help="show the kinds, play nothing")
    parser.add_argument("--play-no-more", action="store_true", help="count what is written down already")
    parser.add_argument("--write", action="store_true", help="renew the tables of the page")
    return parser.parse_args(argv)


def chosen(parts: Sequence[str], sample: bool) -> list[Kind]:
    """The kinds that were asked for."""
    kinds = list(all_kinds())
    names = {kind.name for kind in kinds}

    def asked(name: str) -> bool:
        return any(part == name or (part not in names and part in name) for part in parts)

    kinds = [kind for kind in kinds if not parts or asked(kind.name)]
    return [kind for kind in kinds if kind.sample] if sample else kinds


def played(kinds: Sequence[Kind], asked: argparse.Namespace, journal: Journal) -> list[Tally]:
    """Every kind, and once more those in which luck must be told from a fault."""
    many = {kind.name: kind.sample if asked.sample else asked.draws or kind.draws for kind in kinds}
    if asked.play_no_more:
        counted = [tally(kind, asked.seeds, journal, many[kind.name]) for kind in kinds]
        return [one for one in counted if one.draws]
    said = Pace()
    play_all([(kind, 0, many[kind.name]) for kind in kinds], asked.seeds, journal, asked.workers, said)
    if not asked.sample:
        doubtful = [k for k in kinds if tally(k, asked.seeds, journal, many[k.name]).doubtful()]
        again = [(kind, AGAIN, AGAIN + REDRAWN) for kind in doubtful]
        play_all(again, asked.seeds, journal, asked.workers, said)
    for (_, name, draw), error in list(journal.errors.items())[:3]:
        print(f"{name}, draw {draw}:\n{error}")
    return [tally(kind, asked.seeds, journal, many[kind.name]) for kind in kinds]


class Pace:
    """Says what is left, from time to time."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, text: str) -> None:
        if time.monotonic() - self.last > EVERY:
            self.last = time.monotonic()
            print(text, file=sys.stderr, flush=True)


def told(tallies: Sequence[Tally], sample: bool) -> list[str]:
    """Print every kind and what is not as wanted."""
    for one in tallies:
        print(line(one))
    claimed, draws = overall(tallies)
    print(f"\nwithout a leak: claimed in {claimed} of {draws} draws ({100 * claimed / max(1, draws):.1f} %)")
    faults = faults_of(tallies, sample)
    print("\n".join(["", "Not as wanted:", *faults] if faults else ["Everything is as wanted."]))
    return faults


def written(tallies: Sequence[Tally]) -> None:
    """Renew the tables of the page."""
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), page(tallies)), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(main())
