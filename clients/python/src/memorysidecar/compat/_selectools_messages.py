"""Messages of selectools as those of a session, and back."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode

from selectools.types import ContentPart, Message, Role, ToolCall

from .. import policy, v1
from ._shared import WINDOW_MESSAGES, call_ids, kept_in, payload_of, short, sound

_SYSTEM = "selectools"
_TOKENS_MAX = 1_000_000_000
_ROLES = {
    Role.USER: v1.ROLE_USER,
    Role.ASSISTANT: v1.ROLE_ASSISTANT,
    Role.SYSTEM: v1.ROLE_SYSTEM,
    Role.TOOL: v1.ROLE_TOOL,
}
_ROLE_NAMES = {value: key for key, value in _ROLES.items()}


def window_policy(max_messages: int, max_tokens: int | None) -> v1.Preset:
    """The policy of a session with the limits of a memory."""
    tokens = None if max_tokens is None else min(max_tokens, _TOKENS_MAX)
    return policy.selectools(max_messages=min(max_messages, WINDOW_MESSAGES), max_tokens=tokens)


def _image(base64: str, media_type: str | None) -> v1.ContentPart:
    try:
        data = b64decode(base64, validate=True)
    except ValueError:
        data = b""
    if data == b"":
        return v1.ContentPart(text=sound(base64))
    return v1.ContentPart(image=v1.Image(data=data, media_type=sound(media_type or "")))


def _parts(message: Message) -> list[v1.ContentPart]:
    """The content of a message that is more than a text."""
    parts = [_image(message.image_base64, None)] if message.image_base64 else []
    for part in message.content_parts or []:
        if part.image_base64:
            parts.append(_image(part.image_base64, part.media_type))
        elif part.image_url:
            parts.append(v1.ContentPart(image=v1.Image(url=sound(part.image_url))))
        else:
            parts.append(v1.ContentPart(text=sound(part.text or "")))
    return parts


def _calls(message: Message) -> list[v1.ToolCall]:
    calls = message.tool_calls or []
    ids = call_ids([call.id for call in calls])
    return [
        v1.ToolCall(
            tool_call_id=call_id,
            name=short(call.tool_name) or "unnamed",
            arguments=json.dumps(call.parameters, default=str),
        )
        for call_id, call in zip(ids, calls, strict=True)
    ]


def written_of(message: Message) -> v1.Message:
    """A message for the server. What the contract has no field for goes along as it is."""
    content = message.content or ""
    text = sound(content)
    written = v1.Message(role=_ROLES[message.role], name=short(message.tool_name or ""))
    parts = _parts(message)
    if parts:
        shown = [v1.ContentPart(text=text)] if text else []
        written.parts.extend([*shown, *parts])
        # selectools counts the content alone.
        written.token_count = len(content) // 4
    else:
        written.text = text
    if message.role == Role.ASSISTANT:
        written.tool_calls.extend(_calls(message))
    if message.role == Role.TOOL and message.tool_call_id:
        written.tool_call_id = short(message.tool_call_id)
    whole = message.to_dict()
    if _of_others(written).to_dict() != whole:
        written.provider_payload.CopyFrom(payload_of(_SYSTEM, whole))
    return written


def _call_of(call: v1.ToolCall) -> ToolCall:
    try:
        given = json.loads(call.arguments or "{}")
    except ValueError:
        given = call.arguments
    parameters = given if isinstance(given, dict) else {"arguments": given}
    return ToolCall(call.name, parameters, call.tool_call_id)


def _part_of(part: v1.ContentPart) -> ContentPart:
    image = part.image
    if image.url:
        return ContentPart("image_url", image_url=image.url)
    if image.data:
        data = b64encode(image.data).decode()
        kind = image.media_type or None
        return ContentPart("image_base64", image_base64=data, media_type=kind)
    return ContentPart("text", text=part.text)


def _of_others(stored: v1.Message) -> Message:
    """A message that selectools did not write: its text, its images, and its calls."""
    shown = [part for part in stored.parts if part.text or part.HasField("image")]
    text = stored.text or "\n".join(part.text for part in shown if part.text)
    has_image = any(part.HasField("image") for part in shown)
    is_result = stored.role == v1.ROLE_TOOL and not stored.tool_error
    return Message(
        role=_ROLE_NAMES[stored.role],
        content=text,
        tool_name=stored.name or None,
        tool_result=text if is_result else None,
        tool_calls=[_call_of(call) for call in stored.tool_calls] or None,
        tool_call_id=stored.tool_call_id or None,
        content_parts=[_part_of(part) for part in shown] if has_image else None,
    )


def message_of(stored: v1.Message) -> Message:
    """A message of the server, for a process that did not write it."""
    kept = kept_in(_SYSTEM, stored)
    return _of_others(stored) if kept is None else Message.from_dict(kept)
