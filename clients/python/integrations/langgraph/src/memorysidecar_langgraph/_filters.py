"""Filters of values, as the stores of LangGraph understand them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
ORDERED = frozenset(("$gt", "$gte", "$lt", "$lte"))


def matches(value: Any, wanted: Any) -> bool:
    """Tells whether a value equals what a filter wants: objects by the keys of the filter, lists
    item by item, and objects with ``$`` keys by these operators."""
    if isinstance(wanted, Mapping):
        if any(key.startswith("$") for key in wanted):
            return all(_holds(name, value, limit) for name, limit in wanted.items())
        return isinstance(value, Mapping) and all(
            matches(value.get(key), one) for key, one in wanted.items()
        )
    if isinstance(wanted, (list, tuple)):
        return (
            isinstance(value, (list, tuple))
            and len(value) == len(wanted)
            and all(map(matches, value, wanted))
        )
    return bool(value == wanted)


def _holds(name: str, value: Any, limit: Any) -> bool:
    if name not in OPERATORS:
        raise ValueError(f"the filter has {name}; the operators are {', '.join(OPERATORS)}")
    if name in ORDERED:
        # Numbers may be texts. Values that cannot be compared, like missing ones, do not match.
        try:
            value, limit = float(value), float(limit)
        except (TypeError, ValueError):
            if not (isinstance(value, str) and isinstance(limit, str)):
                return False
    return OPERATORS[name](value, limit)
