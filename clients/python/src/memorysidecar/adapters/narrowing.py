"""Conditions that narrow down what a filter of a framework means.

The framework's own function decides which documents a filter means. The server leaves out most of
the others before, by conditions that let all of these documents pass.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.struct_pb2 import Struct

from .. import where
from .conditions import Condition, above, equal, every, fits, no, some

MAX_TEXT_BYTES = 256
"""The longest text that conditions look at."""
MAX_INDEX_BYTES = 16_000
CUT = "cut"
"""The mark of documents whose metadata are too large for conditions."""

Order = tuple[Callable[[Any, Any], bool], Callable[[str, Any], Condition]]
ORDERS: Mapping[str, Order] = {
    ">": (operator.gt, above),
    ">=": (operator.ge, lambda path, limit: where(path, at_least=limit)),
    "<": (operator.lt, lambda path, limit: where(path, below=limit)),
    "<=": (operator.le, lambda path, limit: where(path, at_most=limit)),
}


@dataclass(frozen=True)
class Narrowed:
    """A condition for a filter, or for a part of one."""

    condition: Condition
    is_exact: bool
    """No other documents pass, except those that are cut."""


Parts = Sequence[Narrowed | None]
"""Parts of a filter; None for those that no condition narrows."""


def is_indexable(metadata: Mapping[str, Any]) -> bool:
    """Tells whether metadata are small enough for conditions. The server measures them as a Struct,
    where numbers take more room than in JSON."""
    measured = Struct()
    measured.update(metadata)
    return measured.ByteSize() <= MAX_INDEX_BYTES


def conditions_of(narrowed: Narrowed | None) -> list[Condition]:
    """Makes conditions that all documents of a filter pass."""
    if narrowed is None:
        return []
    condition = some([narrowed.condition, where(CUT, equals=True)])
    return [condition] if fits(condition) else []


def all_of_parts(parts: Parts) -> Narrowed | None:
    """All parts hold."""
    known = _known(parts)
    if not known:
        return None
    is_exact = len(known) == len(parts) and all(part.is_exact for part in known)
    return Narrowed(every(part.condition for part in known), is_exact)


def any_of_parts(parts: Parts) -> Narrowed | None:
    """At least one part holds."""
    known = _known(parts)
    if not known or len(known) < len(parts):
        return None
    return Narrowed(some(part.condition for part in known), all(part.is_exact for part in known))


def none_of_parts(parts: Parts) -> Narrowed | None:
    """No part holds. Of those that are not exact, other documents pass than theirs."""
    exact = [part for part in _known(parts) if part.is_exact]
    if not exact:
        return None
    return Narrowed(no(part.condition for part in exact), len(exact) == len(parts))


def is_exact_number(value: int | float) -> bool:
    """Tells whether a number is one that the server, which has doubles, tells from all others."""
    return abs(value) <= 2**53


def same(path: str, value: Any) -> Condition:
    """The value is this one; to Python, flags are numbers."""
    if isinstance(value, (bool, int, float)) and value in (0, 1):
        return some([where(path, equals=bool(value)), where(path, equals=float(value))])
    return equal(path, value)


def ordered(path: str, name: str, limit: Any) -> list[Condition]:
    """The value is above or below a number; to Python, flags are numbers, too."""
    compare, condition = ORDERS[name]
    flags = [where(path, equals=flag) for flag in (False, True) if compare(flag, limit)]
    return [condition(path, limit), *flags]


def _known(parts: Iterable[Narrowed | None]) -> list[Narrowed]:
    return [part for part in parts if part is not None]
