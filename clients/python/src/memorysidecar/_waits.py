"""Waiting, in which asyncio and threads differ: each kind for the one and for the other."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio
from typing_extensions import Self

from ._watch_state import no_answer


class AsyncFlag(asyncio.Event):
    """A flag that ends pauses."""

    async def pause(self, seconds: float) -> None:
        """Waits so long, or until the flag is set."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.wait(), seconds)


class Flag(threading.Event):
    """A flag that ends pauses."""

    def pause(self, seconds: float) -> None:
        """Waits so long, or until the flag is set."""
        self.wait(seconds)


async def async_read(stream: Any, timeout: float | None) -> Any:
    """Reads the next answer of a stream; None at its end. Raises when it does not come in time."""
    try:
        answer = await asyncio.wait_for(stream.read(), timeout)
    except asyncio.TimeoutError:
        raise no_answer() from None
    return None if answer is grpc.aio.EOF else answer


def read(stream: Any, timeout: float | None) -> Any:
    """Reads the next answer of a stream; None at its end. Raises when it does not come in time."""
    if timeout is None:
        return next(stream, None)
    late = threading.Event()

    def give_up() -> None:
        late.set()
        stream.cancel()

    timer = threading.Timer(timeout, give_up)
    timer.daemon = True
    timer.start()
    try:
        return next(stream, None)
    except grpc.RpcError:
        if late.is_set():
            raise no_answer() from None
        raise
    finally:
        timer.cancel()


class AsyncRepeated:
    """Makes a call every so many seconds while the block below it runs."""

    def __init__(self, seconds: float, call: Callable[[], Awaitable[object]]) -> None:
        self._seconds = seconds
        self._call = call

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._repeat())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _repeat(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            await self._call()


class Repeated:
    """Makes a call every so many seconds, in a thread, while the block below it runs."""

    def __init__(self, seconds: float, call: Callable[[], object]) -> None:
        self._seconds = seconds
        self._call = call
        self._left = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._repeat, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()

    def _repeat(self) -> None:
        while not self._left.wait(self._seconds):
            self._call()
