"""The messages of MARSYS, as the log of a session of the server."""

from __future__ import annotations

import dataclasses
import json
from base64 import b64decode
from typing import Any

from marsys.agents.memory import AgentCallMsg, Message, ToolCallMsg

from .. import v1
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

_SYSTEM = "marsys"
_ROLES = {
    "user": v1.ROLE_USER,
    "assistant": v1.ROLE_ASSISTANT,
    "system": v1.ROLE_SYSTEM,
    "tool": v1.ROLE_TOOL,
}
_ROLE_NAMES = {value: key for key, value in _ROLES.items()}


class ServerMessages(StoredMessages[Message]):
    """A list of messages that is the log of a session: what is put into it is on disk."""

    def __init__(
        self, session_id: str, wanted: v1.Policy | v1.Preset, client: Client | None
    ) -> None:
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

    def _seen(self) -> list[v1.Message]:
        """The messages that a caller who names a place has seen: others may have added and deleted
        some since. With what this list has added itself."""
        return self._stored if self._revision >= 0 else self._read()

    def _object_of(self, stored: v1.Message) -> Message:
        return message_of(stored)

    def copy(self) -> list[Message]:
        """Gives the messages as a list of the process."""
        return list(self)

    def append(self, value: Message) -> None:
        """Adds a message, in one transaction."""
        written = written_of(value, self.counter)
        try:
            answer = self._append(written)
        except AlreadyExists:
            # A list may hold a message twice; here the second one has an id of its own.
            written.message_id = ""
            answer = self._append(written)
        added = answer.messages[0]
        self._objects[added.message_id] = value
        if self._revision >= 0:
            written.message_id, written.seq = added.message_id, added.seq
            self._stored = [*self._stored, written]

    def _append(self, written: v1.Message) -> v1.AppendMessagesResponse:
        named = {"policy": self._policy}
        return self.client.append(
            self.session_id, [written], create_session=True, session=named, session_update_mask=[]
        )

    def insert(self, index: int, value: Message) -> None:
        """Refuses: messages come at the end of a log."""
        raise TypeError("the log of a session takes messages at its end only: use append")

    def __setitem__(self, index: Any, value: Any) -> None:
        self._replace(self._seen()[index], value)

    def _replace(self, stored: v1.Message, value: Message) -> None:
        """Changes a message, wherever it is by now."""
        written = written_of(value, self.counter)
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
        try:
            self.client.update_message(
                self.session_id, stored.message_id, update_mask=mask, **fields, **whole
            )
        except NotFound as error:
            raise IndexError("the message is gone: another process deleted it") from error
        self._objects[stored.message_id] = value

    def __delitem__(self, index: Any) -> None:
        self._delete(self._seen()[index].message_id)

    def _delete(self, message_id: str) -> None:
        """Deletes a message, wherever it is by now."""
        self.client.delete_message(self.session_id, message_id, allow_missing=True)
        self._objects.pop(message_id, None)
        self._stored = [one for one in self._stored if one.message_id != message_id]

    def clear(self) -> None:
        """Deletes all messages, for good."""
        try:
            self.client.reset_session(self.session_id)
        except NotFound:
            return
        self._objects.clear()


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


def written_of(message: Message, counter: Any) -> v1.Message:
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


def message_of(stored: v1.Message) -> Message:
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
