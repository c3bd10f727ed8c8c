"""A real server with hooks for workers, and a client of it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from real import RealServer

from memorysidecar import Client

HOOK = "agents"
VECTORS = "vectors"
ORDER = "order"
FINDER = "finder"
SCORER = "scorer"
JUDGE = "judge"


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """A real server with a hook for workers."""
    folder = tmp_path_factory.mktemp("hooked")
    hooks = folder / "hooks.json"
    polled = {
        HOOK: {"kind": "poll", "max_attempts": 2},
        VECTORS: {"kind": "poll", "does": "embed", "dimensions": 2},
        ORDER: {"kind": "poll", "does": "rerank"},
        FINDER: {"kind": "poll", "does": "extract"},
        SCORER: {"kind": "poll", "does": "score"},
        JUDGE: {"kind": "poll", "does": "resolve"},
    }
    named = {"embedder": VECTORS, "default_resolver": JUDGE}
    hooks.write_text(json.dumps({"hooks": polled, **named}))
    with RealServer(folder, "--hooks-file", str(hooks)) as running:
        yield running


@pytest.fixture
def memory(hooked: RealServer, request: pytest.FixtureRequest) -> Iterator[Client]:
    """A client of that server in a namespace of the test's own."""
    name = f"k-{abs(hash(request.node.nodeid)):x}"
    with Client(hooked.address, namespace=name) as made:
        yield made
