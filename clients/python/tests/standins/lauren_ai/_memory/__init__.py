"""Memories of lauren-ai."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

# Text of the answer for a call that the conversation left open.
_INTERRUPTED_CONTENT = (
    "[Tool execution was interrupted before a result was received. "
    "The tool may or may not have completed. "
    "Decide whether to retry or proceed without this result.]"
)


def _enforce_char_budget(messages: list[Any], budget: int) -> list[Any]:
    """Cuts nothing: the recorded texts are short."""
    return messages


@dataclass
class MemoryResult:
    """A document that a search found."""

    id: str
    content: str
    score: float
    metadata: dict[str, Any]


class ShortTermMemory:
    """A memory over a list: what the drop-in class takes from lauren-ai."""

    _CHARS_PER_TOKEN = 4

    def __init__(self, max_tokens: int = 40_000) -> None:
        self._max_tokens = max_tokens
        self._messages: Any = []
        self._summary: str | None = None

    def _safe_keep_recent(self, keep_recent: int) -> int:
        """Named for the releases that have it."""
        return keep_recent

    def add_user(self, content: Any) -> None:
        """Adds what a user says."""
        self._messages.append({"role": "user", "content": content})

    def add_assistant(self, completion: dict[str, Any]) -> None:
        """Adds what a model says."""
        self._messages.append(completion)

    def set_summary(self, text: str) -> None:
        """Sets the summary."""
        self._summary = text

    @property
    def summary(self) -> str | None:
        """The summary."""
        return self._summary

    def clear(self) -> None:
        """Deletes all messages."""
        self._messages.clear()

    def snapshot(self) -> dict[str, Any]:
        """The messages and the summary as data."""
        return {"messages": copy.deepcopy(self._messages), "summary": self._summary}

    def restore(self, data: dict[str, Any]) -> None:
        """Takes the messages and the summary of a snapshot."""
        self._messages = list(data["messages"])
        self._summary = data["summary"]

    def __len__(self) -> int:
        return len(self._messages)
