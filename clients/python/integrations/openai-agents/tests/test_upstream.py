"""The tests of the Agents SDK itself, with this package in the place of its SQLite session."""

from __future__ import annotations

from pathlib import Path

import pytest
from real import RealServer
from upstream import Suite, fetch, judge

PACKAGE = Path(__file__).resolve().parent.parent

SUITES = (
    Suite(
        name="sessions",
        folder="openai_agents-0.24.0",
        plugin="plugins.sessions",
        paths=("tests/memory/test_session.py", "tests/memory/test_session_limit.py"),
        declared=dict.fromkeys(
            (
                "test_sqlite_session_rollback_failure_evicts_connection",
                "test_sqlite_session_reaps_connections_from_exited_worker_threads",
                "test_sqlite_session_post_commit_cancellation_propagates_after_known_outcome",
                "test_sqlite_session_keeps_connections_of_live_worker_threads",
                "test_sqlite_session_file_lock_is_shared_across_instances",
                "test_sqlite_session_failed_pop_item_releases_write_lock",
                "test_sqlite_session_failed_clear_session_rolls_back",
                "test_sqlite_session_failed_add_items_releases_write_lock",
                "test_sqlite_session_closes_retired_connections_before_the_next_allocation",
                "test_sqlite_session_close_retries_quarantined_connection",
                "test_sqlite_session_close_closes_worker_thread_connections",
            ),
            "looks into the connections and locks of SQLite",
        )
        | dict.fromkeys(
            (
                "test_sqlite_session_pop_item_skips_corrupt_most_recent",
                "test_sqlite_session_pop_item_returns_none_after_dropping_only_corrupt_rows",
                "test_sqlite_session_get_items_session_settings_limit_skips_corrupt_rows",
                "test_sqlite_session_get_items_limit_skips_corrupt_newest_rows",
            ),
            "writes damaged rows with SQL",
        )
        | {
            "test_sqlite_session_closed_rejects_empty_add_items": "a session here holds nothing "
            "open and is not closed: its client is",
        },
        passes=53,
    ),
    Suite(
        name="runs with sessions",
        folder="openai_agents-0.24.0",
        plugin="plugins.sessions",
        paths=(
            "tests/test_soft_cancel.py",
            "tests/test_agent_runner.py",
            "tests/test_agent_runner_streamed.py",
            "tests/test_max_turns.py",
            "tests/test_tool_batch_failure_history.py",
            "tests/test_native_tool_failure_history.py",
        ),
        select="session or soft_cancel",
        passes=153,
    ),
)


@pytest.fixture(scope="session")
def fetched() -> Path:
    return fetch(PACKAGE)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_the_tests_of_the_sdk_pass(
    suite: Suite, fetched: Path, server: RealServer, tmp_path: Path
) -> None:
    judge("OpenAI Agents SDK", suite, PACKAGE, fetched, server, tmp_path)
