"""The conversation store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from operator import methodcaller
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

from memorysidecar import AsyncClient, MemorySidecarError, NotFound, v1
from memorysidecar.adapters.attempts import OVERTAKEN, attempt
from memorysidecar.adapters.messages import batches
from memorysidecar.adapters.plans import Runner
from memorysidecar.adapters.records import large_payloads, owner_of, with_payloads
from pydantic import ConfigDict, TypeAdapter
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)

from ._entries import FORMAT, entry_of, message_of, parent_of, payload_of

ROOT = "pydantic-ai"
MAX_SESSION_ID_BYTES = 512
MAX_KEY_BYTES = 512
LEFT_AFTER = timedelta(hours=1)

RECORDS: TypeAdapter[list[ConversationRecord]] = TypeAdapter(
    list[ConversationRecord], config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
)

Batch = list[tuple[ConversationEntry, bytes]]


class Stored(NamedTuple):
    """A conversation as the server has it."""

    record: ConversationRecord
    session_id: str
    etag: str


class SidecarConversationStore(ConversationStore):
    """Keeps the conversations of Pydantic AI in Memory Sidecar.

    Each entry is a message of a session's log, and the record of the conversation a record; a save
    changes both in one transaction. A fork gets a session of its own, with the history up to where
    it begins: deleting a conversation deletes its entries, and those of its forks stay.

    :param client: a client, which the store never closes, on the event loop of the agent.
    :param window: lets ``load`` give the last messages that the session's window has, in place of
        all. Saves append to the whole conversation, as after ``load(limit=...)``.
    :param root: first part of the names of sessions and records. Stores with the same root share
        their conversations.
    :param user_of: gives the user to whom the conversations of a scope belong, so that
        ``erase_subject(user_id=...)`` erases them: ``lambda scope: scope``.
    :param attributes: of the sessions that the store creates, as ``create_session`` takes them:
        ``policy``, ``agent_id``, ``labels``.
    """

    def __init__(
        self,
        client: AsyncClient,
        *,
        window: bool = False,
        root: str = ROOT,
        user_of: Callable[[str | None], str | None] | None = None,
        **attributes: Any,
    ) -> None:
        self.client = client
        self.window = window
        self.root = root
        self._user_of = user_of
        self._attributes = attributes

    async def load(
        self, conversation_id: str, *, limit: int | None = None, scope: str | None = None
    ) -> Conversation | None:
        if self.window and limit is None:
            limit = await self._fitting(conversation_id)
        return await super().load(conversation_id, limit=limit, scope=scope)

    async def get_window(self, conversation_id: str) -> v1.GetWindowResponse | None:
        """Gets the window of a conversation: what fits its policy, with tool calls and their
        results whole, and the summary of what left it. None if nothing is stored."""
        stored = await self._stored(conversation_id)
        try:
            return await self.client.window(stored.session_id) if stored else None
        except NotFound:
            return None

    async def session_id_of(self, conversation_id: str) -> str | None:
        """Gives the session that keeps a conversation."""
        stored = await self._stored(conversation_id)
        return stored.session_id if stored else None

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        stored = await self._stored(conversation_id)
        return stored.record if stored else None

    async def read_records(
        self, *, scope: str | None = None, limit: int | None = None
    ) -> Sequence[ConversationRecord]:
        found = self.client.list_records(self._records, include_values=True, page_size=1000)
        records = [_stored_of(one).record async for one in found]
        wanted = [one for one in records if scope is None or one.scope == scope]
        wanted.sort(key=lambda record: record.updated_at, reverse=True)
        return wanted[:limit]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        conversation_id = record.conversation_id
        stored = await self._stored(conversation_id)
        if (stored.record.revision if stored else None) != expected_revision:
            raise ConversationConflict(conversation_id)
        session_id = stored.session_id if stored else self._new_session_id(conversation_id)
        entries = [*await self._shared(record, new_entries, session_id), *new_entries]
        kept = {"session_id": session_id, "records": json.loads(RECORDS.dump_json([record]))}
        put = v1.RecordPut(
            record=v1.NamedRecord(
                path=self._records,
                key=_key_of(conversation_id),
                value=json.dumps(kept).encode(),
                media_type="application/json",
                owner=self._owner(record.scope),
                etag=stored.etag if stored else "",
            ),
            precondition=None if stored else v1.RecordPrecondition(exists=False),
        )
        try:
            await self._append(session_id, entries, record, v1.RecordOperation(put=put))
        except MemorySidecarError as error:
            if error.reason not in OVERTAKEN:
                raise
            raise ConversationConflict(conversation_id) from error

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Deletes a conversation and its entries. Those that a fork shares stay in the fork."""
        stored = await self._stored(conversation_id)
        if stored is None or stored.record.revision != expected_revision:
            raise ConversationConflict(conversation_id)
        ref = v1.RecordRef(path=self._records, key=_key_of(conversation_id))
        deletion = v1.RecordDelete(record=ref, etag=stored.etag)
        left = self._left(stored.session_id, stored.record)
        try:
            await self.client.write_records([v1.RecordOperation(deletion=deletion), left])
        except MemorySidecarError as error:
            if error.reason not in OVERTAKEN:
                raise
            raise ConversationConflict(conversation_id) from error
        await self._clean(stored.session_id)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        async def look(_: AsyncClient) -> tuple[list[str], list[v1.Message]]:
            found = await self._find(entry_id)
            if found is None:
                raise KeyError(entry_id)
            return self._large(found.session_id), [found.message]

        [entry] = await self._entries_of(look)
        return entry

    async def read_history(
        self, head_id: str | None, *, limit: int | None = None
    ) -> list[ConversationEntry]:
        if head_id is None:
            return []

        async def look(_: AsyncClient) -> tuple[list[str], list[v1.Message]]:
            found = await self._find(head_id)
            if found is None:
                raise KeyError(head_id)
            messages = await self._history(found.session_id, head_id, limit)
            return self._large(found.session_id), messages

        return await self._entries_of(look)

    async def _entries_of(
        self, look: Callable[[AsyncClient], Awaitable[tuple[list[str], list[v1.Message]]]]
    ) -> list[ConversationEntry]:
        """Gives entries. Those of a session that is deleted meanwhile may be in a fork: this looks
        again."""
        found = await Runner(self.client).arun(with_payloads(FORMAT, look))
        return [entry_of(message, payload) for message, payload in found]

    async def _history(self, session_id: str, head_id: str, limit: int | None) -> list[v1.Message]:
        messages: list[v1.Message] = []
        if limit == 0:
            return messages
        async for message in self._chain(session_id, head_id, limit):
            messages.append(message)
            if len(messages) == limit:
                break
        else:
            missing = parent_of(messages[-1]) if messages else head_id
            if missing is not None:
                raise KeyError(missing)
        return messages[::-1]

    async def _chain(
        self, session_id: str, head_id: str, limit: int | None = None
    ) -> AsyncIterator[v1.Message]:
        """Gives the messages of a history, the newest first. The log has each after its parent."""
        size = min(limit or 1_000, 1_000)
        wanted: str | None = head_id
        messages = self.client.list_messages(session_id, order="newest_first", page_size=size)
        async for message in messages:
            if message.message_id == wanted and FORMAT.is_own(message):
                yield message
                wanted = parent_of(message)
                if wanted is None:
                    return

    async def _fitting(self, conversation_id: str) -> int | None:
        """Counts the last messages of a conversation that the window has."""
        stored = await self._stored(conversation_id)
        if stored is None or stored.record.head_id is None:
            return None
        count = 0
        try:
            window = await self.client.window(stored.session_id)
            kept = {message.message_id for message in window.messages}
            async for message in self._chain(stored.session_id, stored.record.head_id):
                if message.message_id not in kept:
                    break
                count += 1
        except NotFound:
            return None  # Deleted meanwhile. If there is one of this name, it is new.
        return count

    async def _stored(self, conversation_id: str) -> Stored | None:
        try:
            return _stored_of(await self.client.get_record(self._records, _key_of(conversation_id)))
        except NotFound:
            return None

    async def _find(self, entry_id: str) -> v1.FoundMessage | None:
        """Finds an entry in the newest conversation that has it."""
        return await self._find_below(f"{self.root}/", entry_id)

    async def _find_below(self, prefix: str, entry_id: str) -> v1.FoundMessage | None:
        within = {"session_id_prefix": prefix}
        async for found in self.client.find_messages([entry_id], filter=within, page_size=1):
            # Other programs append messages, too; these are no entries.
            if FORMAT.is_own(found.message):
                return found
        return None

    async def _shared(
        self, record: ConversationRecord, new: Sequence[ConversationEntry], session_id: str
    ) -> list[ConversationEntry]:
        """Gets the entries of other conversations on which a conversation goes on."""
        base = new[0].parent_id if new else record.head_id
        if base is None or await self._has(session_id, base):
            return []
        try:
            return await self.read_history(base)
        except LookupError:
            if base == record.head_id:
                raise ConversationConflict(record.conversation_id) from None
            return []

    async def _has(self, session_id: str, entry_id: str) -> bool:
        return await self._find_below(session_id, entry_id) is not None

    async def _append(
        self,
        session_id: str,
        entries: list[ConversationEntry],
        record: ConversationRecord,
        put: v1.RecordOperation,
    ) -> None:
        """Appends entries and puts the record of their conversation in one transaction. Entries
        that do not fit it go before, and nothing reads them until the record is there."""
        parts = list(batches((entry, payload_of(entry)) for entry in entries))
        if not parts:
            await self.client.write_records([put])
            return
        operations = [put]
        if len(parts) > 1 and not put.put.record.etag:
            # A later deletion finds the new session if this process does not come to the end.
            left = self._left(session_id, record)
            await self.client.write_records([left])
            ref = v1.RecordRef(path=left.put.record.path, key=left.put.record.key)
            operations.append(v1.RecordOperation(deletion=v1.RecordDelete(record=ref)))
        session = {
            **self._attributes,
            "user_id": self._user(record.scope),
            "metadata": {ROOT: {"conversation_id": record.conversation_id}},
        }
        runner, owner = Runner(self.client), owner_of(self._user(record.scope))
        for batch in parts:
            is_last = batch is parts[-1]
            payloads = [(entry.id, payload) for entry, payload in batch]
            path = self._large(session_id)
            kept = await runner.arun(large_payloads(path, payloads, session_id, owner))
            append = methodcaller(
                "append",
                session_id,
                [message_of(entry, payload) for entry, payload in batch],
                on_existing="skip",
                create_session=batch is parts[0],
                session=session if batch is parts[0] else None,
                record_operations=[*kept, *(operations if is_last else ())],
            )
            await runner.arun(attempt(kept, append))

    async def _clean(self, session_id: str) -> None:
        """Deletes what a deletion has left: its own session, and those of processes that did not
        come to the end."""
        before = datetime.now(UTC) - LEFT_AFTER
        async for left in self.client.list_records(self._lefts, include_values=True):
            found = left.value.decode()
            if found != session_id and left.update_time.ToDatetime(UTC) > before:
                continue
            await self.client.delete_session(found, allow_missing=True)
            more = True
            while more:
                more = (await self.client.delete_records(self._large(found))).more
            await self.client.delete_record(self._lefts, left.key, allow_missing=True)

    def _left(self, session_id: str, record: ConversationRecord) -> v1.RecordOperation:
        left = v1.NamedRecord(
            path=self._lefts,
            key=_end_of(session_id),
            value=session_id.encode(),
            owner=self._owner(record.scope),
        )
        return v1.RecordOperation(put=v1.RecordPut(record=left))

    @property
    def _records(self) -> list[str]:
        return [self.root, "conversations"]

    @property
    def _lefts(self) -> list[str]:
        return [self.root, "deleted"]

    def _large(self, session_id: str) -> list[str]:
        return [self.root, "entries", _end_of(session_id)]

    def _new_session_id(self, conversation_id: str) -> str:
        """Names a session. A conversation that is deleted and created again gets another one."""
        name = f"{self.root}/{quote(conversation_id, safe=' :@')}/{uuid4().hex}"
        if len(name) <= MAX_SESSION_ID_BYTES:
            return name
        return f"{self.root}/{uuid4().hex}"

    def _user(self, scope: str | None) -> str | None:
        return self._user_of(scope) if self._user_of else self._attributes.get("user_id")

    def _owner(self, scope: str | None) -> v1.MemoryScope | None:
        user = self._user(scope)
        return None if user is None else v1.MemoryScope(user_id=user)


def _stored_of(record: v1.NamedRecord) -> Stored:
    kept = json.loads(record.value)
    [found] = RECORDS.validate_json(json.dumps(kept["records"]))
    return Stored(found, kept["session_id"], record.etag)


def _key_of(conversation_id: str) -> str:
    """Makes the key of a record of any text."""
    name = "_" + quote(conversation_id, safe=" /:@")
    if len(name) <= MAX_KEY_BYTES:
        return name
    return f"#{hashlib.sha256(conversation_id.encode()).hexdigest()}"


def _end_of(session_id: str) -> str:
    return session_id.rpartition("/")[2]
