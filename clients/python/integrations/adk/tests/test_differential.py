"""Random operations on the session service that the Agent Development Kit keeps in memory, and on
ours."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from differential import differ_async
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.sessions import InMemorySessionService, Session
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig
from google.genai import types
from memorysidecar import AsyncClient
from real import RealServer

from memorysidecar_adk import SidecarSessionService

APPS, USERS = ("app", "a/b"), ("ana", "ü %")
NAMES = ("s", "t", " s ", "x/y")
KEYS = ("app:a", "user:u", "temp:t", "n", "m")
VALUES = (1, 1.5, 2**60, "text\r\n😀", None, True, [1, {"b": []}], {})
KINDS = ("create", "create", "get", "list", "delete", "user", *("append",) * 6)


def draw_step(draw: random.Random) -> dict[str, Any]:
    keys = draw.sample(KEYS, k=draw.choice((0, 0, 1, 2, 4)))
    return {
        "kind": draw.choice(KINDS),
        "app": draw.choice(APPS),
        "user": draw.choice(USERS),
        "name": draw.choice(NAMES),
        "state": {key: draw.choice(VALUES) for key in keys},
        "recent": draw.choice((None, None, 0, 1, 3)),
        "after": draw.choice((None, None, draw.randrange(100))),
        "part": draw.choice(("text", "call", "response", "none", "bytes")),
        "partial": draw.random() < 0.05,
    }


def event(number: int, step: dict[str, Any]) -> Event:
    parts = {
        "text": [types.Part(text=f"Text {number}\0\r\n😀")],
        "call": [types.Part(function_call=types.FunctionCall(id="c", name="f", args={"n": 1.0}))],
        "response": [
            types.Part(
                function_response=types.FunctionResponse(id="c", name="f", response={"r": [1]})
            )
        ],
        "bytes": [types.Part(inline_data=types.Blob(data=b"\xff\0", mime_type="image/png"))],
    }.get(step["part"])
    return Event(
        id=f"e{number}",
        invocation_id="i",
        author=("user", "agent")[number % 2],
        content=parts and types.Content(role="user", parts=parts),
        actions=EventActions(state_delta=dict(step["state"])),
        timestamp=float(number),
        partial=step["partial"] or None,
    )


def shown(session: Session | None) -> Any:
    if session is None:
        return None
    events = [one.model_dump_json(exclude_none=True) for one in session.events]
    return session.app_name, session.user_id, session.id, session.state, events


async def do(service: BaseSessionService, step: dict[str, Any], number: int) -> Any:
    """Does a step on one service; gives what its caller sees."""
    who = {"app_name": step["app"], "user_id": step["user"]}
    which = {**who, "session_id": step["name"]}
    try:
        match step["kind"]:
            case "create":
                return shown(await service.create_session(**which, state=step["state"]))
            case "get":
                config = GetSessionConfig(
                    num_recent_events=step["recent"], after_timestamp=step["after"]
                )
                return shown(await service.get_session(**which, config=config))
            case "append":
                session = await service.get_session(**which)
                if session is None:
                    session = Session(app_name=step["app"], user_id=step["user"], id="none")
                appended = await service.append_event(session, event(number, step))
                # Until an event is stored it is the time at which the session was created.
                updated = None if step["partial"] else session.last_update_time
                return appended.model_dump_json(), shown(session), updated
            case "list":
                user = None if step["recent"] else step["user"]
                found = await service.list_sessions(app_name=step["app"], user_id=user)
                # Sessions without events are ordered by the clock, which ticks between the two.
                return sorted(repr(shown(one)) for one in found.sessions)
            case "delete":
                return await service.delete_session(**which)
            case _:
                return await service.get_user_state(**who)
    except (AlreadyExistsError, SessionNotFoundError) as error:
        return repr(error)


async def play_pair(steps: Sequence[dict[str, Any]], client: AsyncClient) -> str | None:
    theirs, ours = InMemorySessionService(), SidecarSessionService(client)
    ends = [{**step, "kind": kind} for step in steps[-1:] for kind in ("list", "user", "get")]
    for number, step in enumerate([*steps, *ends]):
        expected, found = await do(theirs, step, number), await do(ours, step, number)
        if found != expected:
            return f"{step}\n  gives {found!r}\n  not   {expected!r}"
    return None


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_the_service_in_memory(server: RealServer) -> None:
    differ_async(server, "Google ADK", "session service", draw_step, play_pair)
