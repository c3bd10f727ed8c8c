"""The memory service: random operations beside the one that the kit keeps in memory, races, kills,
sizes, erasure."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from differential import differ_async
from google.adk.events.event import Event
from google.adk.memory import InMemoryMemoryService
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types
from integration import between_ranges, erase, left_of, record_uploads
from memorysidecar import AsyncClient, Client, MemorySidecarError
from memorysidecar.adapters.plans import Runner
from real import PATIENT, RealServer

from memorysidecar_adk import SidecarMemoryService

WHO: Any = {"app_name": "app", "user_id": "ana"}
APPS, USERS, SESSIONS = ("app", "a/b"), ("ana", "ü %"), ("s", "t/u")
KINDS = ("session", "session", "events", "events", "delete", "search", "search", "search")
EVENTS = 12


def event(number: int) -> Event:
    """Makes an event with a word that no other has; every fourth has no text."""
    part = types.Part(text=f"The word is kumquat{number}x.")
    if number % 4 == 3:
        part = types.Part(inline_data=types.Blob(data=b"\xff\0", mime_type="image/png"))
    content = types.Content(role="user", parts=[part] if number % 5 else None)
    return Event(id=f"e{number}", author="user", content=content, timestamp=1.5 + number)


def draw_step(draw: random.Random) -> dict[str, Any]:
    return {
        "kind": draw.choice(KINDS),
        "app_name": draw.choice(APPS),
        "user_id": draw.choice(USERS),
        "session": draw.choice((*SESSIONS, None)),
        "numbers": draw.sample(range(EVENTS), k=draw.choice((0, 1, 3, 6))),
        "number": draw.randrange(EVENTS),
    }


async def do(service: BaseMemoryService, step: dict[str, Any]) -> list[str] | None:
    """Does a step on one service; gives the memories that have the word of a search."""
    who = {key: step[key] for key in ("app_name", "user_id")}
    events = [event(number) for number in step["numbers"]]
    match step["kind"]:
        case "session":
            session = Session(**who, id=step["session"] or "v", events=events)
            await service.add_session_to_memory(session)
        case "events":
            await service.add_events_to_memory(**who, events=events, session_id=step["session"])
        case "delete":
            await service.delete_memory(**who, memory_id=f"e{step['number']}")
        case _:
            word = f"kumquat{step['number']}x"
            found = (await service.search_memory(**who, query=word)).memories
            return sorted(one.model_dump_json() for one in found if word in repr(one))
    return None


async def play_pair(steps: Sequence[dict[str, Any]], client: AsyncClient) -> str | None:
    theirs, ours = InMemoryMemoryService(), SidecarMemoryService(client)
    last = steps[-1] if steps else {}
    ends = [{**last, "kind": "search", "number": number} for number in range(EVENTS) if steps]
    for step in [*steps, *ends]:
        expected, found = await do(theirs, step), await do(ours, step)
        if found != expected:
            return f"{step}\n  gives {found!r}\n  not   {expected!r}"
    return None


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_service_in_memory(server: RealServer) -> None:
    differ_async(server, "Google ADK", "memory service", draw_step, play_pair, 500)


async def test_memories_are_found_by_their_meaning(async_client: AsyncClient) -> None:
    service = SidecarMemoryService(async_client, limit=2)
    texts = ("Ana lives in Berlin.", "The invoice is 1,070 euros.", "Storks are back.")
    memories = [MemoryEntry(content=types.Content(parts=[types.Part(text=t)])) for t in texts]
    await service.add_memory(**WHO, memories=memories, custom_metadata={"from": "test"})
    found = (await service.search_memory(**WHO, query="Where does she live?")).memories
    assert found[0].content.parts[0].text == texts[0]
    assert found[0].custom_metadata == {"from": "test"}
    assert len(found) <= 2
    assert (await service.search_memory(**WHO, query=" ")).memories == []
    await service.delete_memory(**WHO, memory_id=found[0].id)
    again = (await service.search_memory(**WHO, query="Where does she live?")).memories
    assert texts[0] not in {one.content.parts[0].text for one in again}


async def test_a_long_session_is_added_whole_and_shortened(async_client: AsyncClient) -> None:
    service = SidecarMemoryService(async_client)
    events = [event(number * 20 + 1) for number in range(300)]
    large = event(2)
    large.content.parts.append(types.Part(text="grapefruit " * 200_000))
    session = Session(**WHO, id="s", events=[*events, large])
    await service.add_session_to_memory(session)
    [found, *_] = (await service.search_memory(**WHO, query="grapefruit")).memories
    assert found.content == large.content
    records = async_client.list_records(("adk", "memories"), recursive=True)
    assert len([record async for record in records]) == 301
    session.events = events[:1]
    await service.add_session_to_memory(session)
    records = async_client.list_records(("adk", "memories"), recursive=True)
    assert [record.key async for record in records] == ["_e1"]
    assert (await service.search_memory(**WHO, query="grapefruit")).memories[1:] == []


async def test_two_writers_and_a_kill_lose_no_memory(own_server: RealServer) -> None:
    async def write(first: int) -> None:
        async with AsyncClient(own_server.address, retry=PATIENT, timeout=60) as client:
            service = SidecarMemoryService(client)
            for number in range(first, first + 8):
                added = [event(number * 20 + 1)]
                while True:
                    try:
                        await service.add_events_to_memory(**WHO, events=added, session_id="s")
                        break
                    except MemorySidecarError:
                        continue  # A caller repeats an addition that failed.

    async def kill() -> None:
        await asyncio.sleep(0.05)
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)

    await asyncio.gather(write(0), write(100), kill())
    async with AsyncClient(own_server.address, retry=PATIENT, timeout=60) as client:
        service = SidecarMemoryService(client)
        for number in (*range(8), *range(100, 108)):
            word = f"kumquat{number * 20 + 1}x"
            found = (await service.search_memory(**WHO, query=word)).memories
            assert word in found[0].content.parts[0].text


async def test_a_refused_write_leaves_no_upload(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No segment of a path is empty.
    service = SidecarMemoryService(async_client, root="")

    async def nothing(count: int) -> None:
        """Nothing comes between."""

    uploads = record_uploads(async_client, monkeypatch, nothing)
    part = types.Part(text="storks " * 600_000)
    memory = MemoryEntry(content=types.Content(role="user", parts=[part]))
    with pytest.raises(MemorySidecarError, match="path"):
        await service.add_memory(**WHO, memories=[memory])
    assert len(uploads) == 1
    assert await Runner(async_client).arun(left_of(uploads)) == []
    service = SidecarMemoryService(async_client)
    await service.add_memory(**WHO, memories=[memory])
    [found] = (await service.search_memory(**WHO, query="storks")).memories
    assert found.content == memory.content


async def test_a_memory_that_changes_while_it_is_found_comes_whole(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = SidecarMemoryService(async_client)

    async def write(word: str) -> None:
        part = types.Part(text=f"storks {word} " * 500_000)
        content = types.Content(role="user", parts=[part])
        await service.add_memory(**WHO, memories=[MemoryEntry(id="m", content=content)])

    await write("old")
    between_ranges(async_client, monkeypatch, lambda: write("new"))
    [found] = (await service.search_memory(**WHO, query="storks")).memories
    assert found.content.parts[0].text.split(maxsplit=2)[:2] == ["storks", "new"]
    delete = partial(service.delete_memory, **WHO, memory_id="m")
    between_ranges(async_client, monkeypatch, delete)
    assert (await service.search_memory(**WHO, query="storks")).memories == []


async def test_a_user_is_erased_with_the_memories(server: RealServer, client: Client) -> None:
    async with AsyncClient(server.address, namespace=client.namespace) as own:
        service = SidecarMemoryService(own)
        for user in ("ana", "bob"):
            events = [event(1)]
            await service.add_events_to_memory(app_name="app", user_id=user, events=events)
        await asyncio.to_thread(erase, client, "ana")
        records = own.list_records("adk", recursive=True)
        assert {record.path[3] async for record in records} == {"_bob"}
        assert (await service.search_memory(**WHO, query="kumquat1x")).memories == []
