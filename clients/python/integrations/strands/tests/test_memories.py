"""The memory store: a manager with it, searches, facts that the server finds, a kill, races,
erasure."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from integration import erase
from memorysidecar import Client, MemorySidecarError
from real import PATIENT, RealServer
from scripted import ANSWER, Scripted, use
from strands import Agent
from strands.memory import MemoryManager
from strands.memory.extraction.triggers import InvocationTrigger

from memorysidecar_strands import SidecarMemoryStore

METADATA = {"z": 1.0, "a": 9007199254740993, "n": None, "l": [{"k": "ü"}]}


async def texts_of(store: SidecarMemoryStore, query: str) -> list[str]:
    return [entry.content for entry in await store.search(query)]


async def test_memories_are_found_by_their_meaning(client: Client) -> None:
    store = SidecarMemoryStore(client, user_id="ana", max_search_results=2)
    first = await store.add("Ana lives in Berlin.", METADATA)
    for text in ("The invoice is 1,070 euros.", "Storks are back."):
        await store.add(text)
    found = await store.search("Where does she live?")
    assert found[0].content == "Ana lives in Berlin."
    own = {"memory_id": first, "relevance": found[0].metadata["relevance"]}
    assert repr(found[0].metadata) == repr({**METADATA, **own})
    assert len(found) <= 2
    assert len(await store.search("Where does she live?", {"max_search_results": 1})) == 1
    assert await store.search(" ") == []
    assert await store.add("Ana lives in Berlin.") == first
    assert client.get_memory(first).mention_count == 2


async def test_memories_of_other_users_and_agents_are_not_found(client: Client) -> None:
    ana, bob = (SidecarMemoryStore(client, user_id=user) for user in ("ana", "bob"))
    guide = SidecarMemoryStore(client, user_id="ana", agent_id="guide")
    await ana.add("Storks are on the roof.")
    await guide.add("Storks are at the lake.")
    assert await texts_of(bob, "storks") == []
    assert await texts_of(ana, "storks") == ["Storks are on the roof."]
    assert set(await texts_of(guide, "storks")) == {
        "Storks are on the roof.",
        "Storks are at the lake.",
    }
    client.remember("Ana rides a bicycle.", user_id="ana")
    assert "Ana rides a bicycle." in await texts_of(ana, "bicycle")


async def test_wrong_arguments_are_refused(client: Client) -> None:
    for wrong in ({"user_id": ""}, {"name": " "}, {"max_search_results": 0}):
        options: Any = {"user_id": "ana", **wrong}
        with pytest.raises(ValueError, match=next(iter(wrong))):
            SidecarMemoryStore(client, **options)
    store = SidecarMemoryStore(client, user_id="ana")
    with pytest.raises(ValueError, match="max_search_results"):
        await store.search("storks", {"max_search_results": 0})
    with pytest.raises(ValueError, match="content"):
        await store.add(" ")
    with pytest.raises(MemorySidecarError, match="text"):
        await store.add("x" * 20_000)
    read_only = SidecarMemoryStore(client, user_id="ana", writable=False)
    with pytest.raises(ValueError, match="writable"):
        await read_only.add("Storks.")
    with pytest.raises(ValueError, match="writable"):
        await read_only.add_messages([])


async def test_the_server_finds_facts_in_what_the_user_says(client: Client) -> None:
    store = SidecarMemoryStore(client, user_id="ana")
    said = ["I live in Berlin.", "My favorite bird is the stork. " + "Hm. " * 5_000]
    messages: list[Any] = [{"role": "user", "content": [{"text": text}]} for text in said]
    messages.append({"role": "assistant", "content": [{"text": "I live in Rome."}]})
    found = await store.add_messages(messages)
    assert found
    assert set(await store.add_messages(messages)) == set(found)
    known = " ".join(memory.text for memory in client.list_memories(filter={"user_id": "ana"}))
    assert "Berlin" in known and "stork" in known and "Rome" not in known
    assert await store.add_messages([]) == []


async def test_blank_texts_of_any_length_hide_no_fact(client: Client) -> None:
    store = SidecarMemoryStore(client, user_id="ana")
    texts = ["😀" * 16_384, "\u2003" * 40_000, "My favorite fruit is the kumquat.", "\u2003" * 9]
    content: Any = [{"text": text} for text in texts]
    await store.add_messages([{"role": "user", "content": content}])
    assert "kumquat" in " ".join(await texts_of(store, "favorite fruit"))
    content = [{"text": text} for text in texts[1:2] + texts[3:]]
    assert await store.add_messages([{"role": "user", "content": content}]) == []


def test_an_agent_remembers_although_the_server_is_killed(own_server: RealServer) -> None:
    with Client(own_server.address, retry=PATIENT, timeout=60) as client:

        def agent_with(model: Scripted) -> Agent:
            extraction: Any = {"trigger": InvocationTrigger()}
            store = SidecarMemoryStore(client, user_id="ana", extraction=extraction)
            manager = MemoryManager(stores=[store], add_tool_config=True)
            return Agent(model=model, memory_manager=manager, callback_handler=None)

        entries = ["Ana likes storks."]
        agent = agent_with(Scripted(use("add_memory", "c1", entries=entries), ANSWER))
        agent("I live in Berlin.")
        assert agent.memory_manager is not None
        asyncio.run(agent.memory_manager.flush())
        own_server.kill()
        own_server.start()
        model = Scripted(use("search_memory", "c2", query="storks"), ANSWER)
        agent = agent_with(model)
        agent("Where do I live?")
        assert "Ana likes storks." in repr(model.seen[1][-1])
        assert "Berlin" in repr(model.seen[0])


def test_two_writers_remember_each_text_once(client: Client) -> None:
    texts = [f"Stork {number} is back." for number in range(12)]

    async def write() -> None:
        stores = [SidecarMemoryStore(client, user_id="ana") for _ in range(2)]
        await asyncio.gather(*(store.add(text) for text in texts for store in stores))

    asyncio.run(write())
    known = [memory.text for memory in client.list_memories(filter={"user_id": "ana"})]
    assert sorted(known) == sorted(texts)


async def test_a_user_is_erased_with_the_memories(client: Client) -> None:
    ana, bob = (SidecarMemoryStore(client, user_id=user) for user in ("ana", "bob"))
    for store in (ana, bob):
        await store.add("Storks are on the roof.", METADATA)
    await asyncio.to_thread(erase, client, "ana")
    assert await texts_of(ana, "storks") == []
    assert len(await texts_of(bob, "storks")) == 1
