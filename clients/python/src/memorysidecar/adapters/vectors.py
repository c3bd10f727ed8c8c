"""Searches by the vectors of callers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .. import v1
from ..errors import ErrorReason, Invalid
from .plans import Call, Collect, Plan

PAGE = 1_000


def recall_by_vector(
    recall: Callable[[Any], Any], collection_id: str, model: str
) -> Plan[v1.RecallResponse]:
    """Searches a collection by a vector. Finds nothing while no document has a vector of this
    model, which the server calls a mismatch.

    :raises Invalid: EMBEDDING_MISMATCH, when documents have vectors of this model and another
        length.
    """
    try:
        answer: v1.RecallResponse = yield Call(recall)
    except Invalid as error:
        if error.reason != ErrorReason.EMBEDDING_MISMATCH:
            raise
        is_of = partial(_is_of, model)
        if (yield Collect(partial(_list, collection_id), limit=1, where=is_of)):
            raise
        return v1.RecallResponse()
    return answer


def _is_of(model: str, document: v1.Document) -> bool:
    return document.HasField("embedding") and document.embedding.model == model


def _list(collection_id: str, client: Any) -> Any:
    return client.list_documents(
        collection_id=collection_id,
        filter={"everyone": True},
        include_embeddings=True,
        page_size=PAGE,
    )
