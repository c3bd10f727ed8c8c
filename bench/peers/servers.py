"""Starts the servers that products need: each on a free port, with its files in one directory."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = {"redis-server": "redis-server", "initdb": "postgresql"}
"""The Debian package of a program."""
START_SECONDS = 60


class Missing(Exception):
    """Something that a product needs is not on this machine."""


class Server(NamedTuple):
    process: subprocess.Popen[bytes]
    port: int

    def stop(self) -> None:
        # SIGINT is the fast shutdown of PostgreSQL; the others take it as an orderly stop, too.
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def program(name: str, install: bool) -> str:
    """The path of a program; installs its Debian package when that is allowed."""
    path = find(name)
    if path is None and install:
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", DEBIAN[name]]
        subprocess.run(command, check=True, stdout=sys.stderr)
        path = find(name)
    if path is None:
        raise Missing(f"{name} is missing: install the package {DEBIAN[name]}, or use --install")
    return path


def find(name: str) -> str | None:
    # Debian keeps the programs of PostgreSQL outside the search path.
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name) or next(
        (str(place / name) for place in places if (place / name).exists()), None
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(name: str, directory: Path, install: bool) -> Server:
    """Starts one of the servers and waits until it takes connections."""
    directory.mkdir()
    port = free_port()
    command, user = COMMANDS[name](directory, port, install)
    with open(f"{directory}.log", "wb") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, user=user, stdout=log, stderr=subprocess.STDOUT
        )
    server = Server(process, port)
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return server
        except OSError:
            time.sleep(0.1)
    process.kill()
    process.wait()
    told = Path(f"{directory}.log").read_text(errors="replace")[-2_000:]
    raise RuntimeError(f"{name} did not start: {told}")


Command = tuple[list[str], str | None]
"""A command line, and the user who runs it if it is another one."""


def sidecar(directory: Path, port: int, _install: bool) -> Command:
    node = shutil.which("node") or "node"
    listen = ["--listen", f"127.0.0.1:{port}"]
    flags = ["--max-semi-space-size=16", "src/main.ts", "serve", "--data-dir", str(directory)]
    return [node, *flags, *listen], None


def redis(directory: Path, port: int, install: bool) -> Command:
    durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
    place = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(directory)]
    return [program("redis-server", install), *place, *durable], None


def postgres(directory: Path, port: int, install: bool) -> Command:
    initdb = program("initdb", install)
    # PostgreSQL refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    if user is not None:
        shutil.chown(directory, user)
    data = str(directory / "data")
    options = ["--username=bench", "--auth=trust", "--encoding=UTF8", "--no-instructions"]
    subprocess.run([initdb, "-D", data, *options], user=user, check=True, stdout=sys.stderr)
    settings = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
    server = str(Path(initdb).with_name("postgres"))
    return [server, "-D", data, "-p", str(port), *settings], user


COMMANDS = {"sidecar": sidecar, "redis": redis, "postgres": postgres}
