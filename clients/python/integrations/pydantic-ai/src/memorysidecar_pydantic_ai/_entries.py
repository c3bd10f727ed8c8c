"""Entries of conversations as messages of a log.

The message of Pydantic AI, as its own adapter writes it, is the payload of ours, and reads give it
back unchanged. Text, calls and results are copied out of it, so that windows, recall and extraction
see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memorysidecar import v1
from memorysidecar.adapters.messages import Format, calls_of, cut_of, is_id, json_of, results_of
from pydantic_ai.conversation_store import ConversationEntry
from pydantic_ai.messages import ModelMessagesTypeAdapter

FORMAT = Format("pydantic-ai")


def payload_of(entry: ConversationEntry) -> bytes:
    """Writes the message of an entry."""
    return ModelMessagesTypeAdapter.dump_json([entry.message])


def message_of(entry: ConversationEntry, payload: bytes) -> dict[str, Any]:
    """Makes the message that keeps an entry. The texts of one that a record keeps are cut."""
    [message] = json.loads(payload)
    return {
        **_content_of(message, cut_of(payload)),
        "message_id": entry.id,
        "metadata": {FORMAT.provider: {"parent_id": entry.parent_id, "kind": entry.kind}},
        "provider_payload": FORMAT.payload_field(payload, entry.id),
    }


def entry_of(message: v1.Message, payload: bytes) -> ConversationEntry:
    """Gives the entry that a message keeps."""
    [kept] = ModelMessagesTypeAdapter.validate_json(payload)
    return ConversationEntry(id=message.message_id, parent_id=parent_of(message), message=kept)


def parent_of(message: v1.Message) -> str | None:
    """Gives the id of the entry before that of a message."""
    kept: Any = message.metadata[FORMAT.provider]
    parent: str | None = kept["parent_id"]
    return parent


def _content_of(message: Mapping[str, Any], cut: int | None) -> dict[str, Any]:
    is_response = message["kind"] == "response"
    texts: list[str] = []
    calls: list[tuple[Any, Any, Any]] = []
    answers: list[tuple[Any, str, bool]] = []
    kinds = set()
    for part in message["parts"]:
        kind, call_id = part["part_kind"], part.get("tool_call_id")
        kinds.add(kind)
        text = "\n".join(_texts_of(part.get("content")))[:cut]
        if kind == "tool-call":
            calls.append((call_id, part.get("tool_name"), part.get("args")))
        elif kind in ("tool-return", "retry-prompt") and is_id(call_id) and part.get("tool_name"):
            answers.append((call_id, text, kind == "retry-prompt"))
        elif kind in ("text", "user-prompt", "system-prompt", "retry-prompt"):
            texts.append(text)
    if is_response:
        text = "\n".join(filter(None, texts))[:cut]
        return {"role": "assistant", "text": text, "tool_calls": calls_of(calls, cut)}
    results = results_of(answers, cut)
    if results:
        parts: list[dict[str, Any]] = [{"text": text} for text in texts if text]
        parts += [{"tool_result": result} for result in results]
        return {"role": "user", "parts": parts}
    role = "system" if kinds == {"system-prompt"} else "user"
    return {"role": role, "text": "\n".join(filter(None, texts))[:cut]}


def _texts_of(content: Any) -> Iterable[str]:
    """Gives the texts of the content of a part: those between files, or other values as JSON."""
    if isinstance(content, list) and any(_is_file(one) for one in content):
        for one in content:
            if isinstance(one, str):
                yield one
            elif isinstance(one, Mapping) and one.get("kind") == "text":
                yield str(one.get("content"))
    elif isinstance(content, list) and all(isinstance(one, str) for one in content):
        yield from content
    elif content is not None and not _is_file(content):
        yield json_of(content)


def _is_file(content: Any) -> bool:
    return isinstance(content, Mapping) and isinstance(content.get("kind"), str)
