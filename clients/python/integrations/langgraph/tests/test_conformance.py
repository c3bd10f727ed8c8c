"""The conformance suite of LangGraph for checkpointers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from memorysidecar import AsyncClient, Client
from real import RealServer

from memorysidecar_langgraph import SidecarSaver

CASES = 81
TABLE = Path(__file__).resolve().parents[5] / "docs" / "integrations" / "README.md"


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_saver_passes_every_case_of_the_conformance_suite(
    server: RealServer, kind: str
) -> None:
    @checkpointer_test(name=f"memorysidecar-{kind}")
    async def make() -> AsyncIterator[BaseCheckpointSaver[str]]:
        namespace = f"t-{uuid4().hex}"
        if kind == "sync":
            with Client(server.address, namespace=namespace) as client:
                yield SidecarSaver(client)
        else:
            async with AsyncClient(server.address, namespace=namespace) as client:
                yield SidecarSaver(client)

    report = await validate(make)

    failures = {name: found.failures for name, found in report.results.items() if found.failures}
    assert failures == {}
    assert sum(found.tests_passed for found in report.results.values()) == CASES
    row = f"| LangGraph | checkpointer conformance, {kind}hronous | {CASES} of {CASES} |"
    assert row in TABLE.read_text()
