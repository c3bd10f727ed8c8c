"""The types of the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_package_has_the_types_that_it_says() -> None:
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
