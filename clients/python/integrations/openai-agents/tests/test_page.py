"""The code of docs/integrations/openai-agents.md."""

from __future__ import annotations

from pages import blocks_of, check_block
from real import RealServer


def test_the_code_of_the_page_runs(server: RealServer) -> None:
    check_block(blocks_of("openai-agents.md")[0], "Hello, Ana. 2\n", server)
