"""The base class of memories."""

from __future__ import annotations

import copy

from .types import Message


class ConversationMemory:
    """Checks of limits and copies of messages, which the drop-in class takes from selectools."""

    def __init__(self, max_messages: int = 20, max_tokens: int | None = None) -> None:
        if max_messages < 1:
            raise ValueError("max_messages must be at least 1")
        if max_tokens is not None and max_tokens < 1:
            raise ValueError("max_tokens must be at least 1")

    @staticmethod
    def _copy_message(message: Message) -> Message:
        return copy.deepcopy(message)
