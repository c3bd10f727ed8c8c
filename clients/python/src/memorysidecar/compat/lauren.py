"""The memories of lauren-ai, kept by a server.

    from memorysidecar.compat.lauren import ShortTermMemory, UserMemoryStore

ShortTermMemory is a session: the server chooses what a model reads, and keeps the rest.
UserMemoryStore takes the place of InMemoryUserMemoryStore and SQLiteUserMemoryStore: its facts are
memories. Recall finds them, contexts include them, and their former states can be restored.
ConversationStore takes the place of InMemoryConversationStore and SQLiteConversationStore: the
short-term memory of an agent outlives its process, and Recall finds its messages. VectorStore takes
the place of InMemoryVectorStore: it searches by words and meaning.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp
from lauren_ai._memory import MemoryResult
from lauren_ai._memory._user import MemoryFact

from .. import v1
from .._retry import RetryPolicy
from ..client import Client
from ..errors import NotFound
from ._lauren_window import ShortTermMemory
from ._shared import client_or_default, kept_in, payload_of, sound

__all__ = ["ConversationStore", "ShortTermMemory", "UserMemoryStore", "VectorStore"]

_SYSTEM = "lauren"
_CREATED = "created_at"
_SEEN = "last_seen_at"
_SOURCE = "source_conversation_id"
# Path of the records that hold the rest of a snapshot beside its messages.
_CONVERSATIONS = "lauren conversations"
# Name of the session of the conversation whose id is empty.
_UNNAMED = "lauren:"
_ROLES = {"assistant": v1.ROLE_ASSISTANT, "system": v1.ROLE_SYSTEM}
_METADATA_BYTES = 16_000
_PAGE = 1_000
_EXACT = 2**53
# Of a save that another one came between.
_AGAIN = RetryPolicy(initial_delay=0.02, max_delay=1)


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


class ConversationStore:
    """A ConversationStore of lauren-ai: each conversation is a session of the server, and a record
    with the rest of its snapshot, such as the summary.

    Stores of one name share their conversations. With a ``name``, its sessions are
    ``name:conversation``.
    """

    def __init__(self, name: str = "", *, client: Client | None = None) -> None:
        self._client = client_or_default(client)
        self._path = [_CONVERSATIONS, name] if name else [_CONVERSATIONS]
        self._prefix = f"{name}:" if name else ""

    def _session(self, conversation_id: str) -> str:
        return f"{self._prefix}{conversation_id or _UNNAMED}"

    async def load(self, conversation_id: str) -> Any:
        """Gives the snapshot of a conversation; an empty list for none."""
        return await asyncio.to_thread(self._load, conversation_id)

    def _load(self, conversation_id: str) -> Any:
        name = self._session(conversation_id)
        while True:
            try:
                record = self._client.get_record(self._path, name)
            except NotFound:
                return []
            try:
                messages = [_message(one) for one in self._client.list_messages(name)]
            except NotFound:
                messages = []
            # A save in between may have changed the messages.
            if self._etag(name) == record.etag:
                return {"messages": messages, **json.loads(record.value)}

    def _etag(self, name: str) -> str | None:
        """Identifies the state of a conversation's record; None for no record."""
        try:
            etag: str = self._client.get_record(self._path, name, omit_value=True).etag
        except NotFound:
            return None
        return etag

    async def save(self, conversation_id: str, snapshot: Any) -> None:
        """Stores a snapshot, or a list of messages, in the place of the former one. Only messages
        that differ from the stored ones are written anew. Of two saves at once, the one that ends
        last stores all of its snapshot."""
        await asyncio.to_thread(self._save, conversation_id, snapshot)

    def _save(self, conversation_id: str, snapshot: Any) -> None:
        name = self._session(conversation_id)
        whole = {"messages": snapshot, "summary": None} if isinstance(snapshot, list) else snapshot
        rest = {key: value for key, value in whole.items() if key != "messages"}
        data = json.dumps(rest, default=str).encode()
        messages = [_stored(message) for message in whole.get("messages") or []]
        for lost in itertools.count(1):
            # The record comes first: a process that is killed between the two calls then loses no
            # message.
            put = self._client.put_record(
                self._path, name, data, session_id=name, media_type="application/json"
            )
            self._replace(name, messages)
            if self._etag(name) == put.etag:
                return
            # Another save or deletion came in between, and its messages may be gone now: the one
            # that ends last stores all of its snapshot. A random delay lets one of them end.
            time.sleep(_AGAIN.delay(lost))

    def _replace(self, name: str, messages: list[v1.Message]) -> None:
        if not messages:
            self._client.delete_session(name, allow_missing=True)
            return
        self._client.replace_messages(
            name,
            messages,
            from_seq=1,
            keep_common_prefix=True,
            create_session=True,
        )

    async def delete(self, conversation_id: str) -> None:
        """Deletes a conversation, for good, if it exists."""
        await asyncio.to_thread(self._delete, self._session(conversation_id))

    def _delete(self, name: str) -> None:
        while True:
            self._client.delete_record(self._path, name, allow_missing=True)
            self._client.delete_session(name, allow_missing=True)
            # A save in between would have lost its messages.
            if self._etag(name) is None:
                return

    async def list_conversations(self) -> list[str]:
        """Gives the ids of all conversations, sorted."""
        names = await asyncio.to_thread(lambda: list(self._names()))
        ids = [name.removeprefix(self._prefix) for name in names]
        return sorted("" if one == _UNNAMED else one for one in ids)

    def _names(self) -> Iterator[str]:
        return (record.key for record in self._client.list_records(self._path))

    async def clear(self) -> None:
        """Deletes all conversations of the store, for good."""
        for name in await asyncio.to_thread(lambda: list(self._names())):
            await asyncio.to_thread(self._delete, name)

    def __len__(self) -> int:
        return sum(1 for _ in self._names())

    def __contains__(self, conversation_id: str) -> bool:
        try:
            self._client.get_record(self._path, self._session(conversation_id), omit_value=True)
        except NotFound:
            return False
        return True


class VectorStore:
    """A MemoryStore of lauren-ai that keeps its documents in a collection of the server."""

    def __init__(self, collection_id: str = _SYSTEM, *, client: Client | None = None) -> None:
        self._client = client_or_default(client)
        self._of = collection_id

    async def upsert(
        self,
        content: str,
        *,
        id: str | None = None,
        metadata: dict[str, Any] | None = None,
        embedding: list[float] | None = None,
    ) -> str:
        """Stores a document; it replaces a stored one with the same id."""
        name = str(uuid.uuid4()) if id is None else id
        exact = json.dumps(metadata or {})
        document: dict[str, Any] = {"document_id": name, "text": sound(content), "payload": exact}
        if len(exact.encode()) <= _METADATA_BYTES:
            # Numbers may be rounded here, where only filters look: the payload has them exactly.
            document["metadata"] = Struct()
            document["metadata"].update(json.loads(exact))
        if embedding is not None and any(embedding):
            document["embedding"] = {"values": embedding, "model": _SYSTEM}
        await asyncio.to_thread(self._client.upsert_documents, [document], collection_id=self._of)
        return name

    async def search(
        self, query: str, *, k: int = 5, filter: dict[str, Any] | None = None
    ) -> list[MemoryResult]:
        """Gives the documents that match a query best, among those whose metadata has all values of
        a filter."""
        if k <= 0 or not query.strip():
            return []
        return await asyncio.to_thread(self._search, sound(query), k, filter or {})

    def _search(self, query: str, k: int, wanted: dict[str, Any]) -> list[MemoryResult]:
        conditions = [one for one in map(_condition, wanted.items()) if one is not None]
        found: list[MemoryResult] = []
        token = ""
        while True:
            page = self._client.recall(
                query,
                filter={
                    "kinds": ["document"],
                    "collection_ids": [self._of],
                    "metadata": conditions[:16],
                },
                include_payloads=True,
                page_size=min(k, _PAGE),
                page_token=token,
            )
            for hit in page.hits:
                # Scores of the server have no upper limit; those of lauren-ai end at 1.
                result = _result(hit.document, hit.score / (1 + hit.score))
                if all(result.metadata.get(key) == value for key, value in wanted.items()):
                    found.append(result)
            token = page.next_page_token
            if not token or len(found) >= k:
                return found[:k]

    async def get(self, id: str) -> MemoryResult | None:
        """Gives a document, or None."""
        try:
            document = await asyncio.to_thread(
                self._client.get_document, id, collection_id=self._of, include_payload=True
            )
        except NotFound:
            return None
        return _result(document, 1.0)

    async def delete(self, ids: list[str]) -> None:
        """Deletes documents, for good, if they exist."""
        for start in range(0, len(ids), _PAGE):
            await asyncio.to_thread(
                self._client.delete_documents,
                ids[start : start + _PAGE],
                collection_id=self._of,
                allow_missing=True,
            )

    async def clear(self) -> None:
        """Deletes all documents of the collection, for good."""
        await asyncio.to_thread(self._client.clear_collection, self._of)

    def __len__(self) -> int:
        total = self._client.count_documents(collection_id=self._of)
        if not total.at_least:
            return int(total.count)
        return sum(1 for _ in self._client.list_documents(collection_id=self._of))


def _stored(message: Any) -> v1.Message:
    """Makes a message for the server: its text, for Recall, and the exact message as its
    payload."""
    given = message if isinstance(message, dict) else {}
    content = given.get("content")
    blocks = content if isinstance(content, list) else [{"text": content}]
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    text = "\n".join(one for one in texts if isinstance(one, str))
    role = _ROLES.get(str(given.get("role")), v1.ROLE_USER)
    payload = payload_of(_SYSTEM, message)
    return v1.Message(role=role, text=sound(text), provider_payload=payload)


def _message(message: v1.Message) -> Any:
    """Makes a message of a snapshot, also of a message that lauren-ai did not write."""
    kept = kept_in(_SYSTEM, message)
    if kept is not None:
        return kept
    names = {value: key for key, value in _ROLES.items()}
    return {"role": names.get(message.role, "user"), "content": message.text}


def _condition(wanted: tuple[str, Any]) -> dict[str, Any] | None:
    """Makes a condition for the server; None for a value that the server cannot test exactly."""
    path, value = wanted
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,200}", path):
        return None
    if isinstance(value, str) and len(value) <= _PAGE:
        return {"path": path, "equal_to": {"string_value": value}}
    if isinstance(value, (bool, int, float)) and abs(value) < _EXACT:
        # For Python, True and 1 are equal.
        same = [{"bool_value": bool(value)}] if value in (0, 1) else []
        return {"path": path, "one_of": {"values": [{"number_value": float(value)}, *same]}}
    return None


def _result(document: v1.Document, score: float) -> MemoryResult:
    payload = document.payload.data
    metadata = json.loads(payload) if payload else MessageToDict(document.metadata)
    return MemoryResult(
        id=document.document_id, content=document.text, score=score, metadata=metadata
    )


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
