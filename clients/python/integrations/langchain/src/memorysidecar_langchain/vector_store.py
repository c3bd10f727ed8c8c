"""The vector store."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any
from uuid import uuid4

import numpy
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from langchain_core.vectorstores.utils import maximal_marginal_relevance
from memorysidecar import AsyncClient, Client
from memorysidecar.adapters.connect import Connected
from memorysidecar.adapters.documents import DocumentRecords, Found, Query, Searchable
from memorysidecar.adapters.plans import Plan, Runner

from ._filters import Filter, conditions_of

Vector = Sequence[float]
Scored = list[tuple[Document, float]]


class SidecarVectorStore(Connected, VectorStore):
    """Keeps documents in Memory Sidecar, and finds them by vectors, or by words and vectors.

    Each document is a record below the path ``langchain``, ``documents``, and comes back as it was
    written; searches find it in the collection. The documents of one call are one transaction
    unless there are more than 256 or they take more than 3 MiB. A call that has returned is durable
    and visible to the next search.

    With ``embedding``, your vectors alone decide, by cosine, and scores are cosines. Without it,
    the server embeds the texts, searches go by words as well, and scores are relevances, 0 to 1.

    With a ``Client``, asynchronous methods run in threads. With an ``AsyncClient``, make the store
    on its event loop; synchronous methods then work from other threads.

    :param client: a client, which the store never closes.
    :param embedding: makes the vectors.
    :param collection_id: the collection. Stores of one collection and owner share their documents.
    :param model: name of the embedding model. Vectors of different models are never compared, so
        give each model a name of its own when you change it.
    :param user_id: the user whom the documents belong to. The store then reaches no others, and
        ``erase_subject(user_id=...)`` erases them. Default: all users share them.
    :param agent_id: the agent whom they belong to.
    :param filter_by: the keys of the metadata that filters may use. Default: all of them, which
        may take 16,384 bytes in each document.
    :param ttl: life of a document in seconds, from its last write.
    """

    def __init__(
        self,
        client: Client | AsyncClient,
        embedding: Embeddings | None = None,
        *,
        collection_id: str = "langchain",
        model: str = "langchain",
        user_id: str | None = None,
        agent_id: str | None = None,
        filter_by: Collection[str] | None = None,
        ttl: float | None = None,
    ) -> None:
        self.client = client
        self.embedding = embedding
        self.filter_by = filter_by
        self._documents = DocumentRecords(
            "langchain", collection_id, model, user_id=user_id, agent_id=agent_id, ttl=ttl
        )
        self._runner = Runner(client)

    @property
    def embeddings(self) -> Embeddings | None:
        return self.embedding

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **options: Any,
    ) -> SidecarVectorStore:
        """Makes a store and adds texts.

        :param options: ``client``, and the others of the store.
        """
        store = cls(embedding=embedding, **options)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    @classmethod
    async def afrom_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **options: Any,
    ) -> SidecarVectorStore:
        store = cls(embedding=embedding, **options)
        await store.aadd_texts(texts, metadatas, ids=ids)
        return store

    def add_documents(
        self, documents: list[Document], ids: Sequence[str | None] | None = None, **kwargs: Any
    ) -> list[str]:
        """Writes documents; those with the id of another one replace it.

        :param ids: in place of those of the documents. One that neither gives is made.
        """
        made = _with_ids(documents, ids)
        vectors = self.embedding.embed_documents(_texts(made)) if self.embedding else None
        self._runner.run(self._documents.write(self._searchable(made, vectors)))
        return [str(document.id) for document in made]

    async def aadd_documents(
        self, documents: list[Document], ids: Sequence[str | None] | None = None, **kwargs: Any
    ) -> list[str]:
        made = _with_ids(documents, ids)
        vectors = await self.embedding.aembed_documents(_texts(made)) if self.embedding else None
        await self._runner.arun(self._documents.write(self._searchable(made, vectors)))
        return [str(document.id) for document in made]

    def delete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> bool | None:
        """Deletes documents; those that do not exist are passed over.

        :param ids: None, as LangChain has it, deletes all documents of the store.
        """
        self._runner.run(self._delete(ids))
        return True

    async def adelete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> bool | None:
        await self._runner.arun(self._delete(ids))
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        records = self._runner.run(self._documents.look_up(ids))
        return [_document_of(record.value) for record in records if record is not None]

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        records = await self._runner.arun(self._documents.look_up(ids))
        return [_document_of(record.value) for record in records if record is not None]

    def similarity_search_with_score(
        self, query: str, k: int = 4, *, filter: Filter | None = None, **kwargs: Any
    ) -> Scored:
        """Finds the best documents, with their scores.

        :param k: at most 1,000.
        :param filter: ``{"lang": "en", "year": {"$gte": 2020}}``, or conditions of
            ``memorysidecar.where``. It applies before the ranking.
        :param kwargs: without an embedding, other arguments of ``recall``, for example ``mode``.
        """
        vector = self.embedding.embed_query(query) if self.embedding else None
        return self._runner.run(self._search(query, vector, k, filter, kwargs))

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, *, filter: Filter | None = None, **kwargs: Any
    ) -> Scored:
        vector = await self.embedding.aembed_query(query) if self.embedding else None
        return await self._runner.arun(self._search(query, vector, k, filter, kwargs))

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return _without_scores(self.similarity_search_with_score(query, k, **kwargs))

    async def asimilarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return _without_scores(await self.asimilarity_search_with_score(query, k, **kwargs))

    def similarity_search_with_score_by_vector(
        self, embedding: Vector, k: int = 4, *, filter: Filter | None = None, **kwargs: Any
    ) -> Scored:
        """Finds the best documents by a vector of the store's model, with their cosines."""
        return self._runner.run(self._search("", embedding, k, filter, kwargs))

    async def asimilarity_search_with_score_by_vector(
        self, embedding: Vector, k: int = 4, *, filter: Filter | None = None, **kwargs: Any
    ) -> Scored:
        return await self._runner.arun(self._search("", embedding, k, filter, kwargs))

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, **kwargs: Any
    ) -> list[Document]:
        return _without_scores(self.similarity_search_with_score_by_vector(embedding, k, **kwargs))

    async def asimilarity_search_by_vector(
        self, embedding: list[float], k: int = 4, **kwargs: Any
    ) -> list[Document]:
        found = await self.asimilarity_search_with_score_by_vector(embedding, k, **kwargs)
        return _without_scores(found)

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: Filter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Finds documents that fit and differ.

        :param fetch_k: how many of the best are chosen from. Without an embedding the server
            chooses, from all its candidates.
        :param lambda_mult: 1 for those that fit best, 0 for those that differ most.
        """
        vector = self.embedding.embed_query(query) if self.embedding else None
        return self._runner.run(
            self._diverse(query, vector, k, fetch_k, lambda_mult, filter, kwargs)
        )

    async def amax_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: Filter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        vector = await self.embedding.aembed_query(query) if self.embedding else None
        return await self._runner.arun(
            self._diverse(query, vector, k, fetch_k, lambda_mult, filter, kwargs)
        )

    def max_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: Filter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        return self._runner.run(
            self._diverse("", embedding, k, fetch_k, lambda_mult, filter, kwargs)
        )

    async def amax_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: Filter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        return await self._runner.arun(
            self._diverse("", embedding, k, fetch_k, lambda_mult, filter, kwargs)
        )

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        # Cosines below 0 are no relevance at all; relevances stay as they are.
        return lambda score: min(1.0, max(0.0, score))

    # Plans.

    def _delete(self, ids: Sequence[str] | None) -> Plan[None]:
        if ids is None:
            yield from self._documents.clear()
        else:
            yield from self._documents.delete(ids)

    def _search(
        self,
        query: str,
        vector: Vector | None,
        k: int,
        filter: Filter | None,
        options: Mapping[str, Any],
    ) -> Plan[Scored]:
        wanted = Query(query, vector, k, conditions_of(filter, self.filter_by), options=options)
        found = yield from self._documents.search(wanted)
        return [(_document_of(one.value), one.score) for one in found]

    def _diverse(
        self,
        query: str,
        vector: Vector | None,
        k: int,
        fetch_k: int,
        lambda_mult: float,
        filter: Filter | None,
        options: Mapping[str, Any],
    ) -> Plan[list[Document]]:
        conditions = conditions_of(filter, self.filter_by)
        if vector is None:
            options = {**options, "diversity": 1 - lambda_mult}
            found = yield from self._documents.search(
                Query(query, None, k, conditions, False, options)
            )
            return [_document_of(one.value) for one in found]
        wanted = Query("", vector, max(k, fetch_k), conditions, True, options)
        found = yield from self._documents.search(wanted)
        return [_document_of(one.value) for one in _choose(found, vector, k, lambda_mult)]

    def _searchable(
        self, documents: Sequence[Document], vectors: Sequence[Vector] | None
    ) -> list[Searchable]:
        given = vectors if vectors is not None else [None] * len(documents)
        return [
            self._searchable_of(document, vector)
            for document, vector in zip(documents, given, strict=True)
        ]

    def _searchable_of(self, document: Document, vector: Vector | None) -> Searchable:
        value = {
            "id": document.id,
            "page_content": document.page_content,
            "metadata": document.metadata,
        }
        try:
            data = json.dumps(value, ensure_ascii=False).encode()
        except TypeError as error:
            raise TypeError(
                f"the metadata of document {document.id!r} is not JSON: {error}"
            ) from None
        kept = self.filter_by
        metadata = {
            key: entry
            for key, entry in json.loads(data)["metadata"].items()
            if kept is None or key in kept
        }
        return Searchable(str(document.id), data, document.page_content, vector, metadata)


def _with_ids(documents: Sequence[Document], ids: Sequence[str | None] | None) -> list[Document]:
    """Gives each document its id."""
    if ids is not None and len(ids) != len(documents):
        raise ValueError(f"there are {len(ids)} ids for {len(documents)} documents")
    given = ids or [document.id for document in documents]
    return [
        Document(
            id=one or str(uuid4()), page_content=document.page_content, metadata=document.metadata
        )
        for document, one in zip(documents, given, strict=True)
    ]


def _texts(documents: Sequence[Document]) -> list[str]:
    return [document.page_content for document in documents]


def _document_of(value: bytes) -> Document:
    return Document(**json.loads(value))


def _without_scores(found: Scored) -> list[Document]:
    return [document for document, _ in found]


def _choose(found: Sequence[Found], vector: Vector, k: int, lambda_mult: float) -> list[Found]:
    if not found:
        return []
    chosen = maximal_marginal_relevance(
        numpy.array(vector, dtype=numpy.float32),
        [list(one.vector) for one in found],
        lambda_mult=lambda_mult,
        k=k,
    )
    return [found[index] for index in chosen]
