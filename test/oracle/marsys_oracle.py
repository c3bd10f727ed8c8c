"""MARSYS beside our drop-in classes."""

from __future__ import annotations

import itertools
import logging
import random
from typing import Any

from marsys.agents.memory import (
    ConversationMemory,
    ManagedConversationMemory,
    ManagedMemoryConfig,
    Message,
)
from memorysidecar.compat import marsys as ours
from memorysidecar.compat import use

import marsys_chain
import marsys_facts
import marsys_runs
from compare import Case, Feature, Side, main
from words import line, text

THEIRS = {"conversation": ConversationMemory, "managed": ManagedConversationMemory}
OURS = {
    "conversation": ours.ConversationMemory,
    "managed": ours.ManagedConversationMemory,
}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
rounds = itertools.count()


def draw_message(rng: random.Random, calls: list[str]) -> dict[str, Any]:
    """A message as data: calls with results, which may be late or missing; objects, images."""
    kind = rng.random()
    if kind < 0.4:
        content: Any = text(rng)
        if rng.random() < 0.1:
            content = [{"type": "text", "text": text(rng)}, IMAGE]
        return {"role": "user", "content": content}
    if kind < 0.6:
        content = rng.choice([text(rng), {"thought": text(rng), "n": rng.randint(0, 9)}])
        return {"role": "assistant", "content": content, "name": rng.choice([None, "planner"])}
    if kind < 0.75:
        ids = [f"c{len(calls) + index}" for index in range(rng.randint(1, 3))]
        calls.extend(ids)
        function = {"name": "find", "arguments": '{"q": "tea"}'}
        made = [{"id": one, "type": "function", "function": function} for one in ids]
        return {"role": "assistant", "content": rng.choice([None, text(rng)]), "tool_calls": made}
    if kind < 0.95 and calls:
        content = rng.choice([text(rng), {"found": text(rng)}])
        answered = {"tool_call_id": rng.choice(calls[-3:]), "name": "find"}
        return {"role": "tool", "content": content, **answered}
    return {"role": "system", "content": text(rng)}


def draw(rng: random.Random, kind: str) -> Case:
    """A conversation whose messages change and go."""
    calls: list[str] = []
    ops: list[dict[str, Any]] = []
    for _ in range(rng.randint(5, 40)):
        chance = rng.random()
        if chance < 0.65:
            ops.append({"op": "add", **draw_message(rng, calls)})
        elif chance < 0.7:
            ops.append({"op": "update", "at": rng.randint(0, 12), "content": line(rng)})
        elif chance < 0.73:
            ops.append({"op": "replace", "at": rng.randint(0, 12), "content": line(rng)})
        elif chance < 0.76:
            ops.append({"op": "delete", "at": rng.randint(0, 12)})
        elif chance < 0.79:
            ops.append({"op": "remove", "at": rng.randint(0, 12)})
        elif chance < 0.86:
            ops.append({"op": "recent", "n": rng.randint(0, 5)})
        elif chance < 0.93:
            role = rng.choice(["user", "assistant", "tool", "system"])
            ops.append({"op": "role", "role": role, "n": rng.choice([None, 0, 2])})
        elif chance < 0.98:
            ops.append({"op": "view"})
        else:
            ops.append({"op": "reset"})
    options: dict[str, Any] = {"description": rng.choice([None, "You help."])}
    if kind == "managed":
        options["target"] = rng.choice([rng.randint(10, 80), rng.randint(50, 600), 100_000])
    return {"options": options, "kind": kind, "ops": ops}


def made(case: Case, side: Side) -> Any:
    """The memory of a case."""
    kind = (THEIRS if side == "theirs" else OURS)[case["kind"]]
    if case["kind"] == "conversation":
        return kind(case["options"]["description"])
    target = case["options"]["target"]
    config = ManagedMemoryConfig()
    if hasattr(config, "active_context"):
        # The later releases pack to a share of their threshold.
        config.threshold_tokens = target
        config.active_context.mode = "sliding_window"
    else:
        config.target_total_tokens = target
    return kind(config, description=case["options"]["description"])


def play(case: Case, side: Side) -> list[Any]:
    """The whole history after each operation, and what it gave."""
    run = f"r{next(rounds)}-"
    memory = made(case, side)
    is_managed = case["kind"] == "managed"
    seen: list[Any] = []
    for number, op in enumerate(case["ops"]):
        raw = memory.raw_messages if is_managed else memory.memory
        at = op.get("at", 0)
        message_id = raw[at].message_id if at < len(raw) else "none"
        value: Any = None
        try:
            match op["op"]:
                case "add":
                    fields = {key: op[key] for key in op if key != "op"}
                    value = memory.add(Message(message_id=f"{run}{number}", **fields))
                case "update":
                    memory.update(message_id, content=op["content"])
                case "replace":
                    role = raw[at].role if at < len(raw) else "user"
                    named = f"{run}{number}"
                    memory.replace_memory(at, role=role, content=op["content"], message_id=named)
                case "delete":
                    memory.delete_memory(at)
                case "remove":
                    value = memory.remove_by_id(message_id)
                case "recent":
                    value = memory.retrieve_recent(op["n"])
                case "role":
                    value = memory.retrieve_by_role(op["role"], op["n"])
                case "view":
                    value = {"view": memory.get_messages()}
                case "reset":
                    memory.reset_memory()
        except Exception as error:
            # MARSYS 0.1.2 fails as it makes its own error: only a place out of range has a class.
            value = ["raises", isinstance(error, IndexError)]
        seen.append(value.replace(run, "") if isinstance(value, str) else value)
        found = [memory.retrieve_by_id(f"{run}{name}") for name in (0, number)]
        seen.extend([*found, [one.to_llm_dict() for one in raw]])
        seen.append([one.message_id.startswith(run) and one.message_id[len(run) :] for one in raw])
        if is_managed:
            stats = memory.get_cache_stats()
            seen.append([stats["raw_count"], stats["estimated_total_tokens"]])
    return seen


def known_managed(case: Case, theirs: Any, ours: Any) -> str | None:
    """The one difference that is meant: a view never parts a call from its results."""
    is_view = isinstance(theirs, dict) and isinstance(ours, dict)
    has_calls = any("tool_calls" in op for op in case["ops"])
    return "a call and its results stay together" if is_view and has_calls else None


FEATURES = [
    Feature("conversation", lambda rng: draw(rng, "conversation"), play),
    Feature("managed", lambda rng: draw(rng, "managed"), play, known_managed),
    Feature("facts", marsys_facts.draw, marsys_facts.play),
    Feature("compaction", marsys_chain.draw, marsys_chain.play),
    # Whole runs need an agent of MARSYS.
    Feature("runs", marsys_runs.draw, marsys_runs.play, is_recorded=False),
]

if __name__ == "__main__":
    # Messages about what does not fit are no news here.
    logging.disable()
    is_later = hasattr(ManagedMemoryConfig(), "active_context")
    main(FEATURES if is_later else FEATURES[:3], use)
