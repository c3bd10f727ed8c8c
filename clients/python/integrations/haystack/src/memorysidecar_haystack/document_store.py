"""The document store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.errors import DocumentStoreError, DuplicateDocumentError
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret
from haystack.utils.filters import document_matches_filter
from memorysidecar import (
    AlreadyExists,
    AsyncClient,
    Client,
    Invalid,
    v1,
    where,
)
from memorysidecar.adapters.documents import (
    DocumentRecords,
    Found,
    Query,
    Searchable,
    deletion_of,
)
from memorysidecar.adapters.narrowing import CUT, is_indexable
from memorysidecar.adapters.plans import Plan, Runner
from memorysidecar.adapters.records import batches, look_up, write

from ._filters import META, conditions_of, indexed

Filters = dict[str, Any]
HAS_TEXT = "has_text"


class SidecarDocumentStore:
    """Keeps documents in Memory Sidecar.

    Each document is a record, and comes back as it was written. The documents of one call are one
    transaction unless there are more than 256 or they take more than 3 MiB. A call that has
    returned is durable and visible to the next search.

    Haystack's own function decides which documents a filter means; the server leaves out most of
    the others before.

    With a client of another kind than the call, asynchronous methods run in threads, and
    synchronous ones wait for the event loop of the ``AsyncClient``, on which the store was made.

    :param address: the server's. The store connects at its first use, and can be saved with a
        pipeline.
    :param namespace: the namespace.
    :param token: the token, where the server wants one.
    :param client: a client in place of these three, which the store never closes.
    :param collection_id: the collection. Stores of one collection and owner share their documents.
    :param model: name of the embedding model. Vectors of different models are never compared, so
        give each model a name of its own when you change it.
    :param user_id: the user whom the documents belong to. The store then reaches no others, and
        ``erase_subject(user_id=...)`` erases them. Default: all users share them.
    :param agent_id: the agent whom they belong to.
    """

    def __init__(
        self,
        address: str = "127.0.0.1:50151",
        *,
        namespace: str = "default",
        token: Secret | None = None,
        client: Client | AsyncClient | None = None,
        collection_id: str = "haystack",
        model: str = "haystack",
        user_id: str | None = None,
        agent_id: str | None = None,
    ) -> None:
        self.address = address
        self.namespace = namespace
        self.token = token
        self.client = client
        self.collection_id = collection_id
        self.model = model
        self.user_id = user_id
        self.agent_id = agent_id
        self._documents = DocumentRecords(
            "haystack", collection_id, model, user_id=user_id, agent_id=agent_id
        )
        self._lock = Lock()
        self._own: Runner | None = None if client is None else Runner(client)
        self._made: Client | None = None

    @property
    def _runner(self) -> Runner:
        with self._lock:
            if self._own is None:
                token = self.token.resolve_value() if self.token is not None else None
                self._made = Client(self.address, namespace=self.namespace, token=token)
                self._own = Runner(self._made)
            return self._own

    def close(self) -> None:
        """Closes the connection that the store made; a later use makes another. A client that was
        given stays open."""
        with self._lock:
            if self._made is not None:
                self._made.close()
                self._made = self._own = None

    def __enter__(self) -> SidecarDocumentStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def to_dict(self) -> dict[str, Any]:
        if self.client is not None:
            raise ValueError(
                "a store that was made with a client cannot be saved: make it with address, "
                "namespace and token"
            )
        return default_to_dict(
            self,
            address=self.address,
            namespace=self.namespace,
            token=self.token.to_dict() if self.token is not None else None,
            collection_id=self.collection_id,
            model=self.model,
            user_id=self.user_id,
            agent_id=self.agent_id,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SidecarDocumentStore:
        token = data.get("init_parameters", {}).get("token")
        if isinstance(token, Mapping):
            data["init_parameters"]["token"] = Secret.from_dict(dict(token))
        made: SidecarDocumentStore = default_from_dict(cls, data)
        return made

    def count_documents(self) -> int:
        return self._runner.run(self._documents.count())

    async def count_documents_async(self) -> int:
        return await self._runner.arun(self._documents.count())

    def filter_documents(self, filters: Filters | None = None) -> list[Document]:
        return self._runner.run(self._filter(filters))

    async def filter_documents_async(self, filters: Filters | None = None) -> list[Document]:
        return await self._runner.arun(self._filter(filters))

    def write_documents(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Writes documents; gives the number of those that were written.

        :param policy: what becomes of documents with the id of one that exists. The default,
            ``NONE``, is ``FAIL``.
        :raises DuplicateDocumentError: with ``FAIL``, when a document exists.
        """
        return self._runner.run(self._write(documents, policy))

    async def write_documents_async(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        return await self._runner.arun(self._write(documents, policy))

    def delete_documents(self, document_ids: list[str]) -> None:
        """Deletes documents; those that do not exist are passed over."""
        self._runner.run(self._documents.delete(document_ids))

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        await self._runner.arun(self._documents.delete(document_ids))

    def delete_all_documents(self) -> None:
        self._runner.run(self._documents.clear())

    async def delete_all_documents_async(self) -> None:
        await self._runner.arun(self._documents.clear())

    def delete_by_filter(self, filters: Filters) -> int:
        """Deletes the documents of a filter; gives their number."""
        return self._runner.run(self._delete_matching(filters))

    async def delete_by_filter_async(self, filters: Filters) -> int:
        return await self._runner.arun(self._delete_matching(filters))

    def update_by_filter(self, filters: Filters, meta: dict[str, Any]) -> int:
        """Sets entries of the metadata of the documents of a filter; gives their number."""
        return self._runner.run(self._update_matching(filters, meta))

    async def update_by_filter_async(self, filters: Filters, meta: dict[str, Any]) -> int:
        return await self._runner.arun(self._update_matching(filters, meta))

    def count_documents_by_filter(self, filters: Filters) -> int:
        return len(self.filter_documents(filters))

    async def count_documents_by_filter_async(self, filters: Filters) -> int:
        return len(await self.filter_documents_async(filters))

    def count_unique_metadata_by_filter(
        self, filters: Filters, metadata_fields: list[str]
    ) -> dict[str, int]:
        """Counts the different values of fields of the metadata."""
        found = _in_memory(self.filter_documents(filters))
        return found.count_unique_metadata_by_filter({}, metadata_fields)

    async def count_unique_metadata_by_filter_async(
        self, filters: Filters, metadata_fields: list[str]
    ) -> dict[str, int]:
        found = _in_memory(await self.filter_documents_async(filters))
        return found.count_unique_metadata_by_filter({}, metadata_fields)

    def get_metadata_fields_info(self) -> dict[str, dict[str, str]]:
        return _in_memory(self.filter_documents()).get_metadata_fields_info()

    async def get_metadata_fields_info_async(self) -> dict[str, dict[str, str]]:
        return _in_memory(await self.filter_documents_async()).get_metadata_fields_info()

    def get_metadata_field_min_max(self, metadata_field: str) -> dict[str, Any]:
        return _in_memory(self.filter_documents()).get_metadata_field_min_max(metadata_field)

    async def get_metadata_field_min_max_async(self, metadata_field: str) -> dict[str, Any]:
        found = _in_memory(await self.filter_documents_async())
        return found.get_metadata_field_min_max(metadata_field)

    def get_metadata_field_unique_values(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: Filters | None = None,
    ) -> tuple[list[Any], int]:
        """Gives the different values of a field of the metadata, in pages, and their number."""
        found = _in_memory(self.filter_documents(filters))
        return found.get_metadata_field_unique_values(metadata_field, search_term, from_, size)

    async def get_metadata_field_unique_values_async(
        self,
        metadata_field: str,
        search_term: str | None = None,
        from_: int = 0,
        size: int = 10,
        filters: Filters | None = None,
    ) -> tuple[list[Any], int]:
        found = _in_memory(await self.filter_documents_async(filters))
        return found.get_metadata_field_unique_values(metadata_field, search_term, from_, size)

    def embedding_retrieval(
        self,
        query_embedding: list[float],
        filters: Filters | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool = True,
    ) -> list[Document]:
        """Finds the documents with the nearest vectors, by cosine; those without one are passed
        over.

        :param top_k: at most 1,000.
        :param scale_score: gives scores of 0 to 1 in place of cosines.
        """
        return self._runner.run(
            self._nearest(query_embedding, filters, top_k, scale_score, return_embedding)
        )

    async def embedding_retrieval_async(
        self,
        query_embedding: list[float],
        filters: Filters | None = None,
        top_k: int = 10,
        scale_score: bool = False,
        return_embedding: bool = True,
    ) -> list[Document]:
        return await self._runner.arun(
            self._nearest(query_embedding, filters, top_k, scale_score, return_embedding)
        )

    def text_retrieval(
        self,
        query: str,
        filters: Filters | None = None,
        top_k: int = 10,
        options: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        """Finds documents by the words of their content, and by the vectors that the server makes
        of those without one of their own. The score is the relevance, 0 to 1.

        :param top_k: at most 1,000.
        :param options: other arguments of ``recall``: ``min_relevance``, ``mode``, ``diversity``.
        """
        return self._runner.run(self._best(query, filters, top_k, options or {}))

    async def text_retrieval_async(
        self,
        query: str,
        filters: Filters | None = None,
        top_k: int = 10,
        options: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        return await self._runner.arun(self._best(query, filters, top_k, options or {}))

    # Plans.

    def _matching(self, filters: Filters | None) -> Plan[list[v1.NamedRecord]]:
        records = yield from self._documents.list(conditions_of(filters))
        accepts = _test_of(filters)
        return [one for one in records if accepts is None or accepts(one.value)]

    def _filter(self, filters: Filters | None) -> Plan[list[Document]]:
        found = yield from self._matching(filters)
        return [_document_of(record.value) for record in found]

    def _write(self, documents: Any, policy: DuplicatePolicy) -> Plan[int]:
        if isinstance(documents, str) or not isinstance(documents, Iterable):
            raise ValueError("write_documents takes a list of documents")
        given = list(documents)
        for one in given:
            if not isinstance(one, Document):
                raise ValueError(f"write_documents takes documents, not {type(one).__name__}")
        if policy == DuplicatePolicy.OVERWRITE:
            yield from self._documents.write(map(_searchable, given))
            return len(given)
        if policy == DuplicatePolicy.SKIP:
            # Of several with one id the first is written.
            first: dict[str, Document] = {}
            for one in given:
                first.setdefault(one.id, one)
            return (yield from self._write_missing(list(first.values())))
        yield from self._write_new(given)
        return len(given)

    def _write_new(self, documents: Sequence[Document]) -> Plan[None]:
        ids = [document.id for document in documents]
        seen: set[str] = set()
        for one in ids:
            if one in seen:
                raise DuplicateDocumentError(f"ID '{one}' is given twice.")
            seen.add(one)
        for batch in batches(self._new(documents)):
            tried, ids = ids[: len(batch)], ids[len(batch) :]
            try:
                yield from write(batch)
            except AlreadyExists:
                # Nothing of this batch was written; batches before it may have been.
                records = yield from self._documents.look_up(tried)
                known = [f"'{one}'" for one, record in zip(tried, records, strict=True) if record]
                names = ", ".join(known[:5]) or "of a document"
                raise DuplicateDocumentError(f"ID {names} already exists.") from None

    def _write_missing(self, documents: Sequence[Document]) -> Plan[int]:
        records = yield from self._documents.look_up([document.id for document in documents])
        left = [one for one, record in zip(documents, records, strict=True) if record is None]
        written = 0
        for batch in batches(self._new(left)):
            while batch:
                try:
                    yield from write(batch)
                except AlreadyExists:
                    # Another writer came first, and nothing of this batch was written.
                    batch = yield from _missing(batch)
                else:
                    written += len(batch)
                    break
        return written

    def _new(self, documents: Iterable[Document]) -> Iterable[v1.RecordOperation]:
        made = map(_searchable, documents)
        return [self._documents.operation(one, only_new=True) for one in made]

    def _delete_matching(self, filters: Filters) -> Plan[int]:
        return (yield from self._documents.change(lambda: self._matching(filters), deletion_of))

    def _update_matching(self, filters: Filters, meta: Mapping[str, Any]) -> Plan[int]:
        def update_of(record: v1.NamedRecord) -> v1.RecordOperation:
            document = _document_of(record.value)
            changed = replace(document, meta={**document.meta, **meta})
            return self._documents.operation(_searchable(changed), etag=record.etag)

        return (yield from self._documents.change(lambda: self._matching(filters), update_of))

    def _nearest(
        self,
        vector: Sequence[float],
        filters: Filters | None,
        top_k: int,
        scale_score: bool,
        return_embedding: bool,
    ) -> Plan[list[Document]]:
        query = Query("", vector, top_k, conditions_of(filters), accepts=_test_of(filters))
        try:
            found = yield from self._documents.search(query)
        except Invalid as error:
            raise DocumentStoreError(str(error)) from error
        documents = [
            replace(
                _document_of(one.value),
                score=(one.score + 1) / 2 if scale_score else one.score,
            )
            for one in found
        ]
        if return_embedding:
            return documents
        return [replace(document, embedding=None) for document in documents]

    def _best(
        self, text: str, filters: Filters | None, top_k: int, options: Mapping[str, Any]
    ) -> Plan[list[Document]]:
        conditions = [*conditions_of(filters), where(HAS_TEXT, equals=True)]
        query = Query(text, None, top_k, conditions, options=options, accepts=_test_of(filters))
        found: list[Found] = yield from self._documents.search(query)
        return [replace(_document_of(one.value), score=one.score) for one in found]


def _missing(batch: Sequence[v1.RecordOperation]) -> Plan[list[v1.RecordOperation]]:
    """Gives the operations whose records do not exist."""
    names = [([*one.put.record.path], one.put.record.key) for one in batch]
    records = yield from look_up(names, omit_values=True)
    return [one for one, record in zip(batch, records, strict=True) if record is None]


def _test_of(filters: Filters | None) -> Callable[[bytes], bool] | None:
    """Makes Haystack's own test of a document."""
    if not filters:
        return None
    wanted = filters
    if "operator" not in wanted and "conditions" not in wanted:
        raise ValueError(
            "a filter has an operator, and conditions or a field and a value; see "
            "https://docs.haystack.deepset.ai/docs/metadata-filtering"
        )
    # It is refused where it makes no sense, even if there is no document.
    document_matches_filter(filters=wanted, document=Document())
    return lambda value: document_matches_filter(filters=wanted, document=_document_of(value))


def _in_memory(documents: list[Document]) -> InMemoryDocumentStore:
    """Puts documents where Haystack summarizes their metadata."""
    store = InMemoryDocumentStore(shared=False)
    store.write_documents(documents)
    return store


def _searchable(document: Document) -> Searchable:
    try:
        value = json.dumps(document.to_dict(flatten=False), ensure_ascii=False).encode()
    except TypeError as error:
        raise ValueError(f"document '{document.id}' is not JSON: {error}") from None
    has_text = document.content is not None
    index: dict[str, Any] = {HAS_TEXT: has_text, META: indexed(json.loads(value)["meta"])}
    if not is_indexable(index):
        index = {HAS_TEXT: has_text, CUT: True}
    return Searchable(document.id, value, document.content or "", document.embedding, index)


def _document_of(value: bytes) -> Document:
    return Document.from_dict(json.loads(value))
