"""The base class of memories, which alone is what a session store gives."""

from __future__ import annotations

import copy
from typing import Any

from .types import Message


class ConversationMemory:
    """Checks of limits and copies of messages, which the drop-in class takes from selectools."""

    _document: dict[str, Any]

    def __init__(self, max_messages: int = 20, max_tokens: int | None = None) -> None:
        if max_messages < 1:
            raise ValueError("max_messages must be at least 1")
        if max_tokens is not None and max_tokens < 1:
            raise ValueError("max_tokens must be at least 1")

    def to_dict(self) -> dict[str, Any]:
        """The document that it was made of."""
        return self._document

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ConversationMemory:
        """A memory that only holds its document."""
        made = cls(data["max_messages"], data["max_tokens"])
        made._document = {**data, "message_count": len(data["messages"])}
        return made

    @staticmethod
    def _copy_message(message: Message) -> Message:
        return copy.deepcopy(message)
