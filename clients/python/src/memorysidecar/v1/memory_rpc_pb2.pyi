import datetime

from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import memory_filter_pb2 as _memory_filter_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DedupeMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEDUPE_MODE_UNSPECIFIED: _ClassVar[DedupeMode]
    DEDUPE_MODE_SAME_TEXT: _ClassVar[DedupeMode]
    DEDUPE_MODE_SIMILAR: _ClassVar[DedupeMode]
    DEDUPE_MODE_NONE: _ClassVar[DedupeMode]

class ConflictMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONFLICT_MODE_UNSPECIFIED: _ClassVar[ConflictMode]
    CONFLICT_MODE_KEEP_BOTH: _ClassVar[ConflictMode]
    CONFLICT_MODE_SUPERSEDE: _ClassVar[ConflictMode]
    CONFLICT_MODE_MERGE: _ClassVar[ConflictMode]
    CONFLICT_MODE_ASK_HOOK: _ClassVar[ConflictMode]

class RememberOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REMEMBER_OUTCOME_UNSPECIFIED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_CREATED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_REINFORCED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_UNCHANGED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_UPDATED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_SUPERSEDED: _ClassVar[RememberOutcome]
    REMEMBER_OUTCOME_DROPPED: _ClassVar[RememberOutcome]

class MemoryOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_ORDER_UNSPECIFIED: _ClassVar[MemoryOrder]
    MEMORY_ORDER_OLDEST: _ClassVar[MemoryOrder]
    MEMORY_ORDER_NEWEST: _ClassVar[MemoryOrder]
    MEMORY_ORDER_IMPORTANCE: _ClassVar[MemoryOrder]
    MEMORY_ORDER_CONFIDENCE: _ClassVar[MemoryOrder]
    MEMORY_ORDER_LAST_SEEN: _ClassVar[MemoryOrder]
DEDUPE_MODE_UNSPECIFIED: DedupeMode
DEDUPE_MODE_SAME_TEXT: DedupeMode
DEDUPE_MODE_SIMILAR: DedupeMode
DEDUPE_MODE_NONE: DedupeMode
CONFLICT_MODE_UNSPECIFIED: ConflictMode
CONFLICT_MODE_KEEP_BOTH: ConflictMode
CONFLICT_MODE_SUPERSEDE: ConflictMode
CONFLICT_MODE_MERGE: ConflictMode
CONFLICT_MODE_ASK_HOOK: ConflictMode
REMEMBER_OUTCOME_UNSPECIFIED: RememberOutcome
REMEMBER_OUTCOME_CREATED: RememberOutcome
REMEMBER_OUTCOME_REINFORCED: RememberOutcome
REMEMBER_OUTCOME_UNCHANGED: RememberOutcome
REMEMBER_OUTCOME_UPDATED: RememberOutcome
REMEMBER_OUTCOME_SUPERSEDED: RememberOutcome
REMEMBER_OUTCOME_DROPPED: RememberOutcome
MEMORY_ORDER_UNSPECIFIED: MemoryOrder
MEMORY_ORDER_OLDEST: MemoryOrder
MEMORY_ORDER_NEWEST: MemoryOrder
MEMORY_ORDER_IMPORTANCE: MemoryOrder
MEMORY_ORDER_CONFIDENCE: MemoryOrder
MEMORY_ORDER_LAST_SEEN: MemoryOrder

class RememberRequest(_message.Message):
    __slots__ = ("namespace", "memories", "dedupe", "conflict", "max_memories", "defang", "reason", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    DEDUPE_FIELD_NUMBER: _ClassVar[int]
    CONFLICT_FIELD_NUMBER: _ClassVar[int]
    MAX_MEMORIES_FIELD_NUMBER: _ClassVar[int]
    DEFANG_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    dedupe: DedupeRule
    conflict: ConflictRule
    max_memories: int
    defang: bool
    reason: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., dedupe: _Optional[_Union[DedupeRule, _Mapping]] = ..., conflict: _Optional[_Union[ConflictRule, _Mapping]] = ..., max_memories: _Optional[int] = ..., defang: _Optional[bool] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class DedupeRule(_message.Message):
    __slots__ = ("mode", "threshold", "window", "keep_unchanged")
    MODE_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    KEEP_UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    mode: DedupeMode
    threshold: float
    window: int
    keep_unchanged: bool
    def __init__(self, mode: _Optional[_Union[DedupeMode, str]] = ..., threshold: _Optional[float] = ..., window: _Optional[int] = ..., keep_unchanged: _Optional[bool] = ...) -> None: ...

class ConflictRule(_message.Message):
    __slots__ = ("mode", "hook", "single_object")
    MODE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    SINGLE_OBJECT_FIELD_NUMBER: _ClassVar[int]
    mode: ConflictMode
    hook: str
    single_object: bool
    def __init__(self, mode: _Optional[_Union[ConflictMode, str]] = ..., hook: _Optional[str] = ..., single_object: _Optional[bool] = ...) -> None: ...

class RememberResponse(_message.Message):
    __slots__ = ("results", "evicted_ids", "revision")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    EVICTED_IDS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[RememberedMemory]
    evicted_ids: _containers.RepeatedScalarFieldContainer[str]
    revision: int
    def __init__(self, results: _Optional[_Iterable[_Union[RememberedMemory, _Mapping]]] = ..., evicted_ids: _Optional[_Iterable[str]] = ..., revision: _Optional[int] = ...) -> None: ...

class RememberedMemory(_message.Message):
    __slots__ = ("memory_id", "outcome", "etag", "superseded_ids")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_IDS_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    outcome: RememberOutcome
    etag: str
    superseded_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_id: _Optional[str] = ..., outcome: _Optional[_Union[RememberOutcome, str]] = ..., etag: _Optional[str] = ..., superseded_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GetMemoryRequest(_message.Message):
    __slots__ = ("namespace", "memory_id", "as_of_time")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TIME_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory_id: str
    as_of_time: _timestamp_pb2.Timestamp
    def __init__(self, namespace: _Optional[str] = ..., memory_id: _Optional[str] = ..., as_of_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetMemoryResponse(_message.Message):
    __slots__ = ("memory",)
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ...) -> None: ...

class ListMemoriesRequest(_message.Message):
    __slots__ = ("namespace", "filter", "as_of_time", "order", "page_size", "page_token")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TIME_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    filter: _memory_filter_pb2.MemoryFilter
    as_of_time: _timestamp_pb2.Timestamp
    order: MemoryOrder
    page_size: int
    page_token: str
    def __init__(self, namespace: _Optional[str] = ..., filter: _Optional[_Union[_memory_filter_pb2.MemoryFilter, _Mapping]] = ..., as_of_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., order: _Optional[_Union[MemoryOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMemoriesResponse(_message.Message):
    __slots__ = ("memories", "next_page_token")
    MEMORIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    memories: _containers.RepeatedCompositeFieldContainer[_memory_pb2.Memory]
    next_page_token: str
    def __init__(self, memories: _Optional[_Iterable[_Union[_memory_pb2.Memory, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateMemoryRequest(_message.Message):
    __slots__ = ("namespace", "memory", "update_mask", "reason", "request_id")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    memory: _memory_pb2.Memory
    update_mask: _field_mask_pb2.FieldMask
    reason: str
    request_id: str
    def __init__(self, namespace: _Optional[str] = ..., memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class UpdateMemoryResponse(_message.Message):
    __slots__ = ("memory", "revision")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    memory: _memory_pb2.Memory
    revision: int
    def __init__(self, memory: _Optional[_Union[_memory_pb2.Memory, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...
