"""The memory of definable, kept by a server.

    from memorysidecar.compat.definable import Memory

Memory pins, summarizes and keeps as that of definable does, with the model of its agent. Besides,
its entries outlive their process, what a summary replaces stays in a log that can be searched, and
each summary is an event. SessionStore alone takes the place of InMemoryStore, SQLiteStore and
FileStore.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from definable.memory.manager import Memory as _Memory
from definable.memory.strategies.summarize import SummarizeStrategy
from definable.memory.types import MemoryEntry

from .. import policy, v1
from ..client import Client
from ..errors import NotFound
from ._shared import call_ids, client_or_default, kept_in, payload_of, short, sound

__all__ = ["Memory", "SessionStore"]

_SYSTEM = "definable"
_DEFAULT_USER = "default"
# Path of the records that name the session of an entry, and label of all sessions of a name.
_PLACES = "definable entries"
_LABEL = "definable.session"
_LABEL_BYTES = 255
_SUMMARY_BYTES = 65_536
_RECORDS = 256
_NANOS = 1_000_000_000
_ROLES = {
    "user": v1.ROLE_USER,
    "assistant": v1.ROLE_ASSISTANT,
    "system": v1.ROLE_SYSTEM,
    "tool": v1.ROLE_TOOL,
}
_ROLE_NAMES = {value: key for key, value in _ROLES.items()}


class SessionStore:
    """A MemoryStore of definable whose entries are messages of the server: each pair of a session
    and a user is a session there, with the name that ``session_name`` gives."""

    def __init__(self, *, client: Client | None = None) -> None:
        self._client = client_or_default(client)
        self._initialized = False
        self._policies: dict[str, v1.Preset] = {}

    @staticmethod
    def session_name(session_id: str, user_id: str = _DEFAULT_USER) -> str:
        """Gives the name on the server: that of the session, and of the user unless it is
        ``default``."""
        names = [session_id] if user_id == _DEFAULT_USER else [session_id, user_id]
        return ":".join(name.replace("%", "%25").replace(":", "%3A") for name in names)

    async def initialize(self) -> None:
        """Does nothing: the server is there."""
        self._initialized = True

    async def close(self) -> None:
        """Does nothing: the entries stay."""
        self._initialized = False

    async def add(self, entry: MemoryEntry) -> None:
        """Adds an entry; it is on disk when the call returns."""
        await asyncio.to_thread(self._add, entry)

    def _add(self, entry: MemoryEntry) -> None:
        name = self.session_name(entry.session_id, entry.user_id)
        place = {"path": [_PLACES], "key": entry.memory_id, "value": name.encode()}
        owner = {"session_id": name, "user_id": entry.user_id}
        self._client.append(
            name,
            [_written(entry)],
            create_session=True,
            session={
                "user_id": entry.user_id,
                "labels": {_LABEL: _label(entry.session_id)},
                "policy": policy.definable(enabled=False),
            },
            session_update_mask=["user_id"],
            record_operations=[{"put": {"record": {**place, "owner": owner}}}],
        )

    async def get_entries(
        self, session_id: str, user_id: str = _DEFAULT_USER, limit: int | None = None
    ) -> list[MemoryEntry]:
        """Gives the entries of a session and a user by their time, or the oldest of them."""
        entries = await asyncio.to_thread(self._entries, session_id, user_id)
        entries.sort(key=lambda one: one.created_at or 0.0)
        return entries if limit is None else entries[:limit]

    def _entries(self, session_id: str, user_id: str) -> list[MemoryEntry]:
        """The entries as they are placed in the window."""
        name = self.session_name(session_id, user_id)
        try:
            window = self._client.window(name).messages
        except NotFound:
            return []
        has_summary = any(message.seq == 0 for message in window)
        placed = self._client.get_session(name).placed_summaries if has_summary else ()
        times = {one.placed_message_id: one.first_message_time for one in placed}
        entries = []
        for message in window:
            if message.seq > 0:
                entries.append(_read(message, session_id, user_id))
                continue
            stamp = times.get(message.message_id, message.create_time)
            when = stamp.seconds + stamp.nanos / _NANOS
            summary = MemoryEntry(session_id, message.message_id, user_id, "summary", message.text)
            summary.created_at = summary.updated_at = when
            entries.append(summary)
        return entries

    async def get_entry(self, memory_id: str) -> MemoryEntry | None:
        """Gives an entry; None for none."""
        return await asyncio.to_thread(self._entry, memory_id)

    def _entry(self, memory_id: str) -> MemoryEntry | None:
        name = self._place(memory_id)
        if name is None:
            return None
        parts = [part.replace("%3A", ":").replace("%25", "%") for part in name.split(":")]
        entries = self._entries(parts[0], parts[1] if len(parts) > 1 else _DEFAULT_USER)
        return next((one for one in entries if one.memory_id == memory_id), None)

    def _place(self, memory_id: str) -> str | None:
        try:
            return self._client.get_record(_PLACES, memory_id).value.decode()
        except NotFound:
            return None

    async def update(self, entry: MemoryEntry) -> None:
        """Changes an entry; one that is not there is left alone. A summary gets another id."""
        await asyncio.to_thread(self._update, entry)

    def _update(self, entry: MemoryEntry) -> None:
        name = self.session_name(entry.session_id, entry.user_id)
        written = _written(entry)
        try:
            if self._is_summary(name, entry.memory_id):
                self._place_summary(name, entry.content, [entry.memory_id])
                return
            self._client.update_message(
                name,
                entry.memory_id,
                update_mask=["text", "tool_calls", "tool_call_id", "provider_payload", "sent_time"],
                text=written.text,
                tool_calls=written.tool_calls,
                tool_call_id=written.tool_call_id,
                provider_payload=written.provider_payload,
                sent_time=written.sent_time,
            )
        except NotFound:
            return

    def _is_summary(self, name: str, memory_id: str) -> bool:
        placed = self._client.get_session(name).placed_summaries
        return any(one.placed_message_id == memory_id for one in placed)

    def _place_summary(self, name: str, text: str, replaced: Sequence[str]) -> None:
        """Puts a text in the place of entries, in one transaction."""
        cut = sound(text).encode()[:_SUMMARY_BYTES].decode("utf-8", "ignore")
        answer = self._client.set_summary(name, cut, replaced_message_ids=replaced, in_place=True)
        self._client.put_record(
            _PLACES,
            answer.placed.placed_message_id,
            name,
            session_id=name,
            user_id=answer.session.user_id or None,
        )

    async def delete(self, memory_id: str) -> None:
        """Deletes an entry, for good; one that is not there is none."""
        await asyncio.to_thread(self._delete, memory_id)

    def _delete(self, memory_id: str) -> None:
        name = self._place(memory_id)
        if name is None:
            return
        try:
            if self._is_summary(name, memory_id):
                # A text that stands for nothing takes the summary out of the window.
                self._client.set_summary(name, "", replaced_message_ids=[memory_id])
            else:
                self._client.delete_message(name, memory_id, allow_missing=True)
        except NotFound:
            pass
        self._client.delete_record(_PLACES, memory_id, allow_missing=True)

    async def delete_session(self, session_id: str, user_id: str | None = None) -> None:
        """Deletes all entries of a session, for good: those of a user, or of all users."""
        await asyncio.to_thread(self._delete_session, session_id, user_id)

    def _delete_session(self, session_id: str, user_id: str | None) -> None:
        if user_id is not None:
            self._delete_one(self.session_name(session_id, user_id))
            return
        wanted = {"labels": {_LABEL: _label(session_id)}}
        names = [one.session_id for one in self._client.list_sessions(filter=wanted)]
        own = self.session_name(session_id)
        for name in {own, *(one for one in names if one.startswith(f"{own}:"))}:
            self._delete_one(name)

    def _delete_one(self, name: str) -> None:
        try:
            ids = [message.message_id for message in self._client.list_messages(name)]
            summaries = self._client.list_summaries(name)
            ids.extend(one.placed_message_id for one in summaries if one.placed_message_id)
            self._client.delete_session(name)
        except NotFound:
            return
        self._policies.pop(name, None)
        for start in range(0, len(ids), _RECORDS):
            some = [{"path": [_PLACES], "key": one} for one in ids[start : start + _RECORDS]]
            self._client.write_records(
                [{"deletion": {"record": one, "allow_missing": True}} for one in some]
            )

    async def count(self, session_id: str, user_id: str = _DEFAULT_USER) -> int:
        """Counts the entries of a session and a user."""
        return await asyncio.to_thread(self._count, session_id, user_id)

    def _count(self, session_id: str, user_id: str) -> int:
        try:
            session = self._client.get_session(self.session_name(session_id, user_id))
        except NotFound:
            return 0
        return int(session.window_totals.message_count)

    def _middle(self, session_id: str, user_id: str, wanted: v1.Preset) -> list[str]:
        """The ids of the entries that a summary should replace, as the policy says."""
        name = self.session_name(session_id, user_id)
        if self._policies.get(name) != wanted:
            self._client.update_session(name, policy=wanted)
            self._policies[name] = wanted
        inputs = self._client.list_summary_inputs(name, stage="middle")
        return [message.message_id for message in inputs]

    async def __aenter__(self) -> SessionStore:
        await self.initialize()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


@dataclass
class Memory(_Memory):  # type: ignore[misc]
    """A Memory of definable whose entries are kept by a server, in a SessionStore.

    ``store`` may be another store of definable; then the server has no part in it.
    """

    store: Any = None
    client: Client | None = None

    async def _ensure_initialized(self) -> None:
        if self.store is None:
            self.store = SessionStore(client=self.client)
        await super()._ensure_initialized()

    async def _optimize_if_needed(self, session_id: str, user_id: str) -> None:
        store = self.store
        if not isinstance(store, SessionStore):
            await super()._optimize_if_needed(session_id, user_id)
            return
        if self.model is None or self.recent_count < 1:
            return
        if await store.count(session_id, user_id) <= self.max_messages:
            return
        wanted = policy.definable(
            max_messages=self.max_messages,
            pin_count=self.pin_count,
            recent_count=self.recent_count,
            hook="manual",
        )
        middle = await asyncio.to_thread(store._middle, session_id, user_id, wanted)
        # A summary takes the place of two entries at least.
        if len(middle) < 2:
            return
        entries = await asyncio.to_thread(store._entries, session_id, user_id)
        ids = [entry.memory_id for entry in entries]
        first = ids.index(middle[0])
        after = len(ids) - first - len(middle)
        strategy = SummarizeStrategy(pin_count=first, recent_count=after)
        made = await strategy.optimize(entries, self.model)
        name = store.session_name(session_id, user_id)
        try:
            await asyncio.to_thread(store._place_summary, name, made[first].content, middle)
        except NotFound:
            # Another process was first: its summary stands for them.
            return


def _label(session_id: str) -> str:
    return sound(session_id).encode()[:_LABEL_BYTES].decode("utf-8", "ignore")


def _calls(data: dict[str, Any]) -> list[v1.ToolCall]:
    calls = [call for call in data.get("tool_calls") or [] if isinstance(call, dict)]
    ids = call_ids([call.get("id") for call in calls])
    written = []
    for call, call_id in zip(calls, ids, strict=True):
        function = call.get("function") or {}
        given = function.get("arguments") or "{}"
        arguments = given if isinstance(given, str) else json.dumps(given, default=str)
        name = short(function.get("name") or "") or "unnamed"
        written.append(v1.ToolCall(tool_call_id=call_id, name=name, arguments=sound(arguments)))
    return written


def _written(entry: MemoryEntry) -> v1.Message:
    """An entry for the server. What the contract has no field for goes along as it is."""
    role = _ROLES.get(entry.role, v1.ROLE_SYSTEM)
    data = entry.message_data or {}
    written = v1.Message(message_id=entry.memory_id, role=role, text=sound(entry.content))
    if role == v1.ROLE_ASSISTANT:
        written.tool_calls.extend(_calls(data))
    if role == v1.ROLE_TOOL and data.get("tool_call_id"):
        written.tool_call_id = short(data["tool_call_id"])
    written.sent_time.FromNanoseconds(round((entry.created_at or 0.0) * _NANOS))
    kept = {"role": entry.role, "message_data": entry.message_data}
    kept.update(created_at=entry.created_at, updated_at=entry.updated_at)
    written.provider_payload.CopyFrom(payload_of(_SYSTEM, kept))
    return written


def _read(message: v1.Message, session_id: str, user_id: str) -> MemoryEntry:
    """A message of the server, which may be one that definable did not write."""
    entry = MemoryEntry(session_id, message.message_id, user_id, content=message.text)
    kept = kept_in(_SYSTEM, message)
    if kept is not None:
        entry.role, entry.message_data = kept["role"], kept["message_data"]
        entry.created_at, entry.updated_at = kept["created_at"], kept["updated_at"]
        return entry
    has_time = message.HasField("sent_time")
    stamp = message.sent_time if has_time else message.create_time
    entry.role = _ROLE_NAMES[message.role]
    entry.created_at = entry.updated_at = stamp.seconds + stamp.nanos / _NANOS
    calls = [
        {
            "id": call.tool_call_id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in message.tool_calls
    ]
    data: dict[str, Any] = {"role": entry.role, "content": entry.content}
    if calls:
        entry.message_data = {**data, "tool_calls": calls}
    elif message.tool_call_id:
        entry.message_data = {**data, "tool_call_id": message.tool_call_id}
    return entry
