"""A watch of the stream of events, for asyncio."""

from __future__ import annotations

import asyncio  # async only
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any

import grpc

from .. import v1
from .._waits import AsyncFlag, async_read
from .._watch_state import WatchState, ended
from ..errors import MemorySidecarError, decode_error


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
        self._closed = AsyncFlag()

    @property
    def resume_token(self) -> str:
        """The position after the last event that was given. Keep it to go on in another process, or
        acknowledge it with ``ack_events``."""
        return self._state.resume_token

    async def open(self) -> AsyncWatch:
        """Waits for the first answer: what happens from then on is watched."""
        if not self._state.opened:
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
        except asyncio.CancelledError:  # async only
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
            await self._closed.pause(self._state.delay_after(failure))

    async def _read(self) -> v1.WatchEventsResponse:
        stream, timeout = self._stream, None
        if stream is None:
            stream = self._stream = self._start(self._state.request())
            timeout = self._state.open_timeout
            # A close that came just before has not seen this stream.
            if self._closed.is_set():
                stream.cancel()
        answer: v1.WatchEventsResponse | None = await async_read(stream, timeout)
        if answer is None:
            raise ended()
        return answer
