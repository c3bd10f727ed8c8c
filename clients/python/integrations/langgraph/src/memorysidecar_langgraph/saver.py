"""The checkpointer."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from memorysidecar import AsyncClient, Client
from memorysidecar.adapters.connect import Connected
from memorysidecar.adapters.plans import Runner

from ._checkpoints import Checkpoints


class SidecarSaver(Connected, BaseCheckpointSaver[str]):
    """Keeps the checkpoints of graphs in Memory Sidecar.

    Everything is a record below the path ``root``: checkpoints by thread and namespace, values of
    channels by version, pending writes by task. A checkpoint and its new values are one
    transaction unless they take more than 3 MiB; then the values are durable before the checkpoint
    refers to them.

    With a ``Client``, asynchronous methods run in threads. With an ``AsyncClient``, make the saver
    on its event loop; synchronous methods then work from other threads.

    :param client: a client, which the saver never closes.
    :param serde: makes bytes of values; by default that of LangGraph.
    :param root: first segment of all paths. Savers with the same root share their threads.
    :param user_key: the entry of ``configurable`` whose value owns the records, so that
        ``erase_subject(user_id=...)`` erases them.
    """

    def __init__(
        self,
        client: Client | AsyncClient,
        *,
        serde: SerializerProtocol | None = None,
        root: str = "langgraph",
        user_key: str = "user_id",
    ) -> None:
        super().__init__(serde=serde)
        self.client = client
        self._runner = Runner(client)
        self.root = root
        self.user_key = user_key

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._runner.run(self._plans().get_tuple(config))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._runner.arun(self._plans().get_tuple(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        return self._runner.iterate(self._plans().list_tuples(config, filter, before, limit))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        async for found in self._runner.aiterate(
            self._plans().list_tuples(config, filter, before, limit)
        ):
            yield found

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return self._runner.run(self._plans().put(config, checkpoint, metadata, new_versions))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await self._runner.arun(
            self._plans().put(config, checkpoint, metadata, new_versions)
        )

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self._runner.run(self._plans().put_writes(config, writes, task_id, task_path))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await self._runner.arun(self._plans().put_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        self._runner.run(self._plans().delete_thread(thread_id))

    async def adelete_thread(self, thread_id: str) -> None:
        await self._runner.arun(self._plans().delete_thread(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self._runner.run(self._plans().delete_for_runs(run_ids))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await self._runner.arun(self._plans().delete_for_runs(run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self._runner.run(self._plans().copy_thread(source_thread_id, target_thread_id))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await self._runner.arun(self._plans().copy_thread(source_thread_id, target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self._runner.run(self._plans().prune(thread_ids, strategy))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await self._runner.arun(self._plans().prune(thread_ids, strategy))

    def _plans(self) -> Checkpoints:
        return Checkpoints(self.serde, self.root, self.user_key)

    def get_next_version(self, current: str | int | None, channel: None) -> str:
        """Counts versions; the fraction tells those of different branches of a thread apart."""
        last = current if isinstance(current, int) else int((current or "0").split(".")[0])
        return f"{last + 1:032}.{random.random():016}"
