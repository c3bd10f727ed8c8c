"""The tests of LangGraph itself, with this package in the place of its own savers and stores."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from real import RealServer
from upstream import Suite, fetch, judge

PACKAGE = Path(__file__).resolve().parent.parent

SQLITE = "looks into the tables of SQLite"

SUITES = (
    Suite(
        name="graphs, synchronous",
        folder="langgraph-1.2.22",
        plugin="plugins.graphs",
        paths=("tests",),
        select="sqlite and not sqlite_a and not cache",
        passes=387,
    ),
    Suite(
        name="graphs, asynchronous",
        folder="langgraph-1.2.22",
        plugin="plugins.graphs",
        paths=("tests",),
        select="sqlite_aio",
        passes=262,
    ),
    Suite(
        name="store in memory",
        folder="langgraph_checkpoint-4.3.2",
        plugin="plugins.stores",
        paths=("tests/test_store.py",),
        passes=117,
    ),
    Suite(
        name="store on SQLite",
        folder="langgraph_checkpoint_sqlite-3.1.2",
        plugin="plugins.stores",
        paths=("tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py"),
        passes=143,
        declared={
            "test_vector_store_initialization": SQLITE,
            "test_nonnull_migrations": SQLITE,
            "test_sql_injection_vulnerability": "a key that SQL cannot hold is an error there; "
            "here it is a key like any other",
            "test_filter_keys_with_hyphens_and_digits": "only SQLite takes a period in a filter "
            "for a path; other stores nest objects",
            "test_ttl_refresh": "counts what a sweep deletes; the server deletes by itself",
            "test_ttl_sweeper": "starts a thread that sweeps; the server deletes by itself",
            "test_async_ttl_sweeper": "starts a task that sweeps; the server deletes by itself",
            "test_ttl_override_default": "reads an item of 5 seconds after 2 and wants it gone "
            "4 seconds later, although a read refreshes it",
        },
    ),
)


@pytest.fixture(scope="module")
def judged(
    server: RealServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[None]]]:
    """Runs the suites two at a time, as many of their tests wait for items that expire."""
    fetched = fetch(PACKAGE)
    with ThreadPoolExecutor(max_workers=2) as threads:
        yield {
            suite.name: threads.submit(
                judge,
                *("LangGraph", suite, PACKAGE, fetched, server),
                tmp_path_factory.mktemp("suite"),
            )
            for suite in SUITES
        }


@pytest.mark.timeout(600)
@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_the_tests_of_langgraph_pass(suite: Suite, judged: dict[str, Future[None]]) -> None:
    judged[suite.name].result()
