"""The tests of Strands itself, with this package in the place of what is kept in memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from real import RealServer
from upstream import Suite, fetch, judge

PACKAGE = Path(__file__).resolve().parent.parent
STRANDS = "tests/strands"

SUITES = (
    Suite(
        name="storage",
        folder="strands_agents-1.62.0",
        plugin="plugins.storages",
        paths=(f"{STRANDS}/storage/test_in_memory_storage.py",),
        passes=23,
        retries=0,
    ),
    Suite(
        name="sessions in snapshots",
        folder="strands_agents-1.62.0",
        plugin="plugins.storages",
        paths=(f"{STRANDS}/session/test_snapshot_session_manager.py",),
        declared=dict.fromkeys(
            (
                "test_save_includes_inline_stash_for_ephemeral_storage",
                "test_save_omits_stash_when_empty",
                "test_immutable_snapshot_includes_stash",
                "test_ephemeral_detection_survives_namespacing",
            ),
            "wants values that do not survive their process in the snapshot; ours survive it",
        ),
        passes=113,
        retries=0,
    ),
    Suite(
        name="sessions in a repository",
        folder="strands_agents-1.62.0",
        plugin="plugins.storages",
        paths=(f"{STRANDS}/session/test_repository_session_manager.py",),
        passes=51,
        retries=0,
    ),
    Suite(
        name="memory stores on storage",
        folder="strands_agents-1.62.0",
        plugin="plugins.storages",
        paths=(
            f"{STRANDS}/vended_memory_stores/test_memory_store",
            f"{STRANDS}/vended_memory_stores/file_memory_store",
        ),
        declared=dict.fromkeys(
            (
                "test_defaults_to_a_sanitized_path_under_the_home_memory_dir",
                "test_persists_human_readable_json",
                "test_keeps_all_entries_under_concurrent_writes",
                "test_reused_across_separate_event_loops",
                "test_raises_clear_error_when_path_is_unreachable",
                "test_manager_add_writes_to_store",
                "test_ingests_extracted_facts_through_add",
            ),
            "reads the file of the store, which is a record here",
        ),
        passes=73,
        retries=0,
    ),
)


@pytest.fixture(scope="session")
def fetched() -> Path:
    return fetch(PACKAGE)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_the_tests_of_strands_pass(
    suite: Suite, fetched: Path, server: RealServer, tmp_path: Path
) -> None:
    judge("Strands Agents", suite, PACKAGE, fetched, server, tmp_path)
