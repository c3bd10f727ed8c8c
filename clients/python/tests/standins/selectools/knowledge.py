"""Entries with the fields of those of selectools."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any


def _now() -> datetime:
    return datetime.now(timezone.utc)


@dataclass
class KnowledgeEntry:
    """Piece of knowledge."""

    id: str
    content: str = ""
    category: str = "general"
    importance: float = 0.5
    persistent: bool = False
    ttl_days: int | None = None
    created_at: datetime = field(default_factory=_now)
    updated_at: datetime = field(default_factory=_now)
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def is_expired(self) -> bool:
        """Tells if its time is over."""
        return self.ttl_days is not None and _now() > self.created_at + timedelta(self.ttl_days)


class FileKnowledgeStore:
    """Named by the oracle, and never made where only recordings are replayed."""
