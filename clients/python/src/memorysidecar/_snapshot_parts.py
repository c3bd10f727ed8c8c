"""Snapshots on their way: what an import takes, and the requests that bring it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, cast, get_args

from . import v1
from .errors import ErrorReason, MemorySidecarError

FormatName = Literal["native", "selectools", "lauren", "definable", "marsys"]
Chunk = v1.SnapshotChunk
# The chunks of an export, or the document of another system: as it was read from a file, or as
# the json module gives it.
Snapshot = Iterable[Chunk] | str | bytes | Mapping[str, Any] | list[Any]
AsyncSnapshot = Snapshot | AsyncIterable[Chunk]

CHUNK_BYTES: Final = 1024 * 1024
_FORMATS: Final = get_args(FormatName)


def checked_format(value: FormatName) -> FormatName:
    """Gives a format; raises ValueError for a name that is none."""
    if value not in _FORMATS:
        raise ValueError(f'"{value}" is none of {", ".join(_FORMATS)}')
    return value


def _is_chunk(value: Any) -> bool:
    return isinstance(value, v1.SnapshotChunk)


def document_of(snapshot: Snapshot) -> bytes | None:
    """Gives a snapshot as the bytes of a document; None for the chunks of an export."""
    if isinstance(snapshot, bytes):
        return snapshot
    if isinstance(snapshot, str):
        return snapshot.encode()
    is_list = isinstance(snapshot, list) and not (snapshot and _is_chunk(snapshot[0]))
    if isinstance(snapshot, Mapping) or is_list:
        return json.dumps(snapshot, ensure_ascii=False).encode()
    return None


def pieces_of(document: bytes) -> Iterator[Chunk]:
    """Gives the chunks of a document."""
    for start in range(0, len(document), CHUNK_BYTES):
        yield Chunk(document=document[start : start + CHUNK_BYTES])


def chunks_of(snapshot: Snapshot) -> Iterator[Chunk]:
    """Gives the chunks of a snapshot: those of an export as they came, a document in pieces."""
    document = document_of(snapshot)
    yield from cast("Iterable[Chunk]", snapshot) if document is None else pieces_of(document)


async def async_chunks_of(snapshot: AsyncSnapshot) -> AsyncIterator[Chunk]:
    """As ``chunks_of``, also for the chunks of an export that is under way."""
    if isinstance(snapshot, AsyncIterable):
        async for chunk in snapshot:
            yield chunk
    else:
        for chunk in chunks_of(snapshot):
            yield chunk


class Upload:
    """The requests of one import, and what the answers say about them."""

    def __init__(self, first: v1.ImportSessionRequest) -> None:
        self._first = first
        self._upload_id = ""
        self._next = 0

    def request(self, chunk: Chunk, *, more: bool) -> v1.ImportSessionRequest:
        """Makes the request that brings a chunk."""
        request = v1.ImportSessionRequest(chunk=chunk)
        request.MergeFrom(self._first)
        request.upload_id = self._upload_id
        request.chunk_index = self._next
        request.more = more
        return request

    def accept(self, answer: v1.ImportSessionResponse) -> None:
        """Takes the answer to a request that has others behind it."""
        self._upload_id = answer.upload_id
        self._next += 1


def can_start_again(error: MemorySidecarError, snapshot: Any) -> bool:
    """Tells whether the server dropped an upload that can be sent again from its beginning."""
    if error.reason != ErrorReason.UPLOAD_NOT_FOUND:
        return False
    if isinstance(snapshot, AsyncIterable):
        return snapshot.__aiter__() is not cast(Any, snapshot)
    return iter(snapshot) is not snapshot
