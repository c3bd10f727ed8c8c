"""The messages of LangChain go in and come out equal, by its own types. Conversations are random:
a run prints its seed, and ``TEST_SEED`` repeats it."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    messages_from_dict,
    messages_to_dict,
)
from memorysidecar import AsyncClient, Client, rendered_in

SEED = int(os.environ.get("TEST_SEED", random.SystemRandom().randrange(1 << 31)))
PICTURE = "iVBORw0KGgo="
TEXT = {"type": "text", "text": "Where to? 🌞"}


def said(rng: random.Random) -> Any:
    return rng.choice(
        [
            "Where to?",
            "",
            [TEXT],
            [TEXT, {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}],
            [TEXT, {"type": "image", "base64": PICTURE, "mime_type": "image/png"}],
            [{"type": "image", "url": "https://example.com/a.png"}],
            ["plain", TEXT],
        ]
    )


def answered(rng: random.Random) -> Any:
    return rng.choice(
        [
            "To Funchal.",
            [{"type": "text", "text": "To Funchal.", "annotations": []}],
            [{"type": "thinking", "thinking": "Look it up.", "signature": "EqQB"}, TEXT],
            [{"type": "reasoning", "reasoning": "Look it up."}, TEXT],
            [{"type": "vendor_block", "value": [1, 2.5, None]}],
        ]
    )


def more(rng: random.Random) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    if rng.random() < 0.3:
        chosen["id"] = f"m{rng.randrange(1 << 30)}"
    if rng.random() < 0.2:
        chosen["name"] = "ana"
    if rng.random() < 0.2:
        chosen["additional_kwargs"] = {"cache": {"ttl": "5m"}}
    return chosen


def turn(rng: random.Random, number: int) -> list[BaseMessage]:
    ids = [f"c{number}-{at}" for at in range(rng.choice([0, 0, 1, 2]))]
    calls = [{"name": "look", "args": {"month": 3, "to": ["é"]}, "id": one} for one in ids]
    usage: Any = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    results = [
        ToolMessage(
            rng.choice(["20 degrees", [{"type": "text", "text": "20 degrees"}]]),
            tool_call_id=one,
            status=rng.choice(["success", "error"]),
            artifact=rng.choice([None, {"rows": [1, 2]}]),
        )
        for one in ids
    ]
    asked = [AIMessage(answered(rng), tool_calls=calls, usage_metadata=usage)] if ids else []
    metadata = rng.choice([{}, {"model_name": "m-1", "finish_reason": "stop"}])
    answer = AIMessage(answered(rng), response_metadata=metadata, **more(rng))
    return [HumanMessage(said(rng), **more(rng)), *asked, *results, answer]


def conversation(rng: random.Random) -> list[BaseMessage]:
    turns = [one for number in range(rng.randint(1, 4)) for one in turn(rng, number)]
    return [*([SystemMessage("You plan trips.")] if rng.random() < 0.5 else []), *turns]


def stored(messages: list[BaseMessage]) -> list[BaseMessage]:
    """The messages as LangChain's own way to store them gives them back."""
    return messages_from_dict(messages_to_dict(messages))


@pytest.mark.parametrize("number", range(25))
def test_random_conversations_come_back_equal(client: Client, number: int) -> None:
    print(f"TEST_SEED={SEED}")
    messages = conversation(random.Random(SEED + number))
    session = f"talk-{number}"
    options: Any = {"form": "langchain", "create_session": True}
    turn = client.append(session, messages, window={"form": "langchain"}, **options)
    assert list(client.list_messages(session, form="langchain")) == stored(messages) == messages
    window = client.window(session, form="langchain")
    assert window.messages == messages and window.system is None
    assert rendered_in(turn.window, "langchain").messages == messages


def test_a_text_is_what_the_user_says_and_the_server_sees_it(client: Client) -> None:
    client.append("s", "Where to?", form="langchain", create_session=True)
    client.append("s", AIMessage("There."), form="langchain", turn_end=True)
    assert [one.text for one in client.window("s").messages] == ["Where to?", "There."]
    assert client.window("s", form="langchain").messages == [
        HumanMessage("Where to?"),
        AIMessage("There."),
    ]
    prompt = client.assemble_context("s", form="langchain", max_tokens=1000)
    assert prompt.messages[-1] == AIMessage("There.")
    # Other forms do not have the key of LangChain.
    assert client.window("s", form="anthropic").messages[0]["role"] == "user"


def test_a_message_that_was_changed_comes_as_it_is_now(client: Client) -> None:
    said = HumanMessage("My card is 4111.", id="h1", additional_kwargs={"source": "web"})
    client.append("s", said, form="langchain", create_session=True)
    [message] = client.window("s").messages
    client.update_message("s", message.message_id, text="My card is ****.")
    assert client.window("s", form="langchain").messages == [HumanMessage("My card is ****.")]


def test_messages_that_other_sdks_wrote_come_as_those_of_langchain(client: Client) -> None:
    use = {"type": "tool_use", "id": "c1", "name": "look", "input": {"month": 3}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "20 degrees"}
    log = [
        {"role": "user", "content": "Where to?"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    client.append("s", log, form="anthropic", create_session=True)
    asked, called, found = client.window("s", form="langchain").messages
    assert isinstance(asked, HumanMessage) and isinstance(found, ToolMessage)
    assert (called.tool_calls[0]["args"], found.content) == ({"month": 3}, "20 degrees")


async def test_asyncio(async_client: AsyncClient) -> None:
    messages = [HumanMessage("a"), AIMessage("b", id="x")]
    await async_client.append("s", messages, form="langchain", create_session=True)
    assert (await async_client.window("s", form="langchain")).messages == messages
    pages = async_client.list_messages("s", form="langchain")
    assert [one async for one in pages] == messages
