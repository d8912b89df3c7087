"""What visitors can do: bring files, compute, compute again, compare, take away."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData, UploadFile

from stripeless.errors import InputError
from stripeless.results.evaluation import ATTACKERS
from stripeless.results.stored import read_result, result_text
from stripeless.web.pool import WorkerPool
from stripeless.web.recordings import SIDES, side_of
from stripeless.web.sessions import Item, Session, Store, WebJob
from stripeless.web.uploads import audio_type, kind_of, suffix_of

RESAMPLES = ("0", "200", "1000")
TABLES = ("trials", "utt2spk", "spk2gender", "enrollment")
SEXES = ("", "female", "male")
GONE = "Your session has been forgotten; open the page anew."


async def take_uploads(session: Session, form: FormData, store: Store, pool: WorkerPool) -> None:
    """Store every file under a random name, check all of them, and only then start the work."""
    sent = [part for part in form.getlist("files") if isinstance(part, UploadFile) and part.filename]
    if not sent:
        raise InputError("No file was chosen.")
    options = _options(form)
    stored: list[Item] = []
    try:
        tables = {}
        for name in TABLES:
            part = form.get(name)
            if isinstance(part, UploadFile) and part.filename:
                stored.append(await _store(session, part, store))
                tables[name] = stored[-1]
        files = []
        for part in sent:
            files.append(await _store(session, part, store))
            stored.append(files[-1])
            if files[-1].kind == "audio":
                files[-1].side = options["side"] or side_of(part.filename or "")
    except BaseException:
        for item in stored:
            session.drop(item.id)
        raise
    if session.gone:  # forgotten while this was on its way
        store.forget(session)
        raise InputError(GONE)
    for item in files:
        if item.kind != "audio":
            _start(session, item, tables, options, pool)


async def _store(session: Session, part: UploadFile, store: Store) -> Item:
    name = Path((part.filename or "").replace("\\", "/")).name
    size = part.size or 0
    limit = store.settings.file_bytes
    if size > limit:
        raise InputError(
            f"{name}: has {size // 1_000_000} MB; at most {limit // 1_000_000} MB are taken. Use the command line."
        )
    store.check_room(session, size)
    start = await part.read(16)
    await part.seek(0)
    identity, path = session.new_path(suffix_of(start))

    def write() -> Item:
        if session.gone:
            raise InputError(GONE)
        try:
            with open(path, "wb") as file:
                shutil.copyfileobj(part.file, file, 1 << 20)
            return session.add_item(identity, path, name, kind_of(path, name))
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    return await asyncio.to_thread(write)


def _options(form: FormData) -> dict[str, Any]:
    """The choices of a form, each one of those offered."""
    resamples = str(form.get("resamples") or "0")
    attacker = str(form.get("attacker") or "")
    sex = str(form.get("sex") or "")
    side = str(form.get("side") or "")
    if side not in ("", *SIDES):
        raise InputError("The form holds a choice that is not offered; reload the page.")
    if resamples not in RESAMPLES or sex not in SEXES or attacker not in ("", "original", *ATTACKERS):
        raise InputError("The form holds a choice that is not offered; reload the page.")
    llr = bool(form.get("llr"))
    return {"resamples": int(resamples), "attacker": attacker, "sex": sex, "llr": llr, "side": side}


def _start(session: Session, item: Item, tables: dict[str, Item], options: dict[str, Any], pool: WorkerPool) -> WebJob:
    verbs = {"result": "load", "ratings": "listen", "scores": "assess", "embeddings": "assess"}
    if item.kind == "embeddings" and "enrollment" not in tables:
        session.drop(item.id)
        raise InputError(
            f"{item.name}: holds embeddings; give the enrollment embeddings too, so that they can be compared."
        )
    task = {
        "do": verbs[item.kind],
        "path": str(item.path),
        "name": item.name,
        **options,
        **{name: str(table.path) for name, table in tables.items()},
        "names": {str(part.path): part.name for part in (item, *tables.values())},
    }
    return _submit(session, item.name, task, pool)


def _submit(session: Session, title: str, task: dict[str, Any], pool: WorkerPool) -> WebJob:
    job = session.new_job(title, task)
    task["result"] = str(job.result)
    try:
        pool.submit(job)
    except InputError:
        session.drop(job.id)
        raise
    return job


def again(session: Session, job: WebJob, form: FormData, pool: WorkerPool) -> WebJob:
    """The same scores with other choices."""
    if job.task["do"] != "assess":
        raise InputError("Only scores can be measured again; this is a finished result.")
    if not Path(job.task["path"]).exists():
        raise InputError("The scores of this result have been removed; upload them again.")
    options = _options(form)
    words = [options["attacker"], options["sex"], f"{options['resamples']} resamples" if options["resamples"] else ""]
    title = ", ".join([job.task["name"], *filter(None, words)])
    return _submit(session, title, {**job.task, **options}, pool)


def compare(session: Session, jobs: list[WebJob], among: bool, pool: WorkerPool) -> WebJob:
    """Results side by side, or among the published systems."""
    if len(jobs) < (1 if among else 2):
        raise InputError("Choose at least two results to put side by side.")
    sources = [
        job.task
        for job in jobs
        if job.task["do"] == "assess" and not job.task.get("sex") and not job.task.get("enrollment")
    ]
    task = {
        "do": "compare",
        "results": [str(job.result) for job in jobs],
        "among": among,
        "sources": [s for s in sources if Path(s["path"]).exists()] if not among else [],
    }
    title = f"{len(jobs)} among VoicePrivacy 2020" if among else " / ".join(job.title for job in jobs)
    return _submit(session, title, task, pool)


def summarize(session: Session, jobs: list[WebJob], pool: WorkerPool) -> WebJob:
    """The chosen results on one sheet."""
    if not jobs:
        raise InputError("Choose the results that the sheet should join: scores, and attacks, ranks or attributes.")
    task = {"do": "summarize", "results": [str(job.result) for job in jobs]}
    return _submit(session, "Summary: " + " / ".join(job.title for job in jobs), task, pool)


def report_job(session: Session, job: WebJob, pool: WorkerPool, *, retry: bool = False) -> WebJob:
    """The job that renders the report of a result; started once, found again after a reload, tried anew with `retry`."""
    known = session.jobs.get(f"{job.id}-report")
    if known is not None and not (retry and known.state in ("failed", "cancelled")):
        return known
    render = WebJob(f"{job.id}-report", job.title, {"do": "render", "source": str(job.result), "report": str(job.report)},
                 session.folder, hidden=True)  # fmt: skip
    session.jobs[render.id] = render
    pool.submit(render, soon=True)
    return render


async def over(job: WebJob, seconds: float) -> bool:
    """Wait for a job without holding a thread, of which there are few; whether it is over."""
    end = time.monotonic() + seconds
    while not job.over and time.monotonic() < end:
        await asyncio.sleep(0.02)
    return job.over


async def figure(session: Session, job: WebJob, name: str, kind: str, pool: WorkerPool) -> bytes:
    """One figure, drawn by a worker; waits for it."""
    identity, path = session.new_path(f".{kind}")
    task = {"do": "figure", "source": str(job.result), "figure": name, "format": kind, "target": str(path)}
    drawing = WebJob(identity, name, task, session.folder, hidden=True)
    try:
        pool.submit(drawing, soon=True)
        if not await over(drawing, 120.0):
            raise InputError("Drawing takes too long; try again later.")
        if drawing.state != "done":
            raise InputError(drawing.error or "The figure could not be drawn.")
        return path.read_bytes()
    finally:
        drawing.cancel.set()
        path.unlink(missing_ok=True)


def download(job: WebJob, kind: str) -> str | bytes:
    """A result in one of the formats; the JSON is what the command line writes."""
    from stripeless.report.kinds import latex_of, markdown_of, numbers_of
    from stripeless.report.summary import render_summary

    if kind == "html":
        return job.report.read_bytes()
    if kind == "json":
        return result_text(json.loads(job.result.read_text(encoding="utf-8")))
    return {"summary": render_summary, "tex": latex_of, "md": markdown_of, "csv": numbers_of}[kind](
        read_result(job.result)
    )


def media_type(item: Item) -> str:
    with open(item.path, "rb") as file:
        return audio_type(file.read(16)) or "application/octet-stream"
