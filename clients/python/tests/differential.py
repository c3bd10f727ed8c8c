"""Random operations on an implementation of a framework and on ours, and the shortest sequence on
which the two differ."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest
from upstream import TABLE

Step = TypeVar("Step")
Draw = Callable[[random.Random], Step]
"""Makes a step."""
Play = Callable[[Sequence[Step]], str | None]
"""Does steps on two fresh stores; says how they differ, if they do."""

STEPS = 2_000
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
