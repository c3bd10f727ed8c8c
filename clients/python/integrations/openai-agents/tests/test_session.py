"""The session: exactness, the window, cancellation, a kill in the middle of a run, erasure."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.memory import OpenAIResponsesCompactionSession
from agents.testing import ScriptedModel, assistant_message, function_call
from integration import erase
from memorysidecar import AlreadyExists, AsyncClient, Client, MemorySidecarError, policy
from openai import AsyncOpenAI
from real import PATIENT, RealServer

from memorysidecar_openai_agents import SidecarSession

set_tracing_disabled(True)

ITEMS: list[Any] = [
    {"role": "developer", "content": "Answer in one sentence."},
    {"role": "user", "content": [{"type": "input_text", "text": "Where are the storks?"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x" * 1_000},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at": 1.0}'},
    {"type": "function_call", "call_id": "c2", "name": "look", "arguments": ""},
    {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text"}]},
    {"type": "function_call_output", "call_id": "c1", "output": "On the roof."},
    {"type": "message", "role": "assistant", "id": "m", "content": [
        {"type": "output_text", "text": "On the roof.", "annotations": []},
    ]},
    {"type": "compaction", "z": 9007199254740993, "a": None},
    {"type": "odd"},
]  # fmt: skip


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_items_come_back_exactly(server: RealServer, kind: str) -> None:
    namespace = f"t-{uuid4().hex}"
    client: Any = (Client if kind == "sync" else AsyncClient)(server.address, namespace=namespace)
    session = SidecarSession("chat", client)
    assert await session.get_items() == []
    assert await session.pop_item() is None
    await session.clear_session()
    await session.add_items(ITEMS)
    assert repr(await session.get_items()) == repr(ITEMS)
    assert await session.get_items(limit=3) == ITEMS[-3:]
    assert await session.get_items(limit=0) == []
    assert [await session.pop_item() for _ in range(3)] == ITEMS[:-4:-1]
    await session.add_items(ITEMS[:1])
    assert await session.get_items() == [*ITEMS[:-3], ITEMS[0]]
    await session.clear_session()
    assert await session.get_items() == []
    assert await session.pop_item() is None
    closed = client.close()
    if kind == "async":
        await closed


async def test_more_than_a_page_comes_back(async_client: AsyncClient) -> None:
    session = SidecarSession("long", async_client)
    items: list[Any] = [{"role": "user", "content": f"{n}"} for n in range(1_500)]
    await session.add_items(items[:900])
    await session.add_items(items[900:])
    assert await session.get_items() == items
    assert await session.get_items(limit=1_200) == items[-1_200:]


async def test_the_window_keeps_its_limit_and_whole_calls(async_client: AsyncClient) -> None:
    limits = {"policy": policy.token_budget(max_tokens=60), "user_id": "ana"}
    session = SidecarSession("window", async_client, window=True, **limits)
    for number in range(20):
        call = f"c{number}"
        turn: list[Any] = [
            {"role": "user", "content": f"What does note {number} say about storks?"},
            {"type": "function_call", "call_id": call, "name": "read", "arguments": "{}"},
            {"type": "function_call_output", "call_id": call, "output": "They are back."},
            {"role": "assistant", "content": "The storks are back."},
        ]
        await session.add_items(turn)
    given = await session.get_items()
    calls = [item["call_id"] for item in given if item.get("type") == "function_call"]
    results = [item["call_id"] for item in given if item.get("type") == "function_call_output"]
    assert 0 < len(given) < 20
    assert calls == results
    log = SidecarSession("window", async_client)
    assert len(await log.get_items()) == 80
    assert (await async_client.get_session("window")).user_id == "ana"


@pytest.mark.parametrize(
    "use",
    [
        lambda session: session.get_items(),
        lambda session: session.add_items(ITEMS[:1]),
        lambda session: session.pop_item(),
        lambda session: session.clear_session(),
        lambda session: session._atomic_replace_items(ITEMS[:1]),
        lambda session: session._atomic_replace_items([]),
    ],
)
async def test_the_session_of_another_user_is_refused(async_client: AsyncClient, use: Any) -> None:
    ours = SidecarSession("support-1", async_client, user_id="ana")
    await ours.add_items(ITEMS[:2])
    with pytest.raises(AlreadyExists, match='belongs to another user than "bob"'):
        await use(SidecarSession("support-1", async_client, user_id="bob"))
    assert await ours.get_items() == ITEMS[:2]
    assert await SidecarSession("support-1", async_client).get_items() == ITEMS[:2]


async def test_a_write_ends_although_its_task_is_cancelled(async_client: AsyncClient) -> None:
    session = SidecarSession("cancelled", async_client)
    task = asyncio.create_task(session.add_items(ITEMS[:2]))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await session.get_items() == ITEMS[:2]


async def test_a_compaction_replaces_the_history_in_one_transaction(
    async_client: AsyncClient,
) -> None:
    session = SidecarSession("compacted", async_client, user_id="ana")
    assert await session._atomic_replace_items([])
    assert await session.get_items() == []
    await session.add_items(ITEMS)
    before = [event.revision async for event in async_client.list_events()][-1]
    assert await session._atomic_replace_items(ITEMS[-2:])
    assert await session.get_items() == ITEMS[-2:]
    after = [event.revision async for event in async_client.list_events(after_revision=before)]
    assert set(after) == {before + 1}
    assert (await async_client.get_session("compacted")).user_id == "ana"
    too_many: list[Any] = [{"role": "user", "content": f"{n}"} for n in range(1_001)]
    with pytest.raises(MemorySidecarError, match="messages"):
        await session._atomic_replace_items(too_many)
    assert await session.get_items() == ITEMS[-2:]


async def test_a_compaction_session_keeps_its_history_in_ours(async_client: AsyncClient) -> None:
    session = SidecarSession("wrapped", async_client)
    await session.add_items(ITEMS)
    wrapper = OpenAIResponsesCompactionSession("wrapped", session, client=AsyncOpenAI(api_key="-"))
    output: list[Any] = [{"type": "compaction", "encrypted_content": "short"}]
    await wrapper._replace_underlying_session_items(output_items=output, previous_items=ITEMS)
    assert await session.get_items() == output


async def test_an_agent_goes_on_after_the_server_was_killed(own_server: RealServer) -> None:
    @function_tool
    async def look(place: str) -> str:
        """Looks at a place."""
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        return f"Storks at {place}."

    model = ScriptedModel(
        [
            [function_call("look", {"place": "the roof"}, call_id="c1")],
            [assistant_message("They are on the roof.")],
            [assistant_message("As I said: on the roof.")],
        ]
    )
    agent = Agent(name="looker", model=model, tools=[look])
    async with AsyncClient(own_server.address, retry=PATIENT, timeout=60) as client:
        session = SidecarSession("trip", client)
        first = await Runner.run(agent, "Where are they?", session=session)
        assert first.final_output == "They are on the roof."
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        second = await Runner.run(agent, "Sure?", session=session)
        assert second.final_output == "As I said: on the roof."
        kinds = [item.get("type", item.get("role")) for item in await session.get_items()]
        assert kinds == [
            *("user", "function_call", "function_call_output", "message", "user", "message")
        ]


async def test_a_user_is_erased_with_the_sessions(server: RealServer, client: Client) -> None:
    session = SidecarSession("hers", client, user_id="ana")
    await session.add_items(ITEMS)
    await asyncio.to_thread(erase, client, "ana")
    assert await session.get_items() == []


async def test_errors_of_the_server_are_not_swallowed(async_client: AsyncClient) -> None:
    session = SidecarSession("x" * 600, async_client)
    with pytest.raises(MemorySidecarError, match="session_id"):
        await session.add_items(ITEMS[:1])
