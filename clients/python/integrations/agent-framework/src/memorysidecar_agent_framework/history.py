"""The history provider."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from typing import Any, ClassVar
from uuid import uuid4

from agent_framework import HistoryProvider, Message
from agent_framework._sessions import filter_new_messages
from memorysidecar import AsyncClient, ErrorReason, MemorySidecarError, NotFound, v1
from memorysidecar.adapters.attempts import AGAIN, attempt, overtaken
from memorysidecar.adapters.messages import batches
from memorysidecar.adapters.names import path_of, session_name
from memorysidecar.adapters.plans import Runner
from memorysidecar.adapters.records import check_owner, large_payloads, owner_of, with_payloads

from ._messages import FORMAT, fields_of, message_of, payload_of

ROOT = "agent-framework"


class SidecarHistoryProvider(HistoryProvider):
    """Keeps the messages of sessions in Memory Sidecar.

    Each message is one of a session's log, and comes back as the framework wrote it. What a run
    adds is one transaction, acknowledged once it is on disk. A transcript that is handed over
    again, whole or in part, is not stored twice.

    :param client: a client, which the provider never closes, on the event loop of the agent.
    :param application_id: keeps the histories of applications apart, with ``agent_id``, the
        ``source_id`` and the id of the session.
    :param agent_id: of the sessions. Default: all agents of the application share a session.
    :param window: gives the agent the session's window instead of its whole log: what fits the
        policy, with tool calls and their results whole.
    :param root: first part of the names of sessions and records.
    :param load_messages: and the four after it, as with the providers of the framework.
    :param user_id: whose the histories are: users never share one, and
        ``erase_subject(user_id=...)`` erases them. Default: nobody's.
    :param attributes: of the sessions of the server, as ``create_session`` takes them: ``policy``,
        ``labels``, ``ttl``.
    """

    DEFAULT_SOURCE_ID: ClassVar[str] = "memory_sidecar"

    def __init__(
        self,
        client: AsyncClient,
        *,
        application_id: str,
        agent_id: str | None = None,
        user_id: str | None = None,
        window: bool = False,
        source_id: str = DEFAULT_SOURCE_ID,
        root: str = ROOT,
        load_messages: bool = True,
        store_inputs: bool = True,
        store_context_messages: bool = False,
        store_context_from: set[str] | None = None,
        store_outputs: bool = True,
        **attributes: Any,
    ) -> None:
        super().__init__(
            source_id,
            load_messages=load_messages,
            store_inputs=store_inputs,
            store_context_messages=store_context_messages,
            store_context_from=store_context_from,
            store_outputs=store_outputs,
        )
        if not application_id:
            raise ValueError("application_id must not be empty: it keeps applications apart")
        self.client = client
        self.application_id = application_id
        self.agent_id = agent_id
        check_owner(user_id)
        self.user_id = user_id
        self.window = window
        self.root = root
        self._attributes = attributes

    async def get_messages(
        self, session_id: str | None, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        log = self.log_of(session_id)

        async def look(client: AsyncClient) -> list[v1.Message]:
            if self.window:
                return [*(await client.window(log)).messages]
            return [one async for one in client.list_messages(log, page_size=1000)]

        return await self._read(session_id, look)

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not messages:
            return
        log = self.log_of(session_id)
        left = list(messages)
        for lost in count(1):
            last_seq = await self._last_seq(log)
            # With one more than comes, the overlap is that with the whole history.
            stored = await self._newest(session_id, len(left) + 1) if last_seq else []
            left = filter_new_messages(stored, left)
            try:
                for batch in batches((uuid4().hex, payload_of(one)) for one in [*left]):
                    await self._append(session_id, batch, last_seq)
                    last_seq += len(batch)
                    del left[: len(batch)]
                return
            except MemorySidecarError as error:
                if error.reason not in (
                    ErrorReason.LAST_SEQ_MISMATCH,
                    ErrorReason.SESSION_NOT_FOUND,
                ):
                    raise
                if lost == AGAIN.max_attempts:
                    what = f"save again what session {session_id!r} lacks"
                    raise overtaken(error, what) from error
            # Another writer was faster, or the session has been deleted: look again.
            await asyncio.sleep(AGAIN.delay(lost))

    async def get_window(self, session_id: str | None) -> v1.GetWindowResponse | None:
        """Gets the window of a session: what fits its policy, with tool calls and their results
        whole, and the summary of what left it. None if nothing is stored."""
        try:
            return await self.client.window(self.log_of(session_id))
        except NotFound:
            return None

    async def clear(self, session_id: str | None) -> None:
        """Deletes the messages of a session."""
        log, path = self.log_of(session_id), self._large(session_id)
        await self.client.delete_session(log, allow_missing=True)
        # A save that came since has its large messages there, too.
        left = [one.key async for one in self.client.list_records(path, page_size=1000)]
        named = set[str]()
        try:
            async for message in self.client.list_messages(log, page_size=1000):
                key = FORMAT.key_of(message)
                if key is not None:
                    named.add(key)
        except NotFound:
            pass
        for key in left:
            if key not in named:
                await self.client.delete_record(path, key, allow_missing=True)

    def log_of(self, session_id: str | None) -> str:
        """Gives the session of the server that has the messages of a session."""
        if not session_id:
            raise ValueError("session_id must not be empty: run the agent with a session")
        return session_name(self.root, *self._scope, session_id)

    async def _last_seq(self, log: str) -> int:
        """Gets the seq of the newest message of a session, which is created if there is none."""
        try:
            return (await self.client.get_session(log)).last_seq
        except NotFound:
            own: dict[str, Any] = {**owner_of(self.user_id, self.agent_id)}
            return (await self.client.ensure_session(log, **own, **self._attributes)).last_seq

    async def _newest(self, session_id: str | None, wanted: int) -> list[Message]:
        log = self.log_of(session_id)

        async def look(client: AsyncClient) -> list[v1.Message]:
            found: list[v1.Message] = []
            size = min(wanted, 1000)
            async for message in client.list_messages(log, order="newest_first", page_size=size):
                if FORMAT.is_own(message):
                    found.append(message)
                if len(found) == wanted:
                    break
            return found[::-1]

        return await self._read(session_id, look)

    async def _append(
        self, session_id: str | None, batch: Sequence[tuple[str, bytes]], last_seq: int
    ) -> None:
        """Appends messages in one transaction, unless others have appended meanwhile."""
        log, owner = self.log_of(session_id), owner_of(self.user_id, self.agent_id)
        runner = Runner(self.client)
        kept = await runner.arun(large_payloads(self._large(session_id), batch, log, owner))
        messages = [fields_of(payload, key) for key, payload in batch]
        options = {"expected_last_seq": last_seq, "record_operations": kept}
        await runner.arun(attempt(kept, lambda client: client.append(log, messages, **options)))

    async def _read(
        self, session_id: str | None, look: Callable[[AsyncClient], Awaitable[list[v1.Message]]]
    ) -> list[Message]:
        """Gives those messages that the provider wrote; none of a session that does not exist."""

        async def own(client: AsyncClient) -> tuple[list[str], list[v1.Message]]:
            try:
                found = await look(client)
            except NotFound:
                found = []
            return self._large(session_id), [one for one in found if FORMAT.is_own(one)]

        found = await Runner(self.client).arun(with_payloads(FORMAT, own))
        return [message_of(payload) for _, payload in found]

    def _large(self, session_id: str | None) -> list[str]:
        return path_of(self.root, "messages", *self._scope, session_id)

    @property
    def _scope(self) -> tuple[str | None, ...]:
        return (self.user_id, self.application_id, self.agent_id, self.source_id)
