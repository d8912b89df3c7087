"""The golden doors: what each command prints on small fixed inputs, and how it is compared with what is stored.

`python tests/golden/doors.py` writes `tests/golden/doors/*.json` again. A change to one of these files is a commit of its
own meaning: the file, the reason and the changelog together.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "doors"
KALDI = ("--trials", "trials.txt", "--resamples", "100")

# name -> arguments; the first word is the command. Those that leave results behind for others come first.
DOORS: dict[str, tuple[str, ...]] = {
    "assess": ("assess", "weak.txt", *KALDI),
    "assess-original": ("assess", "strong.txt", *KALDI, "--original", "original.txt", "--attacker", "semi-informed"),
    "assess-by": ("assess", "weak.csv", "--by", "sex", "--by", "speaker", "--resamples", "100", "--label", "dataset=d"),
    "assess-plain": ("assess", "weak.csv", "--resamples", "0", "--llr"),
    "assess-on-disk": ("assess", "weak.csv", "--on-disk", "sorted"),
    "assess-broken": ("assess", "broken.txt", "--trials", "trials.txt"),
    "assess-absent": ("assess", "absent.txt"),
    "compare": ("compare", "original.txt", "weak.txt", "strong.txt", *KALDI),
    "compare-results": ("compare", "results/assess.json", "results/assess-original.json"),
    "compare-rank": ("compare", "original.txt", "weak.txt", "strong.txt", *KALDI, "--rank"),
    "compare-folder": ("compare", "results"),
    "compare-one": ("compare", "weak.txt"),
    "rank": ("rank", "probes.npz", "enrolls.npz", "--resamples", "100"),
    "rank-lengths": ("rank", "original.npz", "--lengths", "1,2", "--resamples", "0"),
    "rank-two": ("rank", "original.npz", "--workers", "2", "--dask", "x"),
    "attack": ("attack", "anonymized.npz", "original.npz", "--resamples", "100", "--name", "turned"),
    "attack-absent": ("attack", "anonymized.npz", "absent.npz"),
    "protect": ("protect", "sexed.npz", "--method", "lda", "--classifier", "logistic", "--resamples", "100"),
    "protect-moments": (
        "protect", "sexed.npz", "--method", "moments", "--directions", "2", "--classifier", "neighbors", "--resamples", "0",
    ),
    "protect-judge": ("protect", "sexed.npz", "--protected", "sexed.npz", "--classifier", "logistic", "--resamples", "0"),
    "protect-both": ("protect", "sexed.npz", "--protected", "sexed.npz", "--fit-on", "sexed.npz"),
    "similarity": ("similarity", "anonymized.npz", "original.npz", "--name", "turned"),
    "listen": ("listen", "ratings.csv", "--resamples", "100"),
    "listen-published": ("listen", "ratings.csv", "--resamples", "0", "--published"),
    "evaluate": (
        "evaluate", "voices", "--anonymizer", "mcadams", "--set", "alpha=0.7", "--encoder", "statistics", "--resamples", "100",
        "--jobs", "1", "--cache", "cache",
    ),
    "evaluate-nothing": ("evaluate", "voices"),
    "summary": ("summary", "results/assess-original.json", "results/attack.json", "results/rank.json", "results/protect.json"),
    "summary-nothing": ("summary", "notes.json"),
    "reproduce": ("reproduce", "statements"),
}  # fmt: skip


def run_door(name: str) -> dict[str, Any]:
    """The exit code, the first line of text on either stream, and the JSON of one command in the current folder."""
    arguments = DOORS[name]
    code, text, errors = call(arguments)
    lines = [line for line in (text or errors).splitlines() if line.strip()]
    if lines and lines[0].startswith("Usage:"):  # names the program as it was started; what is wrong comes last
        lines = [line for line in lines if line.startswith("Error")]
    first = lines[0] if lines else ""
    done: dict[str, Any] = {"arguments": list(arguments), "exit": code, "first_line": first.rstrip()}
    if code == 0:
        code_again, printed, _ = call((*arguments, "--json"))
        assert code_again == 0
        Path("results", f"{name}.json").write_text(printed)
        done["result"] = comparable(json.loads(printed))
    return done


def call(arguments: tuple[str, ...]) -> tuple[int, str, str]:
    """What a shell would see: exit code, standard output, standard error."""
    from stripeless.cli import group
    from stripeless.cli.common import run

    out, err, code = io.StringIO(), io.StringIO(), 0
    before = sys.argv
    sys.argv = ["stripeless", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            run(group)
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else 1
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()


def comparable(value: Any, key: str = "") -> Any:
    """The result without what differs from machine to machine: versions, and digests of compressed files."""
    if key == "versions":
        return sorted(value)
    if isinstance(value, dict):
        return {name: comparable(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [comparable(part) for part in value]
    return value


def differences(stored: Any, now: Any, place: str = "") -> Iterator[str]:
    """Where two results differ: numbers by more than 1e-9, everything else at all."""
    numbers = (int, float)
    if isinstance(stored, dict) and isinstance(now, dict):
        for name in sorted({*stored, *now}):
            if name not in stored or name not in now:
                yield f"{place}.{name}: only in {'the stored result' if name in stored else 'the new one'}"
            else:
                yield from differences(stored[name], now[name], f"{place}.{name}")
    elif isinstance(stored, list) and isinstance(now, list):
        if len(stored) != len(now):
            yield f"{place}: {len(stored)} entries stored, {len(now)} now"
        for k, (left, right) in enumerate(zip(stored, now, strict=False)):
            yield from differences(left, right, f"{place}[{k}]")
    elif isinstance(stored, numbers) and isinstance(now, numbers) and type(stored) is type(now) is not bool:
        if not math.isclose(stored, now, rel_tol=1e-9, abs_tol=1e-9):
            yield f"{place}: {stored!r} stored, {now!r} now"
    elif stored != now or type(stored) is not type(now):
        yield f"{place}: {stored!r} stored, {now!r} now"


def write(folder: Path, name: str, done: dict[str, Any]) -> None:
    """One door a file: one line per entry of the result, in the order of the file before, so that a change can be read."""
    before = folder / f"{name}.json"
    old = json.loads(before.read_text()).get("result", {}) if before.exists() else {}
    result = done.get("result", {})
    order = [key for key in old if key in result] + [key for key in result if key not in old]
    head = {key: value for key, value in done.items() if key != "result"}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    if "result" in done:
        parts = [
            f"  {json.dumps(key)}: {json.dumps(value)}"
            for key, value in ((key, in_order(result[key], old.get(key))) for key in order)
        ]
        lines.append('"result": {\n' + ",\n".join(parts) + "\n}")
    (folder / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def in_order(value: Any, old: Any) -> Any:
    """The value with its keys in the order of the old one."""
    if isinstance(value, dict):
        before = old if isinstance(old, dict) else {}
        keys = [key for key in before if key in value] + [key for key in value if key not in before]
        return {key: in_order(value[key], before.get(key)) for key in keys}
    if isinstance(value, list):
        before = old if isinstance(old, list) else []
        return [in_order(part, before[k] if k < len(before) else None) for k, part in enumerate(value)]
    return value


def main() -> None:
    """Write every golden door again."""
    import time

    import door_inputs

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        door_inputs.write_all()
        door_inputs.voices()
        door_inputs.ratings()
        for name in DOORS:
            start = time.perf_counter()
            write(FOLDER, name, run_door(name))
            print(f"{name}: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
