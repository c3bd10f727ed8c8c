"""The context provider."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun
from memorysidecar import AsyncClient, NotFound, v1

from .history import SidecarHistoryProvider

PIECE = 16_384
"""Characters of a text in which the server looks for facts: it takes 65,536 bytes."""
QUERY_CHARS = 2_000


class SidecarContextProvider(ContextProvider):
    """Gives agents what Memory Sidecar knows of a user, and remembers what the user says.

    Before a run, the server assembles a context for what the user says: memories, messages of
    earlier sessions and documents, within a number of tokens, marked as data. After it, the server
    finds facts in what the user said, without a call of a model, unless it has a hook for that.

    :param client: a client, which the provider never closes, on the event loop of the agent.
    :param user_id: whose memories they are. Required: users must not share theirs by accident.
    :param agent_id: limits memories to those of an agent. Default: those of all agents.
    :param history: the history provider of the same agent: what it gives anyway is left out.
    :param remember: False only reads.
    :param max_tokens: of the context.
    :param options: as ``assemble_context`` takes them: ``sections``, ``profile``,
        ``min_relevance``, ``collection_ids``.
    """

    DEFAULT_SOURCE_ID: ClassVar[str] = "memory_sidecar_context"

    def __init__(
        self,
        client: AsyncClient,
        *,
        user_id: str,
        agent_id: str | None = None,
        history: SidecarHistoryProvider | None = None,
        source_id: str = DEFAULT_SOURCE_ID,
        remember: bool = True,
        max_tokens: int = 1_000,
        **options: Any,
    ) -> None:
        super().__init__(source_id)
        if not user_id:
            raise ValueError("user_id must not be empty: it names whose memories the agent gets")
        self.client = client
        self.user_id = user_id
        self.agent_id = agent_id
        self.history = history
        self.remember = remember
        self.max_tokens = max_tokens
        self._options = options

    async def before_run(
        self,
        *,
        agent: SupportsAgentRun,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        query = "\n".join(_said(context.input_messages))[-QUERY_CHARS:]
        if not query.strip():
            return
        text = await self._assemble(query, context.session_id)
        if text:
            context.extend_messages(self, [Message("user", [text])])

    async def after_run(
        self,
        *,
        agent: SupportsAgentRun,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        if not self.remember:
            return
        for text in _said(context.input_messages):
            for at in range(0, len(text), PIECE):
                await self.client.extract_memories(
                    text=text[at : at + PIECE], user_id=self.user_id, agent_id=self.agent_id
                )

    async def _assemble(self, query: str, session_id: str | None) -> str:
        options: dict[str, Any] = {
            "query": query,
            "user_id": self.user_id,
            "agent_id": self.agent_id,
            "max_tokens": self.max_tokens,
            **self._options,
        }
        found: v1.AssembleContextResponse
        if self.history is not None and session_id:
            log = self.history.log_of(session_id)
            try:
                found = await self.client.assemble_context(
                    log, exclude_conversation=True, **options
                )
                return found.text
            except NotFound:
                pass  # The first run of a session: nothing is to be left out.
        found = await self.client.assemble_context(**options)
        return found.text


def _said(messages: Iterable[Message]) -> Iterator[str]:
    """Gives the texts of the user."""
    for message in messages:
        if message.role == "user" and message.text.strip():
            yield message.text
