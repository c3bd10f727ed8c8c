"""definable beside our drop-in classes."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import itertools
import logging
import random
import re
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any
from unittest import mock

from definable.memory.manager import Memory as Theirs
from definable.memory.store.in_memory import InMemoryStore
from definable.memory.types import MemoryEntry
from definable.model.message import Message
from memorysidecar import NotFound
from memorysidecar.compat import use
from memorysidecar.compat._shared import client_or_default
from memorysidecar.compat.definable import Memory as Ours

from compare import Case, Feature, Side, main
from words import line, text

SESSIONS = ["chat", "a b", "50%"]
USERS = ["default", "ana", "bo:c"]
ASKED = r"(?:Prior context:.*)?Conversation to summarize:.*(?=\n\nWrite)"
START = 1_700_000_000.0
rounds = itertools.count()


class Model:
    """A model that fails, says nothing, or says what it was asked, in short."""

    async def ainvoke(self, messages: list[Message], assistant_message: Message) -> Any:
        """Answers by what is to be summarized, not by how it was asked for."""
        parts = re.findall(ASKED, str(messages[0].content), re.DOTALL)
        asked = hashlib.sha256(parts[0].encode()).hexdigest()
        if asked[0] in "01":
            raise RuntimeError("the model is away")
        return SimpleNamespace(content="" if asked[0] == "2" else f"Summary {asked[:12]}")


def draw_message(rng: random.Random, calls: list[str]) -> dict[str, Any]:
    """A message as data: calls with late, missing and orphan results."""
    kind = rng.random()
    content = None if rng.random() < 0.05 else text(rng)
    if kind < 0.4:
        return {"role": "user", "content": content}
    if kind < 0.6:
        return {"role": "assistant", "content": content}
    if kind < 0.75:
        ids = [f"c{len(calls) + index}" for index in range(rng.randint(1, 3))]
        calls.extend(ids)
        made = [{"id": one, "function": {"name": "find", "arguments": "{}"}} for one in ids]
        return {"role": "assistant", "content": content, "tool_calls": made}
    if kind < 0.95:
        answered = rng.choice(calls) if calls and rng.random() < 0.9 else "orphan"
        data = {"role": "tool", "content": content}
        return data if rng.random() < 0.1 else {**data, "tool_call_id": answered}
    return {"role": "system", "content": content}


def draw_memory(rng: random.Random) -> Case:
    """Conversations of a few sessions and users, with limits, changes and deletions."""
    calls: list[str] = []
    ops: list[dict[str, Any]] = []
    several = rng.random() < 0.3
    for _ in range(rng.randint(5, 40)):
        where = {"session": SESSIONS[0], "user": USERS[0]}
        if several:
            where = {"session": rng.choice(SESSIONS), "user": rng.choice(USERS)}
        kind = rng.random()
        if kind < 0.84:
            ops.append({"op": "add", **where, "message": draw_message(rng, calls)})
        elif kind < 0.89:
            ops.append({"op": "update", **where, "at": rng.random(), "content": text(rng)})
        elif kind < 0.93:
            ops.append({"op": "delete", **where, "at": rng.random()})
        elif kind < 0.96:
            ops.append({"op": "newest", **where, "limit": rng.randint(1, 6)})
        elif kind < 0.975:
            ops.append({"op": "clear", **where})
        else:
            ops.append({"op": "limit", **where, "max_messages": rng.randint(2, 10)})
    options = {"max_messages": rng.randint(2, 12), "pin_count": rng.randint(0, 4)}
    options["recent_count"] = rng.randint(0, 5)
    return {"options": {**options, "has_model": rng.random() < 0.85}, "ops": ops}


def shown(entries: list[MemoryEntry], run: str) -> list[Any]:
    """Entries as data, without their ids; times from the start of the case."""
    seen = []
    for entry in entries:
        whole = asdict(entry)
        whole.pop("memory_id")
        whole["session_id"] = entry.session_id.removeprefix(run)
        for name in ("created_at", "updated_at"):
            whole[name] = round(whole[name] - START, 6)
        seen.append(whole)
    return seen


class Clock:
    """The clock of entries: it stands still during an operation."""

    def __init__(self) -> None:
        self.now = START

    def time(self) -> float:
        """The time in seconds."""
        return self.now


async def play(case: Case, side: Side, clock: Clock) -> list[Any]:
    """Entries and context of the session after each operation."""
    run = f"r{next(rounds)}-"
    options = {**case["options"]}
    model = Model() if options.pop("has_model") else None
    memory: Any
    if side == "theirs":
        memory = Theirs(store=InMemoryStore(), model=model, **options)
    else:
        memory = Ours(model=model, **options)
    seen: list[Any] = []
    for op in case["ops"]:
        clock.now += 0.01
        session, user = run + op["session"], op["user"]
        entries = await memory.get_entries(session, user)
        at = entries[int(op["at"] * len(entries))].memory_id if "at" in op and entries else "none"
        match op["op"]:
            case "add":
                await memory.add(Message(**op["message"]), session, user)
            case "update":
                await memory.update(at, op["content"])
            case "delete":
                await memory.delete(at)
            case "newest":
                newest = await memory.get_entries(session, user, op["limit"])
                seen.append(shown(newest, run))
                oldest = await memory.store.get_entries(session, user, op["limit"])
                seen.append(shown(oldest, run))
            case "clear":
                await memory.clear(session)
            case "limit":
                memory.max_messages = op["max_messages"]
        seen.append(shown(await memory.get_entries(session, user), run))
        context = await memory.get_context_messages(session, user)
        seen.append([[one.role, one.content, one.tool_calls, one.tool_call_id] for one in context])
        seen.append(await memory.store.count(session, user))
    return seen


def play_memory(case: Case, side: Side) -> list[Any]:
    """The same, for a caller that is not asynchronous, with a clock of its own."""
    clock = Clock()
    with mock.patch("definable.memory.types.time", clock):
        return asyncio.run(play(case, side, clock))


def draw_block(rng: random.Random) -> Case:
    """A conversation of messages and summaries."""
    case = draw_memory(rng)
    case["ops"] = [op for op in case["ops"] if op["op"] in ("add", "delete")]
    case["options"] = {"max_messages": 6, "pin_count": 1, "recent_count": 3}
    return case


def draw_runs(rng: random.Random) -> Case:
    """The same, in which an agent runs now and then."""
    case = draw_block(rng)
    for op in case["ops"]:
        if op["op"] == "add" and rng.random() < 0.5:
            op.update(op="run", text=line(rng))
    return case


@functools.cache
def agent_of_definable() -> Any:
    """An agent with a scripted model; its memory is set by each case."""
    from definable.agent import Agent
    from definable.agent.testing import MockModel

    return Agent(model=MockModel(responses=["Yes."]), memory=True)


async def block(memory: Any, session: str, user: str) -> str:
    """The part of an agent's prompt that its memory makes."""
    agent = agent_of_definable()
    agent.memory = memory
    context = SimpleNamespace(session_id=session, user_id=user, run_id="run")
    context.memory_context, context.active_layers = "", set()
    await agent._memory_recall(context, [])
    return context.memory_context


async def play_runs(case: Case, side: Side, clock: Clock) -> list[Any]:
    """The memory as the model reads it after each operation."""
    run = f"r{next(rounds)}-"
    kind = Theirs if side == "theirs" else Ours
    memory: Any = kind(model=Model(), **case["options"])
    seen: list[Any] = []
    for op in case["ops"]:
        clock.now += 0.01
        session, user = run + op["session"], op["user"]
        if op["op"] == "add":
            await memory.add(Message(**op["message"]), session, user)
        elif op["op"] == "run":
            agent = agent_of_definable()
            agent.memory = memory
            await agent.arun(op["text"], session_id=session, user_id=user)
            called = agent.model._call_history[-1]["messages"]
            seen.append([[one.role, one.content] for one in called])
            seen.append(shown(await memory.get_entries(session, user), run))
        else:
            entries = await memory.get_entries(session, user)
            at = entries[int(op["at"] * len(entries))].memory_id if entries else "none"
            await memory.delete(at)
        if side == "theirs":
            seen.append(await block(memory, session, user))
            continue
        name = memory.store.session_name(session, user)
        try:
            made = client_or_default(None).assemble_context(
                name, profile="definable", max_tokens=1_000_000
            )
            seen.append(made.text)
        except NotFound:
            seen.append("")
    return seen


def play_block(case: Case, side: Side) -> list[Any]:
    """The same, for a caller that is not asynchronous, with a clock of its own."""
    clock = Clock()
    with mock.patch("definable.memory.types.time", clock):
        return asyncio.run(play_runs(case, side, clock))


def known_memory(case: Case, theirs: Any, ours: Any) -> str | None:
    """The one difference that is meant."""
    return "a summary is not empty" if "required in place" in str(ours) else None


FEATURES = [
    Feature("memory", draw_memory, play_memory, known_memory),
    Feature("block", draw_block, play_block),
    # Whole runs need an agent of definable.
    Feature("runs", draw_runs, play_block, is_recorded=False),
]

if __name__ == "__main__":
    # A model that fails is no news here.
    logging.disable()
    main(FEATURES, use)
