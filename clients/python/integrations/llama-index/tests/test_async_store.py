"""The chat store of ``Memory``: beside the one on SQLite, and in runs of agents."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from copy import deepcopy
from typing import Any
from uuid import uuid4

import pytest
from differential import differ
from integration import erase
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import Memory
from llama_index.core.storage.chat_store.base_db import MessageStatus
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from memorysidecar import AsyncClient, Client
from real import PATIENT, Between, RealServer
from scripted import ANSWER, call, said, scripted, turn
from test_chat_differential import KEYS, draw_message

from memorysidecar_llama_index import SidecarAsyncChatStore, SidecarChatStore

ACTIVE, ARCHIVED = MessageStatus.ACTIVE, MessageStatus.ARCHIVED
KINDS = ("add",) * 4 + ("get",) * 4 + ("count", "set", "clear", "oldest", "archive", "archive")
KINDS += ("keys",)


def draw_step(draw: random.Random) -> dict[str, Any]:
    return {
        "kind": draw.choice(KINDS),
        "key": draw.choice(KEYS),
        "messages": [draw_message(draw) for _ in range(draw.choice((1, 1, 2, 5)))],
        "status": draw.choice((ACTIVE, ACTIVE, ACTIVE, ARCHIVED)),
        "any": draw.choice((ACTIVE, ARCHIVED, None)),
        "limit": draw.choice((None, None, 0, 2)),
        "offset": draw.choice((None, None, 0, 1)),
        "n": draw.choice((0, 1, 2, 9)),
    }


async def do(store: Any, step: dict[str, Any]) -> Any:
    """Does a step on one store; gives what its caller sees."""
    key, status, messages = step["key"], step["status"], deepcopy(step["messages"])
    match step["kind"]:
        case "add":
            if len(messages) == 1:
                return await store.add_message(key, messages[0], status)
            return await store.add_messages(key, messages, status)
        case "get":
            limit = step["limit"]
            # SQLite has no offset without a limit.
            offset = None if limit is None else step["offset"]
            return await store.get_messages(key, step["any"], limit, offset)
        case "count":
            return await store.count_messages(key, step["any"])
        case "set":
            return await store.set_messages(key, messages, status)
        case "clear":
            return await store.delete_messages(key, step["any"])
        case "oldest":
            return await store.delete_oldest_messages(key, step["n"])
        case "archive":
            return await store.archive_oldest_messages(key, step["n"])
        case _:
            return sorted(await store.get_keys())


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_store_on_sqlite(server: RealServer) -> None:
    async def play_all(steps: Sequence[dict[str, Any]], client: Client) -> str | None:
        ours = SidecarAsyncChatStore(client, root=uuid4().hex)
        theirs = SQLAlchemyChatStore("messages")
        try:
            for step in steps:
                expected, found = await do(theirs, step), await do(ours, step)
                if found != expected:
                    return f"{step}\n  gives {found!r}\n  not   {expected!r}"
            return None
        finally:
            if theirs._async_engine is not None:
                await theirs._async_engine.dispose()

    with Client(server.address, namespace=f"t-{uuid4().hex}") as client:

        def play(steps: Sequence[dict[str, Any]]) -> str | None:
            return asyncio.run(play_all(steps, client))

        differ("LlamaIndex", "chat store of Memory", draw_step, play, 400)


def test_a_memory_goes_on_after_the_server_was_killed(own_server: RealServer) -> None:
    def look(place: str) -> str:
        """Looks at a place."""
        own_server.kill()
        own_server.start()
        return f"Storks at {place}."

    async def run(*answers: Any) -> list[Any]:
        model, seen = scripted(*answers)
        agent = FunctionAgent(tools=[look], llm=model)
        memory = Memory.from_defaults(
            session_id="trip",
            chat_store=SidecarAsyncChatStore(client, user_id="ana"),
            token_limit=60,
            token_flush_size=10,
            tokenizer_fn=str.split,
        )
        answer = await agent.run("Where are the storks now?", memory=memory)
        assert answer.response.content == answers[-1]
        return seen

    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        asyncio.run(run(call("c1", place="the roof"), ANSWER))
        own_server.kill()
        own_server.start()
        for _ in range(4):
            seen = asyncio.run(run("On the roof, I said, and nowhere else at all."))
        store = SidecarAsyncChatStore(client, user_id="ana")
        stored = asyncio.run(store.get_messages("trip", None))
        assert [one.role for one in stored] == [
            *("user", "assistant", "tool", "assistant"),
            *("user", "assistant") * 4,
        ]
        archived = asyncio.run(store.get_messages("trip", ARCHIVED))
        active = asyncio.run(store.get_messages("trip"))
        assert archived
        assert [*archived, *active] == stored
        assert len(seen[0]) < 9
        assert SidecarChatStore(client, user_id="ana").get_messages("trip") == active
        erase(client, "ana")
        assert asyncio.run(store.get_keys()) == []


async def test_archives_and_deletions_that_race_lose_and_double_nothing(client: Client) -> None:
    store = SidecarAsyncChatStore(client)
    await store.add_messages("k", [said("user", f"{number}") for number in range(40)])

    async def move(mover: int) -> list[Any]:
        mine = SidecarAsyncChatStore(client)
        if mover == 3:
            await mine.add_message("k", said("user", "new"))
            return []
        if mover % 2:
            return await mine.delete_oldest_messages("k", 5)
        return await mine.archive_oldest_messages("k", 5)

    moved = await asyncio.gather(*map(move, range(6)))
    names = [one.content for part in moved for one in part]
    assert sorted(names, key=int) == [f"{number}" for number in range(25)]
    assert await store.count_messages("k", ARCHIVED) == 15
    left = [one.content for one in await store.get_messages("k")]
    assert left == [*(f"{number}" for number in range(25, 40)), "new"]

    def add() -> None:
        SidecarChatStore(client).add_message("k", said("user", "meanwhile"))

    raced: Any = Between(client, "update_session", add)
    archived = await SidecarAsyncChatStore(raced).archive_oldest_messages("k", 100)
    assert len(archived) == 16
    assert [one.content for one in await store.get_messages("k")] == ["meanwhile"]


async def test_users_are_apart_and_an_async_client_works(async_client: AsyncClient) -> None:
    stores = {user: SidecarAsyncChatStore(async_client, user_id=user) for user in ("ana", None)}
    for store in stores.values():
        await store.add_messages("k", turn(1))
        await store.add_messages("k", [])
        assert await store.delete_message("k", 1) == turn(1)[1]
        assert await store.delete_message("k", 3) is None
        assert await store.delete_message("k", -1) is None
    await stores["ana"].delete_messages("k", ACTIVE)
    assert await stores["ana"].get_keys() == []
    by_hand = {"role": "user", "text": "by hand"}
    await async_client.append(stores["ana"].log_of("k"), [by_hand])
    assert await stores["ana"].get_keys() == ["k"]
    assert await stores["ana"].get_messages("k", None) == []
    assert await stores[None].count_messages("k") == 3
    await stores[None].delete_messages("k")
    assert await stores[None].get_messages("k", None) == []
    with pytest.raises(ValueError, match="user_id must not be empty"):
        SidecarAsyncChatStore(async_client, user_id="")
