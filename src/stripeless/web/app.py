"""The page: routes. Each parses, asks, and shows; computing happens in the workers."""

from __future__ import annotations

import asyncio
import hmac
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser
from starlette.requests import ClientDisconnect

from stripeless.errors import InputError, StripelessError
from stripeless.web import actions, pages
from stripeless.web.pool import WorkerPool
from stripeless.web.relied import check_starlette
from stripeless.web.security import COOKIE, Guard
from stripeless.web.sessions import Session, Store, WebJob
from stripeless.web.settings import MB, Settings

STATIC = {
    "htmx.min.js": ("web", "static/htmx.min.js", "text/javascript"),
    "page.js": ("web", "static/page.js", "text/javascript"),
    "page.css": ("web", "static/page.css", "text/css"),
    "style.css": ("report", "templates/style.css", "text/css"),
    "icon.svg": ("web", "static/icon.svg", "image/svg+xml"),
}
FORMATS = {
    "summary": "text/html",
    "json": "application/json",
    "html": "text/html",
    "tex": "application/x-tex",
    "md": "text/markdown",
    "csv": "text/csv",
}
ENDINGS = {"summary": "-summary.html"}
PICTURES = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf", "csv": "text/csv"}
MultiPartParser.spool_max_size = (
    2 * MB
)  # of a file in memory, times `uploads_at_once`; larger ones go to disk as they come


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application with its own store and workers; both end with it."""
    check_starlette()
    settings = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.store, app.state.pool = Store(settings), WorkerPool(settings)
        app.state.gate = asyncio.Semaphore(settings.uploads_at_once)
        yield
        app.state.pool.close()
        app.state.store.close()

    app = FastAPI(title="stripeless", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.add_middleware(Guard, settings=settings)
    app.state.settings = settings
    app.add_exception_handler(StripelessError, _sentence)
    app.add_exception_handler(HTTPException, _plain)
    app.add_exception_handler(ClientDisconnect, _cut_off)
    _pages(app)
    _work(app)
    _results(app)
    return app


def _sentence(request: Request, error: Exception) -> Response:
    """Bad input: one sentence, in the page where the page asked for it."""
    if request.headers.get("hx-request"):
        return HTMLResponse(pages.alert(str(error)), status_code=422)
    return HTMLResponse(pages.error_page(str(error)), status_code=422)


def _plain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return HTMLResponse(pages.error_page(str(error.detail)), status_code=error.status_code)


def _cut_off(request: Request, error: Exception) -> Response:
    """The sender hung up, or was too slow or sent too much: whoever still listens is told."""
    said = "The upload was too slow, or larger than it said; send it again, or use the command line."
    return PlainTextResponse(f"{said}\n", status_code=408, headers={"Connection": "close"})


def visitor(request: Request) -> Session:
    """The session of this request, or an error that says to open the page first."""
    session: Session | None = request.app.state.store.get(request.cookies.get(COOKIE))
    if session is None:
        raise HTTPException(403, "Open the page first: your session is unknown or has ended.")
    return session


async def checked_upload(request: Request) -> tuple[Session, Any]:
    """A form with files. A few are read at a time, fewer of each visitor; the others wait before a byte of theirs is read."""
    session = visitor(request)
    settings: Settings = request.app.state.settings
    async with session.gate, request.app.state.gate:
        return await read_form(request, session, settings.request_files, settings.upload_seconds)


async def checked_form(request: Request) -> tuple[Session, Any]:
    """A form without files, which is small and waits for no upload."""
    return await read_form(request, visitor(request), 0, request.app.state.settings.form_seconds)


async def read_form(request: Request, session: Session, most_files: int, seconds: float) -> tuple[Session, Any]:
    """The form of a visitor who proves, by the token in it, that our own page sent it."""
    try:
        async with asyncio.timeout(seconds):
            form = await request.form(max_files=most_files, max_fields=1000)
    except TimeoutError as error:
        raise HTTPException(408, "The upload took too long.") from error
    token = request.headers.get("x-csrf-token") or str(form.get("csrf") or "")
    if not hmac.compare_digest(token.encode(), session.csrf.encode()):
        raise HTTPException(403, "The form is too old; reload the page and try again.")
    return session, form


def job_of(session: Session, identity: str) -> WebJob:
    job = session.jobs.get(identity)
    if job is None:
        raise HTTPException(404, "There is no such result; it may have been removed.")
    return job


def done(session: Session, identity: str) -> WebJob:
    job = job_of(session, identity)
    if job.state != "done" or not job.result.exists():
        raise HTTPException(404, "This result is not there (yet).")
    return job


def reply(request: Request, session: Session) -> Response:
    """The list of work for the page, or the whole page for a browser without script."""
    if request.headers.get("hx-request"):
        return HTMLResponse(pages.work(session))
    return RedirectResponse("/", status_code=303)


def _pages(app: FastAPI) -> None:
    @app.get("/")
    async def home(request: Request, token: str = "") -> Response:
        session = request.app.state.store.get(request.cookies.get(COOKIE))
        secret = app.state.settings.token
        if session is None:
            if secret and not hmac.compare_digest(token.encode(), secret.encode()):
                raise HTTPException(403, "Open the address that stripeless serve printed; it holds a token.")
            session = request.app.state.store.create()
        response = HTMLResponse(pages.home(session))
        response.set_cookie(COOKIE, session.id, httponly=True, samesite="strict", path="/")
        return response

    @app.get("/health")
    async def health() -> Response:
        return PlainTextResponse("ok\n")

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in STATIC:
            raise HTTPException(404, "There is no such file.")
        package, path, media = STATIC[name]
        content = files(f"stripeless.{package}").joinpath(*path.split("/")).read_bytes()
        return Response(content, media_type=media, headers={"Cache-Control": "max-age=3600"})


def _work(app: FastAPI) -> None:
    @app.post("/upload")
    async def upload(request: Request) -> Response:
        session, form = await checked_upload(request)
        await actions.take_uploads(session, form, app.state.store, app.state.pool)
        return reply(request, session)

    @app.get("/work")
    async def work(request: Request) -> Response:
        return HTMLResponse(pages.work(visitor(request)))

    @app.post("/job/{identity}/cancel")
    async def cancel(request: Request, identity: str) -> Response:
        session, _ = await checked_form(request)
        job = job_of(session, identity)
        job.cancel.set()
        await actions.over(job, 1.0)
        return reply(request, session)

    @app.post("/job/{identity}/remove")
    async def remove(request: Request, identity: str) -> Response:
        session, _ = await checked_form(request)
        session.drop(identity)
        return reply(request, session)

    @app.post("/forget")
    async def forget(request: Request) -> Response:
        session, _ = await checked_form(request)
        await asyncio.wrap_future(app.state.store.forget(session))
        response = RedirectResponse("/", status_code=303)
        response.delete_cookie(COOKIE)
        return response

    @app.post("/compare")
    async def compare(request: Request) -> Response:
        session, form = await checked_form(request)
        actions.compare(
            session, [done(session, i) for i in form.getlist("result")], bool(form.get("among")), app.state.pool
        )
        return reply(request, session)

    @app.post("/summary")
    async def summary(request: Request) -> Response:
        session, form = await checked_form(request)
        actions.summarize(session, [done(session, i) for i in form.getlist("result")], app.state.pool)
        return reply(request, session)

    @app.get("/audio/{identity}")
    async def audio(request: Request, identity: str) -> Response:
        item = visitor(request).items.get(identity)
        if item is None or item.kind != "audio":
            raise HTTPException(404, "There is no such recording.")
        return FileResponse(item.path, media_type=actions.media_type(item))


def _results(app: FastAPI) -> None:
    @app.get("/result/{identity}")
    async def result(request: Request, identity: str) -> Response:
        session = visitor(request)
        job = done(session, identity)
        report = actions.report_job(session, job, app.state.pool, retry=True)
        return HTMLResponse(await asyncio.to_thread(pages.result, session, job, report))

    @app.get("/result/{identity}/body")
    async def body(request: Request, identity: str) -> Response:
        session = visitor(request)
        job = done(session, identity)
        return HTMLResponse(
            await asyncio.to_thread(pages.result_body, job, actions.report_job(session, job, app.state.pool))
        )

    @app.post("/result/{identity}/again")
    async def again(request: Request, identity: str) -> Response:
        session, form = await checked_form(request)
        actions.again(session, done(session, identity), form, app.state.pool)
        return RedirectResponse("/", status_code=303)

    @app.get("/result/{identity}/prior")
    async def prior(request: Request, identity: str, percent: str = "") -> Response:
        job = done(visitor(request), identity)
        return HTMLResponse(await asyncio.to_thread(pages.prior, job, percent))

    @app.get("/result/{identity}/download/{kind}")
    async def download(request: Request, identity: str, kind: str) -> Response:
        session = visitor(request)
        job = done(session, identity)
        if kind not in FORMATS:
            raise HTTPException(404, f"Choose one of {', '.join(FORMATS)}.")
        if kind == "html":
            waiting = actions.report_job(session, job, app.state.pool)
            await actions.over(waiting, 120.0)
            if waiting.error:
                raise InputError(waiting.error)
        content = await asyncio.to_thread(actions.download, job, kind)
        name = f"stripeless-{identity[:6]}{ENDINGS.get(kind, '.' + kind)}"
        return Response(content, media_type=FORMATS[kind], headers=_attachment(name))

    @app.get("/result/{identity}/figure/{name}")
    async def figure(request: Request, identity: str, name: str) -> Response:
        session = visitor(request)
        job = done(session, identity)
        match = re.fullmatch(r"([A-Za-z0-9_-]{1,120})\.(png|svg|pdf|csv)", name)
        if match is None:
            raise HTTPException(404, "There is no such figure.")
        content = await actions.figure(session, job, match[1], match[2], app.state.pool)
        return Response(content, media_type=PICTURES[match[2]], headers=_attachment(name))


def _attachment(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
