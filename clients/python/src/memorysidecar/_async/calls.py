"""Calls of the asyncio client: with retries, page by page, and as a watch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from operator import attrgetter
from types import TracebackType
from typing import Any, TypeVar

import grpc
import grpc.aio
from typing_extensions import Self

from .. import v1
from .._base import Base, explain, on_page
from .._fields import ReadOptions, WriteOptions
from .._watch_state import Listeners
from .pager import AsyncPager, P
from .watch import AsyncWatch

R = TypeVar("R")


class AsyncCalls(Base):
    """The calls of the asyncio client."""

    @staticmethod
    def _open(
        target: str,
        credentials: grpc.ChannelCredentials | None,
        settings: list[tuple[str, Any]],
    ) -> grpc.aio.Channel:
        if credentials is None:
            return grpc.aio.insecure_channel(target, settings)
        return grpc.aio.secure_channel(target, credentials, settings)

    async def _unary(self, request: Any, answer: type[R], call: WriteOptions | ReadOptions) -> R:
        rpc, attempts = self._prepare(request, call)
        while True:
            try:
                timeout = attempts.timeout()
                result: R = await rpc(request, timeout=timeout, metadata=self.metadata)
                return result
            except grpc.RpcError as error:
                delay = attempts.delay_after(explain(error, request, self.address, attempts.limit))
            await asyncio.sleep(delay)

    def _pages(
        self, request: Any, answer: type[P], items: str | Callable[[P], Any], call: ReadOptions
    ) -> AsyncPager[Any, P]:
        async def fetch(token: str) -> P:
            return await self._unary(on_page(request, token), answer, call)

        return AsyncPager(fetch, attrgetter(items) if isinstance(items, str) else items)

    async def _stream(
        self, request: Any, answer: type[R], call: WriteOptions | ReadOptions
    ) -> AsyncIterator[R]:
        rpc, attempts = self._prepare(request, call)
        while True:
            stream = rpc(request, timeout=attempts.timeout(), metadata=self.metadata)
            begun = False
            try:
                async for chunk in stream:
                    begun = True
                    yield chunk
                return
            except grpc.RpcError as error:
                if begun:
                    raise explain(error, request, self.address, attempts.limit) from error
                delay = attempts.delay_after(explain(error, request, self.address, attempts.limit))
            finally:
                stream.cancel()
            await asyncio.sleep(delay)

    def _watch(
        self,
        request: v1.WatchEventsRequest,
        reconnect_timeout: float | None,
        read_state: Callable[[], Awaitable[None]] | None,
        listeners: Listeners,
        call: ReadOptions,
    ) -> AsyncWatch:
        reads_state = read_state is not None
        state = self._watch_state(
            request, reconnect_timeout, listeners, call, reads_state=reads_state
        )
        watch = AsyncWatch(
            lambda again: self.events.WatchEvents(again, metadata=self.metadata), state, read_state
        )
        self._watches.add(watch)
        # sync: watch.open()
        return watch

    async def close(self) -> None:
        """Closes the connection and ends the watches over it."""
        for watch in list(self._watches):
            await watch.close()
        await self.channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
