"""The store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timezone
from functools import partial
from itertools import islice
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    ensure_embeddings,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)
from memorysidecar import AsyncClient, Client, v1, where
from memorysidecar.adapters.connect import Connected
from memorysidecar.adapters.names import MAX_KEY_BYTES, MAX_SEGMENT_BYTES, segment, text_of
from memorysidecar.adapters.plans import Call, Collect, Plan, Runner
from memorysidecar.adapters.records import deletion, look_up, put_operation, write
from memorysidecar.adapters.vectors import recall_by_vector

from ._filters import matches

Labels = tuple[str, ...]
Name = tuple[Labels, str]
"""The namespace and the key of an item."""
Vectors = Mapping[tuple[str, str], Sequence[float]]
"""By purpose, ``query`` or ``text``, and text."""

MAX_TEXTS = 256
HITS = 100
MODEL = "langgraph"


class SidecarStore(Connected, BaseStore):
    """Keeps the items of agents in Memory Sidecar.

    An item is a record below the path ``root``, ``items``. The puts of a batch are one transaction
    unless there are more than 256, they have more than 1,000 texts, or they take more than 3 MiB.
    With ``index``, the texts of an item, at most 256, are documents of its record in the collection
    ``ROOT.store``: the server writes, refreshes and deletes them with it. A search gives the values
    of the records, so that it never gives one that was replaced or has expired.

    With a ``Client``, asynchronous methods run in threads. With an ``AsyncClient``, make the store
    on its event loop; synchronous methods then work from other threads.

    :param client: a client, which the store never closes.
    :param index: as with other stores. Without ``embed``, the server embeds the texts, and searches
        go by words as well: ``index={"fields": ["text"]}``, or ``{}`` for whole values.
    :param ttl: as with other stores. The server deletes expired items; no sweep is needed.
    :param root: first segment of all paths. Stores with the same root share their items.
    :param user_of: gives the user that owns the items of a namespace, so that
        ``erase_subject(user_id=...)`` erases them: ``lambda namespace: namespace[1]``.
    """

    supports_ttl = True

    def __init__(
        self,
        client: Client | AsyncClient,
        *,
        index: IndexConfig | dict[str, Any] | None = None,
        ttl: TTLConfig | None = None,
        root: str = "langgraph",
        user_of: Callable[[Labels], str | None] | None = None,
    ) -> None:
        self.client = client
        self.root = root
        self.ttl_config = ttl
        self.index_config = index
        self.user_of = user_of
        self._runner = Runner(client)
        embed = index.get("embed") if index is not None else None
        self.embeddings = ensure_embeddings(embed) if embed is not None else None
        self._fields = list((index or {}).get("fields") or ["$"])
        self._collection = f"{root}.store"

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        queries, texts = self._to_embed(ops)
        vectors: dict[tuple[str, str], Sequence[float]] = {}
        if self.embeddings is not None:
            made = self.embeddings.embed_documents(texts) if texts else []
            vectors = {("text", text): one for text, one in zip(texts, made, strict=True)}
            for query in queries:
                vectors["query", query] = self.embeddings.embed_query(query)
        return self._runner.run(self._batch(ops, vectors))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        queries, texts = self._to_embed(ops)
        vectors: dict[tuple[str, str], Sequence[float]] = {}
        if self.embeddings is not None:
            made = await self.embeddings.aembed_documents(texts) if texts else []
            vectors = {("text", text): one for text, one in zip(texts, made, strict=True)}
            for query in queries:
                vectors["query", query] = await self.embeddings.aembed_query(query)
        return await self._runner.arun(self._batch(ops, vectors))

    def _to_embed(self, ops: Sequence[Op]) -> tuple[list[str], list[str]]:
        """Checks operations and gives the queries and the texts that need vectors."""
        queries: dict[str, None] = {}
        texts: dict[str, None] = {}
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                texts.update(dict.fromkeys(self._texts(op)))
            elif isinstance(op, SearchOp) and self._is_ranked(op):
                queries[op.query or ""] = None
            elif not isinstance(op, (GetOp, SearchOp, ListNamespacesOp)):
                raise ValueError(f"unknown operation: {type(op).__name__}")
        return list(queries), list(texts)

    def _is_ranked(self, op: SearchOp) -> bool:
        return bool(op.query) and self.index_config is not None

    def _texts(self, op: PutOp) -> list[str]:
        """Gives the texts that searches find an item by."""
        if op.value is None or op.index is False or self.index_config is None:
            return []
        texts: list[str] = []
        for path in self._fields if op.index is None else op.index:
            texts += get_text_at_path(op.value, path if path == "$" else tokenize_path(path))
        return [text for text in dict.fromkeys(texts) if text]

    # Plans.

    def _batch(self, ops: Sequence[Op], vectors: Vectors) -> Plan[list[Result]]:
        """Does the reads, which see the state before the puts, then the puts."""
        results: list[Result] = [None] * len(ops)
        for refresh in (False, True):
            gets = [
                (place, op)
                for place, op in enumerate(ops)
                if isinstance(op, GetOp) and op.refresh_ttl == refresh
            ]
            names = [self._record_name(op.namespace, op.key) for _, op in gets]
            records = yield from look_up(names, refresh_ttl=refresh)
            for (place, _), record in zip(gets, records, strict=True):
                results[place] = None if record is None else _item_of(record, Item)
        for place, op in enumerate(ops):
            if isinstance(op, SearchOp):
                results[place] = yield from self._search(op, vectors)
            elif isinstance(op, ListNamespacesOp):
                results[place] = yield from self._namespaces(op)
        # The last put of an item counts.
        yield from self._write(
            list({(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}.values()),
            vectors,
        )
        return results

    def _search(self, op: SearchOp, vectors: Vectors) -> Plan[list[SearchItem]]:
        end = op.offset + op.limit
        found: list[SearchItem] = []
        seen: set[Name] = set()
        is_all = True
        if self._is_ranked(op):
            found, seen, is_all = yield from self._ranked(op, vectors, end)
        if is_all and len(found) < end:
            # Items without texts follow those that have some.
            records = yield Collect(
                partial(_list_records, self._path(op.namespace_prefix), True),
                limit=end - len(found),
                where=lambda record: _name_of(record) not in seen and _fits(record, op),
            )
            found += [_item_of(record, SearchItem) for record in records]
        found = found[op.offset : end]
        if op.refresh_ttl:
            names = [self._record_name(item.namespace, item.key) for item in found]
            yield from look_up(names, omit_values=True, refresh_ttl=True)
        return found

    def _ranked(
        self, op: SearchOp, vectors: Vectors, count: int
    ) -> Plan[tuple[list[SearchItem], set[Name], bool]]:
        """Gives the best items by their texts, the names of all that were looked at, and whether
        no others have texts. The best text of an item counts."""
        found: list[SearchItem] = []
        seen: set[Name] = set()
        token = ""
        while True:
            recall = partial(self._recall, op, vectors, token)
            if self.embeddings is None:
                answer = yield Call(recall)
            else:
                answer = yield from recall_by_vector(recall, self._collection, MODEL)
            for hit in answer.hits:
                of = hit.document.record
                record = hit.found_record.record
                if not hit.found_record.HasField("record") or hit.found_record.value_omitted:
                    # It is gone, or the answer had no room for it.
                    [record] = yield from look_up([(of.path, of.key)])
                if record is None:
                    continue
                seen.add(_name_of(record))
                if _fits(record, op):
                    score = hit.relevance if self.embeddings is None else hit.score
                    found.append(_item_of(record, SearchItem, score=score))
            token = answer.next_page_token
            if not token or len(found) >= count:
                return found, seen, not token

    def _recall(self, op: SearchOp, vectors: Vectors, token: str, client: Any) -> Any:
        query = op.query or ""
        prefix = op.namespace_prefix
        own: dict[str, Any] = {}
        if self.embeddings is not None:
            vector = vectors["query", query]
            own = {"embedding": {"model": MODEL, "values": vector}, "scoring": "cosine"}
        return client.recall(
            query,
            filter={
                "kinds": ["document"],
                "collection_ids": [self._collection],
                "metadata": [where("prefixes", equals=_joined(prefix))] if prefix else [],
                "everyone": True,
            },
            page_size=HITS,
            page_token=token,
            include_records=True,
            best_of_record=True,
            **own,
        )

    def _namespaces(self, op: ListNamespacesOp) -> Plan[list[Labels]]:
        conditions = op.match_conditions or ()
        prefixes = (one.path for one in conditions if one.match_type == "prefix")
        prefix = next(prefixes, ())
        fixed = prefix[: prefix.index("*")] if "*" in prefix else prefix
        records = yield Collect(partial(_list_records, self._path(fixed), False))
        spaces = {_name_of(record)[0] for record in records}
        chosen = {
            space[: op.max_depth]
            for space in spaces
            if all(_holds(condition, space) for condition in conditions)
        }
        return list(islice(sorted(chosen), op.offset, op.offset + op.limit))

    def _write(self, puts: Sequence[PutOp], vectors: Vectors) -> Plan[None]:
        yield from write(self._operation(op, vectors) for op in puts)

    def _operation(self, op: PutOp, vectors: Vectors) -> v1.RecordOperation:
        path, key = self._record_name(op.namespace, op.key)
        if op.value is None:
            return deletion(path, key)
        data = json.dumps({"key": op.key, "value": op.value}, ensure_ascii=False).encode()
        record = v1.NamedRecord(
            path=path,
            key=key,
            value=data,
            media_type="application/json",
            owner=self._owner(op.namespace),
        )
        if op.ttl is not None:
            record.ttl.FromMilliseconds(max(1000, round(op.ttl * 60_000)))
        texts = self._texts(op)
        if len(texts) > MAX_TEXTS:
            raise ValueError(
                f"{op.key!r} in {op.namespace} has {len(texts)} texts to search by; at most "
                f"{MAX_TEXTS} are allowed"
            )
        if texts:
            record.search.collection_id = self._collection
            record.search.documents.extend(
                self._document(op.namespace, text, vectors) for text in texts
            )
        return put_operation(record, f"{op.key!r} in {op.namespace}")

    def _document(self, namespace: Labels, text: str, vectors: Vectors) -> v1.Document:
        document = v1.Document(text=text)
        ends = range(1, len(namespace) + 1)
        document.metadata["prefixes"] = [_joined(namespace[:end]) for end in ends]
        vector = vectors.get(("text", text))
        if vector is not None and any(vector):
            document.embedding.CopyFrom(v1.Embedding(model=MODEL, values=vector))
        return document

    def _owner(self, namespace: Labels) -> v1.MemoryScope | None:
        user = self.user_of(namespace) if self.user_of is not None else None
        return v1.MemoryScope(user_id=user) if user else None

    def _path(self, namespace: Labels) -> list[str]:
        path = [self.root, "items", *map(segment, namespace)]
        if any(name.startswith("#") for name in path[2:]):
            raise ValueError(f"a label of a namespace takes at most {MAX_SEGMENT_BYTES - 1} bytes")
        return path

    def _record_name(self, namespace: Labels, key: str) -> tuple[list[str], str]:
        return self._path(namespace), segment(key, MAX_KEY_BYTES)


def _list_records(path: Sequence[str], include_values: bool, client: Any) -> Any:
    return client.list_records(
        path,
        recursive=True,
        include_values=include_values,
        page_size=100 if include_values else 1000,
    )


def _name_of(record: v1.NamedRecord) -> Name:
    """Names an item by its record; of a key that is a digest, the value has the text."""
    is_digest = record.key.startswith("#") and record.value
    key = json.loads(record.value)["key"] if is_digest else text_of(record.key)
    return tuple(map(text_of, record.path[2:])), key


def _item_of(record: v1.NamedRecord, kind: type[Item], **rest: Any) -> Any:
    namespace, key = _name_of(record)
    return kind(
        value=json.loads(record.value)["value"],
        key=key,
        namespace=namespace,
        created_at=record.create_time.ToDatetime(timezone.utc),
        updated_at=record.update_time.ToDatetime(timezone.utc),
        **rest,
    )


def _fits(record: v1.NamedRecord, op: SearchOp) -> bool:
    """Tells whether an item has the prefix and what the filter wants."""
    prefix = op.namespace_prefix
    if _name_of(record)[0][: len(prefix)] != tuple(prefix):
        return False
    if not op.filter:
        return True
    value = json.loads(record.value)["value"]
    return all(matches(value.get(key), wanted) for key, wanted in op.filter.items())


def _holds(condition: MatchCondition, space: Labels) -> bool:
    path = condition.path
    if len(space) < len(path):
        return False
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f'match_type is "prefix" or "suffix", not "{condition.match_type}"')
    part = space[: len(path)] if condition.match_type == "prefix" else space[-len(path) :]
    return not path or all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def _joined(namespace: Sequence[str]) -> str:
    """Makes one text of labels, which have no period."""
    return ".".join(namespace)
