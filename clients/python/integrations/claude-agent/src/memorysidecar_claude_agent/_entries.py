"""Entries of transcripts as messages of a log.

The entry itself is the payload of its message, and reads give it back unchanged. Text, calls and
results are copied out of it, so that windows, recall and extraction see them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memorysidecar.adapters.messages import CUT_CHARS, is_id

PROVIDER = "claude.transcript"
PARTED = "claude.transcript.parts"
"""Provider of a payload that names the records of an entry which is too large for a message."""
ROLES = ("user", "assistant")


def message_of(entry: Mapping[str, Any], payload: bytes) -> dict[str, Any]:
    """Makes the message that keeps an entry in its payload."""
    return _message(entry, PROVIDER, payload, None)


def parted_message_of(entry: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Makes the message of an entry that is kept in parts of this name. Its texts are cut."""
    return _message(entry, PARTED, name.encode(), CUT_CHARS)


def _message(
    entry: Mapping[str, Any], provider: str, payload: bytes, cut: int | None
) -> dict[str, Any]:
    message = {
        **_content_of(entry, cut),
        "provider_payload": {
            "provider": provider,
            "media_type": "application/json",
            "data": payload,
        },
    }
    if is_id(entry.get("uuid")):
        message["message_id"] = entry["uuid"]
    return message


def _content_of(entry: Mapping[str, Any], cut: int | None) -> dict[str, Any]:
    spoken = entry.get("message")
    role = spoken.get("role") if isinstance(spoken, Mapping) else None
    if not isinstance(spoken, Mapping) or role not in ROLES:
        # Titles, snapshots of files, summaries: only the SDK reads them.
        return {"role": "assistant", "text": "", "provider_role": str(entry.get("type", ""))[:63]}
    texts: list[str] = []
    # One call and one result for each id, as the contract has it.
    calls: dict[str, dict[str, Any]] = {}
    results: dict[str, dict[str, Any]] = {}
    for block in _blocks_of(spoken.get("content")):
        kind = block.get("type")
        call_id: Any = block.get("id" if kind == "tool_use" else "tool_use_id")
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"][:cut])
        elif kind == "tool_use" and role == "assistant" and is_id(call_id) and block.get("name"):
            arguments = json.dumps(block.get("input"), ensure_ascii=False)
            is_cut = cut is not None and len(arguments) > cut
            calls[call_id] = {
                "tool_call_id": call_id,
                "name": block["name"],
                "arguments": "" if is_cut else arguments,
            }
        elif kind == "tool_result" and role == "user" and is_id(call_id):
            found = (part.get("text") for part in _blocks_of(block.get("content")))
            results[call_id] = {
                "tool_call_id": call_id,
                "text": "\n".join(text for text in found if isinstance(text, str))[:cut],
                "error": bool(block.get("is_error")),
            }
    if results:
        parts: list[dict[str, Any]] = [{"text": text} for text in texts]
        parts += [{"tool_result": result} for result in results.values()]
        return {"role": "user", "parts": parts}
    return {"role": role, "text": "\n".join(texts)[:cut], "tool_calls": list(calls.values())}


def _blocks_of(content: Any) -> list[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, Mapping)]
