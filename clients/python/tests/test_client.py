"""Requests of the client's methods, and the answers they return."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import grpc
import pytest
from fake import FakeServer, answer

import memorysidecar as ms
from memorysidecar import AsyncClient, Client, export_memories, v1
from memorysidecar._base import _METHODS
from memorysidecar._channel import target

LEASED = v1.LeasedTask(task=v1.HookTask(task_id="t"), lease_token="x")
# Arguments with which every method can be called.
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "create_session": ("CreateSession", {"session_id": "s"}),
    "get_session": ("GetSession", {"session_id": "s"}),
    "list_sessions": ("ListSessions", {}),
    "update_session": ("UpdateSession", {"session_id": "s", "user_id": "u"}),
    "delete_session": ("DeleteSession", {"session_id": "s"}),
    "fork_session": ("ForkSession", {"source_session_id": "s"}),
    "reset_session": ("ResetSession", {"session_id": "s"}),
    "append": ("AppendMessages", {"session_id": "s", "messages": "hello"}),
    "list_messages": ("ListMessages", {"session_id": "s"}),
    "get_message": ("GetMessage", {"session_id": "s", "message_id": "m"}),
    "update_message": ("UpdateMessage", {"session_id": "s", "message_id": "m", "text": "t"}),
    "delete_message": ("DeleteMessage", {"session_id": "s", "message_id": "m"}),
    "batch_get_messages": ("BatchGetMessages", {"session_id": "s", "message_ids": ["m"]}),
    "list_session_messages": ("ListMessages", {"session_ids": ["s"]}),
    "count_session_messages": ("ListMessages", {"sessions": {"user_id": "u"}}),
    "find_messages": ("FindMessages", {"message_ids": ["m"]}),
    "delete_found_messages": ("DeleteFoundMessages", {"message_ids": ["m"]}),
    "batch_delete_messages": ("BatchDeleteMessages", {"session_id": "s", "message_ids": ["m"]}),
    "replace_messages": ("ReplaceMessages", {"session_id": "s", "from_seq": 1}),
    "pop_messages": ("PopMessages", {"session_id": "s"}),
    "window": ("GetWindow", {"session_id": "s"}),
    "preview_policy": ("PreviewPolicy", {"session_id": "s"}),
    "trim_session": ("TrimSession", {"session_id": "s", "max_tokens": 0}),
    "restore_messages": ("RestoreMessages", {"session_id": "s", "message_ids": ["m"]}),
    "list_summary_inputs": ("ListSummaryInputs", {"session_id": "s", "keep_recent": 2}),
    "set_summary": ("SetSummary", {"session_id": "s", "text": "t"}),
    "fill_tool_results": ("FillToolResults", {"session_id": "s"}),
    "export_document": ("ExportSession", {"session_id": "s", "format": "lauren"}),
    "import_session": ("ImportSession", {"snapshot": []}),
    "list_events": ("ListEvents", {}),
    "create_consumer": ("CreateConsumer", {"consumer_id": "c"}),
    "get_consumer": ("GetConsumer", {"consumer_id": "c"}),
    "list_consumers": ("ListConsumers", {}),
    "delete_consumer": ("DeleteConsumer", {"consumer_id": "c"}),
    "ack_events": ("AckEvents", {"consumer_id": "c", "resume_token": "t"}),
    "compact_session": ("CompactSession", {"session_id": "s", "keep_recent": 2}),
    "list_summaries": ("ListSummaries", {"session_id": "s"}),
    "list_summary_sources": ("ListSummarySources", {"session_id": "s", "version": 1}),
    "poll_tasks": ("PollTasks", {"hooks": "h"}),
    "complete_task": ("CompleteTask", {"task": LEASED, "output": "t"}),
    "fail_task": ("FailTask", {"task": LEASED}),
    "extend_lease": ("ExtendLease", {"task": LEASED}),
    "list_tasks": ("ListTasks", {}),
    "get_task": ("GetTask", {"task_id": "t"}),
    "retry_task": ("RetryTask", {"task_id": "t"}),
    "delete_task": ("DeleteTask", {"task_id": "t"}),
    "list_hooks": ("ListHooks", {}),
    "list_namespaces": ("ListNamespaces", {}),
    "count_messages": ("ListMessages", {"session_id": "s", "filter": {"names": ["ann"]}}),
    "count_sessions": ("ListSessions", {"filter": {"session_id_prefix": "s"}}),
    "erase_subject": ("EraseSubject", {"session_id": "s"}),
    "get_erasure": ("GetErasure", {"erasure_id": "e"}),
    "list_policy_presets": ("ListPolicyPresets", {}),
    "server_info": ("GetServerInfo", {}),
    "recall": ("Recall", {"query": "q", "filter": {"roles": ["user"], "kinds": ["message"]}}),
    "upsert_documents": ("UpsertDocuments", {"documents": "text"}),
    "get_document": ("GetDocument", {"document_id": "d"}),
    "list_documents": ("ListDocuments", {}),
    "list_collections": ("ListCollections", {}),
    "refresh_documents": ("RefreshDocuments", {"document_ids": "d"}),
    "delete_documents": ("DeleteDocuments", {"document_ids": "d"}),
    "purge_documents": (
        "PurgeDocuments",
        {"collection_id": "c", "filter": {"user_id": "u"}},
    ),
    "clear_collection": ("ClearCollection", {"collection_id": "c"}),
    "put_record": ("PutRecord", {"path": "p", "key": "k", "value": "v"}),
    "upload_value": ("UploadRecordPart", {"value": "v"}),
    "get_whole_record": ("GetRecord", {"path": "p", "key": "k"}),
    "get_record": ("GetRecord", {"path": "p", "key": "k"}),
    "batch_get_records": ("BatchGetRecords", {"records": [("p", "k")]}),
    "list_records": ("ListRecords", {"path": "p", "order": "desc"}),
    "list_record_paths": ("ListRecordPaths", {"prefix": "p", "suffix": ["q"]}),
    "write_records": (
        "WriteRecords",
        {"operations": [{"put": {"record": {"path": ["p"], "key": "k"}}}]},
    ),
    "delete_record": ("DeleteRecord", {"path": "p", "key": "k"}),
    "delete_records": ("DeleteRecords", {"path": "p"}),
    "embed": ("Embed", {"texts": "t"}),
    "count_items": ("CountItems", {"label_key": "k", "order": "value"}),
    "count_tokens": ("CountTokens", {"texts": "t"}),
    "remember": ("Remember", {"memories": "t", "user_id": "u", "dedupe": "similar"}),
    "get_memory": ("GetMemory", {"memory_id": "m"}),
    "list_memories": ("ListMemories", {"filter": {"kinds": ["fact"]}, "order": "newest"}),
    "update_memory": ("UpdateMemory", {"memory_id": "m", "text": "t"}),
    "reinforce_memories": ("ReinforceMemories", {"memory_ids": "m"}),
    "decay_memories": ("DecayMemories", {"filter": {"user_id": "u"}, "factor": 0.5}),
    "forget_memories": ("ForgetMemories", {"memory_ids": "m"}),
    "purge_memories": ("PurgeMemories", {"filter": {"user_id": "u"}}),
    "list_memory_versions": ("ListMemoryVersions", {"memory_id": "m"}),
    "restore_memory_version": (
        "RestoreMemoryVersion",
        {"memory_id": "m", "version": 1},
    ),
    "query_relations": ("QueryRelations", {"subject": "s"}),
    "merge_entities": ("MergeEntities", {"target_memory_id": "m", "source_memory_ids": "n"}),
    "record_turn": ("AppendMessages", {"session_id": "s", "user_text": "t"}),
    "consolidate_session": ("ConsolidateSession", {"session_id": "s"}),
    "extract_memories": ("ExtractMemories", {"text": "t", "extraction": "hook"}),
    "assemble_context": ("AssembleContext", {"sections": ["long_term"]}),
}
STREAMS = {
    "watch": "WatchEvents",
    "export_session": "ExportSession",
    "back_up": "BackUp",
    "compact_store": "CompactStore",
}


def sent(fake: FakeServer, rpc: str) -> Any:
    """The newest request of an rpc."""
    return fake.requests(rpc)[-1]


def test_every_rpc_has_a_method() -> None:
    ours = {rpc for rpc, _ in CALLS.values()} | set(STREAMS.values())
    assert ours == {method.name for method in _METHODS.values()}


@pytest.mark.parametrize("name", CALLS)
def test_every_method_calls_its_rpc(fake: FakeServer, fake_client: Client, name: str) -> None:
    rpc, arguments = CALLS[name]
    result = getattr(fake_client, name)(**arguments, namespace="n")
    if isinstance(result, ms.Pager):
        assert list(result) == []
    if "namespace" not in sent(fake, rpc).DESCRIPTOR.fields_by_name:
        return
    assert sent(fake, rpc).namespace == "n"
    if "request_id" in sent(fake, rpc).DESCRIPTOR.fields_by_name:
        assert len(sent(fake, rpc).request_id) == 32


def test_asyncio_has_the_same_methods(fake: FakeServer) -> None:
    async def main() -> None:
        async with AsyncClient(fake.path) as client:
            for name, (rpc, arguments) in CALLS.items():
                result = getattr(client, name)(**arguments)
                if isinstance(result, ms.AsyncPager):
                    assert [item async for item in result] == []
                else:
                    await result
                assert fake.requests(rpc)

    asyncio.run(main())
    for name in {*CALLS, *STREAMS}:
        ours, theirs = getattr(Client, name), getattr(AsyncClient, name)
        mine, its = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
        assert list(mine) == list(its)
        for key in mine.keys() - {"snapshot", "read_state"}:
            assert mine[key] == its[key]
        assert ours.__doc__ and theirs.__doc__


@pytest.mark.parametrize(
    "unbound",
    [
        *({}, {"user_id": ""}, {"user_id": None}, {"agent_id": "a"}, {"key": "k"}),
        {"user_id": "", "scope": "visible_to"},
        v1.MemoryFilter(),
        v1.MemoryFilter(scope=v1.ScopeFilter(exact=v1.MemoryScope())),
        v1.MemoryFilter(scope=v1.ScopeFilter(owned_by=v1.MemoryScope(agent_id="a"))),
    ],
)
def test_a_forgotten_user_destroys_nothing(
    fake: FakeServer, fake_client: Client, unbound: Any
) -> None:
    for act in (
        lambda: fake_client.purge_memories(unbound, force=True),
        lambda: fake_client.decay_memories(filter=unbound),
        lambda: list(export_memories(fake_client, unbound)),
    ):
        with pytest.raises(ValueError, match="user_id"):
            act()
    for rpc in ("PurgeMemories", "DecayMemories", "ListMemories"):
        assert not fake.requests(rpc)


@pytest.mark.parametrize(
    ("given", "read", "purged"),
    [
        ({"user_id": "u"}, {"visible_to": {"user_id": "u"}}, {"owned_by": {"user_id": "u"}}),
        (
            {"user_id": "u", "agent_id": "a", "scope": "exact"},
            {"exact": {"user_id": "u", "agent_id": "a"}},
            {"exact": {"user_id": "u", "agent_id": "a"}},
        ),
        ({"everyone": True}, {"everyone": {}}, {"everyone": {}}),
        (
            {"everyone": True, "session_id": "s"},
            {"owned_by": {"session_id": "s"}},
            {"owned_by": {"session_id": "s"}},
        ),
    ],
)
def test_the_scope_of_a_filter(
    fake: FakeServer,
    fake_client: Client,
    given: dict[str, Any],
    read: dict[str, Any],
    purged: dict[str, Any],
) -> None:
    list(fake_client.list_memories(filter=given))
    assert sent(fake, "ListMemories").filter.scope == v1.ScopeFilter(**read)
    fake_client.purge_memories(given)
    assert sent(fake, "PurgeMemories").filter.scope == v1.ScopeFilter(**purged)


def test_reading_without_a_user_names_no_scope(fake: FakeServer, fake_client: Client) -> None:
    list(fake_client.list_memories(filter={"user_id": None, "kinds": ["fact"]}))
    assert not sent(fake, "ListMemories").filter.HasField("scope")
    list(fake_client.list_memories(filter={"agent_id": "a"}))
    only = v1.ScopeFilter(visible_to=v1.MemoryScope(agent_id="a"))
    assert sent(fake, "ListMemories").filter.scope == only
    for wrong in ({"agent_id": "a", "scope": "owned_by"}, {"user_id": "u", "everyone": True}):
        with pytest.raises(ValueError, match="user_id"):
            fake_client.list_memories(filter=wrong)


def test_messages_are_taken_in_every_form(fake: FakeServer, fake_client: Client) -> None:
    call = {"tool_call_id": "c1", "name": "search", "arguments": "{}"}
    fake_client.append(
        "s",
        [
            "hello",
            {"role": "assistant", "text": "", "tool_calls": [call], "metadata": {"a": [1, None]}},
            {"role": v1.ROLE_TOOL, "tool_call_id": "c1", "parts": [{"data": {"hits": 3}}]},
            v1.Message(role=v1.ROLE_SYSTEM, text="be kind"),
            {"role": "ROLE_USER", "sent_time": datetime(2024, 5, 1, tzinfo=timezone.utc)},
        ],
        expected_last_seq=0,
        create_session=True,
    )
    request = sent(fake, "AppendMessages")
    roles = [v1.Role.Name(one.role) for one in request.messages]
    assert roles == ["ROLE_USER", "ROLE_ASSISTANT", "ROLE_TOOL", "ROLE_SYSTEM", "ROLE_USER"]
    assert request.messages[0].text == "hello"
    assert request.messages[1].tool_calls[0].name == "search"
    assert request.messages[2].parts[0].data["hits"] == 3
    assert request.messages[4].sent_time.ToJsonString() == "2024-05-01T00:00:00Z"
    assert request.HasField("expected_last_seq") and request.create_session

    fake_client.append("s", iter(["a", "b"]))
    assert len(sent(fake, "AppendMessages").messages) == 2
    fake_client.append("s", {"role": "user", "text": "one"})
    assert len(sent(fake, "AppendMessages").messages) == 1
    assert not sent(fake, "AppendMessages").HasField("expected_last_seq")


@pytest.mark.parametrize("wrong", [{"content": "x"}, {"role": "nobody"}])
def test_fields_that_do_not_exist_are_refused(fake_client: Client, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        fake_client.append("s", wrong)


def test_sessions_are_made_of_fields(fake: FakeServer, fake_client: Client) -> None:
    fake.script["CreateSession"] = [
        answer(v1.CreateSessionResponse(session=v1.Session(session_id="made")))
    ]
    session = fake_client.create_session(
        user_id="u",
        labels={"a": "b"},
        metadata={"plan": "pro"},
        ttl=timedelta(minutes=2),
        summary="so far",
        policy={"stages": [{"name": "cut", "drop_oldest": {"max_tokens": 100}}]},
        request_id="r",
    )
    assert session.session_id == "made"
    request = sent(fake, "CreateSession")
    assert request.session.ttl.seconds == 120
    assert request.session.summary.text == "so far"
    assert request.session.policy.policy.stages[0].drop_oldest.max_tokens == 100
    assert (request.request_id, request.namespace) == ("r", "default")


def test_updates_name_what_is_given(fake: FakeServer, fake_client: Client) -> None:
    fake_client.update_session("s", user_id="u", ttl=None, etag="e")
    request = sent(fake, "UpdateSession")
    assert list(request.update_mask.paths) == ["user_id", "ttl"]
    assert (request.session.session_id, request.session.etag) == ("s", "e")
    assert not request.session.HasField("ttl")
    fake_client.update_session("s", update_mask=["*"], user_id=None)
    assert list(sent(fake, "UpdateSession").update_mask.paths) == ["*"]
    fake_client.update_message("s", "m", text="t", token_count=3)
    request = sent(fake, "UpdateMessage")
    assert list(request.update_mask.paths) == ["text", "token_count"]
    assert (request.message.message_id, request.message.token_count) == ("m", 3)


def test_a_delete_names_the_state_of_its_record(fake: FakeServer, fake_client: Client) -> None:
    fake_client.delete_record("p", "k", exists=True)
    assert sent(fake, "DeleteRecord").precondition.exists
    fake_client.delete_record("p", "k", version=3)
    assert sent(fake, "DeleteRecord").precondition.version == 3
    fake_client.delete_record("p", "k")
    assert not sent(fake, "DeleteRecord").HasField("precondition")
    with pytest.raises(ValueError, match="version or exists"):
        fake_client.delete_record("p", "k", version=3, exists=True)


def test_zero_is_not_unset(fake: FakeServer, fake_client: Client) -> None:
    fake_client.window("s", as_of_seq=0)
    assert sent(fake, "GetWindow").HasField("as_of_seq")
    fake_client.window("s")
    assert not sent(fake, "GetWindow").HasField("as_of_seq")
    assert not sent(fake, "GetWindow").HasField("policy")
    fake_client.fork_session("s", at_seq=0)
    assert sent(fake, "ForkSession").HasField("at_seq")


def test_a_list_goes_over_all_pages(fake: FakeServer, fake_client: Client) -> None:
    def page(request: Any, context: grpc.ServicerContext) -> v1.ListEventsResponse:
        start = int(request.page_token or 0)
        # The second page is empty and not the last one.
        events = [] if start == 1 else [v1.Event(revision=start)]
        token = str(start + 1) if start < 3 else ""
        return v1.ListEventsResponse(events=events, next_page_token=token, resume_token=f"r{start}")

    fake.script["ListEvents"] = [page]
    listed = fake_client.list_events(page_size=1, filter={"user_id": "u"})
    assert fake.calls == []
    assert [one.revision for one in listed] == [0, 2, 3]
    assert [one.resume_token for one in listed.pages()] == ["r0", "r1", "r2", "r3"]
    assert {one.filter.user_id for one in fake.requests("ListEvents")} == {"u"}
    assert {one.page_size for one in fake.requests("ListEvents")} == {1}


def test_filters_and_positions_take_plain_values(fake: FakeServer, fake_client: Client) -> None:
    since = datetime(2024, 5, 1, tzinfo=timezone.utc)
    list(fake_client.list_sessions(filter={"labels": {"a": "b"}, "create_time_from": since}))
    assert sent(fake, "ListSessions").filter.create_time_from.seconds == int(since.timestamp())
    fake_client.create_consumer("c", position="oldest")
    assert sent(fake, "CreateConsumer").position == v1.STREAM_POSITION_OLDEST
    fake_client.create_consumer("c")
    assert sent(fake, "CreateConsumer").WhichOneof("start") is None
    with pytest.raises(ValueError, match="newest"):
        fake_client.create_consumer("c", position="newest")  # type: ignore[arg-type]


def test_token_and_namespace_go_with_every_call(fake: FakeServer) -> None:
    with Client(fake.path, token="secret", namespace="n") as client:
        client.get_session("s")
        client.sessions.GetSession(v1.GetSessionRequest(), metadata=client.metadata)
    assert [one["authorization"] for one in fake.metadata] == ["Bearer secret"] * 2
    assert fake.metadata[0]["user-agent"].startswith("memory-sidecar-python/")
    assert fake.requests("GetSession")[0].namespace == "n"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("localhost:50151", "localhost:50151"),
        ("[::1]:50151", "[::1]:50151"),
        ("unix:/run/s.sock", "unix:/run/s.sock"),
        ("/run/s.sock", "unix:/run/s.sock"),
        (Path("/run/s.sock"), "unix:/run/s.sock"),
        ("./s.sock", f"unix:{Path.cwd()}/s.sock"),
        (Path("s.sock"), f"unix:{Path.cwd()}/s.sock"),
    ],
)
def test_addresses(address: str | Path, expected: str) -> None:
    assert target(address) == expected


def test_an_empty_address_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        Client("")


@pytest.fixture
def certificates(tmp_path: Path) -> Iterator[Path]:
    """A file that is no certificate."""
    path = tmp_path / "roots.pem"
    path.write_text("-----BEGIN NOTHING-----\n")
    yield path


def test_tls_is_asked_for(fake: FakeServer, certificates: Path) -> None:
    for tls in (True, str(certificates), certificates, grpc.ssl_channel_credentials()):
        with Client(fake.path, tls=tls, timeout=0.3) as client, pytest.raises(ms.Unavailable):
            client.server_info()
    with Client(fake.path, tls=True, timeout=0.3) as client:
        with pytest.raises(ms.Unavailable, match="does not speak TLS: leave tls out"):
            client.server_info()
    assert fake.calls == []
    with Client(fake.path, tls=False) as client:
        client.server_info()
    assert len(fake.calls) == 1


def test_the_version_is_the_same_everywhere() -> None:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert f'\nversion = "{ms.__version__}"\n' in text


def test_what_a_session_gives_to_memory_has_short_names(
    fake: FakeServer, fake_client: Client
) -> None:
    rules = [{"name": "pets", "phrases": ["my dog"], "score": 0.9}]
    how = {"hook": "h", "on": "trim", "targets": ["facts", "EXTRACTION_TARGET_ENTITIES"]}
    promotion = {"selection": "any_text", "importance_rules": rules}
    episodes = {"retention": timedelta(days=2)}
    given = {"promotion": promotion, "episodes": episodes, "extraction": how}
    fake_client.create_session(session_id="s", memory_policy=given)
    made = fake.requests("CreateSession")[-1].session.memory_policy
    assert made.promotion.selection == v1.PROMOTION_SELECTION_ANY_TEXT
    assert made.promotion.importance_rules[0].phrases == ["my dog"]
    assert made.episodes.retention.seconds == 172_800
    assert made.extraction.on == v1.EXTRACTION_TIME_TRIM
    assert list(made.extraction.targets) == [
        v1.EXTRACTION_TARGET_FACTS,
        v1.EXTRACTION_TARGET_ENTITIES,
    ]
    fake_client.update_session("s", memory_policy={"extraction": "h"})
    request = fake.requests("UpdateSession")[-1]
    assert request.session.memory_policy.extraction.hook == "h"
    assert list(request.update_mask.paths) == ["memory_policy"]
    fake_client.update_session("s", memory_policy=None)
    assert not fake.requests("UpdateSession")[-1].session.HasField("memory_policy")
    fake_client.create_session(memory_policy={})
    made = fake.requests("CreateSession")[-1].session
    assert made.HasField("memory_policy")
    parts = ("promotion", "episodes", "extraction")
    assert not any(made.memory_policy.HasField(part) for part in parts)
    fake_client.create_session(memory_policy={part: {} for part in parts})
    made = fake.requests("CreateSession")[-1].session
    assert all(made.memory_policy.HasField(part) for part in parts)
    with pytest.raises(ValueError, match="user_statements, any_text"):
        fake_client.create_session(memory_policy={"promotion": {"selection": "all"}})
    for wrong, said in (({"targets": ["all"]}, "facts, entities"), ({"on": "now"}, "turn_end")):
        with pytest.raises(ValueError, match=said):
            fake_client.create_session(memory_policy={"extraction": wrong})


def test_an_argument_that_a_method_does_not_have_is_refused(fake_client: Client) -> None:
    with pytest.raises(TypeError, match='no argument "limit"'):
        fake_client.recall("q", limit=3)  # type: ignore[call-arg]
