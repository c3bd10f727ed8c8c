"""Filters of Haystack, as conditions that narrow them down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from memorysidecar import where
from memorysidecar.adapters import narrowing
from memorysidecar.adapters.conditions import Condition, no, some
from memorysidecar.adapters.narrowing import (
    MAX_TEXT_BYTES,
    Narrowed,
    all_of_parts,
    any_of_parts,
    is_exact_number,
    none_of_parts,
    ordered,
    same,
)

META = "meta"
FIELDS = ("id", "content", "blob", "score", "embedding", "sparse_embedding", META)


def indexed(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Makes what conditions look at: numbers, flags and short texts by their path. Other values
    exist there, and equal nothing."""
    return {key: _indexed(value) for key, value in meta.items()}


def conditions_of(filters: Mapping[str, Any] | None) -> list[Condition]:
    """Makes conditions that all documents of a filter pass."""
    return narrowing.conditions_of(_narrowed(filters) if filters else None)


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
    narrowed = list(map(_narrowed, parts))
    match filters["operator"]:
        case "AND":
            return all_of_parts(narrowed)
        case "OR":
            return any_of_parts(narrowed)
        case "NOT":
            return none_of_parts([all_of_parts(narrowed)])
    return None


def _comparison(filters: Mapping[str, Any]) -> Narrowed | None:
    path = _path_of(filters["field"])
    value = filters["value"]
    if path is None:
        return None
    match filters["operator"]:
        case "==" if _is_plain(value):
            return Narrowed(same(path, value), True)
        case "!=" if _is_plain(value):
            return Narrowed(no([same(path, value)]), True)
        case "in" if isinstance(value, list) and value and all(map(_is_plain, value)):
            return Narrowed(some(same(path, one) for one in value), True)
        case "not in" if isinstance(value, list) and value and all(map(_is_plain, value)):
            return Narrowed(no(same(path, one) for one in value), True)
        case ">" | ">=" | "<" | "<=" as name if isinstance(value, (int, float)):
            if not _is_plain(value):
                return None
            # Texts pass, too: Haystack refuses to compare them.
            texts = where(path, at_least="")
            return Narrowed(some([*ordered(path, name, value), texts]), False)
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
        return is_exact_number(value)
    if not isinstance(value, str) or len(value.encode()) > MAX_TEXT_BYTES:
        return False
    return not value[:4].isdigit()
