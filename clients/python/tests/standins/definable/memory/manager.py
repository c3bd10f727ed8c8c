"""The base class of memories: how messages become entries, and entries messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from definable.memory.types import MemoryEntry
from definable.model.message import Message


@dataclass
class Memory:
    """Behavior that the drop-in class takes from definable."""

    store: Any = None
    model: Any = None
    enabled: bool = True
    max_messages: int = 100
    pin_count: int = 2
    recent_count: int = 5
    description: str | None = None

    async def _ensure_initialized(self) -> None:
        await self.store.initialize()

    async def _optimize_if_needed(self, session_id: str, user_id: str) -> None:
        """Other stores are summarized by definable."""

    async def add(
        self, message: Message, session_id: str = "default", user_id: str = "default"
    ) -> None:
        """Stores a message, and its calls or the call that it answers."""
        if not self.enabled:
            return
        await self._ensure_initialized()
        content = (
            message.content if isinstance(message.content, str) else str(message.content or "")
        )
        entry = MemoryEntry(session_id, user_id=user_id, role=message.role, content=content)
        for name in ("tool_calls", "tool_call_id"):
            if getattr(message, name) and entry.message_data is None:
                data = {"role": message.role, "content": content}
                entry.message_data = {**data, name: getattr(message, name)}
        await self.store.add(entry)
        await self._optimize_if_needed(session_id, user_id)

    async def get_entries(
        self, session_id: str, user_id: str = "default", limit: int | None = None
    ) -> list[MemoryEntry]:
        """All entries, or the newest."""
        await self._ensure_initialized()
        entries: list[MemoryEntry] = await self.store.get_entries(session_id, user_id)
        return entries if limit is None else entries[-limit:]

    async def get_context_messages(
        self, session_id: str, user_id: str = "default"
    ) -> list[Message]:
        """The entries as messages."""
        messages = []
        for entry in await self.get_entries(session_id, user_id):
            whole = entry.message_data or {"role": entry.role, "content": entry.content}
            messages.append(Message(**whole))
            if entry.role == "summary":
                messages[-1].role = "system"
        return messages

    async def update(self, memory_id: str, content: str) -> None:
        """Changes the content of an entry."""
        entry = await self.store.get_entry(memory_id)
        if entry is not None:
            entry.content = content
            await self.store.update(entry)

    async def delete(self, memory_id: str) -> None:
        """Deletes an entry."""
        await self.store.delete(memory_id)

    async def clear(self, session_id: str) -> None:
        """Deletes a session."""
        await self.store.delete_session(session_id)
