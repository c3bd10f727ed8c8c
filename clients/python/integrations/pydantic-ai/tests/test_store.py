"""The store beside what the differential test compares: agents, races, kills, windows, sizes."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from integration import between_ranges, erase, left_of, record_uploads, replace_large
from memorysidecar import (
    AsyncClient,
    Client,
    MemorySidecarError,
    NotFound,
    RetryPolicy,
    policy,
)
from memorysidecar.adapters import records
from memorysidecar.adapters.plans import Runner
from pydantic_ai import Agent
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationConflict
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from real import PATIENT, RealServer

from memorysidecar_pydantic_ai import SidecarConversationStore


def turn(number: int) -> list[ModelMessage]:
    """A question, a call of a tool, its result and an answer."""
    call = f"c{number}"
    return [
        ModelRequest(parts=[UserPromptPart(f"What does note {number} say?")]),
        ModelResponse(parts=[ToolCallPart("read", {"note": number}, call)]),
        ModelRequest(parts=[ToolReturnPart("read", f"Note {number}: the storks are back.", call)]),
        ModelResponse(parts=[TextPart(f"Storks, says note {number}.")]),
    ]


def written(messages: list[ModelMessage]) -> bytes:
    """Gives messages as Pydantic AI writes them."""
    return ModelMessagesTypeAdapter.dump_json(messages)


async def add(store: SidecarConversationStore, name: str, messages: list[ModelMessage]) -> None:
    """Adds messages, and tries again when another writer came first."""
    while True:
        conversation = await store.load(name) or Conversation(conversation_id=name)
        conversation.messages.extend(messages)
        try:
            await store.save(conversation)
            return
        except ConversationConflict:
            continue


async def everything(client: AsyncClient) -> tuple[list[str], list[str]]:
    """Names all sessions and records."""
    sessions = [one.session_id async for one in client.list_sessions()]
    records = [one.key async for one in client.list_records("pydantic-ai", recursive=True)]
    return sessions, records


async def test_an_agent_goes_on_while_the_server_is_killed(own_server: RealServer) -> None:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, UserPromptPart) and last.content == "Where are they?":
            return ModelResponse(parts=[ToolCallPart("look", {"place": "the roof"}, "c1")])
        found = [part for one in messages for part in one.parts if part.part_kind == "tool-return"]
        return ModelResponse(parts=[TextPart(str(found[-1].content))])

    agent = Agent(FunctionModel(answer))

    @agent.tool_plain
    async def look(place: str) -> str:
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        return f"Storks at {place}."

    async with AsyncClient(own_server.address, retry=PATIENT, timeout=60) as client:
        store = SidecarConversationStore(client)
        conversation = Conversation(conversation_id="trip")
        first = await agent.run("Where are they?", conversation=conversation)
        await store.save(first)
        loaded = await store.load("trip")
        assert loaded is not None
        saving = asyncio.create_task(store.save(await agent.run("Sure?", conversation=loaded)))
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        assert len(await saving) == 2
        again = await store.load("trip")
        assert again is not None
        assert [one.kind for one in again.messages] == ["request", "response"] * 3
        assert again.messages[-1].parts[0].content == "Storks at the roof."
        assert again.usage.requests == 3


async def test_two_writers_lose_no_message(server: RealServer) -> None:
    namespace = f"t-{uuid4().hex}"

    async def write(number: int) -> None:
        async with AsyncClient(server.address, namespace=namespace) as client:
            for index in range(8):
                await add(SidecarConversationStore(client), "chat", turn(number * 100 + index))

    await asyncio.gather(write(1), write(2))
    async with AsyncClient(server.address, namespace=namespace) as client:
        loaded = await SidecarConversationStore(client).load("chat")
        assert loaded is not None
        assert len(loaded.messages) == 64
        asked = [one.parts[0].content for one in loaded.messages[::4]]
        assert len(set(asked)) == 16


async def test_the_window_keeps_its_limit_and_the_log_keeps_all(async_client: AsyncClient) -> None:
    store = SidecarConversationStore(async_client, policy=policy.token_budget(max_tokens=80))
    for number in range(20):
        await add(store, "chat", turn(number))
    windowed = SidecarConversationStore(async_client, window=True)
    loaded = await windowed.load("chat")
    assert loaded is not None
    assert 0 < len(loaded.messages) < 20
    calls = [p.tool_call_id for m in loaded.messages for p in m.parts if p.part_kind == "tool-call"]
    returned = [
        p.tool_call_id for m in loaded.messages for p in m.parts if p.part_kind == "tool-return"
    ]
    assert calls == returned
    window = await store.get_window("chat")
    assert window is not None
    assert window.window_totals.token_count <= 80
    loaded.messages.extend(turn(20))
    await windowed.save(loaded)
    whole = await store.load("chat")
    assert whole is not None
    assert len(whole.messages) == 84
    found = await async_client.recall("storks of note 3", page_size=3)
    assert any("ote 3" in str(hit.message.message) for hit in found.hits)
    assert await windowed.load("none") is None
    assert await store.get_window("none") is None
    assert await store.session_id_of("none") is None


@pytest.mark.parametrize("size", [300_000, 500_000, 5_000_000])
async def test_entries_of_any_size_come_back(async_client: AsyncClient, size: int) -> None:
    store = SidecarConversationStore(async_client)
    picture = BinaryContent(data=b"\xff" * size, media_type="image/png")
    large: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart(["See", picture])]),
        ModelResponse(parts=[TextPart("x" * size), ToolCallPart("t", {"y": "y" * size}, "c")]),
    ]
    await add(store, "a", large)
    forked = await store.fork("a", new_conversation_id="b")
    await store.delete("a")
    assert written(forked.messages) == written(large)
    loaded = await store.load("b")
    assert loaded is not None
    assert written(loaded.messages) == written(large)
    await store.delete("b")
    assert await everything(async_client) == ([], [])


def large_turn(letter: str) -> list[ModelMessage]:
    return [ModelResponse(parts=[TextPart(letter * 5_000_000)], timestamp=datetime.now(UTC))]


async def test_a_conversation_that_changes_while_it_is_read_comes_whole(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SidecarConversationStore(async_client)
    old, new = map(large_turn, "on")
    await add(store, "a", old)
    replace = partial(replace_large, async_client, "pydantic-ai", written(new))
    between_ranges(async_client, monkeypatch, replace)
    loaded = await store.load("a")
    assert loaded is not None
    assert written(loaded.messages) == written(new)
    record = await store.read_record("a")
    assert record is not None
    assert record.head_id is not None
    replace = partial(replace_large, async_client, "pydantic-ai", written(old))
    between_ranges(async_client, monkeypatch, replace)
    entry = await store.read_entry(record.head_id)
    assert written([entry.message]) == written(old)


@pytest.mark.parametrize("before", [False, True])
async def test_a_conversation_that_goes_while_it_is_read_is_none(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    store = SidecarConversationStore(async_client)
    old = large_turn("o")
    delete = partial(store.delete, "a")
    await add(store, "a", old)
    between_ranges(async_client, monkeypatch, delete, before=before)
    assert await store.load("a") is None
    await add(store, "a", old)
    fork = await store.fork("a", new_conversation_id="b")
    assert fork.conversation_id == "b"
    head = (await store.read_record("b")).head_id  # type: ignore[union-attr]
    assert head is not None
    # The newest session that has the entry is that of the fork.
    between_ranges(async_client, monkeypatch, partial(store.delete, "b"), before=before)
    assert written([(await store.read_entry(head)).message]) == written(old)
    between_ranges(async_client, monkeypatch, delete, before=before)
    with pytest.raises(KeyError):
        await store.read_entry(head)


async def test_a_conversation_that_goes_before_its_window_is_read_is_none(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SidecarConversationStore(async_client, window=True)
    await add(store, "a", turn(1))
    window = async_client.window

    async def window_after_a_deletion(*call: Any, **options: Any) -> Any:
        await store.delete("a")
        return await window(*call, **options)

    monkeypatch.setattr(async_client, "window", window_after_a_deletion)
    assert await store.load("a") is None


async def test_an_entry_whose_record_is_gone_for_good_is_an_error(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SidecarConversationStore(async_client)
    await add(store, "a", large_turn("o"))
    record = await store.read_record("a")
    assert record is not None
    assert record.head_id is not None
    await async_client.delete_records(["pydantic-ai", "entries"], recursive=True)
    again = RetryPolicy(max_attempts=3, initial_delay=0.001, max_delay=0.001)
    monkeypatch.setattr(records, "AGAIN", again)
    for read in (store.load("a"), store.read_entry(record.head_id)):
        with pytest.raises(NotFound, match=r"3 reads in a row .* delete the message"):
            await asyncio.wait_for(read, 5)


async def test_a_save_that_comes_late_leaves_no_upload(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SidecarConversationStore(async_client)
    await add(store, "a", turn(1))
    late = await store.load("a")
    assert late is not None
    late.messages.append(ModelResponse(parts=[TextPart("x" * 500_000)]))

    async def overtake(_: int) -> None:
        await add(store, "a", turn(2))

    uploads = record_uploads(async_client, monkeypatch, overtake)
    with pytest.raises(ConversationConflict):
        await store.save(late)
    assert len(uploads) == 1
    assert await Runner(async_client).arun(left_of(uploads)) == []


async def test_long_histories_are_saved_forked_and_deleted_whole(
    async_client: AsyncClient,
) -> None:
    store = SidecarConversationStore(async_client)
    messages = [one for number in range(600) for one in turn(number)]
    await add(store, "a", messages)
    forked = await store.fork("a", at=1_500, new_conversation_id="b")
    assert forked.messages == messages[:1_500]
    await add(store, "b", turn(1))
    await store.delete("a")
    assert await store.load("a") is None
    loaded = await store.load("b", limit=1_100)
    assert loaded is not None
    assert len(loaded.messages) == 1_100
    _, records = await everything(async_client)
    assert records == ["_b"]
    await store.delete("b")
    assert await everything(async_client) == ([], [])


async def test_what_a_killed_deletion_left_goes_with_a_later_one(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SidecarConversationStore(async_client)
    await add(store, "a", turn(1))

    async def fail(*arguments: Any, **options: Any) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(async_client, "delete_session", fail)
        with pytest.raises(ConnectionError):
            await store.delete("a")
    assert await store.load("a") is None
    await add(store, "a", turn(2))
    monkeypatch.setattr("memorysidecar_pydantic_ai.store.LEFT_AFTER", timedelta(hours=-1))
    await store.delete("a")
    assert await everything(async_client) == ([], [])


async def test_a_user_is_erased_with_the_conversations(server: RealServer, client: Client) -> None:
    async with AsyncClient(server.address, namespace=client.namespace) as own:
        store = SidecarConversationStore(own, user_of=lambda scope: scope)
        for name in ("ana", "bob"):
            await store.save(Conversation(conversation_id=name, messages=turn(1)), scope=name)
        await asyncio.to_thread(erase, client, "ana")
        assert await store.load("ana") is None
        assert [one.conversation_id for one in await store.list_conversations()] == ["bob"]
        assert len((await everything(own))[0]) == 1


async def test_errors_of_the_server_are_not_swallowed(async_client: AsyncClient) -> None:
    store = SidecarConversationStore(async_client, root="x" * 300)
    with pytest.raises(MemorySidecarError, match="path"):
        await store.load("a")


async def test_names_of_any_text_are_told_apart(async_client: AsyncClient) -> None:
    store = SidecarConversationStore(async_client)
    names = ["", "/", "a/b", "a%2Fb", "\n", "n" * 2_000, "n" * 2_001, "😀" * 200]
    for number, name in enumerate(names):
        await add(store, name, turn(number))
    for number, name in enumerate(names):
        loaded = await store.load(name)
        assert loaded is not None
        assert loaded.conversation_id == name
        assert loaded.messages[0].parts[0].content == f"What does note {number} say?"


async def test_messages_of_other_programs_are_no_entries(async_client: AsyncClient) -> None:
    store = SidecarConversationStore(async_client)
    first, second = turn(1), turn(2)
    await add(store, "chat", first)
    session_id = await store.session_id_of("chat")
    assert session_id is not None
    await async_client.append(session_id, [{"role": "user", "text": "Hi.", "message_id": "other"}])
    with pytest.raises(KeyError, match="other"):
        await store.read_entry("other")
    with pytest.raises(KeyError, match="other"):
        await store.read_history("other")
    await add(store, "chat", second)
    loaded = await store.load("chat")
    assert loaded is not None
    assert written(loaded.messages) == written([*first, *second])
