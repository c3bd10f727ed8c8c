"""The user memory of lauren-ai, kept by a server.

    from memorysidecar.compat.lauren import UserMemoryStore

The store takes the place of InMemoryUserMemoryStore and SQLiteUserMemoryStore. Besides, its facts
are found by Recall, stand in contexts, and have former states that can be read and restored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.timestamp_pb2 import Timestamp
from lauren_ai._memory._user import MemoryFact

from .. import v1
from ..client import Client
from ..errors import NotFound
from ._shared import client_or_default, sound

__all__ = ["UserMemoryStore"]

_SYSTEM = "lauren"
_CREATED = "created_at"
_SEEN = "last_seen_at"
_SOURCE = "source_conversation_id"


class UserMemoryStore:
    """A UserMemoryStore of lauren-ai whose facts are memories of the server, each of its user."""

    def __init__(self, *, client: Client | None = None) -> None:
        self._client = client_or_default(client)

    async def add(self, fact: MemoryFact) -> None:
        """Stores a fact; one with the id of a stored one takes its place."""
        await asyncio.to_thread(self._add, fact)

    def _add(self, fact: MemoryFact) -> None:
        known = self._known(fact.memory_id)
        if known is not None and known.user_id == fact.user_id:
            self._client.update_memory(fact.memory_id, **_content(fact))
            return
        if known is not None:
            # A memory stays with its user: this one is another one's now.
            self._client.forget_memories(fact.memory_id, allow_missing=True)
        whole = {"kind": "fact", "memory_id": fact.memory_id, "user_id": fact.user_id}
        self._client.remember({**whole, **_content(fact)}, dedupe="none")

    def _known(self, memory_id: str) -> v1.Memory | None:
        try:
            return self._client.get_memory(memory_id)
        except NotFound:
            return None

    async def get(self, user_id: str, memory_id: str) -> MemoryFact | None:
        """Gives a fact of a user; None for none, and for one of another user."""
        found = await asyncio.to_thread(self._known, memory_id)
        return _read(found) if found is not None and found.user_id == user_id else None

    async def search(self, user_id: str, query: str, top_k: int = 10) -> list[MemoryFact]:
        """Gives the facts of a user that contain a text, or have a topic that does, the surest
        first."""
        if top_k <= 0:
            return []
        answer = await asyncio.to_thread(
            self._client.recall,
            sound(query),
            filter={"user_id": user_id, "scope": "owned_by", "kinds": ["memory"]},
            scoring="substring",
            page_size=top_k,
        )
        return [_read(hit.memory) for hit in answer.hits]

    async def list(self, user_id: str, topic: str | None = None) -> list[MemoryFact]:
        """Gives the facts of a user, or those with a topic, the last seen first."""
        found = await asyncio.to_thread(self._list, user_id)
        facts = [_read(memory) for memory in found]
        if topic:
            key = topic.lower()
            facts = [one for one in facts if key in [name.lower() for name in one.topics]]
        return sorted(facts, key=lambda one: one.last_seen_at, reverse=True)

    def _list(self, user_id: str) -> Sequence[v1.Memory]:
        wanted = {"user_id": user_id, "scope": "owned_by", "kinds": ["fact"]}
        return list(self._client.list_memories(filter=wanted))

    async def update(
        self, memory_id: str, *, content: str | None = None, confidence: float | None = None
    ) -> None:
        """Changes a fact; one that is not there is left alone."""
        changes: dict[str, Any] = {}
        if content is not None:
            changes["text"] = sound(content)
        if confidence is not None:
            changes["confidence"] = confidence
        if not changes:
            return
        try:
            await asyncio.to_thread(self._client.update_memory, memory_id, **changes)
        except NotFound:
            return

    async def delete(self, memory_id: str) -> None:
        """Forgets a fact, for good; one that is not there is none."""
        await asyncio.to_thread(self._client.forget_memories, memory_id, allow_missing=True)

    async def clear(self, user_id: str) -> None:
        """Forgets all facts of a user, for good."""
        await asyncio.to_thread(self._clear, user_id)

    def _clear(self, user_id: str) -> None:
        wanted = {"user_id": user_id, "kinds": ["fact"]}
        while self._client.purge_memories(wanted, force=True).more:
            pass

    def __len__(self) -> int:
        wanted = {"everyone": True, "kinds": ["fact"]}
        return sum(1 for _ in self._client.list_memories(filter=wanted))


def _content(fact: MemoryFact) -> dict[str, Any]:
    kept = {_CREATED: fact.created_at.isoformat(), _SEEN: fact.last_seen_at.isoformat()}
    if fact.source_conversation_id is not None:
        kept[_SOURCE] = sound(fact.source_conversation_id)
    return {
        "text": sound(fact.content),
        "topics": [sound(topic) for topic in fact.topics],
        "confidence": fact.confidence,
        "last_seen_time": fact.last_seen_at,
        "metadata": {_SYSTEM: kept},
    }


def _read(memory: v1.Memory) -> MemoryFact:
    kept: dict[str, str] = MessageToDict(memory.metadata).get(_SYSTEM, {})
    return MemoryFact(
        memory_id=memory.memory_id,
        user_id=memory.user_id,
        content=memory.text,
        topics=list(memory.topics),
        confidence=memory.confidence,
        created_at=_time(memory.create_time, kept.get(_CREATED), is_fixed=True),
        last_seen_at=_time(memory.last_seen_time, kept.get(_SEEN)),
        source_conversation_id=kept.get(_SOURCE, memory.source.session_id) or None,
    )


def _time(stamp: Timestamp, kept: str | None, *, is_fixed: bool = False) -> datetime:
    """The time of a memory: to the microsecond, as it was kept, unless it has changed since."""
    stored: datetime = stamp.ToDatetime(tzinfo=timezone.utc)
    if kept is None:
        return stored
    exact = datetime.fromisoformat(kept)
    return exact if is_fixed or abs(exact - stored) < timedelta(milliseconds=1) else stored
