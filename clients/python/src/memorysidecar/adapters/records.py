"""Reads and writes of many records, as plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import grpc

from .. import v1
from ..errors import Aborted, ErrorReason, MemorySidecarError, NotFound, make_error
from .attempts import (
    AGAIN,
    BATCH_BYTES,
    MAX_UPLOADS,
    is_uploaded,
    overtaken,
    put_all,
    upload_all,
)
from .messages import Format, is_id, is_too_large
from .plans import Call, Pause, Plan

T = TypeVar("T")

Name = tuple[Sequence[str], str]
"""The path and the key of a record."""

PART_BYTES = 3 * 1024 * 1024
MAX_OPERATIONS = 256
MAX_DOCUMENTS = 1_000
MAX_LOOKUPS = 256
MAX_RECORD_BYTES = 4 * 1024 * 1024 - 65_536


def put_operation(
    record: v1.NamedRecord, what: str, *, only_new: bool = False
) -> v1.RecordOperation:
    """Makes the operation that writes a record; refuses one that is too large for a call.

    :param what: names the record in the error.
    :param only_new: the write fails where the record exists.
    """
    size = record.ByteSize()
    if size > MAX_RECORD_BYTES:
        parts = "the value and the texts" if record.HasField("search") else "the value"
        raise ValueError(
            f"{parts} of {what} take {size} bytes as JSON; at most {MAX_RECORD_BYTES} are allowed"
        )
    demand = v1.RecordPrecondition(exists=False) if only_new else None
    return v1.RecordOperation(put=v1.RecordPut(record=record, precondition=demand))


def owner_of(user_id: str | None, agent_id: str | None = None) -> dict[str, str]:
    """Gives the owner of a session or a record, as fields. An id of an agent that the server would
    not take is left out."""
    owner = {"agent_id": agent_id} if agent_id is not None and is_id(agent_id) else {}
    return owner if user_id is None else {**owner, "user_id": user_id}


def check_owner(user_id: str | None, agent_id: str | None = None) -> None:
    """Refuses an id that is empty: most often a program has lost it."""
    for name, value in (("user_id", user_id), ("agent_id", agent_id)):
        if value == "":
            raise ValueError(f"{name} must not be empty: leave it out for what all share")


def large_payloads(
    path: Sequence[str],
    payloads: Iterable[tuple[str, bytes]],
    session_id: str,
    owner: dict[str, str],
) -> Plan[list[v1.RecordOperation]]:
    """Sends those payloads of messages of a session that are too large for messages, and gives the
    operations that keep them in records, under these keys. Erasures by session, by user and by
    agent find them."""
    large = [(key, payload) for key, payload in payloads if is_too_large(payload)]
    scope = v1.MemoryScope(session_id=session_id, **owner)
    sent = yield from upload_all([payload for _, payload in large], scope)
    records = [
        v1.NamedRecord(
            path=path, key=key, media_type="application/json", owner=scope, **one._asdict()
        )
        for (key, _), one in zip(large, sent, strict=True)
    ]
    return [v1.RecordOperation(put=v1.RecordPut(record=record)) for record in records]


def batches(operations: Iterable[v1.RecordOperation]) -> Iterator[list[v1.RecordOperation]]:
    """Splits operations into requests that the server takes, in order. Most need only one."""
    batch: list[v1.RecordOperation] = []
    size = documents = uploads = 0
    for operation in operations:
        record = operation.put.record
        upload = 1 if is_uploaded(operation) else 0
        length = operation.ByteSize() + 8 - upload * len(record.value)
        own = len(record.search.documents)
        is_full = len(batch) == MAX_OPERATIONS or documents + own > MAX_DOCUMENTS
        is_large = size + length > BATCH_BYTES or uploads + upload > MAX_UPLOADS
        if batch and (is_full or is_large):
            yield batch
            batch, size, documents, uploads = [], 0, 0, 0
        batch.append(operation)
        size += length
        documents += own
        uploads += upload
    if batch:
        yield batch


def write(operations: Iterable[v1.RecordOperation]) -> Plan[None]:
    """Writes in order, in as few transactions as possible. Values that are too large for one are
    uploaded before it."""
    for batch in batches(operations):
        yield from put_all(batch)


def look_up(
    names: Sequence[Name], *, omit_values: bool = False, refresh_ttl: bool = False
) -> Plan[list[v1.NamedRecord | None]]:
    """Gets records, with their values unless these are left out; None for those that do not
    exist."""
    found: dict[int, v1.NamedRecord | None] = {}
    left = [*enumerate(names)]
    while left:
        batch, left = left[:MAX_LOOKUPS], left[MAX_LOOKUPS:]
        asked = [name for _, name in batch]
        results = yield Call(partial(_batch_get, asked, omit_values, refresh_ttl))
        omitted = []
        for (index, name), result in zip(batch, results, strict=True):
            if result.value_omitted and not omit_values:
                omitted.append((index, name))
            else:
                found[index] = result.record if result.HasField("record") else None
        if len(omitted) == len(batch):
            # Each of them is too large for such an answer.
            for index, name in omitted:
                found[index] = yield from get_whole(name)
        else:
            left = omitted + left
    return [found[index] for index in range(len(names))]


def get_whole(name: Name) -> Plan[v1.NamedRecord | None]:
    """Gets a record with its whole value, whatever its size; None if it does not exist."""
    lost = 0
    while True:
        try:
            record: v1.NamedRecord = yield Call(lambda client: client.get_whole_record(*name))
            return record
        except NotFound:
            return None
        except Aborted as error:
            # Another writer may have replaced a large value between two ranges.
            if error.reason != ErrorReason.ETAG_MISMATCH:
                raise
            lost += 1
            if lost == AGAIN.max_attempts:
                raise overtaken(error, f"read record {name[1]!r} again") from error
        yield Pause(AGAIN.delay(lost))


def with_payloads(kind: Format, look: Callable[[Any], Any]) -> Plan[list[tuple[v1.Message, bytes]]]:
    """Gives messages with their payloads, those that records keep included. Another writer may
    replace or delete a message with its record between the two reads: then both are read again.

    :param look: reads messages with the client, and gives the path of their records, and them. It
        is called again when it raises ``NotFound``, too.
    """

    def read() -> Plan[list[tuple[v1.Message, bytes]]]:
        path, messages = yield Call(look)
        found = []
        for message in messages:
            found.append((message, (yield from _payload(kind, path, message))))
        return found

    return read_again(read)


def read_again(read: Callable[[], Plan[T]]) -> Plan[T]:
    """Reads what takes several calls, again after ``NotFound``: another writer may have deleted
    between two of them what the first one named."""
    lost = 0
    while True:
        try:
            return (yield from read())
        except NotFound as error:
            lost += 1
            if lost == AGAIN.max_attempts:
                problem = f"{lost} reads in a row have failed: {error.message}"
                raise make_error(error.code, problem, reason=error.reason) from error
        yield Pause(AGAIN.delay(lost))


def _payload(kind: Format, path: Sequence[str], message: v1.Message) -> Plan[bytes]:
    key = kind.key_of(message)
    if key is None:
        return message.provider_payload.data
    record = yield from get_whole((path, key))
    if record is None:
        problem = (
            f"record {key!r} of path {'/'.join(path)!r} does not exist, but message "
            f"{message.message_id!r} has its payload there: delete the message, too"
        )
        raise missing(problem)
    return record.value


def missing(problem: str) -> MemorySidecarError:
    """Makes the error of a record that is not there, or not whole, but is named elsewhere."""
    return make_error(grpc.StatusCode.NOT_FOUND, problem, reason=ErrorReason.RECORD_NOT_FOUND)


def delete_tree(path: Sequence[str]) -> Plan[None]:
    """Deletes the records of a path and of all paths below."""
    more = True
    while more:
        answer = yield Call(lambda client: client.delete_records(path, recursive=True))
        more = answer.more


def deletion(path: Sequence[str], key: str) -> v1.RecordOperation:
    """Makes the operation that deletes a record if it exists."""
    ref = v1.RecordRef(path=path, key=key)
    return v1.RecordOperation(deletion=v1.RecordDelete(record=ref, allow_missing=True))


def _batch_get(names: Sequence[Name], omit_values: bool, refresh_ttl: bool, client: Any) -> Any:
    return client.batch_get_records(names, omit_values=omit_values, refresh_ttl=refresh_ttl)
