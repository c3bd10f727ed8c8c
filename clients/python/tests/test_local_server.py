"""LocalServer, with the server of this checkout."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from real import COMMAND, provide_command

from memorysidecar import AsyncClient, Client, LocalServer


def folder_of(server: LocalServer) -> Path:
    return Path(server.address.removeprefix("unix:")).parent


def wait_until_gone(path: Path) -> None:
    until = time.monotonic() + 20
    while path.exists():
        assert time.monotonic() < until, f"{path} is still there"
        time.sleep(0.05)


def test_it_serves_and_leaves_nothing() -> None:
    with LocalServer(command=COMMAND) as server:
        folder = folder_of(server)
        with Client(server.address) as client:
            client.append("trees", "What is the tallest tree?", create_session=True)
        assert (folder / "data").is_dir()
    assert not folder.exists()


def test_it_keeps_the_data_of_a_folder(tmp_path: Path) -> None:
    for start in range(2):
        with LocalServer(tmp_path / "data", command=COMMAND) as server:
            with Client(server.address) as client:
                client.append("trees", "Hyperion.", create_session=True)
                assert len(list(client.list_messages("trees"))) == start + 1


def test_it_serves_asyncio() -> None:
    async def talk() -> Path:
        async with LocalServer(command=COMMAND) as server:
            async with AsyncClient(server.address) as client:
                await client.append("trees", "Hyperion.", create_session=True)
            return folder_of(server)

    assert not asyncio.run(talk()).exists()


def test_it_stops_when_its_program_is_killed() -> None:
    program = f"""
import os, signal
from memorysidecar import LocalServer
server = LocalServer(command={COMMAND!r})
server.start()
print(server.address, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert done.returncode == -signal.SIGKILL
    wait_until_gone(Path(done.stdout.strip().removeprefix("unix:")).parent)


def test_it_says_why_it_does_not_start() -> None:
    flags = ["--no-such-flag", "1"]
    with pytest.raises(RuntimeError, match=r"(?s)local server ended:.*no-such-flag"):
        LocalServer(command=COMMAND, flags=flags).start()
    with pytest.raises(RuntimeError, match=r"did not serve within 0\.2 s"):
        LocalServer(command=["/bin/sh", "-c", "sleep 60"], start_timeout=0.2).start()


def test_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"pip install 'memory-sidecar\[server\]'") as found:
        LocalServer().start()
    assert 'LocalServer(command=["CHECKOUT/node_modules/.bin/node", ' in str(found.value)


def test_it_finds_the_command_in_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    provide_command(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with LocalServer() as server, Client(server.address) as client:
        assert client.server_info().version


def test_it_takes_its_settings_from_the_program_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_SIDECAR_LISTEN", "127.0.0.1:1")
    with LocalServer(command=COMMAND, flags=["--log-level", "info"]) as server:
        # The server answers before it has written the line that says so.
        until = time.monotonic() + 10
        while '"serving"' not in server.log() and time.monotonic() < until:
            time.sleep(0.05)
        assert '"serving"' in server.log()
        assert "127.0.0.1" not in server.log()


def test_it_names_a_wrong_use() -> None:
    with pytest.raises(RuntimeError, match="not started"):
        _ = LocalServer().address
    with pytest.raises(TypeError, match="lists of words"):
        LocalServer(flags="--log-level info")
    server = LocalServer(command=COMMAND)
    server.close()
    with server, pytest.raises(RuntimeError, match="already started"):
        server.start()
