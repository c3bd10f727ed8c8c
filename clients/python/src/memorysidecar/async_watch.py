"""A watch of the stream of events, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any

import grpc
import grpc.aio

from . import v1
from ._watch_state import WatchState, ended, no_answer
from .errors import MemorySidecarError, decode_error


class AsyncWatch(AsyncIterator[v1.Event]):
    """Gives events as they happen, without a gap and none twice, over restarts of the server.

    Made by ``AsyncClient.watch``. It is on after ``open``, on entering ``async with``, or with the
    first step of ``async for``; ends with ``close``.
    """

    def __init__(
        self,
        start: Callable[[v1.WatchEventsRequest], Any],
        state: WatchState,
        read_state: Callable[[], Awaitable[None]] | None,
    ) -> None:
        self._start = start
        self._state = state
        self._read_state = read_state
        self._stream: Any = None
        self._closed = asyncio.Event()

    @property
    def resume_token(self) -> str:
        """The position after the last event that was given. Keep it to go on in another process, or
        acknowledge it with ``ack_events``."""
        return self._state.resume_token

    async def open(self) -> AsyncWatch:
        """Waits for the first answer: what happens from then on is watched."""
        self._state.begin()
        while not self._state.opened and not self._closed.is_set():
            await self._step()
        return self

    async def __anext__(self) -> v1.Event:
        if not self._state.opened:
            await self.open()
        while not self._closed.is_set():
            event = self._state.take()
            if event is not None:
                return event
            await self._step()
        self._drop()
        raise StopAsyncIteration

    async def close(self) -> None:
        """Ends the watch and the stream behind it. A task that waits for an event stops."""
        self._closed.set()
        self._drop()

    async def __aenter__(self) -> AsyncWatch:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _drop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.cancel()

    async def _step(self) -> None:
        """Reads one answer, or waits out the pause after a failure."""
        try:
            answer = await self._read()
            if self._read_state is not None and self._state.wants_state:
                await self._read_state()
            self._state.accept(answer)
            return
        except asyncio.CancelledError:
            # A read that is cancelled ends its stream: the next step resumes on a new one.
            self._drop()
            if not self._closed.is_set():
                raise
            return
        except grpc.RpcError as error:
            failure = decode_error(error)
        except MemorySidecarError as error:
            failure = error
        self._drop()
        if not self._closed.is_set():
            await self._pause(self._state.delay_after(failure))

    async def _pause(self, delay: float) -> None:
        try:
            await asyncio.wait_for(self._closed.wait(), delay)
        except asyncio.TimeoutError:
            return

    async def _read(self) -> v1.WatchEventsResponse:
        timeout = None
        if self._stream is None:
            self._stream = self._start(self._state.request())
            timeout = self._state.open_timeout
        try:
            answer = await asyncio.wait_for(self._stream.read(), timeout)
        except asyncio.TimeoutError:
            raise no_answer() from None
        if answer is grpc.aio.EOF:
            raise ended()
        return answer  # type: ignore[no-any-return]
