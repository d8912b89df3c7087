"""200 visitors upload a score file of 1 MB at the same time: does every upload succeed, and does the page still answer?

    python benchmarks/bench_page.py [uploads]

Prints the errors, how long uploads took, how long the page took to answer meanwhile, and the server's memory.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import numpy as np


def score_file(size: int = 1_000_000) -> bytes:
    rng = np.random.default_rng(0)
    lines = [f"{v:.6f} {'target' if k % 10 == 0 else 'nontarget'}\n" for k, v in enumerate(rng.normal(size=60_000))]
    return "".join(lines).encode()[:size].rpartition(b"\n")[0] + b"\n"


async def visit(address: str, content: bytes, gate: asyncio.Event) -> tuple[int, float, str]:
    async with httpx.AsyncClient(base_url=address, timeout=300, verify=False) as client:
        page = (await client.get("/")).text
        token = re.search(r'name="csrf" value="([^"]+)"', page)
        assert token is not None
        await gate.wait()
        start = time.perf_counter()
        data = {"csrf": token[1], "resamples": "0"}
        answer = await client.post(
            "/upload", files={"files": ("scores.txt", content)}, data=data, headers={"HX-Request": "1"}
        )
        taken = time.perf_counter() - start
        return answer.status_code, taken, client.cookies.get("stripeless_session") or ""


async def all_measured(address: str, cookies: list[str]) -> float:
    """Seconds until every visitor's scores are measured; asked for seldom, so that asking is not the load."""
    start = time.perf_counter()
    async with httpx.AsyncClient(base_url=address, timeout=60, verify=False) as client:
        for cookie in cookies:
            while (
                'class="job done"'
                not in (await client.get("/work", headers={"Cookie": f"stripeless_session={cookie}"})).text
            ):
                await asyncio.sleep(1)
    return time.perf_counter() - start


def watch(address: str) -> None:
    """Visit the page again and again, in a process of its own, until told to stop; print the seconds each visit took."""
    stopped = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), stopped.set()), daemon=True).start()
    with httpx.Client(base_url=address, timeout=60) as client:
        while not stopped.is_set():
            start = time.perf_counter()
            assert client.get("/").status_code == 200
            print(time.perf_counter() - start)
            time.sleep(0.1)


class Watcher:
    def __init__(self, address: str) -> None:
        command = [sys.executable, __file__, "watch", address]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def times(self) -> list[float]:
        return sorted(float(line) for line in self.process.communicate()[0].split())


async def load(address: str, uploads: int, pid: int) -> None:
    content = score_file()
    gate = asyncio.Event()
    visits = [asyncio.create_task(visit(address, content, gate)) for _ in range(uploads)]
    await asyncio.sleep(2)
    watcher = Watcher(address)
    await asyncio.sleep(2)
    start = time.perf_counter()
    gate.set()
    done = await asyncio.gather(*visits)
    whole = time.perf_counter() - start
    answers = watcher.times()
    taken = sorted(t for _, t, _ in done)
    print(f"{uploads} uploads of {len(content) / 1e6:.2f} MB at once: {sum(s != 200 for s, _, _ in done)} errors")
    print(f"upload: median {taken[len(taken) // 2]:.2f} s, longest {taken[-1]:.2f} s; all in after {whole:.1f} s")
    print(
        f"page meanwhile: median {answers[len(answers) // 2]:.3f} s, longest {answers[-1]:.3f} s ({len(answers)} visits)"
    )
    watcher = Watcher(address)
    measured = await all_measured(address, [cookie for _, _, cookie in done])
    answers = watcher.times()
    print(f"all measured {measured:.1f} s later; page meanwhile: longest {answers[-1]:.3f} s ({len(answers)} visits)")
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        peak = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        print(f"server: at most {int(peak[1]) / 1000:.0f} MB" if peak else "server: memory not known")


def main() -> None:
    if sys.argv[1:2] == ["watch"]:
        watch(sys.argv[2])
        return
    uploads = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    command = [sys.executable, "-m", "stripeless.cli", "serve", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        address = next(m[1] for line in server.stderr if (m := re.search(r"(http://\S+)", line)))
        asyncio.run(load(address, uploads, server.pid))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
