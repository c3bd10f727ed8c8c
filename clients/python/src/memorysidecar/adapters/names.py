"""Names of records made of any texts."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote

MAX_SEGMENT_BYTES = 255
MAX_KEY_BYTES = 512

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


def escaped(text: str) -> str:
    """Percent-encodes control characters and ``%``. What a text begins with, begins the result."""
    return _ESCAPED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text)


def text_of(name: str) -> str:
    """Gives the text of a segment that is no digest."""
    return unquote(name[1:])
