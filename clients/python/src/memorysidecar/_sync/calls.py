# Made from _async/calls.py by make_sync.py; do not edit.
"""Calls of the client: with retries, page by page, and as a watch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from operator import attrgetter
from types import TracebackType
from typing import Any, TypeVar

import grpc
from typing_extensions import Self

from .. import v1
from .._base import Base, explain, on_page
from .._fields import ReadOptions, WriteOptions
from .._watch_state import Listeners
from .pager import P, Pager
from .watch import Watch

R = TypeVar("R")


class Calls(Base):
    """The calls of the client."""

    @staticmethod
    def _open(
        target: str,
        credentials: grpc.ChannelCredentials | None,
        settings: list[tuple[str, Any]],
    ) -> grpc.Channel:
        if credentials is None:
            return grpc.insecure_channel(target, settings)
        return grpc.secure_channel(target, credentials, settings)

    def _unary(self, request: Any, answer: type[R], call: WriteOptions | ReadOptions) -> R:
        rpc, attempts = self._prepare(request, call)
        while True:
            try:
                timeout = attempts.timeout()
                result: R = rpc(request, timeout=timeout, metadata=self.metadata)
                return result
            except grpc.RpcError as error:
                delay = attempts.delay_after(explain(error, request, self.address, attempts.limit))
            time.sleep(delay)

    def _pages(
        self, request: Any, answer: type[P], items: str | Callable[[P], Any], call: ReadOptions
    ) -> Pager[Any, P]:
        def fetch(token: str) -> P:
            return self._unary(on_page(request, token), answer, call)

        return Pager(fetch, attrgetter(items) if isinstance(items, str) else items)

    def _stream(
        self, request: Any, answer: type[R], call: WriteOptions | ReadOptions
    ) -> Iterator[R]:
        rpc, attempts = self._prepare(request, call)
        while True:
            stream = rpc(request, timeout=attempts.timeout(), metadata=self.metadata)
            begun = False
            try:
                for chunk in stream:
                    begun = True
                    yield chunk
                return
            except grpc.RpcError as error:
                if begun:
                    raise explain(error, request, self.address, attempts.limit) from error
                delay = attempts.delay_after(explain(error, request, self.address, attempts.limit))
            finally:
                stream.cancel()
            time.sleep(delay)

    def _watch(
        self,
        request: v1.WatchEventsRequest,
        reconnect_timeout: float | None,
        read_state: Callable[[], None] | None,
        listeners: Listeners,
        call: ReadOptions,
    ) -> Watch:
        reads_state = read_state is not None
        state = self._watch_state(
            request, reconnect_timeout, listeners, call, reads_state=reads_state
        )
        watch = Watch(
            lambda again: self.events.WatchEvents(again, metadata=self.metadata), state, read_state
        )
        self._watches.add(watch)
        watch.open()
        return watch

    def close(self) -> None:
        """Closes the connection and ends the watches over it."""
        for watch in list(self._watches):
            watch.close()
        self.channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
