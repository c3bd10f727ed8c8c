"""selectools beside our drop-in classes."""

from __future__ import annotations

import json
import random
from typing import Any

from memorysidecar.compat import use
from memorysidecar.compat.selectools import ConversationMemory as Ours
from selectools.memory import ConversationMemory as Theirs
from selectools.types import ContentPart, Message, Role, ToolCall

from compare import Case, Feature, Side, main
from words import text


def draw_message(rng: random.Random, calls: list[str]) -> dict[str, Any]:
    """A message as data: calls with late, missing and orphan results, images, parts."""
    kind = rng.random()
    if kind < 0.4:
        message: dict[str, Any] = {"role": "user", "content": text(rng)}
    elif kind < 0.65:
        message = {"role": "assistant", "content": text(rng)}
    elif kind < 0.8:
        count = rng.randint(1, 3)
        ids = [f"c{len(calls) + index}" for index in range(count)]
        calls.extend(ids)
        named = [None if rng.random() < 0.1 else one for one in ids]
        made = [{"tool_name": "find", "parameters": {"q": text(rng)}, "id": one} for one in named]
        message = {"role": "assistant", "content": text(rng), "tool_calls": made}
    elif kind < 0.95:
        answered = rng.choice(calls) if calls and rng.random() < 0.9 else "orphan"
        result = text(rng)
        message = {"role": "tool", "content": result, "tool_name": "find"}
        message["tool_call_id"] = None if rng.random() < 0.05 else answered
        message["tool_result"] = result if rng.random() < 0.8 else None
    else:
        message = {"role": "system", "content": text(rng)}
    if rng.random() < 0.08:
        message["content_parts"] = [
            {"type": "text", "text": text(rng)},
            {"type": "image_url", "image_url": "https://example.com/a.png"},
        ]
    return message


def message_of(data: dict[str, Any]) -> Message:
    """A message of data."""
    fields = {**data, "role": Role(data["role"])}
    if "tool_calls" in fields:
        fields["tool_calls"] = [ToolCall(**call) for call in fields["tool_calls"]]
    if "content_parts" in fields:
        fields["content_parts"] = [ContentPart(**part) for part in fields["content_parts"]]
    return Message(**fields)


def draw_memory(rng: random.Random) -> Case:
    """A conversation with limits that change, summaries, branches and documents."""
    calls: list[str] = []
    ops: list[dict[str, Any]] = []
    for _ in range(rng.randint(5, 40)):
        kind = rng.random()
        if kind < 0.7:
            ops.append({"op": "add", "messages": [draw_message(rng, calls)]})
        elif kind < 0.82:
            many = [draw_message(rng, calls) for _ in range(rng.randint(0, 5))]
            ops.append({"op": "add_many", "messages": many})
        elif kind < 0.87:
            ops.append({"op": "recent", "n": rng.randint(0, 6)})
        elif kind < 0.91:
            ops.append({"op": "summary", "text": rng.choice([None, text(rng)])})
        elif kind < 0.94:
            ops.append({"op": "branch"})
        elif kind < 0.97:
            ops.append({"op": "document"})
        elif kind < 0.985:
            ops.append({"op": "limit", "max_messages": rng.randint(1, 9)})
        else:
            ops.append({"op": "clear"})
    tokens = rng.choice([None, None, rng.randint(1, 60), rng.randint(50, 900)])
    return {"options": {"max_messages": rng.randint(1, 12), "max_tokens": tokens}, "ops": ops}


def play_memory(case: Case, side: Side) -> list[Any]:
    """History, trimmed messages, length and summary after each operation."""
    kind = Theirs if side == "theirs" else Ours
    memory = kind(**case["options"])
    seen: list[Any] = []
    for op in case["ops"]:
        value: Any = None
        match op["op"]:
            case "add":
                memory.add(message_of(op["messages"][0]))
            case "add_many":
                memory.add_many([message_of(one) for one in op["messages"]])
            case "recent":
                try:
                    value = [one.to_dict() for one in memory.get_recent(op["n"])]
                except ValueError as error:
                    value = str(error)
            case "summary":
                memory.summary = op["text"]
            case "branch":
                memory = memory.branch()
            case "document":
                memory = kind.from_dict(memory.to_dict())
            case "limit":
                memory.max_messages = op["max_messages"]
            case "clear":
                memory.clear()
        trimmed = [one.to_dict() for one in memory._last_trimmed]
        whole = memory.to_dict()
        seen.extend([whole.pop("summary"), whole.pop("messages"), whole, trimmed, len(memory)])
        seen.append(value)
    return seen


def known_memory(case: Case, theirs: Any, ours: Any) -> str | None:
    """The one difference that is meant."""
    if theirs == "" and ours is None:
        return "an empty summary is none"
    texts = json.dumps(case)
    if "content_parts" in texts and '"document"' in texts:
        return "text parts count in a document that is imported"
    return None


FEATURES = [Feature("memory", draw_memory, play_memory, known_memory)]

if __name__ == "__main__":
    main(FEATURES, use)
