"""Names of records made of any texts."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote

MAX_SEGMENT_BYTES = 255
MAX_KEY_BYTES = 512
MAX_SESSION_ID_BYTES = 512
LONG_PART_BYTES = 65
"""Of a part of a name that is too long as a whole: that of a digest. Seven fit a session id."""

_ESCAPED = re.compile("[%\x00-\x1f\x7f-\x9f]")


def segment(text: str, limit: int = MAX_SEGMENT_BYTES) -> str:
    """Makes a segment of a path, or a key, of any text: ``_`` and the text, in which control
    characters and ``%`` are percent-encoded; of a text that is too long, ``#`` and a digest. The
    mark at the front makes a segment of the empty text, too."""
    name = "_" + escaped(text)
    if len(name.encode()) <= limit:
        return name
    return f"#{hashlib.sha256(text.encode()).hexdigest()}"


def segment_prefix(text: str) -> str:
    """Gives what the segments of texts that begin with this one begin with, digests aside."""
    return "_" + escaped(text)


def session_name(root: str, *parts: str | None) -> str:
    """Joins texts to the id of a session. A text that is left out, an empty one and one that has
    the separator are told apart. Where the id would be too long, digests stand for long texts."""
    texts = (root, *parts)
    name = "/".join(_part(text) for text in texts)
    if len(name.encode()) <= MAX_SESSION_ID_BYTES:
        return name
    return "/".join(_part(text, LONG_PART_BYTES) for text in texts)


def path_of(root: str, kind: str, *parts: str | None) -> list[str]:
    """Makes the path of records."""
    return [root, kind, *("-" if part is None else segment(part) for part in parts)]


def escaped(text: str) -> str:
    """Percent-encodes control characters and ``%``. What a text begins with, begins the result."""
    return _ESCAPED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text)


def text_of(name: str) -> str:
    """Gives the text of a segment that is no digest."""
    return unquote(name[1:])


def _part(text: str | None, limit: int | None = None) -> str:
    if text is None:
        return "-"
    name = "_" + escaped(text).replace("/", "%2F")
    return name if limit is None or len(name.encode()) <= limit else segment(text, 0)
