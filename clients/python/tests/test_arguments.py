"""Arguments of a wrong type or value: each error names the argument and says what it must be."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from fake import FakeServer

from memorysidecar import AsyncClient, Client, v1
from memorysidecar._made import made

SAID = {"role": "user", "content": "I like tea."}
LARGE = 2**53 + 1

# The error of each call. Nothing may reach the server.
WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no message": (
        lambda client: client.append("s", None),
        "a message is a text, a mapping of its fields, or a v1.Message, not None",
    ),
    "a number as a message": (
        lambda client: client.append("s", 5),
        "a message is a text, a mapping of its fields, or a v1.Message, not int",
    ),
    "a number as a session": (
        lambda client: client.append(42, "x"),
        "session_id is a text, not int",
    ),
    "a number as a label": (
        lambda client: client.create_session("s", labels={"a": 1}),
        'labels["a"] is a text, not int',
    ),
    "a number as the key of a label": (
        lambda client: client.create_session("s", labels={1: "a"}),
        "labels has texts as keys, not int",
    ),
    "labels in a list": (
        lambda client: client.create_session("s", labels=["a"]),
        "labels is a mapping, not list",
    ),
    "a number as a text": (
        lambda client: client.append("s", {"role": "user", "text": 5}),
        "text is a text, not int",
    ),
    "a number as the text of a change": (
        lambda client: client.update_message("s", "m", text=5),
        "text is a text, not int",
    ),
    "a text as a number": (
        lambda client: client.append("s", {"role": "user", "token_count": "5"}),
        "token_count is a whole number, not str",
    ),
    "a number that is too large": (
        lambda client: client.list_messages("s", page_size=2**31),
        "page_size is a whole number from -2147483648 to 2147483647, not 2147483648",
    ),
    "a text as a share": (
        lambda client: client.recall("x", min_score="high"),
        "min_score is a number, not str",
    ),
    "a text as a time": (
        lambda client: client.append("s", {"role": "user", "text": "x", "sent_time": "now"}),
        "sent_time is a datetime, not str",
    ),
    "a text as metadata": (
        lambda client: client.create_session("s", metadata="x"),
        "metadata is a mapping of JSON values, not str",
    ),
    "a time in metadata": (
        lambda client: client.create_session(
            "s", metadata={"at": [datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)]}
        ),
        "metadata.at[0] is JSON, not datetime",
    ),
    "a large number in the metadata of a session": (
        lambda client: client.create_session("s", metadata={"a": {"id": [LARGE]}}),
        f"metadata.a.id[0] is a whole number up to {2**53}, not {LARGE}, which would lose digits:"
        " give it as a text",
    ),
    "a large number in the metadata of a message": (
        lambda client: client.append("s", {"text": "x", "metadata": {"id": -LARGE}}),
        f"metadata.id is a whole number up to {2**53}, not -{LARGE}, which would lose digits:"
        " give it as a text",
    ),
    "a large number in the metadata of a document": (
        lambda client: client.upsert_documents({"text": "x", "metadata": {"id": LARGE}}),
        f"metadata.id is a whole number up to {2**53}, not {LARGE}, which would lose digits:"
        " give it as a text",
    ),
    "conditions as a mapping": (
        lambda client: client.recall("x", filter={"metadata": {"n": 3}}),
        'metadata is a list, not dict: give conditions, as where("path", equals=1) makes them',
    ),
    "conditions of sessions as a mapping": (
        lambda client: client.list_sessions(filter={"metadata": {"n": 3}}),
        'metadata is a list, not dict: give conditions, as where("path", equals=1) makes them',
    ),
    "the name of a policy": (
        lambda client: client.create_session("s", policy="sliding_window"),
        'a policy is a v1.Policy, a v1.Preset or a mapping of their fields, not "sliding_window":'
        " functions of memorysidecar.policy make one, such as policy.sliding_window()",
    ),
    "a text as a time to live": (
        lambda client: client.create_session("s", ttl="1h"),
        "ttl is a number of seconds or a timedelta, not str",
    ),
    "a mapping as a value": (
        lambda client: client.put_record("x", "k", {"a": 1}),
        "a value is bytes or a text, not dict: json.dumps(value) makes a text of JSON",
    ),
    "a number as a path": (
        lambda client: client.get_record(5, "k"),
        "a path is a text or a list of texts, not int",
    ),
    "an operation of an unknown kind": (
        lambda client: client.write_records([{"put": {"record": {"name": "k"}}}]),
        'put.record has no "name" field: it has path, key, value, ',
    ),
    "an unknown token rule": (
        lambda client: client.count_tokens("x", token_rule="gpt"),
        '"gpt" is none of bytes_div_4, chars_div_4, o200k, cl100k, ',
    ),
    "an unknown value of an enum": (
        lambda client: client.update_message("s", "m", provider_payload={"data": "x"}),
        "provider_payload.data is bytes, not str",
    ),
    "no inputs of a summary": (
        lambda client: client.compact_session("s", summarize={}),
        "give one of keep_recent, stage, which all are missing",
    ),
    "two inputs of a summary": (
        lambda client: client.compact_session("s", keep_recent=1, stage="a"),
        "give one of keep_recent, stage, not keep_recent and stage",
    ),
    "a message of a model API without its form": (
        lambda client: client.append("s", SAID),
        'a message has no field "content": it is "text"; messages of a model API need form=,'
        ' such as form="openai_chat"',
    ),
    "messages as memories": (
        lambda client: client.remember([SAID]),
        'a memory has no field "role": append what was said to a session with a memory policy that'
        " extracts, or give it to extract_memories",
    ),
    "a number as a memory": (
        lambda client: client.remember(5),
        "a memory is a text, a mapping of its fields, or a v1.Memory, not int",
    ),
    "a number as a document": (
        lambda client: client.upsert_documents([5]),
        "a document is a text, a mapping of its fields, or a v1.Document, not int",
    ),
    "a number as ids": (
        lambda client: client.batch_get_messages("s", 5),
        "give a list of ids, not int",
    ),
    "an order of sessions": (
        lambda client: client.list_sessions(order="newest"),
        "the order is one of newest_first, oldest_first, newest_update_first, oldest_update_first,"
        ' not "newest"',
    ),
    "an order of messages": (
        lambda client: client.list_messages("s", order="newest_update_first"),
        'the order is one of newest_first, oldest_first, not "newest_update_first"',
    ),
    "an order of memories": (
        lambda client: client.list_memories(order="new"),
        "the order is one of oldest, newest, oldest_first, newest_first, importance, confidence,"
        ' last_seen, not "new"',
    ),
    "an order of records": (
        lambda client: client.list_records("x", order="newest_first"),
        'the order is one of asc, desc, by name, not "newest_first"',
    ),
    "a limit below 0": (
        lambda client: client.get_session("s", timeout=-1),
        "timeout is a number of seconds above 0, or None for no limit, not -1",
    ),
    "a limit of a watch below 0": (
        lambda client: client.watch(timeout=0),
        "timeout is a number of seconds above 0, or None for no limit, not 0",
    ),
    "a text as a limit": (
        lambda client: client.get_session("s", timeout="1"),
        "timeout is a number of seconds above 0, or None for no limit, not str",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_error_of(fake: FakeServer, fake_client: Client, name: str) -> None:
    mistake, words = WRONG[name]
    with pytest.raises((TypeError, ValueError)) as found:
        mistake(fake_client)
    assert str(found.value).startswith(words)
    assert fake.calls == []


def test_a_limit_of_the_client_is_above_0() -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(ValueError, match="timeout is a number of seconds above 0"):
            kind("localhost:1", timeout=0)


def test_every_order_has_a_name_for_the_newest(fake: FakeServer, fake_client: Client) -> None:
    list(fake_client.list_memories(order="newest_first"))
    list(fake_client.list_memories(order="oldest_first"))
    orders = [request.order for request in fake.requests("ListMemories")]
    assert orders == [v1.MEMORY_ORDER_CREATE_TIME_DESC, v1.MEMORY_ORDER_CREATE_TIME_ASC]
    list(fake_client.list_sessions(order="newest_update_first"))
    [request] = fake.requests("ListSessions")
    assert request.order == v1.SESSION_ORDER_UPDATE_TIME_DESC


def test_what_is_right_is_taken(fake: FakeServer, fake_client: Client) -> None:
    metadata: Any = {"n": 2**53, "x": 1e300, "b": True, "t": f"{LARGE}", "l": [None]}
    fake_client.create_session("s", ttl=60, metadata=metadata)
    [request] = fake.requests("CreateSession")
    assert request.session.ttl.seconds == 60
    assert request.session.metadata["n"] == 2**53
    fake_client.count_tokens("x", token_rule="o200k")
    fake_client.count_tokens("x", token_rule=v1.TOKEN_RULE_MODEL, model="gpt-5")
    rules = [one.token_rule for one in fake.requests("CountTokens")]
    assert rules == [v1.TOKEN_RULE_O200K, v1.TOKEN_RULE_MODEL]
    # A wrong text is an error of protobuf, which says where it is.
    with pytest.raises(UnicodeEncodeError):
        made(v1.Message, text="\ud800")
