"""Fixtures of the integrations: the real server, and clients in a namespace of each test."""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from real import RealServer

from memorysidecar import AsyncClient, Client, NotFound
from memorysidecar.adapters.messages import MAX_PAYLOAD_BYTES
from memorysidecar.adapters.plans import Call, Collect, Plan


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """The real server, one for all tests that need no other."""
    with RealServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[RealServer]:
    """A real server of the test's own, to be killed."""
    with RealServer(tmp_path) as running:
        yield running


@pytest.fixture
def client(server: RealServer) -> Iterator[Client]:
    with Client(server.address, namespace=f"t-{uuid4().hex}") as made:
        yield made


@pytest.fixture
async def async_client(server: RealServer) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(server.address, namespace=f"t-{uuid4().hex}") as made:
        yield made


def erase(client: Client, user: str | None = None, **subject: str) -> None:
    """Erases a user, or another subject, and waits until that is done."""
    erasure = client.erase_subject(user_id=user, **subject)  # type: ignore[arg-type]
    while not erasure.HasField("end_time"):
        time.sleep(0.05)
        erasure = client.get_erasure(erasure.erasure_id)


def record_uploads(
    client: Client | AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
    between: Callable[[int], Any] = lambda count: None,
) -> list[Any]:
    """Records what a client uploads; ``between`` runs after each, with their number."""
    upload: Any = client.upload_value
    uploads: list[Any] = []

    def recorded(value: bytes) -> Any:
        sent = upload(value)
        uploads.append(sent)
        between(len(uploads))
        return sent

    async def recorded_async(value: bytes) -> Any:
        sent = await upload(value)
        uploads.append(sent)
        act = between(len(uploads))
        if act is not None:
            await act
        return sent

    is_async = inspect.iscoroutinefunction(upload)
    monkeypatch.setattr(client, "upload_value", recorded_async if is_async else recorded)
    return uploads


def between_ranges(
    client: Client | AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
    act: Callable[[], Any],
    *,
    before: bool = False,
) -> None:
    """Does something once, after the first range of a value that a client gets, or before it: then
    what names the record has been read."""
    get: Any = client.get_record
    left = [act]

    def got(*call: Any, **options: Any) -> Any:
        if left and before:
            left.pop()()
        record = get(*call, **options)
        if left:
            left.pop()()
        return record

    async def got_async(*call: Any, **options: Any) -> Any:
        if left and before:
            await left.pop()()
        record = await get(*call, **options)
        if left:
            await left.pop()()
        return record

    is_async = inspect.iscoroutinefunction(get)
    monkeypatch.setattr(client, "get_record", got_async if is_async else got)


async def replace_large(client: AsyncClient, root: str, value: bytes) -> None:
    """Replaces the value of the one record below a path that is too large for a message, as another
    program may."""
    records = client.list_records(root, recursive=True)
    [old] = [one async for one in records if one.value_size > MAX_PAYLOAD_BYTES]
    await client.put_record([*old.path], old.key, await client.upload_value(value))


def left_of(uploads: list[Any]) -> Plan[list[Any]]:
    """Gives those uploads that are still there, and the records of those that were deleted."""
    left: list[Any] = yield Collect(lambda client: client.list_records("abandoned-uploads"))
    for sent in uploads:
        try:
            yield Call(partial(_take, sent))
        except NotFound:
            continue
        left.append(sent)
    return left


def _take(sent: Any, client: Any) -> Any:
    return client.put_record("taken", "upload", sent)
