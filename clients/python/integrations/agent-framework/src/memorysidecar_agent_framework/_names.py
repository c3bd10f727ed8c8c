"""Names made of the ids of applications, agents and sessions."""

from __future__ import annotations

from memorysidecar.adapters.names import escaped, segment

MAX_SESSION_ID_BYTES = 512
LONG_PART_BYTES = 65


def session_name(*parts: str | None) -> str:
    """Joins ids to the name of a session of the server. An id that is left out, an empty one and
    one that contains the separator are told apart; ids that are too long become digests."""
    name = "/".join("-" if part is None else "_" + _part(part) for part in parts)
    if len(name.encode()) <= MAX_SESSION_ID_BYTES:
        return name
    short = ("-" if part is None else segment(part, LONG_PART_BYTES) for part in parts)
    return "/".join(part.replace("/", "%2F") for part in short)


def path_of(root: str, kind: str, *parts: str | None) -> list[str]:
    """Makes the path of records."""
    return [root, kind, *("-" if part is None else segment(part) for part in parts)]


def _part(text: str) -> str:
    return escaped(text).replace("/", "%2F")
