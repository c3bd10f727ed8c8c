"""The conversation memories of MARSYS, kept by a server.

    from memorysidecar.compat.marsys import MemoryManager

The memories have the methods and errors of MARSYS. Besides, the raw history outlives its process
and is shared with others, and the server packs what a model reads: a call never without its
results. What is compacted stays in a log that can be searched, and facts are memories.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from marsys.agents.memory import ConversationMemory as _ConversationMemory
from marsys.agents.memory import KGMemory as _KGMemory
from marsys.agents.memory import ManagedConversationMemory as _ManagedConversationMemory
from marsys.agents.memory import ManagedMemoryConfig, Message
from marsys.agents.memory import MemoryManager as _MemoryManager
from marsys.agents.memory_strategies import MemoryState

from .. import policy
from ..client import Client
from ..errors import NotFound
from ._marsys_context import ContextMessages, Placed
from ._marsys_facts import ServerFacts
from ._marsys_messages import ServerMessages

__all__ = [
    "ContextMessages",
    "ConversationMemory",
    "KGMemory",
    "ManagedConversationMemory",
    "MemoryManager",
    "ServerFacts",
    "ServerMessages",
]

# Subject of the fact that describes an agent.
_CONFIGURATION = "system_configuration"
_CONFIG = (
    *("max_total_tokens_trigger", "target_total_tokens", "min_retrieval_gap_steps"),
    *("min_retrieval_gap_tokens", "trigger_events", "cache_invalidation_events"),
    *("image_token_estimate", "enable_headroom_percent"),
)


class ConversationMemory(_ConversationMemory):  # type: ignore[misc]
    """A ConversationMemory of MARSYS whose messages are the log of a session.

    :param session_id: the session to go on with, or to begin. Default: a new one.
    """

    def __init__(
        self,
        description: str | None = None,
        *,
        session_id: str = "",
        client: Client | None = None,
    ) -> None:
        super().__init__()
        wanted = policy.marsys(memory_type="conversation_history")
        self.memory = ServerMessages(session_id, wanted, client)
        if description and len(self.memory) == 0:
            self.memory.append(Message(role="system", content=description))

    @property
    def session_id(self) -> str:
        """The session of the messages."""
        return str(self.memory.session_id)


class ManagedConversationMemory(_ManagedConversationMemory):  # type: ignore[misc]
    """A ManagedConversationMemory of MARSYS: the server packs what a model reads.

    In the mode compaction MARSYS compacts, with its chain and the model of its agent, and the
    server keeps the context; what leaves it stays in the log. A strategy that is given does its
    work in this process, on the messages of the server.
    """

    def __init__(
        self,
        config: ManagedMemoryConfig | None = None,
        trigger_strategy: Any = None,
        process_strategy: Any = None,
        retrieval_strategy: Any = None,
        description: str | None = None,
        *,
        session_id: str = "",
        client: Client | None = None,
    ) -> None:
        given = (trigger_strategy, process_strategy, retrieval_strategy)
        super().__init__(config, *given, description)
        self._has_strategies = any(one is not None for one in given)
        # The messages, in the mode compaction.
        self._context: ContextMessages | None = None
        self._is_placing = False
        self.raw_messages: ServerMessages
        if _is_compacted(self.config):
            self.raw_messages = self._context = ContextMessages(session_id, client)
        else:
            wanted = policy.preset("marsys", _options(self.config))
            self.raw_messages = ServerMessages(session_id, wanted, client)
        self.raw_messages.counter = self.token_counter

    @property
    def session_id(self) -> str:
        """The session of the messages."""
        return str(self.raw_messages.session_id)

    def _get_memory_state(self) -> MemoryState:
        if self._has_strategies:
            return super()._get_memory_state()
        # The server checks its triggers itself; MARSYS is told that there are none.
        return MemoryState([], 0, 0, 0, 0)

    def get_messages(self) -> list[dict[str, Any]]:
        """Gives the messages that go to a model, packed by the server."""
        if self._has_strategies or self._context is not None:
            whole: list[dict[str, Any]] = super().get_messages()
            return whole
        messages = self.raw_messages
        try:
            window = messages.client.window(messages.session_id).messages
        except NotFound:
            return []
        return [self._message_to_dict(messages.message(stored)) for stored in window]

    def _message_to_dict(self, msg: Message) -> dict[str, Any]:
        whole: dict[str, Any] = super()._message_to_dict(msg)
        if self._context is None or not self._is_placing:
            return whole
        return Placed(whole, self._context.place_of(msg))

    @contextmanager
    def _compacting(self, context: ContextMessages) -> Iterator[None]:
        """Counts what others added too, and notes the context that a compaction begins with."""
        self._recompute_token_accounting()
        context.begin()
        self._is_placing = True
        try:
            yield
        finally:
            self._is_placing = False

    async def _run_compaction(self, runtime: dict[str, Any] | None = None) -> None:
        if self._context is not None:
            with self._compacting(self._context):
                await super()._run_compaction(runtime)

    async def compact_for_payload_error(self, runtime: dict[str, Any] | None = None) -> bool:
        """Compacts the context, as a provider refused it. Tells if it is smaller than before."""
        if self._context is None:
            return False
        with self._compacting(self._context):
            return bool(await super().compact_for_payload_error(runtime))

    def _rewrite_memory_with_reduced_context(self, reduced_messages: list[dict[str, Any]]) -> None:
        if self._context is not None:
            self._context.compact(reduced_messages)

    def get_cache_stats(self) -> dict[str, Any]:
        """Gives the number of messages and of their tokens: the server has no cache of packed
        messages that would need others."""
        messages = self.raw_messages
        tokens = sum(stored.token_count for stored in messages._read())
        return {"raw_count": len(messages), "estimated_total_tokens": tokens}


class KGMemory(_KGMemory):  # type: ignore[misc]
    """A KGMemory of MARSYS whose facts are memories of the server.

    :param user_id: whose memories these are. Default: those of a new user.
    """

    def __init__(
        self,
        model: Any,
        description: str | None = None,
        *,
        user_id: str = "",
        client: Client | None = None,
    ) -> None:
        super().__init__(model)
        self.kg = ServerFacts(user_id, client)
        is_described = any(fact["subject"] == _CONFIGURATION for fact in self.kg)
        if description and not is_described:
            self.add_fact("system", _CONFIGURATION, "has_initial_description", description)

    @property
    def user_id(self) -> str:
        """The user whose memories the facts are."""
        return str(self.kg.user_id)

    def update_memory(self, role: str, subject: str, predicate: str, obj: str) -> None:
        """Adds a fact that was extracted: MARSYS calls this method, which it lacks."""
        self.add_fact(role, subject, predicate, obj)

    def replace_memory(self, idx: int, message: Message | None = None, **fields: Any) -> None:
        """Forgets a fact, and adds a message in its place: MARSYS fails after the first half."""
        if not 0 <= idx < len(self.kg):
            raise IndexError("KG index out of range.")
        del self.kg[idx]
        self.add(message, role=fields.get("role"), content=fields.get("content"))


class MemoryManager(_MemoryManager):  # type: ignore[misc]
    """A MemoryManager of MARSYS whose conversations and facts are kept by a server.

    :param session_id: the session of the conversation. Default: a new one.
    :param user_id: the user whose memories the facts of ``kg`` are. Default: a new one.
    """

    def __init__(
        self,
        memory_type: str = "conversation_history",
        description: str | None = None,
        model: Any = None,
        memory_config: ManagedMemoryConfig | None = None,
        token_counter: Any = None,
        *,
        session_id: str = "",
        user_id: str = "",
        client: Client | None = None,
    ) -> None:
        super().__init__(memory_type, description, model, memory_config, token_counter)
        kept: dict[str, Any] = {"session_id": session_id, "client": client}
        if memory_type == "conversation_history":
            self.memory_module = ConversationMemory(description, **kept)
        elif memory_type == "managed_conversation":
            config = self.memory_module.config
            self.memory_module = ManagedConversationMemory(config, description=description, **kept)
        else:
            self.memory_module = KGMemory(model, description, user_id=user_id, client=client)


def _is_compacted(config: Any) -> bool:
    """Tells if a configuration has the mode compaction of the later releases."""
    later = getattr(config, "active_context", None)
    return later is not None and later.enabled and later.mode != "sliding_window"


def _options(config: Any) -> dict[str, Any]:
    """The options of the profile for a configuration, of the first releases or the later ones."""
    later = getattr(config, "active_context", None)
    if later is None:
        return {name: getattr(config, name) for name in _CONFIG}
    packing = {"headroom_percent": later.sliding_window.headroom_percent}
    return {
        "threshold_tokens": config.threshold_tokens,
        "compaction_target_tokens": config.compaction_target_tokens,
        "active_context": {"mode": "sliding_window", "sliding_window": packing},
    }
