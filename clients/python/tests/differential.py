"""Random operations on an implementation of a framework and on ours, and the shortest sequence on
which the two differ."""

from __future__ import annotations

import asyncio
import math
import os
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from real import RealServer
from upstream import TABLE

from memorysidecar import AsyncClient

Step = TypeVar("Step")
Draw = Callable[[random.Random], Step]
"""Makes a step."""
Play = Callable[[Sequence[Step]], str | None]
"""Does steps on two fresh stores; says how they differ, if they do."""
PlayPair = Callable[[Sequence[Step], AsyncClient], Awaitable[str | None]]
"""The same on an event loop, with a client of a namespace that nothing else uses."""

Ranked = tuple[Any, Any, float]
"""Name of an item, the item and its score."""

NEAR = 1e-3
"""Two scores nearer than this may change places: the server compares vectors with fewer bits."""
STEPS = 2_000
PAIR_STEPS = 100
"""The most steps on one pair of stores of ``differ_async``."""
SHRINK_SECONDS = 60.0


def differ(
    framework: str, store: str, draw_step: Draw[Step], play: Play[Step], count: int = STEPS
) -> None:
    """Does random steps: ``count`` times ``TEST_DEPTH``.

    Fails with the seed and with the fewest steps found on which the two differ.
    """
    row = f"| {framework} | {store} | {count} |"
    assert row in TABLE.read_text(), f"docs/integrations/README.md needs {row}"
    seed = int(os.environ.get("TEST_SEED", random.randrange(2**32)))
    depth = int(os.environ.get("TEST_DEPTH", "1"))
    print(f"TEST_SEED={seed}")
    draw = random.Random(seed)
    steps = [draw_step(draw) for _ in range(count * depth)]
    difference = play(steps)
    if difference is None:
        return
    least = shrink(steps, play)
    listed = "\n".join(f"  {step!r}" for step in least)
    pytest.fail(f"TEST_SEED={seed}: {difference}\nas after\n{listed}\n{play(least)}")


def differ_async(
    server: RealServer,
    framework: str,
    store: str,
    draw_step: Draw[Step],
    play_pair: PlayPair[Step],
    count: int = STEPS,
) -> None:
    """Does the same on an event loop, with a new pair of stores every ``PAIR_STEPS`` steps."""

    async def play_all(steps: Sequence[Step]) -> str | None:
        for start in range(0, len(steps), PAIR_STEPS):
            async with AsyncClient(server.address, namespace=f"t-{uuid4().hex}") as client:
                difference = await play_pair(steps[start : start + PAIR_STEPS], client)
            if difference is not None:
                return difference
        return None

    def play(steps: Sequence[Step]) -> str | None:
        return asyncio.run(play_all(steps))

    differ(framework, store, draw_step, play, count)


def closest(
    ours: Sequence[Ranked], truth: Sequence[Ranked], limit: int, least: float = -math.inf
) -> str | None:
    """Says how a ranking differs from that of the other store, if it does.

    ``truth`` has all items that the other store knows, the best first: those that are nearly as
    good may change their places, and one may be beyond the limit.

    :param least: the least score that an item of ours may have.
    """
    surely, perhaps = (
        min(limit, sum(score >= least + edge for _, _, score in truth)) for edge in (NEAR, -NEAR)
    )
    if not surely <= len(ours) <= perhaps:
        return f"{len(ours)} items, not {surely} to {perhaps}: {ours!r}"
    items = {name: (item, score) for name, item, score in truth}
    left = set(items)
    for (name, item, score), (_, _, best) in zip(ours, truth, strict=False):
        if name not in left:
            return f"{name!r} is there twice, or should not be: {ours!r}"
        left.remove(name)
        expected, wanted = items[name]
        if item != expected:
            return f"{item!r} is not {expected!r}"
        if abs(wanted - score) > NEAR or abs(best - score) > NEAR:
            return f"{name!r} has {score}, not {wanted}; the best here has {best}"
    return None


def shrink(steps: Sequence[Step], play: Play[Step]) -> list[Step]:
    """Leaves out steps as long as the two still differ, for at most a minute."""
    until = time.monotonic() + SHRINK_SECONDS
    least = list(steps)
    size = len(least) // 2
    while size > 0 and time.monotonic() < until:
        start = 0
        while start < len(least) and time.monotonic() < until:
            fewer = least[:start] + least[start + size :]
            if play(fewer) is None:
                start += size
            else:
                least = fewer
        size //= 2
    return least
