"""Events of the Agent Development Kit as messages of a log.

The event, as the kit writes it, is the payload of its message, and reads give it back
unchanged. Text, calls and results are copied out of it, so that windows, recall and extraction see
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from google.adk.events.event import Event
from memorysidecar import v1
from memorysidecar.adapters.messages import CUT_CHARS, MAX_PAYLOAD_BYTES, is_id

PROVIDER = "adk.event"
IN_RECORD = "adk.event.record"
"""Provider of the payload of an event that is too large for a message: a record keeps it."""


def payload_of(event: Event) -> bytes:
    """Writes an event."""
    return event.model_dump_json(exclude_none=True).encode()


def event_of(payload: bytes) -> Event:
    """Reads an event."""
    return Event.model_validate_json(payload)


def message_of(event: Event, payload: bytes) -> dict[str, Any]:
    """Makes the message that keeps an event. The texts of one that a record keeps are cut."""
    in_record = len(payload) > MAX_PAYLOAD_BYTES
    return {
        **_content_of(event, CUT_CHARS if in_record else None),
        "message_id": event.id,
        "sent_time": datetime.fromtimestamp(event.timestamp, UTC),
        "metadata": {PROVIDER: {"timestamp": repr(event.timestamp)}},
        "provider_payload": {
            "provider": IN_RECORD if in_record else PROVIDER,
            "media_type": "application/json",
            "data": event.id.encode() if in_record else payload,
        },
    }


def timestamp_of(message: v1.Message) -> float:
    """Gives the time of the event that a message keeps, exactly."""
    kept: Any = message.metadata[PROVIDER]
    return float(kept["timestamp"])


def _content_of(event: Event, cut: int | None) -> dict[str, Any]:
    texts: list[str] = []
    # One call and one result for each id, as the contract has it.
    calls: dict[str, dict[str, Any]] = {}
    results: dict[str, dict[str, Any]] = {}
    for part in (event.content and event.content.parts) or ():
        call, response = part.function_call, part.function_response
        if part.text and not part.thought:
            texts.append(part.text[:cut])
        elif call is not None and call.name and is_id(call.id):
            arguments = _json_of(call.args)
            is_cut = cut is not None and len(arguments) > cut
            calls[str(call.id)] = {
                "tool_call_id": call.id,
                "name": call.name,
                "arguments": "" if is_cut else arguments,
            }
        elif response is not None and is_id(response.id):
            text = _json_of(response.response)[:cut]
            results[str(response.id)] = {"tool_call_id": response.id, "text": text}
    text = "\n".join(texts)[:cut]
    if results:
        parts: list[dict[str, Any]] = [{"text": text}] if text else []
        parts += [{"tool_result": result} for result in results.values()]
        return {"role": "user", "parts": parts}
    if event.author == "user":
        return {"role": "user", "text": text}
    return {"role": "assistant", "text": text, "tool_calls": list(calls.values())}


def _json_of(value: Mapping[str, Any] | None) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
