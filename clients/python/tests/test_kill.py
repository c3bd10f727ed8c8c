"""The server is killed while a client appends and watches."""

from __future__ import annotations

import asyncio
import random
import threading
import time

import pytest
from real import PATIENT, RealServer

from memorysidecar import AsyncClient, AsyncWatch, Client, v1

ROUNDS = 5
pytestmark = pytest.mark.timeout(180)


class Killer(threading.Thread):
    """Kills and restarts the server some times."""

    def __init__(self, server: RealServer) -> None:
        super().__init__(daemon=True)
        self.server = server
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            for _ in range(ROUNDS):
                time.sleep(random.uniform(0.1, 0.6))
                self.server.kill()
                time.sleep(random.uniform(0.0, 0.3))
                self.server.start()
        except BaseException as error:  # told by the test
            self.error = error
            print(f"the killer failed: {error!r}", flush=True)


def check(log: list[v1.Message], acknowledged: dict[str, int], events: list[v1.Event]) -> None:
    """Compares what was acknowledged with the log and the events."""
    assert [one.seq for one in log] == list(range(1, len(log) + 1))
    assert {one.text: one.seq for one in log} == acknowledged
    places = [(one.revision, one.index) for one in events]
    assert places == sorted(set(places))
    appended = [
        one_id
        for one in events
        if one.type == v1.EVENT_TYPE_MESSAGES_APPENDED
        for one_id in one.messages_appended.message_ids
    ]
    assert appended == [one.message_id for one in log]


def test_nothing_is_lost_or_done_twice(own_server: RealServer) -> None:
    killer = Killer(own_server)
    acknowledged: dict[str, int] = {}
    events: list[v1.Event] = []
    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        client.create_session(session_id="s")
        watch = client.watch(filter={"session_id": "s"})
        reader = threading.Thread(target=lambda: events.extend(watch), daemon=True)
        reader.start()
        killer.start()
        number = 0
        while killer.is_alive() or number < 50:
            text = f"message {number}"
            done = client.append("s", text)
            assert [one.seq for one in done.messages] == [done.last_seq]
            acknowledged[text] = done.last_seq
            number += 1
        assert killer.error is None
        end = client.append("s", "the end")
        acknowledged["the end"] = end.last_seq
        until = time.monotonic() + 20
        while events[-1].revision < end.revision and time.monotonic() < until:
            time.sleep(0.02)
        watch.close()
        reader.join(timeout=5)
        check(list(client.list_messages("s")), acknowledged, events)
    assert own_server.starts == ROUNDS + 1


def test_asyncio_loses_nothing_either(own_server: RealServer) -> None:
    killer = Killer(own_server)
    acknowledged: dict[str, int] = {}
    events: list[v1.Event] = []

    async def write(client: AsyncClient, writer: int) -> None:
        number = 0
        while killer.is_alive() or number < 10:
            text = f"{writer}: {number}"
            done = await client.append("s", text)
            acknowledged[text] = done.messages[0].seq
            number += 1

    async def read(watch: AsyncWatch) -> None:
        async for event in watch:
            events.append(event)

    async def main() -> None:
        client = AsyncClient(own_server.address, retry=PATIENT, timeout=60)
        async with client, client.watch(filter={"session_id": "s"}) as watch:
            reader = asyncio.create_task(read(watch))
            await client.create_session(session_id="s")
            killer.start()
            await asyncio.gather(*(write(client, writer) for writer in range(8)))
            end = await client.append("s", "the end")
            acknowledged["the end"] = end.last_seq
            until = time.monotonic() + 20
            while events[-1].revision < end.revision and time.monotonic() < until:
                await asyncio.sleep(0.02)
            await watch.close()
            await reader
            check([one async for one in client.list_messages("s")], acknowledged, events)

    asyncio.run(main())
    assert killer.error is None
    assert own_server.starts == ROUNDS + 1
