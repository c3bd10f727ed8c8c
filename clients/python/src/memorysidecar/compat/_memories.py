"""Memories of the server as the store of a framework."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.json_format import MessageToDict

from .. import v1
from ..client import Client
from ..errors import NotFound
from ._shared import client_or_default

# Limits of the contract: the memories of a request, and those of a page.
_MEMORIES = 256
PAGE = 1_000


class Memories:
    """The memories of one kind that belong to a user, or that all users share."""

    def __init__(self, kind: str, user_id: str, client: Client | None) -> None:
        self._client = client_or_default(client)
        self._kind = kind
        self.user_id = user_id

    def _filter(self, **more: Any) -> dict[str, Any]:
        user = {"user_id": self.user_id} if self.user_id else {}
        return {**user, "scope": "exact", "kinds": [self._kind], **more}

    def _memory(self, memory_id: str) -> v1.Memory | None:
        try:
            found = self._client.get_memory(memory_id)
        except NotFound:
            return None
        is_mine = found.user_id == self.user_id and not found.agent_id and not found.session_id
        return found if is_mine else None

    def stored(self) -> list[v1.Memory]:
        """Gives the memories, the oldest first."""
        return list(self._client.list_memories(filter=self._filter(), page_size=PAGE))

    def remember(self, memories: list[dict[str, Any]]) -> None:
        """Stores memories; one with the id of a stored one takes its place."""
        user = self.user_id or None
        for start in range(0, len(memories), _MEMORIES):
            some = memories[start : start + _MEMORIES]
            self._client.remember(some, user_id=user, dedupe="none")

    def forget(self, memory_ids: list[str]) -> None:
        """Forgets memories, for good."""
        for start in range(0, len(memory_ids), _MEMORIES):
            some = memory_ids[start : start + _MEMORIES]
            self._client.forget_memories(some, allow_missing=True)


def kept_of(system: str, memory: v1.Memory) -> dict[str, Any]:
    """Gives the data of a framework that a memory has beside its fields; empty for others."""
    text = MessageToDict(memory.metadata).get(system)
    rest: dict[str, Any] = json.loads(text) if isinstance(text, str) else {}
    return rest
