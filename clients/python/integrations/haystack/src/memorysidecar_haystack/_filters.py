"""Filters of Haystack.

Haystack itself decides which documents a filter means. The server narrows down what it looks at: by
conditions that let all these documents pass, and perhaps others.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memorysidecar import where
from memorysidecar.adapters.conditions import Condition, above, equal, every, fits, no, some

MAX_TEXT_BYTES = 256
"""The longest text that conditions look at."""
MAX_INDEX_BYTES = 16_000
CUT = "cut"
"""The mark of documents whose metadata are too large for conditions."""
META = "meta"
FIELDS = ("id", "content", "blob", "score", "embedding", "sparse_embedding", META)

_ORDERS: Mapping[str, tuple[Callable[[Any, Any], bool], Callable[[str, Any], Condition]]] = {
    ">": (operator.gt, above),
    ">=": (operator.ge, lambda path, limit: where(path, at_least=limit)),
    "<": (operator.lt, lambda path, limit: where(path, below=limit)),
    "<=": (operator.le, lambda path, limit: where(path, at_most=limit)),
}


@dataclass(frozen=True)
class Narrowed:
    """A condition for a filter."""

    condition: Condition
    is_exact: bool
    """No other documents pass, except those that are cut."""


def indexed(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Makes what conditions look at: numbers, flags and short texts by their path. Other values
    exist there, and equal nothing."""
    return {key: _indexed(value) for key, value in meta.items()}


def conditions_of(filters: Mapping[str, Any] | None) -> list[Condition]:
    """Makes conditions that all documents of a filter pass."""
    narrowed = _narrowed(filters) if filters else None
    if narrowed is None:
        return []
    condition = some([narrowed.condition, where(CUT, equals=True)])
    return [condition] if fits(condition) else []


def _indexed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return indexed(value)
    if isinstance(value, str):
        return value if len(value.encode()) <= MAX_TEXT_BYTES else {}
    if isinstance(value, float) and not math.isfinite(value):
        return {}
    return {} if isinstance(value, list) else value


def _narrowed(filters: Any) -> Narrowed | None:
    """Gives None for a filter, or a part of one, that no condition narrows."""
    if not isinstance(filters, Mapping) or "operator" not in filters:
        return None
    if "field" in filters:
        return _comparison(filters) if "value" in filters else None
    parts = filters.get("conditions")
    if not isinstance(parts, list) or not parts:
        return None
    all_parts = list(map(_narrowed, parts))
    known = [part for part in all_parts if part is not None]
    is_whole = len(known) == len(all_parts)
    is_exact = is_whole and all(part.is_exact for part in known)
    conditions = [part.condition for part in known]
    match filters["operator"]:
        case "AND" if known:
            return Narrowed(every(conditions), is_exact)
        case "OR" if is_whole:
            return Narrowed(some(conditions), is_exact)
        case "NOT" if is_exact:
            return Narrowed(no([every(conditions)]), True)
    return None


def _comparison(filters: Mapping[str, Any]) -> Narrowed | None:
    path = _path_of(filters["field"])
    value = filters["value"]
    if path is None:
        return None
    match filters["operator"]:
        case "==" if _is_plain(value):
            return Narrowed(_equal(path, value), True)
        case "!=" if _is_plain(value):
            return Narrowed(no([_equal(path, value)]), True)
        case "in" if isinstance(value, list) and value and all(map(_is_plain, value)):
            return Narrowed(some(_equal(path, one) for one in value), True)
        case "not in" if isinstance(value, list) and value and all(map(_is_plain, value)):
            return Narrowed(no(_equal(path, one) for one in value), True)
        case ">" | ">=" | "<" | "<=" as name if isinstance(value, (int, float)):
            compare, condition = _ORDERS[name]
            flags = [where(path, equals=flag) for flag in (False, True) if compare(flag, value)]
            if not _is_plain(value):
                return None
            # Texts pass, too: Haystack refuses to compare them.
            texts = where(path, at_least="")
            return Narrowed(some([condition(path, value), *flags, texts]), False)
    return None


def _path_of(field: Any) -> str | None:
    """Gives the path of a field of the metadata; None for another one."""
    if not isinstance(field, str):
        return None
    if "." not in field:
        return None if field in FIELDS else f"{META}.{field}"
    return field if field.startswith(f"{META}.") else None


def _is_plain(value: Any) -> bool:
    """Tells whether a value equals only itself. A date equals others that are written in another
    way, and numbers beyond 2^53 are not all doubles."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, (int, float)):
        return abs(value) <= 2**53
    if not isinstance(value, str) or len(value.encode()) > MAX_TEXT_BYTES:
        return False
    return not value[:4].isdigit()


def _equal(path: str, value: Any) -> Condition:
    """To Python, flags are numbers."""
    if isinstance(value, (bool, int, float)) and value in (0, 1):
        return some([where(path, equals=bool(value)), where(path, equals=float(value))])
    return equal(path, value)
