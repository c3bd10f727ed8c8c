"""Asks a model for a summary of the entries between the first and the newest."""

from __future__ import annotations

from typing import Any

from definable.memory.types import MemoryEntry
from definable.model.message import Message


class SummarizeStrategy:
    """Marks the parts of its question as definable does; the words about them are others."""

    def __init__(self, pin_count: int = 2, recent_count: int = 3) -> None:
        self.counts = (pin_count, recent_count)

    async def optimize(self, entries: list[MemoryEntry], model: Any) -> list[MemoryEntry]:
        """The entries with one summary in the middle."""
        first, after = self.counts[0], len(entries) - self.counts[1]
        prior = [
            f"Previous summary: {one.content}" for one in entries[:first] if one.role == "summary"
        ]
        known = "Prior context:\n" + "\n".join(prior) + "\n\n" if prior else ""
        lines = "\n".join(f"{one.role}: {one.content}" for one in entries[first:after])
        question = Message(
            "user", f"{known}Conversation to summarize:\n{lines}\n\nWrite a summary."
        )
        try:
            answer = await model.ainvoke(messages=[question], assistant_message=None)
            content = answer.content
        except RuntimeError:
            content = ""
        placeholder = f"Summary of {after - first} messages."
        summary = MemoryEntry(
            entries[first].session_id, role="summary", content=content or placeholder
        )
        return [*entries[:first], summary, *entries[after:]]
