"""Random operations on the chat store of LlamaIndex, and on ours."""

from __future__ import annotations

import random
from collections.abc import Sequence
from copy import deepcopy
from typing import Any
from uuid import uuid4

import pytest
from differential import differ
from llama_index.core.base.llms.types import (
    ChatMessage,
    CitableBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.storage.chat_store import SimpleChatStore
from memorysidecar import Client
from real import RealServer

from memorysidecar_llama_index import SidecarChatStore

KEYS = ("a", "", "a/b", "ü %", "\n\0", "-", "x" * 600)
KINDS = ("add",) * 4 + ("insert", "get", "get", "delete", "delete", "last", "set", "set")
KINDS += ("clear", "clear", "keys")
TEXTS = ("", "Where are the storks?", "😀\0", "<b>", "{}") * 8 + ("y" * 70_000,)


def draw_message(draw: random.Random) -> ChatMessage:
    call = draw.choice(("c1", "c2", "ü", "z" * 300, None))
    blocks: list[Any] = [
        TextBlock(text=draw.choice(TEXTS)),
        ToolCallBlock(tool_call_id=call, tool_name="look", tool_kwargs={"at": [1, None, 2.5]}),
        ToolCallBlock(tool_name="", tool_kwargs='{"at": 1'),
        ImageBlock(image=b"\x89PNG\xff", image_mimetype="image/png"),
        DocumentBlock(data=b"\xff\0", document_mimetype="application/pdf"),
        ThinkingBlock(content="hm", additional_information={"signature": "s"}),
        CitableBlock(title="t", source="s", content=[TextBlock(text="cited")]),
    ]
    arguments: dict[str, Any] = draw.choice(
        (
            {},
            {"tool_call_id": call},
            {"n": 1.5, "deep": {"ü": [True, None, 2**70]}},
            {"tool_calls": [{"id": call, "function": {"name": "f", "arguments": "{}"}}, 1]},
        )
    )
    roles = ("user", "assistant", "assistant", "tool", "system", "developer", "function", "model")
    return ChatMessage(
        role=draw.choice(roles),
        blocks=draw.sample(blocks, draw.choice((0, 1, 1, 2, 3))),
        additional_kwargs=arguments,
    )


def draw_step(draw: random.Random) -> dict[str, Any]:
    return {
        "kind": draw.choice(KINDS),
        "key": draw.choice(KEYS),
        "messages": [draw_message(draw) for _ in range(draw.choice((0, 1, 2, 5)))],
        "message": draw_message(draw),
        "index": draw.choice((0, 0, 1, 2, -1, -2, 7, -7)),
        "keeps": draw.choice((0, 1, 3)),
    }


def do(store: Any, step: dict[str, Any]) -> Any:
    """Does a step on one store; gives what its caller sees."""
    key, message = step["key"], deepcopy(step["message"])
    match step["kind"]:
        case "add":
            return store.add_message(key, message)
        case "insert":
            return store.add_message(key, message, idx=step["index"])
        case "delete" | "last":
            try:
                if step["kind"] == "last":
                    return store.delete_last_message(key)
                return store.delete_message(key, step["index"])
            except IndexError:
                return None
        case "set":
            kept = store.get_messages(key)[: step["keeps"]]
            return store.set_messages(key, [*kept, *deepcopy(step["messages"])])
        case "clear":
            return store.delete_messages(key)
        case "keys":
            return store.get_keys()
        case _:
            return list(store.get_messages(key))


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_simple_store(server: RealServer) -> None:
    with Client(server.address, namespace=f"t-{uuid4().hex}") as client:

        def play(steps: Sequence[dict[str, Any]]) -> str | None:
            ours: Any = SidecarChatStore(client, root=uuid4().hex)
            theirs: Any = SimpleChatStore()
            for step in steps:
                expected, found = do(theirs, step), do(ours, step)
                if found != expected:
                    return f"{step}\n  gives {found!r}\n  not   {expected!r}"
            return None

        differ("LlamaIndex", "chat store", draw_step, play, 800)
