"""The parts that integrations share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from memorysidecar import AsyncClient
from memorysidecar.adapters.plans import Emit, Plan, Runner


def one() -> Plan[int]:
    yield from ()
    return 1


def test_an_object_of_an_async_client_is_made_on_its_loop() -> None:
    async def make() -> tuple[AsyncClient, Runner]:
        client = AsyncClient("127.0.0.1:1")
        return client, Runner(client)

    client, runner = asyncio.run(make())
    with pytest.raises(RuntimeError, match="make the object of an AsyncClient in a coroutine"):
        Runner(client)
    with pytest.raises(asyncio.InvalidStateError, match="another event loop than that of"):
        asyncio.run(runner.arun(one()))

    def items() -> Iterator[Any]:
        yield Emit(1)

    async def collect() -> list[Any]:
        return [item async for item in runner.aiterate(items())]  # type: ignore[arg-type]

    with pytest.raises(asyncio.InvalidStateError, match="another event loop than that of"):
        asyncio.run(collect())
