"""What visitors see: the pages and their parts, rendered from templates; everything in them is escaped."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

from stripeless.measures.shown import percent as in_percent
from stripeless.report.figures import have_matplotlib
from stripeless.results.assessment import Assessment
from stripeless.results.evaluation import ATTACKERS
from stripeless.results.stored import read_result
from stripeless.web.recordings import pair_up
from stripeless.web.sessions import Session, WebJob

FIGURE_FORMATS = ("png", "svg", "pdf", "csv")


@cache
def _environment() -> Any:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loader = ChoiceLoader([PackageLoader("stripeless.web"), PackageLoader("stripeless.report")])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _render(template: str, **context: Any) -> str:
    return str(_environment().get_template(template).render(**context))


def home(session: Session) -> str:
    return _render("home.html.j2", session=session, csrf=session.csrf, attackers=ATTACKERS, **_work(session))


def work(session: Session) -> str:
    return _render("work.html.j2", session=session, **_work(session))


def _work(session: Session) -> dict[str, Any]:
    jobs = [job for job in session.jobs.values() if not job.hidden][::-1]
    return {
        "jobs": jobs,
        "busy": any(not job.over for job in jobs),
        "finished": [job for job in jobs if job.state == "done"],
        "recordings": pair_up(item for item in session.items.values() if item.kind == "audio"),
    }


def alert(message: str) -> str:
    return _render("alert.html.j2", message=message)


def error_page(message: str) -> str:
    return _render("error.html.j2", message=message)


def result(session: Session, job: WebJob, report: WebJob) -> str:
    stored = read_result(job.result)
    return _render(
        "result-page.html.j2", session=session, csrf=session.csrf, job=job, attackers=ATTACKERS,
        kind=stored.KIND, again=job.task["do"] == "assess", has_prior=isinstance(stored, Assessment) and bool(stored.curves),
        body=result_body(job, report),
    )  # fmt: skip


def result_body(job: WebJob, report: WebJob) -> str:
    """The report itself, or how far its drawing is."""
    if not report.over:
        return _render("drawing.html.j2", job=job, report=report)
    if report.state != "done":
        return _render("alert.html.j2", message=report.error or "The report was not finished.")
    page = job.report.read_text(encoding="utf-8")
    main = page[page.index('<main id="content">') + len('<main id="content">') : page.rindex("</main>")]
    return _render("report.html.j2", main=main, job=job, figures=figure_names(main), formats=FIGURE_FORMATS,
                   drawn=have_matplotlib())  # fmt: skip


def figure_names(main: str) -> list[str]:
    """The figures that a report shows, by their names."""
    return re.findall(r'<figure id="figure-([A-Za-z0-9_-]+)"', main)


def prior(job: WebJob, percent: str) -> str:
    """What an attacker knows who thought beforehand that a match is this likely."""
    try:
        share = float(percent.replace(",", ".")) / 100
    except ValueError:
        share = math.nan
    if not 0 < share < 1:
        return alert("Give a chance between 0 and 100 percent, such as 1.")
    result = read_result(job.result)
    if not isinstance(result, Assessment) or "ece" not in result.curves:
        return alert("Only scores of one attacker can be asked this.")
    return _render("prior.html.j2", **prior_facts(result, share))


def prior_facts(result: Assessment, share: float) -> dict[str, Any]:
    """Bits needed before and after the evidence at a prior, and how sure the strongest evidence makes the attacker.

    >>> from stripeless.assessment.assess import assess
    >>> prior_facts(assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5]), 0.01)["posterior"]
    '2.9 %'
    """
    odds = math.log10(share / (1 - share))
    ece = result.curves["ece"]
    before = -(share * math.log2(share) + (1 - share) * math.log2(1 - share))
    inside = ece["log10_odds"][0] <= odds <= ece["log10_odds"][-1]
    after = _between(ece["log10_odds"], ece["calibrated"], odds) if inside else None
    worst = result["log10_lr"]
    posterior = 1 / (1 + 10.0 ** min(-(odds + worst), 300.0)) if isinstance(worst, (int, float)) else None
    return {
        "share": in_percent(share),
        "before": f"{before:.3f}",
        "after": None if after is None else f"{after:.3f}",
        "saved": None if after is None or not before else f"{100 * max(0.0, 1 - after / before):.0f} %",
        "posterior": None if posterior is None else in_percent(posterior),
    }


def _between(x: list[float], y: list[float], at: float) -> float:
    """Linear interpolation in a short table."""
    for k in range(1, len(x)):
        if at <= x[k]:
            return y[k - 1] + (y[k] - y[k - 1]) * (at - x[k - 1]) / (x[k] - x[k - 1])
    return y[-1]
