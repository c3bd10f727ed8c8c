"""The installed form of the package. It is not installed beside all others, as CrewAI needs other
versions of what these need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement
from real import ROOT

PACKAGE = Path(__file__).resolve().parent.parent
PROGRAM = """
import sys
from importlib.metadata import requires
import memorysidecar, memorysidecar_crewai
for package in (memorysidecar, memorysidecar_crewai):
    assert package.__file__.startswith(sys.argv[1]), package.__file__
assert memorysidecar_crewai.__all__
print(*requires("memorysidecar-crewai"), sep="\\n")
"""


def test_the_wheel_installs_beside_the_wheel_of_the_client(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    target = ["--target", str(tmp_path / "to")]
    options = ["--no-deps", "--no-build-isolation", "--no-compile", *target]
    for source in (ROOT / "clients/python", PACKAGE):
        copy = tmp_path / source.name
        for name in ("src", "README.md", "pyproject.toml"):
            part = source / name
            if part.is_dir():
                shutil.copytree(part, copy / name, ignore=shutil.ignore_patterns("*.egg-info"))
            else:
                shutil.copy(part, copy / name)
        subprocess.run([*pip, *options, str(copy)], check=True)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "to")],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "to")},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    needs = [Requirement(line) for line in done.stdout.splitlines() if "extra ==" not in line]
    assert {one.name for one in needs} == {"crewai", "memory-sidecar"}
    for one in needs:
        assert one.specifier.contains(version(one.name)), one
