"""Keeps the checkpoints of an agent as records, in every way, and meets the errors.

    python clients/python/examples/records.py [ADDRESS]

Works in a namespace of its own and deletes what it made.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from typing import Any

from memorysidecar import Client, ErrorReason, MemorySidecarError

THREAD = ("checkpoints", "trip")


def expect(reason: str, call: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Shows the error with this reason."""
    try:
        call(*args, **kwargs)
    except MemorySidecarError as error:
        if error.reason != reason:
            raise
        print(f"   {reason}: {error.message}")
        return
    raise AssertionError(reason)


def write(client: Client) -> None:
    """Writes checkpoints, and a pointer to the newest one with each."""
    print("\n== Writing")
    first = client.put_record(THREAD, "0001", "step 1", exists=False, user_id="ana")
    print(f"created: {first.created}, version {first.version}")
    client.put_record("latest", "trip", "0001", media_type="text/plain")
    third = {"path": THREAD, "key": "0003", "value": b"\3", "ttl": {"seconds": 86_400}}
    pointer = {"path": ["latest"], "key": "trip", "value": b"0003"}
    written = client.write_records(
        [
            {"put": {"record": {"path": THREAD, "key": "0002", "value": b"step 2"}}},
            {"put": {"record": third}},
            {"put": {"record": pointer, "precondition": {"version": 1}}},
            {"check": {"record": {"path": THREAD, "key": "0001"}, "etag": first.etag}},
            {"deletion": {"record": {"path": THREAD, "key": "0000"}, "allow_missing": True}},
        ]
    )
    print(f"versions: {[one.version for one in written.outcomes]}")
    expect(ErrorReason.RECORD_ALREADY_EXISTS, client.put_record, THREAD, "0001", "", exists=False)
    expect(ErrorReason.RECORD_VERSION_MISMATCH, client.put_record, "latest", "trip", "", version=1)


def append(client: Client) -> None:
    """Appends a message together with the checkpoint that holds it."""
    print("\n== Appending")
    record = {"path": THREAD, "key": "0004", "value": b"step 4"}
    put = {"put": {"record": record, "precondition": {"exists": False}}}
    done = client.append("trip", "And now to Lisbon.", create_session=True, record_operations=[put])
    print(f"message {done.last_seq}, checkpoint version {done.record_outcomes[0].version}")
    again = {"record_operations": [put]}
    expect(ErrorReason.RECORD_ALREADY_EXISTS, client.append, "trip", "Again.", **again)
    print(f"messages: {len(client.window('trip').messages)}")


def read(client: Client) -> None:
    """Reads one, several and many."""
    print("\n== Reading")
    latest = client.get_record("latest", "trip")
    print(f"the newest: {latest.value.decode()}, by version {latest.version} of latest")
    third, missing = client.batch_get_records(
        [(THREAD, "0003"), (THREAD, "0009")], refresh_ttl=True
    )
    print(f"third: {third.record.value!r}, missing: {not missing.HasField('record')}")
    for record in client.list_records(THREAD, order="desc"):
        print(f"{record.key}: {record.value_size} bytes")
    before = client.list_records(THREAD, order="desc", end_key="0003", include_values=True)
    print(f"before 0003: {next(iter(before)).value.decode()}")
    for folder in client.list_record_paths():
        print(f"a path: {'/'.join(folder.path)}")
    expect(ErrorReason.RECORD_NOT_FOUND, client.get_record, THREAD, "0009")


def find(client: Client) -> None:
    """Finds a record by the texts that it brings along, and its value with the hit."""
    print("\n== Finding")
    texts = ["Ana flies to Lisbon on Friday.", "Ana wants a window seat."]
    client.put_record("notes", "ana", '{"seat": "window"}', search=texts, collection_id="notes")
    where = {"collection_ids": ["notes"]}
    question = "Which seat does Ana want?"
    found = client.recall(question, filter=where, include_records=True, best_of_record=True)
    for hit in found.hits:
        print(f"{hit.document.text} -> {hit.found_record.record.value.decode()}")
    ids = [hit.document.document_id for hit in found.hits]
    expect(ErrorReason.DOCUMENT_OF_RECORD, client.delete_documents, ids, collection_id="notes")
    client.delete_record("notes", "ana")
    print(f"left: {len(client.recall(question, filter=where).hits)}")


def keep_large(client: Client) -> None:
    """Keeps a value that no single call takes."""
    print("\n== Large values")
    sent = client.upload_value(b"0123456789" * 500_000)
    client.put_record("files", "log", sent, exists=False)
    expect(ErrorReason.RECORD_VALUE_TOO_LARGE, client.get_record, "files", "log")
    print(f"a piece: {client.get_record('files', 'log', value_offset=15, value_limit=10).value!r}")
    print(f"the whole: {len(client.get_whole_record('files', 'log').value)} bytes")
    expect(ErrorReason.UPLOAD_NOT_FOUND, client.put_record, "files", "again", sent)
    client.delete_records("files")


def remove(client: Client) -> None:
    """Deletes one record, and those of a path."""
    print("\n== Deleting")
    print(f"deleted the pointer: {client.delete_record('latest', 'trip', version=2).deleted}")
    gone = client.delete_records("checkpoints", recursive=True)
    print(f"deleted {gone.deleted_count} checkpoints, more: {gone.more}")
    client.delete_session("trip")


def main() -> None:
    """Runs the chapters."""
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50151"
    with Client(address, namespace=f"records-{secrets.token_hex(4)}") as client:
        write(client)
        append(client)
        read(client)
        find(client)
        keep_large(client)
        remove(client)
    print("\nDone.")


if __name__ == "__main__":
    main()
