"""The state that strategies are told of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class MemoryState:
    """Messages and counts of a memory."""

    raw_messages: list[Any]
    estimated_tokens: int
    messages_since_last_retrieval: int
    tokens_since_last_retrieval: int
    last_retrieval_index: int
