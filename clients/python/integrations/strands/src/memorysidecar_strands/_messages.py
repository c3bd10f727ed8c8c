"""Messages of Strands as messages of a log.

The message, as Strands writes it, is the payload of ours, and reads give it back unchanged. Text,
calls and results are copied out of it, so that windows, recall and extraction see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memorysidecar.adapters.messages import CUT_CHARS, MAX_PAYLOAD_BYTES, is_id
from strands.types.session import SessionMessage

PROVIDER = "strands"
IN_RECORD = "strands.record"
"""Provider of the payload of a message that is too large for one: a record keeps it."""
OWN = (PROVIDER, IN_RECORD)
"""Other programs can append to the log as well. Their messages have other providers, or none."""


def payload_of(message: SessionMessage) -> bytes:
    """Writes a message, with bytes in Base64."""
    return json.dumps(message.to_dict(), ensure_ascii=False).encode()


def session_message_of(payload: bytes) -> SessionMessage:
    """Reads a message."""
    return SessionMessage.from_dict(json.loads(payload))


def fields_of(message: SessionMessage, payload: bytes) -> dict[str, Any]:
    """Makes the fields of the message of the log. The texts of one that a record keeps are cut."""
    in_record = len(payload) > MAX_PAYLOAD_BYTES
    return {
        **_content_of(message.to_message(), CUT_CHARS if in_record else None),
        "provider_payload": {
            "provider": IN_RECORD if in_record else PROVIDER,
            "media_type": "application/json",
            "data": str(message.message_id).encode() if in_record else payload,
        },
    }


def texts_of(content: Iterable[Mapping[str, Any]]) -> list[str]:
    """Gives the texts of a content, without those of calls and results."""
    return [block["text"] for block in content if isinstance(block.get("text"), str)]


def _content_of(message: Mapping[str, Any], cut: int | None) -> dict[str, Any]:
    content = message["content"]
    text = "\n".join(filter(None, texts_of(content)))[:cut]
    if message["role"] == "assistant":
        return {"role": "assistant", "text": text, "tool_calls": _calls_of(content, cut)}
    results = _results_of(content, cut)
    if not results:
        return {"role": "user", "text": text}
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    return {"role": "user", "parts": [*parts, *({"tool_result": one} for one in results)]}


def _calls_of(content: Iterable[Mapping[str, Any]], cut: int | None) -> list[dict[str, Any]]:
    """Gives the calls of a message: one for each id, as the contract has it."""
    calls = {}
    for block in content:
        call = block.get("toolUse")
        if call and call.get("name") and is_id(call.get("toolUseId")):
            arguments = _json_of(call.get("input"))
            if cut is not None and len(arguments) > cut:
                arguments = ""
            call_id = call["toolUseId"]
            calls[call_id] = {
                "tool_call_id": call_id,
                "name": call["name"],
                "arguments": arguments,
            }
    return list(calls.values())


def _results_of(content: Iterable[Mapping[str, Any]], cut: int | None) -> list[dict[str, Any]]:
    results = {}
    for block in content:
        result = block.get("toolResult")
        if result and is_id(result.get("toolUseId")):
            parts = result.get("content") or ()
            texts = [*texts_of(parts), *(_json_of(one["json"]) for one in parts if "json" in one)]
            results[result["toolUseId"]] = {
                "tool_call_id": result["toolUseId"],
                "text": "\n".join(texts)[:cut],
                "error": result.get("status") == "error",
            }
    return list(results.values())


def _json_of(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
