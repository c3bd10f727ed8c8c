"""A model of LlamaIndex that answers as a test tells it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM

ANSWER = "They are on the roof."


def call(call_id: str, **arguments: Any) -> ChatMessage:
    """An answer that calls the tool ``look``."""
    block = ToolCallBlock(tool_call_id=call_id, tool_name="look", tool_kwargs=arguments)
    return ChatMessage(role="assistant", blocks=[block])


def scripted(*answers: str | ChatMessage) -> tuple[MockFunctionCallingLLM, list[list[ChatMessage]]]:
    """Makes a model; gives it with the messages that it will have seen."""
    left = list(answers)
    seen: list[list[ChatMessage]] = []

    def answer(messages: Sequence[ChatMessage], **options: Any) -> ChatMessage:
        seen.append(list(messages))
        given = left.pop(0)
        return given if isinstance(given, ChatMessage) else said("assistant", given)

    model = MockFunctionCallingLLM()
    model.response_generator = answer
    return model, seen


def said(role: str, text: str, **arguments: Any) -> ChatMessage:
    return ChatMessage(role=role, blocks=[TextBlock(text=text)], additional_kwargs=arguments)


def turn(number: int) -> list[ChatMessage]:
    """A question, a call with its result, and the answer."""
    call_id = f"c{number}"
    return [
        said("user", f"Where is note {number}?"),
        call(call_id, note=number),
        said("tool", f"Note {number} is on the roof.", tool_call_id=call_id),
        said("assistant", ANSWER),
    ]
