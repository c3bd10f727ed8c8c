"""Plugin of pytest: the tests of CrewAI use this package where they use LanceDB, Qdrant Edge or
SQLite, which need not be installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import crewai.flow.persistence as persistence
import crewai.flow.persistence.sqlite as sqlite
from memorysidecar import Client

from memorysidecar_crewai import SidecarFlowPersistence, SidecarMemoryStorage

ADDRESS = os.environ["MEMORY_SIDECAR_ADDRESS"]


def client_of(path: Any) -> Client:
    """Connects to the namespace of a path: what is opened again has its values again."""
    return Client(ADDRESS, namespace=f"t-{uuid5(NAMESPACE_URL, str(path)).hex}")


class Storage(SidecarMemoryStorage):
    def __init__(self, path: str | Path = "default", **settings: Any) -> None:
        super().__init__(client_of(path))


class Persistence(SidecarFlowPersistence):
    def __init__(self, db_path: str = "default", /, **fields: Any) -> None:
        super().__init__(client_of(db_path), **fields)


for name, storage in (
    ("lancedb_storage", "LanceDBStorage"),
    ("qdrant_edge_storage", "QdrantEdgeStorage"),
):
    module: Any = ModuleType(f"crewai.memory.storage.{name}")
    setattr(module, storage, Storage)
    sys.modules[module.__name__] = module
persistence.SQLiteFlowPersistence = sqlite.SQLiteFlowPersistence = Persistence  # type: ignore[misc]
