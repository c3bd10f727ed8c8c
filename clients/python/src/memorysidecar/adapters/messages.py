"""Bounds of messages that keep what a framework wrote as their payload."""

from __future__ import annotations

from typing import Any

MAX_ID_BYTES = 256
MAX_PAYLOAD_BYTES = 458_752
"""A message takes 1 MiB, and holds its texts twice: as payload and as content."""
CUT_CHARS = 16_384
"""Of a text in the content of a message whose payload a record keeps."""


def is_id(text: Any) -> bool:
    """Tells whether the server takes a text as the id of a message or of a tool call."""
    return isinstance(text, str) and 0 < len(text.encode()) <= MAX_ID_BYTES and text.isprintable()
