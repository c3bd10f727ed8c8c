# Made from _async/watch.py by make_sync.py; do not edit.
"""A watch of the stream of events, for programs without asyncio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

import grpc

from .. import v1
from .._waits import Flag, read
from .._watch_state import WatchState, ended
from ..errors import MemorySidecarError, decode_error


class Watch(Iterator[v1.Event]):
    """Gives events as they happen, without a gap and none twice, over restarts of the server.

    Made by ``Client.watch``. It is on when ``watch`` returns, and ends with ``close``,
    which any thread may call.
    """

    def __init__(
        self,
        start: Callable[[v1.WatchEventsRequest], Any],
        state: WatchState,
        read_state: Callable[[], None] | None,
    ) -> None:
        self._start = start
        self._state = state
        self._read_state = read_state
        self._stream: Any = None
        self._closed = Flag()

    @property
    def resume_token(self) -> str:
        """The position after the last event that was given. Keep it to go on in another process, or
        acknowledge it with ``ack_events``."""
        return self._state.resume_token

    def open(self) -> Watch:
        """Waits for the first answer: what happens from then on is watched."""
        if not self._state.opened:
            self._state.begin()
        while not self._state.opened and not self._closed.is_set():
            self._step()
        return self

    def __next__(self) -> v1.Event:
        if not self._state.opened:
            self.open()
        while not self._closed.is_set():
            event = self._state.take()
            if event is not None:
                return event
            self._step()
        self._drop()
        raise StopIteration

    def close(self) -> None:
        """Ends the watch and the stream behind it. A thread that waits for an event stops."""
        self._closed.set()
        self._drop()

    def __enter__(self) -> Watch:
        return self.open()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _drop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.cancel()

    def _step(self) -> None:
        """Reads one answer, or waits out the pause after a failure."""
        try:
            answer = self._read()
            if self._read_state is not None and self._state.wants_state:
                self._read_state()
            self._state.accept(answer)
            return
        except grpc.RpcError as error:
            failure = decode_error(error)
        except MemorySidecarError as error:
            failure = error
        self._drop()
        if not self._closed.is_set():
            self._closed.pause(self._state.delay_after(failure))

    def _read(self) -> v1.WatchEventsResponse:
        stream, timeout = self._stream, None
        if stream is None:
            stream = self._stream = self._start(self._state.request())
            timeout = self._state.open_timeout
            # A close that came just before has not seen this stream.
            if self._closed.is_set():
                stream.cancel()
        answer: v1.WatchEventsResponse | None = read(stream, timeout)
        if answer is None:
            raise ended()
        return answer
