"""The memories of selectools, kept by a server.

    from memorysidecar.compat.selectools import ConversationMemory

ConversationMemory has the limits, the order and the errors of selectools. Besides, it outlives its
process, keeps what leaves the window in a log that can be searched, and reports every trim as an
event. SessionStore takes the place of JsonFileSessionStore, SQLiteSessionStore and the others: an
agent saves its memory in it after each run. KnowledgeStore takes the place of FileKnowledgeStore
and SQLiteKnowledgeStore in a KnowledgeMemory, and TripleStore that of InMemoryTripleStore and
SQLiteTripleStore in a KnowledgeGraphMemory. They and EntityMemory keep memories, which Recall finds
and contexts include.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from typing import Any

from selectools.memory import ConversationMemory as _ConversationMemory
from selectools.types import Message

from .. import v1
from ..client import Client
from ._selectools_entities import EntityMemory
from ._selectools_messages import message_of, window_policy, written_of
from ._selectools_sessions import SaveLostError, SessionStore
from ._selectools_stores import KnowledgeStore, TripleStore
from ._shared import client_or_default, new_id, sound

__all__ = [
    "ConversationMemory",
    "EntityMemory",
    "KnowledgeStore",
    "SaveLostError",
    "SessionStore",
    "TripleStore",
]


class ConversationMemory(_ConversationMemory):  # type: ignore[misc]
    """A ConversationMemory of selectools whose messages are a session of the server.

    :param session_id: the session to go on with, or to begin. Default: a new one.
    """

    def __init__(
        self,
        max_messages: int = 20,
        max_tokens: int | None = None,
        *,
        session_id: str = "",
        client: Client | None = None,
    ) -> None:
        _ConversationMemory(max_messages, max_tokens)  # It refuses what selectools refuses.
        self.session_id = session_id or new_id()
        self._client = client_or_default(client)
        self._limits = (max_messages, max_tokens)
        self._has_new_limits = False
        self._open = False
        # A session that was named may exist already.
        self._named = session_id != ""
        # Callers compare messages by identity: those that this process added come back as they are.
        self._objects: dict[str, Message] = {}
        self._last_trimmed: list[Message] = []
        self._lock = threading.RLock()

    @property
    def max_messages(self) -> int:
        """Most messages of the window."""
        return self._limits[0]

    @max_messages.setter
    def max_messages(self, value: int) -> None:
        self._set_limits(value, self._limits[1])

    @property
    def max_tokens(self) -> int | None:
        """Most tokens of the window; None for no limit."""
        return self._limits[1]

    @max_tokens.setter
    def max_tokens(self, value: int | None) -> None:
        self._set_limits(self._limits[0], value)

    def _set_limits(self, max_messages: int, max_tokens: int | None) -> None:
        self._limits = (max_messages, max_tokens)
        # As in selectools, other limits take effect with the next message.
        self._has_new_limits = self._open

    def _policy(self) -> v1.Preset:
        return window_policy(*self._limits)

    def _session(self) -> str:
        """The session, which the first message begins."""
        if not self._open:
            self._client.ensure_session(self.session_id, policy=self._policy())
            self._open = True
        return self.session_id

    def _is_begun(self) -> bool:
        if not self._open and self._named:
            self._session()
        return self._open

    def add(self, message: Message) -> None:
        """Adds a message and enforces the limits, in one transaction."""
        self.add_many([message])

    def add_many(self, messages: list[Message]) -> None:
        """Adds messages and enforces the limits once, in one transaction."""
        with self._lock:
            trims = list(self._apply_limits())
            if len(messages) > 0:
                written = [written_of(message) for message in messages]
                answer = self._client.append(self._session(), written)
                for message, stored in zip(messages, answer.messages, strict=True):
                    self._objects[stored.message_id] = message
                trims.extend(answer.trims)
            left = [message_id for trim in trims for message_id in trim.message_ids]
            self._last_trimmed = [self._taken(message_id) for message_id in left]

    def _apply_limits(self) -> Iterable[v1.Trim]:
        if not self._has_new_limits:
            return []
        self._has_new_limits = False
        return self._client.update_session(self.session_id, policy=self._policy()).trims

    def _taken(self, message_id: str) -> Message:
        known = self._objects.pop(message_id, None)
        if known is not None:
            return known
        return message_of(self._client.get_message(self.session_id, message_id).message)

    def get_history(self) -> list[Message]:
        """Gives the messages of the window, the oldest first."""
        with self._lock:
            if not self._is_begun():
                return []
            window = self._client.window(self.session_id)
            # The summary is shown to models; here it has a property of its own.
            stored = [message for message in window.messages if message.seq > 0]
            for message in stored:
                if message.message_id not in self._objects:
                    self._objects[message.message_id] = message_of(message)
            return [self._objects[message.message_id] for message in stored]

    def get_recent(self, n: int) -> list[Message]:
        """Gives the newest messages of the window, the oldest of them first."""
        if n < 1:
            raise ValueError("n must be at least 1")
        return self.get_history()[-n:]

    @property
    def _messages(self) -> list[Message]:
        return self.get_history()

    def clear(self) -> None:
        """Deletes all messages and the summary, for good."""
        with self._lock:
            if self._is_begun():
                self._client.reset_session(self.session_id)
            self._objects.clear()
            self._last_trimmed = []

    @property
    def summary(self) -> str | None:
        """The summary of what left the window; None for none."""
        with self._lock:
            if not self._is_begun():
                return None
            return self._client.get_session(self.session_id).summary.text or None

    @summary.setter
    def summary(self, value: str | None) -> None:
        with self._lock:
            self._client.set_summary(self._session(), sound(value or ""))

    def to_dict(self) -> dict[str, Any]:
        """Gives the memory as the dictionary of selectools."""
        with self._lock:
            messages = self.get_history()
            return {
                "max_messages": self.max_messages,
                "max_tokens": self.max_tokens,
                "message_count": len(messages),
                "messages": [message.to_dict() for message in messages],
                "summary": self.summary,
            }

    @classmethod
    def from_dict(
        cls, data: dict[str, Any], *, session_id: str = "", client: Client | None = None
    ) -> ConversationMemory:
        """Makes a memory of the dictionary of selectools, in a session of its own."""
        made = cls.__new__(cls)
        ConversationMemory.__init__(made, session_id=session_id, client=client)
        made._limits = (data["max_messages"], data.get("max_tokens"))
        whole = [Message.from_dict(one) for one in data.get("messages", [])]
        document = {**data, "messages": [one.to_dict() for one in whole]}
        made._client.import_session(
            json.dumps(document).encode(), session_id=made.session_id, format="selectools"
        )
        made._open = True
        # Tool messages at the head are left out as they are loaded.
        window = made._client.window(made.session_id).messages
        stored = [message for message in window if message.seq > 0]
        newest = whole[len(whole) - len(stored) :]
        for message, one in zip(stored, newest, strict=True):
            made._objects[message.message_id] = one
        return made

    def branch(self) -> ConversationMemory:
        """Gives a copy that goes its own way: a fork of the session."""
        with self._lock:
            copied = ConversationMemory(*self._limits, client=self._client)
            if self._is_begun():
                history = self.get_history()
                self._client.fork_session(self.session_id, session_id=copied.session_id)
                copied._open = True
                copied._has_new_limits = self._has_new_limits
                window = self._client.window(copied.session_id).messages
                stored = [message for message in window if message.seq > 0]
                for message, one in zip(stored, history, strict=True):
                    copied._objects[message.message_id] = self._copy_message(one)
            return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> ConversationMemory:
        return self.branch()

    def __len__(self) -> int:
        with self._lock:
            if not self._is_begun():
                return 0
            return int(self._client.get_session(self.session_id).window_totals.message_count)

    def __repr__(self) -> str:
        return (
            f"ConversationMemory(max_messages={self.max_messages}, "
            f"max_tokens={self.max_tokens}, current_messages={len(self)})"
        )

    def __getstate__(self) -> dict[str, Any]:
        """The name of the session and the limits: the messages are on the server."""
        self._session()
        return {"session_id": self.session_id, "limits": self._limits}

    def __setstate__(self, state: dict[str, Any]) -> None:
        max_messages, max_tokens = state["limits"]
        ConversationMemory.__init__(self, session_id=state["session_id"])
        self._limits = (max_messages, max_tokens)
