"""Messages of Strands as messages of a log.

The message, as Strands writes it, is the payload of ours, and reads give it back unchanged. Text,
calls and results are copied out of it, so that windows, recall and extraction see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memorysidecar.adapters.messages import Format, calls_of, cut_of, json_of, parts_of, results_of
from strands.types.session import SessionMessage

FORMAT = Format("strands")


def payload_of(message: SessionMessage) -> bytes:
    """Writes a message, with bytes in Base64."""
    return json.dumps(message.to_dict(), ensure_ascii=False).encode()


def session_message_of(payload: bytes) -> SessionMessage:
    """Reads a message."""
    return SessionMessage.from_dict(json.loads(payload))


def fields_of(message: SessionMessage, payload: bytes) -> dict[str, Any]:
    """Makes the fields of the message of the log. The texts of one that a record keeps are cut."""
    return {
        **_content_of(message.to_message(), cut_of(payload)),
        "provider_payload": FORMAT.payload_field(payload, str(message.message_id)),
    }


def texts_of(content: Iterable[Mapping[str, Any]]) -> list[str]:
    """Gives the texts of a content, without those of calls and results."""
    return [block["text"] for block in content if isinstance(block.get("text"), str)]


def _content_of(message: Mapping[str, Any], cut: int | None) -> dict[str, Any]:
    content = message["content"]
    text = "\n".join(filter(None, texts_of(content)))[:cut]
    if message["role"] == "assistant":
        calls = calls_of(_calls_in(content), cut)
        return {"role": "assistant", "text": text, "tool_calls": calls}
    results = results_of(_results_in(content), cut)
    if not results:
        return {"role": "user", "text": text}
    return {"role": "user", "parts": parts_of(text, results)}


def _calls_in(content: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Any, Any, Any]]:
    for block in content:
        call = block.get("toolUse")
        if call:
            yield call.get("toolUseId"), call.get("name"), call.get("input")


def _results_in(content: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Any, str, bool]]:
    for block in content:
        result = block.get("toolResult")
        if result:
            parts = result.get("content") or ()
            texts = [*texts_of(parts), *(json_of(one["json"]) for one in parts if "json" in one)]
            yield result.get("toolUseId"), "\n".join(texts), result.get("status") == "error"
