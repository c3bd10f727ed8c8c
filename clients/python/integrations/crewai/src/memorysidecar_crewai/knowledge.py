"""The storage of knowledge."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from crewai.knowledge.storage.base_knowledge_storage import BaseKnowledgeStorage
from crewai.rag.types import SearchResult
from memorysidecar import Client
from memorysidecar.adapters.documents import DocumentRecords, Query, Searchable
from memorysidecar.adapters.names import segment
from memorysidecar.adapters.plans import Plan, Runner
from pydantic import PrivateAttr

from ._records import indexed_text

ROOT = "crewai"
COLLECTION = "crewai-knowledge"
MAX_NAME_BYTES = 90


class SidecarKnowledgeStorage(BaseKnowledgeStorage):
    """Keeps the knowledge of crews and agents in Memory Sidecar, which finds it by words and by
    vectors that the server makes: no embedder is needed.

    The same text is kept once. The score is the relevance, 0 to 1: the probability that the text
    answers the query.

    :param client: a client, which the storage never closes.
    :param collection_name: the name that CrewAI gives: that of a crew, or the role of an agent.
        Storages of one name and owner share their knowledge.
    :param user_id: the user whom the knowledge belongs to. The storage then reaches no other, and
        ``erase_subject(user_id=...)`` erases it. Default: all users share it.
    :param agent_id: the agent whom it belongs to.
    """

    collection_name: str | None = None
    user_id: str | None = None
    agent_id: str | None = None
    _runner: Runner = PrivateAttr()
    _documents: DocumentRecords = PrivateAttr()

    def __init__(self, client: Client, /, **fields: Any) -> None:
        super().__init__(**fields)
        self._runner = Runner(client)
        collection_id = COLLECTION
        if self.collection_name is not None:
            name = segment(self.collection_name, MAX_NAME_BYTES).replace("/", "%2F")
            collection_id = f"{COLLECTION}/{name}"
        self._documents = DocumentRecords(
            ROOT, collection_id, "", user_id=self.user_id, agent_id=self.agent_id
        )

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> SidecarKnowledgeStorage:
        """A copy of a crew keeps its knowledge where the crew does."""
        return self

    def save(self, documents: list[str]) -> None:
        self._runner.run(self._documents.write(map(_searchable, documents)))

    async def asave(self, documents: list[str]) -> None:
        await self._runner.arun(self._documents.write(map(_searchable, documents)))

    def search(
        self,
        query: list[str],
        limit: int = 5,
        metadata_filter: dict[str, Any] | None = None,
        score_threshold: float = 0.6,
    ) -> list[SearchResult]:
        """Gives the texts whose relevance is above the threshold, the best first. Knowledge has no
        metadata, so a filter finds nothing."""
        return self._runner.run(self._search(query, limit, metadata_filter, score_threshold))

    async def asearch(
        self,
        query: list[str],
        limit: int = 5,
        metadata_filter: dict[str, Any] | None = None,
        score_threshold: float = 0.6,
    ) -> list[SearchResult]:
        return await self._runner.arun(self._search(query, limit, metadata_filter, score_threshold))

    def reset(self) -> None:
        self._runner.run(self._documents.clear())

    async def areset(self) -> None:
        await self._runner.arun(self._documents.clear())

    def _search(
        self, query: list[str], limit: int, metadata_filter: Any, score_threshold: float
    ) -> Plan[list[SearchResult]]:
        text = " ".join(query)
        if not text.strip() or metadata_filter or limit <= 0 or score_threshold > 1:
            return []
        options = {"min_relevance": max(score_threshold, 0.0)}
        found = yield from self._documents.search(Query(text, None, limit, options=options))
        results: list[SearchResult] = []
        for one in found:
            kept = json.loads(one.value)
            content, name = kept["content"], kept["id"]
            results.append(SearchResult(id=name, content=content, metadata={}, score=one.score))
        return results


def _searchable(text: str) -> Searchable:
    document_id = sha256(text.encode()).hexdigest()
    value = json.dumps({"id": document_id, "content": text}, ensure_ascii=False).encode()
    return Searchable(document_id, value, indexed_text(text))
