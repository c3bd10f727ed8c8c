"""The entity memory of selectools, kept by a server."""

from __future__ import annotations

import json
import threading
from typing import Any

from selectools.entity_memory import Entity
from selectools.entity_memory import EntityMemory as _EntityMemory

from .. import v1
from ..client import Client
from ._memories import Memories, kept_of
from ._shared import short, sound

_SYSTEM = "selectools"
_NANOS = 1_000_000_000
# Limits of the contract for the type and the attributes of an entity.
_TYPE_BYTES = 64
_ATTRIBUTES = 64
_KEY_BYTES = 128
_VALUE_BYTES = 1_024


class EntityMemory(_EntityMemory):  # type: ignore[misc]
    """An EntityMemory of selectools whose entities are memories of the server, of the kind entity.

    :param user_id: whose entities these are. Default: they are shared by all users.
    """

    def __init__(
        self,
        provider: Any,
        model: str | None = None,
        max_entities: int = 50,
        relevance_window: int = 10,
        *,
        user_id: str = "",
        client: Client | None = None,
    ) -> None:
        super().__init__(provider, model, max_entities, relevance_window)
        self._server = Memories("entity", user_id, client)
        self._writes = threading.Lock()

    def _load(self) -> dict[str, str]:
        """Reads the entities from the server. Gives the ids of their memories by their keys."""
        ids: dict[str, str] = {}
        entities: dict[str, Entity] = {}
        for memory in self._server.stored():
            entity = _entity(memory)
            entities[entity.name.lower()] = entity
            ids[entity.name.lower()] = memory.memory_id
        self._entities = entities
        return ids

    def _store(self, ids: dict[str, str], before: dict[str, Any]) -> None:
        """Writes the entities that are not as before, and forgets those that are gone."""
        changed = [
            _remembered(entity, ids.get(key))
            for key, entity in self._entities.items()
            if entity.to_dict() != before.get(key)
        ]
        self._server.remember(changed)
        self._server.forget([ids[key] for key in ids if key not in self._entities])

    @property
    def entities(self) -> list[Entity]:
        """All entities, the last mentioned first."""
        self._load()
        whole: list[Entity] = super().entities
        return whole

    def update(self, entities: list[Entity]) -> None:
        """Merges entities into those of the server. The ones that were not mentioned for the
        longest time go if there are too many."""
        with self._writes:
            ids = self._load()
            before = {key: _copied(entity.to_dict()) for key, entity in self._entities.items()}
            super().update(entities)
            self._store(ids, before)

    def to_dict(self) -> dict[str, Any]:
        """Gives the memory as the dictionary of selectools."""
        self._load()
        whole: dict[str, Any] = super().to_dict()
        return whole

    @classmethod
    def from_dict(
        cls,
        data: dict[str, Any],
        provider: Any,
        *,
        user_id: str = "",
        client: Client | None = None,
    ) -> EntityMemory:
        """Makes a memory of the dictionary of selectools. Its entities replace those of the
        user with the same names."""
        limits = (data.get("max_entities", 50), data.get("relevance_window", 10))
        made = cls(provider, data.get("model"), *limits, user_id=user_id, client=client)
        with made._writes:
            ids = made._load()
            for one in data.get("entities", []):
                entity = Entity.from_dict(one)
                made._entities[entity.name.lower()] = entity
            made._store(ids, {})
        return made


def _copied(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "attributes": dict(data["attributes"])}


def _cut(text: Any, most: int) -> str:
    return sound(text).encode()[:most].decode("utf-8", "ignore")


def _remembered(entity: Entity, memory_id: str | None) -> dict[str, Any]:
    """An entity for the server; the exact one goes along. Ids that the server gives keep the
    order of new ones."""
    attributes = entity.attributes if isinstance(entity.attributes, dict) else {}
    shown = {_cut(key, _KEY_BYTES): _cut(value, _VALUE_BYTES) for key, value in attributes.items()}
    kept = dict([pair for pair in shown.items() if pair[0] != ""][:_ATTRIBUTES])
    structure = {"name": short(entity.name), "type": _cut(entity.entity_type, _TYPE_BYTES)}
    return {
        "kind": "entity",
        "memory_id": memory_id or "",
        "entity": {**structure, "attributes": kept},
        "metadata": {_SYSTEM: json.dumps(entity.to_dict(), default=str)},
    }


def _entity(memory: v1.Memory) -> Entity:
    """An entity of a memory, which may be one that selectools did not write."""
    kept = kept_of(_SYSTEM, memory)
    if kept:
        return Entity.from_dict(kept)
    first, last = memory.create_time, memory.last_seen_time
    return Entity(
        name=memory.entity.name,
        entity_type=memory.entity.type,
        attributes=dict(memory.entity.attributes),
        first_mentioned=first.seconds + first.nanos / _NANOS,
        last_mentioned=last.seconds + last.nanos / _NANOS,
        mention_count=memory.mention_count,
    )
