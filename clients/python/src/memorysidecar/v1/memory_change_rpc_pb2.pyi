import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import memory_filter_pb2 as _memory_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ReinforceMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "memory_ids", "amount", "ignore_missing", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    IGNORE_MISSING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    amount: float
    ignore_missing: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memory_ids: _Optional[_Iterable[str]] = ..., amount: _Optional[float] = ..., ignore_missing: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class ReinforceMemoriesResponse(_message.Message):
    __slots__ = ("memories", "revision")
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    revision: int
    def __init__(self, memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class DecayMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "filter", "factor", "delete_below", "unseen_for", "request_id", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    DELETE_BELOW_FIELD_NUMBER: _ClassVar[int]
    UNSEEN_FOR_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _memory_filter_pb2.MemoryFilter
    factor: float
    delete_below: float
    unseen_for: _duration_pb2.Duration
    request_id: str
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_memory_filter_pb2.MemoryFilter, _Mapping]] = ..., factor: _Optional[float] = ..., delete_below: _Optional[float] = ..., unseen_for: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., request_id: _Optional[str] = ..., page_token: _Optional[str] = ...) -> None: ...

class DecayMemoriesResponse(_message.Message):
    __slots__ = ("decayed_count", "deleted_ids", "next_page_token", "revision")
    DECAYED_COUNT_FIELD_NUMBER: _ClassVar[int]
    DELETED_IDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    decayed_count: int
    deleted_ids: _containers.RepeatedScalarFieldContainer[str]
    next_page_token: str
    revision: int
    def __init__(self, decayed_count: _Optional[int] = ..., deleted_ids: _Optional[_Iterable[str]] = ..., next_page_token: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

class ForgetMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "memory_ids", "etag", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    etag: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memory_ids: _Optional[_Iterable[str]] = ..., etag: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ForgetMemoriesResponse(_message.Message):
    __slots__ = ("forgotten_count", "revision")
    FORGOTTEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    forgotten_count: int
    revision: int
    def __init__(self, forgotten_count: _Optional[int] = ..., revision: _Optional[int] = ...) -> None: ...

class PurgeMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "filter", "force", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _memory_filter_pb2.MemoryFilter
    force: bool
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_memory_filter_pb2.MemoryFilter, _Mapping]] = ..., force: _Optional[bool] = ..., request_id: _Optional[str] = ...) -> None: ...

class PurgeMemoriesResponse(_message.Message):
    __slots__ = ("memory_count", "sample_ids", "more", "revision")
    MEMORY_COUNT_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_IDS_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memory_count: int
    sample_ids: _containers.RepeatedScalarFieldContainer[str]
    more: bool
    revision: int
    def __init__(self, memory_count: _Optional[int] = ..., sample_ids: _Optional[_Iterable[str]] = ..., more: _Optional[bool] = ..., revision: _Optional[int] = ...) -> None: ...

class ListMemoryRevisionsRequest(_message.Message):
    __slots__ = ("namespace", "memory_id", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_id: str
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., memory_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMemoryRevisionsResponse(_message.Message):
    __slots__ = ("revisions", "next_page_token")
    REVISIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    revisions: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    next_page_token: str
    def __init__(self, revisions: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RestoreMemoryRevisionRequest(_message.Message):
    __slots__ = ("namespace", "memory_id", "revision_number", "etag", "reason", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_NUMBER_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_id: str
    revision_number: int
    etag: str
    reason: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memory_id: _Optional[str] = ..., revision_number: _Optional[int] = ..., etag: _Optional[str] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RestoreMemoryRevisionResponse(_message.Message):
    __slots__ = ("memory", "revision")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    revision: int
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class MergeEntitiesRequest(_message.Message):
    __slots__ = ("namespace", "target_id", "source_ids", "reason", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    TARGET_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_IDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    target_id: str
    source_ids: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., target_id: _Optional[str] = ..., source_ids: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class MergeEntitiesResponse(_message.Message):
    __slots__ = ("entity", "revision")
    ENTITY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    entity: _memory_pb2.Memory
    revision: int
    def __init__(self, entity: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...
