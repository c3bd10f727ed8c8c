"""Seqs of messages in the order of a list, as a text."""

from __future__ import annotations

from collections.abc import Iterable


def runs_of(seqs: Iterable[int]) -> str:
    """Writes seqs: ``1-3,7`` stands for 1, 2, 3 and 7."""
    runs: list[tuple[int, int]] = []
    for seq in seqs:
        if runs and runs[-1][1] + 1 == seq:
            runs[-1] = (runs[-1][0], seq)
        else:
            runs.append((seq, seq))
    return ",".join(f"{first}-{last}" if first < last else f"{first}" for first, last in runs)


def seqs_of(runs: str) -> list[int]:
    """Reads seqs."""
    seqs: list[int] = []
    for run in filter(None, runs.split(",")):
        first, _, last = run.partition("-")
        seqs += range(int(first), int(last or first) + 1)
    return seqs
