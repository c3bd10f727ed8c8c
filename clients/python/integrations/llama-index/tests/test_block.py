"""The memory block, in a ``Memory`` of LlamaIndex."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from integration import erase
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory
from memorysidecar import AsyncClient, Client
from real import PATIENT, RealServer
from scripted import said, scripted

from memorysidecar_llama_index import SidecarAsyncChatStore, SidecarMemoryBlock

HOME = "I live in Berlin."
WHERE = said("user", "Where do I live?")


def memory_of(client: Client | AsyncClient, block: SidecarMemoryBlock, **options: Any) -> Memory:
    """Makes a memory of a new session, whose messages the user of the block does not find."""
    store = SidecarAsyncChatStore(client, user_id="nobody")
    return Memory.from_defaults(
        session_id=uuid4().hex, memory_blocks=[block], **{"chat_store": store, **options}
    )


def texts(messages: list[ChatMessage]) -> str:
    return "\n".join(message.content or "" for message in messages)


def known(client: Client, user: str) -> list[str]:
    return [one.text for one in client.list_memories(filter={"user_id": user})]


async def test_what_leaves_the_short_term_memory_is_known_in_another_session(
    client: Client,
) -> None:
    block = SidecarMemoryBlock(client, user_id="ana")
    memory = memory_of(client, block, token_limit=100, token_flush_size=40)
    await memory.aput_messages([said("user", HOME + " Hm." * 7_000), said("assistant", "I live.")])
    assert known(client, "ana") == []
    await memory.aput_messages([said("user", "Hm. " * 60), said("assistant", "Fine.")])
    assert any("Berlin" in text for text in known(client, "ana"))
    model, seen = scripted("In Berlin.")
    await FunctionAgent(llm=model).run(WHERE, memory=memory_of(client, block))
    given, asked = seen[0]
    assert given.role == "system"
    assert "<memory_sidecar>" in texts([given])
    assert "Berlin" in texts([given])
    assert "<data" in texts([given])
    assert asked.content == WHERE.content


async def test_a_block_is_of_one_user_and_may_only_read(client: Client) -> None:
    await SidecarMemoryBlock(client, user_id="ana").aput([said("user", HOME)])
    for user in ("ana", "bob"):
        block = SidecarMemoryBlock(client, user_id=user, remember=False)
        memory = memory_of(client, block, token_limit=60, token_flush_size=20)
        await memory.aput_messages([said("user", "I like Rome. " * 30), said("assistant", "Yes.")])
        await memory.aput_messages([WHERE])
        await block.aput([said("user", "I like Rome.")])
        assert ("Berlin" in texts(await memory.aget())) is (user == "ana")
    assert "Rome" not in "".join(known(client, "ana") + known(client, "bob"))
    await asyncio.to_thread(erase, client, "ana")
    block = SidecarMemoryBlock(client, user_id="ana")
    assert "Berlin" not in await block.aget([WHERE])
    with pytest.raises(ValueError, match="user_id must not be empty"):
        SidecarMemoryBlock(client, user_id="")


async def test_the_query_is_what_the_user_said_last(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries: list[str] = []
    assemble = client.assemble_context

    def watched(*arguments: Any, **options: Any) -> Any:
        queries.append(options["query"])
        return assemble(*arguments, **options)

    monkeypatch.setattr(client, "assemble_context", watched)
    block = SidecarMemoryBlock(client, user_id="ana")
    assert [await block.aget(given) for given in (None, [], [said("user", " ")])] == ["", "", ""]
    old, answer = said("user", "Old."), said("assistant", "Fine.")
    await block.aget([old, answer, said("user", "Hm. " * 1_000), WHERE, answer, answer])
    assert len(queries) == 1
    assert queries[0].endswith(f"Hm. \n{WHERE.content}")
    assert len(queries[0]) == 2_000


@pytest.mark.parametrize("has_store", [True, False])
async def test_a_block_leaves_out_what_the_chat_store_gives(
    client: Client, has_store: bool
) -> None:
    store = SidecarAsyncChatStore(client, user_id="ana")
    block = SidecarMemoryBlock(client, user_id="ana", chat_store=store if has_store else None)
    seen = said("user", "The kumquat trees look fine today.")
    memory = memory_of(client, block, chat_store=store)
    # The first look is before the first message.
    await memory.aget(input="How do the kumquat trees look?")
    await memory.aput_messages([seen, said("assistant", "Good.")])
    given = await memory.aget(input="How do the kumquat trees look?")
    assert texts(given).count("look fine today") == (1 if has_store else 2)
    other = memory_of(client, block, chat_store=store)
    assert "look fine today" in texts(await other.aget(input="How do the kumquat trees look?"))


async def test_a_block_knows_what_it_knew_before_the_server_was_killed(
    own_server: RealServer,
) -> None:
    async with AsyncClient(own_server.address, retry=PATIENT, timeout=60) as client:
        block = SidecarMemoryBlock(client, user_id="ana", name="known", priority=1)
        places = ("Berlin", "Porto")
        await block.aput([said("user", f"I was in {places[0]}.")])
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        await block.aput([said("user", f"I was in {places[1]}.")])
        memory = memory_of(client, block)
        await memory.aput(said("user", "In which places was I?"))
        given = texts(await memory.aget())
        assert all(place in given for place in places)
        assert "<known>" in given
        # Of another priority than 0 a memory without room leaves it out.
        small = memory_of(client, block, token_limit=20)
        await small.aput(said("user", "In which places was I?"))
        assert "<known>" not in texts(await small.aget())
