"""The storage of memory beside what the tests of CrewAI ask."""

from __future__ import annotations

import asyncio
import copy
import math
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from crewai import Agent, Crew, Task
from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.storage.factory import set_memory_storage_factory
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory
from integration import erase
from memorysidecar import Client
from real import PATIENT, Between, RealServer
from scripted import Mute, Scripted, act, answer, embed, memory, vector

from memorysidecar_crewai import SidecarMemoryStorage
from memorysidecar_crewai._records import MAX_CATEGORIES, MAX_ENTRIES

FACT = "Ana lives in Berlin, near the river."


def contents(found: list[Any]) -> list[str]:
    return [one.content if isinstance(one, MemoryRecord) else one[0].content for one in found]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_crew_remembers_while_the_server_is_killed(own_server: RealServer) -> None:
    def kill() -> None:
        own_server.kill()
        own_server.start()

    model = Scripted(
        act("save_to_memory", contents=[FACT]),
        answer("I noted it."),
        act("search_memory", queries=["Where does Ana live?"]),
        answer("In Berlin."),
        before=kill,
    )
    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        storage = SidecarMemoryStorage(client)
        remembered = Memory(storage=storage, llm=Mute(), embedder=embed)
        agent = Agent(role="Clerk", goal="Remember", backstory="Careful", llm=model)
        tasks = [
            Task(description=text, expected_output="an answer", agent=agent)
            for text in ("Note where Ana lives.", "Say where Ana lives.")
        ]
        crew = Crew(agents=[agent], tasks=tasks, memory=remembered)
        assert str(crew.kickoff()) == "In Berlin."
        remembered.drain_writes()
        assert FACT in contents(storage.list_records())
        assert FACT in model.asked[-1]
    assert own_server.starts == 5


def test_a_memory_comes_back_as_it_was_written(client: Client) -> None:
    storage = SidecarMemoryStorage(client)
    assert isinstance(storage, StorageBackend)
    zone = timezone(timedelta(hours=2))
    metadata = {"n": 2**60 + 1, "f": 1.0, "deep": {"b": [None, True], "a": "ü\0😀"}, "": ""}
    records = [
        memory(
            "Line\n\0 ü 😀",
            id="ü %/#\n",
            scope="/crew/ü %",
            categories=["b", "a", "b"],
            metadata=metadata,
            importance=0.1,
            created_at=datetime(2020, 1, 2, 3, 4, 5, 678901),
            last_accessed=datetime(2020, 1, 2, tzinfo=zone),
            source="ana",
            private=True,
        ),
        memory("", id="x" * 2_000, embedding=None),
        memory("large " * 300_000, id=""),
    ]
    storage.save(records)
    for record in records:
        assert storage.get_record(record.id) == record
    assert storage.list_records(limit=1) == [max(records[1:], key=lambda one: one.created_at)]
    assert [*metadata] == [*(storage.get_record("ü %/#\n") or records[1]).metadata]
    odd = memory("odd", metadata={"nan": math.nan, "inf": -math.inf})
    storage.save([odd])
    found = storage.get_record(odd.id)
    assert found is not None and math.isnan(found.metadata["nan"])
    assert found.metadata["inf"] == -math.inf
    with pytest.raises(TypeError, match="is not JSON"):
        storage.save([memory("one", id="1"), memory("two", metadata={"at": object()})])
    assert storage.get_record("1") is None
    with pytest.raises(ValueError, match="at most 4128768 are allowed"):
        storage.save([memory("x" * 4_200_000)])


def test_scopes_alike_never_share_memories(client: Client) -> None:
    storage = SidecarMemoryStorage(client)
    scopes = ["/", "/crew", "/crew/a", "/crew/a/", "crew/a", "/crews", "/crew/ab", "/CREW", "/c%"]
    storage.save([memory(scope, scope=scope) for scope in scopes])
    inside = {"/crew", "/crew/a", "/crew/a/", "crew/a", "/crew/ab"}
    near = vector("/crew")
    for scope in ("/crew", "/crew/", "crew", "//crew"):
        assert set(contents(storage.search(near, scope, limit=20, min_score=-1))) == inside
        assert set(contents(storage.list_records(scope))) == inside
        assert storage.count(scope) == storage.get_scope_info(scope).record_count == 5
        assert storage.list_scopes(scope) == ["/crew/a", "/crew/ab"]
    assert storage.list_scopes() == ["/CREW", "/c%", "/crew", "/crews"]
    assert storage.delete("/crew/a") == 3
    storage.reset("/crew")
    assert set(contents(storage.list_records())) == {"/", "/crews", "/CREW", "/c%"}
    assert storage.count() == 4
    assert storage.count("/nowhere") == 0
    info = storage.get_scope_info("/nowhere")
    assert (info.record_count, info.oldest_record, info.child_scopes) == (0, None, [])


def test_each_user_has_memories_of_their_own_until_they_are_erased(client: Client) -> None:
    def storage_of(user: str | None) -> SidecarMemoryStorage:
        return SidecarMemoryStorage(client, user_id=user)

    for user in ("ana", "ana/", "bob", None):
        storage_of(user).save([memory("of", id="1", metadata={"user": user})])
    for user in ("ana", "ana/", "bob", None):
        storage = storage_of(user)
        found = [*storage.list_records(), *(one for one, _ in storage.search(vector("of")))]
        assert [one.metadata["user"] for one in found] == [user, user]
        assert storage.count() == 1
    erase(client, "ana")
    assert storage_of("ana").list_records() == storage_of("ana").search(vector("of")) == []
    storage_of("bob").reset()
    assert [storage_of(user).count() for user in ("ana", "ana/", "bob", None)] == [0, 1, 0, 1]
    with pytest.raises(ValueError, match="user_id must not be empty"):
        storage_of("")


def test_vectors_of_another_length_are_refused_for_their_owner_alone(client: Client) -> None:
    ana = SidecarMemoryStorage(client, user_id="ana")
    assert ana.search(vector(1)) == []
    ana.save([memory("one")])
    with pytest.raises(EmbeddingDimensionMismatchError, match="8-dimensional"):
        ana.save([memory("two", embedding=vector(2, 16))])
    with pytest.raises(EmbeddingDimensionMismatchError, match="16-dimensional"):
        ana.search(vector(2, 16))
    bob = SidecarMemoryStorage(client, user_id="bob")
    assert bob.search(vector(2, 16)) == []
    bob.save([memory("two", embedding=vector(2, 16))])
    assert contents(bob.search(vector(2, 16))) == ["two"]
    with pytest.raises(EmbeddingDimensionMismatchError):
        ana.search(vector(2, 16))
    ana.save([memory("without", embedding=None)])
    assert contents(ana.search(vector("one"))) == ["one"]
    large = SidecarMemoryStorage(client, user_id="ana", model="large")
    with pytest.raises(EmbeddingDimensionMismatchError):
        large.search(vector(1, 16))


def test_filters_find_all_that_they_mean(client: Client) -> None:
    storage = SidecarMemoryStorage(client)
    near = vector("near")
    for number in range(0, 1_200, 300):
        storage.save(
            [
                memory(str(one), embedding=near, metadata={"n": 0}, categories=["far"])
                for one in range(number, number + 300)
            ]
        )
    odd = {"flag": True, "one": 1, "deep": {"a": [1, 2.0]}, "ü": "x" * 3_000, "none": None}
    storage.save([memory("odd", embedding=vector("x"), metadata=odd, categories=["a", "b" * 999])])
    many = [f"category {number}" for number in range(900)]
    storage.save([memory("many", embedding=vector("y"), metadata={"n": 1}, categories=many)])

    def found(**filters: Any) -> list[str]:
        return contents(storage.search(near, min_score=-1, limit=2, **filters))

    assert found(metadata_filter={"flag": 1, "one": True, "deep": {"a": [1.0, 2]}}) == ["odd"]
    assert found(metadata_filter={"ü": "x" * 3_000}) == ["odd"]
    assert found(categories=["c", "b" * 999]) == ["odd"]
    assert found(metadata_filter={"n": 1.0}) == found(categories=[many[-1]]) == ["many"]
    assert found(metadata_filter={"n": 2}) == found(metadata_filter={"flag": "true"}) == []
    assert found(metadata_filter={"deep": {"a": (1, 2)}}) == []
    assert found(categories=["a"], metadata_filter={"n": 0}) == []
    assert len(found(categories=[])) == len(found(metadata_filter={"absent": None})) == 2
    assert storage.list_categories()["category 7"] == 1
    assert storage.delete(metadata_filter={"n": 1, "absent": None}) == 1
    assert storage.delete(categories=["far"], metadata_filter={"n": 0}) == 1_200
    assert contents(storage.list_records()) == ["odd"]


def test_large_filters_find_what_more_than_a_thousand_nearer_memories_hide(
    client: Client,
) -> None:
    storage = SidecarMemoryStorage(client)
    near = vector("near")
    for number in range(4):
        storage.save([memory(f"{number} {one}", embedding=near) for one in range(256)])
    categories = [f"category {number}" for number in range(MAX_CATEGORIES)]
    metadata = {f"key {number}": number for number in range(MAX_ENTRIES)}
    # The last ones are the first to be left out of a condition.
    fields = {"categories": categories[-1:], "metadata": metadata, "scope": "/a/b"}
    storage.save([memory("far", embedding=vector("far"), **fields)])

    def found(**filters: Any) -> list[str]:
        return contents(storage.search(near, min_score=-1, **filters))

    assert found(categories=categories) == found(metadata_filter=metadata) == ["far"]
    filters = {"categories": categories, "metadata_filter": metadata}
    assert found(**filters, scope_prefix="/a") == ["far"]
    metadata["one more"] = 1
    with pytest.raises(ValueError, match=f"metadata_filter has {MAX_ENTRIES + 1} entries"):
        found(metadata_filter=metadata)
    with pytest.raises(ValueError, match=f"categories has {MAX_CATEGORIES + 1} entries"):
        found(categories=[*categories, "one more"])
    assert storage.delete(categories=[*categories, "one more"], metadata_filter=metadata) == 0
    assert storage.delete(categories=[*categories, "one more"]) == 1


def test_a_deletion_demands_all_that_is_given(client: Client) -> None:
    storage = SidecarMemoryStorage(client)
    old, new = datetime(2020, 1, 1), datetime(2030, 1, 1, tzinfo=timezone.utc)
    for name, time in (("old", old), ("new", new)):
        storage.save([memory(name, id=name, scope=f"/{name}", created_at=time, categories=[name])])
    for nothing in (
        {"record_ids": []},
        {"categories": []},
        {"record_ids": ["old"], "scope_prefix": "/new"},
        {"record_ids": ["old"], "categories": ["new"]},
        {"record_ids": ["absent"]},
        {"older_than": old},
        {"older_than": datetime(2020, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))},
    ):
        assert storage.delete(**nothing) == 0  # type: ignore[arg-type]
    assert storage.delete(older_than=datetime(2025, 1, 1, tzinfo=timezone.utc)) == 1
    assert storage.delete(record_ids=["new", "new", "old"]) == 1
    assert asyncio.run(storage.adelete()) == 0


def test_writers_that_race_lose_nothing(client: Client) -> None:
    storage = SidecarMemoryStorage(client)

    def write(writer: int) -> None:
        own = SidecarMemoryStorage(client)
        for number in range(5):
            own.save([memory(f"{writer} {number}", scope=f"/w/{writer}")])
            own.touch_records([one.id for one in own.list_records("/w")])

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(3)))
    assert storage.count() == 15
    assert len(set(contents(storage.list_records()))) == 15


def test_what_comes_between_a_touch_or_a_deletion_stays(client: Client) -> None:
    storage = SidecarMemoryStorage(client)

    def changed(record: MemoryRecord) -> None:
        storage.update(record.model_copy(update={"content": "changed", "scope": "/b"}))

    record = memory("first", scope="/a")
    for method, argument in (("touch_records", [record.id]), ("delete", "/a")):
        storage.save([record])
        raced = SidecarMemoryStorage(
            Between(client, "write_records", lambda: changed(record))  # type: ignore[arg-type]
        )
        assert getattr(raced, method)(argument) in (None, 0)
        [kept] = storage.list_records()
        assert (kept.content, kept.scope) == ("changed", "/b")
        assert (kept.last_accessed > record.last_accessed) is (method == "touch_records")
    gone = SidecarMemoryStorage(
        Between(client, "write_records", storage.reset)  # type: ignore[arg-type]
    )
    gone.touch_records([record.id])
    assert storage.count() == 0


def test_a_memory_that_no_longer_matches_is_not_deleted(client: Client) -> None:
    storage = SidecarMemoryStorage(client)
    record = memory("first", scope="/a", categories=["a"], created_at=datetime(2020, 1, 1))
    later = record.model_copy(
        update={"scope": "/b", "categories": ["b"], "created_at": datetime(2030, 1, 1)}
    )
    for filters in (
        {"scope_prefix": "/a"},
        {"categories": ["a"]},
        {"older_than": datetime(2025, 1, 1)},
    ):
        storage.save([record])
        raced = SidecarMemoryStorage(
            Between(client, "batch_get_records", lambda: storage.update(later))  # type: ignore[arg-type]
        )
        assert raced.delete(**filters) == 0  # type: ignore[arg-type]
        assert storage.list_records() == [later]


def test_a_list_passes_over_what_is_gone_when_it_is_read(client: Client) -> None:
    storage = SidecarMemoryStorage(client)
    old, moved, gone = (
        memory(text, scope="/a", created_at=datetime(year, 1, 1))
        for text, year in (("old", 2020), ("moved", 2021), ("gone", 2022))
    )

    def change() -> None:
        storage.delete(record_ids=[gone.id])
        storage.update(moved.model_copy(update={"scope": "/b"}))

    for limit in (2, 10):
        storage.save([old, moved, gone])
        raced = SidecarMemoryStorage(
            Between(client, "batch_get_records", change)  # type: ignore[arg-type]
        )
        assert raced.list_records("/a", limit=limit) == [old]


def test_memories_of_others_and_their_collections_are_passed_over(client: Client) -> None:
    storage = SidecarMemoryStorage(client)
    storage.save([memory("own")])
    SidecarMemoryStorage(client, collection_id="other").save([memory("own")])
    plain = {"text": "own", "embedding": {"model": "crewai", "values": vector("own")}}
    client.upsert_documents({"document_id": "plain", **plain}, collection_id="crewai")
    assert contents(storage.search(vector("own"))) == contents(storage.list_records()) == ["own"]
    assert storage.count() == 1
    [hit] = client.recall("own", filter={"collection_ids": ["other"], "kinds": ["document"]}).hits
    assert hit.document.text == "own"


def test_copies_and_specifications_use_the_same_storage(client: Client) -> None:
    storage = SidecarMemoryStorage(client)
    assert copy.deepcopy(storage) is storage
    set_memory_storage_factory(lambda spec: storage if spec == "lancedb" else None)
    try:
        made = Memory(llm=Mute(), embedder=embed)
        made.remember(FACT, scope="/facts", categories=["home"], importance=0.5)
    finally:
        set_memory_storage_factory(None)
    [match] = made.recall("Where does Ana live?", scope="/facts", depth="shallow")
    assert match.record.content == FACT
    assert made.forget(scope="/facts") == 1
    assert made.recall("Where does Ana live?", depth="shallow") == []
