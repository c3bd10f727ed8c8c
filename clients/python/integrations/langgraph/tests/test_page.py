"""The code of docs/integrations/langgraph.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from real import RealServer

PAGE = Path(__file__).resolve().parents[5] / "docs" / "integrations" / "langgraph.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
PRINTED = (
    "You said 1 things.\nAna lives in Berlin.\n",
    "Message 10 of a long conversation. True\n",
)


@pytest.mark.parametrize(("block", "printed"), list(zip(BLOCKS, PRINTED, strict=True)))
def test_the_code_of_the_page_runs(server: RealServer, block: str, printed: str) -> None:
    code = block.replace("127.0.0.1:50151", server.address)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, printed), done.stderr
