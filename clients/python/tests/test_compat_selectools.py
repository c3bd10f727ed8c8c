"""The drop-in classes of selectools."""

from __future__ import annotations

import copy
import importlib
import pickle
from datetime import datetime, timedelta, timezone
from typing import Any

import grpc
import pytest
from real import Between

from memorysidecar import Aborted, Client, ErrorReason


def test_a_memory_of_selectools_goes_on_in_another_process(frameworks: Client) -> None:
    """A second object with the name of the session has the same messages."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    types = importlib.import_module("selectools.types")
    first = selectools.ConversationMemory(5, session_id="chat")
    call = types.ToolCall("find", {"q": 1}, "c1")
    part = types.ContentPart("image_url", image_url="https://example.com/a.png")
    first.add_many(
        [
            types.Message(types.Role.USER, "Hello"),
            types.Message(types.Role.ASSISTANT, "", tool_calls=[call]),
            types.Message(types.Role.TOOL, "found", tool_name="find", tool_call_id="c1"),
            types.Message(types.Role.USER, "See", content_parts=[part]),
        ]
    )
    second = selectools.ConversationMemory(5, session_id="chat")
    assert second.to_dict() == first.to_dict()
    assert pickle.loads(pickle.dumps(first)).to_dict() == first.to_dict()
    second.add_many([types.Message(types.Role.USER, str(number)) for number in range(4)])
    # selectools pops the call and its result at the head, which the first process had added.
    assert [one.content for one in second._last_trimmed] == ["Hello", "", "found"]
    assert len(first) == 5
    with pytest.raises(ValueError, match="n must be"):
        first.get_recent(0)


def test_a_copy_of_a_memory_goes_its_own_way(frameworks: Client) -> None:
    """A deep copy is a fork of the session."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    types = importlib.import_module("selectools.types")
    memory = selectools.ConversationMemory(3)
    memory.add(types.Message(types.Role.USER, "one"))
    copied = copy.deepcopy(memory)
    copied.add(types.Message(types.Role.USER, "two"))
    assert [len(memory), len(copied)] == [1, 2]
    # Limits that wait for the next message wait in the copy too.
    copied.max_messages = 1
    again = copied.branch()
    again.add(types.Message(types.Role.USER, "three"))
    assert [one.content for one in again.get_history()] == ["three"]
    memory.clear()
    assert (len(memory), memory.summary, len(copied)) == (0, None, 2)


def test_knowledge_of_selectools_is_memories_like_others(frameworks: Client) -> None:
    """An entry is recalled, expires, and stays with its user; a fact of others is an entry."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    types = importlib.import_module("selectools.knowledge")
    store = selectools.KnowledgeStore("ana")
    day = timedelta(days=1)
    made = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=timezone.utc)
    entry = types.KnowledgeEntry("e1", "Ana likes green tea", "drinks", 0.9, created_at=made)
    old = types.KnowledgeEntry("e2", "Ana is away", ttl_days=1, created_at=made)
    fresh = types.KnowledgeEntry("e3", "Ana is here", ttl_days=30, importance=0.1)
    assert [store.save(one) for one in (entry, old, fresh)] == ["e1", "e2", "e3"]
    assert store.get("e1") == entry
    frameworks.remember({"text": "Ana lives in Oslo", "ttl": 2 * day}, user_id="ana")
    hits = frameworks.recall("Which tea does she like?", user_id="ana").hits
    assert hits[0].memory.memory_id == "e1"
    contents = ["Ana likes green tea", "Ana lives in Oslo", "Ana is here"]
    assert [one.content for one in store.query()] == contents
    assert [one.ttl_days for one in store.query()] == [None, 2, 30]
    left = frameworks.get_memory("e3").expire_time.ToDatetime(tzinfo=timezone.utc)
    assert day * 29 < left - datetime.now(timezone.utc) < day * 30
    # Another user has none of them.
    other = selectools.KnowledgeStore()
    assert (other.get("e1"), other.delete("e1"), other.count(), store.count()) == (
        None,
        False,
        0,
        4,
    )
    assert store.prune(min_importance=0.2) == 2
    assert [store.delete("e1"), store.delete("e1")] == [True, False]
    assert [one.content for one in store.query(category="general")] == ["Ana lives in Oslo"]


def test_triples_of_selectools_are_relations_like_others(frameworks: Client) -> None:
    """A triple is found as a relation; too many make old ones go, and no other memories."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    triple = importlib.import_module("selectools.knowledge_graph").Triple
    frameworks.remember("Ana likes tea", user_id="ana")
    works = {"subject": "Ana", "predicate": "works_at", "object_value": "Acme"}
    frameworks.remember({"kind": "relation", "relation": works}, user_id="ana")
    store = selectools.TripleStore(3, user_id="ana")
    assert [(one.subject, one.relation, one.object) for one in store.all()] == [
        ("Ana", "works_at", "Acme")
    ]
    assert store.all()[0].created_at > 1_700_000_000
    store.add_many([triple("Ana", "knows", f"person {at}", 0.5, at, 7.25) for at in range(300)])
    assert [one.source_turn for one in store.all()] == [297, 298, 299]
    assert store.all()[0] == triple("Ana", "knows", "person 297", 0.5, 297, 7.25)
    found = frameworks.query_relations(entity="Ana", filter={"user_id": "ana"}).relations
    assert len(found) == 3
    many = [f"word {at}" for at in range(40)]
    assert [one.source_turn for one in store.query([*many, "N 299"])] == [299]
    assert store.query(["x" * 300]) == []
    assert selectools.TripleStore().count() == 0
    store.clear()
    assert [one.text for one in frameworks.list_memories(filter={"user_id": "ana"})] == [
        "Ana likes tea"
    ]


def test_entities_of_selectools_are_entities_like_others(frameworks: Client) -> None:
    """Two processes mention the same entities, and others find them."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    entity = importlib.import_module("selectools.entity_memory").Entity
    named = {"name": "Oslo", "type": "location", "attributes": {"country": "Norway"}}
    frameworks.remember({"kind": "entity", "entity": named}, user_id="ana")
    first = selectools.EntityMemory(None, user_id="ana")
    first.update([entity("Acme", "organization", {"field": "tea", "size": 7}), entity("Bo", "x")])
    second = selectools.EntityMemory(None, max_entities=2, user_id="ana")
    assert [one.name for one in second.entities] == ["Acme", "Bo", "Oslo"]
    assert second.entities[2].attributes == {"country": "Norway"}
    second.update([entity("ACME", "other", {"size": 8}), entity("Rome", "location")])
    known = [(one.name, one.mention_count, one.attributes) for one in first.entities]
    assert known == [("Acme", 2, {"field": "tea", "size": 8}), ("Rome", 1, {})]
    stored = list(frameworks.list_memories(filter={"user_id": "ana"}))
    assert [dict(one.entity.attributes) for one in stored] == [{"field": "tea", "size": "8"}, {}]
    copied = selectools.EntityMemory.from_dict(first.to_dict(), None, user_id="bo")
    assert copied.to_dict()["entities"] == first.to_dict()["entities"]
    assert selectools.EntityMemory(None).entities == []


def said(*texts: str) -> list[Any]:
    """Messages of a user."""
    types = importlib.import_module("selectools.types")
    return [types.Message(types.Role.USER, text) for text in texts]


def texts(memory: Any) -> list[str]:
    """The contents of the messages of a memory."""
    return [one["content"] for one in memory.to_dict()["messages"]]


def test_a_saved_session_is_one_of_the_server(frameworks: Client) -> None:
    """A save writes what is new; what left the memory stays in the log, and is found."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    store = selectools.SessionStore(3_600)
    memory = selectools.ConversationMemory(3, 400)
    memory.add_many(said("The redwood is tall", "two", "three"))
    frameworks.create_session("team:chat", labels={"topic": "trees"}, metadata={"n": 1})
    assert store.load("chat", "team") is None
    store.save("chat", memory, "team")
    first = [one.message_id for one in frameworks.list_messages("team:chat")]
    memory.add_many(said("four"))
    memory.summary = "About trees."
    store.save("chat", memory, namespace="team")
    log = list(frameworks.list_messages("team:chat"))
    assert [one.text for one in log] == ["The redwood is tall", "two", "three", "four"]
    assert [one.message_id for one in log[:3]] == first
    assert frameworks.recall("redwood", session_id="team:chat").hits
    session = frameworks.get_session("team:chat")
    assert (session.ttl.seconds, session.summary.text) == (3_600, "About trees.")
    assert (session.labels["topic"], session.metadata["n"]) == ("trees", 1)
    # Another program goes on with the session.
    call = {"tool_call_id": "c1", "name": "find", "arguments": '{"q": 1}'}
    odd = [{**call, "tool_call_id": given, "arguments": given} for given in ("[1]", "1 2")]
    image = {"image": {"url": "https://example.com/a.png"}}
    data = {"image": {"data": b"hi", "media_type": "image/png"}}
    frameworks.append(
        "team:chat",
        [
            {"role": "assistant", "text": "Wait.", "tool_calls": [call, *odd]},
            {"role": "tool", "text": "Found.", "tool_call_id": "c1", "name": "find"},
            {"role": "user", "parts": [{"text": "See"}, image, data]},
        ],
    )
    loaded = selectools.SessionStore().load("chat", namespace="team")
    whole = loaded.to_dict()
    assert (whole["max_messages"], whole["max_tokens"]) == (3, 400)
    assert texts(loaded) == ["two", "three", "four", "Wait.", "Found.", "See"]
    given = [one["parameters"] for one in whole["messages"][3]["tool_calls"]]
    assert given == [{"q": 1}, {"arguments": [1]}, {"arguments": "1 2"}]
    assert whole["messages"][4]["tool_result"] == "Found."
    kinds = [part["type"] for part in whole["messages"][5]["content_parts"]]
    assert kinds == ["text", "image_url", "image_base64"]
    # A store without a time to live takes it away, as its sessions live for ever.
    selectools.SessionStore().save("chat", loaded, "team")
    assert not frameworks.get_session("team:chat").HasField("ttl")
    assert len(list(frameworks.list_messages("team:chat"))) == 7


def test_a_memory_that_changed_at_its_end_replaces_the_saved_one(frameworks: Client) -> None:
    """Messages that were taken back are erased, those of an emptied memory too."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    store = selectools.SessionStore()
    memory = selectools.ConversationMemory(2_500)
    memory.add_many(said("one", "two", "three"))
    store.save("chat", memory)
    first = next(iter(frameworks.list_messages("chat")))
    whole = memory.to_dict()
    other = [*whole["messages"][:1], *[{"role": "user", "content": str(n)} for n in range(2_100)]]
    changed = selectools.ConversationMemory.from_dict({**whole, "messages": other})
    store.save("chat", changed)
    log = list(frameworks.list_messages("chat", page_size=1_000))
    assert (len(log), log[0].message_id) == (2_101, first.message_id)
    assert texts(store.load("chat")) == ["one", *map(str, range(2_100))]
    store.save("chat", memory)
    assert [one.text for one in frameworks.list_messages("chat")] == ["one", "two", "three"]
    memory.clear()
    store.save("chat", memory)
    assert (list(frameworks.list_messages("chat")), texts(store.load("chat"))) == ([], [])


def test_a_save_erases_nothing_that_another_program_added(frameworks: Client) -> None:
    """It stays in the log behind the saved memory, and the next load gives what was saved last."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    store = selectools.SessionStore()

    def log() -> list[str]:
        return [one.text for one in frameworks.list_messages("chat", page_size=1_000)]

    memory = selectools.ConversationMemory(5_000)
    memory.add_many(said("one", "two"))
    store.save("chat", memory)
    frameworks.append("chat", "X")
    store.save("chat", memory)
    assert (log(), texts(store.load("chat"))) == (["one", "two", "X", "one", "two"], ["one", "two"])
    memory.add_many(said("three"))
    store.save("chat", memory)
    assert log() == ["one", "two", "X", "one", "two", "three"]
    # A message that was loaded, and then saved, belongs to the memory as any other does.
    frameworks.append("chat", "Y")
    loaded = store.load("chat")
    store.save("chat", loaded)
    store.save("chat", memory)
    assert log() == ["one", "two", "X", "one", "two", "three"]
    # An emptied memory takes away what there was as it was saved.
    frameworks.append("chat", "Z")
    memory.clear()
    store.save("chat", memory)
    assert (log(), texts(store.load("chat"))) == (["Z"], [])
    store.save("chat", memory)
    assert log() == ["Z"]


@pytest.mark.parametrize("is_changed", [True, False])
@pytest.mark.parametrize("later", [0, 1])
def test_a_message_that_comes_amid_a_long_save_stays(
    frameworks: Client, is_changed: bool, later: int
) -> None:
    """Before the first call that appends, or between two of them."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    store = selectools.SessionStore()
    memory = selectools.ConversationMemory(5_000)
    memory.add_many(said("one", "two"))
    store.save("chat", memory)
    whole = memory.to_dict()
    kept = whole["messages"][: 1 if is_changed else 2]
    other = [*kept, *[{"role": "user", "content": str(n)} for n in range(2_100)]]
    changed = selectools.ConversationMemory.from_dict({**whole, "messages": other})
    between = Between(frameworks, "append", lambda: frameworks.append("chat", "X"), after=later)
    selectools.SessionStore(client=between).save("chat", changed)
    assert [one["content"] for one in other] == texts(store.load("chat"))
    log = [one.text for one in frameworks.list_messages("chat", page_size=1_000)]
    assert (log.count("X"), log[0]) == (1, "one")
    # The memory is known whole: what changes at its end replaces it.
    short = selectools.ConversationMemory.from_dict({**whole, "messages": other[:3]})
    store.save("chat", short)
    assert texts(store.load("chat")) == [one["content"] for one in other[:3]]
    last = list(frameworks.list_messages("chat", page_size=1_000))[-1]
    assert last.text == other[2]["content"]


def test_a_memory_that_is_the_session_is_saved_by_its_name(frameworks: Client) -> None:
    """It is written once; its forks are no saved sessions."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    store = selectools.SessionStore()
    memory = selectools.ConversationMemory(2, session_id="chat")
    store.save("chat", memory)
    assert texts(store.load("chat")) == []
    memory.add_many(said("one", "two", "three"))
    store.save("chat", memory)
    assert len(list(frameworks.list_messages("chat"))) == 3
    assert texts(store.load("chat")) == ["two", "three"]
    copied = memory.branch()
    assert [one.session_id for one in store.list()] == ["chat"]
    assert not store.delete(copied.session_id)
    assert store.delete("chat")
    assert (store.list(), len(copied)) == ([], 2)


@pytest.mark.parametrize("method", ["append", "set_summary", "replace_messages"])
def test_of_two_saves_the_last_to_end_wins_whole(frameworks: Client, method: str) -> None:
    """No session has messages or the summary of both; a deletion in between is undone."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    other = selectools.SessionStore()

    def memory(*contents: str) -> Any:
        made = selectools.ConversationMemory()
        made.add_many(said("both", *contents))
        made.summary = f"About {contents[0]}."
        return made

    def save() -> None:
        other.save("chat", memory("theirs", "more"))

    for act in (save, lambda: other.delete("chat")):
        other.save("chat", memory("before"))
        store = selectools.SessionStore(client=Between(frameworks, method, act))
        store.save("chat", memory("mine"))
        loaded = other.load("chat")
        assert (texts(loaded), loaded.to_dict()["summary"]) == (["both", "mine"], "About mine.")


def test_a_save_that_always_loses_ends(frameworks: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It raises the error of its last attempt, as writers that never rest are a mistake."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    sessions = importlib.import_module("memorysidecar.compat._selectools_sessions")
    delays: list[float] = []
    monkeypatch.setattr(sessions.time, "sleep", delays.append)

    class Busy:
        """A client whose session gets a message before each call that appends."""

        def __getattr__(self, name: str) -> Any:
            if name == "append":
                assert len(delays) < 100
                frameworks.append("chat", "X")
            return getattr(frameworks, name)

    memory = selectools.ConversationMemory()
    memory.add_many(said("mine"))
    frameworks.create_session("chat")
    with pytest.raises(Aborted, match=r"ETAG_MISMATCH|LAST_SEQ_MISMATCH"):
        selectools.SessionStore(client=Busy()).save("chat", memory)
    assert len(delays) == 49


def test_a_session_is_read_whole_while_it_is_saved(frameworks: Client) -> None:
    """A save or a deletion in the middle of a load leaves no half of a memory."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    other = selectools.SessionStore(600)
    memory = selectools.ConversationMemory()
    memory.add_many(said("one"))
    other.save("chat", memory)
    memory.add_many(said("two"))
    between = Between(frameworks, "list_messages", lambda: other.save("chat", memory))
    assert texts(selectools.SessionStore(client=between).load("chat")) == ["one", "two"]
    between = Between(frameworks, "list_messages", lambda: other.delete("chat"))
    assert selectools.SessionStore(client=between).load("chat") is None
    # A store with a shorter time to live does not see it, and deletes it unless it is saved again.
    other.save("chat", memory)
    over = selectools.SessionStore(-1)
    assert (over.exists("chat"), over.search("two"), other.exists("chat")) == (False, [], True)
    between = Between(frameworks, "delete_session", lambda: other.save("chat", memory))
    assert selectools.SessionStore(-1, client=between).list() == []
    assert other.exists("chat")
    assert (over.load("chat"), other.exists("chat"), over.delete("chat")) == (None, False, False)


def test_ids_that_the_server_refuses_are_refused(frameworks: Client) -> None:
    """The error is that of a wrong id, as in selectools."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    store = selectools.SessionStore()
    for name, says in (("", "not be empty"), ("a\0", "control"), ("x" * 513, "512 bytes")):
        with pytest.raises(ValueError, match=says):
            store.load(name)
    with pytest.raises(ValueError, match="'a' not found"):
        store.branch("a", "b")


def test_a_session_is_found_by_what_was_said(frameworks: Client) -> None:
    """Long contents are quoted around the first word, five of a session."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    store = selectools.SessionStore()
    memory = selectools.ConversationMemory()
    memory.add_many(said("x " * 200 + "Redwood " + "y " * 200, *["redwood"] * 6))
    store.save("chat", memory, "team")
    (found,) = store.search("redwood oak")
    assert (found.session_id, found.score, len(found.matched_messages)) == ("team:chat", 7, 5)
    assert found.matched_messages[0].startswith("...") and "Redwood" in found.matched_messages[0]
    assert store.search("redwood", "team")[0].session_id == "chat"
    assert store.search("redwood", "te") == store.search(" ") == store.search("oak") == []


def test_a_hook_that_fails_ends_a_save(frameworks: Client) -> None:
    """Only saves of others are waited for."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")

    def fail() -> None:
        code = grpc.StatusCode.ABORTED
        raise Aborted(code, "the hook failed", reason=ErrorReason.HOOK_FAILED)

    store = selectools.SessionStore(client=Between(frameworks, "append", fail))
    memory = selectools.ConversationMemory()
    memory.add_many(said("one"))
    with pytest.raises(Aborted, match="hook"):
        store.save("chat", memory)
