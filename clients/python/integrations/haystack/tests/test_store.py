"""The store and its retrievers beside what the suites of Haystack ask."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.document_stores.errors import DocumentStoreError, DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy, FilterPolicy
from haystack.tools import Tool
from haystack.utils import Secret
from integration import erase
from memorysidecar import AsyncClient, Client
from real import PATIENT, RealServer

from memorysidecar_haystack import (
    SidecarDocumentStore,
    SidecarEmbeddingRetriever,
    SidecarTextRetriever,
)


def vector(seed: object, size: int = 8) -> list[float]:
    draw = random.Random(str(seed))
    return [draw.gauss(0, 1) for _ in range(size)]


def texts_of(documents: list[Document]) -> list[str | None]:
    return [document.content for document in documents]


def test_a_connection_of_the_store_is_closed_and_made_anew(
    server: RealServer, client: Client
) -> None:
    with SidecarDocumentStore(server.address, namespace=client.namespace) as store:
        store.write_documents([Document(id="a", content="Storks.")])
        made = store._made
    assert made is not None
    with pytest.raises(ValueError, match="closed"):
        made.server_info()
    assert store.count_documents() == 1
    store.close()
    with SidecarDocumentStore(client=client) as mine:
        assert mine.count_documents() == 1
    assert mine.count_documents() == 1


def test_an_agent_finds_documents_while_the_server_is_killed(own_server: RealServer) -> None:
    @component
    class Scripted:
        """Calls the tool twice, then repeats what it found."""

        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
            own_server.kill()
            own_server.start()
            found = [one.tool_call_result for one in messages if one.tool_call_result]
            if len(found) == 2:
                return {"replies": [ChatMessage.from_assistant(str(found[-1].result))]}
            call = ToolCall("look", {"query": "Where are the storks?"}, id=f"c{len(found)}")
            return {"replies": [ChatMessage.from_assistant(tool_calls=[call])]}

    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        store = SidecarDocumentStore(client=client)
        texts = ("The storks are back on the roof.", "The cat is in the cellar.")
        store.write_documents([Document(content=text) for text in texts])
        retriever = SidecarTextRetriever(store, top_k=1)
        tool = Tool(
            name="look",
            description="Looks.",
            parameters={"type": "object", "properties": {"query": {"type": "string"}}},
            function=lambda query: retriever.run(query)["documents"][0].content,
        )
        agent = Agent(chat_generator=Scripted(), tools=[tool])
        answer = agent.run(messages=[ChatMessage.from_user("Where are they?")])
        assert answer["messages"][-1].text == texts[0]
    assert own_server.starts == 4


def test_of_racing_writers_one_writes_each_document(client: Client) -> None:
    def write(writer: int, policy: DuplicatePolicy) -> int:
        store = SidecarDocumentStore(client=client, collection_id=policy.value)
        written = 0
        for number in range(10):
            document = Document(id=str(number), content=f"writer {writer}")
            try:
                written += store.write_documents([document], policy)
            except DuplicateDocumentError:
                continue
        return written

    for policy in (DuplicatePolicy.FAIL, DuplicatePolicy.SKIP):
        with ThreadPoolExecutor() as pool:
            counts = list(pool.map(lambda writer, one=policy: write(writer, one), range(3)))
        assert sum(counts) == 10
        store = SidecarDocumentStore(client=client, collection_id=policy.value)
        assert store.count_documents() == len(store.filter_documents()) == 10


def test_updates_that_race_lose_nothing(client: Client) -> None:
    every = {"field": "meta.kind", "operator": "==", "value": "note"}
    store = SidecarDocumentStore(client=client)
    store.write_documents([Document(id=str(one), meta={"kind": "note"}) for one in range(5)])

    def update(key: str) -> int:
        return SidecarDocumentStore(client=client).update_by_filter(every, {key: True})

    with ThreadPoolExecutor() as pool:
        assert list(pool.map(update, "abc")) == [5] * 3
    wanted = {"kind": "note", "a": True, "b": True, "c": True}
    assert all(document.meta == wanted for document in store.filter_documents())


class Raced:
    """A client before whose write of a number another writer comes."""

    def __init__(self, client: Client, number: int, other: Callable[[], object]) -> None:
        self.client, self.number, self.other = client, number, other
        self.writes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def write_records(self, *args: Any, **options: Any) -> Any:
        self.writes += 1
        if self.writes == self.number:
            self.other()
        return self.client.write_records(*args, **options)


def raced(client: Client, number: int, other: Callable[[], object]) -> SidecarDocumentStore:
    return SidecarDocumentStore(client=Raced(client, number, other))  # type: ignore[arg-type]


def test_a_race_in_a_later_transaction_is_counted_and_named_exactly(client: Client) -> None:
    store = SidecarDocumentStore(client=client)
    documents = [Document(id=str(number)) for number in range(300)]

    def other() -> None:
        store.write_documents([documents[299]])

    assert raced(client, 2, other).write_documents(documents, DuplicatePolicy.SKIP) == 299
    assert store.count_documents() == 300
    store.delete_all_documents()
    with pytest.raises(DuplicateDocumentError, match=r"^ID '299' already exists\.$"):
        raced(client, 2, other).write_documents(documents, DuplicatePolicy.FAIL)


def test_changes_by_filter_are_transactions_of_what_still_fits(client: Client) -> None:
    store = SidecarDocumentStore(client=client)
    drafts = {"field": "meta.draft", "operator": "==", "value": True}
    documents = [Document(id=str(number), meta={"draft": True}) for number in range(9)]

    def other() -> None:
        store.write_documents([Document(id="8", meta={"draft": False})], DuplicatePolicy.OVERWRITE)
        store.delete_documents(["7"])

    for method in ("update_by_filter", "delete_by_filter"):
        store.write_documents(documents, DuplicatePolicy.OVERWRITE)
        changing = raced(client, 1, other)
        given = [{"seen": True}] if method == "update_by_filter" else []
        assert getattr(changing, method)(drafts, *given) == 7
        [final] = [one for one in store.filter_documents() if one.id == "8"]
        assert final.meta == {"draft": False}
        client_of_it: Any = changing.client
        assert client_of_it.writes == 2
    assert store.count_documents() == 1


def test_each_user_has_documents_of_their_own_until_they_are_erased(client: Client) -> None:
    def store_of(user: str | None) -> SidecarDocumentStore:
        return SidecarDocumentStore(client=client, user_id=user)

    for user in ("ana", "bob", None):
        document = Document(id="1", content=f"of {user}", embedding=vector(1))
        store_of(user).write_documents([document])
    for user in ("ana", "bob", None):
        store = store_of(user)
        assert texts_of(store.filter_documents()) == [f"of {user}"]
        assert texts_of(store.embedding_retrieval(vector(1))) == [f"of {user}"]
        assert texts_of(store.text_retrieval("of")) == [f"of {user}"]
        assert store.count_documents() == 1
    erase(client, "ana")
    assert store_of("ana").filter_documents() == []
    store_of("bob").delete_all_documents()
    assert store_of("bob").count_documents() == 0
    assert texts_of(store_of(None).embedding_retrieval(vector(1))) == ["of None"]


def test_a_store_passes_over_what_other_programs_keep_in_its_collection(client: Client) -> None:
    store = SidecarDocumentStore(client=client)
    store.write_documents([Document(id="1", content="of the store", embedding=vector(1))])
    given = {"model": "haystack", "values": vector(1)}
    plain = {"text": "of the store", "embedding": given, "metadata": {"has_text": True}}
    client.upsert_documents({"document_id": "plain", **plain}, collection_id="haystack")
    client.put_record(["other"], "1", b"[]", search=plain, collection_id="haystack")
    assert texts_of(store.filter_documents()) == ["of the store"]
    assert texts_of(store.embedding_retrieval(vector(1), top_k=1)) == ["of the store"]
    assert texts_of(store.text_retrieval("of the store")) == ["of the store"]
    assert store.count_documents() == 1


def test_a_pipeline_is_saved_with_its_store(
    server: RealServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDECAR_TOKEN", "secret")
    store = SidecarDocumentStore(
        server.address,
        namespace=client.namespace,
        token=Secret.from_env_var("SIDECAR_TOKEN"),
        user_id="ana",
    )
    store.write_documents([Document(content="Ana lives in Berlin.", embedding=vector("home"))])
    pipeline = Pipeline()
    pipeline.add_component("text", SidecarTextRetriever(store, top_k=3, min_relevance=0.1))
    filters = {"field": "meta.a", "operator": "==", "value": None}
    pipeline.add_component(
        "vector",
        SidecarEmbeddingRetriever(store, filters, filter_policy=FilterPolicy.MERGE),
    )
    saved = pipeline.dumps()
    assert "secret" not in saved
    loaded = Pipeline.loads(saved, allowed_modules=["memorysidecar_haystack.*"])
    inputs = {"text": {"query": "Berlin"}, "vector": {"query_embedding": vector("home")}}
    answer = loaded.run(inputs)
    for name in ("text", "vector"):
        assert texts_of(answer[name]["documents"]) == ["Ana lives in Berlin."]
    assert answer["vector"]["documents"][0].embedding is None
    again = loaded.get_component("vector")
    assert (again.filter_policy, again.filters) == (FilterPolicy.MERGE, filters)
    with pytest.raises(ValueError, match="a store that was made with a client cannot be saved"):
        SidecarDocumentStore(client=client).to_dict()


def test_the_text_retriever_needs_no_vectors(client: Client) -> None:
    store = SidecarDocumentStore(client=client)
    store.write_documents(
        [
            Document(content="Ana lives in Berlin.", meta={"lang": "en"}),
            Document(content="Ana wohnt in Berlin.", meta={"lang": "de"}, embedding=vector(1)),
            Document(content="Invoice 48213 is unpaid.", meta={"lang": "en"}),
            Document(meta={"lang": "en"}),
        ]
    )
    [best] = store.text_retrieval("invoice 48213", top_k=1)
    assert best.content == "Invoice 48213 is unpaid."
    assert 0.5 < (best.score or 0) <= 1
    german = {"field": "meta.lang", "operator": "==", "value": "de"}
    assert texts_of(store.text_retrieval("Berlin", german)) == ["Ana wohnt in Berlin."]
    assert len(store.text_retrieval("Ana Berlin invoice", top_k=10)) == 3
    assert store.text_retrieval("Berlin", options={"min_relevance": 1.0}) == []


def test_vectors_of_two_models_are_never_compared(client: Client) -> None:
    def store_of(model: str) -> SidecarDocumentStore:
        return SidecarDocumentStore(client=client, model=model)

    assert store_of("small").embedding_retrieval(vector(1)) == []
    store_of("small").write_documents([Document(content="one", embedding=vector(1))])
    assert store_of("large").embedding_retrieval(vector(1, 16)) == []
    assert texts_of(store_of("small").embedding_retrieval(vector(1))) == ["one"]
    with pytest.raises(DocumentStoreError, match="EMBEDDING_MISMATCH"):
        store_of("small").embedding_retrieval(vector(1, 16))


def test_filters_go_to_the_server_as_far_as_it_takes_them(client: Client) -> None:
    store = SidecarDocumentStore(client=client)
    documents = [
        Document(
            id=str(number),
            content=f"number {number}",
            meta={"n": number, "at": f"2024-01-01T00:00:{number % 60:02}", "big": 2**60 + number},
            embedding=vector(number),
        )
        for number in range(300)
    ]
    assert store.write_documents(documents) == 300

    def found(field: str, operator: str, value: Any) -> int:
        filters = {"field": field, "operator": operator, "value": value}
        count = store.count_documents_by_filter(filters)
        near = store.embedding_retrieval(vector(1), filters, top_k=1_000)
        assert len(near) == count
        return count

    assert found("meta.n", "in", list(range(0, 300, 2))) == 150
    assert found("meta.n", "not in", list(range(0, 300, 2))) == 150
    assert found("meta.n", ">", 290) == 9
    assert found("meta.at", ">=", "2024-01-01T00:00:59") == 5
    assert found("meta.big", "==", 2**60 + 7) == 1
    deep: Any = {"field": "meta.n", "operator": "==", "value": 5}
    for level in range(12):
        both = [deep, {"field": "meta.n", "operator": ">", "value": level - 100}]
        deep = {"operator": "AND" if level % 2 else "OR", "conditions": both}
    assert store.count_documents_by_filter({"operator": "NOT", "conditions": [deep]}) == 0
    assert store.delete_by_filter({"field": "meta.n", "operator": "<", "value": 100}) == 100
    assert store.count_documents() == 200


def test_limits_are_named(client: Client) -> None:
    store = SidecarDocumentStore(client=client)
    with pytest.raises(ValueError, match="at most 4128768 are allowed"):
        store.write_documents([Document(content="x", meta={"x": "x" * 5_000_000})])
    with pytest.raises(ValueError, match="document '1' is not JSON"):
        store.write_documents([Document(id="1", meta={"at": object()})])
    with pytest.raises(DuplicateDocumentError, match="ID '1' is given twice"):
        store.write_documents([Document(id="1"), Document(id="1")], DuplicatePolicy.FAIL)
    with pytest.raises(ValueError, match="a filter has an operator"):
        store.filter_documents({"name": "ana"})
    with pytest.raises(ValueError, match="top_k is above 0"):
        SidecarTextRetriever(store, top_k=0)
    with pytest.raises(TypeError, match="document_store is a SidecarDocumentStore"):
        SidecarEmbeddingRetriever("store")  # type: ignore[arg-type]
    large = {str(number): "y" * 200 for number in range(200)}
    store.write_documents([Document(id="2", meta={**large, "a": 1})])
    one = {"field": "meta.a", "operator": "==", "value": 1}
    assert store.count_documents_by_filter(one) == 1


async def test_retrievers_work_with_an_async_client(async_client: AsyncClient) -> None:
    store = SidecarDocumentStore(client=async_client)
    await store.write_documents_async([Document(content="one", embedding=vector(1))])
    by_vector = await SidecarEmbeddingRetriever(store, scale_score=True).run_async(vector(1))
    assert by_vector["documents"][0].score == pytest.approx(1, abs=0.001)
    by_text = await SidecarTextRetriever(store).run_async("one")
    assert texts_of(by_text["documents"]) == ["one"]
