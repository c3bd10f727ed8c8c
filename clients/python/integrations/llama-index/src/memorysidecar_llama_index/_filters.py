"""Filters of LlamaIndex, and conditions that narrow them down.

LlamaIndex's own function decides whether a node passes a comparison. Values that it refuses to
compare, such as a text with a number, pass none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilters
from llama_index.core.vector_stores.types import MetadataFilter
from llama_index.core.vector_stores.utils import build_metadata_filter_fn
from memorysidecar import where
from memorysidecar.adapters import narrowing
from memorysidecar.adapters.conditions import Condition, every, no, some, within
from memorysidecar.adapters.narrowing import (
    MAX_TEXT_BYTES,
    ORDERS,
    Narrowed,
    all_of_parts,
    any_of_parts,
    is_exact_number,
    none_of_parts,
    ordered,
    same,
)

VALUES = "values"
"""Numbers, flags and short texts of the metadata, by their keys."""
LISTS = "lists"
"""The same in lists."""
OTHERS = "others"
"""Keys of other values, which conditions cannot look at."""
EMPTY = "empty"
"""Keys of empty lists."""
MAX_PATH_BYTES = 256

Metadata = Mapping[str, Any]
Filter = MetadataFilter | MetadataFilters


def test_of(filters: MetadataFilters | None) -> Callable[[Metadata], bool] | None:
    """Makes a test of the metadata of a node; None where all pass."""
    if filters is None or not filters.filters:
        return None
    parts = [_test_of(one) for one in filters.filters]
    match filters.condition or FilterCondition.AND:
        case FilterCondition.AND:
            return lambda metadata: all(part(metadata) for part in parts)
        case FilterCondition.OR:
            return lambda metadata: any(part(metadata) for part in parts)
    return lambda metadata: not any(part(metadata) for part in parts)


def indexed(metadata: Metadata) -> dict[str, Any]:
    """Makes what conditions look at."""
    made: dict[str, dict[str, Any]] = {VALUES: {}, LISTS: {}, OTHERS: {}, EMPTY: {}}
    for key, value in metadata.items():
        if value is None:
            continue
        if _is_plain(value):
            made[VALUES][key] = value
        elif isinstance(value, list):
            made[LISTS][key] = [one for one in value if _is_plain(one)]
            if not value:
                made[EMPTY][key] = True
            if not all(map(_is_plain, value)):
                made[OTHERS][key] = True
        else:
            made[OTHERS][key] = True
    return {name: entries for name, entries in made.items() if entries}


def conditions_of(filters: MetadataFilters | None) -> list[Condition]:
    """Makes conditions that all nodes of a filter pass."""
    if filters is None or not filters.filters:
        return []
    return narrowing.conditions_of(_narrowed(filters))


def _test_of(part: Filter) -> Callable[[Metadata], bool]:
    if isinstance(part, MetadataFilters):
        return test_of(part) or (lambda metadata: True)
    alone = MetadataFilters(filters=[part])

    def test(metadata: Metadata) -> bool:
        try:
            return build_metadata_filter_fn(lambda _: metadata, alone)("")
        except TypeError:
            return False

    return test


def _narrowed(part: Filter) -> Narrowed | None:
    if isinstance(part, MetadataFilter):
        return _comparison(part)
    parts = list(map(_narrowed, part.filters))
    match part.condition or FilterCondition.AND:
        case FilterCondition.AND:
            return all_of_parts(parts)
        case FilterCondition.OR:
            return any_of_parts(parts)
    return none_of_parts(parts)


def _comparison(part: MetadataFilter) -> Narrowed | None:
    key, value = part.key, part.value
    if not key or len(f"{VALUES}.{key}".encode()) > MAX_PATH_BYTES:
        return None
    path = f"{VALUES}.{key}"
    given = value if isinstance(value, list) else []
    is_plain = all(map(_is_plain, given)) if given else _is_plain(value)
    match part.operator:
        case FilterOperator.EQ if is_plain and not given:
            return Narrowed(same(path, value), True)
        case FilterOperator.NE if is_plain and not given:
            return Narrowed(no([same(path, value)]), True)
        case FilterOperator.IN if is_plain and given:
            return Narrowed(_one_of(path, given), True)
        case FilterOperator.NIN if is_plain and given:
            return Narrowed(no([_one_of(path, given)]), True)
        case FilterOperator.IS_EMPTY:
            missing = [where(f"{name}.{key}", exists=False) for name in (VALUES, LISTS, OTHERS)]
            nothing = every(missing)
            empty = where(f"{EMPTY}.{key}", exists=True)
            return Narrowed(some([nothing, where(path, equals=""), empty]), True)
        case FilterOperator.CONTAINS | FilterOperator.TEXT_MATCH if is_plain and not given:
            return Narrowed(_has(key, value), False)
        case FilterOperator.ANY if is_plain and given:
            return Narrowed(some(_has(key, one) for one in given), False)
        case FilterOperator.ALL if is_plain and given:
            return Narrowed(every(_has(key, one) for one in given), False)
        case operator if operator.value in ORDERS and is_plain and not given:
            others = where(f"{OTHERS}.{key}", exists=True)
            return Narrowed(some([*_ordered(path, operator.value, value), others]), False)
    return None


def _one_of(path: str, values: Iterable[Any]) -> Condition:
    """Makes one condition of many texts; of numbers, 0 and 1 are flags, too."""
    given = list(values)
    flags = [one for one in given if isinstance(one, (int, float)) and one in (0, 1)]
    return some([within(path, given), *(same(path, one) for one in flags)])


def _ordered(path: str, name: str, limit: Any) -> list[Condition]:
    return [ORDERS[name][1](path, limit)] if isinstance(limit, str) else ordered(path, name, limit)


def _has(key: str, value: Any) -> Condition:
    """The value is in a list, or a part of a text; or conditions cannot tell."""
    parts = [same(f"{LISTS}.{key}", value), where(f"{OTHERS}.{key}", exists=True)]
    if isinstance(value, str):
        path = f"{VALUES}.{key}"
        parts.append(where(path, contains=value) if value else where(path, exists=True))
    return some(parts)


def _is_plain(value: Any) -> bool:
    """Tells whether conditions can look at a value."""
    if isinstance(value, bool):
        return True
    if isinstance(value, (int, float)):
        return is_exact_number(value)
    return isinstance(value, str) and len(value.encode()) <= MAX_TEXT_BYTES
