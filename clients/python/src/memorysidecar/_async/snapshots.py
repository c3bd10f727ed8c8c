"""The methods of the asyncio client for snapshots."""

from __future__ import annotations

from collections.abc import AsyncIterator

from typing_extensions import Unpack

from .. import _fields as f
from .. import v1
from .._base import named
from .._made import made
from .._snapshot_parts import (
    AsyncSnapshot,
    Chunk,
    FormatName,
    Upload,
    async_chunks_of,
    can_start_again,
    checked_format,
)
from ..errors import MemorySidecarError
from .calls import AsyncCalls


class AsyncSnapshotMethods(AsyncCalls):
    """Export and import."""

    def export_session(
        self, session_id: str, *, format: FormatName = "native", **call: Unpack[f.ReadOptions]
    ) -> AsyncIterator[Chunk]:
        """Gives a snapshot of a session in chunks, all of one moment, which ``import_session``
        takes. The call begins with the first chunk; ``timeout`` is for all of them. It is tried
        again only before the first chunk came."""
        request = made(
            v1.ExportSessionRequest, session_id=session_id, format=checked_format(format)
        )
        answers = self._stream(request, v1.ExportSessionResponse, call)
        return (answer.chunk async for answer in answers)

    async def export_document(
        self, session_id: str, *, format: FormatName, **call: Unpack[f.ReadOptions]
    ) -> bytes:
        """Gives the window of a session as the JSON document of another system."""
        if format == "native":
            raise ValueError("a native snapshot is no document: use export_session")
        chunks = self.export_session(session_id, format=format, **call)
        return b"".join([chunk.document async for chunk in chunks])

    async def import_session(
        self,
        snapshot: AsyncSnapshot,
        *,
        session_id: str = "",
        format: FormatName = "native",
        replace: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.Session:
        """Makes a session from the chunks of an export or from the document of another system, and
        gives it. Sends each chunk as it is, and a document in pieces of 1 MiB; ``timeout`` is for
        each request. When the server was restarted meanwhile, a snapshot that can be read anew is
        sent again."""
        first = made(
            v1.ImportSessionRequest,
            session_id=session_id,
            format=checked_format(format),
            replace=replace,
        )
        once = named(call)
        left = self.retry.max_attempts
        while True:
            left -= 1
            try:
                return await self._upload(snapshot, Upload(first), once)
            except MemorySidecarError as error:
                if left <= 0 or not can_start_again(error, snapshot):
                    raise

    async def _upload(
        self, snapshot: AsyncSnapshot, upload: Upload, call: f.WriteOptions
    ) -> v1.Session:
        held: Chunk | None = None
        async for chunk in async_chunks_of(snapshot):
            if held is not None:
                request = upload.request(held, more=True)
                upload.accept(await self._unary(request, v1.ImportSessionResponse, call))
            held = chunk
        request = upload.request(held or Chunk(), more=False)
        return (await self._unary(request, v1.ImportSessionResponse, call)).session
