"""What the page does with an uploaded file, without a server: told by its first bytes, computed, shown, given back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from unittest import mock

from stripeless.errors import StripelessError

DRAWN = 8  # of so many files one has its figures drawn, which takes most of the time


@contextmanager
def drawing_now_and_then(path: Path) -> Iterator[None]:
    """Figures for one file in `DRAWN`, told by its content; the others are shown as where matplotlib is absent."""
    if sha256(path.read_bytes()).digest()[0] % DRAWN == 0:
        yield
    else:
        with mock.patch("stripeless.report.figures.have_matplotlib", return_value=False):
            yield


def upload(path: Path) -> None:
    """All that a visitor can have of one file, in the page's own functions; the first refusal is raised when all were asked."""
    from stripeless.web import actions, pages, work
    from stripeless.web.sessions import Session, WebJob
    from stripeless.web.uploads import kind_of

    kind = kind_of(path, path.name)
    if kind in ("audio", "embeddings"):
        return
    does = {"result": "load", "ratings": "listen", "scores": "assess"}[kind]
    names = {str(path): path.name}
    job = WebJob("result", path.name, {"do": does}, path.parent, state="done")
    report = WebJob("result-report", path.name, {}, path.parent, state="done")
    session = Session("x", "y", path.parent, 0.0, jobs={job.id: job})
    for one in (job, report):
        one.finished.set()

    def task(name: str, **more: object) -> None:
        given = {
            "path": str(path),
            "name": path.name,
            "names": names,
            "result": str(path.parent / "other.json"),
            **more,
        }
        work.TASKS[name](given, lambda share, stage: None)

    task(does, result=str(job.result))
    with drawing_now_and_then(path):
        task("render", source=str(job.result), report=str(job.report))
    every(
        lambda: pages.work(session),
        lambda: pages.result(session, job, report),
        lambda: pages.prior(job, "1"),
        *(lambda form=form: actions.download(job, form) for form in ("json", "html", "tex", "md", "csv", "summary")),
        lambda: task("compare", results=[str(job.result)] * 2, among=False, sources=[]),
        lambda: task("compare", results=[str(job.result)], among=True),
        lambda: task("summarize", results=[str(job.result)]),
    )


def every(*calls: Callable[[], object]) -> None:
    """Make every call; what the first refused is raised at the end."""
    refused = None
    for call in calls:
        try:
            call()
        except StripelessError as error:
            refused = refused or error
    if refused is not None:
        raise refused
