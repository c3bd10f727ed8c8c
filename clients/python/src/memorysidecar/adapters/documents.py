"""Documents of frameworks: exact values that searches find by a text or a vector.

Each is a record, whose value is the document as its framework writes it, with one document for
searches. The server writes and deletes both in one transaction.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .. import v1
from .._made import duration_of
from ..errors import Aborted, NotFound
from .conditions import Condition
from .names import MAX_KEY_BYTES, segment
from .plans import Call, Collect, Plan
from .records import (
    Name,
    batches,
    check_owner,
    delete_tree,
    deletion,
    look_up,
    put_operation,
    write,
)
from .vectors import recall_by_vector

MAX_HITS = 1_000
MAX_SEGMENT_BYTES = 100
"""Bytes of a segment, so that a path and the longest key take no more than a name may."""
MAX_METADATA_BYTES = 16_384


@dataclass(frozen=True)
class Searchable:
    """A document to write."""

    id: str
    value: bytes
    """The document in JSON, as its framework reads it."""
    text: str
    vector: Sequence[float] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The JSON that filters look at."""


@dataclass(frozen=True)
class Found:
    """A document that a search found."""

    value: bytes
    score: float
    """The cosine, of a search by a vector; the relevance, 0 to 1, of one by a text."""
    vector: Sequence[float]
    """Only where it was asked for; of length 1."""


@dataclass(frozen=True)
class Query:
    """A search.

    With a vector the cosine decides; without one, words and the server's own vectors do.
    """

    text: str = ""
    vector: Sequence[float] | None = None
    count: int = 10
    conditions: Sequence[Condition] = ()
    with_vectors: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    """Other arguments of ``recall``."""
    accepts: Callable[[bytes], bool] | None = None
    """Decides by its value whether a document counts; at most 1,000 are tested."""
    tested_at_once: int = MAX_HITS
    """The number that is asked for where ``accepts`` decides: few where it accepts almost all."""


@dataclass(frozen=True)
class DocumentRecords:
    """The documents of one collection that belong to one user and agent, or to all.

    Others' documents are out of reach, whatever their ids.
    """

    root: str
    """First segment of the paths: the name of the framework."""
    collection_id: str
    model: str
    """Name of the model that makes the vectors. Vectors of different models are not compared."""
    user_id: str | None = None
    agent_id: str | None = None
    ttl: float | None = None
    """Seconds."""

    def __post_init__(self) -> None:
        check_owner(self.user_id, self.agent_id)

    def operation(
        self, document: Searchable, *, only_new: bool = False, etag: str = ""
    ) -> v1.RecordOperation:
        """Makes the operation that writes a document.

        :param only_new: the write fails where there is a document of this id.
        :param etag: the write fails where the document has changed since it had this etag.
        """
        owner = v1.MemoryScope(user_id=self.user_id, agent_id=self.agent_id)
        record = v1.NamedRecord(
            path=self._path(),
            key=_key(document.id),
            value=document.value,
            media_type="application/json",
            owner=owner if self.user_id or self.agent_id else None,
            ttl=None if self.ttl is None else duration_of(self.ttl),
            etag=etag,
        )
        record.search.collection_id = self.collection_id
        record.search.documents.append(self._indexed(document))
        return put_operation(record, f"document {document.id!r}", only_new=only_new)

    def write(self, documents: Iterable[Searchable]) -> Plan[None]:
        """Writes documents; those that exist are replaced. Of equal ids the last one counts."""
        last = {document.id: document for document in documents}
        yield from write(map(self.operation, last.values()))

    def look_up(self, ids: Sequence[str]) -> Plan[list[v1.NamedRecord | None]]:
        """Gets the records of documents, in this order; None for those that do not exist."""
        keys = list(dict.fromkeys(map(_key, ids)))
        records = yield from look_up([(self._path(), key) for key in keys])
        known = dict(zip(keys, records, strict=True))
        return [known[_key(one)] for one in ids]

    def delete(self, ids: Iterable[str]) -> Plan[None]:
        """Deletes documents; those that do not exist are passed over."""
        yield from self._delete_keys(dict.fromkeys(map(_key, ids)))

    def change(
        self,
        matching: Callable[[], Plan[Sequence[v1.NamedRecord]]],
        change_of: Callable[[v1.NamedRecord], v1.RecordOperation],
    ) -> Plan[int]:
        """Changes each document that matches once; gives their number.

        :param matching: finds the records of documents, again after another writer came first.
        :param change_of: makes an operation that fails if the record has changed meanwhile.
        """
        changed: set[str] = set()
        while True:
            found = yield from matching()
            left = [record for record in found if record.key not in changed]
            keys = [record.key for record in left]
            try:
                for batch in batches(map(change_of, left)):
                    yield from write(batch)
                    changed.update(keys[: len(batch)])
                    del keys[: len(batch)]
            except (Aborted, NotFound):
                continue
            return len(changed)

    def clear(self) -> Plan[None]:
        """Deletes all documents."""
        yield from delete_tree(self._path())

    def search(self, query: Query) -> Plan[list[Found]]:
        """Gives the best documents, the best first, at most 1,000. Nothing is near a vector of
        zeros: it has no direction."""
        found: list[Found] = []
        if query.vector is not None and len(query.vector) > 0 and not any(query.vector):
            return found
        token = ""
        while query.count > len(found):
            recall = partial(self._recall, query, token)
            if query.vector is None:
                answer = yield Call(recall)
            else:
                answer = yield from recall_by_vector(recall, self.collection_id, self.model)
            # Other programs may keep documents in this collection.
            hits = [hit for hit in answer.hits if self._is_own(hit.document)]
            records = yield from self._found_records(hits)
            for hit, record in zip(hits, records, strict=True):
                if record is None or not (query.accepts is None or query.accepts(record.value)):
                    continue
                score = hit.relevance if query.vector is None else hit.score
                found.append(Found(record.value, score, hit.document.embedding.values))
            token = answer.next_page_token
            if not token:
                break
        return found[: max(query.count, 0)]

    def list(self, conditions: Sequence[Condition] = ()) -> Plan[list[v1.NamedRecord]]:
        """Gives the records of all documents that pass, in the order in which they were first
        written."""
        return (yield from self.records_of((yield from self.indexed(conditions))))

    def indexed(
        self, conditions: Sequence[Condition] = (), *, limit: int | None = None
    ) -> Plan[builtins.list[v1.Document]]:
        """Gives what searches look at of the documents that pass: their texts and metadata, in the
        order in which they were first written."""
        pager = partial(self._list, conditions, min(limit or MAX_HITS, MAX_HITS))
        found: builtins.list[v1.Document] = yield Collect(pager, limit=limit, where=self._is_own)
        return found

    def records_of(
        self, documents: Sequence[v1.Document], *, omit_values: bool = False
    ) -> Plan[builtins.list[v1.NamedRecord]]:
        """Gives the records of indexed documents; those that have gone are left out."""
        records = yield from look_up(list(map(_name_of, documents)), omit_values=omit_values)
        return [record for record in records if record is not None]

    def count(self) -> Plan[int]:
        """Counts the documents."""
        records = yield Collect(lambda client: client.list_records(self._path(), page_size=1_000))
        return len(records)

    def _found_records(
        self, hits: Sequence[v1.RecallHit]
    ) -> Plan[builtins.list[v1.NamedRecord | None]]:
        """Gives the records of hits, and looks up those that have gone or for which the answer had
        no room."""
        left = [hit for hit in hits if not _has_value(hit)]
        found = iter((yield from look_up([_name_of(hit.document) for hit in left])))
        return [hit.found_record.record if _has_value(hit) else next(found) for hit in hits]

    def _is_own(self, document: v1.Document) -> bool:
        return document.HasField("record") and [*document.record.path] == self._path()

    def _path(self) -> Sequence[str]:
        owner = (self.user_id or "", self.agent_id or "")
        names = (segment(name, MAX_SEGMENT_BYTES) for name in (self.collection_id, *owner))
        return [self.root, "documents", *names]

    def _indexed(self, document: Searchable) -> v1.Document:
        # One without a text and a vector is found by filters; the server requires one of the two.
        has_vector = document.vector is not None and any(document.vector)
        indexed = v1.Document(text=document.text or ("" if has_vector else document.id))
        if has_vector:
            indexed.embedding.CopyFrom(v1.Embedding(model=self.model, values=document.vector))
        indexed.metadata.update(document.metadata)
        if indexed.metadata.ByteSize() > MAX_METADATA_BYTES:
            raise ValueError(
                f"the metadata that filters look at takes {indexed.metadata.ByteSize()} bytes in "
                f"document {document.id!r}; at most {MAX_METADATA_BYTES} are allowed: name the "
                "keys that your filters use in filter_by"
            )
        return indexed

    def _recall(self, query: Query, token: str, client: Any) -> Any:
        own: dict[str, Any] = {}
        if query.vector is not None:
            vector = {"model": self.model, "values": query.vector}
            own = {"embedding": vector, "scoring": "cosine"}
        return client.recall(
            "" if own else query.text,
            filter={
                "kinds": ["document"],
                "collection_ids": [self.collection_id],
                **self._filter(query.conditions),
            },
            page_size=min(query.count if query.accepts is None else query.tested_at_once, MAX_HITS),
            page_token=token,
            include_records=True,
            include_embeddings=query.with_vectors,
            **own,
            **query.options,
        )

    def _filter(self, conditions: Sequence[Condition]) -> dict[str, Any]:
        owner = {"user_id": self.user_id, "agent_id": self.agent_id}
        return {"metadata": conditions, "scope": "exact", **owner}

    def _list(self, conditions: Sequence[Condition], page_size: int, client: Any) -> Any:
        return client.list_documents(
            collection_id=self.collection_id, filter=self._filter(conditions), page_size=page_size
        )

    def _delete_keys(self, keys: Iterable[str]) -> Plan[None]:
        path = self._path()
        yield from write(deletion(path, key) for key in keys)


def deletion_of(record: v1.NamedRecord) -> v1.RecordOperation:
    """Makes the operation that deletes a document unless it has changed meanwhile."""
    ref = v1.RecordRef(path=record.path, key=record.key)
    return v1.RecordOperation(deletion=v1.RecordDelete(record=ref, etag=record.etag))


def _name_of(document: v1.Document) -> Name:
    return [*document.record.path], document.record.key


def _has_value(hit: v1.RecallHit) -> bool:
    return hit.found_record.HasField("record") and not hit.found_record.value_omitted


def _key(document_id: str) -> str:
    return segment(document_id, MAX_KEY_BYTES)
