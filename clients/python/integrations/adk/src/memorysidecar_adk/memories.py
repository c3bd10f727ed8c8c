"""The memory service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import uuid4

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types
from memorysidecar import AsyncClient, v1
from memorysidecar.adapters.plans import Runner
from memorysidecar.adapters.records import get_whole, write

from ._names import segment

ROOT = "adk"
COLLECTION = "adk-memories"
PIECE_CHARS = 2_000
MAX_PIECES = 256
MAX_FOUND = 10
NO_SESSION = "unknown session"
"""Segment of the memories that belong to no session; those of sessions begin with ``_``."""


class SidecarMemoryService(BaseMemoryService):
    """Keeps the memories of agents in Memory Sidecar, and finds them by words and by meaning.

    A memory is a record; its texts are documents of the record, by which searches find it. Adding a
    session again adds what is new and takes away what the session has no more. A memory that was
    deleted does not come back with its session.

    :param client: a client, which the service never closes, on the event loop of the runner.
    :param root: first part of the names of records. Services with the same root share memories.
    :param limit: number of memories that a search gives.
    :param min_relevance: least relevance of a memory to a query, from 0 to 1, as ``recall`` has it.
    """

    def __init__(
        self,
        client: AsyncClient,
        *,
        root: str = ROOT,
        limit: int = MAX_FOUND,
        min_relevance: float | None = None,
    ) -> None:
        self.client = client
        self.root = root
        self.limit = limit
        self.min_relevance = min_relevance

    async def add_session_to_memory(self, session: Session) -> None:
        path = self._path(session.app_name, session.user_id, segment(session.id))
        known = {
            record.key: record.value
            async for record in self.client.list_records(path, include_values=True)
        }
        forgotten = await self._forgotten(session.app_name, session.user_id)
        wanted = {
            segment(event.id): _entry_of(event)
            for event in _with_content(session.events)
            if segment(event.id) not in forgotten
        }
        new = {key: one for key, one in wanted.items() if known.get(key) != _bytes_of(one)}
        await self._put(path, new, session.app_name, session.user_id)
        for key in known.keys() - wanted.keys():
            await self.client.delete_record(path, key, allow_missing=True)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        path = self._path(app_name, user_id, segment(session_id) if session_id else NO_SESSION)
        known = {record.key async for record in self.client.list_records(path)}
        passed = known | await self._forgotten(app_name, user_id)
        new: dict[str, MemoryEntry] = {}
        for event in _with_content(events):
            if segment(event.id) not in passed:
                new.setdefault(segment(event.id), _entry_of(event, custom_metadata))
        await self._put(path, new, app_name, user_id)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        path = self._path(app_name, user_id, NO_SESSION)
        new = {}
        for memory in memories:
            name = memory.id or str(uuid4())
            metadata = {**(custom_metadata or {}), **memory.custom_metadata}
            new[segment(name)] = memory.model_copy(
                update={"id": name, "custom_metadata": metadata}, deep=True
            )
        await self._put(path, new, app_name, user_id)

    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        if not query.strip():
            return SearchMemoryResponse()
        found = await self.client.recall(
            query,
            user_id=user_id,
            filter={
                "collection_ids": [COLLECTION],
                "labels": {"app": segment(app_name), "root": self.root},
            },
            min_relevance=self.min_relevance,
            include_records=True,
            best_of_record=True,
            page_size=self.limit,
        )
        memories = []
        for hit in found.hits:
            value = hit.found_record.record.value
            if not value:
                # The answer had no more room, or the memory was deleted meanwhile.
                name = hit.document.record
                whole = await Runner(self.client).arun(get_whole((name.path, name.key)))
                if whole is None:
                    continue
                value = whole.value
            memories.append(MemoryEntry.model_validate_json(value))
        return SearchMemoryResponse(memories=memories)

    async def delete_memory(
        self, *, app_name: str, user_id: str, memory_id: str | None = None
    ) -> None:
        if not memory_id:
            return
        key = segment(memory_id)
        path = [self.root, "memories", segment(app_name), segment(user_id)]
        found = self.client.list_records(path, recursive=True, page_size=1000)
        names = [v1.RecordRef(path=one.path, key=one.key) async for one in found if one.key == key]
        if not names:
            return
        mark = v1.NamedRecord(
            path=self._marks(app_name, user_id), key=key, owner=v1.MemoryScope(user_id=user_id)
        )
        put = v1.RecordOperation(put=v1.RecordPut(record=mark))
        deletions = [
            v1.RecordOperation(deletion=v1.RecordDelete(record=name, allow_missing=True))
            for name in names
        ]
        # The mark is in the first transaction: from there on no session brings the memory back.
        await Runner(self.client).arun(write([put, *deletions]))

    async def _put(
        self, path: list[str], entries: Mapping[str, MemoryEntry], app_name: str, user_id: str
    ) -> None:
        """Writes memories, as many in one transaction as fit."""
        labels = {"app": segment(app_name), "root": self.root}
        operations = []
        for key, entry in entries.items():
            record = v1.NamedRecord(
                path=path,
                key=key,
                media_type="application/json",
                owner=v1.MemoryScope(user_id=user_id),
                value=_bytes_of(entry),
            )
            documents = [v1.Document(text=piece, labels=labels) for piece in _pieces_of(entry)]
            if documents:
                search = v1.RecordSearch(collection_id=COLLECTION, documents=documents)
                record.search.CopyFrom(search)
            operations.append(v1.RecordOperation(put=v1.RecordPut(record=record)))
        await Runner(self.client).arun(write(operations))

    async def _forgotten(self, app_name: str, user_id: str) -> set[str]:
        """Gets the ids of memories that were deleted."""
        marks = self.client.list_records(self._marks(app_name, user_id), page_size=1000)
        return {mark.key async for mark in marks}

    def _path(self, app_name: str, user_id: str, session: str) -> list[str]:
        return [self.root, "memories", segment(app_name), segment(user_id), session]

    def _marks(self, app_name: str, user_id: str) -> list[str]:
        return [self.root, "forgotten", segment(app_name), segment(user_id)]


def _with_content(events: Iterable[Event]) -> Iterable[Event]:
    return (event for event in events if event.content and event.content.parts)


def _entry_of(event: Event, metadata: Mapping[str, object] | None = None) -> MemoryEntry:
    return MemoryEntry(
        id=event.id,
        content=event.content or types.Content(),
        author=event.author,
        timestamp=datetime.fromtimestamp(event.timestamp).isoformat(),
        custom_metadata=dict(metadata or {}),
    )


def _bytes_of(entry: MemoryEntry) -> bytes:
    return entry.model_dump_json(exclude_none=True).encode()


def _pieces_of(entry: MemoryEntry) -> list[str]:
    """Splits the text of a memory into the texts by which searches find it."""
    text = " ".join(part.text for part in entry.content.parts or () if part.text)
    pieces = [text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)]
    return [piece for piece in pieces if piece.strip()][:MAX_PIECES]
