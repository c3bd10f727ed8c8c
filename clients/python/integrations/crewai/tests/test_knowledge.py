"""The storage of knowledge."""

from __future__ import annotations

import copy

import pytest
from crewai import Agent, Crew, Task
from crewai.knowledge.knowledge import Knowledge
from crewai.knowledge.source.string_knowledge_source import StringKnowledgeSource
from crewai.knowledge.storage.factory import set_knowledge_storage_factory
from integration import erase
from memorysidecar import Client
from scripted import Scripted, answer

from memorysidecar_crewai import SidecarKnowledgeStorage

FACTS = ["Ana lives in Berlin.", "Invoice 48213 is unpaid.", "The storks are back on the roof."]


def contents(storage: SidecarKnowledgeStorage, query: str, **options: object) -> list[str]:
    return [one["content"] for one in storage.search([query], **options)]  # type: ignore[arg-type]


async def test_texts_are_found_without_an_embedder(client: Client) -> None:
    storage = SidecarKnowledgeStorage(client)
    assert storage.search(["Where does Ana live?"]) == []
    storage.save(FACTS)
    await storage.asave([FACTS[0], "large " * 300_000])
    [best] = await storage.asearch(["Where does", "Ana live?"], limit=1, score_threshold=0.3)
    assert best["content"] == FACTS[0]
    assert 0.3 <= best["score"] <= 1
    assert best["metadata"] == {}
    assert contents(storage, "invoice 48213", limit=1, score_threshold=-1) == [FACTS[1]]
    assert contents(storage, "Ana", score_threshold=1.5) == []
    assert contents(storage, "Ana", metadata_filter={"a": 1}, score_threshold=0) == []
    assert contents(storage, "Ana", limit=0, score_threshold=0) == contents(storage, " ") == []
    assert storage.search([]) == []
    [large] = storage.search(["large"], limit=1, score_threshold=0)
    assert large["content"] == "large " * 300_000
    await storage.areset()
    assert contents(storage, "invoice 48213", score_threshold=0) == []


def test_names_and_users_alike_never_share_knowledge(client: Client) -> None:
    names = (None, "", "crew", "crew/a", "crew%2Fa", "Crew", "ü\n", "x" * 600, "x" * 601)
    users = (None, "ana", "ana/")

    def of(name: str | None, user: str | None) -> SidecarKnowledgeStorage:
        return SidecarKnowledgeStorage(client, collection_name=name, user_id=user)

    for name in names:
        for user in users:
            of(name, user).save([f"note of {name!r} {user!r}"])
    for name in names:
        for user in users:
            found = contents(of(name, user), "note", score_threshold=0)
            assert found == [f"note of {name!r} {user!r}"]
    erase(client, "ana")
    of("crew", None).reset()
    left = {(name, user) for name in names for user in users if user != "ana"}
    for name in names:
        for user in users:
            is_left = (name, user) in left - {("crew", None)}
            assert bool(contents(of(name, user), "note", score_threshold=0)) is is_left
    with pytest.raises(ValueError, match="user_id must not be empty"):
        of("crew", "")


def test_a_crew_reads_its_knowledge(client: Client) -> None:
    storage = SidecarKnowledgeStorage(client, collection_name="crew")
    assert copy.deepcopy(storage) is storage
    set_knowledge_storage_factory(
        lambda embedder, name: SidecarKnowledgeStorage(client, collection_name=name)
    )
    try:
        model = Scripted("Ana Berlin", answer("In Berlin."))
        agent = Agent(role="Clerk", goal="Answer", backstory="Careful", llm=model)
        task = Task(description="Where does Ana live?", expected_output="a place", agent=agent)
        sources = [StringKnowledgeSource(content=text) for text in FACTS]
        crew = Crew(agents=[agent], tasks=[task], knowledge_sources=sources)
        assert str(crew.kickoff()) == "In Berlin."
    finally:
        set_knowledge_storage_factory(None)
    assert FACTS[0] in model.asked[-1]
    assert sorted(contents(storage, "Ana invoice storks", score_threshold=0)) == sorted(FACTS)
    knowledge = Knowledge("crew", [], storage=storage)
    knowledge.reset()
    assert contents(storage, "Ana", score_threshold=0) == []
