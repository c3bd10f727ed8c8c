"""The client and the real server together, where they must agree."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from real import RealServer

import memorysidecar as ms
from memorysidecar import AsyncClient, Client, ErrorReason, v1


def test_messages_come_back_as_they_went(client: Client) -> None:
    sent = v1.Message(
        message_id="m",
        role=v1.ROLE_ASSISTANT,
        name="cook",
        parts=[
            {"reasoning": {"text": "hm", "signature": "c2ln"}},
            {"text": "caf\u00e9 \U0001f35a"},
            {"tool_call": {"tool_call_id": "t", "name": "look", "arguments": '{"a": 1 }'}},
            {"json": b'{ "b": 1, "a": 9007199254740993 }'},
            {"image": {"data": b"\x89PNG\x00\xff", "media_type": "image/png", "detail": "low"}},
            {"data": {"__proto__": {"a": 1}, "n": None, "l": [1.5, True]}},
        ],
        agent_calls=[{"agent_name": "other", "request": "do it"}],
        structured_json=b'{ "rows": [[1, 2], [3.0]] }',
        provider_role="model",
        provider_payload={"provider": "openai.responses", "data": bytes(range(256))},
        metadata={"k": "v"},
        labels={"a/b": "c"},
        token_count=0,
        sent_time={"seconds": -62135596800},
    )
    client.append("s", sent, create_session=True)
    got = client.get_message("s", "m").message
    assert got.seq == 1 and got.source == v1.SOURCE_MODEL and got.trust == v1.TRUST_MEDIUM
    assert got.token_rule == v1.TOKEN_RULE_GIVEN
    for field, value in sent.ListFields():
        assert getattr(got, field.name) == value, field.name
    assert got.HasField("token_count")
    assert list(client.window("s").messages) == [got]
    assert list(client.list_messages("s")) == [got]


def test_lists_go_over_pages(client: Client) -> None:
    for number in range(5):
        client.create_session(session_id=f"s{number}", user_id="even" if number % 2 == 0 else "odd")
    client.append("s0", [f"text {number}" for number in range(25)])
    assert len(list(client.list_sessions(page_size=2).pages())) >= 3
    even = client.list_sessions(page_size=1, filter={"user_id": "even"})
    assert [one.session_id for one in even] == ["s4", "s2", "s0"]
    old = client.list_sessions(order=v1.SESSION_ORDER_CREATE_TIME_ASC)
    assert [one.session_id for one in old] == ["s0", "s1", "s2", "s3", "s4"]
    assert [one.seq for one in client.list_messages("s0", page_size=7)] == list(range(1, 26))
    newest = client.list_messages("s0", order=v1.MESSAGE_ORDER_SEQ_DESC, filter={"first_seq": 20})
    assert [one.seq for one in newest] == [25, 24, 23, 22, 21, 20]
    events = list(client.list_events(page_size=2))
    assert [one.revision for one in events] == sorted(one.revision for one in events)
    assert len(events) == 6
    for number in range(3):
        client.create_consumer(f"c{number}")
    assert [one.consumer_id for one in client.list_consumers(page_size=1)] == ["c0", "c1", "c2"]


def test_none_clears_a_field(client: Client) -> None:
    client.create_session(session_id="s", user_id="u", ttl=timedelta(hours=1), labels={"a": "b"})
    session = client.update_session("s", ttl=None, labels=None, agent_id="a").session
    assert not session.HasField("ttl") and not session.HasField("expire_time")
    assert not session.labels
    assert (session.user_id, session.agent_id) == ("u", "a")


def test_a_request_id_takes_effect_once(client: Client) -> None:
    client.create_session(session_id="s")
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: client.append("s", "hi", request_id="r"), range(10)))
    assert all(answer == answers[0] for answer in answers)
    assert client.get_session("s").last_seq == 1
    with pytest.raises(ms.MemorySidecarError) as caught:
        client.append("s", "other", request_id="r")
    assert caught.value.reason == ErrorReason.REQUEST_ID_REUSED
    assert caught.value.request_id == "r"


def test_every_fault_of_a_request_is_named(client: Client) -> None:
    with pytest.raises(ms.Invalid) as caught:
        client.append("s", [{"text": "no role"}, {"role": "user", "tool_call_id": "x"}])
    assert caught.value.reason == ErrorReason.REQUEST_INVALID
    fields = [one.field for one in caught.value.violations]
    assert "messages[0].role" in fields and "messages[1].tool_call_id" in fields
    assert all(one.description for one in caught.value.violations)


def test_a_namespace_is_a_wall(client: Client) -> None:
    client.create_session(session_id="s")
    with pytest.raises(ms.NotFound):
        client.get_session("s", namespace="another")


def test_watches_in_threads(client: Client) -> None:
    client.create_session(session_id="s")
    watches = [client.watch() for _ in range(5)]
    seen: list[list[int]] = [[] for _ in watches]

    def read(number: int) -> None:
        for event in watches[number]:
            seen[number].append(event.revision)

    threads = [threading.Thread(target=read, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    revisions = [client.append("s", f"{number}").revision for number in range(20)]
    late = client.watch(position="oldest")
    assert [next(late).revision for _ in range(21)][1:] == revisions
    for watch, revisions_seen in zip(watches, seen, strict=True):
        while len(revisions_seen) < 20:
            threading.Event().wait(0.01)
        watch.close()
    for thread in threads:
        thread.join(timeout=5)
    assert seen == [revisions] * 5


def test_a_consumer_goes_on_where_it_stopped(client: Client) -> None:
    client.create_consumer("c", position="oldest")
    revisions = [client.append("s", str(n), create_session=True).revision for n in range(3)]
    with client.watch(
        consumer_id="c", filter={"event_types": [v1.EVENT_TYPE_MESSAGES_APPENDED]}
    ) as one:
        assert next(one).revision == revisions[0]
        client.ack_events("c", one.resume_token)
        assert next(one).revision == revisions[1]
    with client.watch(consumer_id="c") as one:
        assert next(one).revision == revisions[1]
    client.delete_consumer("c")
    client.delete_consumer("c", allow_missing=True)


def test_asyncio_against_the_server(server: RealServer) -> None:
    async def main() -> None:
        async with AsyncClient(server.address, namespace="aio") as client:
            await client.create_session(session_id="s")
            async with client.watch(filter={"session_id": "s"}) as watch:
                appends = [client.append("s", str(number)) for number in range(50)]
                done = await asyncio.gather(*appends)
                got = [(await anext(watch)).revision for _ in range(50)]
            assert got == sorted(one.revision for one in done)
            assert sorted(one.last_seq for one in done) == list(range(1, 51))
            seqs = [one.seq async for one in client.list_messages("s", page_size=20)]
            assert seqs == list(range(1, 51))
            with pytest.raises(ms.NotFound):
                await client.get_session("none")

    asyncio.run(main())
