"""Memories of lauren-ai."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class MemoryResult:
    """A document that a search found."""

    id: str
    content: str
    score: float
    metadata: dict[str, Any]
