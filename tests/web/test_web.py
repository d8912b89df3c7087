"""The page by its HTTP: what it computes, what it refuses, and who sees what."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import pickle
import re
import socket
import struct
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the page needs pip install 'stripeless[web]'")
httpx = pytest.importorskip("httpx", reason="tests of the page need httpx")

from click.testing import CliRunner  # noqa: E402
from sample_results import evaluation  # noqa: E402
from study_results import FIGURES, KINDS, study  # noqa: E402
from web_server import WAV, score_text, serving  # noqa: E402

from stripeless.cli import group  # noqa: E402
from stripeless.errors import InputError  # noqa: E402
from stripeless.listening.ratings import write_ratings  # noqa: E402
from stripeless.listening.simulate import simulate_ratings  # noqa: E402
from stripeless.report.kinds import figure_data_of, html_of, numbers_of  # noqa: E402
from stripeless.web.security import CSP, Guard, host_of, same_site  # noqa: E402
from stripeless.web.sessions import Store  # noqa: E402
from stripeless.web.settings import Settings  # noqa: E402

RNG = np.random.default_rng(0)


OPEN: list[Any] = []


@pytest.fixture(autouse=True)
def close_clients() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


class Visitor:
    """A browser without a window."""

    def __init__(self, address: str) -> None:
        self.client = httpx.Client(base_url=address, timeout=60)
        OPEN.append(self.client)
        page = self.client.get("/")
        assert page.status_code == 200, page.text
        self.csrf = re.search(r'name="csrf" value="([^"]+)"', page.text)[1]  # type: ignore[index]

    def upload(self, *files: tuple[str, str | bytes], htmx: bool = True, tables: Any = None, **fields: str) -> Any:
        parts = [("files", (name, content)) for name, content in files]
        parts += [(key, value) for key, value in (tables or {}).items()]
        data = {"csrf": self.csrf, "resamples": "0", **fields}
        headers = {"HX-Request": "true"} if htmx else {}
        return self.client.post("/upload", files=parts, data=data, headers=headers)

    def wait(self, seconds: float = 60) -> str:
        """The list of work once nothing runs any more."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            page = self.client.get("/work").text
            if 'hx-trigger="every' not in page:
                return str(page)
            time.sleep(0.1)
        raise AssertionError(f"still busy: {page}")

    def results(self) -> list[str]:
        """Finished results, the newest first."""
        return re.findall(r'href="/result/([0-9a-f]+)"', self.wait())

    def post(self, path: str, **fields: Any) -> Any:
        return self.client.post(path, data={"csrf": self.csrf, **fields}, headers={"HX-Request": "true"})


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving("--workers", "1", "--max-mb", "3") as where:
        yield where


@pytest.fixture
def visitor(address: str) -> Iterator[Visitor]:
    someone = Visitor(address)
    yield someone
    someone.client.post("/forget", data={"csrf": someone.csrf})


def test_the_page_gives_the_same_dict_as_the_command_line(visitor: Visitor, tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(score_text())
    done = CliRunner().invoke(group, ["assess", str(path), "--resamples", "200", "--json"])
    wanted = json.loads(done.stdout)
    visitor.upload(("scores.txt", score_text()), resamples="200")
    (result,) = visitor.results()
    got = visitor.client.get(f"/result/{result}/download/json").json()
    assert got["measures"] == wanted["measures"]
    assert got["curves"] == wanted["curves"]
    assert got["inputs"][0]["sha256"] == wanted["inputs"][0]["sha256"]
    assert got["inputs"][0]["path"] == "scores.txt"


def test_report_figures_and_tables_can_be_taken(visitor: Visitor) -> None:
    visitor.upload(("a.txt", score_text()))
    (result,) = visitor.results()
    page = visitor.client.get(f"/result/{result}/download/html")
    assert page.text.startswith("<!DOCTYPE html>")
    body = visitor.client.get(f"/result/{result}").text
    assert "Every measure" in body
    assert re.search(r'<figure id="figure-det"', body)
    assert visitor.client.get(f"/result/{result}/figure/det.png").content.startswith(b"\x89PNG")
    assert visitor.client.get(f"/result/{result}/figure/det.csv").text.startswith("system,false_alarm,miss")
    assert r"\begin{table}" in visitor.client.get(f"/result/{result}/download/tex").text
    assert visitor.client.get(f"/result/{result}/download/md").text.startswith("# ")
    summary = visitor.client.get(f"/result/{result}/download/summary")
    assert "Singling out" in summary.text
    assert summary.headers["content-disposition"].endswith('-summary.html"')
    assert visitor.client.get(f"/result/{result}/figure/nothing.png").status_code == 422
    assert visitor.client.get(f"/result/{result}/figure/..%2f..%2fetc.png").status_code == 404
    assert visitor.client.get(f"/result/{result}/download/exe").status_code == 404


def test_results_stand_side_by_side_and_among_the_published(visitor: Visitor) -> None:
    visitor.upload(("weak.txt", score_text(0.5)), ("strong.txt", score_text(3.0, seed=1)))
    first, second = visitor.results()
    page = visitor.post("/compare", result=[first, second]).text
    assert "weak.txt" in page
    newest = visitor.results()[0]
    compared = visitor.client.get(f"/result/{newest}/download/json").json()
    assert compared["kind"] == "comparison"
    assert {r["name"] for r in compared["results"]} == {"weak.txt", "strong.txt"}
    visitor.post("/compare", result=[first], among="1")
    newest = visitor.results()[0]
    systems = visitor.client.get(f"/result/{newest}/download/json").json()
    assert systems["kind"] == "systems"
    assert "S2c1" in {c["system"] for c in systems["cells"]}
    assert "one.txt" not in visitor.post("/compare", result=[first]).text
    assert visitor.post("/compare", result=[first]).status_code == 422


def test_attacker_sex_and_prior_can_be_changed(visitor: Visitor) -> None:
    visitor.upload(("a.txt", score_text()))
    (result,) = visitor.results()
    visitor.post(f"/result/{result}/again", attacker="lazy-informed", resamples="0")
    newest = visitor.results()[0]
    assert visitor.client.get(f"/result/{newest}/download/json").json()["attacker"] == "lazy-informed"
    answer = visitor.client.get(f"/result/{result}/prior", params={"percent": "50"}).text
    assert "lacks 1.000 bit" in answer
    assert "between 0 and 100" in visitor.client.get(f"/result/{result}/prior", params={"percent": "abc"}).text
    visitor.post(f"/result/{result}/again", sex="female", resamples="0")
    assert "give spk2gender" in visitor.wait()
    assert visitor.post(f"/result/{result}/again", resamples="7").status_code == 422


def test_ratings_and_results_are_recognized_by_what_they_hold(visitor: Visitor) -> None:
    visitor.upload(("anything.bin", write_ratings(simulate_ratings(listeners=6, per_group=2))))
    (result,) = visitor.results()
    study = visitor.client.get(f"/result/{result}/download/json")
    assert study.json()["kind"] == "listening"
    visitor.upload(("again.dat", study.content))
    newest = visitor.results()[0]
    assert visitor.client.get(f"/result/{newest}/download/json").json()["kind"] == "listening"


def test_embeddings_are_compared(visitor: Visitor) -> None:
    speakers = np.repeat(np.arange(8), 4)
    centers = RNG.normal(size=(8, 16))

    def file(seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        out = io.BytesIO()
        np.savez(out, vectors=centers[speakers] + 0.3 * rng.normal(size=(32, 16)),
                 utterances=np.array([f"s{s}-{seed}-{k}" for k, s in enumerate(speakers)]),
                 speakers=np.array([f"s{s}" for s in speakers]))  # fmt: skip
        return out.getvalue()

    assert "enrollment embeddings" in visitor.upload(("trial.npz", file(2))).text
    visitor.upload(("trial.npz", file(2)), tables={"enrollment": ("enroll.npz", file(1))})
    results = visitor.results()
    assert visitor.client.get(f"/result/{results[0]}/download/json").json()["measures"]["eer"]["value"] < 0.1


def test_recordings_can_be_heard(visitor: Visitor) -> None:
    wav = b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16)
    wav += b"data" + struct.pack("<I", 0)
    page = visitor.upload(("before.wav", wav)).text
    place = re.search(r'src="(/audio/[0-9a-f]+)"', page)
    assert place is not None
    heard = visitor.client.get(place[1])
    assert heard.headers["content-type"] == "audio/wav"
    assert heard.content == wav


def heard(page: str) -> list[str]:
    """What the players of a page say they play."""
    return re.findall(r'<audio [^>]*aria-label="([^"]+)"', page)


def test_folders_tell_before_from_after(visitor: Visitor) -> None:
    page = visitor.upload(("anonymized/u1.wav", WAV), ("original/u1.wav", WAV), ("original/u2.wav", WAV)).text
    assert heard(page) == ["u1.wav before anonymization", "u1.wav after anonymization", "u2.wav, before anonymization"]
    assert "came first" not in page


def test_two_uploads_pair_up_by_name(visitor: Visitor) -> None:
    visitor.upload(("u1.wav", WAV), ("u2.wav", WAV), side="before")
    page = visitor.upload(("u2_anon.wav", WAV), ("u1.wav", WAV), side="after").text
    assert heard(page) == [
        "u1.wav before anonymization", "u1.wav after anonymization",
        "u2.wav before anonymization", "u2_anon.wav after anonymization",
    ]  # fmt: skip
    assert visitor.upload(("u3.wav", WAV), side="above").status_code == 422


def test_without_a_side_the_first_is_before_and_the_page_says_so(visitor: Visitor) -> None:
    visitor.upload(("u1.wav", WAV))
    page = visitor.upload(("u1.wav", WAV)).text
    assert "Before (came first)" in page
    assert "After (came second)" in page


@pytest.mark.parametrize("kind", KINDS)
def test_results_of_every_kind_can_be_shown_and_taken(visitor: Visitor, kind: str) -> None:
    result = json.loads(json.dumps(study(kind)))
    visitor.upload((f"{kind}.json", json.dumps(result)))
    (identity,) = visitor.results()
    where = f"/result/{identity}"
    page = visitor.client.get(f"{where}/download/html").text
    assert page == html_of(visitor.client.get(f"{where}/download/json").json())
    assert visitor.client.get(f"{where}/download/csv").text == numbers_of(result)
    assert "tabular" in visitor.client.get(f"{where}/download/tex").text
    assert visitor.client.get(f"{where}/download/md").text.startswith("# ")
    body = visitor.client.get(where).text
    for name in FIGURES[kind]:
        assert f"{where}/figure/{name}.csv" in body
    for name in sorted(FIGURES[kind])[:1]:
        assert visitor.client.get(f"{where}/figure/{name}.png").content.startswith(b"\x89PNG")
        assert visitor.client.get(f"{where}/figure/{name}.csv").text == figure_data_of(result, name)


def test_the_chosen_are_summed_up_on_one_sheet(visitor: Visitor) -> None:
    visitor.upload(("scores.txt", score_text()), ("rank.json", json.dumps(study("rank"))))
    both = visitor.results()
    visitor.post("/summary", result=both)
    sheet = visitor.client.get(f"/result/{visitor.results()[0]}/download/html").text
    assert "Summary for a data-protection review" in sheet
    assert "the most similar of 40 people" in sheet
    assert visitor.post("/summary").status_code == 422
    visitor.post("/compare", result=both)
    assert "Only results of scores can be put side by side" in visitor.wait()


def test_recordings_inside_a_result_can_be_heard(visitor: Visitor) -> None:
    sound = "data:audio/wav;base64," + base64.b64encode(WAV).decode()
    voices = {"listeners": [], "ranks": {}, "similarity": {}, "encoder": "x", "corpus": {}}
    listen = [{"speaker": "s1", "text": "", "before": sound, "after": sound}]
    result = {**evaluation(), "voices": voices, "listen": listen}
    visitor.upload(("voices.json", json.dumps(result)))
    (identity,) = visitor.results()
    visitor.client.get(f"/result/{identity}/download/html")
    page = visitor.client.get(f"/result/{identity}")
    assert heard(page.text) == ["Speaker s1 before anonymization", "Speaker s1 after anonymization"]
    assert "media-src 'self' data:" in page.headers["content-security-policy"]


def zipped(name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, b"x" * 100)
    return out.getvalue()


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("target.npy", b"\0" * 50_000_000)
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps([1, 2]), "is a pickle"),
        (zipped("data.pkl"), "is an archive"),
        (zipped("../x.npy"), "is an archive"),
        (bomb(), "far more than it is"),
        (b"\x1f\x8b\x08\x00rest", "is packed (gzip)"),
        (b"\x7fELF", "is a program"),
        (b"", "is empty"),
        (b"x" * 3_100_000, "at most 3 MB"),
    ],
)
def test_what_could_run_or_unpack_is_refused(visitor: Visitor, content: bytes, message: str) -> None:
    answer = visitor.upload(("innocent.txt", content))
    assert answer.status_code == 422
    assert message in answer.text
    assert visitor.results() == []


def test_bad_files_fail_with_a_sentence_that_names_the_file_and_no_path(visitor: Visitor) -> None:
    visitor.upload(("../../etc/<b>bad</b>.txt", "this is no score file\n"))
    page = visitor.wait()
    assert 'class="job failed"' in page
    assert "&lt;b&gt;" in page or "b&gt;.txt" in page
    assert "<b>bad" not in page
    assert ".stripeless-" not in page
    assert "/tmp" not in page


def test_one_visitor_does_not_see_anothers_work(visitor: Visitor, address: str) -> None:
    visitor.upload(("mine.txt", score_text()))
    (result,) = visitor.results()
    stranger = Visitor(address)
    assert stranger.results() == []
    for path in (f"/result/{result}", f"/result/{result}/download/json", f"/result/{result}/figure/det.png"):
        assert stranger.client.get(path).status_code == 404
    assert stranger.post(f"/job/{result}/cancel").status_code == 404
    stranger.post(f"/job/{result}/remove")
    assert visitor.client.get(f"/result/{result}/download/json").status_code == 200
    assert stranger.post("/compare", result=[result, result]).status_code == 404


def test_forms_need_our_token_and_our_origin(visitor: Visitor) -> None:
    for path in ("/upload", "/compare", "/forget", "/job/x/cancel", "/job/x/remove", "/result/x/again"):
        assert visitor.client.post(path, data={"csrf": "guess"}).status_code == 403, path
    foreign = {"Origin": "http://evil.example"}
    assert visitor.client.post("/forget", data={"csrf": visitor.csrf}, headers=foreign).status_code == 403
    fetched = {"Sec-Fetch-Site": "cross-site"}
    assert visitor.client.post("/forget", data={"csrf": visitor.csrf}, headers=fetched).status_code == 403
    assert httpx.post(f"{visitor.client.base_url}upload", data={"csrf": visitor.csrf}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil@127.0.0.1", ""])
def test_a_foreign_host_is_refused(visitor: Visitor, host: str) -> None:
    assert visitor.client.get("/", headers={"Host": host}).status_code == 400


def test_headers_keep_the_page_to_itself(visitor: Visitor) -> None:
    page = visitor.client.get("/")
    assert page.headers["content-security-policy"] == CSP
    assert "unsafe-inline" not in CSP.split("script-src")[1].split(";")[0]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["cache-control"] == "no-store"
    assert "server" not in page.headers
    cookie = Visitor(str(visitor.client.base_url)).client.get("/").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    for text in re.findall(r"<script[^>]*>(.*?)</script>", page.text, re.DOTALL):
        assert not text.strip(), "inline script"
    assert not re.findall(r"""(?:src|href)=["']?(?:https?:)?//""", page.text), "something from outside"
    assert not re.search(r"\son[a-z]+=", page.text), "inline handler"


def test_a_body_that_announces_too_much_is_refused_before_it_is_read(address: str) -> None:
    where = httpx.URL(address)
    with socket.create_connection((where.host, where.port), timeout=20) as line:
        line.sendall(f"POST /upload HTTP/1.1\r\nHost: {where.host}\r\nContent-Length: 999999999999\r\n\r\n".encode())
        assert b"413" in line.recv(200)


def test_a_body_without_length_is_cut_off_at_the_limit() -> None:
    """Chunks of 1,000 bytes against a limit of 2,500: the application hears of a sender who hung up, never of the rest."""
    heard: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            heard.append(message["type"])
            if message["type"] == "http.disconnect":
                return

    async def receive() -> Any:
        return {"type": "http.request", "body": b"x" * 1000, "more_body": True}

    async def send(message: Any) -> None:
        raise AssertionError("nothing to say")

    guard = Guard(application, replace(Settings(), request_bytes=2500))
    scope = {"type": "http", "method": "POST", "path": "/upload", "headers": [(b"host", b"127.0.0.1:1")]}
    asyncio.run(guard(scope, receive, send))
    assert heard == ["http.request", "http.request", "http.disconnect"]


def test_a_session_holds_no_more_than_it_may(tmp_path: Path) -> None:
    store = Store(replace(Settings(), session_bytes=1000, session_items=2, all_bytes=1500, sessions=2))
    try:
        one, two = store.create(), store.create()
        with pytest.raises(InputError, match="A session holds"):
            store.check_room(one, 1001)
        for session, size in ((one, 900), (two, 500)):
            identity, path = session.new_path(".txt")
            path.write_bytes(b"x" * size)
            session.add_item(identity, path, "a", "scores")
        with pytest.raises(InputError, match="as much as it may"):
            store.check_room(two, 200)
        with pytest.raises(InputError, match="Too many visitors"):
            store.create()
        two.drop(next(iter(two.items)))
        assert two.bytes == 0
        assert store.create().id not in (one.id, two.id)  # the visitor without anything made room
        assert store.get(two.id) is None
        assert store.get(one.id) is one
    finally:
        store.close()
    assert not store.folder.exists()


def test_work_can_be_cancelled_and_survives_a_reload(visitor: Visitor) -> None:
    visitor.upload(("large.txt", score_text(size=40_000)), resamples="1000")
    page = visitor.client.get("/").text  # a reload finds the running job
    job = re.search(r"/job/([0-9a-f]+)/cancel", page)
    assert job is not None
    assert "large.txt" in page
    assert (
        'class="job cancelled"' in visitor.post(f"/job/{job[1]}/cancel").text
        or 'class="job cancelled"' in visitor.wait()
    )
    visitor.upload(("small.txt", score_text()))
    assert len(visitor.results()) == 1, "the worker that was stopped has a successor"


def test_forgetting_removes_everything(address: str) -> None:
    someone = Visitor(address)
    someone.upload(("a.txt", score_text()))
    (result,) = someone.results()
    someone.client.post("/forget", data={"csrf": someone.csrf})
    assert someone.client.get(f"/result/{result}").status_code in (403, 404)


def test_without_script_the_form_leads_back_to_the_page(visitor: Visitor) -> None:
    answer = visitor.upload(("a.txt", score_text()), htmx=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"


def test_host_and_origin_rules() -> None:
    assert host_of("LOCALHOST:80") == "localhost"
    assert same_site({"origin": "http://127.0.0.1:8642"}, "127.0.0.1:8642")
    assert not same_site({"origin": "null"}, "127.0.0.1:8642")
    assert not same_site({"origin": "http://127.0.0.1:1"}, "127.0.0.1:8642")


def test_a_page_that_others_can_reach_asks_for_its_token() -> None:
    with serving("--host", "0.0.0.0", "--allow-host", "127.0.0.1", "--workers", "1") as where:
        address, _, token = where.replace("0.0.0.0", "127.0.0.1").partition("?token=")
        assert httpx.get(address).status_code == 403
        assert httpx.get(address, params={"token": "guess"}).status_code == 403
        assert httpx.get(address, params={"token": token}).status_code == 200


def test_a_result_with_evidence_beyond_all_numbers_is_shown() -> None:
    """10 to the power of 400 is no number that a computer can hold."""
    from stripeless.assessment.assess import assess
    from stripeless.web.pages import prior_facts

    result = assess([2.0, 3.0, 4.0], [0.0, 1.0, 2.5])
    for worst, said in ((-400.0, "<0.01 %"), (-(10**14), "<0.01 %"), (400.0, "100.0 %")):
        measure = replace(result.measures["log10_lr"], value=worst)
        facts = prior_facts(replace(result, measures={**result.measures, "log10_lr": measure}), 0.01)
        assert facts["posterior"] == said
