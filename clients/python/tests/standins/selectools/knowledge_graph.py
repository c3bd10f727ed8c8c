"""Triples with the fields of those of selectools."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass
class Triple:
    """Relation of two things."""

    subject: str
    relation: str
    object: str
    confidence: float = 1.0
    source_turn: int = 0
    created_at: float = 0

    def to_dict(self) -> dict[str, Any]:
        """The triple as data."""
        return asdict(self)


class InMemoryTripleStore:
    """Named by the oracle, and never made where only recordings are replayed."""
