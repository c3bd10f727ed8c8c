"""A chat client that says what a test gives it, and messages."""

from __future__ import annotations

from typing import Any

from agent_framework import BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message

ANSWER = "They are on the roof."


def call(call_id: str, **arguments: Any) -> Content:
    """Makes a call of the tool `look`."""
    return Content.from_function_call(call_id, "look", arguments=arguments)


class Scripted(FunctionInvocationLayer, BaseChatClient):
    """Gives one content for each call, and keeps the messages of each."""

    def __init__(self, *contents: Content | str) -> None:
        super().__init__()
        self.contents = list(contents)
        self.seen: list[list[Message]] = []

    def _inner_get_response(self, *, messages: Any, **options: Any) -> Any:
        return self._answer(messages)

    async def _answer(self, messages: Any) -> ChatResponse:
        self.seen.append([*messages])
        return ChatResponse(messages=[Message("assistant", [self.contents.pop(0)])])


def turn(number: int) -> list[Message]:
    """Makes the messages of a turn with a call."""
    call_id = f"c{number}"
    return [
        Message("user", [f"What does note {number} say about storks?"]),
        Message("assistant", [call(call_id, note=number)]),
        Message("tool", [Content.from_function_result(call_id, result="They are back.")]),
        Message("assistant", ["The storks are back."]),
    ]
