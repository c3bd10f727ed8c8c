"""The code of docs/integrations/claude-agent.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from real import RealServer

PAGE = Path(__file__).resolve().parents[5] / "docs" / "integrations" / "claude-agent.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_the_code_of_the_page_runs(server: RealServer) -> None:
    code = BLOCKS[1].replace("127.0.0.1:50151", server.address)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "10 True\n"), done.stderr
