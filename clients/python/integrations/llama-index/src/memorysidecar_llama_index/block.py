"""The memory block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory.memory import BaseMemoryBlock
from memorysidecar import AsyncClient, Client, NotFound, v1
from memorysidecar.adapters.plans import Call, Plan, Runner

from .async_store import SidecarAsyncChatStore

PIECE = 16_384
"""Characters of a text in which the server looks for facts: it takes 65,536 bytes."""
QUERY_CHARS = 2_000


class SidecarMemoryBlock(BaseMemoryBlock[str]):
    """The long-term memory of a ``Memory``: ``Memory.from_defaults(memory_blocks=[...])``.

    Before a model is called, the server assembles a context for what the user said last: memories,
    messages of earlier sessions and documents, within a number of tokens, marked as data. When
    messages leave the short-term memory, the server finds facts in what the user said, without a
    call of a model, unless it has a hook for that; ``await block.aput(messages)`` does so at once.

    :param client: a client, which the block never closes. With an ``AsyncClient``, make the block
        on its event loop, and use the asynchronous methods of the memory.
    :param user_id: whose memories they are. Required: users must not share theirs by accident.
    :param agent_id: limits memories to those of an agent. Default: those of all agents.
    :param chat_store: the one of the same memory: what its window gives anyway is left out.
    :param remember: False only reads: no fact is found in any message, and ``aput`` does nothing.
    :param max_tokens: of the context.
    :param name: names the block in the prompt.
    :param priority: as LlamaIndex has it: 0 keeps the block whatever the memory's limit is; with
        another one the memory leaves it out if there is no room.
    :param options: as ``assemble_context`` takes them: ``sections``, ``profile``,
        ``min_relevance``, ``collection_ids``.
    """

    _runner: Runner = PrivateAttr()
    _owner: dict[str, Any] = PrivateAttr()
    _chat_store: SidecarAsyncChatStore | None = PrivateAttr()
    _options: dict[str, Any] = PrivateAttr()

    def __init__(
        self,
        client: Client | AsyncClient,
        *,
        user_id: str,
        agent_id: str | None = None,
        chat_store: SidecarAsyncChatStore | None = None,
        remember: bool = True,
        max_tokens: int = 1_000,
        name: str = "memory_sidecar",
        priority: int = 0,
        **options: Any,
    ) -> None:
        if not user_id:
            raise ValueError("user_id must not be empty: it names whose memories the model gets")
        super().__init__(name=name, priority=priority, accept_short_term_memory=remember)
        self._runner = Runner(client)
        self._owner = {"user_id": user_id, "agent_id": agent_id}
        self._chat_store = chat_store
        self._options = {"max_tokens": max_tokens, **options}

    async def _aget(
        self,
        messages: list[ChatMessage] | None = None,
        session_id: str | None = None,
        **block_kwargs: Any,
    ) -> str:
        query = "\n".join(_said_last(messages or []))[-QUERY_CHARS:]
        if not query.strip():
            return ""
        return await self._runner.arun(self._assembled(query, session_id))

    async def _aput(self, messages: list[ChatMessage]) -> None:
        # LlamaIndex asks this only for messages that leave the short-term memory.
        if not self.accept_short_term_memory:
            return
        for text in _texts_of(messages):
            for at in range(0, len(text), PIECE):
                piece = text[at : at + PIECE]
                if piece.strip():
                    await self._runner.arun(self._remembered(piece))

    def _remembered(self, text: str) -> Plan[None]:
        yield Call(lambda client: client.extract_memories(text=text, **self._owner))

    def _assembled(self, query: str, session_id: str | None) -> Plan[str]:
        options = {"query": query, **self._owner, **self._options}
        found: v1.AssembleContextResponse
        if self._chat_store is not None and session_id:
            log = self._chat_store.log_of(session_id)
            try:
                found = yield Call(
                    partial(_assemble, {**options, "exclude_conversation": True}, log)
                )
                return found.text
            except NotFound:
                pass  # Nothing was said in this session: nothing is to be left out.
        found = yield Call(partial(_assemble, options, ""))
        return found.text


def _assemble(options: dict[str, Any], log: str, client: Any) -> Any:
    return client.assemble_context(log, **options)


def _said_last(messages: Sequence[ChatMessage]) -> list[str]:
    """Gives the texts of the user's last messages: those after the answer before them."""
    last = len(messages)
    while last > 0 and messages[last - 1].role != "user":
        last -= 1
    first = last
    while first > 0 and messages[first - 1].role == "user":
        first -= 1
    return [*_texts_of(messages[first:last])]


def _texts_of(messages: Sequence[ChatMessage]) -> Iterator[str]:
    """Gives the texts of the user."""
    for message in messages:
        text = message.content
        if message.role == "user" and text:
            yield text
