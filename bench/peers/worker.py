"""One process of the load on one product.

Usage: worker.py PEER DIRECTORY PORT PROCESS. Reads a job a line, JSON, and answers with a line.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

from peers import NEAREST, NEWEST, PEERS, AsyncMessages, Memories, Messages, Peer, Place

CONVERSATIONS = 2
"""Each caller goes round so many conversations."""
MEMORIES = 2_000
CALLS_MIN = 20
"""A slow product is measured for longer than asked, until it has made so many calls..."""
LONGEST_SECONDS = 30
"""...or for so long."""


class Figures:
    """Times of the calls that began after the warm-up."""

    def __init__(self, warm: float, seconds: float) -> None:
        self.start = time.perf_counter() + warm
        self.end = self.start + seconds
        self.times: list[float] = []
        self.failed = 0
        self.fault = ""

    def take(self, began: float, ended: float, fault: BaseException | None) -> bool:
        """Notes a call; False when the time is over."""
        if fault is not None:
            self.failed += 1
            self.fault = f"{type(fault).__name__}: {fault}"[:300]
        elif began >= self.start and ended <= self.end:
            self.times.append(ended - began)
        if ended >= self.end and len(self.times) < CALLS_MIN:
            self.end = min(ended + 0.1, self.start + LONGEST_SECONDS)
        return ended < self.end

    def answer(self) -> dict[str, object]:
        micros = [round(1e6 * one) for one in self.times]
        seconds = self.end - self.start
        return {"micros": micros, "seconds": seconds, "failed": self.failed, "fault": self.fault}


def blocking(figures: Figures, call: Callable[[], object]) -> None:
    """One caller: a call after the other."""
    going = True
    while going:
        began, fault = time.perf_counter(), None
        try:
            call()
        except Exception as error:
            fault = error
        going = figures.take(began, time.perf_counter(), fault)


async def awaiting(figures: Figures, call: Callable[[], Awaitable[object]]) -> None:
    """One caller: a call after the other."""
    going = True
    while going:
        began, fault = time.perf_counter(), None
        try:
            await call()
        except Exception as error:
            fault = error
        going = figures.take(began, time.perf_counter(), fault)


class Load:
    """The load of this process on a product."""

    def __init__(self, peer: type[Peer], place: Place, process: str) -> None:
        # Clients for asyncio bind to the loop that is there when they are made.
        self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        self.peer = peer(place)
        self.process = process
        self.rounds = [
            itertools.cycle(range(at * CONVERSATIONS, (at + 1) * CONVERSATIONS)) for at in range(32)
        ]
        self.numbers = itertools.count(MEMORIES)

    def conversation(self, number: int) -> str:
        return f"p{self.process}-{number}"

    def prepare(self, callers: int) -> None:
        """Fills what the calls find: windows are full, and there are memories to search."""
        peer = self.peer
        if isinstance(peer, Memories):
            for number in range(MEMORIES):
                peer.remember(number)
            self.expect(peer.recall(5), NEAREST)
            return
        for number in range(callers * CONVERSATIONS):
            name = self.conversation(number)
            if isinstance(peer, AsyncMessages):
                self.loop.run_until_complete(self.fill(peer, name))
            else:
                blocking_peer = cast(Messages, peer)
                blocking_peer.create(name)
                for _ in range(NEWEST):
                    blocking_peer.append(name)
                self.expect(blocking_peer.turn(name), NEWEST)

    async def fill(self, peer: AsyncMessages, name: str) -> None:
        await peer.create(name)
        for _ in range(NEWEST):
            await peer.append(name)
        self.expect(await peer.turn(name), NEWEST)

    def expect(self, found: int, wanted: int) -> None:
        if found != wanted:
            raise AssertionError(f"{self.peer.name} gave {found} in place of {wanted}")

    def measure(self, what: str, callers: int, figures: Figures) -> None:
        if isinstance(self.peer, AsyncMessages):
            self.loop.run_until_complete(self.measure_async(what, callers, figures))
            return
        threads = [
            threading.Thread(target=blocking, args=(figures, self.call(what, at)))
            for at in range(callers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    async def measure_async(self, what: str, callers: int, figures: Figures) -> None:
        await asyncio.gather(*(awaiting(figures, self.call(what, at)) for at in range(callers)))

    def call(self, what: str, caller: int) -> Callable[[], Any]:
        method = getattr(self.peer, what)
        if what == "remember":
            return lambda: method(next(self.numbers))
        if what == "recall":
            return lambda: method(next(self.numbers) % MEMORIES)
        numbers = self.rounds[caller]
        return lambda: method(self.conversation(next(numbers)))


def main() -> None:
    name, directory, port, process = sys.argv[1:]
    load = Load(PEERS[name], Place(Path(directory), int(port)), process)
    # Products print, too: answers have a stream of their own.
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        job = json.loads(line)
        try:
            if job["what"] == "prepare":
                load.prepare(job["callers"])
                answer: dict[str, object] = {"settings": load.peer.settings()}
            else:
                figures = Figures(job["warm"], job["seconds"])
                load.measure(job["what"], job["callers"], figures)
                answer = figures.answer()
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(answer), file=out, flush=True)


main()
