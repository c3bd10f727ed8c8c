"""The drop-in classes of MARSYS, where recordings of its own classes cannot tell."""

from __future__ import annotations

import asyncio
import importlib
import time
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from integration import left_of, record_uploads
from real import Between

from memorysidecar import Client, v1
from memorysidecar.adapters.plans import Runner


def test_a_memory_of_marsys_goes_on_in_another_process(frameworks: Client) -> None:
    """A second manager has the messages of the first, with all fields, and what others added."""
    marsys = importlib.import_module("memorysidecar.compat.marsys")
    types = importlib.import_module("marsys.agents.memory")
    first = marsys.MemoryManager(session_id="planner", description="You plan.").memory_module
    call = types.ToolCallMsg("c1", "c1", "function", "find", "{}")
    asked = types.AgentCallMsg("critic", {"about": "Rome"})
    image = "data:image/png;base64,aGk="
    parts = [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": image}}]
    first.add(types.Message("user", parts, images=["https://example.com/a.png"]))
    first.add(types.Message("assistant", {"thought": "Find."}, tool_calls=[call]))
    first.add(types.Message("tool", "Found.", tool_call_id="c1", name="find"))
    first.add(types.Message("assistant", None, agent_calls=[asked]))
    first.add(types.Message("user", "Look", images=["https://example.com/a.png", "a.png"]))
    frameworks.append("planner", "In May, please.")
    second = marsys.MemoryManager(session_id="planner", description="You plan.").memory_module
    assert list(second.memory) == list(first.memory)
    assert [one.role for one in second.memory][::3] == ["system", "tool", "user"]
    stored = list(frameworks.list_messages("planner"))
    assert [part.HasField("image") for part in stored[1].parts] == [False, True]
    assert [part.HasField("image") for part in stored[5].parts] == [False, True]
    assert second.session_id == "planner"


def test_a_list_of_marsys_holds_a_message_twice(frameworks: Client) -> None:
    """Both are there; the log takes no message between two others."""
    marsys = importlib.import_module("memorysidecar.compat.marsys")
    types = importlib.import_module("marsys.agents.memory")
    memory = marsys.ConversationMemory()
    said = types.Message("user", "Hello")
    memory.add(said)
    memory.add(said)
    assert [one is said for one in memory.memory] == [True, True]
    with pytest.raises(TypeError, match="at its end"):
        memory.memory.insert(0, said)
    memory.reset_memory()
    assert memory.get_messages() == []


def test_later_configurations_of_marsys_pack_to_their_target(frameworks: Client) -> None:
    """The sliding window is the server's."""
    marsys = importlib.import_module("memorysidecar.compat.marsys")
    types = importlib.import_module("marsys.agents.memory")
    window = SimpleNamespace(headroom_percent=0.0)
    context = SimpleNamespace(enabled=True, mode="sliding_window", sliding_window=window)
    config = SimpleNamespace(active_context=context, token_counter=None, threshold_tokens=50)
    config.compaction_target_tokens = 30
    manager = marsys.MemoryManager("managed_conversation", memory_config=config)
    memory = manager.memory_module
    assert memory.get_messages() == []
    memory.add(types.Message("system", "You plan."))
    for number in range(9):
        memory.add(types.Message("user", f"Message {number}"))
    shown = [one["content"] for one in memory.get_messages()]
    assert shown == [f"Message {number}" for number in range(3, 9)]
    assert memory.get_cache_stats() == {"raw_count": 10, "estimated_total_tokens": 50}


def compacted(session_id: str = "planner") -> Any:
    """The context of a session."""
    context = importlib.import_module("memorysidecar.compat._marsys_context")
    counter = importlib.import_module("marsys.agents.memory").TokenCounter()
    made = context.ContextMessages(session_id, None)
    made.counter = counter
    return made


def said(text: str, role: str = "user", **fields: Any) -> Any:
    return importlib.import_module("marsys.agents.memory").Message(role, text, **fields)


def begun(messages: Any) -> list[Any]:
    """The messages of a context as MARSYS begins to compact them."""
    placed = importlib.import_module("memorysidecar.compat._marsys_context").Placed
    messages.begin()
    return [placed(one.to_llm_dict(), messages.place_of(one)) for one in messages]


def filled(*more: Any) -> Any:
    """A context with a question, a call, its long result, and an answer."""
    types = importlib.import_module("marsys.agents.memory")
    messages = compacted()
    messages.append(said("Find a redwood."))
    call = types.ToolCallMsg("c1", "c1", "function", "find", "{}")
    messages.append(said("", "assistant", tool_calls=[call]))
    messages.append(said("Hyperion " * 40, "tool", tool_call_id="c1"))
    messages.append(said("It is Hyperion.", "assistant"))
    return messages


def contents(messages: Any) -> list[Any]:
    return [one.content for one in messages]


SUMMARY = [
    {"role": "user", "content": "[User Requests Summary]\nA tree."},
    {"role": "assistant", "content": "[Compacted Context Summary]\nFound.", "name": "small"},
]


def test_what_marsys_compacts_stays_in_the_log(frameworks: Client) -> None:
    """The context goes on in another process; the log has what left it, and a summary is placed."""
    messages = filled()
    whole = begun(messages)
    messages.compact([*SUMMARY, whole[3]])
    expected = [*(one["content"] for one in SUMMARY), "It is Hyperion."]
    assert contents(messages) == contents(compacted()) == expected
    assert [one.name for one in compacted()] == [None, "small", None]
    log = list(frameworks.list_messages("planner"))
    assert [len(log), log[2].text] == [4, "Hyperion " * 40]
    assert frameworks.recall("redwood", session_id="planner").hits
    window = frameworks.window("planner").messages
    placed = "\n\n".join(one["content"] for one in SUMMARY)
    assert [one.text for one in window] == [placed, "It is Hyperion."]
    events = list(frameworks.list_events(filter={"session_id": "planner"}))
    assert any(event.HasField("messages_trimmed") for event in events)
    # Both go on, and compact what was compacted.
    compacted().append(said("Where?"))
    again = begun(messages)
    assert contents(messages) == [*expected, "Where?"]
    messages.compact([{"role": "assistant", "content": "All of it."}, again[3]])
    assert contents(compacted()) == ["All of it.", "Where?"]
    assert [one.text for one in frameworks.window("planner").messages] == ["All of it.", "Where?"]
    assert len(list(frameworks.list_summaries("planner"))) == 2


def test_what_marsys_cuts_is_whole_in_the_log(frameworks: Client) -> None:
    """A context shows a result that was cut; another place, and less of it, as it is compacted."""
    messages = filled()
    whole = begun(messages)
    shorter = whole[2].copy()
    shorter["content"] = "Hyper [truncated]"
    messages.compact([whole[3], whole[1], shorter])
    expected = ["It is Hyperion.", "", "Hyper [truncated]"]
    assert contents(messages) == contents(compacted()) == expected
    assert compacted()[1].tool_calls[0].id == "c1"
    assert messages[2].message_id == list(frameworks.list_messages("planner"))[2].message_id
    assert (
        frameworks.get_message("planner", messages[2].message_id).message.text == "Hyperion " * 40
    )
    assert [one.token_count for one in messages._read()][2] < 20
    # A change of the message takes the place of both.
    messages[2] = said("Nothing.", "tool", tool_call_id="c1", message_id=messages[2].message_id)
    assert contents(compacted()) == ["It is Hyperion.", "", "Nothing."]
    assert list(frameworks.list_messages("planner"))[2].text == "Nothing."


def test_messages_that_marsys_made_change_and_go(frameworks: Client) -> None:
    """They are in no log: the context alone has them, and forgets them."""
    messages = filled()
    whole = begun(messages)
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    messages.compact([*SUMMARY, {"role": "user", "content": [image]}, whole[3]])
    assert messages[2].content == compacted()[2].content == [image]
    messages[0] = said("A tall tree.", message_id="wish")
    assert compacted()[0].message_id == "wish"
    del messages[2]
    assert contents(compacted()) == ["A tall tree.", SUMMARY[1]["content"], "It is Hyperion."]
    del messages[0]
    del messages[0]
    assert contents(compacted()) == ["It is Hyperion."]
    assert [one.text for one in frameworks.window("planner").messages] == ["It is Hyperion."]
    del messages[0]
    assert contents(compacted()) == []
    messages.append(said("Hello"))
    begun(messages)
    messages.compact([*SUMMARY])
    messages.clear()
    assert contents(messages) == contents(compacted()) == []
    assert list(frameworks.list_records("marsys contexts")) == []


def test_a_large_context_of_marsys_is_kept_whole(frameworks: Client) -> None:
    """Images that a compaction retains may take more than one request has room for."""
    messages = filled()
    whole = begun(messages)
    url = "data:image/png;base64," + "QUJD" * 1_200_000
    image = {"type": "image_url", "image_url": {"url": url}}
    messages.compact([*SUMMARY, {"role": "user", "content": [image]}, whole[3]])
    assert compacted()[2].content == [image]
    # It may change while it is read, in pieces.
    reader, other = compacted(), compacted()
    between: Any = Between(frameworks, "get_record", lambda: other.__delitem__(0), after=1)
    between.get_whole_record = partial(Client.get_whole_record, between)
    reader.client = between
    assert contents(reader) == contents(messages) == contents(other)
    again = begun(messages)
    messages.compact(again[1:])
    assert contents(compacted()) == [[image], "It is Hyperion."]


def test_of_two_compactions_of_marsys_the_first_stays(frameworks: Client) -> None:
    """Messages that were added since follow it, and a summary of others comes first."""
    messages, other = filled(), compacted()
    whole, theirs = begun(messages), begun(other)
    compacted().append(said("Where?"))
    messages.compact([*SUMMARY, whole[3]])
    other.compact([theirs[0], theirs[3]])
    expected = [*(one["content"] for one in SUMMARY), "It is Hyperion.", "Where?"]
    assert contents(other) == contents(messages) == expected
    ids = [one.message_id for one in frameworks.window("planner").messages]
    frameworks.set_summary("planner", "A talk.", replaced_message_ids=ids[:2], in_place=True)
    seen = ["A talk.", *expected[:2], "Where?"]
    assert contents(messages) == contents(compacted()) == seen


def test_changes_of_two_processes_of_marsys_both_stay(frameworks: Client) -> None:
    """A change that loses a race is made again, in the context as it is by then."""
    messages, other = filled(), compacted()
    whole = begun(messages)
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    messages.compact([*SUMMARY, {"role": "user", "content": [image]}, whole[3]])
    kept: Any = messages
    kept.client = Between(frameworks, "write_records", lambda: other.__delitem__(0))
    del messages[2]
    assert contents(compacted()) == [SUMMARY[1]["content"], "It is Hyperion."]
    kept.client = Between(frameworks, "write_records", lambda: other.append(said("Where?")))
    messages[0] = said("A tall tree.")
    assert contents(compacted()) == ["A tall tree.", "It is Hyperion.", "Where?"]
    kept.client = Between(frameworks, "write_records", lambda: other.__setitem__(0, said("Tall.")))
    del messages[0]
    assert contents(compacted()) == ["Tall.", "It is Hyperion.", "Where?"]
    kept.client = Between(frameworks, "write_records", lambda: other.__delitem__(0))
    with pytest.raises(IndexError, match="left the context"):
        messages[0] = said("A tree.")
    assert contents(messages) == contents(other) == ["It is Hyperion.", "Where?"]


def test_a_large_change_of_marsys_that_comes_late_leaves_no_upload(
    frameworks: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages, other = filled(), compacted()
    whole = begun(messages)
    image = {"type": "image_url", "image_url": {"url": "QUJD" * 1_200_000}}
    messages.compact([*SUMMARY, {"role": "user", "content": [image]}, whole[3]])
    reached = [lambda: other.__delitem__(0)]
    uploads = record_uploads(frameworks, monkeypatch, lambda _: reached and reached.pop()())
    del messages[1]
    assert contents(messages) == contents(compacted()) == [[image], "It is Hyperion."]
    assert len(uploads) > 2
    assert Runner(frameworks).run(left_of(uploads)) == []


def test_a_place_is_one_in_the_messages_that_were_seen(frameworks: Client) -> None:
    """Others add and delete messages between a look at the list and a change of a place in it."""
    marsys = importlib.import_module("memorysidecar.compat.marsys")
    messages, other = (marsys.ServerMessages("log", v1.Policy(), frameworks) for _ in range(2))
    for text in "abc":
        messages.append(said(text))
    place = contents(messages).index("b")
    del other[0]
    other.append(said("d"))
    messages[place] = said("B")
    assert contents(other) == ["B", "c", "d"]
    del other[0]
    assert len(messages) == 2
    del other[0]
    with pytest.raises(IndexError, match="another process deleted it"):
        messages[0] = said("C")
    messages.append(said("e"))
    other.append(said("f"))
    del messages[-1]
    assert contents(messages) == contents(other) == ["d", "f"]


def test_a_message_that_marsys_cut_takes_a_change_amid_a_race(frameworks: Client) -> None:
    """The change is of the log, and of the context that another process has changed since."""
    messages, other = filled(), compacted()
    whole = begun(messages)
    shorter = whole[2].copy()
    shorter["content"] = "Hyper [truncated]"
    messages.compact([SUMMARY[0], shorter, whole[3]])
    kept: Any = messages
    kept.client = Between(frameworks, "write_records", lambda: other.__delitem__(0))
    messages[1] = said("Nothing.", "tool", message_id=messages[1].message_id)
    assert contents(messages) == contents(compacted()) == ["Nothing.", "It is Hyperion."]


def test_a_compaction_of_marsys_that_was_late_changes_nothing(frameworks: Client) -> None:
    """Not even if it has read the context of the first one in between."""
    messages, other = filled(), compacted()
    whole, theirs = begun(messages), begun(other)
    messages.compact([*SUMMARY, whole[3]])
    expected = [*(one["content"] for one in SUMMARY), "It is Hyperion."]
    assert contents(other) == expected
    other.compact([theirs[0], theirs[3]])
    assert contents(other) == contents(compacted()) == expected


def test_a_compaction_of_marsys_keeps_a_summary_made_meanwhile(frameworks: Client) -> None:
    """It takes messages out of the window, and leaves the summary that it found."""
    messages = filled()
    whole = begun(messages)
    frameworks.set_summary("planner", "Before.")
    kept: Any = messages
    newer = "Made meanwhile."
    kept.client = Between(
        frameworks, "set_summary", lambda: frameworks.set_summary("planner", newer)
    )
    messages.compact([whole[0], whole[3]])
    assert frameworks.get_session("planner").summary.text == newer
    assert contents(compacted()) == ["Find a redwood.", "It is Hyperion."]
    window = frameworks.window("planner").messages
    assert [one.text for one in window if one.seq > 0] == ["Find a redwood.", "It is Hyperion."]


def test_a_message_that_comes_as_marsys_compacts_follows(frameworks: Client) -> None:
    """MARSYS sees it, but it keeps its place behind what is made of the others."""
    messages = filled()
    placed = importlib.import_module("memorysidecar.compat._marsys_context").Placed
    messages.begin()
    compacted().append(said("Where?"))
    frameworks.delete_message("planner", messages[0].message_id)
    whole = [placed(one.to_llm_dict(), messages.place_of(one)) for one in messages]
    messages.compact([*SUMMARY, *whole[2:]])
    expected = [*(one["content"] for one in SUMMARY), "It is Hyperion.", "Where?"]
    assert contents(messages) == contents(compacted()) == expected


def test_a_context_of_marsys_goes_with_its_session(frameworks: Client) -> None:
    """A session of the same name begins anew, and an erasure leaves no record."""
    messages = filled()
    whole = begun(messages)
    messages.compact([*SUMMARY, whole[3]])
    frameworks.delete_session("planner")
    assert contents(messages) == contents(compacted()) == []
    again = filled()
    assert len(again) == len(compacted()) == 4
    again.compact([begun(again)[3]])
    assert contents(messages) == contents(compacted()) == ["It is Hyperion."]
    assert len(list(frameworks.list_records("marsys contexts"))) == 1
    erasure = frameworks.erase_subject(session_id="planner")
    until = time.monotonic() + 10
    while erasure.state != v1.ERASURE_STATE_DONE and time.monotonic() < until:
        time.sleep(0.05)
        erasure = frameworks.get_erasure(erasure.erasure_id)
    assert list(frameworks.list_records("marsys contexts")) == []
    assert contents(compacted()) == []


def test_facts_of_marsys_are_memories(frameworks: Client) -> None:
    """Another process has them, Recall finds them, and they go with their user."""
    marsys = importlib.import_module("memorysidecar.compat.marsys")
    named = {"user_id": "ana", "description": "You help."}
    memory = marsys.MemoryManager("kg", model=object(), **named).memory_module
    memory.add_fact("user", "Ana", "likes", "green tea")
    memory.add_fact("user", " ", "x" * 200, "long " * 400)
    memory.add_fact("user", "Ana", "has", None)
    again = marsys.MemoryManager("kg", model=object(), **named).memory_module
    assert list(again.kg) == list(memory.kg)
    assert [fact["object"] for fact in again.kg] == ["You help.", "green tea", "long " * 400, None]
    assert [fact["subject"] for fact in again.kg][2] == " "
    hits = frameworks.recall("What tea does Ana like?", user_id="ana").hits
    assert hits[0].memory.relation.object_value == "green tea"
    relation = {"subject": "Ana", "predicate": "lives_in", "object_value": "Oslo"}
    frameworks.remember([{"kind": "relation", "relation": relation}], user_id="ana")
    assert again.kg[4]["object"] == "Oslo"
    again.kg[1] = {**again.kg[1], "object": "black tea"}
    assert memory.kg[1]["object"] == "black tea"
    del memory.kg[1]
    with pytest.raises(TypeError, match="at their end"):
        memory.kg.insert(0, {})
    assert again.user_id == "ana"
    assert len(marsys.KGMemory(object()).kg) == 0
    memory.reset_memory()
    assert len(again.kg) == 0


def test_a_replaced_fact_of_marsys_is_added_anew(frameworks: Client) -> None:
    """The message that takes its place is asked for facts."""
    marsys = importlib.import_module("memorysidecar.compat.marsys")
    types = importlib.import_module("marsys.agents.memory")
    found = [{"subject": "Rome", "predicate": "is in", "object": "Italy"}]
    memory = marsys.KGMemory(SimpleNamespace(run=lambda **asked: found))
    memory.add_fact("user", "Rome", "is in", "France")

    async def replace() -> None:
        memory.replace_memory(0, types.Message("user", "Rome is in Italy."))
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))

    asyncio.run(replace())
    assert [fact["object"] for fact in memory.kg] == ["Rome is in Italy.", "Italy"]
    with pytest.raises(IndexError):
        memory.replace_memory(2, role="user")
