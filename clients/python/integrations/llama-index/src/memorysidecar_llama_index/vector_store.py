"""The vector store."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.constants import DATA_KEY, TYPE_KEY
from llama_index.core.indices.query.embedding_utils import get_top_k_mmr_embeddings
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, ObjectType
from llama_index.core.storage.docstore.utils import json_to_doc
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from memorysidecar import AsyncClient, Client, v1, where
from memorysidecar.adapters.conditions import Condition, every, fits, within
from memorysidecar.adapters.documents import (
    DocumentRecords,
    Found,
    Query,
    Searchable,
    deletion_of,
)
from memorysidecar.adapters.names import segment
from memorysidecar.adapters.narrowing import CUT, MAX_TEXT_BYTES, is_indexable
from memorysidecar.adapters.plans import Plan, Runner

from ._filters import conditions_of, indexed, test_of

ROOT = "llama-index"
ID = "id"
DOC = "doc"
HAS_TEXT = "has_text"
REF = "ref_doc_id"
DOCUMENT_KEYS = ("document_id", "doc_id", REF)
"""Keys under which LlamaIndex adds the id of the document to the metadata."""
TYPES = tuple(ObjectType)
MMR_FACTOR = 4
"""Candidates of ``MMR`` for each node that is wanted."""
MAX_HITS = 1_000
Scored = list[tuple[BaseNode, float]]


class SidecarVectorStore(BasePydanticVectorStore):
    """Keeps nodes in Memory Sidecar, and finds them by vectors, by words, or by both.

    Each node is a record, and comes back as LlamaIndex wrote it, with its embedding. The nodes of
    one call are one transaction unless there are more than 256 or they take more than 3 MiB. A call
    that has returned is durable and visible to the next search.

    With a ``Client``, asynchronous methods run in threads. With an ``AsyncClient``, make the store
    on its event loop; synchronous methods then work from other threads.

    :param client: a client, which the store never closes.
    :param collection_id: the collection. Stores of one collection and owner share their nodes.
    :param model: name of the embedding model. Vectors of different models are never compared, so
        give each model a name of its own when you change it.
    :param user_id: the user whom the nodes belong to. The store then reaches no others, and
        ``erase_subject(user_id=...)`` erases them. Default: all users share them.
    :param agent_id: the agent whom they belong to.
    :param ttl: life of a node in seconds, from its last write.
    :param is_embedding_query: False lets the server compare words, and vectors of its own for nodes
        without an embedding, in place of an embedding of the query.
    """

    stores_text: bool = True
    is_embedding_query: bool = True
    _client: Client | AsyncClient = PrivateAttr()
    _documents: DocumentRecords = PrivateAttr()
    _runner: Runner = PrivateAttr()

    def __init__(
        self,
        client: Client | AsyncClient,
        *,
        collection_id: str = "llama-index",
        model: str = "llama-index",
        user_id: str | None = None,
        agent_id: str | None = None,
        ttl: float | None = None,
        is_embedding_query: bool = True,
    ) -> None:
        super().__init__(is_embedding_query=is_embedding_query)  # type: ignore[call-arg]
        self._client = client
        self._documents = DocumentRecords(
            ROOT, collection_id, model, user_id=user_id, agent_id=agent_id, ttl=ttl
        )
        self._runner = Runner(client)

    @classmethod
    def class_name(cls) -> str:
        return "SidecarVectorStore"

    @property
    def client(self) -> Client | AsyncClient:
        return self._client

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Writes nodes, and gives their ids. A node replaces the one of its id."""
        self._runner.run(self._documents.write(map(_searchable, nodes)))
        return [node.node_id for node in nodes]

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        await self._runner.arun(self._documents.write(map(_searchable, nodes)))
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Deletes the nodes of a document."""
        self._runner.run(self._delete(partial(self._of_document, ref_doc_id)))

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        await self._runner.arun(self._delete(partial(self._of_document, ref_doc_id)))

    def delete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """Deletes the nodes with these ids that pass the filters; without both, all nodes."""
        self._runner.run(self._delete(partial(self._matching, node_ids, filters)))

    async def adelete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        await self._runner.arun(self._delete(partial(self._matching, node_ids, filters)))

    def clear(self) -> None:
        """Deletes all nodes."""
        self._runner.run(self._documents.clear())

    async def aclear(self) -> None:
        await self._runner.arun(self._documents.clear())

    def get_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """Gets the nodes with these ids that pass the filters; without both, all nodes."""
        return self._runner.run(self._nodes(node_ids, filters))

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        return await self._runner.arun(self._nodes(node_ids, filters))

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Finds the best nodes, at most 1,000.

        ``DEFAULT`` goes by cosines, ``TEXT_SEARCH`` by relevances, 0 to 1, ``HYBRID`` by both, with
        the weight ``alpha`` of the cosine, and ``MMR`` chooses among the nodes with the best
        cosines.

        :param kwargs: ``mmr_threshold`` and ``mmr_prefetch_k`` for ``MMR``; else arguments of
            ``recall`` for searches by words: ``min_relevance``, ``diversity``.
        """
        return self._runner.run(self._query(query, kwargs))

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        return await self._runner.arun(self._query(query, kwargs))

    # Plans.

    def _matching(
        self, node_ids: Sequence[str] | None, filters: MetadataFilters | None
    ) -> Plan[list[v1.NamedRecord]]:
        records: list[v1.NamedRecord]
        if node_ids is None:
            records = yield from self._documents.list(conditions_of(filters))
        else:
            found = yield from self._documents.look_up(list(dict.fromkeys(node_ids)))
            records = [record for record in found if record is not None]
        accepts = _accepts(filters)
        return [one for one in records if accepts is None or accepts(one.value)]

    def _of_document(self, ref_doc_id: str) -> Plan[list[v1.NamedRecord]]:
        records = yield from self._documents.list([where(DOC, equals=_name(ref_doc_id))])
        return [one for one in records if _of(one.value, DOC) == ref_doc_id]

    def _delete(self, matching: Callable[[], Plan[Sequence[v1.NamedRecord]]]) -> Plan[None]:
        yield from self._documents.change(matching, deletion_of)

    def _nodes(
        self, node_ids: Sequence[str] | None, filters: MetadataFilters | None
    ) -> Plan[list[BaseNode]]:
        records = yield from self._matching(node_ids, filters)
        return [_node_of(record.value) for record in records]

    def _query(
        self, query: VectorStoreQuery, options: Mapping[str, Any]
    ) -> Plan[VectorStoreQueryResult]:
        conditions, tests = _named(query)
        for narrowing in conditions_of(query.filters):
            if _fit([*conditions, narrowing]):
                conditions.append(narrowing)
        search = partial(self._search, conditions, _accepts(query.filters, *tests))
        count = query.similarity_top_k
        found: Scored
        match query.mode:
            case VectorStoreQueryMode.DEFAULT if query.query_embedding is None:
                found = yield from search(_text(query), None, count, options)
            case VectorStoreQueryMode.DEFAULT:
                found = yield from search("", query.query_embedding, count, {})
            case VectorStoreQueryMode.TEXT_SEARCH:
                wanted = query.sparse_top_k or count
                found = yield from search(_text(query), None, wanted, options)
            case VectorStoreQueryMode.HYBRID:
                found = yield from self._hybrid(query, search, options)
            case VectorStoreQueryMode.MMR:
                found = yield from self._diverse(query, search, options)
            case _:
                raise ValueError(
                    f"the mode {query.mode.value} is not one of this store: it has default, "
                    "text_search, hybrid and mmr"
                )
        return VectorStoreQueryResult(
            nodes=[node for node, _ in found],
            similarities=[score for _, score in found],
            ids=[node.node_id for node, _ in found],
        )

    def _search(
        self,
        conditions: Sequence[Condition],
        accepts: Callable[[bytes], bool] | None,
        text: str,
        vector: Sequence[float] | None,
        count: int,
        options: Mapping[str, Any],
    ) -> Plan[Scored]:
        passing = [*conditions] if vector is not None else [*conditions, _with_text()]
        wanted = Query(text, vector, count, passing, options=options, accepts=accepts)
        found: list[Found] = yield from self._documents.search(wanted)
        return [(_node_of(one.value), one.score) for one in found]

    def _hybrid(
        self, query: VectorStoreQuery, search: Any, options: Mapping[str, Any]
    ) -> Plan[Scored]:
        """Weighs cosines and relevances. What only the words find has its cosine, too."""
        vector, text, count = _vector(query), _text(query), query.similarity_top_k
        alpha = 0.5 if query.alpha is None else query.alpha
        near = yield from search("", vector, count, {})
        told = yield from search(text, None, query.sparse_top_k or count, options)
        nodes = {node.node_id: node for node, _ in [*near, *told]}
        relevances = {node.node_id: score for node, score in told}
        cosines = {node.node_id: _cosine(node.embedding, vector) for node in nodes.values()}
        cosines.update({node.node_id: score for node, score in near})
        scored = [
            (node, alpha * cosines[key] + (1 - alpha) * relevances.get(key, 0.0))
            for key, node in nodes.items()
        ]
        scored.sort(key=lambda one: one[1], reverse=True)
        return scored[: query.hybrid_top_k or count]

    def _diverse(
        self, query: VectorStoreQuery, search: Any, options: Mapping[str, Any]
    ) -> Plan[Scored]:
        vector, count = _vector(query), query.similarity_top_k
        candidates = options.get("mmr_prefetch_k") or min(MMR_FACTOR * count, MAX_HITS)
        near = yield from search("", vector, max(candidates, count), {})
        nodes = {node.node_id: node for node, _ in near}
        if not nodes or count <= 0:
            return []
        scores, ids = get_top_k_mmr_embeddings(
            list(vector),
            [list(node.embedding or ()) for node in nodes.values()],
            similarity_top_k=count,
            embedding_ids=list(nodes),
            mmr_threshold=options.get("mmr_threshold", query.mmr_threshold),
        )
        return [(nodes[one], score) for one, score in zip(ids, scores, strict=True)]


def _text(query: VectorStoreQuery) -> str:
    if query.query_str is None:
        needs = "query_str" if query.mode != VectorStoreQueryMode.DEFAULT else "query_embedding"
        raise ValueError(f"a query in the mode {query.mode.value} needs {needs}")
    return query.query_str


def _vector(query: VectorStoreQuery) -> list[float]:
    if query.query_embedding is None:
        raise ValueError(f"a query in the mode {query.mode.value} needs query_embedding")
    return query.query_embedding


def _accepts(
    filters: MetadataFilters | None, *others: Callable[[bytes], bool]
) -> Callable[[bytes], bool] | None:
    test = test_of(filters)
    tests = others if test is None else (*others, lambda value: test(_metadata_of(value)))
    return (lambda value: all(one(value) for one in tests)) if tests else None


def _named(query: VectorStoreQuery) -> tuple[list[Condition], list[Callable[[bytes], bool]]]:
    """Makes conditions that a node is one of those named, or of one of the documents named. For
    more than the server takes, tests. Empty lists name none: LlamaIndex has them mean all."""
    conditions: list[Condition] = []
    tests: list[Callable[[bytes], bool]] = []
    for path, ids in ((ID, query.node_ids), (DOC, query.doc_ids)):
        if not ids:
            continue
        condition = within(path, map(_name, ids))
        if _fit([*conditions, condition]):
            conditions.append(condition)
        else:
            tests.append(partial(_is_named, path, frozenset(ids)))
    return conditions, tests


def _fit(conditions: Sequence[Condition]) -> bool:
    """Tells whether the server takes conditions, with the one of searches by words."""
    return fits(every([*conditions, _with_text()]))


def _is_named(path: str, ids: Collection[str], value: bytes) -> bool:
    return _of(value, path) in ids


def _of(value: bytes, path: str) -> str:
    """Gives the id of a node, or of its document."""
    name: str = json.loads(value)[DATA_KEY]["id_"] if path == ID else _metadata_of(value)[REF]
    return name


def _name(text: str) -> str:
    return segment(text, MAX_TEXT_BYTES)


def _with_text() -> Condition:
    return where(HAS_TEXT, equals=True)


def _searchable(node: BaseNode) -> Searchable:
    kind = node.get_type()
    if kind not in TYPES:
        raise ValueError(f"node {node.node_id!r} has a type that LlamaIndex cannot read: {kind}")
    try:
        json.dumps([node.metadata, node.embedding], default=str, allow_nan=False)
        value = {DATA_KEY: node.model_dump(mode="json"), TYPE_KEY: kind}
        data = json.dumps(value, ensure_ascii=False).encode()
    except ValueError as error:
        raise ValueError(f"node {node.node_id!r} is no JSON: {error}") from error
    metadata = _metadata_of(data)
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    index = {ID: _name(node.node_id), HAS_TEXT: bool(text), DOC: _name(metadata[REF])}
    whole = {**index, **indexed(metadata)}
    if not is_indexable(whole):
        whole = {**index, CUT: True}
    return Searchable(node.node_id, data, text, node.embedding, whole)


def _metadata_of(value: bytes) -> dict[str, Any]:
    """Gives the metadata that filters look at, with the keys that LlamaIndex adds."""
    data = json.loads(value)[DATA_KEY]
    source = data["relationships"].get(NodeRelationship.SOURCE.value)
    document = (source or {}).get("node_id") or "None"
    own = {"_node_type": data["class_name"]}
    return {**data["metadata"], **own, **dict.fromkeys(DOCUMENT_KEYS, document)}


def _node_of(value: bytes) -> BaseNode:
    return json_to_doc(json.loads(value))


def _cosine(one: Sequence[float] | None, other: Sequence[float]) -> float:
    if one is None or len(one) != len(other):
        return 0.0
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 0.0
