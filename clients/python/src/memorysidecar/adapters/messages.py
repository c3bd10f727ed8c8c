"""Messages that keep what a framework wrote as their payload: their bounds, and what is copied out
of the payload, so that windows, recall and extraction see it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from .. import v1

T = TypeVar("T")

MAX_ID_BYTES = 256
MAX_PAYLOAD_BYTES = 458_752
"""A message takes 1 MiB, and holds its texts twice: as payload and as content."""
CUT_CHARS = 16_384
"""Of a text in the content of a message whose payload a record keeps."""
BATCH_BYTES = 3 * 1024 * 1024
BATCH_MESSAGES = 1_000


def is_id(text: Any) -> bool:
    """Tells whether the server takes a text as the id of a message or of a tool call."""
    return isinstance(text, str) and 0 < len(text.encode()) <= MAX_ID_BYTES and text.isprintable()


class Format(NamedTuple):
    """The payloads that an integration writes. A record keeps those too large for a message, which
    then has the key of the record. Other programs can append to the same log: their messages have
    other providers, or none."""

    provider: str

    @property
    def in_record(self) -> str:
        """Provider of a payload that is the key of a record."""
        return f"{self.provider}.record"

    def payload_field(self, payload: bytes, key: str) -> dict[str, Any]:
        """Makes the payload of a message: JSON of the framework, or the key of its record."""
        is_large = is_too_large(payload)
        return {
            "provider": self.in_record if is_large else self.provider,
            "media_type": "application/json",
            "data": key.encode() if is_large else payload,
        }

    def is_own(self, message: v1.Message) -> bool:
        """Tells whether the integration wrote a message."""
        return message.provider_payload.provider in (self.provider, self.in_record)

    def key_of(self, message: v1.Message) -> str | None:
        """Gives the key of the record that keeps the payload; None if the message has it."""
        found = message.provider_payload
        return found.data.decode() if found.provider == self.in_record else None


def is_too_large(payload: bytes) -> bool:
    """Tells whether a record must keep a payload."""
    return len(payload) > MAX_PAYLOAD_BYTES


def cut_of(payload: bytes) -> int | None:
    """Gives the characters to which the texts of a message are cut, if they are."""
    return CUT_CHARS if is_too_large(payload) else None


def calls_of(calls: Iterable[tuple[Any, Any, Any]], cut: int | None) -> list[dict[str, Any]]:
    """Makes calls of tools of their ids, names and arguments: one for each id, as the contract has
    it. Arguments that would be cut are left out: a part of them is no JSON."""
    made = {}
    for call_id, name, value in calls:
        if name and is_id(call_id):
            arguments = json_of(value)
            if cut is not None and len(arguments) > cut:
                arguments = ""
            made[call_id] = {"tool_call_id": call_id, "name": name, "arguments": arguments}
    return list(made.values())


def results_of(results: Iterable[tuple[Any, str, bool]], cut: int | None) -> list[dict[str, Any]]:
    """Makes results of tools of their ids, texts and failures: one for each id."""
    made = {}
    for call_id, text, has_failed in results:
        if is_id(call_id):
            made[call_id] = {"tool_call_id": call_id, "text": text[:cut], "error": has_failed}
    return list(made.values())


def parts_of(text: str, results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Makes the parts of a message that has results of tools."""
    texts: list[dict[str, Any]] = [{"text": text}] if text else []
    return [*texts, *({"tool_result": one} for one in results)]


def json_of(value: Any) -> str:
    """Writes a value as JSON. A text stays as it is, and None becomes the empty text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def batches(items: Iterable[tuple[T, bytes]]) -> Iterator[list[tuple[T, bytes]]]:
    """Splits items with their payloads into appends that the server takes. Most need only one."""
    batch: list[tuple[T, bytes]] = []
    size = 0
    for item, payload in items:
        # Texts are kept twice: in the payload and as the content of the message.
        length = 2 * min(len(payload), MAX_PAYLOAD_BYTES) + 1_024
        if batch and (len(batch) == BATCH_MESSAGES or size + length > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append((item, payload))
        size += length
    if batch:
        yield batch
