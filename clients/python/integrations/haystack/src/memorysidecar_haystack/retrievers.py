"""The retrievers."""

from __future__ import annotations

from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.types import FilterPolicy, apply_filter_policy

from .document_store import SidecarDocumentStore


def _check(store: Any, top_k: int) -> None:
    if not isinstance(store, SidecarDocumentStore):
        raise TypeError(f"document_store is a SidecarDocumentStore, not {type(store).__name__}")
    if top_k <= 0:
        raise ValueError(f"top_k is above 0, not {top_k}")


def _from_dict(cls: Any, data: dict[str, Any]) -> Any:
    given = data.get("init_parameters", {})
    store = given.get("document_store")
    if isinstance(store, dict):
        given["document_store"] = SidecarDocumentStore.from_dict(store)
    if isinstance(given.get("filter_policy"), str):
        given["filter_policy"] = FilterPolicy.from_str(given["filter_policy"])
    return default_from_dict(cls, data)


@component
class SidecarEmbeddingRetriever:
    """Finds documents by the embedding of a query.

    :param filters: what to look at.
    :param top_k: the most documents, up to 1,000.
    :param scale_score: gives scores of 0 to 1 in place of cosines.
    :param return_embedding: gives documents with their embeddings.
    :param filter_policy: whether filters of a run replace those here, or both must hold.
    """

    def __init__(
        self,
        document_store: SidecarDocumentStore,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool = False,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
    ) -> None:
        _check(document_store, top_k)
        self.document_store = document_store
        self.filters = filters
        self.top_k = top_k
        self.scale_score = scale_score
        self.return_embedding = return_embedding
        self.filter_policy = filter_policy

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(
            self,
            document_store=self.document_store.to_dict(),
            filters=self.filters,
            top_k=self.top_k,
            scale_score=self.scale_score,
            return_embedding=self.return_embedding,
            filter_policy=self.filter_policy.value,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SidecarEmbeddingRetriever:
        made: SidecarEmbeddingRetriever = _from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document])
    def run(
        self,
        query_embedding: list[float],
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        scale_score: bool | None = None,
        return_embedding: bool | None = None,
    ) -> dict[str, list[Document]]:
        given = self._given(filters, top_k, scale_score, return_embedding)
        return {"documents": self.document_store.embedding_retrieval(query_embedding, **given)}

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        query_embedding: list[float],
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        scale_score: bool | None = None,
        return_embedding: bool | None = None,
    ) -> dict[str, list[Document]]:
        given = self._given(filters, top_k, scale_score, return_embedding)
        found = await self.document_store.embedding_retrieval_async(query_embedding, **given)
        return {"documents": found}

    def _given(
        self,
        filters: dict[str, Any] | None,
        top_k: int | None,
        scale_score: bool | None,
        return_embedding: bool | None,
    ) -> dict[str, Any]:
        return {
            "filters": apply_filter_policy(self.filter_policy, self.filters, filters),
            "top_k": self.top_k if top_k is None else top_k,
            "scale_score": self.scale_score if scale_score is None else scale_score,
            "return_embedding": (
                self.return_embedding if return_embedding is None else return_embedding
            ),
        }


@component
class SidecarTextRetriever:
    """Finds documents by a query in words, without an embedder: the server compares words, and
    vectors of its own.

    :param filters: what to look at.
    :param top_k: the most documents, up to 1,000.
    :param min_relevance: drops hits below this relevance, 0 to 1.
    :param filter_policy: whether filters of a run replace those here, or both must hold.
    """

    def __init__(
        self,
        document_store: SidecarDocumentStore,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        min_relevance: float | None = None,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
    ) -> None:
        _check(document_store, top_k)
        self.document_store = document_store
        self.filters = filters
        self.top_k = top_k
        self.min_relevance = min_relevance
        self.filter_policy = filter_policy

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(
            self,
            document_store=self.document_store.to_dict(),
            filters=self.filters,
            top_k=self.top_k,
            min_relevance=self.min_relevance,
            filter_policy=self.filter_policy.value,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SidecarTextRetriever:
        made: SidecarTextRetriever = _from_dict(cls, data)
        return made

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        given = self._given(filters, top_k)
        return {"documents": self.document_store.text_retrieval(query, **given)}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        given = self._given(filters, top_k)
        return {"documents": await self.document_store.text_retrieval_async(query, **given)}

    def _given(self, filters: dict[str, Any] | None, top_k: int | None) -> dict[str, Any]:
        return {
            "filters": apply_filter_policy(self.filter_policy, self.filters, filters),
            "top_k": self.top_k if top_k is None else top_k,
            "options": {"min_relevance": self.min_relevance},
        }
