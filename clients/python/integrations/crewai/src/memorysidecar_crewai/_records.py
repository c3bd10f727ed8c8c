"""Memories of CrewAI as documents, and the criteria by which they are found.

The server narrows down what it looks at, by tags; the criteria decide. A tag is a digest of a scope
that a memory is in, of a category, or of an entry of its metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from hashlib import sha256
from itertools import islice
from typing import Any

from crewai.memory.types import MemoryRecord
from memorysidecar import v1, where
from memorysidecar.adapters.conditions import Condition, every, within
from memorysidecar.adapters.documents import Searchable
from memorysidecar.adapters.narrowing import CUT, Narrowed, conditions_of, is_indexable

MAX_TEXT_BYTES = 1_000_000
"""Bytes of a text that searches look at."""
MAX_CATEGORIES = 960
MAX_ENTRIES = 40
"""Entries of metadata. Conditions hold so many of both, with a scope."""
TAGS = "tags"
DIMENSIONS = "dimensions"


@dataclass(frozen=True)
class Summary:
    """The part of a memory that lists and counts look at."""

    scope: str
    categories: Sequence[str]
    created_at: datetime


@dataclass(frozen=True)
class Criteria:
    """All that is given must hold."""

    scope: str = "/"
    categories: Sequence[str] | None = None
    """One of these, at least."""
    metadata: Mapping[str, Any] | None = None
    older_than: datetime | None = None

    def accepts(self, one: Summary) -> bool:
        """Decides all but the metadata."""
        if not is_within(one.scope, self.scope):
            return False
        if self.categories is not None and not any(c in one.categories for c in self.categories):
            return False
        return self.older_than is None or moment(one.created_at) < moment(self.older_than)

    def accepts_record(self, record: MemoryRecord) -> bool:
        wanted = (self.metadata or {}).items()
        has_all = all(record.metadata.get(key) == value for key, value in wanted)
        return has_all and self.accepts(summary_of_record(record))

    def check_size(self) -> None:
        """Refuses criteria too large for conditions: searches test 1,000 memories at most."""
        entries = ("metadata_filter", self.metadata, MAX_ENTRIES)
        for name, given, limit in (("categories", self.categories, MAX_CATEGORIES), entries):
            if given is not None and len(given) > limit:
                raise ValueError(
                    f"{name} has {len(given)} entries; a search takes at most {limit}: search "
                    "with fewer, and test what it finds"
                )

    def conditions(self) -> list[Condition]:
        """Makes conditions that all memories of the criteria pass."""
        tags = [_tag("scope", self.scope)] if self.scope != "/" else []
        for key, value in islice((self.metadata or {}).items(), MAX_ENTRIES):
            # A missing entry counts as None.
            tag = None if value is None else _tag_of_entry(key, value)
            tags += [] if tag is None else [tag]
        parts = [every(where(TAGS, equals=tag) for tag in tags)] if tags else []
        if self.categories and len(self.categories) <= MAX_CATEGORIES:
            parts.append(within(TAGS, [_tag("category", one) for one in self.categories]))
        return [one for part in parts for one in conditions_of(Narrowed(part, True))]


def searchable(record: MemoryRecord) -> Searchable:
    """Makes the document of a memory."""
    fields = {
        **record.model_dump(exclude={"created_at", "last_accessed"}),
        "created_at": record.created_at.isoformat(),
        "last_accessed": record.last_accessed.isoformat(),
        "embedding": record.embedding,
    }
    try:
        value = json.dumps(fields, ensure_ascii=False).encode()
    except TypeError as error:
        raise TypeError(f"memory {record.id!r} is not JSON: {error}") from None
    vector = record.embedding or None
    index = _index_of(record, json.loads(value))
    return Searchable(record.id, value, indexed_text(record.content), vector, index)


def indexed_text(text: str) -> str:
    """Gives what searches look at of a text: all of it, unless it is very long."""
    return text.encode()[:MAX_TEXT_BYTES].decode(errors="ignore")


def record_of(value: bytes) -> MemoryRecord:
    return MemoryRecord.model_validate(json.loads(value))


def summary_of(document: v1.Document) -> Summary | None:
    """Gives None of a memory that has too many tags."""
    index: Any = document.metadata
    if CUT in index:
        return None
    created = datetime.fromisoformat(index["created_at"])
    return Summary(index["scope"], [*index["categories"]], created)


def summary_of_record(record: MemoryRecord) -> Summary:
    return Summary(record.scope, record.categories, record.created_at)


def dimensions_of(document: v1.Document) -> int:
    """Gives the length of the vector of a memory that has one."""
    index: Any = document.metadata
    return int(index[DIMENSIONS])


def path_of_scope(scope: str | None) -> str:
    """Gives a scope as lists and searches take it: ``/`` and the names of its levels."""
    return "/" + "/".join(filter(None, (scope or "").split("/")))


def is_within(scope: str, parent: str) -> bool:
    """Tells whether a scope is another one, or below it."""
    return parent == "/" or f"{path_of_scope(scope)}/".startswith(f"{parent}/")


def child_of(scope: str, parent: str) -> str | None:
    """Gives the scope just below another one that a scope is in; None if it is no deeper."""
    root = "" if parent == "/" else parent
    rest = path_of_scope(scope)[len(root) + 1 :].split("/")[0]
    return f"{root}/{rest}" if rest else None


def moment(time: datetime) -> datetime:
    """Makes times comparable: CrewAI's own are UTC without saying so."""
    return time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)


def _index_of(record: MemoryRecord, stored: Mapping[str, Any]) -> dict[str, Any]:
    own: dict[str, Any] = {"created_at": stored["created_at"]}
    if record.embedding:
        own[DIMENSIONS] = len(record.embedding)
    whole = {
        **own,
        "scope": record.scope,
        "categories": record.categories,
        TAGS: list(dict.fromkeys(_tags_of(record, stored["metadata"]))),
    }
    return whole if is_indexable(whole) else {**own, CUT: True}


def _tags_of(record: MemoryRecord, metadata: Mapping[str, Any]) -> Iterator[str]:
    yield from (_tag("scope", one) for one in _scopes_of(record.scope))
    yield from (_tag("category", one) for one in record.categories)
    for key, value in metadata.items():
        yield from filter(None, [_tag_of_entry(key, value)])


def _scopes_of(scope: str) -> Iterable[str]:
    """Gives a scope and those it is below."""
    path = ""
    for name in filter(None, scope.split("/")):
        path = f"{path}/{name}"
        yield path


def _tag_of_entry(key: Any, value: Any) -> str | None:
    """Makes the tag of an entry of the metadata; None of what no JSON equals."""
    try:
        return _tag("metadata", json.dumps([key, _plain(value)], sort_keys=True))
    except (TypeError, ValueError):
        return None


def _plain(value: Any) -> Any:
    """Makes one value of those that Python calls equal."""
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(_plain, value))
    return value


def _tag(kind: str, text: str) -> str:
    return sha256(f"{kind} {text}".encode()).hexdigest()[:20]
