"""The code of docs/integrations/crewai.md."""

from __future__ import annotations

import pytest
from pages import blocks_of, check_block
from real import RealServer

BLOCKS = blocks_of("crewai.md")
PRINTED = (
    "Ana lives in Berlin.\nThe storks are back on the roof.\n",
    "1\n",
    "Message 10 of a long conversation. True\n",
)


@pytest.mark.parametrize(("block", "printed"), list(zip(BLOCKS, PRINTED, strict=True)))
def test_the_code_of_the_page_runs(server: RealServer, block: str, printed: str) -> None:
    check_block(block, printed, server)
