"""The drop-in classes, on what `npm run oracle` recorded of the classes of the frameworks."""

from __future__ import annotations

import asyncio
import copy
import gzip
import importlib
import json
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memorysidecar import Client, Invalid
from memorysidecar.compat import use

HERE = Path(__file__).parent
ORACLE = HERE.parents[2] / "test" / "oracle"


def recorded(name: str) -> list[dict[str, Any]]:
    """Cases with what the classes of a framework showed."""
    with gzip.open(HERE / "recorded" / f"{name}.json.gz", "rt") as file:
        cases: list[dict[str, Any]] = json.load(file)
    return cases


@pytest.fixture
def frameworks(monkeypatch: pytest.MonkeyPatch, client: Client) -> Iterator[Client]:
    """Stand-ins of the frameworks, and a client that all drop-in objects share."""
    monkeypatch.syspath_prepend(str(HERE / "standins"))
    monkeypatch.syspath_prepend(str(ORACLE))
    use(client)
    yield client
    use(None)
    for name in list(sys.modules):
        mine = name.startswith(("selectools", "lauren", "memorysidecar.compat."))
        if mine and "_shared" not in name:
            del sys.modules[name]


@pytest.mark.parametrize(
    ("script", "release"),
    [("selectools_oracle", "selectools-1.3.0"), ("lauren_oracle", "lauren-ai-1.6.0")],
)
def test_a_drop_in_shows_what_was_recorded(frameworks: Client, script: str, release: str) -> None:
    """Windows, trims, summaries, documents and facts are those of the frameworks."""
    oracle = importlib.import_module(script)
    features = {feature.name: feature for feature in oracle.FEATURES}
    cases = recorded(release)
    assert len(cases) >= 20
    for one in cases:
        seen = features[one["feature"]].play(one["case"], "ours")
        assert json.loads(json.dumps(seen, default=str)) == one["seen"], one["case"]


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


def test_facts_of_lauren_are_memories_like_others(frameworks: Client) -> None:
    """A fact that lauren-ai stored is recalled, and a memory that it did not store is a fact."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")
    types = importlib.import_module("lauren_ai._memory._user")
    store = lauren.UserMemoryStore()
    asyncio.run(store.add(types.MemoryFact("m1", "ana", "Ana likes green tea")))
    frameworks.remember("Ana lives in Oslo", user_id="ana")
    hits = frameworks.recall("What tea does Ana like?", user_id="ana").hits
    assert hits[0].memory.memory_id == "m1"
    facts = asyncio.run(store.list("ana"))
    assert {fact.content for fact in facts} == {"Ana likes green tea", "Ana lives in Oslo"}
    assert len(store) == 2
    moved = types.MemoryFact("m1", "bo", "Bo likes tea")
    asyncio.run(store.add(moved))
    assert asyncio.run(store.get("ana", "m1")) is None
    assert asyncio.run(store.get("bo", "m1")) == moved


def test_what_the_server_refuses_is_raised(frameworks: Client) -> None:
    """A summary has at most 65,536 bytes."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    memory = selectools.ConversationMemory()
    with pytest.raises(Invalid):
        memory.summary = "x" * 65_537
