"""The memory that gives windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import LLM
from llama_index.core.memory.types import DEFAULT_CHAT_STORE_KEY, BaseChatStoreMemory
from memorysidecar import AsyncClient, Client

from .chat_store import SidecarChatStore


class SidecarMemory(BaseChatStoreMemory):
    """A memory whose windows the server keeps.

    ``get`` gives the window of the session: what fits its policy, with tool calls and their results
    whole. ``get_all`` gives every message. What leaves the window stays in the log; an event tells
    of it.

    :param chat_store: a ``SidecarChatStore``; its ``policy`` is that of new sessions.
    :param chat_store_key: the key of the conversation.
    """

    chat_store: SidecarChatStore

    @classmethod
    def class_name(cls) -> str:
        return "SidecarMemory"

    @classmethod
    def from_defaults(
        cls,
        chat_history: list[ChatMessage] | None = None,
        llm: LLM | None = None,
        *,
        client: Client | AsyncClient | None = None,
        chat_store: SidecarChatStore | None = None,
        chat_store_key: str = DEFAULT_CHAT_STORE_KEY,
        **options: Any,
    ) -> SidecarMemory:
        """Makes a memory.

        :param chat_history: replaces the messages of the key.
        :param client: makes the chat store, with ``options``: ``user_id``, ``policy``.
        :param chat_store: in place of these.
        """
        if client is not None and chat_store is None:
            chat_store = SidecarChatStore(client, **options)
        elif client is not None or chat_store is None:
            raise ValueError("give either client or chat_store")
        elif options:
            raise ValueError(f"{', '.join(options)}: options are those of a new chat store")
        if chat_history is not None:
            chat_store.set_messages(chat_store_key, chat_history)
        return cls(chat_store=chat_store, chat_store_key=chat_store_key)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """Gives the messages of the window."""
        return self.chat_store.get_window_messages(self.chat_store_key)

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        return await self.chat_store.aget_window_messages(self.chat_store_key)

    def put_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Adds messages in one transaction."""
        self.chat_store.add_messages(self.chat_store_key, messages)

    async def aput_messages(self, messages: Sequence[ChatMessage]) -> None:
        await self.chat_store.async_add_messages(self.chat_store_key, messages)
