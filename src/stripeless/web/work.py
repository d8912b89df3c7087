"""What a worker process does: read a task as a JSON line, compute, write the result as a file, say how far it is."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stripeless.errors import InputError, StripelessError

if TYPE_CHECKING:
    from stripeless.results.codec import Result

Say = Callable[[float, str], None]


def main() -> None:
    """Serve tasks until standard input ends. Only JSON lines leave by standard output."""
    _limit_memory(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    for line in sys.stdin:
        send(do(json.loads(line), _every(0.2, lambda share, stage: send({"progress": share, "stage": stage}))))


def _limit_memory(most: int) -> None:
    if not most:
        return
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, ValueError, OSError):
        pass  # not every system has such a limit; the limits on uploads hold all the same


def _every(seconds: float, say: Say) -> Say:
    """Say no more often than this, and at once when the stage changes."""
    spoke, about = 0.0, ""

    def quieter(share: float, stage: str) -> None:
        nonlocal spoke, about
        now = time.monotonic()
        if now - spoke >= seconds or stage != about:
            spoke, about = now, stage
            say(share, stage)

    return quieter


def do(task: dict[str, Any], say: Say) -> dict[str, Any]:
    """One task; {} where it went well, {"error": one sentence} where not."""
    try:
        say(0.0, "starting")
        TASKS[task["do"]](task, say)
        return {}
    except StripelessError as error:
        return {"error": _named(str(error), task)}
    except MemoryError:
        return {"error": "This is too large for the page; use the command line, which has no such limit."}
    except Exception as error:  # a worker must answer, whatever a file makes it stumble over
        return {"error": _named(f"This could not be computed ({type(error).__name__}: {error}).", task)}


def _named(message: str, task: dict[str, Any]) -> str:
    """The message with the visitor's names in place of our paths."""
    for path, name in task.get("names", {}).items():
        message = message.replace(path, name)
    return message


def _write(task: dict[str, Any], result: dict[str, Any]) -> None:
    from stripeless._files import write_whole

    for part in (result, *result.get("results", ()), *result.get("attackers", ())):
        for file in part.get("inputs", ()):
            file["path"] = task.get("names", {}).get(file["path"], file["path"])
    write_whole(task["result"], json.dumps(result, ensure_ascii=False, allow_nan=False))


def _read_scores(task: dict[str, Any], path: str) -> Any:
    from stripeless.scores.files import read_scores

    tables = {key: task.get(key) for key in ("utt2spk", "spk2gender")}
    return read_scores(path, task.get("trials"), **tables, allow_missing=bool(task.get("allow_missing")))


def _only_sex(scores: Any, sex: str) -> Any:
    """The trials of one sex, where the trials know it."""
    import numpy as np

    from stripeless.assessment.selected import select

    factor = scores.columns.get("sex")
    if factor is None:
        raise InputError("These trials do not say who is female and who is male; give spk2gender with the scores.")
    wanted = [k for k, name in enumerate(factor.names) if name.lower()[:1] == sex[:1]]
    return select(
        scores, np.flatnonzero(np.isin(factor.target, wanted)), np.flatnonzero(np.isin(factor.nontarget, wanted))
    )


def assess(task: dict[str, Any], say: Say) -> None:
    """A score file (or embeddings) -> an assessment, the same as the command line's."""
    from dataclasses import replace

    from stripeless.assessment.assess import assess_scores
    from stripeless.assessment.groups import assess_groups

    say(0.0, "reading")
    scores = _embeddings(task, say) if task.get("enrollment") else _read_scores(task, task["path"])
    if task.get("sex"):
        scores = _only_sex(scores, task["sex"])
    say(0.05, "measuring")
    draws = int(task.get("resamples", 0))
    result = assess_scores(
        scores, resamples=draws, name=task["name"], attacker=task.get("attacker", ""), llr=bool(task.get("llr")),
        progress=lambda share: say(0.1 + 0.8 * share, "drawing intervals"),
    )  # fmt: skip
    labels = {"sex": task["sex"]} if task.get("sex") else {}
    groups = {}
    if "sex" in scores.columns and not task.get("sex"):
        say(0.9, "measuring by sex")
        groups["sex"] = assess_groups(scores, "sex")
    _write(task, replace(result, groups=groups, labels=labels).to_dict())


def _embeddings(task: dict[str, Any], say: Say) -> Any:
    from stripeless.embeddings.files import read_embeddings
    from stripeless.scores.comparison import compare_embeddings
    from stripeless.scores.pairs import read_trials

    tables = {key: task.get(key) for key in ("utt2spk", "spk2gender")}
    enrollment, trials = (read_embeddings(path, **tables) for path in (task["enrollment"], task["path"]))
    say(0.03, "comparing")
    return compare_embeddings(enrollment, trials, read_trials(task["trials"]) if task.get("trials") else None)


def listen(task: dict[str, Any], say: Say) -> None:
    """Ratings -> a listening study."""
    from stripeless.listening.ratings import read_ratings
    from stripeless.listening.study import listening_study

    say(0.1, "reading")
    ratings = read_ratings(task["path"])
    say(0.3, "comparing groups")
    _write(task, listening_study(ratings, resamples=int(task.get("resamples", 0)), name=task["name"]).to_dict())


def load(task: dict[str, Any], say: Say) -> None:
    """A result that was uploaded, checked."""
    from stripeless.results.stored import parse_result

    say(0.3, "reading")
    _write(task, parse_result(Path(task["path"]).read_bytes(), task["name"]).to_dict())


def compare(task: dict[str, Any], say: Say) -> None:
    """Results side by side; pairs of score files on the same trials are compared over speakers."""
    from stripeless.results.assessment import Assessment
    from stripeless.results.comparison import Comparison
    from stripeless.results.evaluation import Evaluation
    from stripeless.studies.comparison import compare_results
    from stripeless.studies.systems import compare_systems

    results = _results(task)
    if task.get("among"):
        say(0.3, "comparing")
        _write(task, compare_systems(results, among="voiceprivacy2020", split="test").to_dict())
        return
    if any(not isinstance(result, (Assessment, Evaluation, Comparison)) for result in results):
        raise InputError("Only results of scores can be put side by side; choose assessments or evaluations.")
    pairs = _pairs(task, say)
    _write(task, compare_results(results, pairs.differences, pairs.findings).to_dict())


def summarize(task: dict[str, Any], say: Say) -> None:
    """The chosen results on one sheet for a data-protection review."""
    from stripeless.studies.summary import summarize_results

    say(0.5, "joining")
    _write(task, summarize_results(_results(task)).to_dict())


def _results(task: dict[str, Any]) -> list[Result]:
    from stripeless.results.stored import read_result

    return [read_result(path) for path in task["results"]]


def _pairs(task: dict[str, Any], say: Say) -> Any:
    from stripeless.results.comparison import told_apart
    from stripeless.studies.comparison import compare_pairs

    sources = task.get("sources", [])
    names, systems = told_apart([source["name"] for source in sources]), {}
    for k, source in enumerate(sources):
        say(0.1 + 0.4 * k / len(sources), "reading pairs")
        systems[names[k]] = _read_scores(source, source["path"])
    say(0.5, "comparing pairs")
    return compare_pairs(systems, resamples=200)


def render(task: dict[str, Any], say: Say) -> None:
    """The report of a result as HTML, beside it."""
    from stripeless._files import write_whole
    from stripeless.report.kinds import html_of

    say(0.2, "drawing figures")
    write_whole(task["report"], html_of(json.loads(Path(task["source"]).read_text(encoding="utf-8"))))


def figure(task: dict[str, Any], say: Say) -> None:
    """One figure of a result as a file."""
    from stripeless._files import write_whole
    from stripeless.plots.save import figure_bytes
    from stripeless.report.kinds import figure_data_of, figures_of

    result = json.loads(Path(task["source"]).read_text(encoding="utf-8"))
    figures = figures_of(result)
    if task["figure"] not in figures:
        raise InputError(f"This result has no figure {task['figure']!r}.")
    if task["format"] == "csv":
        write_whole(task["target"], figure_data_of(result, task["figure"]))
    else:
        write_whole(task["target"], figure_bytes(figures[task["figure"]], task["format"]))


TASKS: dict[str, Callable[[dict[str, Any], Say], None]] = {
    "assess": assess, "listen": listen, "load": load, "compare": compare, "render": render, "figure": figure,
    "summarize": summarize,
}  # fmt: skip

if __name__ == "__main__":
    main()
