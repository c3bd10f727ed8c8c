"""Values of any size in records.

The type that the serializer gives is the media type of the record. A value that does not fit one
record is kept in parts: the record then holds the name of their path and says so in its media type.
The name is a digest of the record's name and the value, so that parts are never overwritten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from memorysidecar import v1

from ._plan import Call, Collect, Plan

Typed = tuple[str, bytes]
Name = tuple[Sequence[str], str]
"""The path and the key of a record."""

PART_BYTES = 3 * 1024 * 1024
MAX_OPERATIONS = 256
MAX_DOCUMENTS = 1_000
MAX_LOOKUPS = 256
IN_PARTS = ";parts"


def put(
    path: Sequence[str],
    key: str,
    typed: Typed,
    parts: Sequence[str],
    *,
    owner: v1.MemoryScope | None = None,
    only_new: bool = False,
) -> list[v1.RecordOperation]:
    """Makes the operations that write a value; those of its parts come first.

    :param parts: the path below which parts are kept.
    :param only_new: the write fails when the record exists.
    """
    kind, data = typed
    operations = []
    if len(data) > PART_BYTES:
        name = hashlib.sha256("\x00".join((*path, key, kind)).encode() + data).hexdigest()
        for index, start in enumerate(range(0, len(data), PART_BYTES)):
            part = v1.NamedRecord(
                path=[*parts, name],
                key=f"{index:06}",
                value=data[start : start + PART_BYTES],
                owner=owner,
            )
            operations.append(v1.RecordOperation(put=v1.RecordPut(record=part)))
        kind, data = kind + IN_PARTS, name.encode()
    record = v1.NamedRecord(path=path, key=key, value=data, media_type=kind, owner=owner)
    demand = v1.RecordPrecondition(exists=False) if only_new else None
    operations.append(v1.RecordOperation(put=v1.RecordPut(record=record, precondition=demand)))
    return operations


def batches(operations: Iterable[v1.RecordOperation]) -> Iterator[list[v1.RecordOperation]]:
    """Splits operations into requests that the server takes, in order. Most need only one."""
    batch: list[v1.RecordOperation] = []
    size = documents = 0
    for operation in operations:
        length = operation.ByteSize() + 8
        own = len(operation.put.record.search.documents)
        is_full = len(batch) == MAX_OPERATIONS or documents + own > MAX_DOCUMENTS
        if batch and (is_full or size + length > PART_BYTES + 65_536):
            yield batch
            batch, size, documents = [], 0, 0
        batch.append(operation)
        size += length
        documents += own
    if batch:
        yield batch


def write(operations: Iterable[v1.RecordOperation]) -> Plan[None]:
    """Writes in order, in as few transactions as possible."""
    for batch in batches(operations):
        yield Call(partial(_write_records, batch))


def read(record: v1.NamedRecord, parts: Sequence[str]) -> Plan[Typed]:
    """Gives the value of a record that was read with its value."""
    if not record.media_type.endswith(IN_PARTS):
        return record.media_type, record.value
    path = [*parts, record.value.decode()]
    found: list[v1.NamedRecord] = yield Collect(
        lambda client: client.list_records(path, include_values=True)
    )
    data = b"".join(part.value for part in found)
    return record.media_type.removesuffix(IN_PARTS), data


def look_up(
    names: Sequence[Name], *, omit_values: bool = False, refresh_ttl: bool = False
) -> Plan[list[v1.NamedRecord | None]]:
    """Gets records, with their values unless these are left out; None for those that do not
    exist."""
    found: list[v1.NamedRecord | None] = []
    for start in range(0, len(names), MAX_LOOKUPS):
        batch = names[start : start + MAX_LOOKUPS]
        results = yield Call(partial(_batch_get, batch, omit_values, refresh_ttl))
        for name, result in zip(batch, results, strict=True):
            if not result.HasField("record"):
                found.append(None)
            elif result.value_omitted and not omit_values:
                found.append((yield Call(partial(_get, name))))
            else:
                found.append(result.record)
    return found


def delete(path: Sequence[str]) -> Plan[None]:
    """Deletes the records of a path and of all paths below."""
    more = True
    while more:
        answer = yield Call(lambda client: client.delete_records(path, recursive=True))
        more = answer.more


def deletion(path: Sequence[str], key: str) -> v1.RecordOperation:
    """Makes the operation that deletes a record if it exists."""
    ref = v1.RecordRef(path=path, key=key)
    return v1.RecordOperation(deletion=v1.RecordDelete(record=ref, allow_missing=True))


def _write_records(batch: Sequence[v1.RecordOperation], client: Any) -> Any:
    return client.write_records(batch)


def _batch_get(names: Sequence[Name], omit_values: bool, refresh_ttl: bool, client: Any) -> Any:
    return client.batch_get_records(names, omit_values=omit_values, refresh_ttl=refresh_ttl)


def _get(name: Name, client: Any) -> Any:
    return client.get_record(*name)
