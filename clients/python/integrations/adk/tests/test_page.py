"""The code of docs/integrations/adk.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from real import RealServer

PAGE = Path(__file__).resolve().parents[5] / "docs" / "integrations" / "adk.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
PRINTED = ("4 {'user:name': 'Ana'}\nHello\n", "20 True\n")


@pytest.mark.parametrize("index", [0, 1])
def test_the_code_of_the_page_runs(server: RealServer, index: int) -> None:
    code = BLOCKS[index].replace("127.0.0.1:50151", server.address)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, PRINTED[index]), done.stderr
