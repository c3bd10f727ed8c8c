"""Workers: programs that do the tasks of a hook with a model of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Final

from . import v1
from ._task_fields import (
    Found,
    Output,
    PurposeName,
    Resolution,
    Result,
    Scores,
    Vectors,
    found_of,
    hooks_of,
    importance_of,
    output_of,
    purpose_of,
    resolution_of,
    scores_of,
    vectors_of,
)
from .errors import ErrorReason, MemorySidecarError

if TYPE_CHECKING:
    from .aio import AsyncClient
    from .client import Client

Summarize = Callable[[v1.SummarizeInput], Output]
Embed = Callable[[list[str], PurposeName], Vectors]
Rerank = Callable[[str, list[str]], Scores]
Extract = Callable[[v1.ExtractInput], Found]
Score = Callable[[list[str]], Scores]
Resolve = Callable[[v1.ResolveInput], Resolution]
AsyncSummarize = Callable[[v1.SummarizeInput], Awaitable[Output]]
AsyncEmbed = Callable[[list[str], PurposeName], Awaitable[Vectors]]
AsyncRerank = Callable[[str, list[str]], Awaitable[Scores]]
AsyncExtract = Callable[[v1.ExtractInput], Awaitable[Found]]
AsyncScore = Callable[[list[str]], Awaitable[Scores]]
AsyncResolve = Callable[[v1.ResolveInput], Awaitable[Resolution]]

_WAIT_SECONDS: Final = 20.0
# A poll is repeated by the client already: what fails then has failed for a while.
_AWAY_FAILURES: Final = 5
# Trying again does not help.
_FOR_GOOD: Final = frozenset(
    {
        ErrorReason.HOOK_NOT_CONFIGURED,
        ErrorReason.REQUEST_INVALID,
        ErrorReason.TOKEN_MISSING,
        ErrorReason.TOKEN_INVALID,
    }
)


class TaskRefused(Exception):
    """Raise this in a worker's function when trying the task again does not help. The text goes to
    operators: no content of messages."""


def _failure(error: Exception) -> tuple[str, bool]:
    """What is told of a failure: its kind, not its text, which may hold content."""
    if isinstance(error, TaskRefused):
        return str(error)[:256], True
    if isinstance(error, _NoFunction):
        return "the worker has no function for the task", False
    return type(error).__name__, False


class _NoFunction(Exception):
    """The worker was given no function for a task."""


def _checked(*functions: object) -> None:
    if all(function is None for function in functions):
        raise ValueError("give one of summarize, embed, rerank, extract, score, resolve")


class Worker:
    """Takes tasks of hooks, one after the other, and does them with a function::

        worker = Worker(client, "agents", lambda task: my_model(task.transcript))
        worker.run()

    ``summarize`` gets a ``SummarizeInput`` and gives a text or a ``SummarizeOutput``; ``embed``
    gets texts and ``"query"`` or ``"passage"``, and gives a vector for each text; ``rerank`` gets a
    query and texts, and gives a score for each text; ``extract`` gets an ``ExtractInput`` and gives
    what it found, ``{"facts": [{"text": "..."}]}``; ``score`` gets texts and says how important
    each is, 0 to 1; ``resolve`` gets a ``ResolveInput`` and gives ``"keep_both"``,
    ``"supersede"``, ``"drop"`` or ``{"text": "both in one"}``. What a function raises gives the
    task back, to be tried again. Start several workers to do several tasks at once.
    """

    def __init__(
        self,
        client: Client,
        hooks: str | Iterable[str],
        summarize: Summarize | None = None,
        *,
        embed: Embed | None = None,
        rerank: Rerank | None = None,
        extract: Extract | None = None,
        score: Score | None = None,
        resolve: Resolve | None = None,
        lease: float = 60.0,
        worker_id: str = "",
        namespace: str | None = None,
    ) -> None:
        """
        :param embed: makes vectors, for hooks that are to embed.
        :param rerank: says how well texts answer a query, for hooks that are to rerank.
        :param extract: finds facts, entities and relations, for hooks that are to extract.
        :param score: says how important texts are, for hooks that are to score.
        :param resolve: settles contradictions, for hooks that are to resolve.
        :param lease: seconds that a task is kept; extended while the function works.
        :param worker_id: the worker's name for itself, which ``list_tasks`` shows.
        :param namespace: the namespace whose tasks it takes. Default: that of the client.
        """
        _checked(summarize, embed, rerank, extract, score, resolve)
        self._client = client
        self._hooks = hooks_of(hooks)
        self._summarize = summarize
        self._embed = embed
        self._rerank = rerank
        self._extract = extract
        self._score = score
        self._resolve = resolve
        self._lease = lease
        self._worker_id = worker_id
        self._namespace = client.namespace if namespace is None else namespace
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ends ``run`` after the task or the poll under way. Any thread may call it."""
        self._stopped.set()

    def run(self, max_tasks: int | None = None) -> int:
        """Works until ``stop`` is called, or so many tasks were done; gives how many were. While
        the server is away it tries again. Raises a ``MemorySidecarError`` that would come again."""
        done = 0
        while not self._stopped.is_set() and (max_tasks is None or done < max_tasks):
            try:
                tasks = self._client.poll_tasks(
                    self._hooks,
                    wait=_WAIT_SECONDS,
                    lease=self._lease,
                    worker_id=self._worker_id,
                    namespace=self._namespace,
                )
            except MemorySidecarError as error:
                if error.reason in _FOR_GOOD:
                    raise
                self._stopped.wait(self._client.retry.delay(_AWAY_FAILURES))
                continue
            for task in tasks:
                done += self._do(task)
        return done

    def _do(self, task: v1.LeasedTask) -> bool:
        finished = threading.Event()
        keeper = threading.Thread(target=self._keep, args=(task, finished), daemon=True)
        keeper.start()
        try:
            output = self._answer(task)
        except Exception as error:
            message, permanent = _failure(error)
            finished.set()
            _ignore(lambda: self._client.fail_task(task, message, permanent=permanent))
            return False
        finally:
            finished.set()
        return _ignore(lambda: self._client.complete_task(task, output))

    # What is made of a result here fails the task when the result is of another form.
    def _answer(self, task: v1.LeasedTask) -> Result:
        kind = task.WhichOneof("input")
        if kind == "embed" and self._embed is not None:
            return vectors_of(self._embed(list(task.embed.texts), purpose_of(task.embed)))
        if kind == "rerank" and self._rerank is not None:
            return scores_of(self._rerank(task.rerank.query, list(task.rerank.texts)))
        if kind == "extract" and self._extract is not None:
            return found_of(self._extract(task.extract))
        if kind == "score" and self._score is not None:
            return importance_of(self._score(list(task.score.texts)))
        if kind == "resolve" and self._resolve is not None:
            return resolution_of(self._resolve(task.resolve))
        if kind == "summarize" and self._summarize is not None:
            return output_of(self._summarize(task.summarize))
        raise _NoFunction

    def _keep(self, task: v1.LeasedTask, finished: threading.Event) -> None:
        """Extends the lease while the function works."""
        while not finished.wait(self._lease / 3):
            _ignore(lambda: self._client.extend_lease(task, self._lease))


def _ignore(call: Callable[[], object]) -> bool:
    """Makes a call whose failure ends nothing: the lease ends by itself, or ended already."""
    try:
        call()
    except MemorySidecarError:
        return False
    return True


class AsyncWorker:
    """Takes tasks of hooks, one after the other, and does them with a coroutine function. As
    ``Worker``, for ``AsyncClient``; cancel the task that runs it to stop at once."""

    def __init__(
        self,
        client: AsyncClient,
        hooks: str | Iterable[str],
        summarize: AsyncSummarize | None = None,
        *,
        embed: AsyncEmbed | None = None,
        rerank: AsyncRerank | None = None,
        extract: AsyncExtract | None = None,
        score: AsyncScore | None = None,
        resolve: AsyncResolve | None = None,
        lease: float = 60.0,
        worker_id: str = "",
        namespace: str | None = None,
    ) -> None:
        """See ``Worker``."""
        _checked(summarize, embed, rerank, extract, score, resolve)
        self._client = client
        self._hooks = hooks_of(hooks)
        self._summarize = summarize
        self._embed = embed
        self._rerank = rerank
        self._extract = extract
        self._score = score
        self._resolve = resolve
        self._lease = lease
        self._worker_id = worker_id
        self._namespace = client.namespace if namespace is None else namespace
        self._stopped = False

    def stop(self) -> None:
        """Ends ``run`` after the task or the poll under way."""
        self._stopped = True

    async def run(self, max_tasks: int | None = None) -> int:
        """Works until ``stop`` is called, or so many tasks were done; gives how many were."""
        done = 0
        while not self._stopped and (max_tasks is None or done < max_tasks):
            try:
                tasks = await self._client.poll_tasks(
                    self._hooks,
                    wait=_WAIT_SECONDS,
                    lease=self._lease,
                    worker_id=self._worker_id,
                    namespace=self._namespace,
                )
            except MemorySidecarError as error:
                if error.reason in _FOR_GOOD:
                    raise
                await asyncio.sleep(self._client.retry.delay(_AWAY_FAILURES))
                continue
            for task in tasks:
                done += await self._do(task)
        return done

    async def _do(self, task: v1.LeasedTask) -> bool:
        keeper = asyncio.create_task(self._keep(task))
        try:
            output = await self._answer(task)
        except Exception as error:
            message, permanent = _failure(error)
            await _ignore_async(self._client.fail_task(task, message, permanent=permanent))
            return False
        finally:
            keeper.cancel()
        return await _ignore_async(self._client.complete_task(task, output))

    async def _answer(self, task: v1.LeasedTask) -> Result:
        kind = task.WhichOneof("input")
        if kind == "embed" and self._embed is not None:
            return vectors_of(await self._embed(list(task.embed.texts), purpose_of(task.embed)))
        if kind == "rerank" and self._rerank is not None:
            return scores_of(await self._rerank(task.rerank.query, list(task.rerank.texts)))
        if kind == "extract" and self._extract is not None:
            return found_of(await self._extract(task.extract))
        if kind == "score" and self._score is not None:
            return importance_of(await self._score(list(task.score.texts)))
        if kind == "resolve" and self._resolve is not None:
            return resolution_of(await self._resolve(task.resolve))
        if kind == "summarize" and self._summarize is not None:
            return output_of(await self._summarize(task.summarize))
        raise _NoFunction

    async def _keep(self, task: v1.LeasedTask) -> None:
        while True:
            await asyncio.sleep(self._lease / 3)
            await _ignore_async(self._client.extend_lease(task, self._lease))


async def _ignore_async(call: Awaitable[object]) -> bool:
    try:
        await call
    except MemorySidecarError:
        return False
    return True
