"""A server that a program starts for itself."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from types import TracebackType
from typing import IO, Any, Final

_STOP_SECONDS: Final = 15.0
_LOG_BYTES: Final = 64 * 1024
_HINT: Final = (
    "pip install 'memory-sidecar[server]', or npm install --global memory-sidecar. With a checkout"
    " of the repository, give its server after npm ci:"
    ' LocalServer(command=["CHECKOUT/node_modules/.bin/node", "CHECKOUT/src/main.ts"])'
)

# Stops the server when the pipe on the standard input ends, which happens even if the program that
# holds it is killed. Then removes the folder of the socket.
_KEEPER: Final = """
folder=$1; shift
exec 3<&0
"$@" < /dev/null 3<&- &
server=$!
{ read -r line <&3; kill -TERM "$server"; } 2> /dev/null &
waiting=$!
wait "$server"; code=$?
kill "$waiting" 2> /dev/null
rm -rf "$folder"
exit "$code"
"""


class LocalServer:
    """A server process on a Unix socket, for tests and for programs that want no service.

    It stops with the program, also when the program is killed. Use it with ``with`` or ``async
    with``, or call ``start`` and ``close``. Variables named ``MEMORY_SIDECAR_...`` have no effect.

    ``data_dir`` keeps the data; without it they are deleted at the end. ``flags`` are those of
    ``memory-sidecar serve``. ``command`` runs ``memory-sidecar``; by default it is that of the
    package ``memory-sidecar-server``, which the extra ``server`` installs, else the one in the
    path. ``start_timeout`` is in seconds.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        *,
        flags: Sequence[str] = (),
        command: Sequence[str] | None = None,
        start_timeout: float = 30.0,
    ) -> None:
        if isinstance(flags, str) or isinstance(command, str):
            raise TypeError("flags and command are lists of words, not one text")
        self._data_dir = data_dir
        self._flags = list(flags)
        self._command = command
        self._start_timeout = start_timeout
        self._folder = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None

    @property
    def address(self) -> str:
        """The address for a client."""
        if self._process is None:
            raise RuntimeError("the server is not started: use it with `with`, or call start()")
        return f"unix:{self._folder}/sock"

    def log(self) -> str:
        """The newest 64 KiB of output; the log level is ``warn`` unless a flag sets another."""
        if self._log is None:
            return ""
        # The position belongs to the server, too, so this must not move it.
        size = os.fstat(self._log.fileno()).st_size
        start = max(0, size - _LOG_BYTES)
        return os.pread(self._log.fileno(), _LOG_BYTES, start).decode(errors="replace")

    def start(self) -> None:
        """Starts the server and waits until it serves. Raises RuntimeError if it does not."""
        if self._process is not None:
            raise RuntimeError("the server is already started")
        command = list(self._command) if self._command is not None else _installed()
        # The path of a socket has at most 107 bytes, and on macOS 103.
        self._folder = tempfile.mkdtemp(prefix="ms-")
        data = self._data_dir if self._data_dir is not None else f"{self._folder}/data"
        listen = f"unix:{self._folder}/sock"
        words = [*command, "serve", "--data-dir", os.path.abspath(data), "--listen", listen]
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, "sh", self._folder, *words, *self._flags],
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )
        try:
            self._wait_until_it_serves()
        except BaseException:
            self.close()
            raise

    def _wait_until_it_serves(self) -> None:
        until = time.monotonic() + self._start_timeout
        while not _accepts(f"{self._folder}/sock"):
            ended = self._process is None or self._process.poll() is not None
            if ended or time.monotonic() > until:
                why = "ended" if ended else f"did not serve within {self._start_timeout} s"
                raise RuntimeError(f"the local server {why}:\n{self.log().strip()}")
            time.sleep(0.02)

    def close(self) -> None:
        """Stops the server and waits for its end; deletes the data unless they have a folder."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._log is not None:
            self._log.close()
            self._log = None

    def __enter__(self) -> LocalServer:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> LocalServer:
        await asyncio.to_thread(self.start)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.close)


def _installed() -> list[str]:
    if find_spec("memory_sidecar_server") is not None:
        server: Any = __import__("memory_sidecar_server")
        words: list[str] = server.command()
        return words
    found = shutil.which("memory-sidecar")
    if found is None:
        raise RuntimeError(f"no server is installed: {_HINT}")
    return [found]


def _environment() -> dict[str, str]:
    defaults = {"UV_THREADPOOL_SIZE": "16", "MALLOC_ARENA_MAX": "1"}
    others = {k: v for k, v in os.environ.items() if not k.startswith("MEMORY_SIDECAR_")}
    return {**defaults, **others, "MEMORY_SIDECAR_LOG_LEVEL": "warn"}


def _accepts(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(path)
        except OSError:
            return False
    return True
