"""Plugin of pytest: the graph tests of LangGraph use this package where they use SQLite."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
from memorysidecar import AsyncClient, Client

from memorysidecar_langgraph import SidecarSaver

ADDRESS = os.environ["MEMORY_SIDECAR_ADDRESS"]


def _namespace() -> str:
    # Some of the tests replace uuid4.
    return f"t-{os.urandom(16).hex()}"


@contextmanager
def saver() -> Iterator[SidecarSaver]:
    with Client(ADDRESS, namespace=_namespace()) as client:
        yield SidecarSaver(client)


@asynccontextmanager
async def async_saver() -> AsyncIterator[SidecarSaver]:
    async with AsyncClient(ADDRESS, namespace=_namespace()) as client:
        yield SidecarSaver(client)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: Any) -> None:
    import tests.conftest as upstream

    upstream._checkpointer_sqlite = saver
    upstream._checkpointer_sqlite_aio = async_saver
