"""Plugin of pytest: the tests of Strands use this package where they use what is kept in memory or
in files."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5

import strands.storage
import strands.storage.in_memory_storage
import strands.vended_memory_stores.test_memory_store.store as json_store
import tests.fixtures.mock_session_repository as repositories
from memorysidecar import Client

from memorysidecar_strands import SidecarSessionRepository, SidecarStorage

ADDRESS = os.environ["MEMORY_SIDECAR_ADDRESS"]


class InMemoryStorage(SidecarStorage):
    def __init__(self, *, search_strategy: Any = None) -> None:
        client = Client(ADDRESS, namespace=f"t-{uuid4().hex}")
        super().__init__(client, search_strategy=search_strategy)


class LocalFileStorage(SidecarStorage):
    """One that is opened again has its values again; what tests put into its files is read."""

    def __init__(self, base_dir: str) -> None:
        namespace = f"t-{uuid5(NAMESPACE_URL, base_dir).hex}"
        super().__init__(Client(ADDRESS, namespace=namespace))
        self.base_dir = Path(base_dir)

    async def read(self, key: str) -> bytes | None:
        file = self.base_dir / key
        return file.read_bytes() if file.exists() else await super().read(key)


class Repository(SidecarSessionRepository):
    def __init__(self) -> None:
        super().__init__(Client(ADDRESS, namespace=f"t-{uuid4().hex}"))


strands.storage.InMemoryStorage = InMemoryStorage
strands.storage.in_memory_storage.InMemoryStorage = InMemoryStorage
json_store.InMemoryStorage = InMemoryStorage
json_store.LocalFileStorage = LocalFileStorage
repositories.MockedSessionRepository = Repository
# The conftest of Strands imports what stands for AWS; the tests that are run here use none of it.
sys.modules["moto"] = ModuleType("moto")
