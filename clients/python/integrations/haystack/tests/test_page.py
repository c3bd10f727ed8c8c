"""The code of docs/integrations/haystack.md."""

from __future__ import annotations

import pytest
from page import run_block
from real import RealServer

PRINTED = (
    "Ana lives in Berlin.\n['Bob lives in Porto.']\n",
    "Message 10 of a long conversation. True\n",
)


@pytest.mark.parametrize("index", range(len(PRINTED)))
def test_the_code_of_the_page_runs(server: RealServer, index: int) -> None:
    assert run_block("haystack.md", index, server) == PRINTED[index]
