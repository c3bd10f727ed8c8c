"""The methods of the asyncio client for records."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import uuid4
from zlib import crc32

from typing_extensions import Unpack

from .. import _fields as f
from .. import _record_fields as n
from .. import v1
from .._made import Seconds, duration_of, made
from .._recall_fields import DocumentsLike, scope_of
from .calls import AsyncCalls
from .pager import AsyncPager


class AsyncRecordMethods(AsyncCalls):
    """Records: exact values under a path and a key."""

    async def put_record(
        self,
        path: n.Path,
        key: str,
        value: bytes | str | n.UploadedValue,
        *,
        version: int | None = None,
        exists: bool | None = None,
        etag: str = "",
        media_type: str = "",
        user_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        ttl: Seconds | None = None,
        search: DocumentsLike | None = None,
        collection_id: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.RecordOutcome:
        """Creates a record, or replaces it as a whole. A text is kept as UTF-8. A value above
        4,128,768 bytes is sent before with ``upload_value``.

        :param path: its segments, or the only one.
        :param version: the record exists with this version.
        :param exists: whether the record exists; with False the put only creates.
        :param etag: the record still has this etag.
        :param user_id: whom ``erase_subject`` and events take it for, with the two after it.
            Default: everybody shares it.
        :param ttl: its life in seconds, from now or from a read that refreshes it.
        :param search: the texts, or the documents, by which ``recall`` finds it; they expire and
            are deleted with it. Default: no search finds it.
        :param collection_id: the collection of these documents. Default ``default``.
        """
        record = made(
            v1.NamedRecord,
            path=n.path_of(path),
            key=key,
            media_type=media_type,
            owner=scope_of(user_id, agent_id, session_id),
            ttl=duration_of(ttl),
            etag=etag,
            search=n.search_of(search, collection_id),
            **n.content_of(value),
        )
        demand = n.demand_of(version, exists)
        request = made(v1.PutRecordRequest, record=record, precondition=demand)
        return (await self._unary(request, v1.PutRecordResponse, call)).outcome

    async def upload_value(
        self, value: bytes | str, **call: Unpack[f.ReadOptions]
    ) -> n.UploadedValue:
        """Sends a value of up to 1 GiB, in parts. The result stands for it in one put, at most an
        hour later: in ``put_record``, or with its fields in the record of an operation."""
        data = n.bytes_of(value)
        upload_id = str(uuid4())
        for offset in range(0, len(data), n.VALUE_BYTES):
            part = made(
                v1.UploadRecordPartRequest,
                upload_id=upload_id,
                offset=offset,
                data=data[offset : offset + n.VALUE_BYTES],
            )
            await self._unary(part, v1.UploadRecordPartResponse, call)
        return n.UploadedValue(upload_id, crc32(data))

    async def get_record(
        self,
        path: n.Path,
        key: str,
        *,
        omit_value: bool = False,
        refresh_ttl: bool = False,
        value_offset: int = 0,
        value_limit: int = 0,
        etag: str = "",
        **call: Unpack[f.ReadOptions],
    ) -> v1.NamedRecord:
        """Gets a record, or a range of its value.

        :param refresh_ttl: lets it live on for its ttl from now.
        :param value_offset: the first byte of the value to get.
        :param value_limit: the number of its bytes, up to 4,128,768. Default: all that follow, if
            the answer holds them.
        :param etag: the record still has this etag: ranges of one etag make one value.
        """
        request = made(
            v1.GetRecordRequest,
            path=n.path_of(path),
            key=key,
            omit_value=omit_value,
            refresh_ttl=refresh_ttl,
            value_offset=value_offset,
            value_limit=value_limit,
            etag=etag,
        )
        return (await self._unary(request, v1.GetRecordResponse, call)).record

    async def get_whole_record(
        self,
        path: n.Path,
        key: str,
        *,
        refresh_ttl: bool = False,
        **call: Unpack[f.ReadOptions],
    ) -> v1.NamedRecord:
        """Gets a record with its whole value, whatever its size: a large one comes in several
        calls."""
        record = await self.get_record(
            path, key, refresh_ttl=refresh_ttl, value_limit=n.VALUE_BYTES, **call
        )
        pieces = [record.value]
        size = len(record.value)
        while size < record.value_size:
            piece = await self.get_record(
                path, key, value_offset=size, value_limit=n.VALUE_BYTES, etag=record.etag, **call
            )
            pieces.append(piece.value)
            size += len(piece.value)
        record.value = b"".join(pieces)
        return record

    async def batch_get_records(
        self,
        records: Iterable[n.Name],
        *,
        omit_values: bool = False,
        refresh_ttl: bool = False,
        **call: Unpack[f.ReadOptions],
    ) -> list[v1.RecordLookup]:
        """Gets up to 256 records, all of one moment: one result for each name, in order. A name is
        a tuple of a path and a key. A value that does not fit the answer is left out, with
        ``value_omitted``."""
        request = made(
            v1.BatchGetRecordsRequest,
            records=[n.name_of(name) for name in records],
            omit_values=omit_values,
            refresh_ttl=refresh_ttl,
        )
        answer = await self._unary(request, v1.BatchGetRecordsResponse, call)
        return list(answer.results)

    def list_records(
        self,
        path: n.Path,
        *,
        recursive: bool = False,
        key_prefix: str = "",
        start_key: str = "",
        end_key: str = "",
        order: n.Order | v1.RecordOrder | None = None,
        include_values: bool = False,
        refresh_ttl: bool = False,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> AsyncPager[v1.NamedRecord, v1.ListRecordsResponse]:
        """Lists the records of a path by name, without their values unless these are asked for.

        :param recursive: the records of all paths below as well.
        :param start_key: this key and those after it.
        :param end_key: keys before this one.
        :param order: ``asc``, the default, or ``desc``.
        """
        request = made(
            v1.ListRecordsRequest,
            range=made(
                v1.RecordRange,
                path=n.path_of(path),
                recursive=recursive,
                key_prefix=key_prefix,
                start_key=start_key,
                end_key=end_key,
            ),
            order=n.order_of(order),
            include_values=include_values,
            refresh_ttl=refresh_ttl,
            page_size=page_size,
        )
        return self._pages(request, v1.ListRecordsResponse, "records", call)

    def list_record_paths(
        self,
        prefix: n.Path = (),
        *,
        suffix: n.Path = (),
        max_depth: int = 0,
        page_size: int = 0,
        **call: Unpack[f.ReadOptions],
    ) -> AsyncPager[v1.RecordFolder, v1.ListRecordPathsResponse]:
        """Lists the paths that hold records, by rising path, each once.

        :param prefix: this path and those below it.
        :param suffix: paths that end so.
        :param max_depth: cuts longer paths to this many segments.
        """
        request = made(
            v1.ListRecordPathsRequest,
            prefix=n.path_of(prefix),
            suffix=n.path_of(suffix),
            max_depth=max_depth,
            page_size=page_size,
        )
        return self._pages(request, v1.ListRecordPathsResponse, "folders", call)

    async def write_records(
        self,
        operations: Iterable[v1.RecordOperation | f.Json],
        **call: Unpack[f.WriteOptions],
    ) -> v1.WriteRecordsResponse:
        """Does up to 256 operations on different records in one transaction, all of them or none:
        ``{"put": {"record": {...}, "precondition": {"version": 1}}}``, ``{"deletion": {...}}`` or
        ``{"check": {...}}`` with the fields of the contract."""
        request = made(v1.WriteRecordsRequest, operations=n.operations_of(operations))
        return await self._unary(request, v1.WriteRecordsResponse, call)

    async def delete_record(
        self,
        path: n.Path,
        key: str,
        *,
        version: int | None = None,
        exists: bool | None = None,
        etag: str = "",
        allow_missing: bool = False,
        **call: Unpack[f.WriteOptions],
    ) -> v1.RecordOutcome:
        """Deletes a record, for good.

        :param version: it must have this version.
        :param exists: True: it must exist.
        """
        request = made(
            v1.DeleteRecordRequest,
            path=n.path_of(path),
            key=key,
            etag=etag,
            precondition=n.demand_of(version, exists),
            allow_missing=allow_missing,
        )
        return (await self._unary(request, v1.DeleteRecordResponse, call)).outcome

    async def delete_records(
        self,
        path: n.Path,
        *,
        recursive: bool = False,
        key_prefix: str = "",
        start_key: str = "",
        end_key: str = "",
        **call: Unpack[f.WriteOptions],
    ) -> v1.DeleteRecordsResponse:
        """Deletes the records of a path, at most 1,000: call again while there are ``more``."""
        request = made(
            v1.DeleteRecordsRequest,
            range=made(
                v1.RecordRange,
                path=n.path_of(path),
                recursive=recursive,
                key_prefix=key_prefix,
                start_key=start_key,
                end_key=end_key,
            ),
        )
        return await self._unary(request, v1.DeleteRecordsResponse, call)
