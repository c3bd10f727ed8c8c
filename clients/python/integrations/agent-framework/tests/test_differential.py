"""Random operations on what Agent Framework keeps in memory, and on ours."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from agent_framework import AgentSession, Content, InMemoryHistoryProvider, Message, SessionStore
from differential import differ_async
from memorysidecar import AsyncClient
from real import RealServer

from memorysidecar_agent_framework import SidecarHistoryProvider
from memorysidecar_agent_framework.sessions import SidecarSessionStore

SESSIONS = ("s", "a/b", "ü %\n", "_", "n" * 600)
VALUES = (1, 1.5, 2**60, "text\r\n😀", None, True, [1, {"b": []}], {})


def message(number: int) -> Message:
    """Makes a message; those of other numbers differ, some have an id."""
    properties = {"z": 1.0, "a": number, "n": None}
    image = Content.from_data(b"\xff\0", media_type="image/png")
    contents: Any = {
        0: [f"Storks {number}.", "\r\n😀"],
        1: [Content.from_function_call(f"c{number}", "look", arguments={"at": number})],
        2: [Content.from_function_result(f"c{number - 1}", result={"n": 1.0})],
        3: [image, Content.from_text_reasoning(text="Hm.")],
        4: [],
    }[number % 5]
    return Message(
        ("user", "assistant", "tool", "assistant", "critic")[number % 5],
        contents,
        message_id=f"m{number}" if number % 3 == 0 else None,
        author_name="ü",
        additional_properties=properties,
    )


def draw_step(draw: random.Random) -> dict[str, Any]:
    start = draw.randrange(12)
    numbers = [*range(start, start + draw.choice((0, 1, 1, 2, 2, 3, 6)))]
    if draw.random() < 0.2:
        draw.shuffle(numbers)
    return {
        "kind": draw.choice(("get", "get", "save", "save", "save", "again", "tail")),
        "session": draw.choice(SESSIONS),
        "numbers": [number % 10 for number in numbers],
        "count": draw.choice((1, 2, 5)),
    }


async def play_pair(steps: Sequence[dict[str, Any]], client: AsyncClient) -> str | None:
    theirs = InMemoryHistoryProvider()
    ours = SidecarHistoryProvider(client, application_id="app")
    states: dict[str, dict[str, Any]] = {name: {} for name in SESSIONS}
    for step in [*steps, *({"kind": "get", "session": name} for name in SESSIONS)]:
        name = step["session"]
        state = states[name]
        stored = await theirs.get_messages(name, state=state)
        if step["kind"] != "get":
            added = [message(number) for number in step["numbers"]]
            # A transcript that is handed over again: the whole, or its end.
            again = {"again": stored, "tail": stored[-step["count"] :]}.get(step["kind"], [])
            await theirs.save_messages(name, [*again, *added], state=state)
            await ours.save_messages(name, [*again, *added])
            continue
        expected = [one.to_dict() for one in stored]
        found = [one.to_dict() for one in await ours.get_messages(name)]
        if repr(found) != repr(expected):
            return f"{step}\n  gives {found!r}\n  not   {expected!r}"
    return None


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_history_in_memory(server: RealServer) -> None:
    differ_async(server, "Microsoft Agent Framework", "history", draw_step, play_pair)


def draw_session_step(draw: random.Random) -> dict[str, Any]:
    return {
        "kind": draw.choice(("get", "get", "set", "set", "delete")),
        "session": draw.choice((*SESSIONS, "")),
        "state": {key: draw.choice(VALUES) for key in draw.sample("abcde", k=3)},
        "number": draw.randrange(10),
    }


async def do(store: SessionStore, step: dict[str, Any]) -> Any:
    name = step["session"]
    try:
        if step["kind"] == "set":
            session = AgentSession(session_id=f"own {name}", service_session_id="r1")
            session.state = {**step["state"], "p": {"messages": [message(step["number"])]}}
            return await store.set(name, session)
        if step["kind"] == "delete":
            return await store.delete(name)
        found = await store.get(name)
        return None if found is None else repr(found.to_dict())
    except ValueError:
        return ValueError


async def play_session_pair(steps: Sequence[dict[str, Any]], client: AsyncClient) -> str | None:
    theirs, ours = SessionStore(), SidecarSessionStore(client, application_id="app")
    for step in [*steps, *({"kind": "get", "session": name} for name in SESSIONS)]:
        expected, found = await do(theirs, step), await do(ours, step)
        if found != expected:
            return f"{step}\n  gives {found!r}\n  not   {expected!r}"
    return None


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_sessions_in_memory(server: RealServer) -> None:
    differ_async(
        server, "Microsoft Agent Framework", "session store", draw_session_step, play_session_pair
    )
