"""The chat store of ``Memory``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus
from memorysidecar import AsyncClient, Client, v1
from memorysidecar.adapters.plans import Runner

from ._lists import ACTIVE, ARCHIVED, Edit, Item, Lists, Stored, fresh_of
from .chat_store import ROOT

Status = MessageStatus | None


class SidecarAsyncChatStore(AsyncDBChatStore):
    """Keeps the messages of a ``Memory``: ``Memory.from_defaults(session_id=, chat_store=)``.

    Each session of LlamaIndex is one of the server, and each message one of its log, which comes
    back as LlamaIndex wrote it. Messages that the memory archives stay in the log. A call is one
    transaction, acknowledged once it is on disk. A ``SidecarChatStore`` of the same user and root
    has the active messages of the same keys.

    :param client: a client, which the store never closes. Its calls run in threads, so that
        synchronous methods of the memory work, too. With an ``AsyncClient``, make the store on its
        event loop, and use the asynchronous ones.
    :param user_id: whose the sessions are: users never share one, and
        ``erase_subject(user_id=...)`` erases them. Default: nobody's.
    :param root: first part of the names of sessions and records.
    :param attributes: of the sessions of the server, as ``create_session`` takes them: ``policy``,
        ``agent_id``, ``labels``, ``ttl``.
    """

    _lists: Lists = PrivateAttr()
    _runner: Runner = PrivateAttr()

    def __init__(
        self,
        client: Client | AsyncClient,
        *,
        user_id: str | None = None,
        root: str = ROOT,
        **attributes: Any,
    ) -> None:
        super().__init__()
        self._lists = Lists(root, user_id, attributes)
        self._runner = Runner(client)

    @classmethod
    def class_name(cls) -> str:
        return "SidecarAsyncChatStore"

    async def get_messages(
        self,
        key: str,
        status: Status = MessageStatus.ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """Gets messages; without a status all, in the order in which they were added."""
        start = offset or 0
        end = None if limit is None else start + limit
        choose = partial(_messages_of, status, start, end)
        return await self._runner.arun(self._lists.read_chosen(key, choose))

    async def count_messages(self, key: str, status: Status = MessageStatus.ACTIVE) -> int:
        stored = await self._runner.arun(self._lists.stored(key))
        return len(_messages_of(status, 0, None, stored))

    async def add_message(
        self, key: str, message: ChatMessage, status: MessageStatus = MessageStatus.ACTIVE
    ) -> None:
        await self.add_messages(key, [message], status)

    async def add_messages(
        self,
        key: str,
        messages: Sequence[ChatMessage],
        status: MessageStatus = MessageStatus.ACTIVE,
    ) -> None:
        """Adds messages in one transaction."""
        if not messages:
            return
        if status == MessageStatus.ACTIVE:
            await self._runner.arun(self._lists.append(key, messages))
            return
        fresh = fresh_of(messages)

        def archive(stored: Stored) -> Edit:
            return Edit({ARCHIVED: [*stored.lists[ARCHIVED], *fresh]})

        await self._runner.arun(self._lists.change(key, archive))

    async def set_messages(
        self,
        key: str,
        messages: Sequence[ChatMessage],
        status: MessageStatus = MessageStatus.ACTIVE,
    ) -> None:
        """Replaces the messages of a key, those of the other status, too."""
        fresh = fresh_of(messages)
        lists: dict[str, Sequence[Item]] = {ACTIVE: [], ARCHIVED: [], status.value: fresh}
        await self._runner.arun(self._lists.change(key, lambda stored: Edit(lists)))

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Deletes the active message with an index, and gives it; None if there is none."""

        def take(stored: Stored) -> Edit | None:
            seqs = stored.lists[ACTIVE]
            if not 0 <= idx < len(seqs):
                return None
            return Edit({ACTIVE: seqs[:idx] + seqs[idx + 1 :]}, [seqs[idx]])

        taken = await self._runner.arun(self._lists.change(key, take))
        return taken[0] if taken else None

    async def delete_messages(self, key: str, status: Status = None) -> None:
        """Deletes the messages with a status; without one the session, with its log."""
        if status is None:
            await self._runner.arun(self._lists.drop(key))
        else:
            empty = Edit({status.value: []})
            edit = self._lists.change(key, lambda stored: empty if stored.session else None)
            await self._runner.arun(edit)

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Deletes the oldest active messages, and gives them."""

        def delete(stored: Stored) -> Edit | None:
            active = stored.lists[ACTIVE]
            return Edit({ACTIVE: active[n:]}, active[:n]) if n > 0 and active else None

        return await self._runner.arun(self._lists.change(key, delete))

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Archives the oldest active messages, and gives them."""

        def archive(stored: Stored) -> Edit | None:
            active, archived = stored.lists[ACTIVE], stored.lists[ARCHIVED]
            if n <= 0 or not active:
                return None
            # In the order in which they were added, as the store on SQL has it.
            moved = sorted([*archived, *active[:n]])
            return Edit({ACTIVE: active[n:], ARCHIVED: moved}, active[:n])

        return await self._runner.arun(self._lists.change(key, archive))

    async def get_keys(self) -> list[str]:
        """Gets the keys that have messages, also those that only other programs have appended to
        the session."""
        return await self._runner.arun(self._lists.keys(only_filled=True))

    def log_of(self, key: str) -> str:
        """Gives the session of the server that has the messages of a key."""
        return self._lists.log_of(key)


def _messages_of(
    status: Status, start: int, end: int | None, stored: Stored
) -> Sequence[v1.Message]:
    if status is None:
        found = stored.named(sorted(seq for one in stored.lists.values() for seq in one))
    else:
        found = stored.messages_of(status.value)
    return found[start:end]
