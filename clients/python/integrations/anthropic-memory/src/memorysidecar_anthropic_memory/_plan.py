"""Sequences of calls that run on either client.

A plan is a generator. It yields calls and lists, is sent their results, and returns its own result.
Clients of both kinds have the same methods, so that one plan serves both.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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


@dataclass(frozen=True)
class _Done(Generic[T]):
    """The end of a plan."""

    result: T


def _advance(plan: Plan[T], result: Any, error: Exception | None) -> Call | Collect | _Done[T]:
    """Sends a plan the outcome of its last step; gives its next step, or its end."""
    try:
        return plan.send(result) if error is None else plan.throw(error)
    except StopIteration as end:
        return _Done(end.value)


def run(client: Client, plan: Plan[T]) -> T:
    """Gives the result of a plan."""
    result: Any = None
    error: Exception | None = None
    while True:
        step = _advance(plan, result, error)
        if isinstance(step, _Done):
            return step.result
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
        step = _advance(plan, result, error)
        if isinstance(step, _Done):
            return step.result
        result, error = None, None
        try:
            if isinstance(step, Call):
                result = await step.method(client)
            else:
                result = [item async for item in step.pager(client)]
        except Exception as failure:
            error = failure
