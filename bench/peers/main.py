"""Compares Memory Sidecar with what people use instead, each durable and through its Python client.

    npm run bench:peers                        # every product that is installed
    npm run bench:peers -- --install           # installs Redis and PostgreSQL from Debian first
    npm run bench:peers -- --only redis,mem0   # only these, beside Memory Sidecar
    npm run bench:peers -- --rounds 5 --seconds 2 --out FILE

Each product has its own environment and server, all run at the same time, and in each round the
products take turns. A ratio is taken inside a round; a figure is the median of the rounds. A
product that cannot run is named with its reason.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from peers import MEMORIES, MESSAGES, Peer
from servers import ROOT, Missing, Server, start

RESULTS = ROOT / "bench/results"
PROCESSES = 4
CALLERS = 8
"""Callers of each process when 32 calls are in flight."""
WARM_SECONDS = 0.3


class Job(NamedTuple):
    what: str
    title: str
    """Calls in flight; with one, only the first process has a caller."""
    in_flight: int


GROUPS: tuple[tuple[str, tuple[type[Peer], ...], tuple[Job, ...]], ...] = (
    (
        "Messages: append one of 300 bytes; a turn is an append and the newest 20",
        MESSAGES,
        (
            Job("append", "append, one caller", 1),
            Job("turn", "turn, one caller", 1),
            Job("append", "append, 32 in flight", 32),
            Job("turn", "turn, 32 in flight", 32),
        ),
    ),
    (
        "Memories: store a sentence; find the nearest ten among 2,000 and those stored since",
        MEMORIES,
        (Job("remember", "store, one caller", 1), Job("recall", "search, one caller", 1)),
    ),
)


def environment(peer: type[Peer]) -> str:
    """The Python of a product; makes its environment when its versions have changed."""
    if not peer.packages:
        subprocess.run(["sh", "clients/python/setup.sh"], cwd=ROOT, check=True, stdout=sys.stderr)
        return str(ROOT / "clients/python/.venv/bin/python")
    wanted = json.dumps([sys.version, *peer.packages])
    digest = hashlib.sha256(wanted.encode()).hexdigest()[:16]
    folder = RESULTS / "environments" / digest
    if not (folder / "made").exists():
        print(f"installing {', '.join(peer.packages)}", file=sys.stderr)
        make = [sys.executable, "-m", "venv", "--clear", str(folder)]
        subprocess.run(make, check=True)
        install = [str(folder / "bin/pip"), "install", "--quiet", "--no-input", *peer.packages]
        subprocess.run(install, check=True, stdout=sys.stderr)
        (folder / "made").write_text(wanted)
    return str(folder / "bin/python")


class Worker:
    """A process of the load."""

    def __init__(self, python: str, arguments: list[str], log: Path) -> None:
        self.log = log
        self.process = subprocess.Popen(
            [python, str(Path(__file__).with_name("worker.py")), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log.open("w"),
            text=True,
        )

    def ask(self, job: dict[str, object]) -> dict[str, Any]:
        line = ""
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(job), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline() if self.process.stdout else ""
        if line == "":
            last = self.log.read_text(errors="replace").strip().splitlines()[-1:]
            raise RuntimeError(f"the process of the load ended: {' '.join(last)}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


class Product:
    """A product that runs: its server, if it has one, and the processes of the load on it."""

    def __init__(self, peer: type[Peer], directory: Path, processes: int, install: bool) -> None:
        self.peer = peer
        self.server: Server | None = None
        self.workers: list[Worker] = []
        self.rounds: dict[str, list[dict[str, Any]]] = {}
        data = directory / peer.name
        data.mkdir()
        # The user of PostgreSQL is another one.
        data.chmod(0o755)
        try:
            python = environment(peer)
            if peer.server:
                self.server = start(peer.server, data / "server", install)
            port = self.server.port if self.server else 0
            for number in range(processes):
                arguments = [peer.name, str(data), str(port), str(number)]
                self.workers.append(Worker(python, arguments, data / f"worker-{number}.log"))
                # One after the other: the first one makes the tables.
                job = {"what": "prepare", "callers": CALLERS}
                self.settings = str(self.workers[-1].ask(job)["settings"])
        except BaseException:
            self.stop()
            raise

    def measure(self, job: Job, seconds: float) -> dict[str, Any]:
        workers = self.workers if job.in_flight > 1 else self.workers[:1]
        callers = CALLERS if job.in_flight > 1 else 1
        order = {"what": job.what, "callers": callers, "warm": WARM_SECONDS, "seconds": seconds}
        with ThreadPoolExecutor(len(workers)) as pool:
            answers = list(pool.map(lambda worker: worker.ask(order), workers))
        micros = sorted(one for answer in answers for one in answer["micros"])
        if not micros:
            raise RuntimeError(f"no call ended in time: {answers[0]['fault']}")
        return {
            "p50Ms": statistics.median(micros) / 1_000,
            "p99Ms": micros[len(micros) * 99 // 100] / 1_000,
            "perSecond": sum(len(answer["micros"]) / answer["seconds"] for answer in answers),
            "failed": sum(answer["failed"] for answer in answers),
            "fault": next((answer["fault"] for answer in answers if answer["fault"]), ""),
        }

    def stop(self) -> None:
        for worker in self.workers:
            worker.stop()
        if self.server is not None:
            self.server.stop()


def ratio(product: Product, ours: Product, job: Job) -> float:
    """Time of a call of a product to that of ours: the median of the rounds' ratios."""
    pairs = zip(product.rounds[job.title], ours.rounds[job.title], strict=True)
    if job.in_flight == 1:
        return float(statistics.median(a["p50Ms"] / b["p50Ms"] for a, b in pairs))
    return float(statistics.median(b["perSecond"] / a["perSecond"] for a, b in pairs))


def cell(product: Product, ours: Product, job: Job) -> str:
    rounds = product.rounds[job.title]
    if job.in_flight == 1:
        figure = f"{statistics.median(one['p50Ms'] for one in rounds):.2f} ms"
    else:
        figure = f"{statistics.median(one['perSecond'] for one in rounds):,.0f} /s"
    failed = sum(one["failed"] for one in rounds)
    told = f", {failed} failed" if failed else ""
    return f"{figure} ({ratio(product, ours, job):.2f}{told})"


def tables(title: str, products: list[Product], jobs: tuple[Job, ...]) -> str:
    ours = products[0]
    rows = [["", *(job.title for job in jobs)], ["---"] * (len(jobs) + 1)]
    rows += [[one.peer.title, *(cell(one, ours, job) for job in jobs)] for one in products]
    rows += [[], ["", "durable by", "does not do"], ["---"] * 3]
    rows += [[one.peer.title, one.settings, one.peer.lacks] for one in products]
    lines = [f"| {' | '.join(row)} |" if row else "" for row in rows]
    return "\n".join([f"## {title}", "", *lines, ""])


def run_group(
    products: list[Product], jobs: tuple[Job, ...], options: argparse.Namespace
) -> dict[str, str]:
    """Measures all products by turns; takes out those that fail and gives their reasons."""
    failed: dict[str, str] = {}
    for number in range(options.rounds):
        for job in jobs:
            first = number % len(products)
            for product in products[first:] + products[:first]:
                try:
                    result = product.measure(job, options.seconds)
                except RuntimeError as error:
                    if product is products[0]:
                        raise
                    failed[product.peer.title] = f"{job.title}: {error}"
                    products.remove(product)
                    product.stop()
                else:
                    product.rounds.setdefault(job.title, []).append(result)
        print(f"round {number + 1}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    return failed


def compare(options: argparse.Namespace, only: set[str], directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"skipped": {}, "groups": {}}
    for title, peers, jobs in GROUPS:
        if only and not only.intersection(peer.name for peer in peers):
            continue
        products: list[Product] = []
        processes = PROCESSES if any(job.in_flight > 1 for job in jobs) else 1
        try:
            for peer in peers:
                if only and peer.name not in only and peer is not peers[0]:
                    continue
                print(f"starting {peer.title}", file=sys.stderr)
                try:
                    products.append(Product(peer, directory, processes, options.install))
                except (Missing, RuntimeError, subprocess.CalledProcessError) as error:
                    if peer is peers[0]:
                        raise
                    found["skipped"][peer.title] = str(error)
            found["skipped"].update(run_group(products, jobs, options))
        finally:
            for product in products:
                product.stop()
        print(tables(title, products, jobs), flush=True)
        found["groups"][title] = {
            one.peer.title: {"settings": one.settings, "rounds": one.rounds} for one in products
        }
    return found


def main() -> int:
    known = sorted(peer.name for _, peers, _ in GROUPS for peer in peers)
    parser = argparse.ArgumentParser(
        prog="npm run bench:peers --", epilog=f"Products: {', '.join(known)}."
    )
    parser.add_argument("--only", default="", help="products, separated by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one measurement")
    parser.add_argument("--install", action="store_true", help="install Debian packages")
    parser.add_argument("--out", type=Path, default=RESULTS / "peers.json")
    options = parser.parse_args()
    only = {name for name in options.only.split(",") if name}
    unknown = only.difference(known)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds and --seconds must be positive")
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} "
    machine += f"{platform.release()}, Python {platform.python_version()}"
    with tempfile.TemporaryDirectory(prefix="sidecar-peers-") as directory:
        Path(directory).chmod(0o755)
        found = compare(options, only, Path(directory))
    for title, reason in found["skipped"].items():
        print(f"{title}: not measured. {reason}")
    print(
        f"\n{machine}. In brackets: time of a call to that of Memory Sidecar, the median of "
        f"{options.rounds} rounds; below 1 is faster than Memory Sidecar."
    )
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"machine": machine, **found}, indent=2) + "\n")
    return 0


sys.exit(main())
