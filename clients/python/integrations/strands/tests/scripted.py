"""A model that says what a test gives it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from strands.models import Model

ANSWER = {"text": "They are on the roof."}


def use(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    """Makes a call of a tool."""
    return {"toolUse": {"name": name, "toolUseId": call_id, "input": arguments}}


class Scripted(Model):
    """Gives one block of content for each call, and keeps the messages of each."""

    def __init__(self, *blocks: dict[str, Any]) -> None:
        self.blocks = list(blocks)
        self.seen: list[list[Any]] = []

    def update_config(self, **config: Any) -> None:
        pass

    def get_config(self) -> Any:
        return {"context_window_limit": 200_000}

    async def structured_output(self, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError
        yield

    async def stream(self, messages: Any, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        self.seen.append([*messages])
        for event in _events_of(self.blocks.pop(0)):
            yield event


def _events_of(block: dict[str, Any]) -> Iterator[Any]:
    call = block.get("toolUse")
    start, delta = {}, {"text": block.get("text")}
    if call:
        start = {"toolUse": {"name": call["name"], "toolUseId": call["toolUseId"]}}
        delta = {"toolUse": {"input": json.dumps(call["input"])}}
    yield {"messageStart": {"role": "assistant"}}
    yield {"contentBlockStart": {"start": start}}
    yield {"contentBlockDelta": {"delta": delta}}
    yield {"contentBlockStop": {}}
    yield {"messageStop": {"stopReason": "tool_use" if call else "end_turn"}}
