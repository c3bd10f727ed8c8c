"""The tests of CrewAI itself, with this package in the place of LanceDB, Qdrant Edge and SQLite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from real import RealServer
from upstream import Suite, fetch, judge

PACKAGE = Path(__file__).resolve().parent.parent
LARGE = "exceeding_scan_cap"
"""Writes 52,000 memories, which takes longer than all others together."""
DEPTH = int(os.environ.get("TEST_DEPTH", "1"))


def suite(name: str, passes: int, *paths: str, **fields: object) -> Suite:
    return Suite(
        name=name,
        folder="crewai-1.15.30",
        plugin="plugins.storages",
        paths=tuple(f"tests/{path}" for path in paths),
        passes=passes,
        retries=0,
        **fields,  # type: ignore[arg-type]
    )


UNIFIED = "memory/test_unified_memory.py"
SUITES = (
    suite(
        "storages of memory and flows",
        266,
        UNIFIED,
        "memory/test_memory_root_scope.py",
        "memory/test_dimension_mismatch.py",
        "memory/test_lancedb_filter_escaping.py",
        "memory/test_lancedb_update.py",
        "memory/test_qdrant_edge_storage.py",
        "memory/test_storage_factory.py",
        "test_flow_persistence.py",
        "test_flow_persistence_factory.py",
        "test_flow_resumability_regression.py",
        "test_async_human_feedback.py",
        select=f"not {LARGE}",
        declared={
            "test_percent_underscore_and_backslash_in_scope_names_match_literally": (
                "wants the scope /share\\docs within /share\\: here a scope holds whole levels"
            ),
            **dict.fromkeys(
                (
                    "test_flush_to_central",
                    "test_dual_shard_search",
                    "test_close_lifecycle",
                    "test_orphaned_shard_cleanup",
                ),
                "looks into the shards of Qdrant, or closes them: here is nothing to close",
            ),
        },
    ),
)
LONG = (suite("52,000 memories of one scope", 1, UNIFIED, select=LARGE),) if DEPTH > 1 else ()


@pytest.fixture(scope="session")
def fetched() -> Path:
    return fetch(PACKAGE)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("one", SUITES + LONG, ids=lambda one: one.name)
def test_the_tests_of_crewai_pass(
    one: Suite, fetched: Path, server: RealServer, tmp_path: Path
) -> None:
    judge("CrewAI", one, PACKAGE, fetched, server, tmp_path)
