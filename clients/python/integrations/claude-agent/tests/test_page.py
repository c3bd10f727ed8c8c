"""The code of docs/integrations/claude-agent.md."""

from __future__ import annotations

from pages import blocks_of, check_block
from real import RealServer


def test_the_code_of_the_page_runs(server: RealServer) -> None:
    check_block(blocks_of("claude-agent.md")[1], "10 True\n", server)
