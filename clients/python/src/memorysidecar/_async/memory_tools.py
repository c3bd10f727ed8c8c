"""Memories as files, as a block for a prompt, and as tools for a model.

``async_export_memories`` and ``async_import_memories`` move them as JSON Lines;
``async_memory_block`` writes them down for a prompt; ``AsyncMemoryTools`` gives a model the tools
``remember``, ``recall`` and ``forget``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from google.protobuf import json_format

from .. import _memory_fields as m
from .. import v1
from .._recall_fields import scope_of
from .._tool_parts import (
    BATCH,
    PROPERTIES,
    TRUE,
    arguments_of,
    definition,
    limit_of,
    memory_of_line,
    refusal,
)
from ..errors import ErrorReason, Invalid, NotFound

if TYPE_CHECKING:
    from .client import AsyncClient


async def async_export_memories(client: AsyncClient, filter: m.FilterLike) -> AsyncIterator[str]:
    """Gives memories as lines of JSON, without line ends: the ``Memory`` of the contract in its
    JSON form, oldest first. Former states are not among them.

    :param filter: which memories: ``{"user_id": "ana"}`` means the active ones of ana, without
        shared ones; ``{"everyone": True}`` means every active one of the namespace.
    :raises ValueError: for a filter that names no user and does not say everyone.
    """
    async for memory in client.list_memories(filter=m.bound_filter_of(filter)):
        fields = json_format.MessageToDict(memory, preserving_proto_field_name=True)
        yield json.dumps(fields, ensure_ascii=False)


async def async_import_memories(client: AsyncClient, lines: Iterable[str]) -> int:
    """Remembers what ``async_export_memories`` gave; gives how many lines there were. Ids are
    kept, so a second import makes nothing twice. Empty lines are passed over.

    :raises ValueError: for a line that is no memory, naming it; those before it are remembered.
    """
    count = 0
    batch: list[v1.Memory] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            batch.append(memory_of_line(line))
        except ValueError as error:
            await _remember_all(client, batch)
            raise ValueError(f"line {number} is no memory: {error}") from error
        count += 1
        if len(batch) == BATCH:
            await _remember_all(client, batch)
            batch = []
    await _remember_all(client, batch)
    return count


async def _remember_all(client: AsyncClient, batch: list[v1.Memory]) -> None:
    if batch:
        await client.remember(batch, dedupe="none")


async def async_memory_block(
    client: AsyncClient,
    user_id: str | None = None,
    *,
    top_k: int = 10,
    query: str = "",
    heading: str | None = None,
    max_tokens: int = 2000,
) -> str:
    """Writes down what is known of a user, for a prompt: the memories that fit the query, or else
    the most important ones, each with how sure it is. Empty when nothing is known.

    :param top_k: the most memories in it.
    :param heading: heading line. Default: ``## What I remember about you:``.
    """
    section = v1.ContextSection(kind=m.choice("section", "long_term"), limit=top_k, heading=heading)
    context = await client.assemble_context(
        user_id=user_id,
        query=query,
        profile="lauren",
        sections=[section],
        exclude_conversation=True,
        max_tokens=max_tokens,
    )
    return context.text


class AsyncMemoryTools:
    """Tools that a model can call to remember, recall and forget::

        tools = AsyncMemoryTools(client, user_id="ana")
        answer = model(..., tools=tools.definitions("openai"))
        for call in answer.tool_calls:
            result = await tools.call(call.function.name, call.function.arguments)

    A model reaches the memories of this user and agent only.
    """

    def __init__(
        self,
        client: AsyncClient,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        scoring: str = "",
        show_ids: bool = True,
    ) -> None:
        """
        :param user_id: whose memories they are.
        :param agent_id: of which agent. Default: what belongs to no agent, which all agents see.
        :param scoring: how ``recall`` scores: ``overlap``, ``word_count`` or ``substring``.
            Default: as recall does.
        :param show_ids: whether ``recall`` tells ids, which ``forget`` needs.
        """
        scope_of(user_id, agent_id)
        self._client = client
        self._user_id = user_id
        self._agent_id = agent_id
        self._scoring = scoring
        self._show_ids = show_ids

    @staticmethod
    def definitions(
        shape: Literal["openai", "anthropic", "mcp"] = "openai",
    ) -> list[dict[str, Any]]:
        """Gives the definitions of the tools, in the shape that a provider takes."""
        return [definition(name, shape) for name in PROPERTIES]

    async def call(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """Does what a model asks for, and gives what to answer it. What is wrong with the arguments
        is said in the answer, so that the model can try again; a failure of the server raises.

        :param arguments: an object, or its JSON.
        """
        given = arguments_of(name, arguments)
        if isinstance(given, str):
            return given
        return await self._done(name, given)

    async def _done(self, name: str, given: Mapping[str, Any]) -> str:
        try:
            if name == "remember":
                return await self._remember(given)
            if name == "recall":
                return await self._recall(given)
            return await self._forget(given)
        except UnicodeError:
            return "Error: a text holds half a character."
        except Invalid as error:
            if error.reason != ErrorReason.REQUEST_INVALID:
                raise
            return refusal(error)

    async def _remember(self, given: Mapping[str, Any]) -> str:
        content = str(given["content"]).strip()
        if not content:
            return "Error: content must not be empty."
        memory = v1.Memory(
            text=content,
            category=str(given.get("category") or ""),
            key=str(given.get("key") or ""),
            persistent=str(given.get("persistent", "")).lower() in TRUE,
        )
        answer = await self._client.remember(
            memory,
            user_id=self._user_id,
            agent_id=self._agent_id,
            conflict="supersede",
            neutralize_prompt_markers=True,
        )
        return answer.results[0].memory_id

    async def _recall(self, given: Mapping[str, Any]) -> str:
        query = str(given["query"])
        found = await self._client.recall(
            query,
            user_id=self._user_id,
            agent_id=self._agent_id,
            filter={"kinds": ["memory"]},
            scoring=self._scoring,
            page_size=limit_of(given.get("limit")),
        )
        matches = [hit.memory for hit in found.hits]
        if not matches:
            return f"No memories found matching '{query}'."
        word = "memory" if len(matches) == 1 else "memories"
        lines = [f"Found {len(matches)} {word}:"]
        for number, match in enumerate(matches, 1):
            category = match.category
            tag = "" if category in ("", "general") else f"[{category}] "
            own_id = f" (id: {match.memory_id})" if self._show_ids else ""
            lines.append(f"{number}. {tag}{match.text}{own_id}")
        return "\n".join(lines)

    async def _forget(self, given: Mapping[str, Any]) -> str:
        memory_id = str(given["memory_id"])
        own = await self._own(memory_id)
        if own is None:
            return f"No memory has the id '{memory_id}'."
        await self._client.forget_memories(memory_id, etag=own.etag)
        return "Forgotten."

    async def _own(self, memory_id: str) -> v1.Memory | None:
        """A memory that this user and agent may forget."""
        try:
            memory = await self._client.get_memory(memory_id)
        except NotFound:
            return None
        own = (self._user_id or "", self._agent_id or "")
        return memory if (memory.user_id, memory.agent_id) == own else None
