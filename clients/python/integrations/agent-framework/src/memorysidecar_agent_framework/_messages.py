"""Messages of Agent Framework as messages of a log.

The message, as the framework writes it, is the payload of ours, and reads give it back unchanged.
Text, calls and results are copied out of it, so that windows, recall and extraction see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agent_framework import Message
from memorysidecar.adapters.messages import Format, calls_of, cut_of, json_of, parts_of, results_of

FORMAT = Format("agent-framework")
ROLES = ("user", "assistant", "system")


def payload_of(message: Message) -> bytes:
    """Writes a message."""
    return json.dumps(message.to_dict(), ensure_ascii=False).encode()


def message_of(payload: bytes) -> Message:
    """Reads a message."""
    return Message.from_dict(json.loads(payload))


def fields_of(payload: bytes, key: str) -> dict[str, Any]:
    """Makes the message of the log. The texts of one that a record with this key keeps are cut."""
    return {
        **_content_of(json.loads(payload), cut_of(payload)),
        "provider_payload": FORMAT.payload_field(payload, key),
    }


def _content_of(message: Mapping[str, Any], cut: int | None) -> dict[str, Any]:
    contents = message.get("contents") or ()
    role = str(message["role"])
    text = "\n".join(_texts_of(contents))[:cut]
    results = results_of(_results_in(contents), cut)
    if results:
        return {"role": "user", "parts": parts_of(text, results), "provider_role": role[:63]}
    calls = calls_of(_calls_in(contents), cut)
    if calls:
        return {"role": "assistant", "text": text, "tool_calls": calls}
    if role in ROLES:
        return {"role": role, "text": text}
    # Other roles are no instructions: they must not be kept in the window as a system message is.
    return {"role": "assistant", "text": text, "provider_role": role[:63]}


def _texts_of(contents: Iterable[Mapping[str, Any]]) -> list[str]:
    texts = (one.get("text") for one in contents if one.get("type") == "text")
    return [text for text in texts if isinstance(text, str) and text]


def _calls_in(contents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Any, Any, Any]]:
    for one in contents:
        if one.get("type") == "function_call" and not one.get("informational_only"):
            yield one.get("call_id"), one.get("name"), one.get("arguments")


def _results_in(contents: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Any, str, bool]]:
    for one in contents:
        if one.get("type") == "function_result":
            has_failed = one.get("exception") is not None
            yield one.get("call_id"), json_of(one.get("result")), has_failed
