"""Items of the Responses API as messages of a log.

The item itself is the payload of its message, and reads give it back unchanged. Text and calls are
copied out of it, so that windows, recall and extraction see them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memorysidecar import v1
from memorysidecar.adapters.messages import is_id

PROVIDER = "openai.agents"
ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
ROLE_NAMES = {
    v1.ROLE_USER: "user",
    v1.ROLE_ASSISTANT: "assistant",
    v1.ROLE_SYSTEM: "system",
    v1.ROLE_TOOL: "assistant",
}


def message_of(item: Mapping[str, Any]) -> dict[str, Any]:
    """Makes the message that keeps an item."""
    payload = {
        "provider": PROVIDER,
        "media_type": "application/json",
        "data": json.dumps(item).encode(),
    }
    return {**_content_of(item), "provider_payload": payload}


def item_of(message: v1.Message) -> Any:
    """Gives the item that a message keeps. A message that the server or another client made, like a
    summary in a window, becomes an item with its text."""
    payload = message.provider_payload
    if payload.provider == PROVIDER:
        return json.loads(payload.data)
    texts = [message.text, *(part.text for part in message.parts)]
    return {"role": ROLE_NAMES[message.role], "content": "\n".join(filter(None, texts))}


def _content_of(item: Mapping[str, Any]) -> dict[str, Any]:
    kind = item.get("type", "message")
    role = item.get("role")
    call_id = item.get("call_id")
    has_call = is_id(call_id)
    if kind == "message" and role in ROLES:
        own = {} if ROLES[role] == role else {"provider_role": role}
        return {"role": ROLES[role], "text": _text_of(item.get("content")), **own}
    if kind == "function_call" and has_call and item.get("name"):
        arguments = item.get("arguments") or ""
        call = {"tool_call_id": call_id, "name": item["name"], "arguments": arguments}
        return {"role": "assistant", "tool_calls": [call]}
    if kind == "function_call_output" and has_call:
        return {"role": "tool", "tool_call_id": call_id, "text": _text_of(item.get("output"))}
    # Reasoning, compactions, calls of hosted tools: only the SDK reads them.
    return {"role": "assistant", "text": "", "provider_role": str(kind)[:63]}


def _text_of(content: Any) -> str:
    """Joins the texts of a content or an output."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, ensure_ascii=False)
    parts = (part for part in content if isinstance(part, Mapping))
    texts = (part.get("text") or part.get("refusal") for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))
