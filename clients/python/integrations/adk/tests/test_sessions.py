"""The session service beside what the differential test compares: agents, races, kills, windows."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from google.adk.agents import LlmAgent
from google.adk.errors import StaleSessionError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import Session
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types
from integration import between_ranges, erase, left_of, record_uploads, replace_large
from memorysidecar import (
    AsyncClient,
    Client,
    MemorySidecarError,
    NotFound,
    RetryPolicy,
    policy,
)
from memorysidecar.adapters import plans, records
from real import PATIENT, RealServer

from memorysidecar_adk import SidecarSessionService
from memorysidecar_adk._events import message_of, payload_of

WHOLE: Any = {"recursive": True, "include_values": True}
WHO: Any = {"app_name": "app", "user_id": "ana"}


def said(text: str, author: str = "user", **actions: Any) -> Event:
    content = types.Content(role="user", parts=[types.Part(text=text)])
    return Event(author=author, content=content, actions=EventActions(**actions))


def turn(number: int) -> list[Event]:
    """A question, a call of a tool, its result and an answer."""
    name, call = "read", f"c{number}"
    asked = types.FunctionCall(id=call, name=name, args={"note": number})
    given = types.FunctionResponse(id=call, name=name, response={"text": "The storks are back."})
    parts = (types.Part(function_call=asked), types.Part(function_response=given))
    used = [Event(author="agent", content=types.Content(parts=[part])) for part in parts]
    answer = said(f"Storks, says note {number}.", "agent")
    return [said(f"What does note {number} say?"), *used, answer]


async def add(service: SidecarSessionService, name: str, event: Event) -> Session:
    """Appends an event, and tries again when another writer came first."""
    while True:
        session = await service.get_session(**WHO, session_id=name)
        assert session is not None
        try:
            await service.append_event(session, event)
            return session
        except StaleSessionError:
            continue


async def test_an_agent_goes_on_while_the_server_is_killed(own_server: RealServer) -> None:
    class Scripted(BaseLlm):
        async def generate_content_async(self, request: LlmRequest, stream: bool = False) -> Any:
            last = request.contents[-1].parts[-1]
            part = types.Part(text="They are on the roof.")
            if last.text == "Where are they?":
                call = types.FunctionCall(name="look", args={"place": "the roof"})
                part = types.Part(function_call=call)
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    async def look(place: str) -> dict[str, str]:
        """Looks at a place."""
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        return {"found": f"Storks at {place}."}

    async with AsyncClient(own_server.address, retry=PATIENT, timeout=60) as client:
        service = SidecarSessionService(client)
        agent = LlmAgent(name="agent", model=Scripted(model="scripted"), tools=[look])
        runner = Runner(app_name="app", agent=agent, session_service=service)
        await service.create_session(**WHO, session_id="trip", state={"user:name": "Ana"})
        for text in ("Where are they?", "Sure?"):
            message = types.Content(role="user", parts=[types.Part(text=text)])
            events = runner.run_async(user_id="ana", session_id="trip", new_message=message)
            answers = [event async for event in events]
            assert answers[-1].content.parts[0].text == "They are on the roof."
        session = await service.get_session(**WHO, session_id="trip")
        assert session is not None
        assert [event.author for event in session.events] == [
            *("user", "agent", "agent", "agent", "user", "agent")
        ]
        assert session.state == {"user:name": "Ana"}


async def test_two_writers_lose_no_event_and_no_state(server: RealServer) -> None:
    namespace = f"t-{uuid4().hex}"

    async def write(number: int) -> None:
        async with AsyncClient(server.address, namespace=namespace) as client:
            service = SidecarSessionService(client)
            own = f"own{number}"
            await service.create_session(**WHO, session_id=own)
            for index in range(8):
                key = f"{number}-{index}"
                state = {key: index, f"app:{key}": index, f"user:{key}": index}
                await add(service, "chat", said(key, state_delta=state))
                await add(service, own, said(key, state_delta={f"app:{own}-{index}": 1}))

    async with AsyncClient(server.address, namespace=namespace) as client:
        service = SidecarSessionService(client)
        await service.create_session(**WHO, session_id="chat")
        await asyncio.gather(write(1), write(2))
        session = await service.get_session(**WHO, session_id="chat")
        assert session is not None
        assert len(session.events) == 16
        assert len(session.state) == 16 * 4
        stale = await service.get_session(**WHO, session_id="chat")
        await add(service, "chat", said("newer"))
        assert stale is not None
        with pytest.raises(StaleSessionError):
            await service.append_event(stale, said("late"))


async def test_the_window_keeps_its_limit_and_the_log_keeps_all(async_client: AsyncClient) -> None:
    service = SidecarSessionService(async_client, policy=policy.token_budget(max_tokens=80))
    session = await service.create_session(**WHO, session_id="chat")
    assert await service.window(**WHO, session_id="chat") is None
    for number in range(20):
        for event in turn(number):
            await service.append_event(session, event)
    window = await service.window(**WHO, session_id="chat")
    assert window is not None
    assert window.window_totals.token_count <= 80
    assert list(window.open_tool_call_ids) == []
    again = await service.get_session(**WHO, session_id="chat")
    assert again is not None
    assert [one.model_dump() for one in again.events] == [
        one.model_dump() for one in session.events
    ]
    found = await async_client.recall("storks of note 3", user_id="ana", page_size=3)
    assert any("note 3" in hit.message.message.text for hit in found.hits)


@pytest.mark.parametrize("size", [300_000, 500_000, 5_000_000])
async def test_events_of_any_size_come_back(async_client: AsyncClient, size: int) -> None:
    service = SidecarSessionService(async_client)
    session = await service.create_session(**WHO)
    event = said("x" * size)
    await service.append_event(session, event)
    again = await service.get_session(**WHO, session_id=session.id)
    assert again is not None
    assert again.events == [event]
    await service.delete_session(**WHO, session_id=session.id)
    records = async_client.list_records("adk", recursive=True)
    assert [one.key async for one in records] == []
    assert [one.session_id async for one in async_client.list_sessions()] == []


async def test_a_session_that_goes_while_its_large_state_is_read_is_none(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = SidecarSessionService(async_client)
    state = {"app:large": "x" * 2_500_000, "large": "x" * 2_500_000}
    for session_id, key in (("other", "app:large"), ("s", "large")):
        await service.create_session(**WHO, session_id=session_id, state={key: state[key]})
    found = await service.get_session(**WHO, session_id="s")
    assert found is not None
    assert found.state == state
    get: Any = async_client.batch_get_records

    async def get_before_a_deletion(*call: Any, **options: Any) -> Any:
        monkeypatch.undo()
        answer = await get(*call, **options)
        await service.delete_session(**WHO, session_id="s")
        return answer

    monkeypatch.setattr(async_client, "batch_get_records", get_before_a_deletion)
    assert await service.get_session(**WHO, session_id="s") is None


async def test_events_that_change_while_they_are_read_come_whole(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = SidecarSessionService(async_client)
    get = partial(service.get_session, **WHO, session_id="s")
    small, old, new = said("a"), said("o" * 5_000_000), said("n" * 5_000_000)
    session = await service.create_session(**WHO, session_id="s")
    for event in (small, old):
        await service.append_event(session, event)
    replace = partial(replace_large, async_client, "adk", payload_of(new))
    between_ranges(async_client, monkeypatch, replace)
    again = await get()
    assert again is not None
    assert again.events == [small, new]
    [log] = [one.session_id async for one in async_client.list_sessions()]

    async def delete() -> None:
        await async_client.pop_messages(log)
        await async_client.delete_records(["adk", "events"], recursive=True)

    between_ranges(async_client, monkeypatch, delete, before=True)
    again = await get()
    assert again is not None
    assert again.events == [small]


@pytest.mark.parametrize("before", [False, True])
async def test_a_session_that_goes_while_its_events_are_read_is_none(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    service = SidecarSessionService(async_client)
    session = await service.create_session(**WHO, session_id="s")
    await service.append_event(session, said("x" * 5_000_000))
    delete = partial(service.delete_session, **WHO, session_id="s")
    between_ranges(async_client, monkeypatch, delete, before=before)
    assert await service.get_session(**WHO, session_id="s") is None


async def test_an_event_whose_record_is_gone_for_good_is_an_error(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = SidecarSessionService(async_client)
    session = await service.create_session(**WHO, session_id="s")
    for text in ("a", "x" * 500_000):
        await service.append_event(session, said(text))
    await async_client.delete_records(["adk", "events"], recursive=True)
    again = RetryPolicy(max_attempts=3, initial_delay=0.001, max_delay=0.001)
    monkeypatch.setattr(records, "AGAIN", again)
    with pytest.raises(NotFound, match=r"3 reads in a row .* delete the message"):
        await service.get_session(**WHO, session_id="s")


async def test_an_event_that_comes_late_leaves_no_upload(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = SidecarSessionService(async_client)
    session = await service.create_session(**WHO, session_id="chat")

    async def overtake(count: int) -> None:
        if count == 1:
            await add(service, "chat", said("first"))

    uploads = record_uploads(async_client, monkeypatch, overtake)
    with pytest.raises(StaleSessionError):
        await service.append_event(session, said("x" * 500_000))
    assert len(uploads) == 1
    assert await plans.Runner(async_client).arun(left_of(uploads)) == []


async def test_messages_of_other_programs_are_passed_over(async_client: AsyncClient) -> None:
    service = SidecarSessionService(async_client)
    session = await service.create_session(**WHO, session_id="chat")
    await service.append_event(session, said("One."))
    [log] = [one.session_id async for one in async_client.list_sessions()]
    await async_client.append(log, "From elsewhere.")
    await service.append_event(session, said("Two."))
    for config in (
        None,
        GetSessionConfig(num_recent_events=2),
        GetSessionConfig(after_timestamp=1),
    ):
        again = await service.get_session(**WHO, session_id="chat", config=config)
        assert again is not None
        assert again.events == session.events


async def test_more_than_a_page_comes_back(async_client: AsyncClient) -> None:
    service = SidecarSessionService(async_client)
    session = await service.create_session(**WHO, session_id="long")
    session.events = [said(f"{number}") for number in range(1_500)]
    [record] = [one async for one in async_client.list_records(("adk", "sessions"), **WHOLE)]
    log_id = json.loads(record.value)["session_id"]
    for events in (session.events[:900], session.events[900:]):
        messages = [message_of(one, payload_of(one)) for one in events]
        await async_client.append(log_id, messages, create_session=True)
    again = await service.get_session(**WHO, session_id="long")
    assert again is not None
    assert again.events == session.events


async def test_a_user_is_erased_with_the_sessions(server: RealServer, client: Client) -> None:
    async with AsyncClient(server.address, namespace=client.namespace) as own:
        service = SidecarSessionService(own)
        for user in ("ana", "bob"):
            session = await service.create_session(
                app_name="app", user_id=user, state={"user:n": 1, "app:n": 1}
            )
            await service.append_event(session, said("storks"))
        await asyncio.to_thread(erase, client, "ana")
        left = await service.list_sessions(app_name="app")
        assert [(one.user_id, one.state) for one in left.sessions] == [
            ("bob", {"app:n": 1, "user:n": 1})
        ]
        assert await service.get_user_state(**WHO) == {}
        assert len([one async for one in own.list_sessions()]) == 1


async def test_errors_of_the_server_are_not_swallowed(async_client: AsyncClient) -> None:
    service = SidecarSessionService(async_client, root="x" * 300)
    with pytest.raises(MemorySidecarError, match="path"):
        await service.create_session(**WHO)
    with pytest.raises(ValueError, match="254 bytes"):
        await service.create_session(app_name="n" * 255, user_id="ana")
