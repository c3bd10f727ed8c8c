"""Facts with the fields of those of lauren-ai."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone


def _now() -> datetime:
    return datetime.now(timezone.utc)


@dataclass
class MemoryFact:
    """Fact about a user."""

    memory_id: str
    user_id: str
    content: str
    topics: list[str] = field(default_factory=list)
    confidence: float = 1.0
    created_at: datetime = field(default_factory=_now)
    last_seen_at: datetime = field(default_factory=_now)
    source_conversation_id: str | None = None
