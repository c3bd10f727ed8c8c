"""The vector store beside what the differential test compares."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from integration import erase
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageDocument,
    ImageNode,
    IndexNode,
    MediaResource,
    Node,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.tools import FunctionTool
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.core.vector_stores.types import FilterCondition, VectorStoreQueryMode
from memorysidecar import AsyncClient, Client, Invalid
from real import PATIENT, Between, RealServer
from scripted import ANSWER, call, scripted

from memorysidecar_llama_index import SidecarVectorStore


def vector(seed: object, size: int = 8) -> list[float]:
    draw = random.Random(str(seed))
    return [draw.gauss(0, 1) for _ in range(size)]


def node(name: str, text: str = "", document: str | None = None, **metadata: Any) -> TextNode:
    source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)} if document else {}
    return TextNode(
        id_=name, text=text, metadata=metadata, embedding=vector(name), relationships=source
    )


def ids_of(store: SidecarVectorStore, **given: Any) -> list[str]:
    mode = VectorStoreQueryMode(given.pop("mode", "default"))
    query = VectorStoreQuery(**{"similarity_top_k": 10, **given}, mode=mode)
    return store.query(query).ids or []


async def test_an_agent_finds_nodes_while_the_server_is_killed(own_server: RealServer) -> None:
    def look(place: str) -> str:
        """Looks at a place."""
        own_server.kill()
        own_server.start()
        [found] = retriever.retrieve(place)
        return found.text

    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        store = SidecarVectorStore(client, user_id="ana", is_embedding_query=False)
        index = VectorStoreIndex.from_vector_store(store, embed_model=MockEmbedding(8))
        store.add([TextNode(text="The storks are on the roof."), TextNode(text="A cellar.")])
        retriever = index.as_retriever(similarity_top_k=1)
        own_server.kill()
        own_server.start()
        model, seen = scripted(call("c1", place="Where are the storks?"), ANSWER)
        agent = FunctionAgent(tools=[FunctionTool.from_defaults(look)], llm=model)
        answer = await agent.run("Where are they?")
        assert answer.response.content == ANSWER
        assert seen[-1][-1].content == "The storks are on the roof."
    assert own_server.starts == 3


def test_an_index_keeps_its_nodes_here(client: Client) -> None:
    store = SidecarVectorStore(client)
    index = VectorStoreIndex.from_vector_store(store, embed_model=MockEmbedding(8))
    documents = [Document(text=f"text {number}", id_=f"d{number}") for number in range(3)]
    for document in documents:
        index.insert(document)
    assert len(index.as_retriever(similarity_top_k=5).retrieve("text")) == 3
    index.delete_ref_doc("d1")
    again = VectorStoreIndex.from_vector_store(store, embed_model=MockEmbedding(8))
    found = again.as_retriever(similarity_top_k=5, vector_store_query_mode="hybrid").retrieve(
        "text"
    )
    assert sorted(one.node.ref_doc_id or "" for one in found) == ["d0", "d2"]
    assert len(again.vector_store.get_nodes()) == 2


def test_nodes_of_all_types_come_back_as_they_were_written(client: Client) -> None:
    store = SidecarVectorStore(client)
    text = node("t", "text", "d", n=1, deep={"a": [1, None]}, none=None)
    nodes: list[BaseNode] = [
        text,
        Node(id_="n", text_resource=MediaResource(text="node"), embedding=vector(1)),
        ImageNode(id_="i", image="iVBORw==", text="image", embedding=vector(2)),
        IndexNode(id_="x", index_id="x", text="index", embedding=vector(3)),
        Document(id_="d", text="document", metadata={"at": "2024"}, embedding=vector(4)),
        ImageDocument(id_="e", image="iVBORw==", embedding=vector(5)),
        TextNode(id_="no vector", text="alone"),
    ]
    assert store.add(nodes) == [one.node_id for one in nodes]
    found = store.get_nodes([one.node_id for one in nodes])
    assert [one.model_dump(mode="json") for one in found] == [
        one.model_dump(mode="json") for one in nodes
    ]
    assert list(map(type, found)) == list(map(type, nodes))
    assert store.get_nodes(["missing", "t"]) == [text]
    assert "no vector" not in ids_of(store, query_embedding=vector(1))
    assert ids_of(store, query_str="alone", mode="text_search", similarity_top_k=1) == ["no vector"]


def test_users_and_collections_share_nothing(client: Client) -> None:
    owners: list[dict[str, Any]] = [
        {},
        {"user_id": "ana"},
        {"user_id": "bob"},
        {"agent_id": "ana"},
        {"collection_id": "other"},
        {"user_id": "ana", "collection_id": "other"},
    ]
    for number, owner in enumerate(owners):
        SidecarVectorStore(client, **owner).add([node("1", f"text {number}", "d", n=number)])
    for number, owner in enumerate(owners):
        store = SidecarVectorStore(client, **owner)
        query = VectorStoreQuery(query_embedding=vector("1"), similarity_top_k=10)
        for mode in VectorStoreQueryMode.DEFAULT, VectorStoreQueryMode.TEXT_SEARCH:
            query.mode, query.query_str = mode, "text"
            assert [one.metadata["n"] for one in store.query(query).nodes or []] == [number]
        assert [one.metadata["n"] for one in store.get_nodes()] == [number]
    erase(client, "ana")
    SidecarVectorStore(client, user_id="bob").delete("d")
    SidecarVectorStore(client, collection_id="other").clear()
    left = [len(SidecarVectorStore(client, **owner).get_nodes()) for owner in owners]
    assert left == [1, 0, 0, 1, 0, 0]
    for name in ("user_id", "agent_id"):
        with pytest.raises(ValueError, match=f"{name} must not be empty"):
            SidecarVectorStore(client, **{name: ""})


def test_a_store_passes_over_what_other_programs_keep_in_its_collection(client: Client) -> None:
    store = SidecarVectorStore(client)
    store.add([node("1", "of the store")])
    given = {"model": "llama-index", "values": vector("1")}
    plain = {"text": "of the store", "embedding": given, "metadata": {"has_text": True}}
    client.upsert_documents({"document_id": "plain", **plain}, collection_id="llama-index")
    client.put_record(["other"], "1", b"[]", search=plain, collection_id="llama-index")
    for mode in ("default", "text_search", "hybrid", "mmr"):
        given = {"query_embedding": vector("1"), "query_str": "store", "mode": mode}
        assert ids_of(store, **given) == ["1"]
    store.delete_nodes()
    assert store.get_nodes() == []
    assert [one.document_id for one in client.list_documents(collection_id="llama-index")]


def test_an_empty_store_finds_nothing(client: Client) -> None:
    store = SidecarVectorStore(client)
    for mode in ("default", "text_search", "hybrid", "mmr"):
        assert ids_of(store, query_embedding=vector(1), query_str="x", mode=mode) == []
    assert store.get_nodes() == []
    store.delete("d")
    store.delete_nodes(["a"])
    store.clear()
    assert store.add([]) == []
    store.add([node("a")])
    assert ids_of(store, query_embedding=vector(1), similarity_top_k=0) == []


def test_hybrid_queries_weigh_words_and_vectors(client: Client) -> None:
    store = SidecarVectorStore(client)
    near = node("near", "The cat is in the cellar.")
    told = node("told", "Invoice 48213 is unpaid.")
    store.add([near, told, node("rest", "Nothing here."), node("none")])
    given = {"query_str": "invoice 48213", "query_embedding": vector("near"), "mode": "hybrid"}
    by = {alpha: ids_of(store, alpha=alpha, **given)[0] for alpha in (0.0, 1.0)}
    assert by == {0.0: "told", 1.0: "near"}
    query = VectorStoreQuery(
        query_str="invoice 48213",
        query_embedding=vector("near"),
        similarity_top_k=1,
        sparse_top_k=1,
        hybrid_top_k=2,
        mode=VectorStoreQueryMode.HYBRID,
    )
    answer = store.query(query)
    assert sorted(answer.ids or []) == ["near", "told"]
    best = dict(zip(answer.ids or [], answer.similarities or [], strict=True))
    assert best["near"] == pytest.approx(0.5, abs=0.01)
    assert best["told"] > 0.3
    text = {"query_str": "invoice 48213", "mode": "text_search"}
    assert ids_of(store, **text)[0] == "told"
    query = VectorStoreQuery(**{**text, "mode": VectorStoreQueryMode.TEXT_SEARCH})
    assert store.query(query, min_relevance=1.0).ids == []


def test_nothing_is_near_a_vector_of_zeros(client: Client) -> None:
    store = SidecarVectorStore(client)
    store.add([node("told", "Invoice 48213 is unpaid."), node("rest", "Nothing here.")])
    given = {"query_str": "invoice 48213", "query_embedding": [0.0] * 8}
    assert ids_of(store, **given) == ids_of(store, mode="mmr", **given) == []
    assert ids_of(store, mode="hybrid", **given)[0] == "told"


def test_filters_may_be_nested_and_name_documents(client: Client) -> None:
    store = SidecarVectorStore(client)
    store.add([node(f"{one}", f"text {one}", f"d{one % 3}", n=one) for one in range(300)])

    def both(condition: FilterCondition, *parts: Any) -> MetadataFilters:
        return MetadataFilters(filters=list(parts), condition=condition)

    def above(limit: int) -> MetadataFilter:
        return MetadataFilter.from_dict({"key": "n", "operator": ">", "value": limit})

    low = both(FilterCondition.NOT, above(10))
    either = both(FilterCondition.OR, low, above(290))
    wanted = {*range(11), *range(291, 300)}
    for filters in (either, both(FilterCondition.AND, either, MetadataFilters(filters=[]))):
        for mode in ("default", "text_search", "mmr"):
            given = {"query_embedding": vector(1), "query_str": "text", "mode": mode}
            found = ids_of(store, filters=filters, similarity_top_k=500, **given)
            assert {int(one) for one in found} == wanted
        assert {one.metadata["n"] for one in store.get_nodes(filters=filters)} == wanted
    deep = either
    for level in range(12):
        odd = level % 2
        deep = both(list(FilterCondition)[odd], deep, above(500 if odd else level - 100))
    assert {one.metadata["n"] for one in store.get_nodes(filters=deep)} == wanted
    given = {"query_embedding": vector(1), "similarity_top_k": 1_000}
    assert len(ids_of(store, doc_ids=["d1", "d2"], **given)) == 200
    assert len(ids_of(store, doc_ids=["d1"], filters=either, **given)) == 7
    names = [f"{one}" for one in range(100)]
    assert len(ids_of(store, node_ids=names, doc_ids=["d1"], filters=either, **given)) == 4
    many = [*names, *(f"no {one}" for one in range(1_000))]
    assert len(ids_of(store, node_ids=many, **given)) == 100
    assert len(ids_of(store, node_ids=[], doc_ids=[], **given)) == 300
    store.delete_nodes(names, either)
    assert len(store.get_nodes(names)) == 89
    # A text is not above a number, and does not fail the query of all others.
    store.add([node("odd", n="text")])
    assert "odd" not in ids_of(store, filters=both(FilterCondition.AND, above(5)), **given)


def test_writers_that_race_delete_only_what_they_mean(client: Client) -> None:
    store = SidecarVectorStore(client)
    draft = MetadataFilters(filters=[MetadataFilter(key="draft", value=1)])

    def finish() -> None:
        store.add([node("8", "", "e", draft=0)])
        store.delete_nodes(["7"])

    for delete in (lambda one: one.delete_nodes(filters=draft), lambda one: one.delete("d")):
        store.add([node(f"{one}", "", "d", draft=1) for one in range(9)])
        delete(SidecarVectorStore(Between(client, "write_records", finish)))  # type: ignore[arg-type]
        assert [one.node_id for one in store.get_nodes()] == ["8"]

    def write(writer: int) -> None:
        mine = SidecarVectorStore(client)
        for number in range(10):
            mine.add([node(f"{number}", f"{writer}"), node(f"{writer} {number}")])

    store.clear()
    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(3)))
    assert len(store.get_nodes()) == 40


def test_limits_are_named(client: Client) -> None:
    store = SidecarVectorStore(client)
    nan = float("nan")
    for bad in (node("1", n=nan), TextNode(id_="1", embedding=[nan, 1.0])):
        with pytest.raises(ValueError, match="node '1' is no JSON"):
            store.add([node("0"), bad])
    with pytest.raises(ValueError, match="at most 4128768 are allowed"):
        store.add([node("1", x="x" * 5_000_000)])
    assert store.get_nodes() == []
    with pytest.raises(ValueError, match="the mode sparse is not one of this store"):
        ids_of(store, query_str="x", mode="sparse")
    with pytest.raises(ValueError, match="the mode text_search needs query_str"):
        ids_of(store, mode="text_search")
    for mode in ("hybrid", "mmr"):
        with pytest.raises(ValueError, match=f"the mode {mode} needs query_embedding"):
            ids_of(store, query_str="x", mode=mode)
    with pytest.raises(ValueError, match="the mode default needs query_embedding"):
        ids_of(store)
    large = node("1", "x" * 70_000, **{f"{number}": "y" * 300 for number in range(200)}, a="b")
    store.add([large, *(node(f"many {number}") for number in range(600))])
    wanted = MetadataFilters(filters=[MetadataFilter(key="a", value="b")])
    assert store.get_nodes(filters=wanted) == [large]
    assert len(store.get_nodes()) == 601
    # As JSON, these metadata are within the limit of the server; it measures them as a Struct.
    numbers = node("numbers", **{f"k{number}": number for number in range(900)}, a="b")
    store.add([numbers])
    assert store.get_nodes(filters=wanted) == [large, numbers]
    store.delete_nodes(["numbers"])
    with pytest.raises(Invalid, match="EMBEDDING_MISMATCH"):
        ids_of(store, query_embedding=vector(1, 16))
    assert ids_of(SidecarVectorStore(client, model="new"), query_embedding=vector(1, 16)) == []


async def test_all_methods_work_with_an_async_client(async_client: AsyncClient) -> None:
    store = SidecarVectorStore(async_client, ttl=3_600, agent_id="a")
    assert store.client is async_client
    nodes = [node(f"{number}", f"text {number}", "d", n=number) for number in range(6)]
    assert await store.async_add(nodes) == [one.node_id for one in nodes]
    query = VectorStoreQuery(query_embedding=vector("1"), similarity_top_k=1)
    assert (await store.aquery(query)).nodes == [nodes[1]]
    await store.adelete_nodes(["0"])
    assert await store.aget_nodes(["0", "1"]) == [nodes[1]]
    await store.adelete("d")
    assert await store.aget_nodes() == []
    await store.async_add(nodes)
    await store.aclear()
    assert await store.aget_nodes() == []
