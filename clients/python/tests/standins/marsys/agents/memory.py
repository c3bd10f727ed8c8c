"""Messages with the fields of those of MARSYS, and the base classes of memories."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

# The prompt that asks a model for facts.
PROMPT = (
    "Extract all knowledge graph facts from the following text. "
    "Return a JSON list of triplets, where each triplet is a dict with keys: subject, predicate, "
    'object. Example: [{"subject": "Paris", "predicate": "is the capital of", "object": "France"}'
    ", ...] If no facts are found, return an empty list []."
)


class MessageError(Exception):
    """A message that is missing."""


def compact(value: Any) -> str:
    """A value as JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass
class ToolCallMsg:
    """Call of a tool."""

    id: str
    call_id: str
    type: str
    name: str
    arguments: str


@dataclass
class AgentCallMsg:
    """Call of an agent."""

    agent_name: str
    request: Any


@dataclass
class Message:
    """Message of a conversation."""

    role: str
    content: Any = None
    message_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    name: str | None = None
    tool_calls: list[Any] | None = None
    agent_calls: list[Any] | None = None
    structured_data: dict[str, Any] | None = None
    images: list[str] | None = None
    tool_call_id: str | None = None
    reasoning_details: list[dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        for index, call in enumerate(self.tool_calls or []):
            if isinstance(call, dict):
                called = call["function"]
                ids = (call["id"], call["id"], call["type"])
                self.tool_calls[index] = ToolCallMsg(*ids, called["name"], called["arguments"])

    def to_llm_dict(self) -> dict[str, Any]:
        """The message as a model takes it."""
        content = compact(self.content) if isinstance(self.content, dict) else self.content
        written = {"role": self.role, "content": content}
        if self.role == "tool":
            written["content"] = "" if content is None else str(content)
            if self.tool_call_id:
                written["tool_call_id"] = self.tool_call_id
        if self.name:
            written["name"] = self.name
        if self.tool_calls and self.role != "tool":
            written["tool_calls"] = [
                {
                    "id": call.id,
                    "type": call.type,
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in self.tool_calls
            ]
        return written


class TokenCounter:
    """A quarter of the characters, and something for the frame."""

    def count_message(self, message: dict[str, Any]) -> int:
        """Tokens of a message."""
        content = message["content"]
        parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
        total = 3.0
        for part in parts:
            total += 800 if part["type"] == "image_url" else len(part["text"]) // 4
        calls = [call["function"] for call in message.get("tool_calls", [])]
        total += int(sum(5 + len(one["name"] + one["arguments"]) / 4 for one in calls))
        total += len(message.get("name", "")) / 4
        return int(total + 10 * ("tool_call_id" in message))


@dataclass
class ManagedMemoryConfig:
    """Limits of a managed memory."""

    max_total_tokens_trigger: int = 150_000
    target_total_tokens: int = 100_000
    image_token_estimate: int = 800
    min_retrieval_gap_steps: int = 2
    min_retrieval_gap_tokens: int = 5_000
    trigger_events: list[str] = field(default_factory=lambda: ["add", "get_messages"])
    cache_invalidation_events: list[str] = field(default_factory=lambda: ["add"])
    enable_headroom_percent: float = 0.1
    token_counter: Any = None


class LaterMemoryConfig:
    """Limits of a managed memory of the later releases."""

    def __init__(self) -> None:
        self.token_counter: Any = None
        parts = ("tool_truncation", "summarization", "backward_packing")
        stages = {name: SimpleNamespace() for name in parts}
        self.active_context = SimpleNamespace(enabled=True, mode="compaction", **stages)


class Memory:
    """A memory over a list, which both kinds have under a name of their own."""

    LIST = "memory"
    missing = "Message with ID '{}' not found in memory."
    out_of_range = "Memory index out of range."

    @property
    def _list(self) -> Any:
        return getattr(self, self.LIST)

    def _message_to_dict(self, message: Message) -> dict[str, Any]:
        return message.to_llm_dict()

    def _dicts(self, messages: list[Message]) -> list[dict[str, Any]]:
        return [message.to_llm_dict() for message in messages]

    def _place(self, message_id: str) -> int | None:
        ids = [one.message_id for one in self._list]
        return ids.index(message_id) if message_id in ids else None

    def add(self, message: Message | None = None, **fields: Any) -> str:
        """Adds a message."""
        added = message or Message(**fields)
        self._list.append(added)
        return added.message_id

    def update(self, message_id: str, *, content: str) -> None:
        """Changes the content of a message."""
        at = self._place(message_id)
        if at is None:
            raise MessageError(self.missing.format(message_id))
        old = self._list[at]
        known = {"name": old.name, "tool_calls": old.tool_calls, "images": old.images}
        self._list[at] = Message(old.role, content, message_id, **known)

    def replace_memory(self, idx: int, *, role: str, content: str, message_id: str) -> None:
        """Puts another message in the place of one."""
        if not 0 <= idx < len(self._list):
            raise IndexError(self.out_of_range)
        self._list[idx] = Message(role, content, message_id)

    def delete_memory(self, idx: int) -> None:
        """Deletes by place."""
        if not 0 <= idx < len(self._list):
            raise IndexError(self.out_of_range)
        del self._list[idx]

    def remove_by_id(self, message_id: str) -> bool:
        """Deletes by id."""
        at = self._place(message_id)
        if at is not None:
            del self._list[at]
        return at is not None

    def retrieve_recent(self, n: int = 1) -> list[dict[str, Any]]:
        """The newest messages."""
        return self._dicts(self._list[-n:] if n > 0 else [])

    def retrieve_by_id(self, message_id: str) -> dict[str, Any] | None:
        """One message."""
        at = self._place(message_id)
        return None if at is None else self._list[at].to_llm_dict()

    def retrieve_by_role(self, role: str, n: int | None = None) -> list[dict[str, Any]]:
        """The newest messages of a role."""
        return self._dicts([one for one in self._list if one.role == role][-(n or 0) :])

    def get_messages(self) -> list[dict[str, Any]]:
        """All messages."""
        return self._dicts(list(self._list))


class ConversationMemory(Memory):
    """The whole conversation."""

    def __init__(self) -> None:
        self.memory: Any = []

    def reset_memory(self) -> None:
        """Deletes all but a system message at the head."""
        head = [one for one in self.memory[:1] if one.role == "system"]
        self.memory.clear()
        for one in head:
            self.memory.append(one)


# Compactions that were recorded: each one takes the next.
REWRITES: list[dict[str, Any]] = []


class ManagedConversationMemory(Memory):
    """A conversation that is packed as it is read, or compacted as it was recorded."""

    LIST = "raw_messages"
    missing = "Message {} not found"
    out_of_range = "Index out of range"

    def __init__(self, config: Any, trigger: Any, process: Any, retrieval: Any, description: Any):
        self.config = config or ManagedMemoryConfig()
        self.token_counter = self.config.token_counter or TokenCounter()
        self.raw_messages: Any = []
        self.metadata: dict[str, Any] = {}

    def _recompute_token_accounting(self) -> None:
        """Counts nothing: the recorded compactions know when they ran."""

    def _compacted(self) -> Any:
        recorded = REWRITES.pop(0)
        whole = [self._message_to_dict(one) for one in self.raw_messages]
        if recorded["made"] is not None:
            made = []
            for place, fields in recorded["made"]:
                one = {} if place is None else whole[place]
                one.update(fields)
                made.append(one)
            self._rewrite_memory_with_reduced_context(made)
        self.metadata["last_compaction"] = recorded["notes"]
        return recorded["value"]

    async def _run_compaction(self, runtime: dict[str, Any] | None = None) -> Any:
        return self._compacted()

    async def compact_for_payload_error(self, runtime: dict[str, Any] | None = None) -> Any:
        """Compacts as it was recorded."""
        return self._compacted()

    def get_raw_messages(self) -> list[Message]:
        """The messages of the context."""
        return list(self.raw_messages)

    def _get_memory_state(self) -> Any:
        """The state for strategies that are given."""

    def reset_memory(self) -> None:
        """Deletes all messages."""
        self.raw_messages.clear()
        self.metadata.clear()


class KGMemory:
    """Facts in a list."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.kg: Any = []

    def add_fact(self, role: str, subject: str, predicate: str, obj: str) -> None:
        """Adds a fact."""
        fact = {"role": role, "subject": subject, "predicate": predicate, "object": obj}
        self.kg.append({**fact, "timestamp": time.time(), "message_id": str(uuid.uuid4())})

    def add(self, message: Any = None, *, role: Any = None, content: Any = None) -> str:
        """Adds a message as a fact, and extracts others."""
        role, content = (message.role, message.content) if message else (role, content)
        said = str(content) if content else "empty"
        self.add_fact(role, "raw_content", "contains", said)
        if content:
            self.asked = asyncio.create_task(self.extract_and_update_from_text(said, role))
        return str(list(self.kg)[-1]["message_id"])

    async def extract_and_update_from_text(self, text: str, role: str) -> list[Any]:
        """Asks the model, and adds what has three parts."""
        asked = [{"role": "system", "content": PROMPT}, {"role": role, "content": text}]
        try:
            found = self.model.run(messages=asked, json_mode=True)
            found = json.loads(found) if isinstance(found, str) else found
        except (ValueError, RuntimeError):
            found = []
        facts = found if isinstance(found, list) else []
        for fact in facts:
            if isinstance(fact, dict) and len(fact) == 3:
                self.update_memory(role, *map(str, fact.values()))
        return facts

    def update(self, message_id: str, *, role: str | None, content: Any) -> None:
        """Changes a fact in its list."""
        for fact in self.kg:
            if fact["message_id"] == message_id:
                changes = content if isinstance(content, dict) else {}
                for key, value in {"role": role or fact["role"], **changes}.items():
                    fact[key] = value
                return
        raise MessageError(message_id)

    def delete_memory(self, idx: int) -> None:
        """Deletes by place."""
        if not 0 <= idx < len(self.kg):
            raise IndexError(idx)
        del self.kg[idx]

    def remove_by_id(self, message_id: str) -> bool:
        """Deletes by id."""
        ids = [fact["message_id"] for fact in self.kg]
        if message_id in ids:
            del self.kg[ids.index(message_id)]
        return message_id in ids

    @staticmethod
    def _shown(facts: list[Any]) -> list[dict[str, Any]]:
        parts = ("subject", "predicate", "object")
        return [
            {
                "role": fact["role"],
                "content": f"Fact ({fact['role']}): {' '.join(str(fact[one]) for one in parts)}.",
            }
            for fact in facts
        ]

    def _newest(self) -> list[Any]:
        return sorted(self.kg, key=lambda fact: fact["timestamp"], reverse=True)

    def retrieve_all(self) -> list[dict[str, Any]]:
        """All facts."""
        return self._shown(self._newest()[::-1])

    get_messages = retrieve_all

    def retrieve_recent(self, n: int = 1) -> list[dict[str, Any]]:
        """The newest facts."""
        return self._shown(self._newest()[:n])

    def retrieve_by_role(self, role: str, n: int | None = None) -> list[dict[str, Any]]:
        """The newest facts of a role."""
        return self._shown([one for one in self._newest() if one["role"] == role][: n or None])

    def retrieve_by_id(self, message_id: str) -> dict[str, Any] | None:
        """One fact."""
        found = self._shown([one for one in self.kg if one["message_id"] == message_id])
        return found[0] if found else None

    def reset_memory(self) -> None:
        """Forgets all facts."""
        self.kg.clear()


class MemoryManager:
    """Chooses a kind of memory."""

    def __init__(
        self, memory_type: str, description: Any, model: Any, memory_config: Any, counter: Any
    ) -> None:
        self.memory_type = memory_type
        self.memory_module: Any = None
        if memory_type == "managed_conversation":
            empty = (None, None, None, None)
            self.memory_module = ManagedConversationMemory(memory_config, *empty)
