"""Random operations on CrewAI's storage on Qdrant Edge, and on ours.

That on LanceDB takes a scope for one that only begins alike, and ignores some filters.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID, uuid4

import pytest
from crewai.memory.storage import qdrant_edge_storage
from crewai.memory.storage.qdrant_edge_storage import QdrantEdgeStorage
from crewai.memory.types import MemoryRecord
from differential import closest, differ
from memorysidecar import Client
from qdrant_edge import EdgeShard
from real import RealServer

from memorysidecar_crewai import SidecarMemoryStorage

IDS = [str(UUID(int=number)) for number in range(1, 13)]
SCOPES = ("/", "/crew", "/crew/a", "/crew/a/b", "/crews", "/crew/ab", "/ü %_", "/x'\"\\")
KINDS = ("save",) * 4 + ("update", "touch", "search", "search", "search", "delete", "get", "list")
KINDS += ("info", "scopes", "categories", "count", "reset")
VALUES = (0, 1, 1.5, True, None, "a", "ü", [1, "b"], {"x": 1})


class OpenShards:
    """Opens each shard of Qdrant Edge once: the storage opens them for each call, which takes most
    of its time."""

    opened: ClassVar[dict[str, Any]] = {}

    def __init__(self, shard: Any) -> None:
        self.shard = shard

    def __getattr__(self, name: str) -> Any:
        return getattr(self.shard, name)

    def close(self) -> None:
        """Leaves it open."""

    def flush(self) -> None:
        """Leaves it in memory."""

    @classmethod
    def load(cls, path: str) -> OpenShards:
        if not any(Path(path).iterdir()):
            cls.opened.pop(path, None)
            raise FileNotFoundError(path)
        return cls.opened[path]

    @classmethod
    def create(cls, path: str, config: Any) -> OpenShards:
        cls.opened[path] = cls(EdgeShard.create(path, config))
        return cls.opened[path]


def draw_vector(draw: random.Random) -> list[float]:
    return [draw.gauss(0, 1) for _ in range(8)]


def draw_metadata(draw: random.Random) -> dict[str, Any]:
    return {key: draw.choice(VALUES) for key in ("a", "b", "c.d") if draw.random() < 0.6}


def draw_record(draw: random.Random) -> MemoryRecord:
    return MemoryRecord(
        id=draw.choice(IDS),
        content=draw.choice(("", f"text {draw.randrange(9)}", "😀\n")),
        scope=draw.choice(SCOPES),
        categories=draw.sample(("x", "y", "ü"), draw.randrange(3)),
        metadata=draw_metadata(draw),
        importance=draw.choice((0.0, 0.5, 1.0)),
        created_at=datetime(2026, 1, 1) + timedelta(seconds=draw.randrange(10**6)),
        last_accessed=datetime(2026, 1, 1),
        embedding=draw_vector(draw),
        source=draw.choice((None, "ana")),
        private=draw.random() < 0.3,
    )


def draw_step(draw: random.Random) -> dict[str, Any]:
    filters: dict[str, Any] = {"scope_prefix": draw.choice((None, *SCOPES))}
    if draw.random() < 0.4:
        filters["categories"] = draw.sample(("x", "y", "z"), 2)
    if draw.random() < 0.4:
        filters["metadata_filter"] = {draw.choice(("a", "c.d")): draw.choice(VALUES)}
    return {
        "kind": draw.choice(KINDS),
        "records": [draw_record(draw) for _ in range(draw.choice((1, 2, 3)))],
        "ids": draw.sample(IDS, 3),
        "by_id": draw.random() < 0.5,
        "filters": filters,
        "older_than": datetime(2026, 1, 1) + timedelta(seconds=draw.randrange(10**6)),
        "scope": draw.choice(SCOPES),
        "vector": draw_vector(draw),
        "limit": draw.choice((1, 3, 20)),
        "min_score": draw.choice((0.0, -1.0, 0.3)),
        "offset": draw.choice((0, 0, 2)),
        "is_whole": draw.random() < 0.1,
    }


def plain(record: MemoryRecord | None, *, accessed: bool = True) -> Any:
    """Leaves out the vector, which Qdrant keeps at length 1 and with fewer bits."""
    return record and record.model_dump(exclude=None if accessed else {"last_accessed"})


def do(storage: Any, step: dict[str, Any]) -> Any:
    """Does a step on one storage; gives what its caller sees."""
    scope = step["scope"]
    match step["kind"]:
        case "save":
            storage.save(step["records"])
        case "update":
            storage.update(step["records"][0])
        case "touch":
            storage.touch_records(step["ids"])
        case "search":
            options = {"limit": step["limit"], "min_score": step["min_score"], **step["filters"]}
            found = storage.search(step["vector"], **options)
            return [(record.id, plain(record, accessed=False), score) for record, score in found]
        case "delete" if step["by_id"]:
            # They ignore a scope beside ids.
            filters = {**step["filters"], "scope_prefix": None}
            return storage.delete(record_ids=step["ids"], **filters)
        case "delete":
            return storage.delete(older_than=step["older_than"], **step["filters"])
        case "get":
            return [plain(storage.get_record(one), accessed=False) for one in step["ids"]]
        case "list":
            scope = step["filters"]["scope_prefix"]
            found = storage.list_records(scope, limit=step["limit"], offset=step["offset"])
            return [plain(record, accessed=False) for record in found]
        case "info":
            return storage.get_scope_info(scope)
        case "scopes":
            return storage.list_scopes(scope)
        case "categories":
            return storage.list_categories(scope)
        case "count":
            return storage.count(step["filters"]["scope_prefix"])
        case "reset":
            storage.reset(None if step["is_whole"] else scope)
    return None


def compare(ours: Any, theirs: Any, step: dict[str, Any]) -> str | None:
    """Does a step on both; says how they differ."""
    if step["kind"] == "search":
        truth = do(theirs, {**step, "limit": 1_000, "min_score": -2.0})
        return closest(do(ours, step), truth, step["limit"], step["min_score"])
    expected, found = do(theirs, step), do(ours, step)
    return None if found == expected else f"{found!r}\n  not {expected!r}"


@pytest.mark.timeout(1800)
def test_random_operations_agree_with_qdrant_edge(
    server: RealServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qdrant_edge_storage, "EdgeShard", OpenShards)
    with Client(server.address, namespace=f"t-{uuid4().hex}") as client:

        def play(steps: Sequence[dict[str, Any]]) -> str | None:
            name = uuid4().hex
            ours = SidecarMemoryStorage(client, collection_id=name)
            theirs = QdrantEdgeStorage(path=tmp_path / name, vector_dim=8)
            try:
                for step in steps:
                    difference = compare(ours, theirs, step)
                    if difference is not None:
                        return f"{step}\n  {difference}"
            finally:
                theirs.close()
            return None

        differ("CrewAI", "memory storage", draw_step, play, count=1_000)
