"""Values of any size in records.

The type that the serializer gives is the media type of the record. A value that does not fit one
record is kept in parts: the record then holds the name of their path and says so in its media type.
The name is a digest of the record's name and the value, so that parts are never overwritten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memorysidecar import v1
from memorysidecar.adapters.plans import Collect, Plan
from memorysidecar.adapters.records import PART_BYTES

Typed = tuple[str, bytes]
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
