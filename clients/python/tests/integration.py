"""Fixtures of the integrations: the real server, and clients in a namespace of each test."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from real import RealServer

from memorysidecar import AsyncClient, Client


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """The real server, one for all tests that need no other."""
    with RealServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[RealServer]:
    """A real server of the test's own, to be killed."""
    with RealServer(tmp_path) as running:
        yield running


@pytest.fixture
def client(server: RealServer) -> Iterator[Client]:
    with Client(server.address, namespace=f"t-{uuid4().hex}") as made:
        yield made


@pytest.fixture
async def async_client(server: RealServer) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(server.address, namespace=f"t-{uuid4().hex}") as made:
        yield made


def erase(client: Client, user: str | None = None, **subject: str) -> None:
    """Erases a user, or another subject, and waits until that is done."""
    erasure = client.erase_subject(user_id=user, **subject)  # type: ignore[arg-type]
    while not erasure.HasField("end_time"):
        time.sleep(0.05)
        erasure = client.get_erasure(erasure.erasure_id)
