"""The storage."""

from __future__ import annotations

import asyncio
import builtins
import copy
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import unquote

from memorysidecar import Client, MemorySidecarError, v1
from memorysidecar.adapters.names import MAX_KEY_BYTES, escaped, path_of
from memorysidecar.adapters.plans import Runner
from memorysidecar.adapters.records import check_owner, get_whole, owner_of, write
from strands.storage.search import KeywordSearchStrategy, SearchStrategy, StorageSearchResult
from strands.storage.storage import _NAMESPACED, _normalize_key, _normalize_prefix
from strands.types.exceptions import StorageError

T = TypeVar("T")

ROOT = "strands"


class SidecarStorage:
    """Keeps what Strands stores under keys: snapshots of sessions, memories in files, stashes.

    Each value is a record. A write is acknowledged once it is on disk, and replaces the value as a
    whole. Keys are those of the storages that Strands ships: ``/`` separates their parts.

    :param client: a client, which the storage never closes. Its calls run in threads, since an
        agent that is called without ``await`` has a new event loop each time.
    :param root: first part of the names of records. Storages with the same root and user share
        values.
    :param user_id: whose the values are: users never share one, and ``erase_subject(user_id=...)``
        erases them. Default: nobody's.
    :param search_strategy: as with the storages that Strands ships: sees each write, and answers
        ``search``. Default: a search compares words, reading all values.
    """

    def __init__(
        self,
        client: Client,
        *,
        root: str = ROOT,
        user_id: str | None = None,
        search_strategy: SearchStrategy[Any] | None = None,
    ) -> None:
        check_owner(user_id)
        self.client = client
        self.root = root
        self.user_id = user_id
        self._search_strategy = search_strategy
        self._prefix = ""

    async def write(self, key: str, data: bytes) -> None:
        normalized = _normalize_key(key)
        name, value = self._name(normalized), bytes(data)
        await self._run(f"cannot write '{key}'", lambda: self._put(name, value))
        if self._search_strategy is not None:
            try:
                await self._search_strategy.index(self, normalized, data)
            except Exception as error:
                raise StorageError(f"wrote '{key}', but indexing failed") from error

    async def read(self, key: str) -> bytes | None:
        name = self._name(_normalize_key(key))
        return await self._run(f"cannot read '{key}'", lambda: self._get(name))

    async def delete(self, key: str) -> None:
        name = self._name(_normalize_key(key))
        await self._run(
            f"cannot delete '{key}'",
            lambda: self.client.delete_record(self._path, name, allow_missing=True),
        )

    async def list(self, query: str = "") -> builtins.list[str]:
        prefix = f"{self._prefix}{_normalize_prefix(query)}"
        key_prefix = _escaped(prefix)
        if len(key_prefix.encode()) > MAX_KEY_BYTES:
            return []
        return await self._run(f"cannot list '{query}'", lambda: self._list(key_prefix))

    async def search(self, query: str) -> builtins.list[StorageSearchResult]:
        strategy = self._search_strategy or KeywordSearchStrategy()
        return await strategy.search(self, query)

    def namespace(self, prefix: str) -> SidecarStorage:
        """Gives a view of the values whose keys begin with a prefix, which its keys leave out."""
        normalized = _normalize_prefix(prefix).rstrip("/")
        scoped = copy.copy(self)
        scoped._prefix = f"{self._prefix}{normalized}/" if normalized else self._prefix
        scoped._namespaced = _NAMESPACED  # type: ignore[attr-defined]
        return scoped

    def clear(self) -> None:
        """Deletes all values that this view has."""
        key_prefix = _escaped(self._prefix)
        while self.client.delete_records(self._path, key_prefix=key_prefix).more:
            pass

    @property
    def _path(self) -> builtins.list[str]:
        return path_of(self.root, "storage", self.user_id)

    def _name(self, key: str) -> str:
        name = _escaped(f"{self._prefix}{key}")
        size = len(name.encode())
        if size > MAX_KEY_BYTES:
            raise StorageError(
                f"the storage key has {size} bytes with its namespace, and at most "
                f"{MAX_KEY_BYTES} fit: use a shorter one"
            )
        return name

    def _put(self, name: str, value: bytes) -> None:
        owner = v1.MemoryScope(**owner_of(self.user_id))
        record = v1.NamedRecord(path=self._path, key=name, value=value, owner=owner)
        put = v1.RecordOperation(put=v1.RecordPut(record=record))
        Runner(self.client).run(write([put]))

    def _get(self, name: str) -> bytes | None:
        record = Runner(self.client).run(get_whole((self._path, name)))
        return None if record is None else record.value

    def _list(self, key_prefix: str) -> builtins.list[str]:
        found = self.client.list_records(self._path, key_prefix=key_prefix, page_size=1000)
        return sorted(unquote(record.key)[len(self._prefix) :] for record in found)

    async def _run(self, failure: str, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except MemorySidecarError as error:
            raise StorageError(f"{failure}: {error}") from error


def _escaped(key: str) -> str:
    try:
        key.encode()
    except UnicodeEncodeError as error:
        raise StorageError("the storage key has half a surrogate pair: use valid text") from error
    return escaped(key)
