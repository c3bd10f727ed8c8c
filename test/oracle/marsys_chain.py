"""The compaction chain of the later releases of MARSYS, with scripted models."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import random
from typing import Any

from marsys.agents import memory as theirs
from memorysidecar.compat import marsys as ours

from compare import Case, Side
from words import line, text

IMAGE = "https://example.com/{}.png"
# Stages of MARSYS say when they ran, and for how long.
CLOCKS = ("compacted_at", "duration_seconds")
rounds = itertools.count()


class Model:
    """A model that fails, says nothing of use, or answers by what it was asked."""

    def run(self, messages: list[dict[str, Any]], **options: Any) -> Any:
        """Gives a summary in one of the forms that models have."""
        asked = hashlib.sha256(json.dumps([messages, options]).encode()).hexdigest()
        if asked[0] in "01":
            raise RuntimeError("the model is away")
        if asked[0] == "2":
            return "I would rather not."
        answer: dict[str, Any] = {"summary": f"Summary {asked[:8]}", "open_threads": []}
        answer["user_request_summary"] = f"Wishes {asked[:8]}" if asked[1] < "c" else ""
        answer["salient_facts"] = ["Tea", "Rome"][: int(asked[2], 16) % 3]
        if asked[3] < "8":
            images = [{"image_id": f"img_000{at}", "context": "A map"} for at in range(3)]
            answer["keep_images"] = images
        written = json.dumps(answer)
        forms = [
            written,
            {"content": written},
            f"Here:\n```json\n{written}\n```",
            f"So: {written}!",
        ]
        return forms[int(asked[4], 16) % 4]


def draw_message(rng: random.Random, calls: list[str]) -> dict[str, Any]:
    """A message as data: long results, results as user messages, images."""
    kind = rng.random()
    if kind < 0.25:
        return {"role": "user", "content": text(rng)}
    if kind < 0.32:
        image = {"type": "image_url", "image_url": {"url": IMAGE.format(rng.randint(0, 9))}}
        parts = [{"type": "text", "text": line(rng)}, image, image][: rng.randint(1, 3)]
        return {"role": "user", "content": parts}
    if kind < 0.38:
        return {"role": "user", "content": f"Tool find returned: {text(rng) * rng.randint(1, 9)}"}
    if kind < 0.55:
        content = rng.choice([text(rng), {"thought": line(rng)}])
        return {"role": "assistant", "content": content, "name": rng.choice([None, "planner"])}
    if kind < 0.7:
        ids = [f"c{len(calls) + index}" for index in range(rng.randint(1, 2))]
        calls.extend(ids)
        function = {"name": "find", "arguments": '{"q": "tea"}'}
        made = [{"id": one, "type": "function", "function": function} for one in ids]
        return {"role": "assistant", "content": rng.choice([None, text(rng)]), "tool_calls": made}
    if kind < 0.97 and calls:
        found = text(rng) * rng.randint(1, 9)
        answered = {"tool_call_id": rng.choice(calls[-3:]), "name": "find"}
        return {"role": "tool", "content": rng.choice([found, {"found": found}]), **answered}
    return {"role": "system", "content": line(rng)}


def draw_options(rng: random.Random) -> dict[str, Any]:
    """A chain, with gates and switches."""
    order = ["tool_truncation", "summarization", "backward_packing"]
    if rng.random() < 0.4:
        order = rng.sample([*order, "unknown", "model_compaction"], rng.randint(0, 4))
    grace = [rng.choice([1, 1, 0, 2, 4]) for _ in range(3)]
    return {
        "threshold": rng.choice([rng.randint(20, 200), rng.randint(100, 800)]),
        "order": order,
        "excluded": [name for name in order if rng.random() < 0.15],
        "ratio": rng.choice([0.4, 0.1, 0.0, 0.8]),
        "truncation": [rng.random() < 0.9, rng.randint(5, 60), grace[0], rng.random() < 0.7],
        "summarization": [
            rng.random() < 0.9,
            grace[1],
            rng.choice([None, 0, 1]),
            rng.random() < 0.5,
        ],
        "packing": grace[2],
        "has_model": rng.random() < 0.8,
        "instruction": rng.choice([None, "You plan."]),
    }


def draw(rng: random.Random) -> Case:
    """A conversation that is compacted now and then, and whose messages change and go."""
    calls: list[str] = []
    ops: list[dict[str, Any]] = []
    for _ in range(rng.randint(8, 40)):
        chance = rng.random()
        at = rng.randint(0, 8)
        if chance < 0.66:
            ops.append({"op": "add", **draw_message(rng, calls)})
        elif chance < 0.86:
            ops.append({"op": "compact"})
        elif chance < 0.9:
            ops.append({"op": "payload"})
        elif chance < 0.93:
            ops.append({"op": "update", "at": at, "content": line(rng)})
        elif chance < 0.95:
            role = rng.choice(["user", "assistant"])
            ops.append({"op": "replace", "at": at, "role": role, "content": line(rng)})
        elif chance < 0.97:
            ops.append({"op": "delete", "at": at})
        elif chance < 0.99:
            ops.append({"op": "remove", "at": at})
        else:
            ops.append({"op": "reset"})
    return {"options": draw_options(rng), "ops": ops}


def config_of(options: dict[str, Any]) -> Any:
    """The configuration of a case."""
    config = getattr(theirs, "LaterMemoryConfig", theirs.ManagedMemoryConfig)()
    config.threshold_tokens = options["threshold"]
    later = config.active_context
    later.processor_order = options["order"]
    later.excluded_processors = options["excluded"]
    later.min_reduction_ratio = options["ratio"]
    cut, told = later.tool_truncation, later.summarization
    cut.enabled, cut.max_tool_message_tokens, cut.grace_recent_messages = options["truncation"][:3]
    cut.include_tool_payload_user_messages = options["truncation"][3]
    told.enabled, told.grace_recent_messages, told.max_retained_images = options["summarization"][
        :3
    ]
    told.include_image_payload_bytes = options["summarization"][3]
    later.backward_packing.grace_recent_messages = options["packing"]
    return config


def without_clocks(value: Any) -> Any:
    """Notes of MARSYS on a compaction, less their times."""
    if isinstance(value, list):
        return [without_clocks(one) for one in value]
    if isinstance(value, dict):
        return {key: without_clocks(one) for key, one in value.items() if key not in CLOCKS}
    return value


def noted(memory: Any, rewrites: list[Any]) -> None:
    """Keeps what MARSYS makes of a context, for those who replay a case without it."""
    compact = memory.raw_messages.compact

    def noting(wanted: list[Any]) -> None:
        rewrites.append([[getattr(one, "place", None), dict(one)] for one in wanted])
        compact(wanted)

    memory.raw_messages.compact = noting


def play(case: Case, side: Side) -> list[Any]:
    """The context after each operation, what it gave, and what MARSYS notes of a compaction."""
    run = f"r{next(rounds)}-"
    package: Any = theirs if side == "theirs" else ours
    memory = package.ManagedConversationMemory(config_of(case["options"]))
    rewrites: list[Any] = []
    replayed = getattr(theirs, "REWRITES", None)
    if replayed is not None:
        replayed[:] = case["compactions"]
    elif side == "ours":
        noted(memory, rewrites)
        case["compactions"] = []
    runtime = {"agent_instruction": case["options"]["instruction"]}
    if case["options"]["has_model"]:
        runtime |= {"compaction_model": Model(), "compaction_model_name": "small"}
    seen: list[Any] = []
    for number, op in enumerate(case["ops"]):
        value: Any = None
        try:
            value = act(memory, op, f"{run}{number}", runtime)
        except (IndexError, theirs.MessageError):
            value = "raises"
        if op["op"] in ("compact", "payload"):
            notes = without_clocks({**memory.metadata.get("last_compaction", {}), "timestamp": 0})
            value = [value, notes]
            if replayed is None and side == "ours":
                made = rewrites.pop() if rewrites else None
                case["compactions"].append({"made": made, "value": value[0], "notes": notes})
        seen.extend([value, memory.get_messages()])
        by_role = [memory.retrieve_by_role(role, 2) for role in ("user", "assistant")]
        ids = [one.message_id for one in memory.get_raw_messages()]
        found = [memory.retrieve_by_id(one) for one in ids[:2]]
        stats = memory.get_cache_stats()
        counts = [len(set(ids)), stats["raw_count"], stats["estimated_total_tokens"]]
        seen.append([memory.retrieve_recent(3), by_role, found, counts])
    return seen


def act(memory: Any, op: dict[str, Any], name: str, runtime: dict[str, Any]) -> Any:
    """Does an operation. Gives what the memory gave, without ids."""
    raw = memory.raw_messages
    at = op.get("at", 0)
    message_id = raw[at].message_id if at < len(raw) else "none"
    match op["op"]:
        case "add":
            fields = {key: op[key] for key in op if key != "op"}
            return memory.add(theirs.Message(message_id=name, **fields)) == name
        case "compact":
            return asyncio.run(memory._run_compaction(runtime))
        case "payload":
            return asyncio.run(memory.compact_for_payload_error(runtime))
        case "update":
            return memory.update(message_id, content=op["content"])
        case "replace":
            new = {"role": op["role"], "content": op["content"], "message_id": name}
            return memory.replace_memory(at, **new)
        case "delete":
            return memory.delete_memory(at)
        case "remove":
            return memory.remove_by_id(message_id)
    return memory.reset_memory()
