"""Sequences of calls that run on either client.

A plan is a generator. It yields steps, is sent their results, and returns its own result. Clients
of both kinds have the same methods, so that one plan serves both.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from .. import AsyncClient, Client

T = TypeVar("T")
TIDY_SECONDS = 2.0
"""Time that a cancelled plan has to delete what it has uploaded: its caller waits no longer."""


@dataclass(frozen=True)
class Call:
    """A call of one rpc; its result is the answer."""

    method: Callable[[Any], Any]


@dataclass(frozen=True)
class Collect:
    """A list of the server; its result is the first ``limit`` items that fit, or all of them."""

    pager: Callable[[Any], Any]
    limit: int | None = None
    where: Callable[[Any], bool] = lambda item: True


@dataclass(frozen=True)
class Emit:
    """An item of a plan that gives many; it has no result."""

    item: Any


@dataclass(frozen=True)
class Pause:
    """A wait of so many seconds; it has no result."""

    seconds: float


Step = Call | Collect | Emit | Pause
Plan = Generator[Step, Any, T]


class Runner:
    """Carries out plans on a client.

    With a ``Client``, asynchronous methods run in threads. With an ``AsyncClient`` they run on the
    event loop that made the runner, and synchronous ones wait for this loop in any other thread.
    """

    def __init__(self, client: Client | AsyncClient) -> None:
        self._client = client
        self._loop = _loop_of_client() if isinstance(client, AsyncClient) else None
        self._tidying: set[asyncio.Task[None]] = set()

    def run(self, plan: Plan[T]) -> T:
        """Gives the result of a plan."""
        if self._loop is not None:
            return self._wait(self._loop, self.arun(plan))
        result: T
        [result] = self.iterate(_emitted(plan))
        return result

    async def arun(self, plan: Plan[T]) -> T:
        """Gives the result of a plan, on an event loop."""
        if self._loop is None:
            return await asyncio.to_thread(self.run, plan)
        self._check_loop()
        result: T
        [result] = [item async for item in self.aiterate(_emitted(plan))]
        return result

    def iterate(self, plan: Plan[Any]) -> Iterator[Any]:
        """Gives what a plan emits."""
        if self._loop is not None:
            items = self.aiterate(plan)
            while (item := self._wait(self._loop, _anext(items))) is not END:
                yield item
            return
        step = _advance(plan, None, None)
        while step is not None:
            result, error = None, None
            if isinstance(step, Emit):
                yield step.item
            else:
                try:
                    result = _do(self._client, step)
                except Exception as failure:
                    error = failure
            step = _advance(plan, result, error)

    async def aiterate(self, plan: Plan[Any]) -> AsyncIterator[Any]:
        """Gives what a plan emits, on an event loop."""
        if self._loop is None:
            rest = self.iterate(plan)
            while (item := await asyncio.to_thread(next, rest, END)) is not END:
                yield item
            return
        self._check_loop()
        step = _advance(plan, None, None)
        while step is not None:
            result, error = None, None
            if isinstance(step, Emit):
                yield step.item
            else:
                try:
                    result, error = await _atry(self._client, step)
                except asyncio.CancelledError as cancelled:
                    await self._tidy_up(plan, cancelled)
                    raise
            step = _advance(plan, result, error)

    async def _tidy_up(self, plan: Plan[Any], cancelled: asyncio.CancelledError) -> None:
        """Does what a plan still wants when its call is cancelled. A second cancellation ends the
        wait for this, but not the work."""
        step = _advance(plan, None, cancelled)
        work = asyncio.create_task(_finish(self._client, plan, step))
        self._tidying.add(work)
        work.add_done_callback(self._tidying.discard)
        await asyncio.shield(work)

    def _check_loop(self) -> None:
        if _running_loop() is not self._loop:
            raise asyncio.InvalidStateError(
                "an asynchronous method runs on another event loop than that of the AsyncClient: "
                "make the object with a client of this loop, or with a Client"
            )

    @staticmethod
    def _wait(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
        if _running_loop() is loop:
            work.close()
            raise asyncio.InvalidStateError(
                "a synchronous method would block the event loop of the AsyncClient: use the "
                "asynchronous one (ainvoke, astream, aget), or make the object with a Client"
            )
        return asyncio.run_coroutine_threadsafe(work, loop).result()


END = object()


def _emitted(plan: Plan[T]) -> Plan[None]:
    yield Emit((yield from plan))


def _advance(plan: Plan[Any], result: Any, error: BaseException | None) -> Step | None:
    try:
        return plan.send(result) if error is None else plan.throw(error)
    except StopIteration:
        return None


async def _anext(items: AsyncIterator[Any]) -> Any:
    return await anext(items, END)


def _do(client: Any, step: Call | Collect | Pause) -> Any:
    if isinstance(step, Pause):
        return time.sleep(step.seconds)
    if isinstance(step, Call):
        return step.method(client)
    return list(islice(filter(step.where, step.pager(client)), step.limit))


async def _finish(client: Any, plan: Plan[Any], step: Step | None) -> None:
    """Does the steps of a cancelled plan, within a limit. Its errors are passed over: the caller
    gets the cancellation."""

    async def finish(step: Step | None) -> None:
        while step is not None:
            given = (None, None) if isinstance(step, Emit) else await _atry(client, step)
            step = _advance(plan, *given)

    with contextlib.closing(plan), contextlib.suppress(Exception, asyncio.CancelledError):
        await asyncio.wait_for(finish(step), TIDY_SECONDS)


async def _atry(client: Any, step: Call | Collect | Pause) -> tuple[Any, Exception | None]:
    try:
        return await _ado(client, step), None
    except Exception as failure:
        return None, failure


async def _ado(client: Any, step: Call | Collect | Pause) -> Any:
    if isinstance(step, Pause):
        return await asyncio.sleep(step.seconds)
    if isinstance(step, Call):
        return await step.method(client)
    items: list[Any] = []
    async for item in step.pager(client):
        if step.where(item):
            items.append(item)
            if len(items) == step.limit:
                break
    return items


def _loop_of_client() -> asyncio.AbstractEventLoop:
    loop = _running_loop()
    if loop is None:
        raise RuntimeError(
            "no event loop is running: make the object of an AsyncClient in a coroutine on the "
            "loop of the client, or make it with a Client"
        )
    return loop


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
