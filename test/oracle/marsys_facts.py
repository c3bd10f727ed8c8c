"""The facts of MARSYS, with scripted models."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import random
from types import SimpleNamespace
from typing import Any
from unittest import mock

from marsys.agents import memory as theirs
from memorysidecar.compat import marsys as ours

from compare import Case, Side
from words import line, text

ROLES = ["user", "assistant", "system", "tool"]
START = 1_700_000_000.0
rounds = itertools.count()


class Mended(theirs.KGMemory):
    """A KGMemory of MARSYS with the method that it calls for what it extracts, and lacks."""

    def update_memory(self, role: str, subject: str, predicate: str, obj: str) -> None:
        """Adds a fact."""
        self.add_fact(role, subject, predicate, obj)


class Model:
    """A model that fails, says nothing of use, or finds facts by what it was asked."""

    def run(self, messages: list[dict[str, Any]], **options: Any) -> Any:
        """Gives facts in one of the forms that models have."""
        asked = hashlib.sha256(json.dumps([messages, options]).encode()).hexdigest()
        if asked[0] in "01":
            raise RuntimeError("the model is away")
        if asked[0] in "23":
            return ["Not JSON.", {"facts": []}][asked[0] == "3"]
        facts: list[Any] = [
            {"subject": "Ana", "predicate": "likes", "object": f"tea {asked[:4]}"},
            {"subject": "Rome", "predicate": "is in", "object": int(asked[1], 16)},
            {"subject": "nobody"},
            "nothing",
        ]
        some = facts[int(asked[2], 16) % 3 :]
        return some if asked[3] < "8" else json.dumps(some)


def draw(rng: random.Random) -> Case:
    """Facts that come, change and go."""
    ops: list[dict[str, Any]] = []
    for _ in range(rng.randint(5, 30)):
        chance = rng.random()
        at = rng.randint(0, 8)
        role = rng.choice(ROLES)
        if chance < 0.35:
            content = rng.choice([text(rng), text(rng), None, "", {"thought": line(rng)}])
            ops.append({"op": "add", "role": role, "content": content, "whole": rng.random() < 0.5})
        elif chance < 0.6:
            fact = [line(rng), rng.choice(["likes", "is in", "x" * 130]), text(rng)]
            ops.append({"op": "fact", "role": role, "fact": fact})
        elif chance < 0.72:
            parts = rng.sample(["subject", "predicate", "object"], rng.randint(0, 3))
            content = rng.choice([{part: line(rng) for part in parts}, line(rng), None])
            role = rng.choice([role, None])
            ops.append({"op": "update", "at": at, "role": role, "content": content})
        elif chance < 0.78:
            ops.append({"op": "delete", "at": at})
        elif chance < 0.84:
            ops.append({"op": "remove", "at": at})
        elif chance < 0.9:
            ops.append({"op": "extract", "role": role, "text": text(rng)})
        elif chance < 0.98:
            ops.append({"op": "role", "role": role, "n": rng.choice([None, 0, 2])})
        else:
            ops.append({"op": "reset"})
    return {"options": {"description": rng.choice([None, "You help."])}, "ops": ops}


async def act(memory: Any, op: dict[str, Any], message_id: str) -> Any:
    """Does an operation. Gives what the memory gave."""
    match op["op"]:
        case "add":
            fields = {"role": op["role"], "content": op["content"]}
            added = memory.add(theirs.Message(**fields)) if op["whole"] else memory.add(**fields)
            # MARSYS extracts in a task of its own.
            await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
            return memory.retrieve_by_id(added)
        case "fact":
            return memory.add_fact(op["role"], *op["fact"])
        case "update":
            return memory.update(message_id, role=op["role"], content=op["content"])
        case "delete":
            return memory.delete_memory(op["at"])
        case "remove":
            return memory.remove_by_id(message_id)
        case "extract":
            return await memory.extract_and_update_from_text(op["text"], op["role"])
        case "role":
            return memory.retrieve_by_role(op["role"], op["n"])
    return memory.reset_memory()


async def converse(case: Case, side: Side) -> list[Any]:
    """All facts after each operation, and what it gave."""
    kind: Any = Mended if side == "theirs" else ours.KGMemory
    memory = kind(Model(), case["options"]["description"])
    seen: list[Any] = []
    for op in case["ops"]:
        known = list(memory.kg)
        message_id = known[op["at"]]["message_id"] if op.get("at", 99) < len(known) else "none"
        value: Any = None
        try:
            value = await act(memory, op, message_id)
        except Exception as error:
            # The releases fail as they make their own error: only a place has a class.
            value = ["raises", isinstance(error, IndexError)]
        seen.extend([value, memory.retrieve_all(), memory.retrieve_recent(op.get("n") or 3)])
        facts = [{**fact, "message_id": "", "timestamp": 0} for fact in memory.kg]
        seen.extend([facts, memory.get_messages() == memory.retrieve_all()])
        seen.append([memory.retrieve_by_id(fact["message_id"]) for fact in list(memory.kg)[:2]])
    return seen


def play(case: Case, side: Side) -> list[Any]:
    """The same, for a caller that is not asynchronous, with a clock that never stands still."""
    ticks = itertools.count()
    clock = SimpleNamespace(time=lambda: START + next(ticks) / 1_000)
    with mock.patch.object(theirs, "time", clock):
        return asyncio.run(converse(case, side))
