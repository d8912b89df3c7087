"""stripeless serve: the local page."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Any

import click

from stripeless.cli.shared.command import Command
from stripeless.cli.shared.messages import say
from stripeless.cli.shared.options import workers_option

if TYPE_CHECKING:
    from stripeless.web.settings import Settings


@click.command("serve", cls=Command)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; others than this machine need a token.",
)
@click.option(
    "--port", default=8642, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 takes any free one."
)
@click.option(
    "--allow-host", multiple=True, metavar="NAME", help="A further name under which browsers may call the page."
)
@workers_option("Processes that compute; 0 for one per core. Default: one less than the cores, at most four.", most=32)
@click.option(
    "--max-mb", type=click.IntRange(1, 10_000), default=200, show_default=True, help="Largest file taken, in MB."
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
def command(
    host: str, port: int, allow_host: tuple[str, ...], workers: int | None, max_mb: int, open_browser: bool
) -> None:
    """Open a local page to drop scores, embeddings, ratings and results into.

    Nothing leaves this machine and nothing is fetched from outside. The page listens on 127.0.0.1 unless told otherwise; then
    its address holds a token, without which nobody gets in.
    """
    import secrets
    from dataclasses import replace

    from stripeless._extras import need
    from stripeless.parallel.workers import worker_count
    from stripeless.web.settings import MB, Settings

    check_hosts(host, *allow_host)
    for module in ("fastapi", "multipart", "uvicorn"):
        need(module, "web", "the local page")
    settings = Settings(file_bytes=max_mb * MB, request_bytes=max(400, 2 * max_mb) * MB)
    settings = replace(settings, hosts=settings.hosts | {host, *allow_host})
    if workers is not None:
        settings = replace(settings, workers=worker_count(workers))
    if host not in ("127.0.0.1", "localhost", "::1"):
        settings = replace(settings, token=secrets.token_urlsafe(24))
        say("Others can reach this page: give the address below, with its token, only to those who may.")
    _run(settings, host, port, open_browser)


def check_hosts(*names: str) -> None:
    """Refuse what is no name of a host and no address."""
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+|\[[0-9A-Fa-f:.]+\]", name):
            raise click.UsageError(
                f"--host, --allow-host: expected a name or an address, such as 192.168.1.5, got {name!r}."
            )


def _run(settings: Settings, host: str, port: int, open_browser: bool) -> None:
    import socket

    from stripeless.errors import InputError
    from stripeless.web.connections import make_server

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)  # from here on a browser that is told the address waits instead of failing
    except OSError as error:
        listener.close()
        raise InputError(
            f"--port {port}: cannot listen there ({error.strerror}); choose another, or 0 for any"
        ) from error
    token = settings.token
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/" + (f"?token={token}" if token else "")
    say(f"The page: {address}  (stop with Ctrl+C)")
    if open_browser:
        import webbrowser

        webbrowser.open(address)
    server = make_server(settings)
    stop_with_terminal(server)
    server.run(sockets=[listener])


def stop_with_terminal(server: Any) -> None:
    """A terminal that is closed ends the page as Ctrl+C does, so that uploads are deleted; under nohup it goes on."""
    hangup = getattr(signal, "SIGHUP", None)  # not every system has it
    if hangup is not None and signal.getsignal(hangup) == signal.SIG_DFL:
        signal.signal(hangup, lambda number, frame: setattr(server, "should_exit", True))
