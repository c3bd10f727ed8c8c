"""Fixtures: the fake server of the unit tests and the real one of the others."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake import FakeServer
from real import RealServer

from memorysidecar import Client, RetryPolicy, compat
from memorysidecar.compat import use

HERE = Path(__file__).parent
ORACLE = HERE.parents[2] / "test" / "oracle"
FRAMEWORKS = ("selectools", "lauren", "definable", "marsys", "memorysidecar.compat.")
QUICK = RetryPolicy(max_attempts=4, initial_delay=0.01, max_delay=0.05)


@pytest.fixture
def fake() -> Iterator[FakeServer]:
    """A server that answers as the test tells it."""
    server = FakeServer()
    yield server
    server.stop()


@pytest.fixture
def fake_client(fake: FakeServer) -> Iterator[Client]:
    """A client of the fake server that retries quickly."""
    with Client(fake.path, retry=QUICK, timeout=10) as client:
        yield client


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """The real server, one for all tests that need no other."""
    with RealServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[RealServer]:
    """A real server of the test's own, to be killed."""
    with RealServer(tmp_path) as running:
        yield running


@pytest.fixture
def client(server: RealServer, request: pytest.FixtureRequest) -> Iterator[Client]:
    """A client of the real server in a namespace of the test's own."""
    name = f"t-{abs(hash(request.node.nodeid)):x}"
    with Client(server.address, namespace=name) as made:
        yield made


@pytest.fixture
def frameworks(monkeypatch: pytest.MonkeyPatch, client: Client) -> Iterator[Client]:
    """Stand-ins of the frameworks, and a client that all drop-in objects share."""
    monkeypatch.syspath_prepend(str(HERE / "standins"))
    monkeypatch.syspath_prepend(str(ORACLE))
    use(client)
    yield client
    use(None)
    for name in list(sys.modules):
        mine = name.startswith(FRAMEWORKS)
        if mine and "_shared" not in name:
            del sys.modules[name]
            # An import of a name takes it from its package, if that has it.
            vars(compat).pop(name.rpartition(".")[2], None)
