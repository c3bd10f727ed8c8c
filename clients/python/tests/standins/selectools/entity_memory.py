"""Entities with the fields of those of selectools, and the base class of their memory."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Entity:
    """Thing that has a name."""

    name: str
    entity_type: str
    attributes: dict[str, Any] = field(default_factory=dict)
    first_mentioned: float = field(default_factory=time.time)
    last_mentioned: float = field(default_factory=time.time)
    mention_count: int = 1

    def to_dict(self) -> dict[str, Any]:
        """The entity as data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Entity:
        """An entity of data."""
        return cls(**data)


class EntityMemory:
    """A memory over a dictionary: what the drop-in class takes from selectools."""

    def __init__(self, provider: Any, model: Any, max_entities: int, window: int) -> None:
        self.limits = {"model": model, "relevance_window": window}
        self.most = max_entities
        self._entities: dict[str, Entity] = {}

    @property
    def entities(self) -> list[Entity]:
        """The entities, the last mentioned first."""
        return sorted(self._entities.values(), key=lambda one: -one.last_mentioned)

    def update(self, entities: list[Entity]) -> None:
        """Counts what is mentioned again, and keeps the newest."""
        now = time.time()
        for one in entities:
            known = self._entities.setdefault(one.name.lower(), one)
            known.last_mentioned = now
            if known is not one:
                known.mention_count += 1
                known.attributes |= one.attributes
        by_time = sorted(self._entities, key=lambda key: self._entities[key].last_mentioned)
        for key in by_time[: max(len(by_time) - self.most, 0)]:
            del self._entities[key]

    def to_dict(self) -> dict[str, Any]:
        """The memory as data."""
        whole = [one.to_dict() for one in self._entities.values()]
        return {**self.limits, "max_entities": self.most, "entities": whole}
