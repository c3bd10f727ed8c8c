"""Events of the Agent Development Kit as messages of a log.

The event, as the kit writes it, is the payload of its message, and reads give it back
unchanged. Text, calls and results are copied out of it, so that windows, recall and extraction see
them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from google.adk.events.event import Event
from memorysidecar import v1
from memorysidecar.adapters.messages import Format, calls_of, cut_of, json_of, parts_of, results_of

FORMAT = Format("adk.event")


def payload_of(event: Event) -> bytes:
    """Writes an event."""
    return event.model_dump_json(exclude_none=True).encode()


def event_of(payload: bytes) -> Event:
    """Reads an event."""
    return Event.model_validate_json(payload)


def message_of(event: Event, payload: bytes) -> dict[str, Any]:
    """Makes the message that keeps an event. The texts of one that a record keeps are cut."""
    return {
        **_content_of(event, cut_of(payload)),
        "message_id": event.id,
        "sent_time": datetime.fromtimestamp(event.timestamp, UTC),
        "metadata": {FORMAT.provider: {"timestamp": repr(event.timestamp)}},
        "provider_payload": FORMAT.payload_field(payload, event.id),
    }


def timestamp_of(message: v1.Message) -> float:
    """Gives the time of the event that a message keeps, exactly."""
    kept: Any = message.metadata[FORMAT.provider]
    return float(kept["timestamp"])


def _content_of(event: Event, cut: int | None) -> dict[str, Any]:
    texts: list[str] = []
    calls: list[tuple[Any, Any, Any]] = []
    answers: list[tuple[Any, str, bool]] = []
    for part in (event.content and event.content.parts) or ():
        call, response = part.function_call, part.function_response
        if part.text and not part.thought:
            texts.append(part.text[:cut])
        elif call is not None:
            calls.append((call.id, call.name, call.args))
        elif response is not None:
            answers.append((response.id, json_of(response.response), False))
    text = "\n".join(texts)[:cut]
    results = results_of(answers, cut)
    if results:
        return {"role": "user", "parts": parts_of(text, results)}
    if event.author == "user":
        return {"role": "user", "text": text}
    return {"role": "assistant", "text": text, "tool_calls": calls_of(calls, cut)}
