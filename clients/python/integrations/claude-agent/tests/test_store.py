"""The session store: the conformance function of the SDK, exactness, sizes, races, kills."""

from __future__ import annotations

import asyncio
import random
from typing import Any
from uuid import UUID, uuid4

import pytest
from claude_agent_sdk.testing import run_session_store_conformance
from integration import erase
from memorysidecar import (
    AlreadyExists,
    AsyncClient,
    Client,
    MemorySidecarError,
    NotFound,
    RetryPolicy,
    policy,
)
from memorysidecar.adapters import records
from real import PATIENT, RealServer
from upstream import TABLE

from memorysidecar_claude_agent import SidecarSessionStore
from memorysidecar_claude_agent.store import session_id_of

KEY: Any = {"project_key": "-home-ana-trip", "session_id": "8f1c"}


def turn(number: int) -> list[Any]:
    """A question, a call of a tool, its result and an answer, as the SDK writes them."""
    call = f"toolu_{number}"
    use = {"type": "tool_use", "id": call, "name": "Read", "input": {"path": f"{number}.md"}}
    result = {"type": "tool_result", "tool_use_id": call, "content": [
        {"type": "text", "text": f"Note {number}: the storks are back."}
    ]}  # fmt: skip
    spoken = [
        ("user", f"What does note {number} say?"),
        ("assistant", [{"type": "text", "text": "I look."}, use]),
        ("user", [result]),
        ("assistant", [{"type": "text", "text": f"Storks, says note {number}."}]),
    ]
    return [
        {
            "type": role,
            "uuid": str(uuid4()),
            "timestamp": f"2026-11-24T10:00:{number % 60:02}.000Z",
            "message": {"role": role, "content": content},
        }
        for role, content in spoken
    ]


async def test_the_store_keeps_every_contract_of_the_sdk(server: RealServer) -> None:
    clients: list[AsyncClient] = []

    def make() -> SidecarSessionStore:
        clients.append(AsyncClient(server.address, namespace=f"t-{uuid4().hex}"))
        return SidecarSessionStore(clients[-1])

    await run_session_store_conformance(make)
    assert "| Claude Agent SDK | contracts of session stores | 14 of 14 |" in TABLE.read_text()
    for client in clients:
        await client.close()


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.load(KEY),
        lambda store: store.append(KEY, turn(1)),
        lambda store: store.window(KEY),
    ],
)
async def test_the_transcript_of_another_user_is_refused(
    async_client: AsyncClient, use: Any
) -> None:
    ours, entries = SidecarSessionStore(async_client, user_id="ana"), turn(0)
    await ours.append(KEY, entries)
    with pytest.raises(AlreadyExists, match='belongs to another user than "bob"'):
        await use(SidecarSessionStore(async_client, user_id="bob"))
    assert await ours.load(KEY) == entries


async def test_entries_come_back_exactly(async_client: AsyncClient) -> None:
    store = SidecarSessionStore(async_client)
    entries: list[Any] = [
        {"type": "summary", "z": 9007199254740993, "a": 1.0, "b": None, "t": "😀 \u0000"},
        {"type": "odd", "message": "no object"},
        {"type": "user", "message": {"role": "user", "content": [None, {"type": "text"}]}},
        {"type": "user", "message": {"role": "boss", "content": "x"}, "uuid": "x" * 300},
        {"type": "user", "uuid": "", "message": {"role": "user", "content": ""}},
        *turn(1),
    ]
    await store.append(KEY, entries)
    loaded = await store.load(KEY)
    assert repr(loaded) == repr(entries)


@pytest.mark.parametrize("size", [400_000, 500_000, 2_000_000, 7_000_000])
async def test_entries_of_any_size_come_back(async_client: AsyncClient, size: int) -> None:
    store = SidecarSessionStore(async_client)
    large = [
        {"type": "user", "uuid": "u", "message": {"role": "user", "content": "x" * size}},
        {"type": "file", "uuid": "f", "data": "y" * size},
    ]
    await store.append(KEY, large)
    assert await store.load(KEY) == large
    await store.delete(KEY)
    assert await store.load(KEY) is None
    left = [one async for one in async_client.list_records(["claude-agent"], recursive=True)]
    assert left == []


async def test_messages_of_other_programs_are_left_out(async_client: AsyncClient) -> None:
    store = SidecarSessionStore(async_client)
    first, second = turn(1), turn(2)
    await store.append(KEY, first)
    foreign = {"provider": "other", "media_type": "text/plain", "data": b"no JSON"}
    others = [{"text": "by hand"}, {"text": "y", "provider_payload": foreign}]
    messages = [{"role": "user", **one} for one in others]
    await async_client.append(session_id_of(KEY), messages)
    await store.append(KEY, second)
    assert await store.load(KEY) == [*first, *second]


def large_entry(letter: str) -> Any:
    return {"type": "user", "message": {"role": "user", "content": letter * 7_000_000}}


@pytest.mark.parametrize("left", [[], [large_entry("b")]])
async def test_a_transcript_that_goes_while_it_is_read_is_none_or_new(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch, left: list[Any]
) -> None:
    store = SidecarSessionStore(async_client)
    await store.append(KEY, [large_entry("a")])
    list_records = async_client.list_records

    async def listed(*call: Any, **options: Any) -> Any:
        """Lists the parts of the entry once the transcript has gone."""
        monkeypatch.undo()
        await store.delete(KEY)
        if left:
            await store.append(KEY, left)
        async for record in list_records(*call, **options):
            yield record

    monkeypatch.setattr(async_client, "list_records", listed)
    assert await store.load(KEY) == (left or None)


async def test_an_entry_whose_parts_are_gone_for_good_is_an_error(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SidecarSessionStore(async_client)
    await store.append(KEY, [large_entry("a")])
    [first, *_] = [
        one
        async for one in async_client.list_records("claude-agent", recursive=True)
        if one.value_size > 1_000_000
    ]
    await async_client.delete_record([*first.path], first.key)
    again = RetryPolicy(max_attempts=3, initial_delay=0.001, max_delay=0.001)
    monkeypatch.setattr(records, "AGAIN", again)
    with pytest.raises(NotFound, match=r"3 reads in a row .* not the whole entry of message"):
        await store.load(KEY)


async def test_a_repeated_append_changes_nothing(async_client: AsyncClient) -> None:
    store = SidecarSessionStore(async_client)
    first, second = turn(1), turn(2)
    await store.append(KEY, first)
    await store.append(KEY, [*first, *second])
    assert await store.load(KEY) == [*first, *second]


async def test_racing_writers_lose_no_entry_and_no_title(server: RealServer) -> None:
    namespace = f"t-{uuid4().hex}"

    async def write(number: int) -> None:
        async with AsyncClient(server.address, namespace=namespace) as client:
            store = SidecarSessionStore(client)
            for index in range(5):
                title = {"type": "custom-title", "customTitle": f"{number}-{index}"}
                await store.append(KEY, [*turn(index), title])

    await asyncio.gather(*map(write, range(4)))
    async with AsyncClient(server.address, namespace=namespace) as client:
        store = SidecarSessionStore(client)
        assert len(await store.load(KEY) or ()) == 4 * 5 * 5
        [summary] = await store.list_session_summaries(KEY["project_key"])
        loaded = await store.load(KEY) or []
        titles = [entry["customTitle"] for entry in loaded if "customTitle" in entry]
        assert summary["data"]["custom_title"] == titles[-1]


async def test_the_window_keeps_its_limit_and_whole_tool_calls(async_client: AsyncClient) -> None:
    store = SidecarSessionStore(async_client, policy=policy.token_budget(max_tokens=60))
    for number in range(30):
        await store.append(KEY, turn(number))
    window = await store.window(KEY)
    assert window.window_totals.token_count <= 60
    assert list(window.open_tool_call_ids) == []
    assert len(await store.load(KEY) or ()) == 120
    found = await async_client.recall("storks of note 3", page_size=3)
    assert any("note 3" in hit.message.message.text for hit in found.hits)


async def test_a_user_is_erased_with_the_transcripts(server: RealServer, client: Client) -> None:
    async with AsyncClient(server.address, namespace=client.namespace) as own:
        store = SidecarSessionStore(own, user_id="ana")
        await store.append(KEY, turn(1))
        await asyncio.to_thread(erase, client, "ana")
        assert await store.load(KEY) is None
        assert await store.list_sessions(KEY["project_key"]) == []


async def test_nothing_acknowledged_is_lost_when_the_server_is_killed(
    own_server: RealServer,
) -> None:
    draw = random.Random(7)
    written: list[Any] = []
    async with AsyncClient(own_server.address, retry=PATIENT, timeout=60) as client:
        store = SidecarSessionStore(client)
        for number in range(12):
            entries = turn(number)
            append = asyncio.create_task(store.append(KEY, entries))
            if number % 4 == 3:
                await asyncio.sleep(draw.random() * 0.01)
                await asyncio.to_thread(own_server.kill)
                await asyncio.to_thread(own_server.start)
            try:
                await append
            except MemorySidecarError:
                # The SDK repeats an append that failed.
                await store.append(KEY, entries)
            written += entries
        assert await store.load(KEY) == written


def test_names_are_told_apart() -> None:
    keys: list[Any] = [
        {"project_key": "a", "session_id": "b/c"},
        {"project_key": "a/b", "session_id": "c"},
        {"project_key": "a", "session_id": "b", "subpath": "c"},
        {"project_key": "p" * 200, "session_id": str(UUID(int=1)), "subpath": "s" * 400},
    ]
    names = [session_id_of(key) for key in keys]
    assert len(set(names)) == len(names)
    assert all(len(name) <= 512 for name in names)
