"""Bounds of messages that keep what a framework wrote as their payload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

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
