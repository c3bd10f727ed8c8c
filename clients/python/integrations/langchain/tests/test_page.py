"""The code of docs/integrations/langchain.md."""

from __future__ import annotations

import pytest
from page import run_block
from real import RealServer

PRINTED = (
    "Ana lives in Berlin.\nbob\n",
    "message I am allergic to penicillin.\n",
    "Message 10 of a long conversation. True\n",
)


@pytest.mark.parametrize("index", range(len(PRINTED)))
def test_the_code_of_the_page_runs(server: RealServer, index: int) -> None:
    assert run_block("langchain.md", index, server) == PRINTED[index]
