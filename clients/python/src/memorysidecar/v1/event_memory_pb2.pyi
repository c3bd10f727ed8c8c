from memorysidecar.v1 import memory_pb2 as _memory_pb2
from memorysidecar.v1 import task_pb2 as _task_pb2
from memorysidecar.v1 import window_pb2 as _window_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MemoryDeletion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_DELETION_UNSPECIFIED: _ClassVar[MemoryDeletion]
    MEMORY_DELETION_FORGOTTEN: _ClassVar[MemoryDeletion]
    MEMORY_DELETION_EVICTED: _ClassVar[MemoryDeletion]
    MEMORY_DELETION_EXPIRED: _ClassVar[MemoryDeletion]
    MEMORY_DELETION_DECAYED: _ClassVar[MemoryDeletion]
    MEMORY_DELETION_RETENTION: _ClassVar[MemoryDeletion]
    MEMORY_DELETION_MERGED: _ClassVar[MemoryDeletion]
MEMORY_DELETION_UNSPECIFIED: MemoryDeletion
MEMORY_DELETION_FORGOTTEN: MemoryDeletion
MEMORY_DELETION_EVICTED: MemoryDeletion
MEMORY_DELETION_EXPIRED: MemoryDeletion
MEMORY_DELETION_DECAYED: MemoryDeletion
MEMORY_DELETION_RETENTION: MemoryDeletion
MEMORY_DELETION_MERGED: MemoryDeletion

class MemoriesRemembered(_message.Message):
    __slots__ = ("memory_ids", "updated_ids", "origin")
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    UPDATED_IDS_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    updated_ids: _containers.RepeatedScalarFieldContainer[str]
    origin: _memory_pb2.MemoryOrigin
    def __init__(self, memory_ids: _Optional[_Iterable[str]] = ..., updated_ids: _Optional[_Iterable[str]] = ..., origin: _Optional[_Union[_memory_pb2.MemoryOrigin, str]] = ...) -> None: ...

class MemoryUpdated(_message.Message):
    __slots__ = ("memory_id", "paths", "revision_number")
    MEMORY_ID_FIELD_NUMBER: _ClassVar[int]
    PATHS_FIELD_NUMBER: _ClassVar[int]
    REVISION_NUMBER_FIELD_NUMBER: _ClassVar[int]
    memory_id: str
    paths: _containers.RepeatedScalarFieldContainer[str]
    revision_number: int
    def __init__(self, memory_id: _Optional[str] = ..., paths: _Optional[_Iterable[str]] = ..., revision_number: _Optional[int] = ...) -> None: ...

class MemoriesReinforced(_message.Message):
    __slots__ = ("memory_ids",)
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class MemoriesDecayed(_message.Message):
    __slots__ = ("memory_ids",)
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, memory_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class MemoriesDeleted(_message.Message):
    __slots__ = ("memory_ids", "reason")
    MEMORY_IDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    memory_ids: _containers.RepeatedScalarFieldContainer[str]
    reason: MemoryDeletion
    def __init__(self, memory_ids: _Optional[_Iterable[str]] = ..., reason: _Optional[_Union[MemoryDeletion, str]] = ...) -> None: ...

class MemoryJobEnded(_message.Message):
    __slots__ = ("type", "hook", "seq_ranges", "created_count", "rejected_count", "failure", "dead")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    SEQ_RANGES_FIELD_NUMBER: _ClassVar[int]
    CREATED_COUNT_FIELD_NUMBER: _ClassVar[int]
    REJECTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    DEAD_FIELD_NUMBER: _ClassVar[int]
    type: _task_pb2.TaskType
    hook: str
    seq_ranges: _containers.RepeatedCompositeFieldContainer[_window_pb2.SeqRange]
    created_count: int
    rejected_count: int
    failure: _task_pb2.TaskFailureReason
    dead: bool
    def __init__(self, type: _Optional[_Union[_task_pb2.TaskType, str]] = ..., hook: _Optional[str] = ..., seq_ranges: _Optional[_Iterable[_Union[_window_pb2.SeqRange, _Mapping]]] = ..., created_count: _Optional[int] = ..., rejected_count: _Optional[int] = ..., failure: _Optional[_Union[_task_pb2.TaskFailureReason, str]] = ..., dead: _Optional[bool] = ...) -> None: ...
