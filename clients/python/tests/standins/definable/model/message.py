"""Messages with the fields of those of definable that its memory keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class Message:
    """Message of a conversation."""

    role: str
    content: Any = None
    tool_calls: list[dict[str, Any]] | None = None
    tool_call_id: str | None = None
