"""lauren-ai beside our drop-in classes."""

from __future__ import annotations

import asyncio
import copy
import itertools
import json
import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

from lauren_ai._memory import ShortTermMemory
from lauren_ai._memory._in_memory_user import InMemoryUserMemoryStore as Theirs
from lauren_ai._memory._stores import InMemoryConversationStore
from lauren_ai._memory._user import MemoryFact
from memorysidecar.compat import use
from memorysidecar.compat.lauren import ConversationStore
from memorysidecar.compat.lauren import ShortTermMemory as OurMemory
from memorysidecar.compat.lauren import UserMemoryStore as Ours

from compare import Case, Feature, Side, main
from words import line, text

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


def draw_remember(rng: random.Random) -> Case:
    """Turns of an agent with ``@remember``: what its model finds in each, and the next question."""
    ops: list[dict[str, Any]] = []
    for _ in range(rng.randint(1, 12)):
        found = [
            {"content": line(rng), "topics": [line(rng, 1) for _ in range(rng.randint(0, 2))]}
            for _ in range(rng.randint(0, 3))
        ]
        kind = rng.random()
        answer = "no JSON" if kind < 0.1 else "[broken" if kind < 0.15 else json.dumps(found)
        if kind > 0.8:
            answer = f"Here they are:\n{answer}"
        sure = [rng.choice([1.0, 0.8, 0.6, 0.2]) for _ in found]
        asked = rng.choice([line(rng, 1), line(rng, 2), ""])
        turn = {"user": rng.choice(USERS), "answer": answer, "sure": sure, "asked": asked}
        ops.append({"op": "turn", **turn})
    options = {"top_k": rng.choice([1, 3, 5]), "inject": rng.random() < 0.9}
    return {"options": {**options, "extract": rng.random() < 0.9}, "ops": ops}


async def play_turns(case: Case, side: Side) -> list[Any]:
    """The memory that is put into the prompt of each turn."""
    # The stand-ins that replay recorded cases have neither of these.
    from lauren_ai._memory._remember import (
        REMEMBER_META,
        build_memory_context,
        extract_facts,
        remember,
    )
    from lauren_ai._transport import Completion, TokenUsage
    from lauren_ai._transport._mock import MockTransport

    @remember(**case["options"])
    class Agent:
        """Reads its settings as the guide of lauren-ai does."""

    settings = getattr(Agent, REMEMBER_META)
    run = f"r{next(rounds)}-"
    store: Any = Theirs() if side == "theirs" else Ours()
    seen: list[Any] = []
    names = itertools.count()
    for op in case["ops"]:
        user = run + op["user"]
        if settings.extract:
            model = MockTransport()
            model.queue_response(
                Completion("1", "mock", op["answer"], [], "end_turn", TokenUsage(1, 1))
            )
            found = await extract_facts(user, "A turn.", model)
            for fact, sure in zip(found, op["sure"], strict=False):
                name = f"{run}{next(names)}"
                await store.add(MemoryFact(name, user, fact["content"], fact["topics"], sure))
        if settings.inject:
            known = await store.search(user, op["asked"], settings.top_k)
            seen.append(build_memory_context(known))
        seen.append(sorted(fact.content for fact in await store.list(user)))
    return seen


def play_remember(case: Case, side: Side) -> list[Any]:
    """The same, for a caller that is not asynchronous."""
    return asyncio.run(play_turns(case, side))


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


IMAGE = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}


def draw_turn(rng: random.Random, calls: list[str], say: Callable[..., str]) -> dict[str, Any]:
    """Something that is said: texts and blocks, calls in both forms, results that may be late."""
    kind = rng.random()
    if kind < 0.35:
        content: Any = say(rng)
        if rng.random() < 0.15:
            content = [{"type": "text", "text": say(rng)}, IMAGE]
        return {"op": "user", "content": content}
    if kind < 0.55:
        return {"op": "assistant", "message": {"role": "assistant", "content": say(rng)}}
    if kind < 0.75 or not calls:
        ids = [f"c{len(calls) + index}" for index in range(rng.randint(1, 3))]
        calls.extend(ids)
        message: dict[str, Any] = {"role": "assistant", "content": rng.choice([None, say(rng)])}
        if rng.random() < 0.5:
            function = {"name": "find", "arguments": '{"q": "tea"}'}
            message["tool_calls"] = [
                {"id": one, "type": "function", "function": function} for one in ids
            ]
        else:
            used = [{"type": "tool_use", "id": one, "name": "find", "input": {}} for one in ids]
            message["content"] = [{"type": "text", "text": say(rng)}, *used]
        return {"op": "assistant", "message": message}
    if rng.random() < 0.5:
        ids = calls[-rng.randint(1, 3) :]
        blocks = [{"type": "tool_result", "tool_use_id": one, "content": say(rng)} for one in ids]
        return {"op": "user", "content": blocks}
    answered = {"role": "tool", "tool_call_id": rng.choice(calls[-3:]), "content": say(rng)}
    return {"op": "result", "message": answered}


def draw_memory(rng: random.Random, say: Callable[..., str] = text) -> Case:
    """A conversation that is viewed, trimmed, summarized, saved and restored."""
    calls: list[str] = []
    ops: list[dict[str, Any]] = []
    if rng.random() < 0.4:
        ops.append({"op": "append", "message": {"role": "system", "content": line(rng)}})
    for _ in range(rng.randint(5, 30)):
        kind = rng.random()
        if kind < 0.75:
            ops.append(draw_turn(rng, calls, say))
        elif kind < 0.8:
            ops.append({"op": "fit", "tokens": rng.choice([0, 5, 20, 60, 200])})
        elif kind < 0.87:
            ops.append({"op": "recent", "keep": rng.randint(0, 8), "summary": line(rng)})
        elif kind < 0.9:
            ops.append({"op": rng.choice(["save", "restore", "restore"])})
        elif kind < 0.93:
            ops.append({"op": "heal"})
        elif kind < 0.95:
            ops.append({"op": "pop"})
        elif kind < 0.96:
            ops.append({"op": "clear"})
        else:
            ops.append({"op": "again"})
    return {"options": {"max_tokens": rng.choice([5, 20, 60, 200, 40_000])}, "ops": ops}


def draw_short(rng: random.Random) -> Case:
    """A conversation of short texts, which no release cuts, with what the server decides."""
    case = draw_memory(rng, line)
    kept = [op for op in case["ops"] if op["op"] not in ("heal", "restore")]
    # The later releases refuse some results.
    case["ops"] = [{**op, "op": "append"} if op["op"] == "result" else op for op in kept]
    return case


def act(memory: Any, op: dict[str, Any], saved: list[Any]) -> Any:
    """Does an operation, and gives its result."""
    match op["op"]:
        case "append":
            memory._messages.append(copy.deepcopy(op["message"]))
        case "user":
            memory.add_user(copy.deepcopy(op["content"]))
        case "assistant":
            memory.add_assistant(copy.deepcopy(op["message"]))
        case "result":
            memory.add_tool_result(copy.deepcopy(op["message"]))
        case "fit":
            memory.trim_to_fit(op["tokens"])
        case "recent":
            older = memory.messages_to_summarize(op["keep"])
            memory.set_summary(op["summary"])
            memory.trim_to_recent(op["keep"])
            return older
        case "save":
            saved.append(memory.snapshot())
        case "restore":
            memory.restore(copy.deepcopy(saved[-1]) if saved else [])
        case "heal" if hasattr(memory, "ensure_valid"):
            memory.ensure_valid()
        case "pop" if len(memory):
            memory._messages.pop()
        case "clear":
            memory.clear()
    return None


def play_memory(case: Case, side: Side) -> list[Any]:
    """The messages for a model, and the whole buffer, after each operation."""
    budget = case["options"]["max_tokens"]
    memory: Any = ShortTermMemory(budget) if side == "theirs" else OurMemory(budget)
    seen: list[Any] = []
    saved: list[Any] = []
    for op in case["ops"]:
        if op["op"] == "again" and side == "ours":
            # The conversation goes on in another process.
            memory = OurMemory(budget, session_id=memory.session_id)
        try:
            seen.append(act(memory, op, saved))
        except ValueError as error:
            seen.append(str(error))
        except Exception as error:
            if type(error).__name__ != "ToolConversationIntegrityError":
                raise
            seen.append(str(error))
        seen.append(memory.messages())
        seen.append([memory.snapshot().get(name) for name in ("messages", "summary")])
        seen.append([len(memory), memory.token_estimate])
    return seen


def without_healed(shown: Any) -> Any:
    """A thing that is shown, without the answers for calls that were left open."""
    if isinstance(shown, dict):
        return {key: without_healed(value) for key, value in shown.items()}
    if not isinstance(shown, list):
        return shown
    return [without_healed(one) for one in shown if "was interrupted" not in json.dumps(one)]


def answers(op: dict[str, Any]) -> list[str]:
    """The calls that an operation answers."""
    content = op.get("content")
    blocks = content if isinstance(content, list) else []
    found = [op.get("message", {}), *blocks]
    return [one[key] for one in found for key in ("tool_call_id", "tool_use_id") if key in one]


def has_stray_result(case: Case) -> bool:
    """Tells if a result does not follow its call at once, or follows it twice."""
    open_ids: list[str] = []
    for op in case["ops"]:
        answered = answers(op)
        if any(one not in open_ids for one in answered):
            return True
        if not answered:
            open_ids = re.findall(r"'id': '(c\d+)'", str(op.get("message", "")))
        open_ids = [one for one in open_ids if one not in answered]
    return False


def has_calls(messages: list[Any]) -> bool:
    """Tells if a message makes calls."""
    return any("tool_use" in str(one) or "tool_calls" in one for one in messages)


def known_memory(case: Case, theirs: Any, ours: Any) -> str | None:
    """The differences that docs/compat/lauren.md lists."""
    names = {op["op"] for op in case["ops"]}
    # A snapshot is a list of messages and a summary.
    theirs, ours = (
        one[0] if isinstance(one, list) and one and isinstance(one[0], list) else one
        for one in (theirs, ours)
    )
    has_lists = isinstance(theirs, list) and isinstance(ours, list)
    # Differences of the first releases.
    if not hasattr(ShortTermMemory, "ensure_valid") and "fit" in names and has_lists:
        rest = iter(theirs)
        if len(ours) < len(theirs) and all(one in rest for one in ours):
            return "trim_to_fit lets a part of a token pass"
    if not hasattr(ShortTermMemory, "_safe_keep_recent") and "recent" in names and has_lists:
        if ours == theirs[: len(ours)] and has_calls(theirs[len(ours) :]):
            return "a summary splits a call and its results"
    is_stray = has_stray_result(case)
    if is_stray and without_healed(theirs) == without_healed(ours):
        return "results of other calls do not tell where an open call is answered"
    if is_stray and has_lists and theirs == ours[: len(theirs)] and "recent" in names:
        return "a result without its call keeps nothing before it from a summary"
    return None


FEATURES = [
    Feature("facts", draw_facts, play_facts, known_facts),
    Feature("remember", draw_remember, play_remember, is_recorded=False),
    Feature("conversations", draw_conversations, play_conversations),
    Feature("memory", draw_memory, play_memory, known_memory, False),
    Feature("short memory", draw_short, play_memory, known_memory),
]

if __name__ == "__main__":
    main(FEATURES, use)
