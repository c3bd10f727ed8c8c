"""Entries with the fields of those of definable."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from typing import Any


@dataclass
class MemoryEntry:
    """A message or a summary of a session."""

    session_id: str
    memory_id: str | None = field(default_factory=lambda: str(uuid.uuid4()))
    user_id: str = "default"
    role: str = "user"
    content: str = ""
    message_data: dict[str, Any] | None = None
    created_at: float | None = None
    updated_at: float | None = None

    def __post_init__(self) -> None:
        self.created_at = time.time() if self.created_at is None else self.created_at
        self.updated_at = time.time() if self.updated_at is None else self.updated_at
