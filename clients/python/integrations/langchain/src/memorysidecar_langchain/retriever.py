"""The retriever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict
from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from memorysidecar import AsyncClient, Client, v1
from memorysidecar.adapters.plans import Call, Plan, Runner
from pydantic import ConfigDict, Field, PrivateAttr


class SidecarRetriever(BaseRetriever):
    """Recalls what Memory Sidecar keeps: messages of all sessions, documents of all collections,
    and memories.

    A document of LangChain has the text in ``page_content``. Its metadata have ``kind``
    (``message``, ``document`` or ``memory``), ``relevance``, ``score``, ``passage``, the ids, and
    the ``metadata`` of what was found.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Client | AsyncClient
    """A client, which the retriever never closes. Make the retriever of an ``AsyncClient`` on its
    event loop."""
    k: int = 10
    """The most hits, up to 1,000."""
    user_id: str | None = None
    """Finds what this user may see. Default: what all users share."""
    agent_id: str | None = None
    session_id: str | None = None
    filter: Any = None
    """The records to look at, as in ``recall``: ``{"kinds": ["memory"]}``."""
    min_relevance: float | None = None
    """Drops hits below this relevance, 0 to 1."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Other arguments of ``recall``: ``mode``, ``weights``, ``rerank``."""
    _runner: Runner = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._runner = Runner(self.client)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return self._runner.run(self._recall(query, kwargs))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return await self._runner.arun(self._recall(query, kwargs))

    def _recall(self, query: str, given: Mapping[str, Any]) -> Plan[list[Document]]:
        options = {
            "user_id": self.user_id,
            "agent_id": self.agent_id,
            "session_id": self.session_id,
            "filter": self.filter,
            "min_relevance": self.min_relevance,
            "page_size": self.k,
            **self.options,
            **given,
        }
        answer = yield Call(lambda client: client.recall(query, **options))
        return [_document_of(hit) for hit in answer.hits]


def _document_of(hit: v1.RecallHit) -> Document:
    kind = hit.WhichOneof("record") or ""
    found: Any = getattr(hit, kind)
    ids: dict[str, str]
    if kind == "message":
        ids = {"session_id": found.session_id, "message_id": found.message.message_id}
        found = found.message
        ids["role"] = v1.Role.Name(found.role).removeprefix("ROLE_").lower()
    elif kind == "memory":
        ids = {"memory_id": found.memory_id}
    else:
        ids = {"collection_id": found.collection_id, "document_id": found.document_id}
    return Document(
        page_content=found.text or hit.passage,
        metadata={
            "kind": kind,
            **ids,
            "relevance": hit.relevance,
            "score": hit.score,
            "passage": hit.passage,
            "metadata": MessageToDict(found.metadata),
        },
    )
