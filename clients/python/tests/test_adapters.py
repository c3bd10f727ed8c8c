"""The parts that integrations share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from memorysidecar import AsyncClient
from memorysidecar.adapters.conditions import above
from memorysidecar.adapters.connect import connect
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


def test_an_error_of_a_url_does_not_repeat_its_password() -> None:
    for url in (
        "http://ana:hunter2@host:1/n",
        "memorysidecar://ana:hunter2@host/n",
        "memorysidecar://ana:hunter2@host:1/n",
        "memorysidecar://host:hunter2/n",
    ):
        with pytest.raises(ValueError, match="memorysidecar://HOST:PORT/NAMESPACE") as caught:
            connect(url)
        assert "hunter2" not in str(caught.value)
    with connect("memorysidecar://host:1/notes") as client:
        assert client.namespace == "notes"


def test_a_limit_is_a_number_or_a_text() -> None:
    limit: Any = None
    with pytest.raises(ValueError, match="'year' is compared with a number or a text, not None"):
        above("year", limit)
