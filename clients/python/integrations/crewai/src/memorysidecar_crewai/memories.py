"""The storage of memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from functools import partial
from typing import Any

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
from crewai.memory.types import MemoryRecord, ScopeInfo
from memorysidecar import Client, ErrorReason, Invalid, none_of, v1, where
from memorysidecar.adapters.documents import (
    MAX_HITS,
    DocumentRecords,
    Found,
    Query,
    deletion_of,
)
from memorysidecar.adapters.plans import Plan, Runner

from ._records import (
    DIMENSIONS,
    Criteria,
    Summary,
    child_of,
    dimensions_of,
    is_within,
    moment,
    path_of_scope,
    record_of,
    searchable,
    summary_of,
    summary_of_record,
)

ROOT = "crewai"


class SidecarMemoryStorage:
    """Keeps the unified memory of CrewAI in Memory Sidecar.

    Each memory is a record with its embedding, and comes back as it was written. The memories of
    one save are one transaction unless there are more than 256 or they take more than 3 MiB. A call
    that has returned is durable and visible to the next search. Scopes are paths: ``/crew`` holds
    ``/crew/a``, but not ``/crews``.

    :param client: a client, which the storage never closes.
    :param collection_id: the collection. Storages of one collection and owner share their memories.
    :param model: name of the embedding model. Vectors of different models are never compared, so
        give each model a name of its own when you change it.
    :param user_id: the user whom the memories belong to. The storage then reaches no others, and
        ``erase_subject(user_id=...)`` erases them. Default: all users share them.
    :param agent_id: the agent whom they belong to.
    """

    def __init__(
        self,
        client: Client,
        *,
        collection_id: str = ROOT,
        model: str = ROOT,
        user_id: str | None = None,
        agent_id: str | None = None,
    ) -> None:
        self.client = client
        self._runner = Runner(client)
        self._documents = DocumentRecords(
            ROOT, collection_id, model, user_id=user_id, agent_id=agent_id
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> SidecarMemoryStorage:
        """A copy of a crew keeps its memory where the crew does."""
        return self

    def save(self, records: list[MemoryRecord]) -> None:
        self._runner.run(self._save(records))

    async def asave(self, records: list[MemoryRecord]) -> None:
        await self._runner.arun(self._save(records))

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Gives the nearest memories with their cosines. An empty filter is none."""
        wanted = Criteria(path_of_scope(scope_prefix), categories or None, metadata_filter or None)
        return self._runner.run(self._search(query_embedding, wanted, limit, min_score))

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        wanted = Criteria(path_of_scope(scope_prefix), categories or None, metadata_filter or None)
        return await self._runner.arun(self._search(query_embedding, wanted, limit, min_score))

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Deletes the memories for which all that is given holds, and gives their number. An empty
        list of ids or categories deletes none; without any argument all are deleted."""
        wanted = Criteria(path_of_scope(scope_prefix), categories, metadata_filter, older_than)
        return self._runner.run(self._delete(wanted, record_ids))

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        wanted = Criteria(path_of_scope(scope_prefix), categories, metadata_filter, older_than)
        return await self._runner.arun(self._delete(wanted, record_ids))

    def update(self, record: MemoryRecord) -> None:
        """Replaces the memory of this id; makes it if there is none."""
        self._runner.run(self._save([record]))

    def touch_records(self, record_ids: list[str]) -> None:
        """Says of memories that they were used now. What others change meanwhile stays."""
        self._runner.run(self._touch(record_ids))

    def get_record(self, record_id: str) -> MemoryRecord | None:
        [record] = self._runner.run(self._documents.look_up([record_id]))
        return None if record is None else record_of(record.value)

    def list_records(
        self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Lists memories, the newest first."""
        return self._runner.run(self._list(path_of_scope(scope_prefix), limit, offset))

    def get_scope_info(self, scope: str) -> ScopeInfo:
        path = path_of_scope(scope)
        found = self._summaries(path)
        times = sorted((one.created_at for one in found), key=moment)
        return ScopeInfo(
            path=path,
            record_count=len(found),
            categories=sorted({category for one in found for category in one.categories}),
            oldest_record=times[0] if times else None,
            newest_record=times[-1] if times else None,
            child_scopes=_children(found, path),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Lists the scopes just below another one."""
        path = path_of_scope(parent)
        return _children(self._summaries(path), path)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        counts: dict[str, int] = {}
        for one in self._summaries(path_of_scope(scope_prefix)):
            for category in one.categories:
                counts[category] = counts.get(category, 0) + 1
        return counts

    def count(self, scope_prefix: str | None = None) -> int:
        path = path_of_scope(scope_prefix)
        if path == "/":
            return self._runner.run(self._documents.count())
        return len(self._summaries(path))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Deletes the memories of a scope, or all of this owner in the collection."""
        path = path_of_scope(scope_prefix)
        if path == "/":
            self._runner.run(self._documents.clear())
        else:
            self._runner.run(self._delete(Criteria(path), None))

    def _summaries(self, path: str) -> list[Summary]:
        found = self._runner.run(self._summarized(Criteria(path)))
        return [summary for _, summary in found]

    # Plans.

    def _save(self, records: Sequence[MemoryRecord]) -> Plan[None]:
        sizes = [len(record.embedding) for record in records if record.embedding]
        for size in sizes:
            if size != sizes[0]:
                raise EmbeddingDimensionMismatchError(sizes[0], size)
        if sizes:
            yield from self._check_size(sizes[0])
        yield from self._documents.write(map(searchable, records))

    def _check_size(self, size: int) -> Plan[None]:
        """Refuses vectors of another length than those that are stored."""
        other = [where(DIMENSIONS, exists=True), none_of(where(DIMENSIONS, equals=size))]
        for document in (yield from self._documents.indexed(other, limit=1)):
            raise EmbeddingDimensionMismatchError(dimensions_of(document), size)

    def _search(
        self, vector: Sequence[float], wanted: Criteria, limit: int, min_score: float
    ) -> Plan[list[tuple[MemoryRecord, float]]]:
        wanted.check_size()
        conditions = wanted.conditions()
        is_any = wanted == Criteria()
        accepts = None if is_any else partial(_accepts, wanted)
        found: list[Found] = []
        if limit > 0 and any(vector):
            query = Query(
                "",
                [*vector],
                limit,
                conditions,
                accepts=accepts,
                # The conditions let few others pass.
                tested_at_once=limit if conditions else MAX_HITS,
            )
            try:
                found = yield from self._documents.search(query)
            except Invalid as error:
                if error.reason != ErrorReason.EMBEDDING_MISMATCH:
                    raise
        if not found:
            yield from self._check_size(len(vector))
        return [(record_of(one.value), one.score) for one in found if one.score >= min_score]

    def _summarized(self, wanted: Criteria) -> Plan[list[tuple[v1.Document, Summary]]]:
        """Finds memories by all but their metadata."""
        documents = yield from self._documents.indexed(wanted.conditions())
        summaries = list(map(summary_of, documents))
        cut = [one for one, summary in zip(documents, summaries, strict=True) if summary is None]
        records = {}
        for record in (yield from self._documents.records_of(cut)):
            records[record.key] = summary_of_record(record_of(record.value))
        found = []
        for document, known in zip(documents, summaries, strict=True):
            summary = known or records.get(document.record.key)
            if summary is not None and wanted.accepts(summary):
                found.append((document, summary))
        return found

    def _list(self, path: str, limit: int, offset: int) -> Plan[list[MemoryRecord]]:
        if limit <= 0 or offset < 0:
            return []
        found = yield from self._summarized(Criteria(path))
        # Of the same moment, the last one that was written is the newest.
        newest = sorted(found, key=lambda one: moment(one[1].created_at))[::-1]
        left = [document for document, _ in newest[offset:]]
        memories: list[MemoryRecord] = []
        while left and len(memories) < limit:
            count = limit - len(memories)
            asked, left = left[:count], left[count:]
            records = yield from self._documents.records_of(asked)
            # Some may have been deleted or moved to another scope since the search.
            found_now = (record_of(record.value) for record in records)
            memories += [one for one in found_now if is_within(one.scope, path)]
        return memories

    def _delete(self, wanted: Criteria, ids: Sequence[str] | None) -> Plan[int]:
        if ids is None:
            return (yield from self._documents.change(partial(self._found, wanted), deletion_of))
        return (yield from self._documents.change(partial(self._named, wanted, ids), deletion_of))

    def _found(self, wanted: Criteria) -> Plan[list[v1.NamedRecord]]:
        summarized = yield from self._summarized(wanted)
        documents = [document for document, _ in summarized]
        if wanted == Criteria():
            return (yield from self._documents.records_of(documents, omit_values=True))
        # A record may have changed since it was found.
        records = yield from self._documents.records_of(documents)
        return [one for one in records if _accepts(wanted, one.value)]

    def _named(self, wanted: Criteria, ids: Sequence[str]) -> Plan[list[v1.NamedRecord]]:
        records = yield from self._documents.look_up([*dict.fromkeys(ids)])
        return [one for one in records if one is not None and _accepts(wanted, one.value)]

    def _touch(self, ids: Sequence[str]) -> Plan[int]:
        now = datetime.now(timezone.utc).replace(tzinfo=None)
        change = partial(self._touched, now)
        return (yield from self._documents.change(partial(self._named, Criteria(), ids), change))

    def _touched(self, now: datetime, record: v1.NamedRecord) -> v1.RecordOperation:
        used = record_of(record.value).model_copy(update={"last_accessed": now})
        return self._documents.operation(searchable(used), etag=record.etag)


def _accepts(wanted: Criteria, value: bytes) -> bool:
    return wanted.accepts_record(record_of(value))


def _children(found: Sequence[Summary], parent: str) -> list[str]:
    children: set[str | None] = {child_of(one.scope, parent) for one in found}
    return sorted(child for child in children if child is not None)
