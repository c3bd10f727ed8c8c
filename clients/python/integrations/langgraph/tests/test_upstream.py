"""The tests of LangGraph itself, from its source distributions, with this package in the place of
its own savers and stores. Nothing of them is kept here: they are fetched once, by their digests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from real import RealServer

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent
FETCHED = PACKAGE / ".upstream"
DOCUMENT = PACKAGE.parents[3] / "docs" / "integrations" / "README.md"

SQLITE = "looks into the tables of SQLite"


@dataclass(frozen=True)
class Suite:
    """Tests of a source distribution."""

    name: str
    """As in the table of docs/integrations/README.md."""
    folder: str
    plugin: str
    paths: tuple[str, ...]
    select: str = ""
    passes: int = 0
    declared: dict[str, str] = field(default_factory=dict)
    """Tests that do not apply, with their reason."""


SUITES = (
    Suite(
        name="graphs, synchronous",
        folder="langgraph-1.2.22",
        plugin="upstream.graphs",
        paths=("tests",),
        select="sqlite and not sqlite_a and not cache",
        passes=387,
    ),
    Suite(
        name="graphs, asynchronous",
        folder="langgraph-1.2.22",
        plugin="upstream.graphs",
        paths=("tests",),
        select="sqlite_aio",
        passes=262,
    ),
    Suite(
        name="store in memory",
        folder="langgraph_checkpoint-4.3.2",
        plugin="upstream.stores",
        paths=("tests/test_store.py",),
        passes=117,
    ),
    Suite(
        name="store on SQLite",
        folder="langgraph_checkpoint_sqlite-3.1.2",
        plugin="upstream.stores",
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


@pytest.fixture(scope="session")
def distributions() -> Path:
    """The source distributions, unpacked."""
    FETCHED.mkdir(exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    sources = ["--no-deps", "--no-binary", ":all:", "--require-hashes"]
    wanted = ["--requirement", str(PACKAGE / "upstream.txt"), "--dest", str(FETCHED)]
    subprocess.run([*pip, "download", *sources, *wanted], check=True)
    for archive in FETCHED.glob("*.tar.gz"):
        with tarfile.open(archive) as opened:
            opened.extractall(FETCHED, filter="data")
    return FETCHED


@pytest.mark.timeout(600)
@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_the_tests_of_langgraph_pass(
    suite: Suite, distributions: Path, server: RealServer, tmp_path: Path
) -> None:
    report = tmp_path / "report.xml"
    # Some of the tests measure time, which a busy machine fails.
    options = ["-q", f"--junitxml={report}", "--timeout=120", "--retries=2"]
    selection = ["-k", suite.select] if suite.select else []
    plugins = ["-p", suite.plugin, "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options, *selection, *suite.paths],
        cwd=distributions / suite.folder,
        env={
            **os.environ,
            "MEMORY_SIDECAR_ADDRESS": server.address,
            "NO_DOCKER": "true",
            "PYTHONPATH": os.pathsep.join((str(HERE), str(distributions / suite.folder))),
        },
        capture_output=True,
        text=True,
    )
    assert report.exists(), done.stdout + done.stderr
    cases = list(ElementTree.parse(report).iter("testcase"))
    failed = [
        case.attrib["name"]
        for case in cases
        if case.find("failure") is not None or case.find("error") is not None
    ]
    skipped = [case for case in cases if case.find("skipped") is not None]
    passed = len(cases) - len(failed) - len(skipped)
    unexpected = [name for name in failed if re.sub(r"\[.*", "", name) not in suite.declared]
    assert unexpected == [], done.stdout[-4000:]
    stale = suite.declared.keys() - {re.sub(r"\[.*", "", name) for name in failed}
    assert not stale, "these pass now: take them out of the list"
    assert passed == suite.passes
    row = rf"\| LangGraph \| {re.escape(suite.name)} \| {passed} of {passed} \|"
    assert re.search(row, DOCUMENT.read_text()), f"docs/integrations/README.md needs {row}"
