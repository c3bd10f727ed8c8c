"""Filters of searches: dictionaries, as other vector stores of LangChain take them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from memorysidecar import v1, where
from memorysidecar.adapters.conditions import (
    GROUPS,
    Condition,
    above,
    equal,
    every,
    no,
    some,
    within,
)

Filter = Mapping[str, Any] | v1.MetadataCondition | Iterable[v1.MetadataCondition]

_TESTS: Mapping[str, Callable[[str, Any], Condition]] = {
    "$eq": equal,
    "$ne": lambda key, value: no([equal(key, value)]),
    "$in": within,
    "$nin": lambda key, values: no([within(key, values)]),
    "$gt": above,
    "$gte": lambda key, limit: where(key, at_least=limit),
    "$lt": lambda key, limit: where(key, below=limit),
    "$lte": lambda key, limit: where(key, at_most=limit),
    "$exists": lambda key, wanted: where(key, exists=bool(wanted)),
    "$contains": lambda key, text: where(key, contains=text),
    "$startswith": lambda key, text: where(key, starts_with=text),
}
_NOT_NONE = {"$gt", "$gte", "$lt", "$lte", "$contains", "$startswith"}
_GROUPS = {"$and": every, "$or": some}


def conditions_of(given: Filter | None, keys: Collection[str] | None = None) -> list[Condition]:
    """Makes conditions, all of which must hold.

    :param given: ``{"lang": "en", "year": {"$gte": 2020}}``, with ``$and``, ``$or`` and ``$not``
        around such dictionaries; or conditions of ``memorysidecar.where``.
    :param keys: the keys of the metadata that conditions can look at; None for all.
    """
    conditions = _conditions_of(given)
    if keys is not None:
        for path in _paths(conditions):
            # A key may hold dots itself.
            if not any(path == key or path.startswith(f"{key}.") for key in keys):
                raise ValueError(
                    f"a filter cannot use {path!r}: the store was made with filter_by={[*keys]!r}"
                )
    return conditions


def _paths(conditions: Iterable[Condition]) -> Iterator[str]:
    """Gives the paths that conditions look at."""
    for one in conditions:
        kind = one.WhichOneof("test")
        if kind in GROUPS:
            yield from _paths(getattr(one, kind).conditions)
        elif kind != "label":
            yield one.path


def _conditions_of(given: Filter | None) -> list[Condition]:
    if given is None:
        return []
    if isinstance(given, v1.MetadataCondition):
        return [given]
    if not isinstance(given, Mapping):
        return [*given]
    return [_entry(key, value) for key, value in given.items()]


def _entry(key: str, value: Any) -> Condition:
    if key in _GROUPS:
        if not isinstance(value, (list, tuple)) or not value:
            raise ValueError(f"{key} in a filter takes a list of filters, not {value!r}")
        return _GROUPS[key](_all(one) for one in value)
    if key == "$not":
        return no([_all(value)])
    if key.startswith("$"):
        raise ValueError(f"the filter has {key}; around conditions it takes $and, $or and $not")
    tests = value if isinstance(value, Mapping) else {"$eq": value}
    return every([_test(key, name, wanted) for name, wanted in tests.items()])


def _all(given: Mapping[str, Any]) -> Condition:
    if not isinstance(given, Mapping) or not given:
        raise ValueError(f"a filter is a dictionary that is not empty, not {given!r}")
    return every(_conditions_of(given))


def _test(key: str, name: str, wanted: Any) -> Condition:
    if name not in _TESTS:
        raise ValueError(f"the filter of {key!r} has {name}; the tests are {', '.join(_TESTS)}")
    is_list = isinstance(wanted, (list, tuple, set, frozenset))
    if is_list != (name in ("$in", "$nin")) or isinstance(wanted, Mapping):
        takes = "a list" if name in ("$in", "$nin") else "one value"
        raise ValueError(f"{name} in the filter of {key!r} takes {takes}, not {wanted!r}")
    if wanted is None and name in _NOT_NONE:
        raise ValueError(f"{name} in the filter of {key!r} takes a number or a text, not None")
    return _TESTS[name](key, wanted)
