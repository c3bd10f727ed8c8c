"""The history, the context and the store of sessions: runs of agents with a kill in the middle, the
window, sizes, races, erasure."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from agent_framework import Agent, AgentSession, Content, Message
from integration import between_ranges, erase, left_of, record_uploads, replace_large
from memorysidecar import Aborted, AsyncClient, Client, MemorySidecarError, NotFound, policy, v1
from memorysidecar._retry import RetryPolicy
from memorysidecar.adapters import attempts
from memorysidecar.adapters import records as records_module
from memorysidecar.adapters.plans import Runner
from real import PATIENT, RealServer
from scripted import ANSWER, Scripted, call, turn

from memorysidecar_agent_framework import SidecarContextProvider, SidecarHistoryProvider
from memorysidecar_agent_framework import history as history_module
from memorysidecar_agent_framework._messages import payload_of
from memorysidecar_agent_framework.sessions import SidecarSessionStore


def history(client: AsyncClient, **options: Any) -> SidecarHistoryProvider:
    return SidecarHistoryProvider(client, application_id="app", **options)


async def texts_of(provider: SidecarHistoryProvider, session_id: str) -> list[str]:
    return [message.text for message in await provider.get_messages(session_id)]


async def test_an_agent_goes_on_after_the_server_was_killed(own_server: RealServer) -> None:
    async def look(place: str) -> str:
        """Looks at a place."""
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.start)
        return f"Storks at {place}."

    async with AsyncClient(own_server.address, retry=PATIENT, timeout=60) as client:
        store = SidecarSessionStore(client, application_id="app")
        for contents in ((call("c1", place="the roof"), ANSWER), ("On the roof, I said.",)):
            model = Scripted(*contents)
            agent = Agent(model, tools=[look], context_providers=[history(client)])
            session = await store.get("trip") or agent.create_session(session_id="trip")
            session.state["runs"] = session.state.get("runs", 0) + 1
            answer = await agent.run(f"Where are they? {session.state['runs']}", session=session)
            assert answer.text == contents[-1]
            await store.set("trip", session)
            await asyncio.to_thread(own_server.kill)
            await asyncio.to_thread(own_server.start)
        stored = await history(client).get_messages("trip")
        assert [one.role for one in stored] == [
            *("user", "assistant", "tool", "assistant", "user", "assistant")
        ]
        assert stored[2].contents[0].result == "Storks at the roof."
        assert len(model.seen[0]) == 5
        again = await store.get("trip")
        assert again is not None
        assert again.state["runs"] == 2


async def test_the_window_keeps_its_limit_and_whole_calls(async_client: AsyncClient) -> None:
    limits = {"policy": policy.token_budget(max_tokens=80), "user_id": "ana"}
    provider = history(async_client, window=True, **limits)
    assert await provider.get_window("long") is None
    for number in range(12):
        await provider.save_messages("long", turn(number))
    given = await provider.get_messages("long")
    contents = [content for one in given for content in one.contents]
    calls = [one.call_id for one in contents if one.type == "function_call"]
    results = [one.call_id for one in contents if one.type == "function_result"]
    assert 0 < len(given) < 20
    assert calls == results
    window = await provider.get_window("long")
    assert window is not None
    assert window.window_totals.token_count <= 80
    assert len(await history(async_client, user_id="ana").get_messages("long")) == 48
    found = await async_client.recall("note 3", user_id="ana", page_size=3)
    assert any("note 3" in hit.message.message.text for hit in found.hits)


async def test_histories_are_kept_apart(async_client: AsyncClient) -> None:
    scopes: list[dict[str, Any]] = [
        {"application_id": "app"},
        {"application_id": "app/"},
        {"application_id": "app", "agent_id": ""},
        {"application_id": "app", "agent_id": "-"},
        {"application_id": "app", "agent_id": "a" * 600},
        {"application_id": "app", "agent_id": "a" * 601},
        {"application_id": "app", "source_id": "\n"},
        {"application_id": "app", "user_id": "-"},
        {"application_id": "/" * 64, "agent_id": "/" * 64, "user_id": "/" * 64},
        {"application_id": "/" * 64, "agent_id": "/" * 64, "user_id": "%2F" * 64},
    ]
    providers = [SidecarHistoryProvider(async_client, **scope) for scope in scopes]
    for number, provider in enumerate(providers):
        await provider.save_messages("s", [Message("user", [f"{number}"])])
    for number, provider in enumerate(providers):
        assert await texts_of(provider, "s") == [f"{number}"]
        assert await texts_of(provider, "t") == []
    await providers[0].clear("s")
    await providers[0].clear("s")
    assert await texts_of(providers[0], "s") == []
    assert await texts_of(providers[1], "s") == ["1"]


@pytest.mark.parametrize("size", [300_000, 500_000, 5_000_000])
async def test_messages_and_sessions_of_any_size_come_back(
    async_client: AsyncClient, size: int
) -> None:
    provider = history(async_client)
    large = Message("tool", [Content.from_function_result("c1", result="x" * size)])
    await provider.save_messages("s", [*turn(1)[:1], large])
    await provider.save_messages("s", [large, *turn(2)])
    found = await provider.get_messages("s")
    assert [one.to_dict() for one in found[1:2]] == [large.to_dict()]
    assert len(found) == 6
    store = SidecarSessionStore(async_client, application_id="app")
    session = AgentSession(session_id="s")
    session.state = {"large": "x" * size}
    await store.set("s", session)
    again = await store.get("s")
    assert again is not None
    assert again.state == session.state
    await provider.clear("s")
    await store.delete("s")
    records = async_client.list_records("agent-framework", recursive=True)
    assert [one.key async for one in records] == []
    assert [one.session_id async for one in async_client.list_sessions()] == []


async def test_a_session_that_changes_while_it_is_read_comes_whole(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SidecarSessionStore(async_client, application_id="app")
    states = [{"large": letter * 5_000_000} for letter in "ab"]

    async def write() -> None:
        session = AgentSession(session_id="s")
        session.state = states.pop(0)
        await store.set("s", session)

    await write()
    between_ranges(async_client, monkeypatch, write)
    again = await store.get("s")
    assert again is not None
    assert again.state == {"large": "b" * 5_000_000}
    between_ranges(async_client, monkeypatch, lambda: store.delete("s"))
    assert await store.get("s") is None


@pytest.mark.parametrize("window", [False, True])
async def test_a_history_that_changes_while_it_is_read_comes_whole(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch, window: bool
) -> None:
    provider = history(async_client, window=window)
    small, old, new = (Message("user", [text]) for text in ("a", "o" * 5_000_000, "n" * 5_000_000))
    await provider.save_messages("s", [small, old])
    replace = partial(replace_large, async_client, "agent-framework", payload_of(new))
    between_ranges(async_client, monkeypatch, replace)
    assert await texts_of(provider, "s") == ["a", new.text]
    for before in (False, True):
        clear = partial(provider.clear, "s")
        between_ranges(async_client, monkeypatch, clear, before=before)
        assert await texts_of(provider, "s") == []
        await provider.save_messages("s", [small, old])

    async def delete() -> None:
        await async_client.pop_messages(provider.log_of("s"))
        await async_client.delete_records("agent-framework", recursive=True)

    between_ranges(async_client, monkeypatch, delete, before=True)
    assert await texts_of(provider, "s") == ["a"]


async def test_a_save_goes_on_when_the_history_is_cleared_while_it_is_read(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = history(async_client)
    await provider.save_messages("s", [Message("user", ["o" * 500_000])])
    between_ranges(async_client, monkeypatch, partial(provider.clear, "s"), before=True)
    await provider.save_messages("s", [Message("user", ["new"])])
    assert await texts_of(provider, "s") == ["new"]


async def test_a_session_that_the_server_refuses_leaves_no_upload(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(count: int) -> None:
        """Nothing comes between."""

    uploads = record_uploads(async_client, monkeypatch, nothing)
    store = SidecarSessionStore(async_client, application_id="app", user_id="a" * 513)
    session = AgentSession(session_id="s")
    session.state = {"large": "x" * 5_000_000}
    with pytest.raises(MemorySidecarError, match="user_id"):
        await store.set("s", session)
    assert len(uploads) == 1
    assert await Runner(async_client).arun(left_of(uploads)) == []


async def test_more_than_a_batch_and_a_page_come_back(async_client: AsyncClient) -> None:
    provider = history(async_client)
    messages = [Message("user", [f"{number}"], message_id=f"{number}") for number in range(1_500)]
    await provider.save_messages("long", messages)
    await provider.save_messages("long", [*messages[700:], Message("user", ["more"])])
    wanted = [*(message.text for message in messages), "more"]
    assert await texts_of(provider, "long") == wanted


@pytest.mark.parametrize("window", [False, True])
async def test_messages_of_other_programs_are_left_out(
    async_client: AsyncClient, window: bool
) -> None:
    provider = history(async_client, window=window)
    first = Message("user", ["first"], message_id="m1")
    await provider.save_messages("s", [first])
    foreign = {"provider": "other", "media_type": "text/plain", "data": b"no JSON"}
    others = [{"role": "user", "text": "by hand"}, {"text": "other", "provider_payload": foreign}]
    await async_client.append(provider.log_of("s"), [{"role": "user", **one} for one in others])
    assert await texts_of(provider, "s") == ["first"]
    await provider.save_messages("s", [first, Message("assistant", ["second"])])
    assert await texts_of(provider, "s") == ["first", "second"]


async def test_two_writers_lose_no_message(server: RealServer) -> None:
    namespace = f"t-{uuid4().hex}"

    async def write(writer: int) -> None:
        async with AsyncClient(server.address, namespace=namespace) as client:
            for index in range(15):
                new = [Message("user", [f"{writer} {index}"]), Message("assistant", ["Yes."])]
                await history(client).save_messages("chat", new)

    await asyncio.gather(write(0), write(1))
    async with AsyncClient(server.address, namespace=namespace) as client:
        texts = await texts_of(history(client), "chat")
        assert texts[1::2] == ["Yes."] * 30
        for writer in range(2):
            own = [text for text in texts[::2] if text.startswith(f"{writer} ")]
            assert own == [f"{writer} {index}" for index in range(15)]


async def test_a_writer_between_the_parts_of_a_large_save_doubles_nothing(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = history(async_client)
    append, calls = async_client.append, 0

    async def overtaken(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            await history(async_client).save_messages("s", [Message("user", ["other"])])
        return await append(*arguments, **options)

    monkeypatch.setattr(async_client, "append", overtaken)
    messages = [Message("user", [f"{number} " + "x" * 200_000]) for number in range(12)]
    await provider.save_messages("s", messages)
    assert calls > 3
    found = await texts_of(provider, "s")
    assert found.index("other") > 0
    assert [text for text in found if text != "other"] == [one.text for one in messages]


async def test_a_save_that_others_overtake_leaves_no_upload_and_ends(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider, other = history(async_client), history(async_client)

    async def overtake(count: int) -> None:
        if count in overtaken:
            await other.save_messages("s", [Message("user", [f"other {count}"])])

    overtaken = range(1, 3)
    uploads = record_uploads(async_client, monkeypatch, overtake)
    large = Message("user", ["x" * 500_000])
    await provider.save_messages("s", [large])
    assert await texts_of(provider, "s") == ["other 1", "other 2", large.text]
    overtaken = range(4, 1_000)
    for module in (attempts, history_module):
        monkeypatch.setattr(module, "AGAIN", RetryPolicy(max_attempts=5, initial_delay=0.01))
    with pytest.raises(Aborted, match=r"5 times in a row: save again"):
        await provider.save_messages("s", [Message("user", ["y" * 500_000])])
    assert len(uploads) == 8
    assert await Runner(async_client).arun(left_of(uploads)) == []


async def test_a_save_during_a_clear_keeps_its_large_messages(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = history(async_client)
    old, new = (Message("user", [letter * 500_000]) for letter in "on")
    await provider.save_messages("s", [old])
    delete_session = async_client.delete_session

    async def overtaken(*arguments: Any, **options: Any) -> Any:
        outcome = await delete_session(*arguments, **options)
        await provider.save_messages("s", [new])
        return outcome

    monkeypatch.setattr(async_client, "delete_session", overtaken)
    await provider.clear("s")
    assert await texts_of(provider, "s") == [new.text]
    records = async_client.list_records("agent-framework", recursive=True)
    [left] = [one async for one in records]
    await async_client.delete_record([*left.path], left.key)
    again = RetryPolicy(max_attempts=3, initial_delay=0.001, max_delay=0.001)
    monkeypatch.setattr(records_module, "AGAIN", again)
    with pytest.raises(NotFound, match=rf"3 reads in a row .*{left.key}.* delete the message"):
        await provider.get_messages("s")


async def test_the_context_looks_for_the_newest_question(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries: list[str] = []
    assemble = async_client.assemble_context

    async def watched(*arguments: Any, **options: Any) -> Any:
        queries.append(options["query"])
        return await assemble(*arguments, **options)

    monkeypatch.setattr(async_client, "assemble_context", watched)
    provider = SidecarContextProvider(async_client, user_id="ana", remember=False)
    transcript = [Message("user", ["Hm. " * 1_000]), Message("user", ["How are my kumquats?"])]
    await Agent(Scripted("Fine."), context_providers=[provider]).run(transcript)
    assert [query[-20:] for query in queries] == ["How are my kumquats?"]


async def test_the_context_has_what_is_known_of_the_user(async_client: AsyncClient) -> None:
    provider = SidecarContextProvider(async_client, user_id="ana")
    first = Scripted("Nice.")
    await Agent(first, context_providers=[provider]).run("I live in Berlin. " + "Hm. " * 6_000)
    known = [one.text async for one in async_client.list_memories(filter={"user_id": "ana"})]
    assert any("Berlin" in text for text in known)
    second = Scripted("In Berlin.")
    await Agent(second, context_providers=[provider]).run("Where do I live?")
    given, asked = second.seen[0]
    assert "Berlin" in given.text and "<data" in given.text
    assert asked.text == "Where do I live?"
    for other in (
        SidecarContextProvider(async_client, user_id="bob", remember=False),
        SidecarContextProvider(async_client, user_id="ana", remember=False),
    ):
        model = Scripted("Hm.")
        await Agent(model, context_providers=[other]).run("Where do I live? I live in Rome.")
        assert ("Berlin" in model.seen[0][0].text) == (other.user_id == "ana")
    known = [one.text async for one in async_client.list_memories(filter={"everyone": True})]
    assert not any("Rome" in text for text in known)


async def test_the_context_leaves_out_what_the_history_gives(async_client: AsyncClient) -> None:
    for has_history, count in ((True, 1), (False, 2)):
        user = f"user {has_history}"
        messages = history(async_client, user_id=user)
        own = {"history": messages} if has_history else {}
        known = SidecarContextProvider(async_client, user_id=user, remember=False, **own)
        model = Scripted("Fine.", "Fine, as you said.", "Fine, as you said.")
        agent = Agent(model, context_providers=[messages, known])
        first = agent.create_session(session_id=f"first {has_history}")
        await agent.run("The kumquat trees look fine today.", session=first)
        await agent.run("How do the kumquat trees look?", session=first)
        given = [one for one in model.seen[1] if "trees look fine today" in one.text]
        assert len(given) == count
        other = agent.create_session(session_id=f"other {has_history}")
        await agent.run("How do the kumquat trees look?", session=other)
        assert any("trees look fine today" in one.text for one in model.seen[2])


async def test_users_share_nothing_and_each_is_erased_whole(
    server: RealServer, client: Client
) -> None:
    async with AsyncClient(server.address, namespace=client.namespace) as own:
        users = ("ana", "bob", None)
        histories = {user: history(own, user_id=user) for user in users}
        stores = {
            user: SidecarSessionStore(own, application_id="app", user_id=user) for user in users
        }
        for user in users:
            large = Message("user", [f"{user}" * 200_000])
            await histories[user].save_messages("trip", [*turn(1), large])
            await stores[user].set("trip", AgentSession(session_id=f"{user}"))
        for user in users:
            assert (await texts_of(histories[user], "trip"))[-1] == f"{user}" * 200_000
            found = await stores[user].get("trip")
            assert found is not None
            assert found.session_id == f"{user}"
        await asyncio.to_thread(erase, client, "ana")
        assert await histories["ana"].get_messages("trip") == []
        assert await stores["ana"].get("trip") is None
        await histories["bob"].clear("trip")
        await stores["bob"].delete("trip")
        assert len(await histories[None].get_messages("trip")) == 5
        records = own.list_records("agent-framework", recursive=True)
        assert len([one async for one in records]) == 2


async def test_an_erasure_by_session_or_agent_erases_large_messages(
    server: RealServer, client: Client
) -> None:
    async with AsyncClient(server.address, namespace=client.namespace) as own:
        provider = history(own, user_id="ana", agent_id="a")
        subjects = ({"session_id": provider.log_of("trip")}, {"agent_id": "a"})
        for subject in subjects:
            await provider.save_messages("trip", [Message("user", ["x" * 500_000])])
            records = own.list_records("agent-framework", recursive=True)
            [owner] = [one.owner async for one in records]
            log = provider.log_of("trip")
            assert owner == v1.MemoryScope(user_id="ana", agent_id="a", session_id=log)
            await asyncio.to_thread(erase, client, **subject)
            records = own.list_records("agent-framework", recursive=True)
            assert [one.key async for one in records] == []


async def test_wrong_arguments_and_errors_of_the_server_are_told(
    async_client: AsyncClient,
) -> None:
    for made in (
        lambda: SidecarHistoryProvider(async_client, application_id=""),
        lambda: SidecarHistoryProvider(async_client, application_id="app", user_id=""),
        lambda: SidecarSessionStore(async_client, application_id="app", user_id=""),
        lambda: SidecarContextProvider(async_client, user_id=""),
        lambda: SidecarSessionStore(async_client, application_id=""),
    ):
        with pytest.raises(ValueError, match="must not be empty"):
            made()
    with pytest.raises(ValueError, match="session_id"):
        await history(async_client).get_messages(None)
    store = SidecarSessionStore(async_client, application_id="app", root="x" * 300)
    with pytest.raises(MemorySidecarError, match="path"):
        await store.get("s")
    session = AgentSession(session_id="s")
    session.state = {"n": float("nan")}
    with pytest.raises(ValueError, match="JSON"):
        await SidecarSessionStore(async_client, application_id="app").set("s", session)
    with pytest.raises(MemorySidecarError, match="user_id"):
        await history(async_client, user_id="u" * 600).save_messages("s", turn(1))
