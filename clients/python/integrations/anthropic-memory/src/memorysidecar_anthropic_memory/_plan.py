"""Sequences of calls that run on either client.

A plan is a generator. It yields calls and lists, is sent their results, and returns its own result.
Clients of both kinds have the same methods, so that one plan serves both.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from memorysidecar import AsyncClient, Client

T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """A call of one rpc; its result is the answer."""

    method: Callable[[Any], Any]


@dataclass(frozen=True)
class Collect:
    """A list of the server; its result is all items of it."""

    pager: Callable[[Any], Any]


Plan = Generator[Call | Collect, Any, T]


def run(client: Client, plan: Plan[T]) -> T:
    """Gives the result of a plan."""
    result: Any = None
    error: Exception | None = None
    while True:
        try:
            step = plan.send(result) if error is None else plan.throw(error)
        except StopIteration as end:
            done: T = end.value
            return done
        result, error = None, None
        try:
            if isinstance(step, Call):
                result = step.method(client)
            else:
                result = list(step.pager(client))
        except Exception as failure:
            error = failure


async def arun(client: AsyncClient, plan: Plan[T]) -> T:
    """Gives the result of a plan, on an event loop."""
    result: Any = None
    error: Exception | None = None
    while True:
        try:
            step = plan.send(result) if error is None else plan.throw(error)
        except StopIteration as end:
            done: T = end.value
            return done
        result, error = None, None
        try:
            if isinstance(step, Call):
                result = await step.method(client)
            else:
                result = [item async for item in step.pager(client)]
        except Exception as failure:
            error = failure
