"""Conditions on metadata, made of the filters of frameworks.

The server takes trees of at most four levels and 64 conditions, 16 in a group. So these functions
join groups of one kind, leave out groups of one, and negate the tests in place of their groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from .. import all_of, any_of, none_of, v1, where

Condition = v1.MetadataCondition
MAX_GROUP = 16
MAX_VALUES = 64
MAX_CONDITIONS = 64
MAX_LEVELS = 4
GROUPS = ("all_of", "any_of", "none_of")


def equal(path: str, value: Any) -> Condition:
    """The value is this one; None stands for a missing value, too."""
    if value is None:
        return any_of(where(path, equals=None), where(path, exists=False))
    return where(path, equals=value)


def within(path: str, values: Iterable[Any]) -> Condition:
    """The value is one of these; None stands for a missing value, too."""
    given = list(values)
    scalars = [value for value in given if value is not None]
    parts = [
        where(path, one_of=scalars[start : start + MAX_VALUES])
        for start in range(0, len(scalars), MAX_VALUES)
    ]
    if len(scalars) < len(given):
        parts.append(equal(path, None))
    return some(parts) if parts else nothing(path)


def above(path: str, limit: float | str) -> Condition:
    """The value is a number, or a text, above this one."""
    if not isinstance(limit, (int, float, str)):
        raise ValueError(f"{path!r} is compared with a number or a text, not {limit!r}")
    # No number and no text lies between the two.
    following = f"{limit}\0" if isinstance(limit, str) else math.nextafter(limit, math.inf)
    return where(path, at_least=following)


def nothing(path: str) -> Condition:
    """No record passes."""
    return every([where(path, exists=True), where(path, exists=False)])


def every(conditions: Iterable[Condition]) -> Condition:
    """All of these hold."""
    flat = _flat(conditions, "all_of")
    negated = _flat((one for one in flat if _is_none(one)), "none_of")
    rest = [one for one in flat if not _is_none(one)]
    if negated:
        rest.append(none_of(*_grouped(negated, any_of)))
    return rest[0] if len(rest) == 1 else all_of(*_grouped(rest, all_of))


def some(conditions: Iterable[Condition]) -> Condition:
    """At least one of these holds."""
    flat = _flat(conditions, "any_of")
    return flat[0] if len(flat) == 1 else any_of(*_grouped(flat, any_of))


def no(conditions: Iterable[Condition]) -> Condition:
    """None of these holds."""
    return every(map(_negated, conditions))


def fits(condition: Condition) -> bool:
    """Tells whether the server takes a condition: it is not too deep, and not too large."""
    levels, count = _size(condition)
    return levels <= MAX_LEVELS and count <= MAX_CONDITIONS


def _size(condition: Condition) -> tuple[int, int]:
    """Gives the levels of a condition and the number of its conditions."""
    kind = condition.WhichOneof("test")
    if kind not in GROUPS:
        return 1, 1
    sizes = list(map(_size, getattr(condition, kind).conditions))
    return 1 + max(levels for levels, _ in sizes), 1 + sum(count for _, count in sizes)


def _negated(condition: Condition) -> Condition:
    match condition.WhichOneof("test"):
        case "none_of":
            return some(condition.none_of.conditions)
        case "all_of":
            return some(map(_negated, condition.all_of.conditions))
        case "any_of":
            return every(map(_negated, condition.any_of.conditions))
    return none_of(condition)


def _is_none(condition: Condition) -> bool:
    kind: str | None = condition.WhichOneof("test")
    return kind == "none_of"


def _flat(conditions: Iterable[Condition], kind: str) -> list[Condition]:
    flat: list[Condition] = []
    for one in conditions:
        flat += getattr(one, kind).conditions if one.WhichOneof("test") == kind else [one]
    return flat


def _grouped(conditions: Sequence[Condition], group: Any) -> list[Condition]:
    """Makes groups of too many conditions."""
    if len(conditions) <= MAX_GROUP:
        return list(conditions)
    return [
        group(*conditions[start : start + MAX_GROUP])
        for start in range(0, len(conditions), MAX_GROUP)
    ]
