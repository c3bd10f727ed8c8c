"""lauren-ai beside our drop-in classes."""

from __future__ import annotations

import asyncio
import itertools
import random
from datetime import datetime, timedelta, timezone
from typing import Any

from lauren_ai._memory._in_memory_user import InMemoryUserMemoryStore as Theirs
from lauren_ai._memory._stores import InMemoryConversationStore
from lauren_ai._memory._user import MemoryFact
from memorysidecar.compat import use
from memorysidecar.compat.lauren import ConversationStore
from memorysidecar.compat.lauren import UserMemoryStore as Ours

from compare import Case, Feature, Side, main
from words import line

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
USERS = ["ana", "bo"]
rounds = itertools.count()


def draw_facts(rng: random.Random) -> Case:
    """Facts of two users: added, changed, found by text and topic, deleted."""
    ops: list[dict[str, Any]] = []
    for _ in range(rng.randint(5, 40)):
        kind = rng.random()
        user, name = rng.choice(USERS), f"f{rng.randint(0, 9)}"
        if kind < 0.45:
            topics = [line(rng, 2) for _ in range(rng.randint(0, 3))]
            fact = {"name": name, "user": user, "content": line(rng), "topics": topics}
            fact["confidence"] = rng.choice([1.0, 0.5, round(rng.random(), 3)])
            fact["source"] = rng.choice([None, "chat"])
            ops.append({"op": "add", **fact, "seen": rng.randint(0, 1_000_000_000)})
        elif kind < 0.6:
            query = rng.choice([line(rng, 1), line(rng, 2), "", "A", "no such text"])
            top_k = rng.choice([0, 1, 3, 10])
            ops.append({"op": "search", "user": user, "query": query, "top_k": top_k})
        elif kind < 0.72:
            ops.append({"op": "list", "user": user, "topic": rng.choice([None, line(rng, 1)])})
        elif kind < 0.8:
            ops.append({"op": "get", "user": user, "name": name})
        elif kind < 0.9:
            content, sure = rng.choice([None, line(rng)]), rng.choice([None, 0.25, 0.75])
            ops.append({"op": "update", "name": name, "content": content, "confidence": sure})
        elif kind < 0.97:
            ops.append({"op": "delete", "name": name})
        else:
            ops.append({"op": "clear", "user": user})
    return {"options": {}, "ops": ops}


def shown(fact: MemoryFact | None, run: str) -> Any:
    """A fact as data, with the names of the case."""
    if fact is None:
        return None
    times = [fact.created_at.isoformat(), fact.last_seen_at.isoformat()]
    source = fact.source_conversation_id
    names = [fact.memory_id.removeprefix(run), fact.user_id.removeprefix(run)]
    return [*names, fact.content, fact.topics, fact.confidence, *times, source]


async def play(case: Case, side: Side) -> list[Any]:
    """Results of the operations, and all facts of the users after each."""
    run = f"r{next(rounds)}-"
    store: Any = Theirs() if side == "theirs" else Ours()
    seen: list[Any] = []
    for op in case["ops"]:
        user, name = run + op.get("user", ""), run + op.get("name", "")
        match op["op"]:
            case "add":
                fact = MemoryFact(name, user, op["content"], op["topics"], op["confidence"])
                fact.created_at = START
                fact.last_seen_at = START + timedelta(milliseconds=op["seen"])
                fact.source_conversation_id = op["source"]
                await store.add(fact)
            case "search":
                found = await store.search(user, op["query"], op["top_k"])
                seen.append([shown(one, run) for one in found])
            case "list":
                found = await store.list(user, op["topic"])
                seen.append([shown(one, run) for one in found])
            case "get":
                seen.append(shown(await store.get(user, name), run))
            case "update":
                await store.update(name, content=op["content"], confidence=op["confidence"])
            case "delete":
                await store.delete(name)
            case "clear":
                await store.clear(user)
        for one in USERS:
            seen.append([shown(fact, run) for fact in await store.list(run + one)])
    return seen


def play_facts(case: Case, side: Side) -> list[Any]:
    """The same, for a caller that is not asynchronous."""
    return asyncio.run(play(case, side))


def known_facts(case: Case, theirs: Any, ours: Any) -> str | None:
    """The one difference that is known: the order of facts that are equally sure."""
    owners = {(op["name"], op["user"]) for op in case["ops"] if op["op"] == "add"}
    has_moved = len({name for name, _ in owners}) < len(owners)
    # As many are found, and as sure.
    if has_moved and [row[4] for row in theirs] == [row[4] for row in ours]:
        return "a fact that gets another user goes behind others that are as sure"
    return None


def draw_message(rng: random.Random) -> dict[str, Any]:
    """A message of a snapshot, in the forms that ShortTermMemory makes."""
    kind = rng.random()
    if kind < 0.5:
        return {"role": rng.choice(["user", "assistant", "system"]), "content": line(rng)}
    if kind < 0.75:
        call = {"type": "tool_use", "id": "c1", "name": "find", "input": {"q": line(rng, 1)}}
        return {"role": "assistant", "content": [{"type": "text", "text": line(rng)}, call]}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": line(rng)}
    return {"role": "user", "content": [result, {"type": "image", "source": {"n": 2**60}}]}


def draw_conversations(rng: random.Random) -> Case:
    """Conversations that grow, are cut and summarized, read, listed and deleted."""
    ops: list[dict[str, Any]] = []
    messages: dict[str, list[Any]] = {}
    for _ in range(rng.randint(5, 25)):
        kind, name = rng.random(), rng.choice(["", "a", "b c", "\u00e9:1"])
        history = messages.setdefault(name, [])
        if kind < 0.7:
            if kind < 0.1:
                del history[: rng.randint(1, 4)]
            history.extend(draw_message(rng) for _ in range(rng.randint(0, 3)))
            summary = rng.choice([None, line(rng)])
            snapshot: Any = {"messages": list(history), "summary": summary}
            ops.append({"op": "save", "name": name, "snapshot": rng.choice([snapshot, history[:]])})
        elif kind < 0.9:
            ops.append({"op": "delete", "name": name})
        else:
            ops.append({"op": "clear", "name": name})
    return {"options": {}, "ops": ops}


async def converse(case: Case, side: Side) -> list[Any]:
    """All conversations after each operation."""
    ours = ConversationStore(f"r{next(rounds)}")
    store: Any = InMemoryConversationStore() if side == "theirs" else ours
    seen: list[Any] = []
    for op in case["ops"]:
        match op["op"]:
            case "save":
                await store.save(op["name"], op["snapshot"])
            case "delete":
                await store.delete(op["name"])
            case "clear":
                await store.clear()
        names = await store.list_conversations()
        seen.append([len(store), op["name"] in store, await store.load("none")])
        seen.append({name: await store.load(name) for name in names})
    return seen


def play_conversations(case: Case, side: Side) -> list[Any]:
    """The same, for a caller that is not asynchronous."""
    return asyncio.run(converse(case, side))


FEATURES = [
    Feature("facts", draw_facts, play_facts, known_facts),
    Feature("conversations", draw_conversations, play_conversations),
]

if __name__ == "__main__":
    main(FEATURES, use)
