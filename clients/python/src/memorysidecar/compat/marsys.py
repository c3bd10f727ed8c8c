"""The conversation memories of MARSYS, kept by a server.

    from memorysidecar.compat.marsys import MemoryManager

The memories have the methods and errors of MARSYS. Besides, the raw history outlives its process
and is shared with others, and the server packs what a model reads: a call never without its
results.
"""

from __future__ import annotations

import dataclasses
import json
from base64 import b64decode
from typing import Any

from marsys.agents.memory import (
    AgentCallMsg,
    ManagedMemoryConfig,
    Message,
    ToolCallMsg,
)
from marsys.agents.memory import ConversationMemory as _ConversationMemory
from marsys.agents.memory import ManagedConversationMemory as _ManagedConversationMemory
from marsys.agents.memory import MemoryManager as _MemoryManager
from marsys.agents.memory_strategies import MemoryState

from .. import policy, v1
from ..client import Client
from ..errors import AlreadyExists, NotFound
from ._messages import StoredMessages
from ._shared import (
    call_ids,
    client_or_default,
    kept_in,
    new_id,
    payload_of,
    short,
    sound,
)

__all__ = ["ConversationMemory", "ManagedConversationMemory", "MemoryManager", "ServerMessages"]

_SYSTEM = "marsys"
_ROLES = {
    "user": v1.ROLE_USER,
    "assistant": v1.ROLE_ASSISTANT,
    "system": v1.ROLE_SYSTEM,
    "tool": v1.ROLE_TOOL,
}
_ROLE_NAMES = {value: key for key, value in _ROLES.items()}
_CONFIG = (
    *("max_total_tokens_trigger", "target_total_tokens", "min_retrieval_gap_steps"),
    *("min_retrieval_gap_tokens", "trigger_events", "cache_invalidation_events"),
    *("image_token_estimate", "enable_headroom_percent"),
)


class ServerMessages(StoredMessages[Message]):
    """A list of messages that is the log of a session: what is put into it is on disk."""

    def __init__(self, session_id: str, wanted: v1.Preset, client: Client | None) -> None:
        super().__init__()
        self.session_id = session_id or new_id()
        self.client = client_or_default(client)
        self._policy = wanted
        self._revision = -1
        # The messages as of that revision.
        self._stored: list[v1.Message] = []
        # Counts a message; None leaves it to the server.
        self.counter: Any = None

    def _read(self) -> list[v1.Message]:
        """The log, read again only if it has changed."""
        try:
            revision = self.client.get_session(self.session_id).revision
        except NotFound:
            self._stored, self._revision = [], -1
            return self._stored
        if revision != self._revision:
            self._stored = list(self.client.list_messages(self.session_id))
            self._revision = revision
        return self._stored

    def _object_of(self, stored: v1.Message) -> Message:
        return _read(stored)

    def copy(self) -> list[Message]:
        """Gives the messages as a list of the process."""
        return list(self)

    def append(self, value: Message) -> None:
        """Adds a message, in one transaction."""
        written = _written(value, self.counter)
        try:
            answer = self._append(written)
        except AlreadyExists:
            # A list may hold a message twice; here the second one has an id of its own.
            written.message_id = ""
            answer = self._append(written)
        self._objects[answer.messages[0].message_id] = value

    def _append(self, written: v1.Message) -> v1.AppendMessagesResponse:
        named = {"policy": self._policy}
        return self.client.append(
            self.session_id, [written], create_session=True, session=named, session_update_mask=[]
        )

    def insert(self, index: int, value: Message) -> None:
        """Refuses: messages come at the end of a log."""
        raise TypeError("the log of a session takes messages at its end only: use append")

    def __setitem__(self, index: Any, value: Any) -> None:
        stored = self._read()[index]
        written = _written(value, self.counter)
        fields: dict[str, Any] = {
            "name": written.name,
            "tool_calls": written.tool_calls if stored.role == v1.ROLE_ASSISTANT else [],
            "tool_call_id": written.tool_call_id if stored.role == v1.ROLE_TOOL else "",
            "provider_payload": written.provider_payload,
        }
        whole: dict[str, Any] = (
            {"parts": written.parts} if written.parts else {"text": written.text}
        )
        if self.counter is not None:
            fields["token_count"] = written.token_count
        mask = [*fields, *whole]
        self.client.update_message(
            self.session_id, stored.message_id, update_mask=mask, **fields, **whole
        )
        self._objects[stored.message_id] = value

    def __delitem__(self, index: Any) -> None:
        message_id = self._read()[index].message_id
        self.client.delete_message(self.session_id, message_id, allow_missing=True)
        self._objects.pop(message_id, None)

    def clear(self) -> None:
        """Deletes all messages, for good."""
        try:
            self.client.reset_session(self.session_id)
        except NotFound:
            return
        self._objects.clear()


class ConversationMemory(_ConversationMemory):  # type: ignore[misc]
    """A ConversationMemory of MARSYS whose messages are the log of a session.

    :param session_id: the session to go on with, or to begin. Default: a new one.
    """

    def __init__(
        self,
        description: str | None = None,
        *,
        session_id: str = "",
        client: Client | None = None,
    ) -> None:
        super().__init__()
        wanted = policy.marsys(memory_type="conversation_history")
        self.memory = ServerMessages(session_id, wanted, client)
        if description and len(self.memory) == 0:
            self.memory.append(Message(role="system", content=description))

    @property
    def session_id(self) -> str:
        """The session of the messages."""
        return str(self.memory.session_id)


class ManagedConversationMemory(_ManagedConversationMemory):  # type: ignore[misc]
    """A ManagedConversationMemory of MARSYS: the server packs what a model reads.

    A strategy that is given does its work in this process, on the messages of the server.
    """

    def __init__(
        self,
        config: ManagedMemoryConfig | None = None,
        trigger_strategy: Any = None,
        process_strategy: Any = None,
        retrieval_strategy: Any = None,
        description: str | None = None,
        *,
        session_id: str = "",
        client: Client | None = None,
    ) -> None:
        given = (trigger_strategy, process_strategy, retrieval_strategy)
        super().__init__(config, *given, description)
        self._has_strategies = any(one is not None for one in given)
        wanted = policy.preset("marsys", _options(self.config))
        self.raw_messages = ServerMessages(session_id, wanted, client)
        self.raw_messages.counter = self.token_counter

    @property
    def session_id(self) -> str:
        """The session of the messages."""
        return str(self.raw_messages.session_id)

    def _get_memory_state(self) -> MemoryState:
        if self._has_strategies:
            return super()._get_memory_state()
        # The server checks its triggers itself; MARSYS is told that there are none.
        return MemoryState([], 0, 0, 0, 0)

    def get_messages(self) -> list[dict[str, Any]]:
        """Gives the messages that go to a model, packed by the server."""
        if self._has_strategies:
            whole: list[dict[str, Any]] = super().get_messages()
            return whole
        messages = self.raw_messages
        try:
            window = messages.client.window(messages.session_id).messages
        except NotFound:
            return []
        return [self._message_to_dict(messages.message(stored)) for stored in window]

    def get_cache_stats(self) -> dict[str, Any]:
        """Gives the number of messages and of their tokens: the server has no cache of packed
        messages that would need others."""
        messages = self.raw_messages
        tokens = sum(stored.token_count for stored in messages._read())
        return {"raw_count": len(messages), "estimated_total_tokens": tokens}


class MemoryManager(_MemoryManager):  # type: ignore[misc]
    """A MemoryManager of MARSYS whose conversations are kept by a server.

    ``kg`` is that of MARSYS, in this process.
    """

    def __init__(
        self,
        memory_type: str = "conversation_history",
        description: str | None = None,
        model: Any = None,
        memory_config: ManagedMemoryConfig | None = None,
        token_counter: Any = None,
        *,
        session_id: str = "",
        client: Client | None = None,
    ) -> None:
        super().__init__(memory_type, description, model, memory_config, token_counter)
        kept: dict[str, Any] = {"session_id": session_id, "client": client}
        if memory_type == "conversation_history":
            self.memory_module = ConversationMemory(description, **kept)
        elif memory_type == "managed_conversation":
            config = self.memory_module.config
            self.memory_module = ManagedConversationMemory(config, description=description, **kept)


def _options(config: Any) -> dict[str, Any]:
    """The options of the profile for a configuration, of the first releases or the later ones."""
    later = getattr(config, "active_context", None)
    if later is None:
        return {name: getattr(config, name) for name in _CONFIG}
    if later.enabled and later.mode != "sliding_window":
        raise NotImplementedError('compaction is not offered here: use the mode "sliding_window"')
    packing = {"headroom_percent": later.sliding_window.headroom_percent}
    return {
        "threshold_tokens": config.threshold_tokens,
        "compaction_target_tokens": config.compaction_target_tokens,
        "active_context": {"mode": "sliding_window", "sliding_window": packing},
    }


def _image(url: str) -> v1.ContentPart | None:
    if url.startswith(("http://", "https://")):
        return v1.ContentPart(image=v1.Image(url=sound(url)))
    kind, _, encoded = url.removeprefix("data:").partition(";base64,")
    try:
        data = b64decode(encoded, validate=True)
    except ValueError:
        data = b""
    return v1.ContentPart(image=v1.Image(data=data, media_type=sound(kind))) if data else None


def _parts(message: Message) -> list[v1.ContentPart]:
    """The content as parts, if there are images that a model can be shown."""
    items = message.content if isinstance(message.content, list) else []
    parts: list[v1.ContentPart | None] = []
    for item in items:
        if isinstance(item, dict) and item.get("type") == "image_url":
            address = item.get("image_url")
            parts.append(_image(str(address.get("url") if isinstance(address, dict) else address)))
        elif isinstance(item, dict) and item.get("type") == "text":
            parts.append(v1.ContentPart(text=sound(item.get("text", ""))))
        else:
            parts.append(v1.ContentPart(text=sound(json.dumps(item, default=str))))
    if not items and message.images:
        text = message.content if isinstance(message.content, str) else ""
        parts = [v1.ContentPart(text=sound(text))] if text else []
        parts.extend(_image(url) for url in message.images)
    return [part for part in parts if part is not None]


def _written(message: Message, counter: Any) -> v1.Message:
    """A message for the server. What the contract has no field for goes along as it is."""
    content = message.content
    role = _ROLES.get(message.role, v1.ROLE_SYSTEM)
    written = v1.Message(role=role, name=short(message.name or ""))
    if short(message.message_id) == message.message_id:
        written.message_id = message.message_id
    parts = _parts(message)
    if parts:
        written.parts.extend(parts)
    elif content is not None:
        plain = content if isinstance(content, str) else json.dumps(content, default=str)
        written.text = sound(plain)
    if role == v1.ROLE_ASSISTANT:
        calls = message.tool_calls or []
        for call, call_id in zip(calls, call_ids([one.id for one in calls]), strict=True):
            arguments = sound(call.arguments)
            made = v1.ToolCall(tool_call_id=call_id, name=short(call.name), arguments=arguments)
            written.tool_calls.append(made)
    if role == v1.ROLE_TOOL and message.tool_call_id:
        written.tool_call_id = short(message.tool_call_id)
    if counter is not None:
        written.token_count = counter.count_message(message.to_llm_dict())
    whole = dataclasses.asdict(message)
    kept = {key: value for key, value in whole.items() if value is not None}
    written.provider_payload.CopyFrom(payload_of(_SYSTEM, kept))
    return written


def _read(stored: v1.Message) -> Message:
    """A message of the server, which may be one that MARSYS did not write."""
    kept = kept_in(_SYSTEM, stored)
    if kept is not None:
        for name, kind in (("tool_calls", ToolCallMsg), ("agent_calls", AgentCallMsg)):
            if name in kept:
                kept[name] = [kind(**one) for one in kept[name]]
        return Message(**kept)
    calls = [
        ToolCallMsg(one.tool_call_id, one.tool_call_id, "function", one.name, one.arguments)
        for one in stored.tool_calls
    ]
    text = stored.text or "".join(part.text for part in stored.parts)
    return Message(
        role=_ROLE_NAMES[stored.role],
        content=text,
        message_id=stored.message_id,
        name=stored.name or None,
        tool_calls=calls or None,
        tool_call_id=stored.tool_call_id or None,
    )
