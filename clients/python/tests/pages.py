"""Runs the code of the pages of docs/integrations, and checks the types of a package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from real import ROOT, RealServer

PAGES = ROOT / "docs" / "integrations"


def blocks_of(page: str) -> list[str]:
    """Gives the blocks of Python of a page."""
    return re.findall(r"```python\n(.*?)```", (PAGES / page).read_text(), re.DOTALL)


def check_block(code: str, printed: str, server: RealServer) -> None:
    """Runs a block against a server. Asserts what it prints."""
    code = code.replace("127.0.0.1:50151", server.address)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, printed), done.stderr


def check_types(package: Path) -> None:
    """Asserts that a package has the types that it says."""
    mypy = [sys.executable, "-m", "mypy"]
    done = subprocess.run(mypy, cwd=package, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
