"""The tests of the SDK itself, with this package in the place of its tools on the file system."""

from __future__ import annotations

from pathlib import Path

import pytest
from real import RealServer
from upstream import Suite, fetch, judge

PACKAGE = Path(__file__).resolve().parent.parent

LINKS = "about symbolic links, which the files here cannot be"

SUITE = Suite(
    name="memory tool",
    folder="anthropic-2.14.0",
    plugin="plugins.files",
    paths=("tests/lib/tools/memory_tools/test_filesystem.py",),
    declared=dict.fromkeys(
        (
            "test_read_rejects_symlink_created_after_validation",
            "test_read_rejects_file_replaced_with_symlink_before_open",
            "test_view_rejects_directory_symlink_created_after_validation",
            "test_symlink_validation_reject_symlink_pointing_outside_memories",
            "test_view_lists_symlinks_only_when_they_stay_inside_memories",
            "test_symlink_validation_reject_creating_files_through_symlink_pointing_outside",
            "test_symlink_validation_reject_parent_directory_that_is_symlink_pointing_outside",
            "test_validate_path_returns_resolved_path_not_symlink_target",
        ),
        LINKS,
    )
    | {
        "test_mkdir_parents_not_world_writable_under_permissive_umask": "about the modes of folders"
    },
    passes=74,
    retries=0,
)


@pytest.mark.timeout(600)
def test_the_tests_of_the_sdk_pass(
    server: RealServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In one process: theirs would start one for each processor.
    monkeypatch.setenv("PYTEST_ADDOPTS", "-n0")
    judge("Anthropic SDK", SUITE, PACKAGE, fetch(PACKAGE), server, tmp_path)
