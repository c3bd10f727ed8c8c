"""Values that adapters upload before the call that puts them, when an upload or the call fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import grpc
import pytest
from integration import left_of, record_uploads
from real import RealServer

from memorysidecar import AsyncClient, Client, ErrorReason, Invalid, v1
from memorysidecar.adapters import attempts, plans
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


class Stalled:
    """A call that is made, or not, and then gives no answer. Further calls are made."""

    def __init__(self, client: AsyncClient, monkeypatch: pytest.MonkeyPatch, is_done: bool) -> None:
        self.begun = asyncio.Event()
        self._write: Callable[..., Awaitable[Any]] = client.write_records
        self._is_done = is_done
        monkeypatch.setattr(client, "write_records", self)

    async def __call__(self, *call: Any, **options: Any) -> Any:
        if self.begun.is_set():
            return await self._write(*call, **options)
        if self._is_done:
            await self._write(*call, **options)
        self.begun.set()
        return await asyncio.Event().wait()


def run_with_client(server: RealServer, main: Callable[[AsyncClient], Awaitable[None]]) -> None:
    async def run() -> None:
        async with AsyncClient(server.address, namespace=f"t-{uuid4().hex}") as client:
            await main(client)

    asyncio.run(run())


@pytest.mark.parametrize("seconds", [0.1, 60.0])
def test_no_upload_stays_when_the_next_is_cancelled(
    server: RealServer, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    async def stall(count: int) -> None:
        if count % 2 == 0:
            await asyncio.sleep(seconds)

    async def main(client: AsyncClient) -> None:
        # A busy machine takes its time for the rest of a value, and for deleting it.
        monkeypatch.setattr(attempts, "REST_SECONDS", 0.5 if seconds > 1 else 20.0)
        monkeypatch.setattr(plans, "TIDY_SECONDS", 40.0)
        uploads = record_uploads(client, monkeypatch, stall)
        runner = Runner(client)
        for plan in (write(puts("ana")), upload_all([b"a", b"b"], v1.MemoryScope(user_id="ana"))):
            before = len(uploads)
            work = asyncio.create_task(runner.arun(plan))
            while len(uploads) < before + 2:
                await asyncio.sleep(0.01)
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work
        assert len(uploads) == 4
        # One that takes too long to send the rest of it stays.
        late = uploads[1::2] if seconds > 1 else []
        assert await runner.arun(left_of(uploads)) == late

    run_with_client(server, main)


@pytest.mark.parametrize(("is_done", "cancels"), [(False, 1), (True, 1), (False, 2)])
def test_no_upload_stays_when_the_call_is_cancelled(
    server: RealServer, monkeypatch: pytest.MonkeyPatch, is_done: bool, cancels: int
) -> None:
    async def main(client: AsyncClient) -> None:
        monkeypatch.setattr(plans, "TIDY_SECONDS", 20.0)
        uploads = record_uploads(client, monkeypatch)
        stalled = Stalled(client, monkeypatch, is_done)
        runner = Runner(client)
        work = asyncio.create_task(runner.arun(write(puts("ana"))))
        await stalled.begun.wait()
        for _ in range(cancels):
            work.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await work
        if cancels > 1:
            # The second cancellation ends the wait for the deletion, but not the deletion.
            await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()}, timeout=20)
        assert len(uploads) == 2
        assert await runner.arun(left_of(uploads)) == []
        assert len([one async for one in client.list_records("adapter")]) == 2 * is_done

    run_with_client(server, main)


def test_a_cancellation_does_not_wait_for_a_server_without_answers(
    server: RealServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    async def stall(*call: Any, **options: Any) -> None:
        nonlocal calls
        calls += 1
        await asyncio.Event().wait()

    async def main(client: AsyncClient) -> None:
        monkeypatch.setattr(plans, "TIDY_SECONDS", 0.2)
        monkeypatch.setattr(client, "write_records", stall)
        work = asyncio.create_task(Runner(client).arun(write(puts("ana"))))
        while calls == 0:
            await asyncio.sleep(0.01)
        start = time.monotonic()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert 0.2 <= time.monotonic() - start < 10
        assert calls == 2

    run_with_client(server, main)
