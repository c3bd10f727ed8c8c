"""An empty id, which a program may have lost, never means everybody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from fake import FakeServer
from real import RealServer

import memorysidecar as ms
from memorysidecar import AsyncClient, Client, MemoryTools, memory_block, v1
from memorysidecar._base import _METHODS
from memorysidecar.v1 import rules_pb2

SCOPED = v1.ScopeFilter(owned_by=v1.MemoryScope(user_id=""))
# Calls with an empty condition, and the name of it in the error.
EMPTY: list[tuple[str, dict[str, Any], str]] = [
    ("list_sessions", {"filter": {"user_id": ""}}, "filter.user_id"),
    ("list_sessions", {"filter": v1.SessionFilter(agent_id="")}, "filter.agent_id"),
    ("count_sessions", {"filter": {"session_id_prefix": ""}}, "filter.session_id_prefix"),
    ("list_events", {"filter": {"user_id": ""}}, "filter.user_id"),
    ("list_events", {"filter": v1.EventFilter(session_id="")}, "filter.session_id"),
    ("watch", {"filter": {"user_id": ""}}, "filter.user_id"),
    ("watch", {"filter": v1.EventFilter(session_id="")}, "filter.session_id"),
    ("list_memories", {"filter": {"user_id": ""}}, "user_id"),
    ("list_memories", {"filter": {"key": ""}}, "filter.key"),
    ("list_memories", {"filter": {"text_contains": ""}}, "filter.text_contains"),
    ("list_memories", {"filter": {"source_session_id": ""}}, "filter.source_session_id"),
    (
        "list_memories",
        {"filter": v1.MemoryFilter(scope=SCOPED)},
        "filter.scope.owned_by.user_id",
    ),
    ("purge_memories", {"filter": {"user_id": "u", "agent_id": ""}, "force": True}, "agent_id"),
    ("purge_memories", {"filter": {"everyone": True, "user_id": ""}, "force": True}, "user_id"),
    ("purge_memories", {"filter": {"user_id": "u", "key": ""}, "force": True}, "filter.key"),
    ("purge_memories", {"filter": v1.MemoryFilter(scope=SCOPED), "force": True}, "user_id"),
    (
        "purge_documents",
        {"collection_id": "c", "filter": {"user_id": "u", "agent_id": ""}, "force": True},
        "agent_id",
    ),
    (
        "purge_documents",
        {"collection_id": "c", "filter": v1.DocumentFilter(scope=SCOPED), "force": True},
        "user_id",
    ),
    ("decay_memories", {"filter": {"everyone": True, "agent_id": ""}}, "agent_id"),
    ("query_relations", {"subject": ""}, "subject"),
    ("query_relations", {"entity": ""}, "entity"),
    ("list_tasks", {"session_id": ""}, "session_id"),
    ("list_tasks", {"hook": ""}, "hook"),
    ("list_documents", {"filter": {"user_id": ""}}, "user_id"),
    ("list_documents", {"filter": {"source_document_id": ""}}, "filter.source_document_id"),
    ("recall", {"query": "q", "user_id": ""}, "user_id"),
    ("recall", {"query": "q", "user_id": "u", "session_id": ""}, "session_id"),
    ("recall", {"query": "q", "filter": {"user_id": ""}}, "user_id"),
    ("recall", {"query": "q", "filter": {"session_id_prefix": ""}}, "filter.session_id_prefix"),
    ("remember", {"memories": "t", "user_id": ""}, "user_id"),
    ("upsert_documents", {"documents": "t", "agent_id": ""}, "agent_id"),
    (
        "upsert_documents",
        {"documents": {"text": "t", "scope": {"user_id": ""}}},
        "documents.scope.user_id",
    ),
    ("extract_memories", {"text": "t", "user_id": ""}, "user_id"),
    ("put_record", {"path": "p", "key": "k", "value": "", "user_id": ""}, "user_id"),
    ("assemble_context", {"session_id": "s", "user_id": ""}, "user_id"),
]
# Arguments that a program which has lost its ids may pass to each rpc that deletes.
LOST: dict[str, list[dict[str, Any]]] = {
    "delete_session": [{"session_id": ""}, {"session_id": None}],
    "reset_session": [{"session_id": ""}, {"session_id": None}],
    "trim_session": [{"session_id": "", "max_messages": 0}],
    "delete_message": [
        {"session_id": "", "message_id": "m"},
        {"session_id": "kept", "message_id": ""},
        {"session_id": "kept", "message_id": None},
    ],
    "delete_found_messages": [
        {"message_ids": []},
        {"message_ids": [""]},
        {"message_ids": ["m"], "filter": {"user_id": ""}},
    ],
    "batch_delete_messages": [
        {"session_id": "", "message_ids": ["m"]},
        {"session_id": "kept", "message_ids": []},
        {"session_id": "kept", "message_ids": [""]},
    ],
    "replace_messages": [
        {"session_id": "", "all": True},
        {"session_id": None, "from_seq": 1},
        {"session_id": "kept", "from_seq": 0},
    ],
    "pop_messages": [{"session_id": ""}, {"session_id": None}],
    "decay_memories": [
        {"filter": lost, "factor": 0.0, "delete_below": 1.0}
        for lost in (None, {}, {"user_id": ""}, {"user_id": None}, v1.MemoryFilter())
    ],
    "purge_memories": [
        {"filter": lost, "force": True}
        for lost in (None, {}, {"user_id": ""}, {"user_id": None}, v1.MemoryFilter())
    ],
    "purge_documents": [
        {"collection_id": "kept", "filter": lost, "force": True}
        for lost in (None, {}, {"user_id": ""}, {"user_id": None}, v1.DocumentFilter())
    ]
    + [{"collection_id": lost, "filter": {"user_id": "u"}, "force": True} for lost in ("", None)],
    "forget_memories": [{"memory_ids": lost} for lost in ("", [], [""])],
    "merge_entities": [
        {"target_memory_id": "", "source_memory_ids": "kept"},
        {"target_memory_id": "kept", "source_memory_ids": []},
        {"target_memory_id": "kept", "source_memory_ids": ""},
    ],
    "delete_documents": [{"document_ids": lost} for lost in ("", [], [""])],
    "clear_collection": [{"collection_id": ""}, {"collection_id": None}],
    "write_records": [
        {"operations": []},
        {"operations": [{"deletion": {"record": {"path": [""], "key": "kept"}}}]},
        {"operations": [{"deletion": {"record": {"path": ["kept"], "key": ""}}}]},
    ],
    "delete_record": [
        {"path": "", "key": "kept"},
        {"path": [], "key": "kept"},
        {"path": "kept", "key": ""},
    ],
    "delete_records": [{"path": lost, "recursive": True} for lost in ("", [], ["kept", ""])],
    "delete_consumer": [{"consumer_id": ""}, {"consumer_id": None}],
    "delete_task": [{"task_id": ""}, {"task_id": None}],
    "erase_subject": [{"user_id": ""}, {"session_id": ""}, {"agent_id": "", "user_id": None}],
}


def drain(result: Any) -> None:
    """Sends what is sent only when it is looked at."""
    if isinstance(result, Iterator | ms.Pager):
        list(result)


async def adrain(result: Any) -> None:
    """The same for asyncio."""
    if isinstance(result, AsyncIterator | ms.AsyncPager):
        async for _ in result:
            pass
    else:
        await result


@pytest.mark.parametrize(("name", "arguments", "said"), EMPTY)
def test_an_empty_condition_is_refused_before_anything_is_sent(
    fake: FakeServer, fake_client: Client, name: str, arguments: dict[str, Any], said: str
) -> None:
    async def main() -> None:
        async with AsyncClient(fake.path) as client:
            with pytest.raises(ValueError, match=said):
                await adrain(getattr(client, name)(**arguments))

    with pytest.raises(ValueError, match=said):
        drain(getattr(fake_client, name)(**arguments))
    asyncio.run(main())
    for method in _METHODS.values():
        assert not fake.requests(method.name)


def test_helpers_refuse_an_empty_user(fake: FakeServer, fake_client: Client) -> None:
    with pytest.raises(ValueError, match="user_id"):
        memory_block(fake_client, "")
    with pytest.raises(ValueError, match="user_id"):
        MemoryTools(fake_client, user_id="")
    assert not fake.requests("AssembleContext")


def test_a_condition_that_is_left_out_means_any(fake: FakeServer, fake_client: Client) -> None:
    list(fake_client.list_sessions(filter={"user_id": None}))
    assert not fake.requests("ListSessions")[-1].filter.HasField("user_id")
    list(fake_client.list_sessions(filter={"user_id": "u"}))
    assert fake.requests("ListSessions")[-1].filter == v1.SessionFilter(user_id="u")


def test_every_rpc_that_deletes_is_tried() -> None:
    def deletes(options: Any) -> bool:
        return bool(options.Extensions[rules_pb2.destructive])

    rpcs = {one.name for one in _METHODS.values() if deletes(one.GetOptions())}
    assert rpcs == {name.title().replace("_", "") for name in LOST}


@pytest.mark.parametrize("name", LOST)
def test_a_lost_id_deletes_nothing(server: RealServer, client: Client, name: str) -> None:
    async def main(arguments: dict[str, Any]) -> None:
        async with AsyncClient(server.address, namespace=client.namespace) as other:
            with pytest.raises((ValueError, ms.Invalid)):
                await getattr(other, name)(**arguments)

    client.append("kept", "hello", create_session=True)
    client.remember({"memory_id": "kept", "text": "Kept."}, user_id="ana")
    client.upsert_documents({"document_id": "kept", "text": "Kept."})
    client.create_consumer("kept")
    before = [event.revision for event in client.list_events()]
    for arguments in LOST[name]:
        with pytest.raises((ValueError, ms.Invalid)):
            getattr(client, name)(**arguments)
        asyncio.run(main(arguments))
    assert [event.revision for event in client.list_events()] == before
    assert client.get_memory("kept").text == "Kept."
    assert client.get_document("kept").text == "Kept."
    assert client.get_consumer("kept").consumer_id == "kept"
