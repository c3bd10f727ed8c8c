"""Plays random operations on a class of a framework and on ours, and compares what each shows.

A feature draws cases, which are plain data, and plays one on either side. A round that differs is
made smaller by leaving operations out while it still differs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from memorysidecar import Client, MemorySidecarError

Side = Literal["theirs", "ours"]
Case = dict[str, Any]
SHRINK_SECONDS = 20


@dataclass
class Feature:
    """A part of a framework that is compared."""

    name: str
    # A case is data: `options`, and a list of `ops`.
    draw: Callable[[random.Random], Case]
    # Gives what was seen after each operation.
    play: Callable[[Case, Side], list[Any]]
    # Known differences: the reason for one, or None for one that nobody knows.
    known: Callable[[Case, Any, Any], str | None] = lambda case, theirs, ours: None
    # Whether its cases can be replayed without the framework.
    is_recorded: bool = True
    # A case of another feature to record in the place of this one, with what was seen.
    traced: Callable[[Case], dict[str, Any]] | None = None


@dataclass
class Outcome:
    """Result of a feature."""

    steps: int = 0
    agree: int = 0
    known: dict[str, int] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)


def shown(feature: Feature, case: Case, side: Side) -> list[Any]:
    """Everything that a side shows, as data; a refusal of the server is shown too."""
    try:
        seen = feature.play(case, side)
    except MemorySidecarError as error:
        seen = [f"refused: {error}"]
    return json.loads(json.dumps(seen, default=str))


def first_difference(feature: Feature, case: Case) -> tuple[int, Any, Any] | None:
    """Index of the first step that differs, with both sides; None when all agree."""
    theirs, ours = shown(feature, case, "theirs"), shown(feature, case, "ours")
    for index in range(max(len(theirs), len(ours))):
        one = theirs[index] if index < len(theirs) else "nothing"
        other = ours[index] if index < len(ours) else "nothing"
        if one != other:
            return index, one, other
    return None


def smaller(feature: Feature, case: Case) -> Case:
    """The case with as few operations as still differ."""
    until = time.monotonic() + SHRINK_SECONDS
    index = len(case["ops"]) - 1
    while index >= 0 and time.monotonic() < until:
        ops = case["ops"][:index] + case["ops"][index + 1 :]
        less = {**case, "ops": ops}
        if ops and first_difference(feature, less) is not None:
            case = less
        index -= 1
    return case


def compare(feature: Feature, seed: int, steps: int, record: list[Any] | None) -> Outcome:
    """Plays cases until so many steps were compared."""
    outcome = Outcome()
    number = 0
    while outcome.steps < steps:
        case = feature.draw(random.Random(f"{seed} {feature.name} {number}"))
        theirs = shown(feature, case, "theirs")
        ours = shown(feature, case, "ours")
        agreed = 0
        for one, other in zip(theirs, ours, strict=False):
            if one != other:
                break
            agreed += 1
        outcome.agree += agreed
        outcome.steps += agreed
        if agreed == len(theirs) == len(ours):
            if record is not None and feature.is_recorded:
                whole = {"feature": feature.name, "case": case, "seen": theirs}
                record.append(feature.traced(case) if feature.traced else whole)
        else:
            outcome.steps += 1
            note(outcome, feature, case, f"seed {seed}, case {number}")
        number += 1
    return outcome


def note(outcome: Outcome, feature: Feature, case: Case, where: str) -> None:
    """Counts a difference, and describes one that nobody knows."""
    found = first_difference(feature, case)
    if found is None:
        outcome.unknown.append(f"{feature.name}, {where}: not seen again")
        return
    reason = feature.known(case, found[1], found[2])
    if reason is not None:
        outcome.known[reason] = outcome.known.get(reason, 0) + 1
        return
    small = smaller(feature, case)
    at = first_difference(feature, small) or found
    outcome.unknown.append(
        f"{feature.name}, {where}: {json.dumps(small)}\n"
        f"    theirs: {json.dumps(at[1])}\n    ours:   {json.dumps(at[2])}"
    )


def main(features: list[Feature], client: Callable[[Client], None]) -> None:
    """Compares features from the command line, and prints one line of JSON for each."""
    options = argparse.ArgumentParser()
    options.add_argument("--address", required=True)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--only", default="")
    options.add_argument("--record", default="")
    given = options.parse_args()
    record: list[Any] | None = [] if given.record else None
    failed = False
    with Client(given.address, namespace=f"oracle-{given.seed}-{os.getpid()}") as made:
        client(made)
        for feature in features:
            if given.only not in feature.name:
                continue
            outcome = compare(feature, given.seed, given.steps, record)
            print(json.dumps({"feature": feature.name, "seed": given.seed, **vars(outcome)}))
            sys.stdout.flush()
            failed = failed or bool(outcome.unknown)
    if record is not None:
        with gzip.open(given.record, "wt") as file:
            json.dump(record, file)
    sys.exit(1 if failed else 0)
