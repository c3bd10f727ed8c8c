"""Calls that put values which were uploaded before.

Only a put ends an upload before its hour, and a namespace has at most 64. So an upload whose put is
refused must be deleted, or retries soon fill the namespace.
"""

from __future__ import annotations

import asyncio
import inspect
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from .. import v1
from .._record_fields import UploadedValue
from .._retry import RetryPolicy
from ..errors import ErrorReason, MemorySidecarError, Unavailable, make_error
from .plans import Call, Plan

OVERTAKEN = (
    ErrorReason.ETAG_MISMATCH,
    ErrorReason.RECORD_VERSION_MISMATCH,
    ErrorReason.RECORD_ALREADY_EXISTS,
    ErrorReason.RECORD_NOT_FOUND,
)
"""Errors of a transaction one of whose records another writer has changed first."""
AGAIN = RetryPolicy(max_attempts=50, initial_delay=0.01, max_delay=0.1)
"""Of a change that others overtake. A random delay lets one of them end."""
BATCH_BYTES = 3 * 1024 * 1024 + 65_536
"""Size to which transactions are filled."""
MAX_UPLOADS = 16
"""Number of values that are uploaded for one transaction."""
ABANDONED = "abandoned-uploads"
ABANDONED_TTL = timedelta(minutes=1)
ABANDON_TIMEOUT = 5.0
"""Seconds for each call that deletes an upload: its caller has an error to report."""
REST_SECONDS = 1.0
"""Time for the rest of an upload that is cancelled: half of what a cancelled plan has."""


def try_write(operations: Sequence[v1.RecordOperation]) -> Plan[bool]:
    """Writes in one transaction. False if another writer changed one of its records first."""
    try:
        yield from attempt(operations, lambda client: client.write_records(operations))
    except MemorySidecarError as error:
        if error.reason not in OVERTAKEN:
            raise
        return False
    return True


def attempt(operations: Iterable[v1.RecordOperation], method: Callable[[Any], Any]) -> Plan[Any]:
    """Makes a call that writes these records, and gives its answer. If the server refuses the call,
    or the caller cancels it, values that were uploaded for it are deleted: a repeat uploads its
    own."""
    try:
        return (yield Call(method))
    except CancelledError:
        # The call may have been done all the same. Then it has taken the uploads.
        yield from abandon(operations)
        raise
    except MemorySidecarError as error:
        if _is_refusal(error):
            yield from abandon(operations)
        raise


def put_all(operations: Iterable[v1.RecordOperation]) -> Plan[Any]:
    """Writes in one transaction. Values that are too large for it are uploaded before, and deleted
    if one cannot be uploaded, the server refuses the transaction or the caller cancels it."""
    sent: list[v1.RecordOperation] = []
    try:
        for one in operations:
            sent.append((yield from _sent(one)))
    except (Exception, CancelledError):
        # No call was made that may have put the values before this one.
        yield from abandon(sent)
        raise
    return (yield from attempt(sent, lambda client: client.write_records(sent)))


def is_uploaded(operation: v1.RecordOperation) -> bool:
    """Tells whether the value of an operation is uploaded before the transaction that puts it."""
    return bool(operation.put.record.value) and operation.ByteSize() > BATCH_BYTES


def upload_all(values: Sequence[bytes], owner: v1.MemoryScope) -> Plan[list[UploadedValue]]:
    """Sends values before the call that puts them. If one cannot be sent, or the caller
    cancels it, deletes the others."""
    uploads: list[UploadedValue] = []
    try:
        for value in values:
            uploads.append((yield from _upload(value, owner)))
    except (Exception, CancelledError):
        # No call was made that may have put the values before this one.
        records = [v1.NamedRecord(owner=owner, **one._asdict()) for one in uploads]
        yield from _abandon(records)
        raise
    return uploads


def overtaken(error: MemorySidecarError, what: str) -> MemorySidecarError:
    """Makes the error of a change that others have overtaken as often as it may be tried."""
    message = f"other writers were faster {AGAIN.max_attempts} times in a row: {what}"
    return make_error(error.code, message, reason=error.reason, metadata=error.metadata)


def abandon(operations: Iterable[v1.RecordOperation]) -> Plan[None]:
    """Deletes the values that were uploaded for operations that no call will do. Errors are passed
    over: the caller raises the one that came before."""
    yield from _abandon(one.put.record for one in operations)


def _is_refusal(error: MemorySidecarError) -> bool:
    """Tells whether the server has refused a call. After other errors it may have been done."""
    return error.reason != "" and not isinstance(error, Unavailable)


def _abandon(records: Iterable[v1.NamedRecord]) -> Plan[None]:
    for record in records:
        if not record.upload_id:
            continue
        try:
            yield from _end(record)
        except MemorySidecarError as error:
            # A server that does not answer for one upload keeps the caller waiting for each.
            if not _is_refusal(error):
                return


def _end(record: v1.NamedRecord) -> Plan[None]:
    """Deletes an upload: puts it under a name of its own, and deletes that record."""
    key = uuid4().hex
    put = v1.NamedRecord(
        path=[ABANDONED],
        key=key,
        upload_id=record.upload_id,
        value_crc32=record.value_crc32,
        owner=record.owner,
    )
    put.ttl.FromTimedelta(ABANDONED_TTL)
    try:
        yield Call(partial(_write, put))
    except MemorySidecarError as error:
        # The server may have refused the call for this owner. All else in this put is valid.
        if error.reason != ErrorReason.REQUEST_INVALID:
            raise
        put.ClearField("owner")
        yield Call(partial(_write, put))
    yield Call(partial(_delete, key))


def _sent(operation: v1.RecordOperation) -> Plan[v1.RecordOperation]:
    if not is_uploaded(operation):
        return operation
    record = operation.put.record
    uploaded = yield from _upload(record.value, record.owner)
    sent = v1.RecordOperation()
    sent.CopyFrom(operation)
    sent.put.record.ClearField("value")
    sent.put.record.MergeFrom(v1.NamedRecord(**uploaded._asdict()))
    return sent


def _upload(value: bytes, owner: v1.MemoryScope) -> Plan[UploadedValue]:
    """Sends a value. If the caller cancels it, sends the rest first: only a whole upload, whose
    checksum is known, can be deleted."""
    sending: list[asyncio.Future[UploadedValue]] = []

    def send(client: Any) -> Any:
        sent = client.upload_value(value)
        if not inspect.isawaitable(sent):
            return sent
        sending.append(asyncio.ensure_future(sent))
        return asyncio.shield(sending[0])

    try:
        uploaded: UploadedValue = yield Call(send)
    except CancelledError:
        rest = yield Call(lambda client: asyncio.wait_for(sending[0], REST_SECONDS))
        yield from _abandon([v1.NamedRecord(owner=owner, **rest._asdict())])
        raise
    return uploaded


def _write(record: v1.NamedRecord, client: Any) -> Any:
    operation = v1.RecordOperation(put=v1.RecordPut(record=record))
    return client.write_records([operation], timeout=ABANDON_TIMEOUT)


def _delete(key: str, client: Any) -> Any:
    return client.delete_record(ABANDONED, key, allow_missing=True, timeout=ABANDON_TIMEOUT)
