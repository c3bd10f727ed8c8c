"""Whole runs of agents of MARSYS, with scripted models."""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
from typing import Any

from compare import Case, Side
from marsys_chain import Model, config_of, draw_options, ours, theirs, without_clocks
from words import line, text


class Script(Model):
    """A model that calls tools and answers as it is told, and notes what it was asked."""

    def __init__(self, steps: list[list[Any]]) -> None:
        self.steps = steps
        self.asked: list[Any] = []

    async def arun(self, messages: list[dict[str, Any]], **options: Any) -> Any:
        """Gives the next answer, or a summary if one is wanted."""
        if "response_schema" in options:
            return self.run(messages, **options)
        from marsys.agents.exceptions import ModelAPIError
        from marsys.models.response_models import HarmonizedResponse, ResponseMetadata

        self.asked.append([dict(one) for one in messages])
        kind, value = self.steps.pop(0) if self.steps else ["answer", "Done."]
        if kind == "too large":
            raise ModelAPIError("too large", provider="openai", classification="request_too_large")
        metadata = ResponseMetadata(provider="openai", model="small")
        if kind == "answer":
            said = (
                '```json\n{"next_action": "final_response", "action_input": {"response": "Yes."}}'
            )
            return HarmonizedResponse(content=f"{said}\n```\n{value}", metadata=metadata)
        function = {"name": "find", "arguments": f'{{"count": {value}}}'}
        call = {"id": f"c{len(self.asked)}", "type": "function", "function": function}
        return HarmonizedResponse(content="I look.", tool_calls=[call], metadata=metadata)


def find(count: int) -> str:
    """Finds things.

    Args:
        count: How many.
    """
    return "Found tea. " * count


def draw(rng: random.Random) -> Case:
    """An agent that is asked a few things; its memory is compacted as it runs."""
    ops = []
    for _ in range(rng.randint(2, 5)):
        steps: list[list[Any]] = []
        for _ in range(rng.randint(0, 3)):
            is_large = rng.random() < 0.2
            steps.append(["too large", 0] if is_large else ["call", rng.randint(1, 120)])
        steps.append(["answer", line(rng)])
        ops.append({"op": "run", "text": text(rng) or "Hello", "steps": steps})
    return {"options": draw_options(rng), "ops": ops}


async def converse(case: Case, side: Side) -> list[Any]:
    """Each prompt, what the agent gave, and its memory afterwards."""
    from marsys.agents import Agent
    from marsys.models.models import ModelConfig

    named = ModelConfig(type="api", provider="openai", name="small", api_key="none")
    package: Any = theirs if side == "theirs" else ours
    memory = package.MemoryManager(
        "managed_conversation", "You plan.", memory_config=config_of(case["options"])
    )
    seen: list[Any] = []
    for op in case["ops"]:
        # An agent of MARSYS runs once; its memory goes on.
        about = {"goal": "Plan.", "instruction": "You plan.", "name": "planner"}
        agent = Agent(named, tools={"find": find}, plan_config=False, **about)
        script = Script([list(step) for step in op["steps"]])
        agent.model, agent.memory = script, memory
        given = await agent.auto_run(op["text"], max_steps=8, verbosity=0)
        notes = memory.memory_module.metadata.get("last_compaction", {})
        seen.extend([*script.asked, given, memory.get_messages()])
        seen.append(without_clocks({**notes, "timestamp": 0}))
        seen.append(memory.memory_module.get_cache_stats()["estimated_total_tokens"])
    return seen


def play(case: Case, side: Side) -> list[Any]:
    """The same, for a caller that is not asynchronous, without the banner of MARSYS."""
    with contextlib.redirect_stdout(io.StringIO()):
        return asyncio.run(converse(case, side))
