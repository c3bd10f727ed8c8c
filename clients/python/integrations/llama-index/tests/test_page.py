"""The code of docs/integrations/llama-index.md."""

from __future__ import annotations

import pytest
from pages import blocks_of, check_block
from real import RealServer

BLOCKS = blocks_of("llama-index.md")
PRINTED = (
    "On the roof. 4\n",
    "True Where do I live?\n",
    "Ana lives in Berlin. ['2']\n",
    "80 True\n",
)


@pytest.mark.parametrize(("block", "printed"), list(zip(BLOCKS, PRINTED, strict=True)))
def test_the_code_of_the_page_runs(server: RealServer, block: str, printed: str) -> None:
    check_block(block, printed, server)
