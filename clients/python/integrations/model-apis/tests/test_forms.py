"""Windows and prompts in each form, judged by the types that the SDKs of the model APIs publish.

Histories are random. A run prints its seed, and ``TEST_SEED`` repeats it.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterable
from typing import Any, get_args

import pytest
from anthropic.types import MessageParam, TextBlockParam
from google.genai.types import Content
from memorysidecar import Client, FormName, policy
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter, ValidationError

SEED = int(os.environ.get("TEST_SEED", random.SystemRandom().randrange(1 << 31)))
# The messages of LangChain are judged by its integration.
FORMS: tuple[FormName, ...] = tuple(one for one in get_args(FormName) if one != "langchain")
HISTORIES = 15
MESSAGES: dict[str, TypeAdapter[Any]] = {
    "openai_chat": TypeAdapter(list[ChatCompletionMessageParam]),
    "openai_responses": TypeAdapter(list[ResponseInputItemParam]),
    "anthropic": TypeAdapter(list[MessageParam]),
    "gemini": TypeAdapter(list[Content]),
}
SYSTEM: dict[str, TypeAdapter[Any]] = {
    "anthropic": TypeAdapter(list[TextBlockParam]),
    "gemini": TypeAdapter(Content),
}
PLACES = ("system", "user_message", "tool_result")
PICTURE = "iVBORw0KGgo="
ARGUMENTS = {"month": 3, "places": ["Funchal"]}


def walk(value: Any) -> None:
    """Reads a value to its end: an ``Iterable`` of a TypedDict is checked while it is read."""
    if isinstance(value, dict):
        for one in value.values():
            walk(one)
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        for one in value:
            walk(one)


def check(form: str, messages: Any, system: Any) -> None:
    """Checks messages and a system prompt by the types of their SDK."""
    walk(MESSAGES[form].validate_python(messages))
    if system is not None:
        walk(SYSTEM[form].validate_python(system))


def chat(rng: random.Random, ids: list[str]) -> list[Any]:
    """A turn in the form of Chat Completions."""
    text = {"type": "text", "text": rng.choice(["Where to?", "And then?", "Olá 🌞"])}
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
    said: Any = rng.choice([text["text"], [text], [text, picture]])
    calls = [
        {
            "id": one,
            "type": "function",
            "function": {"name": "look", "arguments": json.dumps(ARGUMENTS)},
        }
        for one in ids
    ]
    results = [{"role": "tool", "tool_call_id": one, "content": "20 degrees"} for one in ids]
    asking = [{"role": "assistant", "content": None, "tool_calls": calls}] if calls else []
    answer: Any = rng.choice(
        [{"content": "To Funchal."}, {"content": None, "refusal": "I can not help."}]
    )
    return [
        {"role": "user", "content": said},
        *asking,
        *results,
        {"role": "assistant", **answer},
    ]


def responses(rng: random.Random, ids: list[str]) -> list[Any]:
    """A turn in the form of Responses."""
    text = {"type": "input_text", "text": rng.choice(["Where to?", "And then?"])}
    picture = {
        "type": "input_image",
        "detail": "auto",
        "image_url": f"data:image/png;base64,{PICTURE}",
    }
    said: Any = rng.choice([text["text"], [text], [text, picture]])
    summary = [{"type": "summary_text", "text": "Look it up."}]
    thought = {"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": "gA"}
    arguments = json.dumps(ARGUMENTS)
    calls = [
        {"type": "function_call", "call_id": one, "name": "look", "arguments": arguments}
        for one in ids
    ]
    results = [{"type": "function_call_output", "call_id": one, "output": "20"} for one in ids]
    return [
        {"role": "user", "content": said},
        *([thought] if ids and rng.random() < 0.5 else []),
        *calls,
        *results,
        {"role": "assistant", "content": "To Funchal."},
    ]


def claude(rng: random.Random, ids: list[str]) -> list[Any]:
    """A turn in the form of Anthropic."""
    text = {"type": "text", "text": rng.choice(["Where to?", "And then?"])}
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
    said: Any = rng.choice([text["text"], [text], [text, {"type": "image", "source": source}]])
    thought = {"type": "thinking", "thinking": "Look it up.", "signature": "EqQB"}
    calls = [{"type": "tool_use", "id": one, "name": "look", "input": ARGUMENTS} for one in ids]
    results = [
        {
            "type": "tool_result",
            "tool_use_id": one,
            "content": rng.choice(["20 degrees", [{"type": "text", "text": "20 degrees"}]]),
            "is_error": rng.random() < 0.3,
        }
        for one in ids
    ]
    pair = [
        {"role": "assistant", "content": [thought, *calls]},
        {"role": "user", "content": results},
    ]
    answer = [{"type": "text", "text": "To Funchal."}]
    return [
        {"role": "user", "content": said},
        *(pair if ids else []),
        {"role": "assistant", "content": answer},
    ]


def gemini(rng: random.Random, ids: list[str]) -> list[Any]:
    """A turn in the form of Gemini."""
    text = {"text": rng.choice(["Where to?", "And then?"])}
    picture = {"inlineData": {"mimeType": "image/png", "data": PICTURE}}
    calls = [{"functionCall": {"id": one, "name": "look", "args": ARGUMENTS}} for one in ids]
    results = [
        {"functionResponse": {"id": one, "name": "look", "response": {"output": "20"}}}
        for one in ids
    ]
    pair = [{"role": "model", "parts": calls}, {"role": "user", "parts": results}]
    return [
        {"role": "user", "parts": rng.choice([[text], [text, picture]])},
        *(pair if ids else []),
        {"role": "model", "parts": [{"text": "To Funchal."}]},
    ]


TURNS: dict[FormName, Callable[[random.Random, list[str]], list[Any]]] = {
    "openai_chat": chat,
    "openai_responses": responses,
    "anthropic": claude,
    "gemini": gemini,
}


def history(form: FormName, rng: random.Random) -> list[Any]:
    """A conversation in a form, with a system prompt."""
    said: Any = {"parts": [{"text": "You help."}]} if form == "gemini" else {"content": "You help."}
    turns: list[Any] = [{"role": "system", **said}]
    for turn in range(rng.randrange(1, 7)):
        calls = [f"call_{turn}_{n}" for n in range(rng.choice([0, 0, 1, 2]))]
        turns += TURNS[form](rng, calls)
    return turns[: rng.randrange(2, len(turns) + 1)]


def block(place: str) -> dict[str, Any]:
    """A block with the fact about Ana, in a place of the prompt."""
    tool = {"tool_name": "recall"} if place == "tool_result" else {}
    return {
        "name": "facts",
        "place": place,
        "sections": ["long_term"],
        "fence": "facts",
        **tool,
    }


@pytest.mark.parametrize("form", FORMS)
def test_random_histories_are_what_every_sdk_takes(client: Client, form: FormName) -> None:
    print(f"TEST_SEED={SEED}")
    rng = random.Random(f"{SEED} {form}")
    client.remember("Ana likes the sea.", user_id="ana")
    for number in range(HISTORIES):
        session_id = f"{form}-{number}"
        trims = policy.sliding_window(max_messages=rng.randrange(2, 20))
        elements = history(form, rng)
        client.append(
            session_id,
            elements,
            form=form,
            create_session=True,
            session={"user_id": "ana", "policy": trims},
        )
        if rng.random() < 0.5:
            client.set_summary(session_id, "They greeted.")
        for other in FORMS:
            window = client.window(session_id, form=other)
            check(other, window.messages, window.system)
            prompt = client.assemble_context(session_id, form=other, max_tokens=4_000)
            check(other, prompt.messages, prompt.system)
            assert "Ana likes the sea." in json.dumps(prompt.messages), prompt.response
            assert 0 < prompt.response.token_count <= 4_000
            placed = client.assemble_context(
                session_id, form=other, blocks=[block(rng.choice(PLACES))]
            )
            check(other, placed.messages, placed.system)
            said = json.dumps([placed.system, placed.messages], ensure_ascii=False)
            assert said.count("Ana likes the sea.") == 1, placed.response


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ("openai_chat", {"role": "tool", "content": "no call"}),
        ("openai_responses", {"type": "function_call", "name": "look"}),
        ("anthropic", {"role": "user", "content": [{"type": "tool_result"}]}),
        ("gemini", {"role": "user", "parts": [{"functionCall": "look"}]}),
    ],
)
def test_the_types_refuse_what_no_api_takes(form: str, wrong: Any) -> None:
    with pytest.raises(ValidationError):
        check(form, [wrong], None)
