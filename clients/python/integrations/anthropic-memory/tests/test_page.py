"""The code of docs/integrations/anthropic-memory.md."""

from __future__ import annotations

import pytest
from pages import blocks_of, check_block
from real import RealServer

BLOCKS = blocks_of("anthropic-memory.md")[1:3]
PRINTED = (
    "/memories/trip.md Lisbon on Friday.\n",
    "Message 10 of a long conversation.\nTrue\n",
)


@pytest.mark.parametrize(("block", "printed"), list(zip(BLOCKS, PRINTED, strict=True)))
def test_the_code_of_the_page_runs(server: RealServer, block: str, printed: str) -> None:
    check_block(block, printed, server)
