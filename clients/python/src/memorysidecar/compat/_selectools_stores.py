"""The stores of the knowledge and of the knowledge graph of selectools, kept by a server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from selectools.knowledge import KnowledgeEntry
from selectools.knowledge_graph import Triple

from .. import v1
from ..client import Client
from ._memories import PAGE, Memories, kept_of
from ._shared import NAME_BYTES, sound

_SYSTEM = "selectools"
_DAY_SECONDS = 86_400
_NANOS = 1_000_000_000
# Limits of the contract: the longest life of a memory, and the keywords of a request.
_TTL_SECONDS_MAX = 315_576_000
_KEYWORDS = 32


class KnowledgeStore(Memories):
    """A KnowledgeStore of selectools whose entries are memories of the server, of the kind fact.

    :param user_id: whom the knowledge is about. Default: it is shared by all users.
    """

    def __init__(self, user_id: str = "", *, client: Client | None = None) -> None:
        super().__init__("fact", user_id, client)

    def save(self, entry: KnowledgeEntry) -> str:
        """Stores an entry, and gives its id. One with the id of a stored one takes its place."""
        self.remember([_remembered(entry)])
        return str(entry.id)

    def get(self, entry_id: str) -> KnowledgeEntry | None:
        """Gives an entry; None for none."""
        found = self._memory(entry_id)
        return None if found is None else _entry(found)

    def _entries(self, **wanted: Any) -> Iterator[KnowledgeEntry]:
        """Gives entries, the most important first, those of equal importance as they came."""
        chosen = self._filter(**wanted)
        found = self._client.list_memories(filter=chosen, order="importance", page_size=PAGE)
        return map(_entry, found)

    def query(
        self,
        category: str | None = None,
        min_importance: float = 0.0,
        since: datetime | None = None,
        limit: int = 50,
    ) -> list[KnowledgeEntry]:
        """Gives the entries whose time is not over, the most important first."""
        if min_importance > 1:
            return []
        wanted: dict[str, Any] = {"min_importance": max(min_importance, 0.0)}
        if category:
            wanted["categories"] = [sound(category)]
        begin = None if since is None else _aware(since)
        found = [
            entry
            for entry in self._entries(**wanted)
            if not entry.is_expired and (begin is None or _aware(entry.created_at) >= begin)
        ]
        return found[:limit]

    def delete(self, entry_id: str) -> bool:
        """Forgets an entry, for good. Tells if there was one."""
        is_there = self._memory(entry_id) is not None
        if is_there:
            self.forget([entry_id])
        return is_there

    def count(self) -> int:
        """Counts the entries."""
        return sum(1 for _ in self._entries())

    def prune(self, max_age_days: int | None = None, min_importance: float = 0.0) -> int:
        """Forgets entries that are over, too old or not important enough, unless they are
        persistent. Gives their number."""
        now = datetime.now(timezone.utc)
        oldest = None if max_age_days is None else now - timedelta(days=max_age_days)
        gone = [
            entry.id
            for entry in self._entries(persistent=False)
            if entry.is_expired
            or entry.importance < min_importance
            or (oldest is not None and _aware(entry.created_at) < oldest)
        ]
        self.forget(gone)
        return len(gone)


class TripleStore(Memories):
    """A TripleStore of selectools whose triples are memories of the server, of the kind relation.

    :param user_id: whom the triples are about. Default: they are shared by all users.
    """

    def __init__(
        self, max_triples: int = 200, *, user_id: str = "", client: Client | None = None
    ) -> None:
        super().__init__("relation", user_id, client)
        self._max_triples = max_triples

    def add(self, triple: Triple) -> None:
        """Adds a triple. The oldest one goes if there are too many."""
        self.add_many([triple])

    def add_many(self, triples: list[Triple]) -> None:
        """Adds triples. The oldest ones go if there are too many."""
        self.remember([_related(triple) for triple in triples])
        stored = [memory.memory_id for memory in self.stored()]
        self.forget(stored[: max(len(stored) - self._max_triples, 0)])

    def query(self, keywords: list[str]) -> list[Triple]:
        """Gives the triples that contain one of the keywords, the oldest first."""
        wanted = [sound(one).lower() for one in dict.fromkeys(keywords)]
        if not wanted:
            return []
        # An empty text is in every triple; the others exceed what a request takes.
        longest = max(len(one.encode()) for one in wanted)
        if "" in wanted or len(wanted) > _KEYWORDS or longest > NAME_BYTES:
            return [one for one in self.all() if any(part in _text(one) for part in wanted)]
        found: list[v1.Memory] = []
        token = ""
        while True:
            page = self._client.query_relations(
                keywords=wanted, filter=self._any_kind(), page_size=PAGE, page_token=token
            )
            found.extend(one.memory for one in page.relations)
            token = page.next_page_token
            if not token:
                return [_triple(memory) for memory in found]

    def _any_kind(self) -> dict[str, Any]:
        wanted = self._filter()
        del wanted["kinds"]
        return wanted

    def all(self) -> list[Triple]:
        """Gives all triples, the oldest first."""
        return [_triple(memory) for memory in self.stored()]

    def count(self) -> int:
        """Counts the triples."""
        return len(self.stored())

    def clear(self) -> None:
        """Forgets all triples, for good."""
        self.forget([memory.memory_id for memory in self.stored()])

    def to_list(self) -> list[dict[str, Any]]:
        """Gives all triples as data."""
        return [triple.to_dict() for triple in self.all()]


def _text(triple: Triple) -> str:
    return f"{triple.subject} {triple.relation} {triple.object}".lower()


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)


def _remembered(entry: KnowledgeEntry) -> dict[str, Any]:
    rest = {
        "category": entry.category,
        "ttl_days": entry.ttl_days,
        "created_at": entry.created_at.isoformat(),
        "updated_at": entry.updated_at.isoformat(),
        "metadata": entry.metadata,
    }
    memory: dict[str, Any] = {
        "kind": "fact",
        "memory_id": entry.id,
        "text": sound(entry.content),
        "category": sound(entry.category),
        "importance": entry.importance,
        "persistent": entry.persistent,
        "metadata": {_SYSTEM: json.dumps(rest, default=str)},
    }
    if entry.ttl_days is not None:
        end = _aware(entry.created_at) + timedelta(days=entry.ttl_days)
        left = (end - datetime.now(timezone.utc)).total_seconds()
        # The server forgets an entry when its time is over; one that comes too late waits for
        # prune, and is true no longer.
        if left > 1:
            memory["ttl"] = min(left, _TTL_SECONDS_MAX)
        else:
            memory["valid_until_time"] = end
    return memory


def _entry(memory: v1.Memory) -> KnowledgeEntry:
    """An entry of a memory, which may be one that selectools did not write."""
    kept = kept_of(_SYSTEM, memory)
    made: datetime = memory.create_time.ToDatetime(tzinfo=timezone.utc)
    changed: datetime = memory.update_time.ToDatetime(tzinfo=timezone.utc)
    ttl = memory.ttl.seconds // _DAY_SECONDS if memory.HasField("ttl") else None
    return KnowledgeEntry(
        id=memory.memory_id,
        content=memory.text,
        category=kept.get("category", memory.category),
        importance=memory.importance,
        persistent=memory.persistent,
        ttl_days=kept.get("ttl_days", ttl),
        created_at=_aware(datetime.fromisoformat(kept["created_at"])) if kept else made,
        updated_at=_aware(datetime.fromisoformat(kept["updated_at"])) if kept else changed,
        metadata=kept.get("metadata", {}),
    )


def _related(triple: Triple) -> dict[str, Any]:
    rest = {
        "confidence": triple.confidence,
        "source_turn": triple.source_turn,
        "created_at": triple.created_at,
    }
    relation = {
        "subject": sound(triple.subject),
        "predicate": sound(triple.relation),
        "object_value": sound(triple.object),
    }
    return {
        "kind": "relation",
        "relation": relation,
        "confidence": min(max(triple.confidence, 0.0), 1.0),
        "metadata": {_SYSTEM: json.dumps(rest)},
    }


def _triple(memory: v1.Memory) -> Triple:
    """A triple of a memory, which may be one that selectools did not write."""
    kept = kept_of(_SYSTEM, memory)
    relation, made = memory.relation, memory.create_time
    return Triple(
        subject=relation.subject,
        relation=relation.predicate,
        object=relation.object_value,
        confidence=kept.get("confidence", memory.confidence),
        source_turn=kept.get("source_turn", 0),
        created_at=kept.get("created_at", made.seconds + made.nanos / _NANOS),
    )
