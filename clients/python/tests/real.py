"""The real server, started as its users start it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import grpc

from memorysidecar import Client, RetryPolicy

ROOT = Path(__file__).resolve().parents[3]
START_SECONDS = 20.0
PATIENT = RetryPolicy(max_attempts=1_000, initial_delay=0.05, max_delay=0.5)
"""Of a client whose server is killed: only the limit of a call ends its attempts, however long a
busy machine takes to start the server again."""
MAIN = os.environ.get("TEST_SERVER", str(ROOT / "src/main.ts"))
"""The file that starts the server: the one that ``npm test`` packs its sources into, or these."""
COMMAND = [str(ROOT / "node_modules/.bin/node"), MAIN]


def provide_command(folder: Path) -> None:
    """Makes the command ``memory-sidecar`` of this checkout in a folder."""
    command = folder / "memory-sidecar"
    command.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    command.chmod(0o755)


class RealServer:
    """A server on a Unix socket in a folder. The folder outlives a kill."""

    def __init__(self, folder: Path, *flags: str) -> None:
        # The path of a Unix socket has at most 107 bytes, which a folder of pytest may pass.
        self.folder = Path("/tmp") / f"ms-{os.getpid()}-{abs(hash(str(folder))) % 10**8}"
        self.folder.mkdir(mode=0o700)
        self.address = f"unix:{self.folder}/s.sock"
        self.flags = flags
        self.starts = 0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        self.starts += 1
        path = f"{ROOT}/node_modules/.bin{os.pathsep}{os.environ['PATH']}"
        command = ["node", MAIN, "serve", "--data-dir", str(self.folder / "data")]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [*command, "--listen", self.address, *self.flags],
                cwd=ROOT,
                env={**os.environ, "PATH": path},
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the server does not serve:\n{self.log()}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        options = [
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
        ]
        with grpc.insecure_channel(self.address, options) as channel:
            try:
                grpc.channel_ready_future(channel).result(timeout=0.5)
            except grpc.FutureTimeoutError:
                return False
        return True

    def log(self) -> str:
        """Output of the server."""
        return (self.folder / "log").read_text()

    def kill(self) -> None:
        """Ends the server as a power cut of the process would: at once."""
        self._stop(signal.SIGKILL)

    def stop(self) -> None:
        """Ends the server in order."""
        self._stop(signal.SIGTERM)

    def _stop(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(timeout=20)

    def __enter__(self) -> RealServer:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        shutil.rmtree(self.folder)


@contextmanager
def meanwhile(act: Callable[[], object], *, after: float = 0.0) -> Iterator[Future[None]]:
    """Does something in another thread, after so many seconds. The end waits for it, and raises the
    error that it met."""

    def work() -> None:
        time.sleep(after)
        act()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        try:
            yield done
        finally:
            done.result()


class Between:
    """A client that does something once, before its first call of a method, or a later one."""

    def __init__(
        self, client: Client, method: str, act: Callable[[], object], *, after: int = 0
    ) -> None:
        self._client, self._method, self._act, self._left = client, method, act, after

    def __getattr__(self, name: str) -> Any:
        if name == self._method and self._left > 0:
            self._left -= 1
        elif name == self._method:
            self._method = ""
            self._act()
        return getattr(self._client, name)
