import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import document_pb2 as _document_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecordOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECORD_ORDER_UNSPECIFIED: _ClassVar[RecordOrder]
    RECORD_ORDER_NAME_ASC: _ClassVar[RecordOrder]
    RECORD_ORDER_NAME_DESC: _ClassVar[RecordOrder]
RECORD_ORDER_UNSPECIFIED: RecordOrder
RECORD_ORDER_NAME_ASC: RecordOrder
RECORD_ORDER_NAME_DESC: RecordOrder

class NamedRecord(_message.Message):
    __slots__ = ("path", "key", "value", "media_type", "owner", "ttl", "version", "etag", "value_size", "writer", "create_time", "update_time", "expire_time", "upload_id", "value_crc32", "search")
    PATH_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    VALUE_SIZE_FIELD_NUMBER: _ClassVar[int]
    WRITER_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_CRC32_FIELD_NUMBER: _ClassVar[int]
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    path: _containers.RepeatedScalarFieldContainer[str]
    key: str
    value: bytes
    media_type: str
    owner: _memory_pb2.MemoryScope
    ttl: _duration_pb2.Duration
    version: int
    etag: str
    value_size: int
    writer: str
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    upload_id: str
    value_crc32: int
    search: RecordSearch
    def __init__(self, path: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ..., value: _Optional[bytes] = ..., media_type: _Optional[str] = ..., owner: _Optional[_Union[_memory_pb2.MemoryScope, _Mapping]] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., version: _Optional[int] = ..., etag: _Optional[str] = ..., value_size: _Optional[int] = ..., writer: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., upload_id: _Optional[str] = ..., value_crc32: _Optional[int] = ..., search: _Optional[_Union[RecordSearch, _Mapping]] = ...) -> None: ...

class RecordSearch(_message.Message):
    __slots__ = ("collection_id", "documents", "document_count")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    documents: _containers.RepeatedCompositeFieldContainer[_document_pb2.Document]
    document_count: int
    def __init__(self, collection_id: _Optional[str] = ..., documents: _Optional[_Iterable[_Union[_document_pb2.Document, _Mapping]]] = ..., document_count: _Optional[int] = ...) -> None: ...

class RecordRef(_message.Message):
    __slots__ = ("path", "key")
    PATH_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    path: _containers.RepeatedScalarFieldContainer[str]
    key: str
    def __init__(self, path: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ...) -> None: ...

class RecordPrecondition(_message.Message):
    __slots__ = ("version", "exists")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    EXISTS_FIELD_NUMBER: _ClassVar[int]
    version: int
    exists: bool
    def __init__(self, version: _Optional[int] = ..., exists: _Optional[bool] = ...) -> None: ...

class RecordRange(_message.Message):
    __slots__ = ("path", "recursive", "key_prefix", "start_key", "end_key")
    PATH_FIELD_NUMBER: _ClassVar[int]
    RECURSIVE_FIELD_NUMBER: _ClassVar[int]
    KEY_PREFIX_FIELD_NUMBER: _ClassVar[int]
    START_KEY_FIELD_NUMBER: _ClassVar[int]
    END_KEY_FIELD_NUMBER: _ClassVar[int]
    path: _containers.RepeatedScalarFieldContainer[str]
    recursive: bool
    key_prefix: str
    start_key: str
    end_key: str
    def __init__(self, path: _Optional[_Iterable[str]] = ..., recursive: _Optional[bool] = ..., key_prefix: _Optional[str] = ..., start_key: _Optional[str] = ..., end_key: _Optional[str] = ...) -> None: ...

class RecordFolder(_message.Message):
    __slots__ = ("path",)
    PATH_FIELD_NUMBER: _ClassVar[int]
    path: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, path: _Optional[_Iterable[str]] = ...) -> None: ...

class RecordOperation(_message.Message):
    __slots__ = ("put", "deletion", "check")
    PUT_FIELD_NUMBER: _ClassVar[int]
    DELETION_FIELD_NUMBER: _ClassVar[int]
    CHECK_FIELD_NUMBER: _ClassVar[int]
    put: RecordPut
    deletion: RecordDelete
    check: RecordCheck
    def __init__(self, put: _Optional[_Union[RecordPut, _Mapping]] = ..., deletion: _Optional[_Union[RecordDelete, _Mapping]] = ..., check: _Optional[_Union[RecordCheck, _Mapping]] = ...) -> None: ...

class RecordPut(_message.Message):
    __slots__ = ("record", "precondition")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    record: NamedRecord
    precondition: RecordPrecondition
    def __init__(self, record: _Optional[_Union[NamedRecord, _Mapping]] = ..., precondition: _Optional[_Union[RecordPrecondition, _Mapping]] = ...) -> None: ...

class RecordDelete(_message.Message):
    __slots__ = ("record", "etag", "precondition", "allow_missing")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    record: RecordRef
    etag: str
    precondition: RecordPrecondition
    allow_missing: bool
    def __init__(self, record: _Optional[_Union[RecordRef, _Mapping]] = ..., etag: _Optional[str] = ..., precondition: _Optional[_Union[RecordPrecondition, _Mapping]] = ..., allow_missing: _Optional[bool] = ...) -> None: ...

class RecordCheck(_message.Message):
    __slots__ = ("record", "etag", "precondition")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_FIELD_NUMBER: _ClassVar[int]
    record: RecordRef
    etag: str
    precondition: RecordPrecondition
    def __init__(self, record: _Optional[_Union[RecordRef, _Mapping]] = ..., etag: _Optional[str] = ..., precondition: _Optional[_Union[RecordPrecondition, _Mapping]] = ...) -> None: ...

class RecordOutcome(_message.Message):
    __slots__ = ("created", "deleted", "version", "etag", "create_time", "update_time", "expire_time")
    CREATED_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    created: bool
    deleted: bool
    version: int
    etag: str
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    expire_time: _timestamp_pb2.Timestamp
    def __init__(self, created: _Optional[bool] = ..., deleted: _Optional[bool] = ..., version: _Optional[int] = ..., etag: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RecordLookup(_message.Message):
    __slots__ = ("record", "value_omitted")
    RECORD_FIELD_NUMBER: _ClassVar[int]
    VALUE_OMITTED_FIELD_NUMBER: _ClassVar[int]
    record: NamedRecord
    value_omitted: bool
    def __init__(self, record: _Optional[_Union[NamedRecord, _Mapping]] = ..., value_omitted: _Optional[bool] = ...) -> None: ...

class RecordVersion(_message.Message):
    __slots__ = ("path", "key", "version")
    PATH_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    path: _containers.RepeatedScalarFieldContainer[str]
    key: str
    version: int
    def __init__(self, path: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...
