"""Memory tools, apart from their calls: definitions, arguments, and lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from google.protobuf import json_format

from . import v1
from .errors import Invalid

# Memories in one call.
BATCH: Final = 100
_DEFAULT_LIMIT: Final = 5
TRUE: Final = ("true", "yes", "1")
# Fields that the server sets.
_OWN: Final = (
    "state",
    "superseded_by_memory_id",
    "contradicts_memory_ids",
    "mention_count",
    "version",
    "writer",
    "reason",
    "create_time",
    "update_time",
    "expire_time",
    "etag",
)

PROPERTIES: Final[dict[str, dict[str, Any]]] = {
    "remember": {
        "content": {
            "type": "string",
            "description": "The fact, in one sentence that stands by itself.",
        },
        "category": {
            "type": "string",
            "description": "What it is filed under, for example preference. Default: general.",
        },
        "key": {
            "type": "string",
            "description": "What it is the current answer to, for example home_city: a new "
            "memory with the same key takes the place of the old one. Optional.",
        },
        "persistent": {
            "type": "boolean",
            "description": "Never forget it to make room. Default: false.",
        },
    },
    "recall": {
        "query": {"type": "string", "description": "What to look for, in words."},
        "limit": {
            "type": "integer",
            "description": "The most memories to give, 1 to 100. Default: 5.",
        },
    },
    "forget": {
        "memory_id": {
            "type": "string",
            "description": "The id of the memory, as remember gave it.",
        },
    },
}
# Fields to which the server gives another name.
_ARGUMENTS: Final = {"text": "content"}
REQUIRED: Final = {"remember": ["content"], "recall": ["query"], "forget": ["memory_id"]}
_DESCRIPTIONS: Final = {
    "remember": "Stores a fact about the user or the work for later conversations.",
    "recall": "Finds what was remembered in earlier conversations.",
    "forget": "Deletes a memory for good.",
}


def memory_of_line(line: str) -> v1.Memory:
    """Reads a line. Fields that are not known are passed over, as a newer server may write them; a
    kind that is not known is an error, since it would pass for a fact."""
    memory = v1.Memory()
    try:
        fields = json.loads(line)
        if not isinstance(fields, dict):
            raise ValueError("a memory is an object")
        json_format.ParseDict(fields, memory, ignore_unknown_fields=True)
    except (json_format.ParseError, TypeError, RecursionError) as error:
        raise ValueError(error) from error
    if not memory.kind and fields.get("kind") not in (None, "MEMORY_KIND_UNSPECIFIED"):
        raise ValueError(f"there is no kind {json.dumps(fields['kind'])}")
    for name in _OWN:
        memory.ClearField(name)
    return memory


def refusal(error: Invalid) -> str:
    """Fields that the server refused, by the names of the arguments."""
    said = [
        f"{_ARGUMENTS.get(name, name)} {one.description}"
        for one in error.violations
        for name in [one.field.rpartition(".")[2]]
    ]
    return f"Error: {'; '.join(said) or error.message}."


def limit_of(value: Any) -> int:
    """A limit as models give it: a text may hold the number, and what is none is the default."""
    try:
        limit = int(value)
    except (TypeError, ValueError, OverflowError):
        return _DEFAULT_LIMIT
    return min(limit, 100) if limit > 0 else _DEFAULT_LIMIT


def definition(name: str, shape: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": PROPERTIES[name],
        "required": REQUIRED[name],
        "additionalProperties": False,
    }
    about = {"name": name, "description": _DESCRIPTIONS[name]}
    if shape == "openai":
        return {"type": "function", "function": {**about, "parameters": schema}}
    if shape == "anthropic":
        return {**about, "input_schema": schema}
    if shape == "mcp":
        return {**about, "inputSchema": schema}
    raise ValueError(f'the shape is one of openai, anthropic, mcp, not "{shape}"')


def arguments_of(name: str, arguments: str | Mapping[str, Any]) -> dict[str, Any] | str:
    """Gives the arguments of a tool, or what to answer when they cannot be right."""
    if name not in PROPERTIES:
        return f'Error: there is no tool "{name}".'
    try:
        given = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
    except (TypeError, ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        return "Error: the arguments are not a JSON object."
    for wanted in REQUIRED[name]:
        if not isinstance(given.get(wanted), str):
            return f"Error: {wanted} must be a text."
    return given
