"""Names of records made of names of the kit."""

from __future__ import annotations

from urllib.parse import quote, unquote

MAX_SEGMENT_BYTES = 255


def segment(text: str) -> str:
    """Makes a segment of a path; the mark at the front makes one of the empty text, too."""
    name = "_" + quote(text, safe=" /:@")
    if len(name) > MAX_SEGMENT_BYTES:
        raise ValueError(
            f"the name of an app, user or session takes at most {MAX_SEGMENT_BYTES - 1} bytes, "
            "percent-encoded"
        )
    return name


def text_of(name: str) -> str:
    """Gives the text of a segment."""
    return unquote(name[1:])
