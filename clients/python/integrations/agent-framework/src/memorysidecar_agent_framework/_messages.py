"""Messages of Agent Framework as messages of a log.

The message, as the framework writes it, is the payload of ours, and reads give it back unchanged.
Text, calls and results are copied out of it, so that windows, recall and extraction see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from agent_framework import Message
from memorysidecar.adapters.messages import CUT_CHARS, MAX_PAYLOAD_BYTES, is_id

PROVIDER = "agent-framework"
IN_RECORD = "agent-framework.record"
"""Provider of the payload of a message that is too large for one: a record keeps it."""
OWN = (PROVIDER, IN_RECORD)
"""Other programs can append to the log as well. Their messages have other providers, or none."""
ROLES = ("user", "assistant", "system")


def payload_of(message: Message) -> bytes:
    """Writes a message."""
    return json.dumps(message.to_dict(), ensure_ascii=False).encode()


def message_of(payload: bytes) -> Message:
    """Reads a message."""
    return Message.from_dict(json.loads(payload))


def fields_of(payload: bytes, key: str) -> dict[str, Any]:
    """Makes the message of the log. The texts of one that a record with this key keeps are cut."""
    in_record = len(payload) > MAX_PAYLOAD_BYTES
    return {
        **_content_of(json.loads(payload), CUT_CHARS if in_record else None),
        "provider_payload": {
            "provider": IN_RECORD if in_record else PROVIDER,
            "media_type": "application/json",
            "data": key.encode() if in_record else payload,
        },
    }


def _content_of(message: Mapping[str, Any], cut: int | None) -> dict[str, Any]:
    contents = message.get("contents") or ()
    role = str(message["role"])
    text = "\n".join(_texts_of(contents))[:cut]
    results = _results_of(contents, cut)
    if results:
        parts: list[dict[str, Any]] = [{"text": text}] if text else []
        parts += [{"tool_result": result} for result in results]
        return {"role": "user", "parts": parts, "provider_role": role[:63]}
    calls = _calls_of(contents, cut)
    if calls:
        return {"role": "assistant", "text": text, "tool_calls": calls}
    if role in ROLES:
        return {"role": role, "text": text}
    # Other roles are no instructions: they must not be kept in the window as a system message is.
    return {"role": "assistant", "text": text, "provider_role": role[:63]}


def _texts_of(contents: Iterable[Mapping[str, Any]]) -> list[str]:
    texts = (one.get("text") for one in contents if one.get("type") == "text")
    return [text for text in texts if isinstance(text, str) and text]


def _calls_of(contents: Iterable[Mapping[str, Any]], cut: int | None) -> list[dict[str, Any]]:
    """Gives the calls of a message: one for each id, as the contract has it."""
    calls = {}
    for one in contents:
        is_call = one.get("type") == "function_call" and not one.get("informational_only")
        call_id = one.get("call_id")
        if is_call and one.get("name") and is_id(call_id):
            arguments = _json_of(one.get("arguments"))
            if cut is not None and len(arguments) > cut:
                arguments = ""
            calls[call_id] = {
                "tool_call_id": call_id,
                "name": one["name"],
                "arguments": arguments,
            }
    return list(calls.values())


def _results_of(contents: Iterable[Mapping[str, Any]], cut: int | None) -> list[dict[str, Any]]:
    results = {}
    for one in contents:
        call_id = one.get("call_id")
        if one.get("type") == "function_result" and is_id(call_id):
            text = _json_of(one.get("result"))[:cut]
            has_failed = one.get("exception") is not None
            results[call_id] = {"tool_call_id": call_id, "text": text, "error": has_failed}
    return list(results.values())


def _json_of(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
