"""Values that adapters upload before the call that puts them, when an upload or the call fails."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from integration import left_of, record_uploads

from memorysidecar import Client, ErrorReason, Invalid, v1
from memorysidecar.adapters.attempts import upload_all
from memorysidecar.adapters.plans import Runner
from memorysidecar.adapters.records import write
from memorysidecar.errors import MemorySidecarError, make_error

FULL = make_error(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", reason=ErrorReason.STORE_FULL)
GONE = make_error(grpc.StatusCode.UNAVAILABLE, "gone")
REFUSED = make_error(grpc.StatusCode.INVALID_ARGUMENT, "no", reason=ErrorReason.REQUEST_INVALID)
FAILURES = [
    GONE,
    FULL,
    make_error(grpc.StatusCode.UNAVAILABLE, "stops", reason=ErrorReason.SHUTTING_DOWN),
    make_error(grpc.StatusCode.CANCELLED, "cancelled"),
    make_error(grpc.StatusCode.DEADLINE_EXCEEDED, "late"),
    OSError("any error"),
]


def puts(user_id: str) -> list[v1.RecordOperation]:
    owner = v1.MemoryScope(user_id=user_id)
    records = [
        v1.NamedRecord(path=["adapter"], key=key, value=b"a" * 3_500_000, owner=owner)
        for key in "ab"
    ]
    return [v1.RecordOperation(put=v1.RecordPut(record=record)) for record in records]


@pytest.mark.parametrize("error", FAILURES, ids=str)
def test_no_upload_stays_when_the_next_fails(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(count: int) -> None:
        if count % 2 == 0:
            raise error

    uploads = record_uploads(client, monkeypatch, fail)
    runner = Runner(client)
    with pytest.raises(type(error)) as caught:
        runner.run(write(puts("ana")))
    assert caught.value is error
    with pytest.raises(type(error)) as caught:
        runner.run(upload_all([b"a", b"b"], v1.MemoryScope(user_id="ana")))
    assert caught.value is error
    assert len(uploads) == 4
    assert runner.run(left_of(uploads[::2])) == []


def test_no_upload_stays_whose_owner_the_server_refuses(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = record_uploads(client, monkeypatch)
    with pytest.raises(Invalid, match="owner"):
        Runner(client).run(write(puts("a" * 513)))
    assert len(uploads) == 2
    assert Runner(client).run(left_of(uploads)) == []


@pytest.mark.parametrize(("error", "tries"), [(GONE, 1), (FULL, 2)], ids=str)
def test_the_first_error_counts_when_uploads_cannot_be_deleted(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: MemorySidecarError, tries: int
) -> None:
    ends = [REFUSED, *[error] * tries]
    met: list[MemorySidecarError] = []

    def fail(*call: Any, **options: Any) -> None:
        met.append(ends[len(met)])
        raise met[-1]

    uploads = record_uploads(client, monkeypatch)
    monkeypatch.setattr(client, "write_records", fail)
    with pytest.raises(Invalid) as caught:
        Runner(client).run(write(puts("ana")))
    assert caught.value is REFUSED
    assert len(uploads) == 2
    # A server that does not answer is not asked again.
    assert met == ends
