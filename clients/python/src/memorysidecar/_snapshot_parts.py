"""Snapshots on their way: what an import takes, and the requests that bring it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, cast, get_args

from . import v1
from .errors import ErrorReason, MemorySidecarError

FormatName = Literal["native", "selectools", "lauren", "definable", "marsys"]
Chunk = v1.ExportSessionResponse
# The chunks of an export, or the document of another system: as it was read from a file, or as
# the json module gives it.
Snapshot = Iterable[Chunk] | str | bytes | Mapping[str, Any] | list[Any]

CHUNK_BYTES: Final = 1024 * 1024
CHUNK_MESSAGES: Final = 10_000
_FORMATS: Final = get_args(FormatName)


def checked_format(value: FormatName) -> FormatName:
    """Gives a format; raises ValueError for a name that is none."""
    if value not in _FORMATS:
        raise ValueError(f'"{value}" is none of {", ".join(_FORMATS)}')
    return value


def _is_chunk(value: Any) -> bool:
    return isinstance(value, v1.ExportSessionResponse)


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


class Parts:
    """Cuts a snapshot into the bodies of requests: at most 1 MiB each, or one message. Ends with
    ``finish``; it and what takes chunks give the bodies that are full."""

    def __init__(self) -> None:
        self._body = v1.ImportSessionRequest()
        self._bytes = 0
        self._document = bytearray()

    def add_all(self, snapshot: Snapshot) -> Iterator[v1.ImportSessionRequest]:
        """Takes a whole snapshot."""
        document = document_of(snapshot)
        if document is not None:
            yield from self._piece(document)
            return
        for chunk in cast("Iterable[Chunk]", snapshot):
            yield from self.add(chunk)

    def add(self, chunk: Chunk) -> Iterator[v1.ImportSessionRequest]:
        """Takes the next chunk of an export."""
        kind = chunk.WhichOneof("chunk")
        if kind == "header":
            self._body.header.CopyFrom(chunk.header)
            self._bytes += chunk.header.ByteSize()
        elif kind == "messages":
            for message in chunk.messages.messages:
                yield from self._message(message)
        elif kind == "document":
            yield from self._piece(chunk.document)

    def _piece(self, data: bytes) -> Iterator[v1.ImportSessionRequest]:
        self._document += data
        while len(self._document) > CHUNK_BYTES:
            yield v1.ImportSessionRequest(document=bytes(self._document[:CHUNK_BYTES]))
            del self._document[:CHUNK_BYTES]

    def finish(self) -> Iterator[v1.ImportSessionRequest]:
        """Gives what is left, the last body."""
        if self._document:
            self._body.document = bytes(self._document)
        yield self._body

    def _message(self, message: v1.Message) -> Iterator[v1.ImportSessionRequest]:
        size = message.ByteSize() + 8
        body = self._body
        full = self._bytes + size > CHUNK_BYTES or len(body.messages) >= CHUNK_MESSAGES
        if full and self._bytes > 0:
            yield body
            self._body = body = v1.ImportSessionRequest()
            self._bytes = 0
        body.messages.append(message)
        self._bytes += size


class Upload:
    """The requests of one import, and what the answers say about them."""

    def __init__(self, first: v1.ImportSessionRequest) -> None:
        self._first = first
        self._upload_id = ""
        self._next = 0

    def request(self, body: v1.ImportSessionRequest, *, more: bool) -> v1.ImportSessionRequest:
        """Makes the request of a body."""
        request = v1.ImportSessionRequest()
        request.CopyFrom(self._first)
        request.MergeFrom(body)
        request.upload_id = self._upload_id
        request.chunk_index = self._next
        request.more = more
        return request

    def accept(self, answer: v1.ImportSessionResponse) -> None:
        """Takes the answer to a request that has others behind it."""
        self._upload_id = answer.upload_id
        self._next += 1


def can_start_again(error: MemorySidecarError, snapshot: Any) -> bool:
    """Says whether the server forgot an upload that can be sent anew from its beginning."""
    if error.reason != ErrorReason.UPLOAD_NOT_FOUND:
        return False
    if isinstance(snapshot, AsyncIterable):
        return snapshot.__aiter__() is not cast(Any, snapshot)
    return iter(snapshot) is not snapshot
