"""The arguments of the methods for records, and how they become messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, Union

from . import v1
from ._fields import Json
from ._made import made, told
from ._recall_fields import DocumentsLike, documents_of

Path = str | Iterable[str]
"""The segments of a path, or the only one."""
Name = Union["v1.RecordRef", Json, tuple[Path, str]]
Order = Literal["asc", "desc"]

VALUE_BYTES = 4_128_768
"""The largest value that one call takes."""


class UploadedValue(NamedTuple):
    """A value that was sent before; its fields are those of a record."""

    upload_id: str
    value_crc32: int


_ORDERS = {"asc": v1.RECORD_ORDER_NAME_ASC, "desc": v1.RECORD_ORDER_NAME_DESC}


def path_of(path: Path) -> list[str]:
    """Makes the segments of a path."""
    if isinstance(path, str):
        return [path]
    if not isinstance(path, Iterable):
        raise TypeError(f"a path is a text or a list of texts, not {told(path)}")
    return list(path)


def name_of(name: Name) -> v1.RecordRef:
    """Makes the name of a record; a tuple holds its path and its key."""
    if isinstance(name, tuple):
        path, key = name
        return v1.RecordRef(path=path_of(path), key=key)
    return name if isinstance(name, v1.RecordRef) else made(v1.RecordRef, **name)


def bytes_of(value: bytes | str) -> bytes:
    """Makes a value; a text is kept as UTF-8."""
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes):
        raise TypeError(
            f"a value is bytes or a text, not {told(value)}: json.dumps(value) makes a text of JSON"
        )
    return value


def content_of(value: bytes | str | UploadedValue) -> dict[str, Any]:
    """Makes the fields of a record that give its value."""
    if isinstance(value, UploadedValue):
        return value._asdict()
    return {"value": bytes_of(value)}


def search_of(search: DocumentsLike | None, collection_id: str) -> v1.RecordSearch | None:
    """Makes the documents by which searches find a record; None for none."""
    if search is None:
        if collection_id:
            raise ValueError("collection_id is that of the documents in search: give search")
        return None
    return v1.RecordSearch(collection_id=collection_id, documents=documents_of(search))


def demand_of(version: int | None, exists: bool | None) -> v1.RecordPrecondition | None:
    """Makes the state that a record must have; None for any."""
    if version is not None and exists is not None:
        raise ValueError("give version or exists, not both")
    if version is not None:
        return v1.RecordPrecondition(version=version)
    return None if exists is None else v1.RecordPrecondition(exists=exists)


def operations_of(
    operations: Iterable[v1.RecordOperation | Json],
) -> list[v1.RecordOperation]:
    """Makes operations on records; a mapping holds their fields."""
    return [
        one if isinstance(one, v1.RecordOperation) else made(v1.RecordOperation, **one)
        for one in operations
    ]


def order_of(order: Order | v1.RecordOrder | None) -> v1.RecordOrder | None:
    """Gives an order by its short name, or as it is."""
    if not isinstance(order, str):
        return order
    if order not in _ORDERS:
        raise ValueError(f'the order is one of {", ".join(_ORDERS)}, by name, not "{order}"')
    return _ORDERS[order]
