"""The code of the pages of the integrations."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from real import RealServer

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "integrations"


def run_block(page: str, index: int, server: RealServer) -> str:
    """Runs a block of Python of a page, in a process of its own. Gives what it prints."""
    blocks = re.findall(r"```python\n(.*?)```", (FOLDER / page).read_text(), re.DOTALL)
    code = blocks[index].replace("127.0.0.1:50151", server.address)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
