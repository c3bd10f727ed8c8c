"""The facts of MARSYS, as memories of the server."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableSequence
from typing import Any

from .. import v1
from ..client import Client
from ._memories import Memories, kept_of
from ._shared import new_id, sound

_SYSTEM = "marsys"
_NANOS = 1_000_000_000
# Part of a relation in the place of one without characters.
_NOTHING = "-"
# Limits of the contract for a relation, in bytes.
_RELATION = {"subject": 256, "predicate": 128, "object": 1_024}


class _Fact(dict[str, Any]):
    """A fact that is stored as it changes, since MARSYS changes facts in their list."""

    def __init__(self, fact: dict[str, Any], server: Memories) -> None:
        super().__init__(fact)
        self._server = server

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        self._server.remember([_remembered(self)])


class ServerFacts(MutableSequence[dict[str, Any]]):
    """A list of facts that are memories of a user, of the kind relation."""

    def __init__(self, user_id: str, client: Client | None) -> None:
        self.user_id = user_id or new_id()
        self._server = Memories("relation", self.user_id, client)

    def _facts(self) -> list[dict[str, Any]]:
        return [_Fact(_fact_of(one), self._server) for one in self._server.stored()]

    def __len__(self) -> int:
        return len(self._facts())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._facts())

    def __getitem__(self, index: Any) -> Any:
        return self._facts()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        old = self._facts()[index]
        self._server.remember([_remembered({**value, "message_id": old["message_id"]})])

    def __delitem__(self, index: Any) -> None:
        self._server.forget([self._facts()[index]["message_id"]])

    def insert(self, index: int, value: dict[str, Any]) -> None:
        """Refuses: facts come at the end."""
        raise TypeError("the memories of a user take facts at their end only: use append")

    def append(self, value: dict[str, Any]) -> None:
        """Stores a fact."""
        self._server.remember([_remembered(value)])

    def clear(self) -> None:
        """Forgets all facts, for good."""
        self._server.forget([fact["message_id"] for fact in self._facts()])


def _remembered(fact: dict[str, Any]) -> dict[str, Any]:
    """A fact for the server. What a relation has no room for goes along."""
    given = {name: sound(fact[name]) for name in _RELATION}
    parts = {
        name: text.encode()[: _RELATION[name]].decode("utf-8", "ignore")
        for name, text in given.items()
    }
    texts = {name: part if part.strip() else _NOTHING for name, part in parts.items()}
    kept = {key: fact[key] for key in fact if key != "message_id" and fact[key] != texts.get(key)}
    memory: dict[str, Any] = {"kind": "relation", "memory_id": fact["message_id"]}
    if parts["object"] != given["object"]:
        memory["text"] = given["object"]
        if fact["object"] == given["object"]:
            del kept["object"]
            kept["is_long"] = True
    texts["object_value"] = texts.pop("object")
    metadata = {_SYSTEM: json.dumps(kept, default=str)}
    return {**memory, "relation": texts, "metadata": metadata}


def _fact_of(memory: v1.Memory) -> dict[str, Any]:
    """A fact of a memory, which may be one that MARSYS did not write."""
    relation, made = memory.relation, memory.create_time
    kept = kept_of(_SYSTEM, memory)
    # A long object is the text of its memory.
    is_long = kept.pop("is_long", False)
    return {
        "role": "user",
        "subject": relation.subject,
        "predicate": relation.predicate,
        "object": memory.text if is_long else relation.object_value,
        "timestamp": made.seconds + made.nanos / _NANOS,
        **kept,
        "message_id": memory.memory_id,
    }
