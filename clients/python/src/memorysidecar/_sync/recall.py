# Made from _async/recall.py by make_sync.py; do not edit.
"""The methods of the client for recall and documents."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import Unpack

from .. import _fields as f
from .. import _recall_fields as r
from .. import v1
from .._made import made
from .calls import Calls
from .pager import Pager


class RecallMethods(Calls):
    """Recall over messages, documents and memories."""

    def recall(
        self,
        query: str = "",
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        filter: v1.RecallFilter | f.Json | None = None,
        embedding: r.Vector | None = None,
        mode: r.Mode | v1.RecallMode | None = None,
        fusion: r.Fusion | v1.FusionMethod | None = None,
        weights: v1.RecallWeights | f.Json | None = None,
        min_score: float | None = None,
        min_relevance: float | None = None,
        diversity: float = 0.0,
        context_before: int = 0,
        context_after: int = 0,
        group_by_session: r.Group | None = None,
        rerank: bool | str | v1.Rerank | f.Json | None = None,
        allow_partial: bool = False,
        reference_time: f.Time | None = None,
        scoring: str = "",
        include_embeddings: bool = False,
        include_payloads: bool = False,
        include_records: bool = False,
        best_of_record: bool = False,
        page_size: int = 0,
        page_token: str = "",
        **call: Unpack[f.ReadOptions],
    ) -> v1.RecallResponse:
        """Finds the messages, documents and memories that fit best: one page of ``page_size`` hits,
        10 by default. The ``next_page_token`` of the answer asks for the next page.

        :param user_id: the reader. Finds what this user may see. ``agent_id`` and ``session_id``
            widen or narrow the reader, they do not filter. Default: what everybody shares, never
            what is a user's. ``filter={"everyone": True}`` searches the records of all users.
        :param session_id: widens what may be seen to memories bound to that session. To search one
            session: ``user_id=`` and ``filter={"session_ids": [id]}``.
        :param filter: what to look at; ``memorysidecar.where`` makes its conditions on metadata.
            Kinds, roles and trust have short names: ``{"kinds": ["message"], "roles": ["user"]}``.
        :param min_relevance: leaves out what is less probable to fit, 0 to 1. Default 0.
        :param group_by_session: True, or how many hits of each session, gives sessions.
        :param scoring: another scoring than the default, by its name: ``cosine``, ``tf_idf``,
            ``overlap``, ``word_count``, ``substring`` or ``occurrences``.
        :param include_records: gives the records that documents belong to, with their values, in
            ``found_record`` of the first hit of each.
        :param best_of_record: of the documents of a record, only the best is a hit.
        :param rerank: True for the server's default reranker, or the name of a hook.
        """
        request = made(
            v1.RecallRequest,
            query=query,
            filter=r.recall_filter_of(filter, r.scope_of(user_id, agent_id, session_id)),
            embedding=r.vector_of(embedding),
            mode=r.enum_of("mode", mode),
            fusion=r.enum_of("fusion", fusion),
            weights=weights,
            min_score=min_score,
            min_relevance=min_relevance,
            diversity=diversity,
            context_before=context_before,
            context_after=context_after,
            group_by_session=r.group_of(group_by_session),
            rerank=r.rerank_of(rerank),
            allow_partial=allow_partial,
            reference_time=reference_time,
            scoring=scoring,
            include_embeddings=include_embeddings,
            include_payloads=include_payloads,
            include_records=include_records,
            best_of_record=best_of_record,
            page_size=page_size,
            page_token=page_token,
        )
        return self._unary(request, v1.RecallResponse, call)

    def count_items(
        self,
        *,
        metadata_path: str | None = None,
        label_key: str | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        filter: v1.RecallFilter | f.Json | None = None,
        order: r.GroupOrder | v1.ItemGroupOrder | None = None,
        max_groups: int = 0,
        allow_partial: bool = False,
        reference_time: f.Time | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> v1.CountItemsResponse:
        """Counts the messages, documents and memories that match a filter.

        :param metadata_path: groups them by their values at this path of the metadata.
        :param label_key: groups them by their values of this label.
        :param user_id: the reader, with the two after it, as in ``recall``.
        :param order: of the groups: ``count``, the default, or ``value``.
        :param max_groups: 100 by default, at most 1,000.
        """
        request = made(
            v1.CountItemsRequest,
            filter=r.recall_filter_of(filter, r.scope_of(user_id, agent_id, session_id)),
            metadata_path=metadata_path,
            label_key=label_key,
            order=r.enum_of("order", order),
            max_groups=max_groups,
            allow_partial=allow_partial,
            reference_time=reference_time,
        )
        return self._unary(request, v1.CountItemsResponse, call)

    def embed(
        self,
        texts: str | Iterable[str],
        *,
        purpose: r.Purpose | v1.EmbeddingPurpose | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> list[v1.Embedding]:
        """Makes vectors of texts with the server's embedder, in their order."""
        request = made(
            v1.EmbedRequest, texts=r.texts_of(texts), purpose=r.enum_of("purpose", purpose)
        )
        answer = self._unary(request, v1.EmbedResponse, call)
        return list(answer.embeddings)

    def count_tokens(
        self,
        texts: str | Iterable[str] = (),
        *,
        messages: f.MessagesLike = (),
        token_rule: f.TokenRule | None = None,
        model: str = "",
        custom_token_rule: v1.CustomTokenRule | f.Json | None = None,
        token_preset: str = "",
        image_token_count: int | None = None,
        **call: Unpack[f.ReadOptions],
    ) -> v1.CountTokensResponse:
        """Counts what texts and messages cost. Default rule: UTF-8 bytes divided by 4, and 800 for
        an image."""
        request = made(
            v1.CountTokensRequest,
            texts=r.texts_of(texts),
            messages=f.messages_of(messages),
            token_rule=f.token_rule_or_preset(token_rule, token_preset),
            model=model,
            custom_token_rule=custom_token_rule,
            token_preset=token_preset,
            image_token_count=image_token_count,
        )
        return self._unary(request, v1.CountTokensResponse, call)


class DocumentMethods(Calls):
    """Documents: texts beside the conversations, in collections."""

    def upsert_documents(
        self,
        documents: r.DocumentsLike,
        *,
        collection_id: str = "",
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        chunk_chars: int | None = None,
        overlap_chars: int | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.UpsertDocumentsResponse:
        """Writes one document or many, all or none; one that exists is replaced. A text alone is
        a document; a mapping holds the fields of one by their names. Its ``payload`` keeps exact
        data beside the text: bytes, or JSON as a text.

        :param user_id: whom documents belong to that name no scope, with the two after it. Default:
            everybody shares them.
        :param chunk_chars: splits longer texts into chunks of at most so many characters.
        :param overlap_chars: how many of them the next chunk begins with. Default: a tenth.
        """
        request = made(
            v1.UpsertDocumentsRequest,
            collection_id=collection_id,
            documents=r.documents_of(documents, r.scope_of(user_id, agent_id, session_id)),
            splitter=r.splitter_of(chunk_chars, overlap_chars),
        )
        return self._unary(request, v1.UpsertDocumentsResponse, call)

    def get_document(
        self,
        document_id: str,
        *,
        collection_id: str = "",
        include_embedding: bool = False,
        include_payload: bool = False,
        **call: Unpack[f.ReadOptions],
    ) -> v1.Document:
        """Gets a document."""
        request = made(
            v1.GetDocumentRequest,
            collection_id=collection_id,
            document_id=document_id,
            include_embedding=include_embedding,
            include_payload=include_payload,
        )
        answer = self._unary(request, v1.GetDocumentResponse, call)
        return answer.document

    def list_documents(
        self,
        *,
        collection_id: str = "",
        filter: v1.DocumentFilter | f.Json | None = None,
        include_embeddings: bool = False,
        include_payloads: bool = False,
        recursive: bool = False,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.Document, v1.ListDocumentsResponse]:
        """Lists the documents of a collection in the order in which they were first stored: those
        that everybody shares, or with ``{"user_id": ...}`` in the filter what this user may see.
        ``recursive`` lists the collections below as well."""
        request = made(
            v1.ListDocumentsRequest,
            collection_id=collection_id,
            filter=r.document_filter_of(filter),
            include_embeddings=include_embeddings,
            include_payloads=include_payloads,
            recursive=recursive,
            page_size=page_size,
        )
        return self._pages(request, v1.ListDocumentsResponse, "documents", call)

    def list_collections(
        self,
        *,
        parent: str | None = None,
        max_depth: int = 0,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> Pager[v1.DocumentCollection, v1.ListCollectionsResponse]:
        """Lists the collections of the namespace that hold documents, in the order of their
        segments.

        :param parent: lists only the collections below this one.
        :param max_depth: cuts ids to this many segments below the parent: 1 gives its children.
        """
        request = made(
            v1.ListCollectionsRequest, parent=parent, max_depth=max_depth, page_size=page_size
        )
        return self._pages(request, v1.ListCollectionsResponse, "collections", call)

    def refresh_documents(
        self,
        document_ids: str | Iterable[str],
        *,
        collection_id: str = "",
        **call: Unpack[f.ReadOptions],
    ) -> list[v1.RefreshedDocument]:
        """Lets documents with a ttl live on from now; gives those that exist, with when they
        expire."""
        request = made(
            v1.RefreshDocumentsRequest,
            collection_id=collection_id,
            document_ids=r.texts_of(document_ids),
        )
        answer = self._unary(request, v1.RefreshDocumentsResponse, call)
        return list(answer.documents)

    def delete_documents(
        self,
        document_ids: str | Iterable[str],
        *,
        collection_id: str = "",
        etag: str = "",
        allow_missing: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.DeleteDocumentsResponse:
        """Deletes documents, for good. The id of a document that was split stands for its
        chunks."""
        request = made(
            v1.DeleteDocumentsRequest,
            collection_id=collection_id,
            document_ids=r.texts_of(document_ids),
            etag=etag,
            allow_missing=allow_missing,
        )
        return self._unary(request, v1.DeleteDocumentsResponse, call)

    def count_documents(
        self,
        *,
        collection_id: str = "",
        filter: v1.DocumentFilter | f.Json | None = None,
        recursive: bool = False,
        **call: Unpack[f.ReadOptions],
    ) -> v1.ListTotal:
        """Counts the documents that a list with this filter gives, up to a bound."""
        request = made(
            v1.ListDocumentsRequest,
            collection_id=collection_id,
            filter=r.document_filter_of(filter),
            page_size=1,
            recursive=recursive,
            include_total=True,
        )
        return self._unary(request, v1.ListDocumentsResponse, call).total

    def purge_documents(
        self,
        collection_id: str,
        filter: v1.DocumentFilter | f.Json,
        *,
        force: bool = False,
        recursive: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.PurgeDocumentsResponse:
        """Counts the documents of a filter, or with ``force`` deletes them, up to 1,000 with one
        call: call again while the answer says ``more``.

        :param filter: ``{"user_id": "ana"}`` means all documents of ana, without shared ones;
            ``{"everyone": True}`` means those of everybody, shared ones included.
        :param recursive: includes the documents of all collections below.
        :raises ValueError: for a filter that names no user and does not say everyone.
        """
        request = made(
            v1.PurgeDocumentsRequest,
            collection_id=collection_id,
            filter=r.bound_document_filter_of(filter),
            force=force,
            recursive=recursive,
        )
        return self._unary(request, v1.PurgeDocumentsResponse, call)

    def clear_collection(
        self, collection_id: str, *, recursive: bool = False, **call: Unpack[f.WriteOptions]
    ) -> v1.ClearCollectionResponse:
        """Deletes every document of a collection, for good. With ``recursive`` it includes the
        collections below, up to 100 in one call: call again while the answer says ``more``."""
        request = made(v1.ClearCollectionRequest, collection_id=collection_id, recursive=recursive)
        return self._unary(request, v1.ClearCollectionResponse, call)
