"""Random texts of all kinds, the same for every framework."""

from __future__ import annotations

import random

WORDS = (
    "tea my name is Anna i like trains work for Acme birthday in Rome deadline goal über 東京 "
    "emoji 😀 line\nbreak don't a the"
).split(" ")


def text(rng: random.Random, most: int = 12) -> str:
    """A text of a few words; sometimes empty, blank or long."""
    kind = rng.random()
    if kind < 0.05:
        return ""
    if kind < 0.08:
        return " "
    if kind < 0.12:
        return "long words " * rng.randint(20, 250)
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, most)))


def line(rng: random.Random, most: int = 8) -> str:
    """A text that is not blank."""
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, most)))
