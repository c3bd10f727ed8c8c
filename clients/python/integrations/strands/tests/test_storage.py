"""The storage: random operations beside the one that Strands keeps in memory, sizes, a kill in the
middle of a run, races, erasure."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from differential import PAIR_STEPS, differ
from integration import between_ranges, erase, left_of, record_uploads
from memorysidecar import Client
from memorysidecar.adapters.plans import Runner
from real import PATIENT, RealServer
from scripted import ANSWER, Scripted, use
from strands import Agent, tool
from strands.session import SnapshotSessionManager
from strands.storage import InMemoryStorage, Storage
from strands.types.exceptions import StorageError

from memorysidecar_strands import SidecarStorage

PARTS = ("a", "b.md", "ü", "%2F", "\n", "a b", "storks", "..", "")
TEXTS = (b"", b"\xff\0", b"Storks are back.", "Die Störche.".encode(), b"roof " * 50)
KINDS = ("write", "write", "write", "read", "delete", "list", "list", "search", "clear")


def draw_step(draw: random.Random) -> dict[str, Any]:
    parts = draw.choices(PARTS, weights=(6, 6, 6, 3, 3, 3, 3, 1, 2), k=draw.choice((1, 2, 3)))
    return {
        "kind": draw.choices(KINDS, weights=(8, 8, 8, 8, 4, 4, 4, 4, 1))[0],
        "namespace": draw.choice(("", "", "a", "a/ü", "//b.md/")),
        "key": "/".join(parts),
        "data": draw.choice(TEXTS),
        "query": draw.choice(("storks", "the roof", "störche a", "")),
    }


async def do(storage: Any, step: dict[str, Any]) -> Any:
    view = storage.namespace(step["namespace"])
    match step["kind"]:
        case "write":
            return await view.write(step["key"], step["data"])
        case "read" | "delete" | "list":
            return await getattr(view, step["kind"])(step["key"])
        case "search":
            return [(one.key, one.score, one.data) for one in await view.search(step["query"])]
        case _:
            return view.clear()


async def outcome(storage: Any, step: dict[str, Any]) -> Any:
    try:
        return await do(storage, step)
    except StorageError:
        return StorageError


async def play_pair(steps: Sequence[dict[str, Any]], client: Client) -> str | None:
    theirs, ours = InMemoryStorage(), SidecarStorage(client)
    for step in [*steps, {"kind": "list", "namespace": "", "key": ""}]:
        expected, found = await outcome(theirs, step), await outcome(ours, step)
        if found != expected:
            return f"{step}\n  gives {found!r}\n  not   {expected!r}"
    return None


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_storage_in_memory(server: RealServer) -> None:
    def play(steps: Sequence[dict[str, Any]]) -> str | None:
        for start in range(0, len(steps), PAIR_STEPS):
            with Client(server.address, namespace=f"t-{uuid4().hex}") as client:
                # A new event loop each time, as an agent has that is called without `await`.
                difference = asyncio.run(play_pair(steps[start : start + PAIR_STEPS], client))
            if difference is not None:
                return difference
        return None

    differ("Strands Agents", "storage", draw_step, play)


async def test_values_of_any_size_come_back(client: Client) -> None:
    storage: Storage = SidecarStorage(client)
    for size in (0, 1, 4_128_768, 4_128_769, 10_000_000):
        value = random.Random(size).randbytes(size)
        await storage.write("large", value)
        assert await storage.read("large") == value


async def test_a_value_that_changes_while_it_is_read_comes_whole(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = SidecarStorage(client)
    await storage.write("large", b"a" * 5_000_000)
    change = client.upload_value(b"b" * 5_000_000)
    path = ["strands", "storage", "-"]
    between_ranges(client, monkeypatch, lambda: client.put_record(path, "large", change))
    assert await storage.read("large") == b"b" * 5_000_000
    between_ranges(client, monkeypatch, lambda: client.delete_record(path, "large"))
    assert await storage.read("large") is None


async def test_a_value_that_the_server_refuses_leaves_no_upload(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    uploads = record_uploads(client, monkeypatch)
    with pytest.raises(StorageError, match="user_id"):
        await SidecarStorage(client, user_id="a" * 513).write("large", b"a" * 5_000_000)
    assert len(uploads) == 1
    assert Runner(client).run(left_of(uploads)) == []


async def test_more_keys_than_a_page_are_listed(client: Client) -> None:
    storage = SidecarStorage(client)
    path = ["strands", "storage", "-"]
    puts = [
        {"put": {"record": {"path": path, "key": f"k/{n:04}", "value": b"v"}}} for n in range(1_500)
    ]
    for start in range(0, len(puts), 250):
        client.write_records(puts[start : start + 250])
    assert await storage.list("k/") == [f"k/{n:04}" for n in range(1_500)]
    storage.namespace("k").clear()
    assert await storage.list() == []


async def test_keys_that_do_not_fit_are_refused_with_their_limit(client: Client) -> None:
    storage = SidecarStorage(client)
    await storage.write("k" * 512, b"v")
    for key, problem in (("k" * 513, "at most 512"), ("\ud800", "surrogate")):
        for call in (storage.write(key, b"v"), storage.read(key), storage.delete(key)):
            with pytest.raises(StorageError, match=problem):
                await call
    assert await storage.list("k" * 513) == []
    with pytest.raises(StorageError, match="path"):
        await SidecarStorage(client, root="x" * 300).write("k", b"v")


@pytest.mark.parametrize("kind", ["awaited", "called"])
async def test_an_agent_goes_on_after_the_server_was_killed(
    own_server: RealServer, kind: str
) -> None:
    @tool
    def look(place: str) -> str:
        """Looks at a place."""
        own_server.kill()
        own_server.start()
        return f"Storks at {place}."

    with Client(own_server.address, retry=PATIENT, timeout=60) as client:

        def agent_with(model: Scripted) -> Agent:
            sessions = SnapshotSessionManager(
                "trip", storage=SidecarStorage(client), save_latest_on="message"
            )
            return Agent(model=model, tools=[look], session_manager=sessions, callback_handler=None)

        async def run(model: Scripted, prompt: str) -> Agent:
            agent = await asyncio.to_thread(agent_with, model)
            if kind == "awaited":
                await agent.invoke_async(prompt)
            else:
                await asyncio.to_thread(agent, prompt)
            return agent

        first = Scripted(use("look", "c1", place="the roof"), ANSWER)
        await run(first, "Where are they?")
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        agent = await run(Scripted(ANSWER), "Sure?")
        roles = [message["role"] for message in agent.messages]
        assert roles == ["user", "assistant", "user", "assistant", "user", "assistant"]
        assert "Storks at the roof." in repr(agent.messages[2])


def test_two_writers_lose_no_value(server: RealServer) -> None:
    namespace = f"t-{uuid4().hex}"

    async def write(number: int) -> None:
        with Client(server.address, namespace=namespace) as client:
            storage = SidecarStorage(client)
            for index in range(20):
                await storage.write(f"own/{number}/{index:02}", b"v")
                await storage.write("both", f"{number} {index}".encode())

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda number: asyncio.run(write(number)), range(2)))
    with Client(server.address, namespace=namespace) as client:
        storage = SidecarStorage(client)
        keys = asyncio.run(storage.list("own/"))
        assert keys == [f"own/{number}/{index:02}" for number in range(2) for index in range(20)]
        assert asyncio.run(storage.read("both")) in (b"0 19", b"1 19")


async def test_users_share_no_value_and_each_is_erased_whole(client: Client) -> None:
    hers, his, shared = (SidecarStorage(client, user_id=user) for user in ("ana", "bob", None))
    for storage in (hers, his, shared):
        await storage.write("note.md", repr(storage.user_id).encode())
    await hers.write("large", b"x" * 5_000_000)
    for storage in (hers, his, shared):
        assert await storage.read("note.md") == repr(storage.user_id).encode()
    his.clear()
    assert await hers.list() == ["large", "note.md"]
    await asyncio.to_thread(erase, client, "ana")
    assert await hers.list() == []
    assert await shared.list() == ["note.md"]
    with pytest.raises(ValueError, match="user_id"):
        SidecarStorage(client, user_id="")
