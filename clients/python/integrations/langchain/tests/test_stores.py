"""The stores and the retriever beside what the suites of LangChain ask."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from integration import erase, left_of, record_uploads
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import create_retriever_tool
from memorysidecar import AsyncClient, Client, Invalid, where
from memorysidecar.adapters import connect
from memorysidecar.adapters.plans import Runner
from real import PATIENT, Between, RealServer

from memorysidecar_langchain import SidecarByteStore, SidecarRetriever, SidecarVectorStore

EMBEDDING = DeterministicFakeEmbedding(size=8)


def run_agent(model: FakeMessagesListChatModel, tool: Any, question: str) -> list[BaseMessage]:
    """Lets a model call a tool until it answers."""
    messages: list[BaseMessage] = [HumanMessage(question)]
    while True:
        answer = model.invoke(messages)
        messages.append(answer)
        if not isinstance(answer, AIMessage) or not answer.tool_calls:
            return messages
        for call in answer.tool_calls:
            messages.append(tool.invoke({**call, "type": "tool_call"}))


def ids_of(documents: list[Document]) -> list[str | None]:
    return [document.id for document in documents]


def test_an_agent_finds_documents_while_the_server_is_killed(own_server: RealServer) -> None:
    def call(number: int) -> AIMessage:
        query = {"query": "Where are the storks?"}
        return AIMessage("", tool_calls=[{"name": "look", "args": query, "id": f"c{number}"}])

    class Killed(FakeMessagesListChatModel):
        def _generate(self, *args: Any, **kwargs: Any) -> Any:
            own_server.kill()
            own_server.start()
            return super()._generate(*args, **kwargs)

    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        store = SidecarVectorStore(client)
        store.add_texts(["The storks are back on the roof.", "The cat is in the cellar."])
        tool = create_retriever_tool(store.as_retriever(search_kwargs={"k": 1}), "look", "Looks.")
        model = Killed(responses=[call(1), call(2), AIMessage("On the roof.")])
        messages = run_agent(model, tool, "Where are they?")
        found = [one.content for one in messages if isinstance(one, ToolMessage)]
        assert found == ["The storks are back on the roof."] * 2
        assert messages[-1].content == "On the roof."
    assert own_server.starts == 4


def test_two_writers_leave_one_whole_document_of_each_id(client: Client) -> None:
    names = [f"d{number}" for number in range(20)]

    def write(writer: int) -> None:
        store = SidecarVectorStore(client, EMBEDDING)
        for turn in range(5):
            text = f"writer {writer} turn {turn}"
            documents = [
                Document(id=name, page_content=text, metadata={"w": writer}) for name in names
            ]
            assert store.add_documents(documents) == names

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(3)))
    store = SidecarVectorStore(client, EMBEDDING)
    found = store.similarity_search("writer", k=100)
    assert sorted(ids_of(found)) == sorted(names)
    # A call is one transaction: the last one wrote all of them.
    assert {(one.page_content, one.metadata["w"]) for one in found} == {
        (found[0].page_content, found[0].metadata["w"])
    }
    assert store.get_by_ids([found[0].id or ""])[0] == found[0]


def test_each_user_has_documents_and_values_of_their_own_until_they_are_erased(
    client: Client,
) -> None:
    def stores(user: str | None) -> tuple[SidecarVectorStore, SidecarByteStore]:
        options = {"user_id": user}
        return SidecarVectorStore(client, EMBEDDING, **options), SidecarByteStore(client, **options)

    for user in ("ana", "bob", None):
        vectors, values = stores(user)
        vectors.add_texts([f"of {user}"], ids=["1"])
        values.mset([("k", f"of {user}".encode())])
    for user in ("ana", "bob", None):
        vectors, values = stores(user)
        assert [one.page_content for one in vectors.similarity_search("of")] == [f"of {user}"]
        assert [one.page_content for one in vectors.get_by_ids(["1"])] == [f"of {user}"]
        assert values.mget(["k"]) == [f"of {user}".encode()]
    erase(client, "ana")
    vectors, values = stores("ana")
    assert vectors.similarity_search("of") == vectors.get_by_ids(["1"]) == []
    assert values.mget(["k"]) == [None]
    stores("bob")[0].delete()
    assert stores("bob")[0].similarity_search("of") == []
    assert [one.page_content for one in stores(None)[0].similarity_search("of")] == ["of None"]


def test_a_store_passes_over_what_other_programs_keep_in_its_collection(client: Client) -> None:
    store = SidecarVectorStore(client, EMBEDDING)
    words = SidecarVectorStore(client)
    store.add_texts(["of the store"], ids=["1"])
    vector = {"model": "langchain", "values": EMBEDDING.embed_query("of the store")}
    plain = {"document_id": "plain", "text": "of the store", "embedding": vector}
    client.upsert_documents(plain, collection_id="langchain")
    other = {"text": "of the store", "embedding": vector}
    client.put_record(["other"], "1", b"[]", search=other, collection_id="langchain")
    for one in (store, words):
        assert ids_of(one.similarity_search("of the store", k=1)) == ["1"]
        assert ids_of(one.similarity_search("of the store", k=10)) == ["1"]


def test_values_that_an_answer_has_no_room_for_come_in_few_calls(client: Client) -> None:
    calls: list[str] = []

    class Counted:
        def __getattr__(self, name: str) -> Any:
            calls.append(name)
            return getattr(client, name)

    names = [str(number) for number in range(300)]
    texts = [f"storks {name} " + "x" * 30_000 for name in names]
    store: Any = SidecarVectorStore(Counted())  # type: ignore[arg-type]
    store.add_texts(texts, ids=names)
    calls.clear()
    assert len(store.similarity_search("storks", k=1_000, mode="lexical")) == 300
    assert [one.page_content for one in store.get_by_ids(names)] == texts
    assert len(calls) < 30
    large = {"m": "y" * 3_500_000}
    chosen = SidecarVectorStore(client, filter_by=[])
    chosen.add_documents([Document("large", id=name, metadata=large) for name in "ab"])
    found = store.get_by_ids(["a", "0", "none", "b"])
    assert ids_of(found) == ["a", "0", "b"]
    assert found[0].metadata == found[2].metadata == large


def test_documents_come_back_as_they_were_written(client: Client) -> None:
    metadata = {"z": 2**63 + 1, "a": {"y": [1, 1.0, None, True], "b": "ü\0\r\n"}, "e": {}}
    [name] = SidecarVectorStore(client).add_documents(
        [Document(page_content="\0 text 😀\r\n", metadata=metadata)]
    )
    [found] = SidecarVectorStore(client).get_by_ids([name])
    assert found.page_content == "\0 text 😀\r\n"
    assert repr(found.metadata) == repr(metadata)
    assert SidecarVectorStore(client).get_by_ids([name, "none", name]) == [found, found]


def test_without_an_embedding_words_and_the_vectors_of_the_server_decide(client: Client) -> None:
    store = SidecarVectorStore(client)
    texts = ["Ana lives in Berlin.", "The invoice 48213 is unpaid.", "Ana lives in Berlin, too."]
    store.add_texts(texts, ids=["home", "invoice", "again"])
    [(best, relevance)] = store.similarity_search_with_score("invoice 48213", k=1)
    assert best.id == "invoice"
    assert 0.5 < relevance <= 1
    answers = store.similarity_search_with_relevance_scores(
        "Where does Ana live?", score_threshold=0.3
    )
    assert {document.id for document, _ in answers} == {"home", "again"}
    assert all(0 <= score <= 1 for _, score in answers)
    assert len(store.similarity_search("Berlin", k=2, mode="lexical")) == 2
    assert len(store.max_marginal_relevance_search("Berlin", k=2, lambda_mult=0.1)) == 2
    retriever = store.as_retriever(search_type="mmr", search_kwargs={"k": 1})
    assert retriever.invoke("unpaid invoice")[0].id == "invoice"


def test_vectors_of_two_models_are_never_compared(client: Client) -> None:
    small = SidecarVectorStore(client, EMBEDDING, model="small")
    small.add_texts(["one"], ids=["1"])
    large = SidecarVectorStore(client, DeterministicFakeEmbedding(size=16), model="large")
    assert large.similarity_search("one") == []
    large.add_texts(["two"], ids=["2"])
    assert ids_of(large.similarity_search("one")) == ["2"]
    assert ids_of(small.similarity_search("one")) == ["1"]
    wrong = SidecarVectorStore(client, DeterministicFakeEmbedding(size=4), model="large")
    with pytest.raises(Invalid, match="EMBEDDING_MISMATCH"):
        wrong.similarity_search("one")


def test_a_vector_of_a_wrong_length_is_refused_in_a_large_collection(client: Client) -> None:
    SidecarVectorStore(client).add_texts([f"text {number}" for number in range(150)])
    SidecarVectorStore(client, EMBEDDING).add_texts(["with a vector"])
    wrong = SidecarVectorStore(client, DeterministicFakeEmbedding(size=4))
    with pytest.raises(Invalid, match="EMBEDDING_MISMATCH"):
        wrong.similarity_search("text")


def test_filters_are_those_of_the_server_or_dictionaries(client: Client) -> None:
    store = SidecarVectorStore(client, EMBEDDING)
    metadatas = [{"year": year, "day": f"{year}-01-01"} for year in range(2000, 2200)]
    names = [str(one["year"]) for one in metadatas]
    store.add_texts(names, metadatas, ids=names)
    recent = {"year": {"$gt": 2197}}
    assert sorted(ids_of(store.similarity_search("2198", filter=recent))) == ["2198", "2199"]
    late = [where("day", at_least="2199"), where("year", below=2200)]
    assert ids_of(store.similarity_search("2198", filter=late)) == ["2199"]
    assert ids_of(store.similarity_search("x", filter={"day": {"$gt": "2199-01"}})) == ["2199"]
    many = {"year": {"$in": list(range(2000, 2150))}}
    assert len(store.similarity_search("x", k=1_000, filter=many)) == 150
    assert len(store.similarity_search("x", k=1_000, filter={"year": {"$in": []}})) == 0
    either = {"$or": [{"year": year} for year in range(2000, 2020)]}
    assert len(store.similarity_search("x", k=1_000, filter=either)) == 20
    neither = {"$not": {"$or": [{"year": year} for year in range(2000, 2020)]}}
    assert len(store.similarity_search("x", k=1_000, filter=neither)) == 180
    for wrong, message in (
        ({"year": {"$near": 1}}, r"has \$near; the tests are \$eq"),
        ({"$nor": []}, r"it takes \$and, \$or and \$not"),
        ({"year": [1, 2]}, r"\$eq in the filter of 'year' takes one value"),
        ({"year": {"$in": 1}}, r"\$in in the filter of 'year' takes a list"),
        ({"$and": {}}, "takes a list of filters"),
        ({"year": {"$gt": None}}, r"\$gt in the filter of 'year' takes a number or a text, not"),
        ({"year": {"$lt": None}}, r"\$lt in the filter of 'year' takes a number or a text, not"),
    ):
        with pytest.raises(ValueError, match=message):
            store.similarity_search("x", filter=wrong)


def test_limits_are_named(client: Client) -> None:
    store = SidecarVectorStore(client, EMBEDDING)
    large = {"note": "x" * 20_000, "lang": "en"}
    with pytest.raises(ValueError, match="at most 16384 are allowed: name the keys"):
        store.add_texts(["text"], [large])
    chosen = SidecarVectorStore(client, EMBEDDING, filter_by=["lang"])
    chosen.add_texts(["text"], [large], ids=["1"])
    assert chosen.similarity_search("text", filter={"lang": "en"})[0].metadata == large
    for unseen in ({"$not": {"$or": [{"lang": "en"}, {"note": "x"}]}}, where("note", equals="x")):
        with pytest.raises(ValueError, match=r"cannot use 'note': the store was made with"):
            chosen.similarity_search("text", filter=unseen)
    with pytest.raises(TypeError, match="the metadata of document '2' is not JSON"):
        store.add_texts(["text"], [{"at": object()}], ids=["2"])
    with pytest.raises(ValueError, match="there are 1 ids for 2 documents"):
        store.add_documents([Document("a"), Document("b")], ids=["1"])
    with pytest.raises(ValueError, match="at most 4128768 are allowed"):
        SidecarVectorStore(client, filter_by=[]).add_texts(["text"], [{"x": "x" * 5_000_000}])


def test_the_indexing_of_langchain_writes_and_deletes(client: Client) -> None:
    store = SidecarVectorStore(client, EMBEDDING)
    manager = InMemoryRecordManager("n")
    manager.create_schema()

    def documents(*texts: str) -> Iterator[Document]:
        return (Document(text, metadata={"source": "s"}) for text in texts)

    options: Any = {"cleanup": "full", "key_encoder": "sha256"}
    assert index(documents("a", "b"), manager, store, **options)["num_added"] == 2
    assert index(documents("b", "c"), manager, store, **options)["num_deleted"] == 1
    found = store.similarity_search("a", k=10)
    assert sorted(one.page_content for one in found) == ["b", "c"]


async def test_both_kinds_of_calls_work_with_an_async_client(async_client: AsyncClient) -> None:
    store = await SidecarVectorStore.afrom_texts(
        ["one", "two"], EMBEDDING, ids=["1", "2"], client=async_client
    )
    vector = EMBEDDING.embed_query("two")
    assert ids_of(await store.asimilarity_search_by_vector(vector, k=1)) == ["2"]
    assert ids_of(await store.amax_marginal_relevance_search("two", k=1)) == ["2"]
    found = await store.amax_marginal_relevance_search_by_vector(vector, k=2)
    assert ids_of(found)[0] == "2"
    await store.adelete(["1"])
    assert ids_of(await store.asimilarity_search("one")) == ["2"]
    values = SidecarByteStore(async_client)
    await values.amset([("a", b"1"), ("b", b"2")])
    assert [key async for key in values.ayield_keys()] == ["a", "b"]


def test_values_of_any_size_come_back_and_keys_are_listed_by_prefix(client: Client) -> None:
    store = SidecarByteStore(client, name="files")
    large = bytes(range(256)) * 20_000
    store.mset([("large", large), ("small", b""), ("large", large)])
    assert store.mget(["small", "large", "none", "small"]) == [b"", large, None, b""]
    names = [f"n%/{number:04}" for number in range(1_200)]
    store.mset([(name, name.encode()) for name in names])
    assert list(store.yield_keys(prefix="n%/")) == names
    assert list(store.yield_keys(prefix="n%/11")) == names[1_100:]
    assert len(list(store.yield_keys())) == 1_202
    assert store.mget(names) == [name.encode() for name in names]
    with pytest.raises(ValueError, match="a key takes at most 511 bytes"):
        store.mset([("k" * 512, b"")])
    assert list(SidecarByteStore(client, name="other").yield_keys()) == []


def test_a_value_that_changes_while_it_is_read_comes_whole(client: Client) -> None:
    store = SidecarByteStore(client)
    old, new = b"a" * 5_000_000, b"b" * 5_000_000
    store.mset([("key", old)])
    between: Any = Between(client, "get_record", lambda: store.mset([("key", new)]), after=1)
    between.get_whole_record = partial(Client.get_whole_record, between)
    assert SidecarByteStore(between).mget(["key"]) == [new]


def test_a_refused_write_leaves_no_upload(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    uploads = record_uploads(client, monkeypatch)
    store = SidecarByteStore(client, ttl=1e12)
    with pytest.raises(Invalid, match="ttl"):
        store.mset([("a", b"a" * 4_000_000), ("b", b"b" * 4_000_000)])
    assert len(uploads) == 2
    assert Runner(client).run(left_of(uploads)) == []


def test_keys_are_listed_by_a_prefix_of_any_length(client: Client) -> None:
    store = SidecarByteStore(client)
    key = "%" + "k" * 500
    store.mset([(key, b"v"), ("other", b"v")])
    for length in (0, 1, 300, 501):
        assert list(store.yield_keys(prefix=key[:length]))[:1] == [key]
    assert list(store.yield_keys(prefix=key[:501] + "x" * 20)) == []
    assert list(store.yield_keys(prefix="k" * 600)) == []


def test_a_connection_by_url_is_closed_and_that_of_a_client_is_not(
    server: RealServer, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server of the tests has a socket, which no URL names.
    made = partial(Client, server.address, namespace=client.namespace)
    monkeypatch.setattr(connect, "connect", lambda url: made())
    url = "memorysidecar://host:1/notes"
    with SidecarByteStore.from_url(url, user_id="ana") as values:
        values.mset([("k", b"v")])
    with SidecarVectorStore.from_url(url, None, user_id="ana") as documents:
        documents.add_texts(["Storks."])
    for closed in (lambda: values.mget(["k"]), lambda: documents.get_by_ids(["a"])):
        with pytest.raises(ValueError, match="closed"):
            closed()
    with SidecarByteStore(client, user_id="ana") as mine:
        assert mine.mget(["k"]) == [b"v"]
    assert mine.mget(["k"]) == [b"v"]


def test_documents_and_values_expire(client: Client) -> None:
    ttl = 2
    store = SidecarVectorStore(client, EMBEDDING, ttl=ttl)
    values = SidecarByteStore(client, ttl=ttl)
    start = time.monotonic()
    store.add_texts(["text"], ids=["1"])
    values.mset([("k", b"v")])
    found = ids_of(store.similarity_search("text")), values.mget(["k"])
    # On a machine that stood still, both may be gone by right.
    assert found == (["1"], [b"v"]) or time.monotonic() - start > ttl
    time.sleep(ttl + 0.1)
    assert store.similarity_search("text") == store.get_by_ids(["1"]) == []
    assert values.mget(["k"]) == [None]


@pytest.mark.parametrize("kind", ["message", "document", "memory"])
def test_the_retriever_recalls_all_that_the_server_keeps(client: Client, kind: str) -> None:
    text = "Ana is allergic to penicillin."
    client.create_session("chat", user_id="ana")
    client.append("chat", [text])
    client.upsert_documents({"text": text, "metadata": {"page": 7}}, collection_id="files/ana")
    client.remember(text, user_id="ana")
    retriever = SidecarRetriever(client=client, user_id="ana", filter={"kinds": [kind]}, k=3)
    [found] = retriever.invoke("Who is allergic?")
    assert (found.page_content, found.metadata["kind"]) == (text, kind)
    assert found.metadata["passage"] == text
    assert 0 < found.metadata["relevance"] <= 1
    if kind == "message":
        assert (found.metadata["session_id"], found.metadata["role"]) == ("chat", "user")
    if kind == "document":
        assert found.metadata["metadata"] == {"page": 7}
        assert found.metadata["collection_id"] == "files/ana"
    other = SidecarRetriever(client=client, user_id="bob", filter={"kinds": [kind]})
    assert len(other.invoke("Who is allergic?")) == (kind == "document")
    strict = SidecarRetriever(client=client, user_id="ana", min_relevance=0.99)
    assert strict.invoke("zebra crossing") == []


async def test_the_retriever_works_with_an_async_client(async_client: AsyncClient) -> None:
    await async_client.remember(f"The code is {uuid4().hex}.")
    retriever = SidecarRetriever(client=async_client, options={"mode": "lexical"})
    [found] = await retriever.ainvoke("code")
    assert found.metadata["memory_id"]
