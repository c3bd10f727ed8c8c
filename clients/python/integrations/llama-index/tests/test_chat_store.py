"""The chat store and the memory: runs of agents with a kill in the middle, the window, sizes,
races, erasure."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from integration import erase, left_of, record_uploads
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.schema import ImageDocument
from memorysidecar import AsyncClient, Client, MemorySidecarError, policy
from memorysidecar.adapters.plans import Runner
from real import PATIENT, Between, RealServer
from scripted import ANSWER, call, said, scripted, turn

from memorysidecar_llama_index import SidecarChatStore, SidecarMemory, _lists


def texts_in(store: SidecarChatStore, key: str = "k") -> list[str | None]:
    return [message.content for message in store.get_messages(key)]


def numbered(count: int, start: int = 0) -> list[ChatMessage]:
    return [said("user", f"{number}") for number in range(start, start + count)]


def between(client: Client, method: str, act: Any, **options: Any) -> SidecarChatStore:
    return SidecarChatStore(Between(client, method, act, **options))  # type: ignore[arg-type]


async def test_an_agent_goes_on_after_the_server_was_killed(own_server: RealServer) -> None:
    async def look(place: str) -> str:
        """Looks at a place."""
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        return f"Storks at {place}."

    async with AsyncClient(own_server.address, retry=PATIENT, timeout=60) as client:
        for answers in ((call("c1", place="the roof"), ANSWER), ("On the roof, I said.",)):
            model, seen = scripted(*answers)
            agent = FunctionAgent(tools=[look], llm=model)
            memory = SidecarMemory.from_defaults(client=client, chat_store_key="trip")
            answer = await agent.run("Where are they?", memory=memory)
            assert answer.response.content == answers[-1]
            await asyncio.to_thread(own_server.kill)
            await asyncio.to_thread(own_server.start)
        stored = await memory.aget_all()
        assert [one.role for one in stored] == [
            *("user", "assistant", "tool", "assistant", "user", "assistant")
        ]
        assert stored[2].content == "Storks at the roof."
        assert len(seen[0]) == 5
    assert own_server.starts == 4


async def test_the_window_keeps_its_limit_and_whole_calls(async_client: AsyncClient) -> None:
    limit = policy.token_budget(max_tokens=80)
    store = SidecarChatStore(async_client, user_id="ana", policy=limit)
    memory = SidecarMemory.from_defaults(chat_store=store, chat_store_key="long")
    assert await memory.aget() == []
    assert await store.aget_window("long") is None
    for number in range(12):
        await memory.aput_messages(turn(number))
    given = await memory.aget("Where is it?", initial_token_count=10)
    assert 0 < len(given) < 20
    blocks = [block for one in given for block in one.blocks]
    calls = [one.tool_call_id for one in blocks if isinstance(one, ToolCallBlock)]
    assert calls
    assert calls == [one.additional_kwargs["tool_call_id"] for one in given if one.role == "tool"]
    window = await store.aget_window("long")
    assert window is not None
    assert window.window_totals.token_count <= 80
    everything = await memory.aget_all()
    assert everything == [one for number in range(12) for one in turn(number)]
    assert given == everything[-len(given) :]
    await store.async_add_message("long", said("user", "first of all"), idx=0)
    assert (await memory.aget())[0].content == "first of all"
    found = await async_client.recall("note 3", user_id="ana", page_size=3)
    assert any("ote 3" in hit.message.message.text for hit in found.hits)
    await memory.areset()
    assert await memory.aget_all() == []


def test_memories_of_llama_index_keep_their_messages_here(client: Client) -> None:
    store = SidecarChatStore(client)
    buffer = ChatMemoryBuffer.from_defaults(
        chat_history=turn(1), chat_store=store, chat_store_key="k", token_limit=40
    )
    buffer.put(said("user", "more"))
    assert [one.content for one in buffer.get()][-1] == "more"
    assert store.get_messages("k") == [*turn(1), said("user", "more")]
    assert "SidecarChatStore" in buffer.to_string()
    buffer.set(turn(2))
    buffer.reset()
    assert store.get_keys() == []
    memory = SidecarMemory.from_defaults(turn(3), client=client, user_id="ana")
    memory.put(said("user", "and?"))
    memory.put_messages(numbered(2))
    assert memory.get_all() == [*turn(3), said("user", "and?"), *numbered(2)]
    assert memory.get() == memory.get_all()
    for options in ({}, {"client": client, "chat_store": store}):
        with pytest.raises(ValueError, match="give either client or chat_store"):
            SidecarMemory.from_defaults(**options)
    with pytest.raises(ValueError, match="user_id: options are those of a new chat store"):
        SidecarMemory.from_defaults(chat_store=store, user_id="ana")


def test_users_and_keys_that_are_alike_share_nothing(client: Client) -> None:
    users = (None, "-", "ana", "_ana", "ana/k", "%2F" * 64, "/" * 64, "u" * 500)
    keys = ("k", "k/", "-", "", "k" * 600, "k" * 601, "\n", "%0A", "../k")
    for user in users:
        store = SidecarChatStore(client, user_id=user)
        for key in keys:
            store.add_message(key, said("user", f"{user} {key!r}"))
    for user in users:
        store = SidecarChatStore(client, user_id=user)
        assert store.get_keys() == list(keys)
        for key in keys:
            assert texts_in(store, key) == [f"{user} {key!r}"]
    other = SidecarChatStore(client, root="other")
    assert other.get_keys() == []
    with pytest.raises(ValueError, match="user_id must not be empty"):
        SidecarChatStore(client, user_id="")


def test_erasing_a_user_erases_all_that_is_stored_for_them(client: Client) -> None:
    large = said("user", "x" * 500_000)
    for user in ("ana", "bob"):
        SidecarChatStore(client, user_id=user).set_messages("k", [*turn(1), large])
    erase(client, "ana")
    assert SidecarChatStore(client, user_id="ana").get_keys() == []
    assert SidecarChatStore(client, user_id="bob").get_messages("k") == [*turn(1), large]
    records = client.list_records("llama-index", recursive=True)
    assert [one.owner.user_id for one in records] == ["bob"]


@pytest.mark.parametrize("size", [70_000, 500_000, 5_000_000])
def test_messages_of_any_size_come_back(client: Client, size: int) -> None:
    store = SidecarChatStore(client)
    large = said("assistant", "ü" * (size // 2), n=1)
    store.add_message("k", large)
    store.add_messages("k", [*turn(1), large])
    assert store.get_messages("k") == [large, *turn(1), large]
    assert store.get_window_messages("k") != []
    store.add_message("k", large, idx=1)
    assert store.delete_message("k", 0) == large
    store.set_messages("k", [*turn(1), large])
    assert store.get_messages("k") == [*turn(1), large]
    assert len(list(client.list_records("llama-index", recursive=True))) == int(size > 450_000)
    assert store.delete_messages("k") == [*turn(1), large]
    assert list(client.list_records("llama-index", recursive=True)) == []
    assert list(client.list_sessions()) == []


def test_messages_come_back_as_they_were_written(client: Client) -> None:
    store = SidecarChatStore(client)
    image = ImageDocument(image=b"\x89PNG", id_="i")
    message = ChatMessage(role="user", content="this", additional_kwargs={"images": [image]})
    store.add_message("k", message)
    [found] = store.get_messages("k")
    assert found.model_dump(mode="json") == message.model_dump(mode="json")
    with pytest.raises(ValueError, match="the message of the user is no JSON"):
        store.add_message("k", said("user", "x", n=float("nan")))
    assert len(store.get_messages("k")) == 1


def test_more_than_a_batch_and_a_page_come_back(client: Client) -> None:
    store = SidecarChatStore(client)
    store.set_messages("k", numbered(600))
    store.add_messages("k", numbered(600, 600))
    store.set_messages("k", [*numbered(1_200), *numbered(5)])
    assert texts_in(store) == [f"{number}" for number in [*range(1_200), *range(5)]]
    before: list[Any] = []

    def look() -> None:
        before.append(texts_in(store))

    # Between the transactions of a long list, readers have the one before.
    between(client, "append", look, after=1).set_messages("k", numbered(1_100, 7))
    assert before == [[f"{number}" for number in [*range(1_200), *range(5)]]]
    assert texts_in(store) == [f"{number}" for number in range(7, 1_107)]
    assert client.count_messages(store.log_of("k")).count == 1_100


def test_what_others_append_between_the_parts_of_a_change_is_in_the_list(client: Client) -> None:
    store = SidecarChatStore(client)
    store.set_messages("k", numbered(2))

    def add_and_stop() -> None:
        store.add_message("k", said("user", "meanwhile"))
        raise InterruptedError

    stopped = between(client, "append", add_and_stop, after=1)
    with pytest.raises(InterruptedError):
        stopped.set_messages("k", numbered(1_100, 7))
    assert texts_in(store) == ["0", "1", "meanwhile"]
    store.add_message("k", said("user", "first"), idx=0)
    assert texts_in(store) == ["first", "0", "1", "meanwhile"]
    assert client.count_messages(store.log_of("k")).count == 4


def test_a_change_of_several_parts_is_repeated_after_another_write(client: Client) -> None:
    store = SidecarChatStore(client)
    store.set_messages("k", numbered(2))

    def add() -> None:
        store.add_message("k", said("user", "meanwhile"))

    large = said("user", "x" * 500_000)
    raced = between(client, "append", add, after=1)
    raced.set_messages("k", [large, *numbered(1_100, 7)])
    assert texts_in(store) == [large.content, *(f"{number}" for number in range(7, 1_107))]
    assert client.count_messages(store.log_of("k")).count == 1_101
    assert len(list(client.list_records("llama-index", recursive=True))) == 1


def test_a_list_with_many_insertions_is_copied_when_its_order_is_long(client: Client) -> None:
    store = SidecarChatStore(client)
    store.set_messages("k", numbered(2_000))
    client.update_session(
        store.log_of("k"),
        metadata={
            "own": 1,
            "llama-index": {
                "root": "llama-index",
                "key": "k",
                "through": 2_000,
                "active": ",".join(f"{seq}" for seq in range(2_000, 0, -1)),
            },
        },
    )
    store.add_message("k", said("user", "new"), idx=1)
    wanted = [f"{number}" for number in range(1_999, -1, -1)]
    assert texts_in(store) == [wanted[0], "new", *wanted[1:]]
    metadata = client.get_session(store.log_of("k")).metadata
    assert metadata["own"] == 1
    assert metadata["llama-index"]["active"] == "2001-4001"
    assert client.count_messages(store.log_of("k")).count == 2_001


def test_messages_of_other_programs_are_left_out_and_stay(client: Client) -> None:
    store = SidecarChatStore(client)
    store.set_messages("k", numbered(3))
    foreign = {"provider": "other", "media_type": "text/plain", "data": b"no JSON"}
    others = [{"role": "user", "text": "by hand"}, {"text": "other", "provider_payload": foreign}]
    client.append(store.log_of("k"), [{"role": "user", **one} for one in others])
    store.add_message("k", said("user", "3"))
    assert texts_in(store) == ["0", "1", "2", "3"]
    assert [one.content for one in store.get_window_messages("k")] == ["0", "1", "2", "3"]
    store.set_messages("k", numbered(2, 7))
    store.add_message("k", said("user", "x"), idx=1)
    assert store.delete_last_message("k") == said("user", "8")
    assert texts_in(store) == ["7", "x"]
    log = [message.text for message in client.list_messages(store.log_of("k"))]
    assert log == ["by hand", "other", "7", "x"]
    store.set_messages("k", [])
    assert store.get_keys() == ["k"]
    assert len(list(client.list_messages(store.log_of("k")))) == 2


def test_writers_that_race_lose_and_double_nothing(client: Client) -> None:
    def write(writer: int) -> None:
        store = SidecarChatStore(client)
        for number in range(15):
            message = said("user", f"{writer} {number}")
            if number % 5 == 4:
                store.add_message("k", message, idx=0)
            else:
                store.add_message("k", message)

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(3)))
    store = SidecarChatStore(client)
    texts = texts_in(store)
    assert sorted(map(str, texts)) == sorted(f"{a} {b}" for a in range(3) for b in range(15))
    assert all(str(text).endswith(("4", "9")) for text in texts[:9])
    for writer in range(3):
        own = [str(text) for text in texts[9:] if str(text).startswith(f"{writer} ")]
        assert own == [f"{writer} {number}" for number in range(15) if number % 5 != 4]

    def take(writer: int) -> list[ChatMessage | None]:
        mine = SidecarChatStore(client)
        return [mine.delete_message("k", 0 if writer % 2 else -1) for _ in range(10)]

    with ThreadPoolExecutor() as pool:
        taken = [one for part in pool.map(take, range(4)) for one in part if one is not None]
    left = store.get_messages("k")
    assert len(taken) == 40
    assert sorted(str(one.content) for one in [*taken, *left]) == sorted(map(str, texts))


def test_changes_take_part_in_the_order_of_all_writes(client: Client) -> None:
    store = SidecarChatStore(client)

    def add() -> None:
        store.add_message("k", said("user", "meanwhile"))

    store.set_messages("k", numbered(3))
    between(client, "append", add).set_messages("k", numbered(2, 5))
    assert texts_in(store) == ["5", "6"]
    between(client, "batch_delete_messages", add).set_messages("k", numbered(1, 7))
    assert texts_in(store) == ["7", "meanwhile"]
    between(client, "append", lambda: store.delete_message("k", 0)).add_message(
        "k", said("user", "8"), idx=1
    )
    assert texts_in(store) == ["meanwhile", "8"]
    between(client, "append", lambda: store.delete_messages("k")).add_message(
        "k", said("user", "9"), idx=0
    )
    assert texts_in(store) == ["9"]
    raced = between(client, "batch_delete_messages", lambda: store.delete_message("k", 0))
    assert raced.delete_message("k", 0) == said("user", "9")
    assert texts_in(store) == []
    large = said("user", "x" * 500_000)
    store.set_messages("k", [large])

    def add_large() -> None:
        store.add_message("k", large)

    assert between(client, "delete_session", add_large).delete_messages("k") == [large]
    assert list(client.list_records("llama-index", recursive=True)) == []
    store.set_messages("k", [large])
    assert between(client, "list_records", add_large).delete_messages("k") == [large]
    assert store.delete_messages("k") == [large]
    between(client, "create_session", add).set_messages("k", [])
    assert texts_in(store) == []
    store.set_messages("k", [*numbered(1), large])
    raced = between(client, "batch_get_records", lambda: store.set_messages("k", numbered(1)))
    assert raced.get_messages("k") == numbered(1)


def test_what_is_appended_during_a_read_is_listed_once(client: Client) -> None:
    store = SidecarChatStore(client)
    store.set_messages("k", numbered(3))

    def add() -> None:
        store.add_message("k", said("user", "meanwhile"))

    raced = between(client, "list_messages", add)
    assert raced.delete_message("k", 0) == said("user", "0")
    assert texts_in(store) == ["1", "2", "meanwhile"]
    between(client, "list_messages", add).add_message("k", said("user", "first"), idx=0)
    assert texts_in(store) == ["first", "1", "2", "meanwhile", "meanwhile"]
    between(client, "list_messages", add).set_messages("k", [])
    assert texts_in(store) == ["meanwhile"]


def test_a_window_that_is_read_during_a_replacement_is_that_of_one_list(client: Client) -> None:
    store = SidecarChatStore(client)
    store.set_messages("k", numbered(3))

    def replace(start: int) -> list[ChatMessage]:
        store.set_messages("k", numbered(2, start))
        return numbered(2, start)

    raced = between(client, "get_session", lambda: replace(3))
    assert raced.get_window_messages("k") == store.get_messages("k") == numbered(2, 3)
    raced = between(client, "get_session", lambda: replace(5), after=1)
    assert raced.get_window_messages("k") == store.get_messages("k") == numbered(2, 5)
    raced = between(client, "window", lambda: replace(7))
    assert raced.get_window_messages("k") == store.get_messages("k") == numbered(2, 7)
    raced = between(client, "get_session", lambda: store.delete_messages("k"), after=1)
    assert raced.get_window_messages("k") == []


def test_a_refused_change_leaves_no_upload(client: Client, monkeypatch: Any) -> None:
    monkeypatch.setattr(_lists, "ATTEMPTS", 4)
    store = SidecarChatStore(client)
    store.set_messages("k", numbered(2))
    sent = record_uploads(client, monkeypatch, lambda count: store.add_message("k", numbered(1)[0]))
    large = said("user", "x" * 500_000)
    with pytest.raises(MemorySidecarError, match="LAST_SEQ_MISMATCH"):
        store.set_messages("k", [large])
    assert len(sent) == 4
    assert Runner(client).run(left_of(sent)) == []


def test_what_is_missing_is_none_or_empty(client: Client) -> None:
    store = SidecarChatStore(client)
    assert store.get_messages("k") == []
    assert store.get_window_messages("k") == []
    assert store.get_window("k") is None
    assert store.delete_messages("k") is None
    assert store.delete_message("k", 0) is None
    assert store.delete_last_message("k") is None
    assert store.get_keys() == []
    store.add_messages("k", [])
    assert store.get_keys() == []


async def test_all_methods_work_with_an_async_client(async_client: AsyncClient) -> None:
    store = SidecarChatStore(async_client)
    await store.aset_messages("k", numbered(3))
    await store.async_add_message("k", said("user", "3"))
    await store.async_add_messages("k", numbered(2, 4))
    assert await store.adelete_message("k", 0) == said("user", "0")
    assert await store.adelete_last_message("k") == said("user", "5")
    assert [one.content for one in await store.aget_messages("k")] == ["1", "2", "3", "4"]
    assert await store.aget_window_messages("k") == await store.aget_messages("k")
    assert await store.aget_keys() == ["k"]
    assert await asyncio.to_thread(store.get_keys) == ["k"]
    memory = SidecarMemory.from_defaults(chat_store=store, chat_store_key="k")
    await memory.aput(said("user", "6"))
    await memory.aset(numbered(1))
    assert await memory.aget_all() == numbered(1)
    assert await store.adelete_messages("k") == numbered(1)
    with pytest.raises(asyncio.InvalidStateError, match="would block the event loop"):
        store.get_keys()
