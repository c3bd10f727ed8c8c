"""Runs the tests of a framework, from its source distribution, with our class in the place of its
own. Nothing of them is kept here: they are fetched once, by their digests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

from real import RealServer

TABLE = Path(__file__).resolve().parents[3] / "docs" / "integrations" / "README.md"


@dataclass(frozen=True)
class Suite:
    """Tests of a source distribution."""

    name: str
    """As in the table of docs/integrations/README.md."""
    folder: str
    plugin: str
    """Module of pytest, in the folder ``tests`` of the integration, that puts our class there."""
    paths: tuple[str, ...]
    passes: int
    select: str = ""
    declared: dict[str, str] = field(default_factory=dict)
    """Tests that do not apply, with their reason."""
    retries: int = 2
    """Some of the tests measure time, which a busy machine fails."""


def fetch(package: Path) -> Path:
    """Fetches and unpacks the source distributions that ``upstream.txt`` of a package names."""
    fetched = package / ".upstream"
    fetched.mkdir(exist_ok=True)
    pins = package / "upstream.txt"
    names = re.findall(r"^([\w.-]+)==", pins.read_text(), re.MULTILINE)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    # The packages that build them may be wheels.
    sources = ["--no-deps", "--no-binary", ",".join(names), "--require-hashes"]
    wanted = ["--requirement", str(pins), "--dest", str(fetched)]
    subprocess.run([*pip, "download", *sources, *wanted], check=True)
    for archive in fetched.glob("*.tar.gz"):
        with tarfile.open(archive) as opened:
            # The first versions of Python 3.10 and 3.11 have no filters; the digest is checked.
            if hasattr(tarfile, "data_filter"):
                opened.extraction_filter = tarfile.data_filter
            opened.extractall(fetched)
    return fetched


def judge(
    framework: str, suite: Suite, package: Path, fetched: Path, server: RealServer, scratch: Path
) -> None:
    """Runs a suite. Asserts that all tests pass but the declared ones, that those fail, and that
    the table in the documents has the count."""
    report = scratch / "report.xml"
    options = ["-q", f"--junitxml={report}", "--timeout=120", f"--retries={suite.retries}"]
    selection = ["-k", suite.select] if suite.select else []
    plugins = ["-p", suite.plugin, "-p", "no:cacheprovider"]
    root = fetched / suite.folder
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options, *selection, *suite.paths],
        cwd=root,
        env={
            **os.environ,
            "MEMORY_SIDECAR_ADDRESS": server.address,
            "NO_DOCKER": "true",
            "PYTHONPATH": os.pathsep.join((str(package / "tests"), str(root))),
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
    skipped = sum(case.find("skipped") is not None for case in cases)
    passed = len(cases) - len(failed) - skipped
    kinds = {re.sub(r"\[.*", "", name) for name in failed}
    unexpected = [name for name in failed if re.sub(r"\[.*", "", name) not in suite.declared]
    assert unexpected == [], done.stdout[-6000:]
    assert not suite.declared.keys() - kinds, "these pass now: take them out of the list"
    assert passed == suite.passes, f"{passed} tests passed"
    row = f"| {framework} | {suite.name} | {passed} of {passed} |"
    assert row in TABLE.read_text(), f"docs/integrations/README.md needs {row}"
