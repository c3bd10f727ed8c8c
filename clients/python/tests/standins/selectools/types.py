"""Messages with the fields of those of selectools."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Role(str, Enum):
    """Speaker of a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass
class ContentPart:
    """Part of a content."""

    type: str
    text: str | None = None
    image_url: str | None = None
    image_base64: str | None = None
    media_type: str | None = None


@dataclass
class ToolCall:
    """Call of a tool."""

    tool_name: str
    parameters: dict[str, Any]
    id: str | None = None
    thought_signature: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The call as data."""
        written = asdict(self)
        return {"name": written.pop("tool_name"), **written}


@dataclass
class Message:
    """Message of a conversation."""

    role: Role
    content: str = ""
    image_path: str | None = None
    tool_name: str | None = None
    tool_result: str | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    content_parts: list[ContentPart] | None = None
    image_base64: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The message as data."""
        calls = [call.to_dict() for call in self.tool_calls or []]
        parts = [asdict(part) for part in self.content_parts or []]
        return {
            "role": self.role.value,
            "content": self.content,
            "image_base64": self.image_base64,
            "tool_name": self.tool_name,
            "tool_result": self.tool_result,
            "tool_calls": calls or None,
            "tool_call_id": self.tool_call_id,
            "content_parts": parts or None,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Message:
        """A message of data."""
        calls = [
            ToolCall(**{("tool_name" if key == "name" else key): one for key, one in call.items()})
            for call in data.get("tool_calls") or []
        ]
        parts = [ContentPart(**part) for part in data.get("content_parts") or []]
        fields = {**data, "role": Role(data["role"])}
        return cls(**{**fields, "tool_calls": calls or None, "content_parts": parts or None})
