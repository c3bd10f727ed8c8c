# Made from _async/worker.py by make_sync.py; do not edit.
"""Workers: programs that do the tasks of a hook with a model of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from .. import v1
from .._task_fields import (
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
from .._waits import Flag, Repeated
from .._worker_parts import (
    AWAY_FAILURES,
    FOR_GOOD,
    POLL_SECONDS,
    NoFunction,
    check_functions,
    told_of,
)
from ..errors import MemorySidecarError

if TYPE_CHECKING:
    from .client import Client

Summarize = Callable[[v1.SummarizeInput], Output]
Embed = Callable[[list[str], PurposeName], Vectors]
Rerank = Callable[[str, list[str]], Scores]
Extract = Callable[[v1.ExtractInput], Found]
Score = Callable[[list[str]], Scores]
Resolve = Callable[[v1.ResolveInput], Resolution]


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
        check_functions(summarize, embed, rerank, extract, score, resolve)
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
        self._stopped = Flag()

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
                    wait=POLL_SECONDS,
                    lease=self._lease,
                    worker_id=self._worker_id,
                    namespace=self._namespace,
                )
            except MemorySidecarError as error:
                if error.reason in FOR_GOOD:
                    raise
                self._stopped.pause(self._client.retry.delay(AWAY_FAILURES))
                continue
            for task in tasks:
                done += self._do(task)
        return done

    def _do(self, task: v1.LeasedTask) -> bool:
        client = self._client
        # A third of the lease leaves room for two extensions that fail.
        extend = Repeated(
            self._lease / 3, lambda: _succeeds(lambda: client.extend_lease(task, self._lease))
        )
        try:
            with extend:
                output = self._answer(task)
        except Exception as error:
            message, permanent = told_of(error)
            _succeeds(lambda: client.fail_task(task, message, permanent=permanent))
            return False
        return _succeeds(lambda: client.complete_task(task, output))

    # Converting a result of the wrong form fails the task.
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
        raise NoFunction


def _succeeds(call: Callable[[], object]) -> bool:
    """Makes a call whose failure ends nothing: the lease ends by itself, or ended already."""
    try:
        call()
    except MemorySidecarError:
        return False
    return True
