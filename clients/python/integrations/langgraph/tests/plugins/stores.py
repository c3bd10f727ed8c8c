"""Plugin of pytest: the store tests of LangGraph use this package instead of their stores."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5

import langgraph.store.memory
import langgraph.store.sqlite
import langgraph.store.sqlite.aio
from memorysidecar import AsyncClient, Client

from memorysidecar_langgraph import SidecarStore

ADDRESS = os.environ["MEMORY_SIDECAR_ADDRESS"]


class InMemoryStore(SidecarStore):
    def __init__(self, *, index: Any = None) -> None:
        super().__init__(Client(ADDRESS, namespace=f"t-{uuid4().hex}"), index=index)


def _namespace(connection: str) -> str:
    """A file that is opened again has its items again."""
    is_new = connection == ":memory:"
    return f"t-{(uuid4() if is_new else uuid5(NAMESPACE_URL, connection)).hex}"


def _options(index: Any, ttl: Any) -> dict[str, Any]:
    fields = index.get("text_fields") if index else None
    return {"index": {**index, "fields": fields} if fields else index, "ttl": ttl}


class SqliteStore(SidecarStore):
    @classmethod
    @contextmanager
    def from_conn_string(
        cls, connection: str, *, index: Any = None, ttl: Any = None
    ) -> Iterator[SidecarStore]:
        with Client(ADDRESS, namespace=_namespace(connection)) as client:
            yield cls(client, **_options(index, ttl))

    def setup(self) -> None:
        pass

    def sweep_ttl(self) -> int:
        return 0  # The server deletes expired items by itself.


class AsyncSqliteStore(SidecarStore):
    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, connection: str, *, index: Any = None, ttl: Any = None
    ) -> AsyncIterator[SidecarStore]:
        async with AsyncClient(ADDRESS, namespace=_namespace(connection)) as client:
            yield cls(client, **_options(index, ttl))

    async def setup(self) -> None:
        pass

    async def sweep_ttl(self) -> int:
        return 0


langgraph.store.memory.InMemoryStore = InMemoryStore
langgraph.store.sqlite.SqliteStore = SqliteStore
langgraph.store.sqlite.AsyncSqliteStore = AsyncSqliteStore
langgraph.store.sqlite.aio.AsyncSqliteStore = AsyncSqliteStore
