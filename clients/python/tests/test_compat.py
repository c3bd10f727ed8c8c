"""The drop-in classes, on what `npm run oracle` recorded of the classes of the frameworks."""

from __future__ import annotations

import asyncio
import gzip
import importlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from real import Between

from memorysidecar import Client, Invalid

HERE = Path(__file__).parent
# Names that the first releases of a framework lack, by which a drop-in class knows them.
MISSING = {
    "lauren-ai-1.1.1": [
        "lauren_ai._memory._enforce_char_budget",
        "lauren_ai._memory._INTERRUPTED_CONTENT",
        "lauren_ai._memory.ShortTermMemory._safe_keep_recent",
    ],
    "lauren-ai-1.2.1": [
        "lauren_ai._memory._enforce_char_budget",
        "lauren_ai._memory.ShortTermMemory._safe_keep_recent",
    ],
}


def recorded(name: str) -> list[dict[str, Any]]:
    """Cases with what the classes of a framework showed."""
    with gzip.open(HERE / "recorded" / f"{name}.json.gz", "rt") as file:
        cases: list[dict[str, Any]] = json.load(file)
    return cases


@pytest.mark.parametrize(
    ("script", "release"),
    [
        ("selectools_oracle", "selectools-1.3.0"),
        ("lauren_oracle", "lauren-ai-1.1.1"),
        ("lauren_oracle", "lauren-ai-1.2.1"),
        ("lauren_oracle", "lauren-ai-1.6.0"),
        ("definable_oracle", "definable-0.5.0"),
        ("marsys_oracle", "marsys-0.1.2"),
        ("marsys_oracle", "marsys-0.2.1"),
    ],
)
def test_a_drop_in_shows_what_was_recorded(
    frameworks: Client, monkeypatch: pytest.MonkeyPatch, script: str, release: str
) -> None:
    """Windows, trims, summaries, documents and facts are those of the frameworks."""
    for name in MISSING.get(release, []):
        monkeypatch.delattr(name)
    oracle = importlib.import_module(script)
    features = {feature.name: feature for feature in oracle.FEATURES}
    cases = recorded(release)
    assert len(cases) >= 20
    for one in cases:
        seen = features[one["feature"]].play(one["case"], "ours")
        assert json.loads(json.dumps(seen, default=str)) == one["seen"], one["case"]


def test_conversations_of_lauren_are_sessions(frameworks: Client) -> None:
    """A saved snapshot is a session whose messages are found, and is there for another store."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")
    blocks = [{"type": "text", "text": "Hyperion is a redwood."}, {"type": "image", "n": 2**60}]
    question = {"role": "user", "content": "The tallest?"}
    messages = [question, {"role": "assistant", "content": blocks}]

    async def converse() -> None:
        store = lauren.ConversationStore()
        await store.save("trees", {"messages": messages, "summary": "About trees."})
        again = await lauren.ConversationStore().load("trees")
        assert again == {"messages": messages, "summary": "About trees."}
        first = [one.message_id for one in frameworks.list_messages("trees")]
        await store.save("trees", [*messages, {"role": "user", "content": "Where?"}])
        kept = [one.message_id for one in frameworks.list_messages("trees")]
        assert (kept[:2], len(kept)) == (first, 3)
        assert await lauren.ConversationStore("other").list_conversations() == []

    asyncio.run(converse())
    hits = frameworks.recall("redwood", session_id="trees").hits
    assert [hit.passage for hit in hits[:1]] == ["Hyperion is a redwood."]
    events = frameworks.list_events(filter={"session_id": "trees"})
    assert any(event.HasField("messages_appended") for event in events)


def snapshot(name: str, count: int) -> dict[str, Any]:
    messages = [{"role": "user", "content": f"{name} {at}"} for at in range(count)]
    return {"messages": messages, "summary": f"By {name}."}


@pytest.mark.parametrize("count", [0, 2])
def test_of_two_saves_of_lauren_the_last_to_end_wins_whole(frameworks: Client, count: int) -> None:
    """No conversation has the summary of one save and the messages of the other."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")
    other = lauren.ConversationStore()
    mine = snapshot("mine", count)
    method = "replace_messages" if count else "delete_session"
    acts: list[Callable[[], None]] = [
        lambda: asyncio.run(other.save("c", snapshot("other", 3))),
        lambda: asyncio.run(other.delete("c")),
    ]
    for act in acts:
        store = lauren.ConversationStore(client=Between(frameworks, method, act))
        asyncio.run(store.save("c", mine))
        assert asyncio.run(other.load("c")) == mine


def test_a_conversation_of_lauren_is_read_and_deleted_whole(frameworks: Client) -> None:
    """A save in the middle of a load or a deletion leaves no half of a snapshot."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")
    other = lauren.ConversationStore()
    later = snapshot("later", 1)

    def save() -> None:
        asyncio.run(other.save("c", later))

    asyncio.run(other.save("c", snapshot("first", 3)))
    reader = lauren.ConversationStore(client=Between(frameworks, "list_messages", save))
    assert asyncio.run(reader.load("c")) == later
    deleter = lauren.ConversationStore(client=Between(frameworks, "delete_session", save))
    asyncio.run(deleter.delete("c"))
    assert (asyncio.run(other.load("c")), list(frameworks.list_sessions())) == ([], [])


def test_many_saves_of_lauren_at_once_leave_one_of_them(frameworks: Client) -> None:
    """Threads save and delete one conversation at the same time."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")

    def work(number: int) -> None:
        store = lauren.ConversationStore()
        for turn in range(8):
            asyncio.run(store.save("c", snapshot(f"{number}.{turn}", turn % 3)))
            if turn % 4 == 3:
                asyncio.run(store.delete("c"))
        asyncio.run(store.save("c", snapshot(str(number), number)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    left = asyncio.run(lauren.ConversationStore().load("c"))
    assert left in [snapshot(str(number), number) for number in range(4)]


def test_documents_of_lauren_are_found_by_words_and_metadata(frameworks: Client) -> None:
    """A filter finds exact values of the metadata, whatever their type."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")
    store = lauren.VectorStore()
    metadata = {"lang": "python", "n": 1, "big": 2**60, "deep": {"a": [None, 1]}, "none": None}

    async def search() -> None:
        await store.upsert("Python docs", id="py", metadata=metadata)
        await store.upsert("JavaScript docs", id="js", metadata={"lang": "js", "big": 2**60 + 1})
        await store.upsert("Docs by vector", id="v", embedding=[3.0, 4.0])
        found = await store.get("py")
        assert (found.content, found.metadata) == ("Python docs", metadata)
        scalars: list[dict[str, Any]] = [{"lang": "python"}, {"n": 1}, {"n": True}, {"big": 2**60}]
        for wanted in [*scalars, {"deep": {"a": [None, 1]}}]:
            hits = await store.search("docs", filter=wanted)
            assert [hit.id for hit in hits] == ["py"], wanted
            assert 0 <= hits[0].score <= 1
        assert await store.search("docs", filter={"lang": "rust"}) == []
        assert await store.search("docs", k=0) == await store.search("  ") == []
        assert {hit.id for hit in await store.search("docs", k=5)} == {"py", "js", "v"}
        assert len(await store.search("docs", k=2)) == 2
        assert len(store) == 3
        await store.delete(["js", "none"])
        assert len(store) == 2
        await store.clear()
        assert (len(store), await store.get("py")) == (0, None)

    asyncio.run(search())


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


def said(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text} for text in texts]


def test_a_short_memory_of_lauren_is_a_session(frameworks: Client) -> None:
    """Messages that its window leaves out stay in the log; those that are taken back do not."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")
    memory = lauren.ShortTermMemory(8, session_id="chat")
    use_blocks = [{"type": "tool_use", "id": "c1", "name": "find", "input": {"q": "tea"}}]
    memory.add_user("Find a redwood.")
    memory.add_assistant({"role": "assistant", "content": use_blocks})
    memory.add_user([{"type": "tool_result", "tool_use_id": "c1", "content": "Hyperion"}])
    memory.add_user("Thank you, that is enough.")
    assert memory.messages() == said("Thank you, that is enough.")
    assert len(memory) == 4
    memory.trim_to_fit(8)
    assert memory._messages == said("Thank you, that is enough.")
    log = list(frameworks.list_messages("chat"))
    assert [len(one.tool_calls) for one in log] == [0, 1, 0, 0]
    assert frameworks.recall("redwood", session_id="chat").hits
    events = frameworks.list_events(filter={"session_id": "chat"})
    assert any(event.HasField("messages_trimmed") for event in events)
    # A guard of lauren-ai takes back what a model said.
    memory.add_assistant({"role": "assistant", "content": "A secret."})
    assert memory._messages.pop() == {"role": "assistant", "content": "A secret."}
    memory.set_summary("About trees.")
    memory.trim_to_recent(0)
    assert (len(memory), memory.summary) == (0, "About trees.")
    assert len(list(frameworks.list_messages("chat"))) == 4
    memory.clear()
    assert (len(memory), memory.summary, memory.token_estimate) == (0, "About trees.", 0)
    assert list(frameworks.list_messages("chat")) == []


def test_a_short_memory_of_lauren_takes_any_list(frameworks: Client) -> None:
    """Messages are put between others, replaced and restored; more than a request holds too."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")
    memory = lauren.ShortTermMemory()
    memory._messages = said("one", "two", "four")
    first = [one.message_id for one in frameworks.list_messages(memory.session_id)]
    memory._messages.insert(2, said("three")[0])
    memory._messages[3] = said("five")[0]
    del memory._messages[1:2]
    assert memory.messages() == said("one", "three", "five")
    assert memory._messages != said("one")
    kept = [one.message_id for one in frameworks.list_messages(memory.session_id)]
    assert (kept[0], kept[1] in first) == (first[0], False)
    saved = memory.snapshot()
    many = said(*map(str, range(2_100)))
    memory._messages = [*memory._messages, *many]
    assert len(memory) == 2_103
    memory.restore(saved)
    assert memory.messages() == said("one", "three", "five")
    assert len(list(frameworks.list_messages(memory.session_id))) == 3
    memory._messages = []
    assert memory._messages[0:1] == []


def test_a_short_memory_of_lauren_has_what_others_wrote(frameworks: Client) -> None:
    """Calls and results of another client have the blocks of lauren-ai, and a named session takes
    the budget of the last process."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")
    calls = [{"tool_call_id": name, "name": "find", "arguments": name} for name in ("{}", "1 2")]
    result = {"tool_call_id": "1 2", "text": "Found."}
    frameworks.append(
        "chat",
        [
            {"role": "user", "parts": [{"text": "Find it."}]},
            {"role": "assistant", "text": "Yes.", "tool_calls": calls},
            {"role": "tool", "text": "No.", "tool_call_id": "{}", "tool_error": True},
            {"role": "user", "parts": [{"tool_result": result}]},
            {"role": "assistant", "parts": [{"tool_call": calls[0]}]},
        ],
        create_session=True,
    )
    memory = lauren.ShortTermMemory(1_000, session_id="chat")
    used = [
        {"type": "tool_use", "id": "{}", "name": "find", "input": {}},
        {"type": "tool_use", "id": "1 2", "name": "find", "input": "1 2"},
    ]
    answered = {"type": "tool_result", "tool_use_id": "{}", "content": "No.", "is_error": True}
    found = {**answered, "tool_use_id": "1 2", "content": "Found.", "is_error": False}
    assert memory.messages() == [
        {"role": "user", "content": [{"type": "text", "text": "Find it."}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes."}, *used]},
        {"role": "user", "content": [answered]},
        {"role": "user", "content": [found]},
        {"role": "assistant", "content": used[:1]},
    ]
    assert frameworks.get_session("chat").policy.preset.name == "lauren"


def test_a_short_memory_of_lauren_keeps_messages_exactly(frameworks: Client) -> None:
    """Other fields, blocks and forms come back in another process."""
    lauren = importlib.import_module("memorysidecar.compat.lauren")
    source = {"type": "base64", "data": "aGk=", "media_type": "image/png"}
    image = {"type": "image", "source": source}
    thought = {"type": "thinking", "thinking": "Hm", "signature": "s"}
    function = {"name": "find", "arguments": "{}"}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "x" * 300_000}
    messages = [
        {"role": "user", "content": [image, {"type": "image", "source": {"data": "?"}}, "bare", 7]},
        {"role": "user", "content": [result, result, {**result, "tool_use_id": "c2"}], "n": 2**60},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": function}]},
        {"role": "assistant", "content": [thought]},
        {"role": "assistant", "content": "Yes", "reasoning_content": "Because"},
        {"role": "assistant", "content": {"nested": [1]}},
        {"role": "tool", "tool_call_id": "c1", "content": "\ud800"},
        {"role": "user", "content": [{"type": "text", "text": str(at)} for at in range(300)]},
        {"content": ""},
        ["no message"],
    ]
    memory = lauren.ShortTermMemory(1_000_000)
    memory._messages = messages
    again = lauren.ShortTermMemory(1_000_000, session_id=memory.session_id)
    assert again.snapshot() == {"messages": messages, "summary": None}
    assert again.messages() == messages
    stored = list(frameworks.list_messages(memory.session_id))
    assert [part.HasField("image") for part in stored[0].parts] == [True, False, False]


def test_what_the_server_refuses_is_raised(frameworks: Client) -> None:
    """A summary has at most 65,536 bytes."""
    selectools = importlib.import_module("memorysidecar.compat.selectools")
    memory = selectools.ConversationMemory()
    with pytest.raises(Invalid):
        memory.summary = "x" * 65_537


def test_an_entry_of_definable_is_found_by_another_process(frameworks: Client) -> None:
    """A second store reads, changes and deletes what the first one wrote, summaries too."""
    definable = importlib.import_module("memorysidecar.compat.definable")
    message = importlib.import_module("definable.model.message").Message

    class Model:
        async def ainvoke(self, messages: list[Any], assistant_message: Any) -> Any:
            return message("assistant", "They met.")

    async def converse() -> None:
        limits = {"max_messages": 4, "pin_count": 1, "recent_count": 1}
        memory = definable.Memory(model=Model(), **limits)
        for number in range(5):
            await memory.add(message("user", f"Hello {number}"), "a:b", "ana")
        second = definable.SessionStore()
        entries = await second.get_entries("a:b", "ana")
        assert [one.content for one in entries] == ["Hello 0", "They met.", "Hello 4"]
        assert entries[1].role == "summary"
        # A summary has the time of the first entry that it stands for.
        assert entries[0].created_at < entries[1].created_at < entries[2].created_at
        entries[1].content = "They talked."
        await second.update(entries[1])
        changed = await second.get_entries("a:b", "ana")
        assert [one.content for one in changed] == ["Hello 0", "They talked.", "Hello 4"]
        found = await second.get_entry(changed[1].memory_id)
        assert found == changed[1]
        for one in changed[:2]:
            await second.delete(one.memory_id)
            assert await second.get_entry(one.memory_id) is None
        assert await second.count("a:b", "ana") == 1
        assert await second.count("a:b") == 0

    asyncio.run(converse())


def test_a_session_of_definable_is_cleared_for_all_users(frameworks: Client) -> None:
    """No entry is left, and no record of where one was; a session with a similar name stays."""
    definable = importlib.import_module("memorysidecar.compat.definable")
    message = importlib.import_module("definable.model.message").Message

    async def clear() -> None:
        memory = definable.Memory()
        for session, user in (("a", "default"), ("a", "ana"), ("a:b", "default")):
            await memory.add(message("user", "Hello"), session, user)
        await memory.clear("a")
        counts = [await memory.store.count(*one) for one in (("a",), ("a", "ana"), ("a:b",))]
        assert counts == [0, 0, 1]

    asyncio.run(clear())
    assert [one.session_id for one in frameworks.list_sessions()] == ["a%3Ab"]
    assert len(list(frameworks.list_records("definable entries"))) == 1


def test_a_session_that_others_wrote_is_a_memory_of_definable(frameworks: Client) -> None:
    """Calls and results have the data that definable keeps of them."""
    definable = importlib.import_module("memorysidecar.compat.definable")
    call = {"tool_call_id": "c1", "name": "find", "arguments": "{}"}
    frameworks.append(
        "chat",
        [
            {"role": "user", "text": "Find it."},
            {"role": "assistant", "text": "", "tool_calls": [call]},
            {"role": "tool", "text": "Found.", "tool_call_id": "c1"},
        ],
        create_session=True,
    )
    context = asyncio.run(definable.Memory().get_context_messages("chat"))
    assert [one.role for one in context] == ["user", "assistant", "tool"]
    assert context[1].tool_calls[0]["function"] == {"name": "find", "arguments": "{}"}
    assert context[2].tool_call_id == "c1"
