"""Paths of the memory tool as names of records.

A path is a list of names below ``/memories``; that directory itself has none. The record of a file
or directory has the root of the tool and all names but the last as its path, and the last as key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote

from anthropic.lib.tools import ToolError

MEMORIES = "/memories"
MAX_NAME_BYTES = 255
MAX_SEGMENTS = 32
MAX_BYTES = 1_024

Names = tuple[str, ...]

_ESCAPED = re.compile("[%\x00-\x1f\x7f-\x9f]")


class Place(NamedTuple):
    """The name of a record."""

    path: Names
    key: str


def names_of(shown: str) -> Names:
    """Gives the names of a path as the model wrote it. ``.`` and ``..`` are resolved; a path that
    leaves ``/memories`` on its way is refused."""
    if not shown.startswith(MEMORIES):
        raise ToolError(f"Path must start with {MEMORIES}, got: {shown}")
    names: list[str] = []
    for name in shown[len(MEMORIES) :].split("/"):
        if name == "..":
            if not names:
                raise ToolError(f"Path {shown} would escape {MEMORIES} directory")
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    if "\0" in shown or not _is_unicode(shown):
        raise ToolError("Path must be valid Unicode text without NUL characters")
    return tuple(names)


def text_of(names: Sequence[str]) -> str:
    """Gives the path of a file in its plain form."""
    return "/".join([MEMORIES, *names])


def root_of(root: str, user_id: str | None, agent_id: str | None) -> Names:
    """Gives the path of the records of a tool. Each user, each agent of a user, and those without
    one have a path of the same length, so that none of them lies below another."""
    user = "no-user" if user_id is None else f"user={user_id}"
    agent = "no-agent" if agent_id is None else f"agent={agent_id}"
    return (root, user, agent)


def place_of(root: Names, names: Names) -> Place:
    """Names the record of a file or directory below ``/memories``."""
    segments = [_escape(name) for name in names]
    place = Place((*root, *segments[:-1]), segments[-1])
    sizes = [len(segment.encode()) for segment in (*place.path, place.key)]
    total = sum(sizes) + len(place.path)
    if max(sizes[len(root) :]) > MAX_NAME_BYTES:
        raise ToolError(f"A name in a path has at most {MAX_NAME_BYTES} bytes: {text_of(names)}")
    if total > MAX_BYTES or len(place.path) > MAX_SEGMENTS:
        raise ToolError(f"The path is too long or too deep: {text_of(names)}")
    return place


def names_at(root: Names, path: Sequence[str], key: str) -> Names:
    """Gives the names of the file or directory that a record keeps."""
    return tuple(unquote(segment) for segment in (*path[len(root) :], key))


def _escape(name: str) -> str:
    """Percent-encodes what a name of a record must not have, and ``%``."""
    return _ESCAPED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), name)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
