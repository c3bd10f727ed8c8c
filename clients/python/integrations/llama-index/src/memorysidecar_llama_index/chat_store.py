"""The chat store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.storage.chat_store import BaseChatStore
from memorysidecar import AsyncClient, Client, v1
from memorysidecar.adapters.plans import Plan, Runner

from ._lists import ACTIVE, Edit, Fresh, Item, Lists, Stored, fresh_of

ROOT = "llama-index"


class SidecarChatStore(BaseChatStore):
    """Keeps the messages of keys in Memory Sidecar.

    Each key is a session, and each message one of its log, which comes back as LlamaIndex wrote it.
    A call is one transaction, acknowledged once it is on disk. Messages that other programs append
    to the session are left out, and stay until the key is deleted.

    With a ``Client``, asynchronous methods run in threads. With an ``AsyncClient``, make the store
    on its event loop; synchronous methods then work from other threads.

    :param client: a client, which the store never closes.
    :param user_id: whose the keys are: users never share one, and ``erase_subject(user_id=...)``
        erases them. Default: nobody's.
    :param root: first part of the names of sessions and records.
    :param attributes: of the sessions that the store creates, as ``create_session`` takes them:
        ``policy``, ``agent_id``, ``labels``, ``ttl``.
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
        return "SidecarChatStore"

    def set_messages(self, key: str, messages: list[ChatMessage]) -> None:
        """Replaces the messages of a key, also those that another writer has just added. Equal
        ones at the start stay."""
        self._runner.run(self._set(key, messages))

    async def aset_messages(self, key: str, messages: list[ChatMessage]) -> None:
        await self._runner.arun(self._set(key, messages))

    def get_messages(self, key: str) -> list[ChatMessage]:
        return self._runner.run(self._lists.read(key))

    async def aget_messages(self, key: str) -> list[ChatMessage]:
        return await self._runner.arun(self._lists.read(key))

    def get_window_messages(self, key: str) -> list[ChatMessage]:
        """Gives the messages of the session's window: what fits its policy, with tool calls and
        their results whole."""
        return self._runner.run(self._lists.fitting(key))

    async def aget_window_messages(self, key: str) -> list[ChatMessage]:
        return await self._runner.arun(self._lists.fitting(key))

    def get_window(self, key: str) -> v1.GetWindowResponse | None:
        """Gets the window as the server has it, with its size and the summary of what left it.
        None if nothing is stored."""
        return self._runner.run(self._lists.window(key))

    async def aget_window(self, key: str) -> v1.GetWindowResponse | None:
        return await self._runner.arun(self._lists.window(key))

    def add_message(self, key: str, message: ChatMessage, idx: int | None = None) -> None:
        """Adds a message at the end, or before the message with an index."""
        self._runner.run(self._add(key, [message], idx))

    async def async_add_message(
        self, key: str, message: ChatMessage, idx: int | None = None
    ) -> None:
        await self._runner.arun(self._add(key, [message], idx))

    def add_messages(self, key: str, messages: Sequence[ChatMessage]) -> None:
        """Adds messages at the end, in one transaction."""
        self._runner.run(self._add(key, messages))

    async def async_add_messages(self, key: str, messages: Sequence[ChatMessage]) -> None:
        await self._runner.arun(self._add(key, messages))

    def delete_messages(self, key: str) -> list[ChatMessage] | None:
        """Deletes the session of a key, and gives its messages; None if there is no such key."""
        return self._runner.run(self._lists.drop(key))

    async def adelete_messages(self, key: str) -> list[ChatMessage] | None:
        return await self._runner.arun(self._lists.drop(key))

    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Deletes a message, and gives it; None if there is none at this index. A negative index
        counts from the end."""
        return self._runner.run(self._take(key, idx))

    async def adelete_message(self, key: str, idx: int) -> ChatMessage | None:
        return await self._runner.arun(self._take(key, idx))

    def delete_last_message(self, key: str) -> ChatMessage | None:
        return self.delete_message(key, -1)

    async def adelete_last_message(self, key: str) -> ChatMessage | None:
        return await self.adelete_message(key, -1)

    def get_keys(self) -> list[str]:
        return self._runner.run(self._lists.keys())

    async def aget_keys(self) -> list[str]:
        return await self._runner.arun(self._lists.keys())

    def log_of(self, key: str) -> str:
        """Gives the session of the server that has the messages of a key."""
        return self._lists.log_of(key)

    # Plans.

    def _add(self, key: str, messages: Sequence[ChatMessage], idx: int | None = None) -> Plan[None]:
        if idx is None:
            yield from self._lists.append(key, messages)
            return
        fresh = fresh_of(messages)

        def insert(stored: Stored) -> Edit:
            items: list[Item] = [*stored.lists[ACTIVE]]
            items[idx:idx] = fresh
            return Edit({ACTIVE: items})

        yield from self._lists.change(key, insert)

    def _set(self, key: str, messages: Sequence[ChatMessage]) -> Plan[None]:
        fresh = fresh_of(messages)
        yield from self._lists.change(key, lambda one: Edit({ACTIVE: kept_start(one, fresh)}))

    def _take(self, key: str, idx: int) -> Plan[ChatMessage | None]:
        def take(stored: Stored) -> Edit | None:
            seqs = stored.lists[ACTIVE]
            if not -len(seqs) <= idx < len(seqs):
                return None
            return Edit({ACTIVE: [seq for seq in seqs if seq != seqs[idx]]}, [seqs[idx]])

        taken = yield from self._lists.change(key, take)
        return taken[0] if taken else None


def kept_start(stored: Stored, fresh: Sequence[Fresh]) -> list[Item]:
    """Keeps the messages at the start of a list that are the same as those to store."""
    items: list[Item] = [*fresh]
    for number, (seq, one) in enumerate(zip(stored.lists[ACTIVE], fresh, strict=False)):
        if stored.messages[seq].provider_payload.data != one.payload:
            break
        items[number] = seq
    return items
