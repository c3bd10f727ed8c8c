"""The code of docs/integrations/openai-agents.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from real import RealServer

PAGE = Path(__file__).resolve().parents[5] / "docs" / "integrations" / "openai-agents.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_the_code_of_the_page_runs(server: RealServer) -> None:
    code = BLOCKS[0].replace("127.0.0.1:50151", server.address)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "Hello, Ana. 2\n"), done.stderr
