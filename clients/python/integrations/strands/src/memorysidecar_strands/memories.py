"""The memory store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator
from typing import Any

from memorysidecar import Client, v1
from strands.memory import AddMessagesContext, MemoryEntry
from strands.memory.extraction.types import ExtractionConfig
from strands.memory.types import MemoryStore, Metadata, SearchOptions
from strands.types.content import Message

from ._messages import texts_of

KEPT = "strands"
"""Key of a memory's metadata under which the metadata of Strands are, as JSON."""
DEFAULT_MAX_SEARCH_RESULTS = 10
PIECE = 16_384
"""Characters of a text in which the server looks for facts: it takes 65,536 bytes."""


class SidecarMemoryStore(MemoryStore):
    """Keeps what a ``MemoryManager`` remembers in Memory Sidecar: memories of a user.

    Searches find memories by words and by meaning, also those that the user has from other
    frameworks. ``add`` remembers a text once, however often it is called.

    :param client: a client, which the store never closes. Its calls run in threads, since an agent
        that is called without ``await`` has a new event loop each time.
    :param user_id: whose the memories are. Required: agents must not share those of all users by
        accident.
    :param agent_id: limits the memories to those of an agent. Default: those of all agents.
    :param extraction: ``True`` has the server find facts in what the user says, without a call of
        a model, unless it has a hook for that; a config with an extractor adds what it finds.
    :param min_relevance: least relevance of a memory to a query, from 0 to 1, as ``recall`` has it.
    """

    def __init__(
        self,
        client: Client,
        *,
        user_id: str,
        agent_id: str | None = None,
        name: str = "memory",
        description: str | None = None,
        max_search_results: int | None = None,
        writable: bool = True,
        extraction: ExtractionConfig | bool | None = None,
        min_relevance: float | None = None,
    ) -> None:
        if not user_id:
            raise ValueError("user_id must not be empty: it names whose memories the store has")
        if not name.strip():
            raise ValueError("name must not be empty")
        if max_search_results is not None and max_search_results < 1:
            raise ValueError("max_search_results must be at least 1")
        self.client = client
        self.user_id = user_id
        self.agent_id = agent_id
        self.name = name
        self.description = description
        self.max_search_results = max_search_results
        self.writable = writable
        self.extraction = extraction
        self.min_relevance = min_relevance

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Finds the memories that fit a query, the best first. The metadata of each have its
        ``memory_id`` and ``relevance`` besides."""
        limit = (options or {}).get("max_search_results")
        if limit is not None and limit < 1:
            raise ValueError("max_search_results must be at least 1")
        if not query.strip():
            return []
        limit = limit or self.max_search_results or DEFAULT_MAX_SEARCH_RESULTS
        return await asyncio.to_thread(self._search, query, limit)

    async def add(self, content: str, metadata: Metadata | None = None) -> str:
        """Remembers a text, and gives the id of the memory. One that is known is reinforced."""
        self._check_writable()
        if not content.strip():
            raise ValueError("content must not be empty")
        return await asyncio.to_thread(self._add, content, metadata)

    async def add_messages(
        self, messages: list[Message], context: AddMessagesContext | None = None
    ) -> list[str]:
        """Has the server find facts in what the user says; gives the ids of the memories."""
        self._check_writable()
        said = [one for one in messages if one["role"] == "user"]
        texts = [text for message in said for text in texts_of(message["content"])]
        return await asyncio.to_thread(self._extract, texts)

    def _check_writable(self) -> None:
        if not self.writable:
            raise ValueError(f"the memory store '{self.name}' is not writable: set writable=True")

    def _search(self, query: str, limit: int) -> list[MemoryEntry]:
        found = self.client.recall(
            query,
            user_id=self.user_id,
            agent_id=self.agent_id,
            filter={"kinds": ["memory"]},
            min_relevance=self.min_relevance,
            page_size=limit,
        )
        return [_entry_of(hit) for hit in found.hits]

    def _add(self, content: str, metadata: Metadata | None) -> str:
        memory: dict[str, Any] = {"text": content}
        if metadata is not None:
            memory["metadata"] = {KEPT: json.dumps(metadata, ensure_ascii=False)}
        answer = self.client.remember(memory, user_id=self.user_id, agent_id=self.agent_id)
        return answer.results[0].memory_id

    def _extract(self, texts: Iterable[str]) -> list[str]:
        found = []
        for text in _joined(texts):
            answer = self.client.extract_memories(
                text=text, user_id=self.user_id, agent_id=self.agent_id
            )
            found += [memory.memory_id for memory in answer.memories]
        return found


def _entry_of(hit: v1.RecallHit) -> MemoryEntry:
    kept = hit.memory.metadata
    metadata: Metadata = json.loads(str(kept[KEPT])) if KEPT in kept else {}
    own = {"memory_id": hit.memory.memory_id, "relevance": hit.relevance}
    return MemoryEntry(content=hit.memory.text, metadata={**metadata, **own})


def _joined(texts: Iterable[str]) -> Iterator[str]:
    """Joins texts to pieces that the server takes."""
    pieces = (text[at : at + PIECE] for text in texts for at in range(0, len(text), PIECE))
    joined = ""
    # Blank pieces have no facts, and the server takes no text of them alone.
    for piece in filter(str.strip, pieces):
        if len(joined) + len(piece) >= PIECE and joined:
            yield joined
            joined = ""
        joined = f"{joined}\n{piece}" if joined else piece
    if joined:
        yield joined
