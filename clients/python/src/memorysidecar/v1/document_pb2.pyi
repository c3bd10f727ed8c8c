import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import filter_pb2 as _filter_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import message_pb2 as _message_pb2
from memorysidecar.v1 import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EmbeddingPurpose(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EMBEDDING_PURPOSE_UNSPECIFIED: _ClassVar[EmbeddingPurpose]
    EMBEDDING_PURPOSE_PASSAGE: _ClassVar[EmbeddingPurpose]
    EMBEDDING_PURPOSE_QUERY: _ClassVar[EmbeddingPurpose]
EMBEDDING_PURPOSE_UNSPECIFIED: EmbeddingPurpose
EMBEDDING_PURPOSE_PASSAGE: EmbeddingPurpose
EMBEDDING_PURPOSE_QUERY: EmbeddingPurpose

class Document(_message.Message):
    __slots__ = ("collection_id", "document_id", "text", "author", "metadata", "labels", "document_time", "importance", "embedding", "trust", "source_document_id", "chunk_index", "chunk_count", "chunk_offset", "writer", "create_time", "update_time", "etag", "scope", "space_before", "space_after", "ttl", "expire_time", "payload", "payload_size", "record")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_TIME_FIELD_NUMBER: _ClassVar[int]
    IMPORTANCE_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    SOURCE_DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    CHUNK_INDEX_FIELD_NUMBER: _ClassVar[int]
    CHUNK_COUNT_FIELD_NUMBER: _ClassVar[int]
    CHUNK_OFFSET_FIELD_NUMBER: _ClassVar[int]
    WRITER_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SPACE_BEFORE_FIELD_NUMBER: _ClassVar[int]
    SPACE_AFTER_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_SIZE_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_id: str
    text: str
    author: str
    metadata: _struct_pb2.Struct
    labels: _containers.ScalarMap[str, str]
    document_time: _timestamp_pb2.Timestamp
    importance: float
    embedding: Embedding
    trust: _message_pb2.Trust
    source_document_id: str
    chunk_index: int
    chunk_count: int
    chunk_offset: int
    writer: str
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    etag: str
    scope: _memory_pb2.MemoryScope
    space_before: str
    space_after: str
    ttl: _duration_pb2.Duration
    expire_time: _timestamp_pb2.Timestamp
    payload: DocumentPayload
    payload_size: int
    record: DocumentRecord
    def __init__(self, collection_id: _Optional[str] = ..., document_id: _Optional[str] = ..., text: _Optional[str] = ..., author: _Optional[str] = ..., metadata: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., document_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., importance: _Optional[float] = ..., embedding: _Optional[_Union[Embedding, _Mapping]] = ..., trust: _Optional[_Union[_message_pb2.Trust, str]] = ..., source_document_id: _Optional[str] = ..., chunk_index: _Optional[int] = ..., chunk_count: _Optional[int] = ..., chunk_offset: _Optional[int] = ..., writer: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., etag: _Optional[str] = ..., scope: _Optional[_Union[_memory_pb2.MemoryScope, _Mapping]] = ..., space_before: _Optional[str] = ..., space_after: _Optional[str] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., payload: _Optional[_Union[DocumentPayload, _Mapping]] = ..., payload_size: _Optional[int] = ..., record: _Optional[_Union[DocumentRecord, _Mapping]] = ...) -> None: ...

class DocumentPayload(_message.Message):
    __slots__ = ("data", "media_type")
    DATA_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    media_type: str
    def __init__(self, data: _Optional[bytes] = ..., media_type: _Optional[str] = ...) -> None: ...

class DocumentRecord(_message.Message):
    __slots__ = ("path", "key", "index")
    PATH_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    path: _containers.RepeatedScalarFieldContainer[str]
    key: str
    index: int
    def __init__(self, path: _Optional[_Iterable[str]] = ..., key: _Optional[str] = ..., index: _Optional[int] = ...) -> None: ...

class Embedding(_message.Message):
    __slots__ = ("values", "model")
    VALUES_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    model: str
    def __init__(self, values: _Optional[_Iterable[float]] = ..., model: _Optional[str] = ...) -> None: ...

class DocumentCollection(_message.Message):
    __slots__ = ("collection_id", "document_count", "create_time", "update_time", "has_collections_below")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    HAS_COLLECTIONS_BELOW_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_count: int
    create_time: _timestamp_pb2.Timestamp
    update_time: _timestamp_pb2.Timestamp
    has_collections_below: bool
    def __init__(self, collection_id: _Optional[str] = ..., document_count: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., has_collections_below: _Optional[bool] = ...) -> None: ...

class TextSplitter(_message.Message):
    __slots__ = ("chunk_chars", "overlap_chars")
    CHUNK_CHARS_FIELD_NUMBER: _ClassVar[int]
    OVERLAP_CHARS_FIELD_NUMBER: _ClassVar[int]
    chunk_chars: int
    overlap_chars: int
    def __init__(self, chunk_chars: _Optional[int] = ..., overlap_chars: _Optional[int] = ...) -> None: ...

class UpsertedDocument(_message.Message):
    __slots__ = ("document_id", "created", "etag", "chunk_document_ids")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    CHUNK_DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    created: bool
    etag: str
    chunk_document_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, document_id: _Optional[str] = ..., created: _Optional[bool] = ..., etag: _Optional[str] = ..., chunk_document_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class RefreshedDocument(_message.Message):
    __slots__ = ("document_id", "expire_time")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    EXPIRE_TIME_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    expire_time: _timestamp_pb2.Timestamp
    def __init__(self, document_id: _Optional[str] = ..., expire_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class DocumentRef(_message.Message):
    __slots__ = ("collection_id", "document_id")
    COLLECTION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    collection_id: str
    document_id: str
    def __init__(self, collection_id: _Optional[str] = ..., document_id: _Optional[str] = ...) -> None: ...

class DocumentFilter(_message.Message):
    __slots__ = ("labels", "metadata", "source_document_id", "scope")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    LABELS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    SOURCE_DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    labels: _containers.ScalarMap[str, str]
    metadata: _containers.RepeatedCompositeFieldContainer[_filter_pb2.MetadataCondition]
    source_document_id: str
    scope: _memory_pb2.ScopeFilter
    def __init__(self, labels: _Optional[_Mapping[str, str]] = ..., metadata: _Optional[_Iterable[_Union[_filter_pb2.MetadataCondition, _Mapping]]] = ..., source_document_id: _Optional[str] = ..., scope: _Optional[_Union[_memory_pb2.ScopeFilter, _Mapping]] = ...) -> None: ...
