"""The drop-in classes of selectools."""

from __future__ import annotations

import copy
import importlib
import pickle
from datetime import datetime, timedelta, timezone

import pytest

from memorysidecar import Client


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
