"""The methods of the asyncio client for summaries, tasks and hooks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from typing_extensions import Unpack

from .. import _fields as f
from .. import _task_fields as t
from .. import v1
from .._made import Seconds, duration_of, made
from .calls import AsyncCalls
from .pager import AsyncPager


class AsyncSummaryMethods(AsyncCalls):
    """Summaries of sessions."""

    async def compact_session(
        self,
        session_id: str,
        *,
        keep_recent: int | None = None,
        stage: str | None = None,
        summarize: v1.Summarize | f.Json | None = None,
        wait: Seconds | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.CompactSessionResponse:
        """Has a hook summarize messages of the window now: all but the newest, or what a stage of
        the session's policy would remove. Give one of the two.

        :param wait: seconds to wait for the summary. Default: not at all.
        """
        f.one_of(keep_recent=keep_recent, stage=stage)
        request = made(
            v1.CompactSessionRequest,
            session_id=session_id,
            keep_recent=keep_recent,
            stage=stage,
            summarize=summarize,
            wait=duration_of(wait),
        )
        return await self._unary(request, v1.CompactSessionResponse, t.waiting(call, wait))

    def list_summaries(
        self,
        session_id: str,
        *,
        current_only: bool = False,
        order: f.SummaryOrder | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> AsyncPager[v1.Summary, v1.ListSummariesResponse]:
        """Lists the summaries that a session has had, by default the newest first."""
        request = made(
            v1.ListSummariesRequest,
            session_id=session_id,
            current_only=current_only,
            order=f.order_of(v1.SummaryOrder, order),
            page_size=page_size,
        )
        return self._pages(request, v1.ListSummariesResponse, "summaries", call)

    def list_summary_sources(
        self, session_id: str, version: int, *, page_size: int = 0, **call: Unpack[f.ReadOptions]
    ) -> AsyncPager[v1.Message, v1.ListSummarySourcesResponse]:
        """Lists the messages that a summary stands for, oldest first."""
        request = made(
            v1.ListSummarySourcesRequest,
            session_id=session_id,
            version=version,
            page_size=page_size,
        )
        return self._pages(request, v1.ListSummarySourcesResponse, "messages", call)


class AsyncTaskMethods(AsyncCalls):
    """Tasks and hooks. A ``AsyncWorker`` does the polling, completing and failing by itself."""

    async def poll_tasks(
        self,
        hooks: str | Iterable[str],
        *,
        max_tasks: int = 1,
        wait: Seconds | None = None,
        lease: Seconds | None = None,
        worker_id: str = "",
        **call: Unpack[f.ReadOptions],
    ) -> list[v1.LeasedTask]:
        """Takes tasks of hooks that are polled. Empty when none came.

        :param wait: seconds to wait for the first one, up to 60. Default: not at all.
        :param lease: seconds that others are kept away. Default: 60.
        """
        request = t.poll_request(
            hooks, max_tasks=max_tasks, wait=wait, lease=lease, worker_id=worker_id
        )
        answer = await self._unary(request, v1.PollTasksResponse, t.waiting(call, wait))
        return list(answer.tasks)

    async def complete_task(
        self, task: v1.LeasedTask, output: t.Result, **call: Unpack[f.WriteOptions]
    ) -> v1.CompleteTaskResponse:
        """Brings the result of a task: a text or a ``SummarizeOutput`` for a summary, a vector for
        each text to embed, a score for each text to rerank."""
        request = t.complete_request(task, output)
        return await self._unary(request, v1.CompleteTaskResponse, t.of_task(call, task))

    async def fail_task(
        self,
        task: v1.LeasedTask,
        message: str = "",
        *,
        permanent: bool = False,
        retry_delay: Seconds | None = None,
        **call: Unpack[f.WriteOptions],
    ) -> v1.FailTaskResponse:
        """Gives a task back as failed. ``message`` is for operators: no content of messages."""
        request = t.fail_request(task, message, permanent=permanent, retry_delay=retry_delay)
        return await self._unary(request, v1.FailTaskResponse, t.of_task(call, task))

    async def extend_lease(
        self, task: v1.LeasedTask, lease: Seconds | None = None, **call: Unpack[f.ReadOptions]
    ) -> v1.ExtendLeaseResponse:
        """Keeps a task longer: seconds from now, 60 by default."""
        request = t.extend_request(task, lease)
        return await self._unary(request, v1.ExtendLeaseResponse, t.of_task(call, task))

    def list_tasks(
        self,
        *,
        session_id: str | None = None,
        hook: str | None = None,
        type: t.TypeName | v1.TaskType | None = None,
        state: t.StateName | v1.TaskState | None = None,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> AsyncPager[v1.HookTask, v1.ListTasksResponse]:
        """Lists the durable tasks of the namespace, the oldest first."""
        request = made(
            v1.ListTasksRequest,
            session_id=session_id,
            hook=hook,
            type=t.type_of(type),
            state=t.state_of(state),
            page_size=page_size,
        )
        return self._pages(request, v1.ListTasksResponse, "tasks", call)

    async def get_task(self, task_id: str, **call: Unpack[f.ReadOptions]) -> v1.HookTask:
        """Gets one task."""
        request = made(v1.GetTaskRequest, task_id=task_id)
        return (await self._unary(request, v1.GetTaskResponse, call)).task

    async def retry_task(self, task_id: str, **call: Unpack[f.WriteOptions]) -> v1.HookTask:
        """Makes a dead or delayed task ready now, with all its attempts."""
        request = made(v1.RetryTaskRequest, task_id=task_id)
        return (await self._unary(request, v1.RetryTaskResponse, call)).task

    async def delete_task(
        self, task_id: str, *, allow_missing: bool = False, **call: Unpack[f.WriteOptions]
    ) -> None:
        """Deletes a task without doing it."""
        request = made(v1.DeleteTaskRequest, task_id=task_id, allow_missing=allow_missing)
        await self._unary(request, v1.DeleteTaskResponse, call)

    async def list_hooks(self, **call: Unpack[f.ReadOptions]) -> list[v1.Hook]:
        """Lists the hooks of the server, with the use of the namespace's budgets."""
        pages = self._pages(v1.ListHooksRequest(), v1.ListHooksResponse, "hooks", call)
        return [hook async for hook in pages]

    def back_up(
        self, *, stream: bool = False, max_bytes_per_second: int = 0, **call: Unpack[f.ReadOptions]
    ) -> AsyncIterator[v1.BackUpResponse]:
        """Makes a back-up of the store in the directory of back-ups that the operator named.
        Yields its progress, and the back-up as the last part. The call begins with the first part;
        ``timeout`` is for all of them.

        :param stream: sends the bytes of the data file as parts with a ``chunk`` instead.
        :param max_bytes_per_second: limit of the copy. Default: the setting of the server.
        """
        target = v1.BACK_UP_TARGET_STREAM if stream else v1.BACK_UP_TARGET_DIRECTORY
        request = made(v1.BackUpRequest, target=target, max_bytes_per_second=max_bytes_per_second)
        return self._stream(request, v1.BackUpResponse, call)

    def compact_store(
        self, **call: Unpack[f.ReadOptions]
    ) -> AsyncIterator[v1.CompactStoreResponse]:
        """Compacts the store while it is served. Yields its progress, and the compaction as the
        last part. The call begins with the first part; ``timeout`` is for all of them.
        """
        return self._stream(v1.CompactStoreRequest(), v1.CompactStoreResponse, call)

    async def erase_subject(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        message_ids: Iterable[str] | None = None,
        collection_id: str | None = None,
        document_id: str | None = None,
        dry_run: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.Erasure:
        """Erases everything that is kept of a user, an agent, a session, messages of a session, or
        a document of a collection. Returns the receipt as soon as the work is begun:
        ``get_erasure`` tells when it is done.

        :param dry_run: counts what would be erased, and changes nothing.
        """
        subject = t.subject_of(
            user_id=user_id,
            agent_id=agent_id,
            session_id=session_id,
            message_ids=message_ids,
            collection_id=collection_id,
            document_id=document_id,
        )
        request = made(v1.EraseSubjectRequest, subject=subject, dry_run=dry_run)
        return (await self._unary(request, v1.EraseSubjectResponse, call)).erasure

    async def get_erasure(self, erasure_id: str, **call: Unpack[f.ReadOptions]) -> v1.Erasure:
        """Gets the receipt of an erasure."""
        request = made(v1.GetErasureRequest, erasure_id=erasure_id)
        return (await self._unary(request, v1.GetErasureResponse, call)).erasure
