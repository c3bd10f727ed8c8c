"""Messages of LlamaIndex as messages of a log.

The message, as LlamaIndex writes it, is the payload of ours, and reads give it back unchanged.
Text, calls and results are copied out of it, so that windows, recall and extraction see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.schema import ImageDocument
from memorysidecar.adapters.messages import Format, calls_of, cut_of, is_id, json_of

FORMAT = Format("llama-index")
ROLES = {
    "user": "user",
    "assistant": "assistant",
    "chatbot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
}
IMAGES = "images"
"""Key of arguments that hold documents, which LlamaIndex writes, but does not read."""


def payload_of(message: ChatMessage) -> bytes:
    """Writes a message.

    :raises ValueError: for numbers that JSON does not have, which LlamaIndex writes as null.
    """
    try:
        json.dumps(message.model_dump(), default=str, allow_nan=False)
        return json.dumps(message.model_dump(mode="json"), ensure_ascii=False).encode()
    except ValueError as error:
        raise ValueError(f"the message of the {message.role.value} is no JSON: {error}") from error


def chat_message_of(payload: bytes) -> ChatMessage:
    """Reads a message."""
    written = json.loads(payload)
    images = written["additional_kwargs"].pop(IMAGES, None)
    message = ChatMessage.model_validate(written)
    if images is not None:
        message.additional_kwargs[IMAGES] = [ImageDocument.from_dict(one) for one in images]
    return message


def fields_of(payload: bytes, key: str) -> dict[str, Any]:
    """Makes the message of the log. The texts of one that a record with this key keeps are cut."""
    return {
        "message_id": key,
        **_content_of(json.loads(payload), cut_of(payload)),
        "provider_payload": FORMAT.payload_field(payload, key),
    }


def _content_of(message: Mapping[str, Any], cut: int | None) -> dict[str, Any]:
    role = message["role"]
    text = "\n".join(filter(None, _texts_in(message["blocks"])))[:cut]
    call_id = message["additional_kwargs"].get("tool_call_id")
    if role in ("tool", "function") and is_id(call_id):
        return {"role": "tool", "tool_call_id": call_id, "text": text}
    own = {} if ROLES.get(role) == role else {"provider_role": role}
    # A result without a call is no instruction: it must not stay in the window as a system message.
    made = {"role": ROLES.get(role, "assistant"), "text": text, **own}
    calls = calls_of(_calls_in(message), cut) if made["role"] == "assistant" else []
    return {**made, "tool_calls": calls} if calls else made


def _texts_in(blocks: list[dict[str, Any]]) -> Iterator[str]:
    for block in blocks:
        if block["block_type"] == "text":
            yield block["text"]
        elif isinstance(block.get("content"), list):
            yield from _texts_in(block["content"])


def _calls_in(message: Mapping[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Gives the calls of the blocks, and those that older models leave in the arguments."""
    for block in message["blocks"]:
        if block["block_type"] == "tool_call":
            yield block["tool_call_id"], block["tool_name"], block["tool_kwargs"]
    given = message["additional_kwargs"].get("tool_calls")
    for call in given if isinstance(given, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield call.get("id"), function.get("name"), json_of(function.get("arguments"))
