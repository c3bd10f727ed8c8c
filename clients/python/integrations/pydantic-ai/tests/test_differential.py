"""Random operations on the store that Pydantic AI keeps in memory, and on ours."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from differential import differ_async
from memorysidecar import AsyncClient
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import (
    ConversationRecord,
    ConversationStore,
    InMemoryConversationStore,
)
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.usage import RunUsage
from real import RealServer

from memorysidecar_pydantic_ai import SidecarConversationStore

IDS = ("a", "b", "c/d", "ü %")
SCOPES = (None, None, "ana", "bob")
KINDS = ("save",) * 5 + ("stale", "rewrite", "branch", "fork", "delete", "load", "entries", "list")


@cache
def message(number: int) -> ModelMessage:
    """Makes one of many messages, always with the same time."""
    picture = BinaryContent(data=bytes(range(number % 256)), media_type="image/png")
    return (
        ModelRequest(parts=[UserPromptPart(content=f"Question {number}?\0\r\n😀")]),
        ModelResponse(parts=[ThinkingPart(content="Hm."), TextPart(content=f"Answer {number}.")]),
        ModelResponse(parts=[ToolCallPart("look", {"at": [number, 1.0, None]}, f"c{number}")]),
        ModelRequest(parts=[ToolReturnPart("look", {"n": number}, f"c{number - 1}")]),
        ModelRequest(parts=[UserPromptPart(content=["See", picture])], metadata={"n": number}),
    )[number % 5]


def draw_step(draw: random.Random) -> dict[str, Any]:
    return {
        "kind": draw.choice(KINDS),
        "id": draw.choice(IDS),
        "other": draw.choice(IDS),
        "numbers": [draw.randrange(500) for _ in range(draw.choice((0, 1, 1, 2, 4)))],
        "limit": draw.choice((None, None, 0, 1, 2, 5)),
        "scope": draw.choice(SCOPES),
        "at": draw.choice((None, 0, 1, 2, 3, 9)),
        "entry": draw.randrange(40),
    }


def written(messages: list[ModelMessage]) -> bytes:
    """Gives messages as Pydantic AI writes them."""
    return ModelMessagesTypeAdapter.dump_json(messages)


def shown(conversation: Conversation | None) -> Any:
    if conversation is None:
        return None
    messages = conversation.messages
    return written(messages), conversation.usage, conversation.conversation_id


class Pair:
    """The two stores, and the conversations that callers hold of each."""

    def __init__(self, *stores: ConversationStore) -> None:
        self.stores = stores
        self.held: list[dict[str, Conversation]] = [{}, {}]
        self.entries: list[dict[int, str]] = [{}, {}]
        """Ids of entries by the order in which they were stored."""

    async def do(self, index: int, step: dict[str, Any]) -> Any:
        """Does a step on one store; gives what its caller sees, without ids that it made."""
        try:
            return await self._do(index, self.stores[index], **step)
        except UserError as error:
            return type(error).__name__

    async def _do(
        self,
        index: int,
        store: ConversationStore,
        *,
        kind: str,
        id: str,  # noqa: A002
        other: str,
        numbers: list[int],
        limit: int | None,
        scope: str | None,
        at: int | None,
        entry: int,
    ) -> Any:
        held, known = self.held[index], self.entries[index]
        match kind:
            case "save" | "stale" | "rewrite":
                if kind == "stale":
                    conversation = held.get(id) or Conversation(conversation_id=id)
                else:
                    loaded = await store.load(id, limit=limit)
                    conversation = loaded or Conversation(conversation_id=id)
                if kind == "rewrite":
                    kept = conversation.messages[: at or 0]
                    conversation = dataclasses.replace(
                        conversation, messages=kept, new_message_index=None
                    )
                conversation.messages.extend(deepcopy(message(number)) for number in numbers)
                conversation.usage.incr(RunUsage(requests=1, input_tokens=len(numbers)))
                held[id] = conversation
                entries = await store.save(conversation, scope=scope)
                for one in entries:
                    known[len(known)] = one.id
                return written([one.message for one in entries])
            case "branch":
                record = await store.read_record(id)
                revision = record.revision if record and entry % 4 else "old"
                tip = known.get(entry) if at is None else None
                branched = await store.branch(
                    id, at=at, from_entry=tip, expected_revision=revision, scope=scope
                )
                return shown(branched)
            case "fork":
                tip = known.get(entry) if at is None else None
                forked = await store.fork(
                    id, at=at, from_entry=tip, new_conversation_id=other, scope=scope
                )
                return shown(forked)
            case "delete":
                return await store.delete(id, scope=scope)
            case "load":
                return shown(await store.load(id, limit=limit, scope=scope))
            case "entries":
                found = await store.load_entries(id, limit=limit, scope=scope)
                for one in found or ():
                    assert await store.read_entry(one.id) == one
                return found and written([one.message for one in found])
            case _:
                records = await store.list_conversations(scope=scope, limit=limit)
                return [self.named(index, one) for one in records]

    def named(self, index: int, record: ConversationRecord) -> Any:
        """Gives a record with the numbers of entries in place of their ids."""
        numbers = {name: number for number, name in self.entries[index].items()}
        return dataclasses.replace(
            record,
            head_id=str(numbers.get(record.head_id or "")),
            forked_at=str(numbers.get(record.forked_at or "")),
            branches=[str(numbers.get(tip)) for tip in record.branches],
            revision="",
            updated_at=0,
        )


async def play_pair(steps: Sequence[dict[str, Any]], client: AsyncClient) -> str | None:
    pair = Pair(InMemoryConversationStore(), SidecarConversationStore(client))
    for step in steps:
        expected, found = await pair.do(0, step), await pair.do(1, step)
        if found != expected:
            return f"{step}\n  gives {found!r}\n  not   {expected!r}"
    for kind in ("list", *("load" for _ in IDS)):
        for name in IDS:
            step = {**dict.fromkeys(("limit", "scope", "at")), "kind": kind, "id": name}
            step |= {"other": name, "numbers": [], "entry": 0}
            expected, found = await pair.do(0, step), await pair.do(1, step)
            if found != expected:
                return f"in the end {kind} {name}\n  gives {found!r}\n  not   {expected!r}"
    return None


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_store_in_memory(server: RealServer) -> None:
    differ_async(server, "Pydantic AI", "conversation store", draw_step, play_pair)
