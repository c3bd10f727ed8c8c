"""The code of docs/integrations/strands.md."""

from __future__ import annotations

import pytest
from pages import blocks_of, check_block
from real import RealServer

BLOCKS = blocks_of("strands.md")
PRINTED = ("4\nAna lives in Berlin.\n", "20 True\n")


@pytest.mark.parametrize(("block", "printed"), list(zip(BLOCKS, PRINTED, strict=True)))
def test_the_code_of_the_page_runs(server: RealServer, block: str, printed: str) -> None:
    check_block(block, printed, server)
